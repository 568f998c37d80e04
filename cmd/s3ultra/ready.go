package main

import (
	"bytes"
	"fmt"
	"net"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/s3ultra/s3ultra/server"
)

// readyInfo is what the ready block tells; docs/cli.md describes its form.
type readyInfo struct {
	urls     []string // as a client on this machine reaches the listeners
	bound    []string // as they are bound
	settings *settings
	nofile   uint64
	admin    string // HOST:PORT, "" for none
	datasets []server.DatasetInfo
}

// newReadyInfo takes the real addresses, which differ from the asked ones for
// port 0.
func newReadyInfo(s *settings, listeners []net.Listener, nofile uint64) readyInfo {
	r := readyInfo{settings: s, nofile: nofile}
	for _, ln := range listeners {
		bound := ln.Addr().String()
		host, port, _ := net.SplitHostPort(bound)
		r.bound = append(r.bound, bound)
		r.urls = append(r.urls, "http://"+reachable(host, port))
	}
	return r
}

// authState is the ready line's auth value: off (no keys), unverified, or the
// number of key pairs.
func authState(c server.Config) string {
	switch {
	case len(c.Credentials) == 0:
		return "off"
	case c.SkipSigVerify:
		return "unverified"
	default:
		return "keys:" + strconv.Itoa(len(c.Credentials))
	}
}

// appendBlock appends the ready line, the exports, the table if the reader is
// a terminal, and the demo's commands. It is written in one piece, so that who
// reads the first line can have the rest.
func (r readyInfo) appendBlock(dst []byte, terminal bool) []byte {
	dst = r.appendLine(dst)
	if terminal {
		dst = r.appendTable(dst)
	}
	dst = r.appendExports(dst)
	if r.settings.demo {
		dst = appendDemoCommands(dst)
	}
	return dst
}

// appendLine appends the line scripts wait for: URLs, then key=value words
// without spaces in them.
func (r readyInfo) appendLine(dst []byte) []byte {
	c := r.settings.config
	return fmt.Appendf(dst, "s3ultra ready: %s mode=%s seed=%d pattern=%s buckets=%s datasets=%s memory-limit=%d auth=%s region=%s nofile=%d version=%s admin=%s\n",
		strings.Join(r.urls, " "), c.Mode, c.Seed, c.Pattern, bucketList(c.Buckets), datasetList(r.datasets), c.MemoryLimit, authState(c), c.Region, r.nofile, c.Version, r.adminURL())
}

// adminURL is the admin server's URL, or off.
func (r readyInfo) adminURL() string {
	if r.admin == "" {
		return "off"
	}
	host, port, _ := net.SplitHostPort(r.admin)
	return "http://" + reachable(host, port)
}

// bucketList is name:mode,name:mode, or - for none, which no bucket is called.
func bucketList(buckets []server.BucketSpec) string {
	if len(buckets) == 0 {
		return "-"
	}
	words := make([]string, len(buckets))
	for i, b := range buckets {
		words[i] = b.Name + ":" + b.Mode.String()
	}
	return strings.Join(words, ",")
}

// appendExports appends the lines that point AWS clients at this server. Only
// secrets that are none, the demo's and MinIO's default, are printed.
func (r readyInfo) appendExports(dst []byte) []byte {
	c := r.settings.config
	// S3_ENDPOINT_URL is s5cmd's, which asks AWS itself without it.
	dst = fmt.Appendf(dst, "export AWS_ENDPOINT_URL=%s S3_ENDPOINT_URL=%[1]s\n", r.urls[0])
	if len(r.urls) > 1 {
		// What s3dlio and the MLPerf storage benchmark read to spread over
		// several endpoints.
		dst = fmt.Appendf(dst, "export S3_ENDPOINT_URIS=%s\n", strings.Join(r.urls, ","))
	}
	switch {
	case r.settings.demo:
		dst = fmt.Appendf(dst, "export AWS_ACCESS_KEY_ID=%s AWS_SECRET_ACCESS_KEY=%s\n", demoAccessKey, demoSecretKey)
	case len(c.Credentials) == 0 || c.SkipSigVerify:
		// Most clients refuse to start without keys; any do here.
		dst = append(dst, "export AWS_ACCESS_KEY_ID=any AWS_SECRET_ACCESS_KEY=any\n"...)
	case c.Credentials[0] == minioDefaultPair():
		dst = fmt.Appendf(dst, "export AWS_ACCESS_KEY_ID=%[1]s AWS_SECRET_ACCESS_KEY=%[1]s\n", minioDefaultKey)
	default:
		key := shellQuote(c.Credentials[0].AccessKey)
		dst = fmt.Appendf(dst, "export AWS_ACCESS_KEY_ID=%s  # and AWS_SECRET_ACCESS_KEY, its secret\n", key)
	}
	// The older name is the one botocore reads.
	return fmt.Appendf(dst, "export AWS_REGION=%[1]s AWS_DEFAULT_REGION=%[1]s\n", c.Region)
}

// appendTable appends the same for people.
func (r readyInfo) appendTable(dst []byte) []byte {
	c := r.settings.config
	var text bytes.Buffer
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	row := func(name, value string) { fmt.Fprintf(w, "  %s\t%s\n", name, value) }
	row("listening on", strings.Join(r.bound, ", "))
	row("admin", r.adminURL())
	row("default mode", fmt.Sprintf("%s (seed %d, pattern %s)", c.Mode, c.Seed, c.Pattern))
	row("buckets", strings.ReplaceAll(bucketList(c.Buckets), ",", ", "))
	for i, d := range r.datasets {
		name := ""
		if i == 0 {
			name = "data sets"
		}
		row(name, datasetText(d))
	}
	row("memory limit", limitText(c.MemoryLimit))
	row("keys", keysText(c))
	if r.nofile > 0 {
		row("open files", fmt.Sprintf("up to %d", r.nofile))
	}
	w.Flush()
	return append(dst, text.Bytes()...)
}

func limitText(n int64) string {
	if n == 0 {
		return "none"
	}
	return formatSize(n)
}

func keysText(c server.Config) string {
	switch authState(c) {
	case "off":
		return "none: any signature and anonymous requests are accepted"
	case "unverified":
		return "not checked (--skip-sig-verify)"
	}
	if len(c.Credentials) == 1 {
		return "1 pair"
	}
	return strconv.Itoa(len(c.Credentials)) + " pairs"
}
