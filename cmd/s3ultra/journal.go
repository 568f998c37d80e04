package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/s3ultra/s3ultra/cmd/s3ultra/cli"
	"github.com/s3ultra/s3ultra/server"
)

const (
	journalPath = "/_s3ultra/requests"

	// journalTimeout bounds the whole exchange; a million requests, the largest
	// journal, take a second.
	journalTimeout = 30 * time.Second

	// journalTime is local, as the person reading is, to the microsecond.
	journalTime = "15:04:05.000000"
)

func journalCommand() *cli.Command {
	return &cli.Command{
		Name:      "journal",
		Usage:     "print the last requests that a running server answered",
		UsageText: "s3ultra journal [flags] [URL]",
		Description: "URL is a server's admin address, such as http://127.0.0.1:9001. Without it the address is taken from\n" +
			"S3ULTRA_ADMIN_LISTEN. The filters are combined: a request must pass all of them.",
		Flags: []*cli.Flag{
			{Name: "operation", Value: cli.String(""), Usage: "only these `OPERATIONS`, by AWS's names, comma list: GetObject,PutObject"},
			{Name: "bucket", Value: cli.String(""), Usage: "only requests for the bucket `NAME`"},
			{Name: "prefix", Value: cli.String(""), Usage: "only keys that begin with `PREFIX`"},
			{Name: "status", Value: cli.String(""), Usage: "only these `STATUSES`, comma list: 404,5xx"},
			{Name: "limit", Value: cli.Int(0), Usage: "only the last `NUMBER` of them; 0 is all"},
			{Name: "json", Value: cli.Bool(false), Usage: "print what the server answered"},
			{Name: "reset", Value: cli.Bool(false), Usage: "forget all requests so far and print nothing"},
		},
		Action: func(c *cli.Context) error {
			if len(c.Args) > 1 {
				return usagef("unexpected argument %q after journal URL", c.Arg(1))
			}
			address, err := journalURL(c)
			if err != nil {
				return err
			}
			return runJournal(c, address)
		},
	}
}

// journalURL returns the URL to ask.
func journalURL(c *cli.Context) (string, error) {
	u, err := adminURL(c.Arg(0), journalPath)
	if err != nil {
		return "", err
	}
	query := url.Values{}
	for _, name := range []string{"operation", "bucket", "prefix", "status"} {
		if v := c.String(name); v != "" {
			query.Set(name, v)
		}
	}
	if n := c.Int("limit"); n > 0 {
		query.Set("limit", strconv.Itoa(n))
	}
	u.RawQuery = query.Encode()
	return u.String(), nil
}

// runJournal asks and prints.
func runJournal(c *cli.Context, address string) error {
	method := http.MethodGet
	if c.Bool("reset") {
		method = http.MethodDelete
	}
	text, err := askAdmin(c.Context, journalTimeout, method, address)
	if err != nil || method == http.MethodDelete {
		return err
	}
	if c.Bool("json") {
		_, err := c.Stdout.Write(text)
		return err
	}
	var page server.JournalPage
	if err := json.Unmarshal(text, &page); err != nil {
		return fmt.Errorf("cannot read the answer of %s: %w", address, err)
	}
	return printJournal(c.Stdout, &page)
}

// printJournal prints a line for each request and then the counts.
func printJournal(out io.Writer, page *server.JournalPage) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, r := range page.Requests {
		took := time.Duration(r.Duration * float64(time.Second)).Round(time.Microsecond).String()
		if !r.Done {
			took = "sending"
		}
		if r.Aborted {
			took += " cut off"
		}
		name := r.Bucket
		if r.Key != "" {
			name += "/" + r.Key
		}
		// Quoted when it holds what would break the table.
		if q := strconv.Quote(name); q != `"`+name+`"` {
			name = q
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\tin %d\tout %d\t%s\n",
			r.Time.Local().Format(journalTime), r.Operation, r.Status, orDefault(r.Code, "-"), name, r.Received, r.Sent, took)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(page.Counts)) {
		fmt.Fprintf(out, "%d %s\n", page.Counts[name], name)
	}
	lost := ""
	if page.Lost > 0 {
		lost = fmt.Sprintf("; the journal holds the last %d, older ones are not looked at", page.Size)
	}
	_, err := fmt.Fprintf(out, "%d of %d requests since the last reset%s\n", page.Matched, page.Recorded, lost)
	return err
}
