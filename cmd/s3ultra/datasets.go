package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/s3ultra/s3ultra/cmd/s3ultra/cli"
	"github.com/s3ultra/s3ultra/synth"
)

func datasetsCommand() *cli.Command {
	return &cli.Command{
		Name:      "datasets",
		Usage:     "list the data sets that serve --dataset knows by name, or show one as YAML",
		UsageText: "s3ultra datasets [--json]\ns3ultra datasets show NAME[?FIELD=VALUE&...]",
		Description: "show prints a file for serve --datasets, to edit. NAME is what serve --dataset takes.\n" +
			"docs/datasets.md describes the fields.",
		Flags: []*cli.Flag{
			{Name: "json", Value: cli.Bool(false), Usage: "print JSON instead of the table"},
		},
		Action: func(c *cli.Context) error {
			args := c.Args
			switch {
			case len(args) == 0:
				return listPresets(c.Stdout, c.Bool("json"))
			case args[0] != "show":
				return usagef("unexpected argument %q after datasets; want show NAME", args[0])
			case len(args) != 2:
				return usagef("datasets show needs one name: %s", presetNames())
			}
			return showDatasets(c.Stdout, args[1])
		},
	}
}

// presetNames are the names of all presets, separated by spaces.
func presetNames() string {
	var names []string
	for _, p := range synth.Presets() {
		names = append(names, p.Name)
	}
	return strings.Join(names, " ")
}

// presetInfo is a line of the list, and what --json prints of it.
type presetInfo struct {
	Name     string `json:"name"`
	About    string `json:"about"`
	Bucket   string `json:"bucket"`
	Objects  int64  `json:"objects"`
	Size     string `json:"size,omitempty"` // of each object, as in a rule; empty if they differ
	Smallest int64  `json:"smallest"`       // mean of the rule with the smallest, bytes
	Largest  int64  `json:"largest"`
	Bytes    int64  `json:"bytes"`
	Exact    bool   `json:"exact"` // bytes is
	FirstKey string `json:"first_key"`
}

// listPresets prints all presets.
func listPresets(out io.Writer, asJSON bool) error {
	var list []presetInfo
	for _, p := range synth.Presets() {
		rules, err := p.Rules()
		if err != nil {
			return fmt.Errorf("cannot make data set %s: %w", p.Name, err)
		}
		sum, err := synth.Summarize(rules)
		if err != nil {
			return fmt.Errorf("cannot sum up data set %s: %w", p.Name, err)
		}
		first, err := synth.NewDataset(rules[0])
		if err != nil {
			return fmt.Errorf("cannot make data set %s: %w", p.Name, err)
		}
		list = append(list, presetInfo{
			Name: p.Name, About: p.About, Bucket: rules[0].Bucket, Objects: sum.Objects, Size: sum.Size,
			Smallest: sum.Smallest, Largest: sum.Largest, Bytes: sum.Bytes, Exact: sum.Exact,
			FirstKey: string(first.KeyAt(nil, 0)),
		})
	}
	if asJSON {
		enc := json.NewEncoder(out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(list)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tOBJECTS\tSIZE\tBYTES\tTOTAL\tWHAT")
	for _, p := range list {
		size := p.Size
		if size == "" {
			size = formatSize(p.Smallest) + " to " + formatSize(p.Largest)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", p.Name, groupDigits(p.Objects), size, groupDigits(p.Bytes), formatSize(p.Bytes), p.About)
	}
	return w.Flush()
}

// showDatasets prints what --dataset FLAG means as a file for --datasets.
func showDatasets(out io.Writer, flag string) error {
	rules, err := synth.ParseFlag(flag)
	if err != nil {
		return usagef("bad data set %q: %w", flag, err)
	}
	// A file that serve would refuse is no start for an edit.
	if _, err := synth.NewSets(rules); err != nil {
		return usagef("bad data set %q: %w", flag, err)
	}
	text, err := synth.MarshalYAML(rules)
	if err != nil {
		return err
	}
	_, err = out.Write(text)
	return err
}
