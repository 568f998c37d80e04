package main

import (
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/s3ultra/s3ultra/cmd/s3ultra/cli"
	"github.com/s3ultra/s3ultra/server"
	"github.com/s3ultra/s3ultra/store"
	"github.com/s3ultra/s3ultra/synth"
)

// readDatasets returns the rules of --datasets, then those of --dataset.
func readDatasets(c *cli.Context) ([]synth.Rule, error) {
	var rules []synth.Rule
	if path := c.String("datasets"); path != "" {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, usagef("cannot read --datasets: %w", err)
		}
		if rules, err = synth.ParseYAML(data); err != nil {
			return nil, usagef("bad --datasets %s: %w", path, err)
		}
	}
	for _, flag := range c.Strings("dataset") {
		r, err := synth.ParseFlag(flag)
		if err != nil {
			return nil, usagef("bad --dataset %q: %w", flag, err)
		}
		rules = append(rules, r...)
	}
	return rules, nil
}

// withDatasetBuckets adds the buckets of rules that are not in the list.
func withDatasetBuckets(buckets []server.BucketSpec, rules []synth.Rule) []server.BucketSpec {
	for i := range rules {
		named := func(b server.BucketSpec) bool { return b.Name == rules[i].Bucket }
		if !slices.ContainsFunc(buckets, named) {
			buckets = append(buckets, server.BucketSpec{Name: rules[i].Bucket, Mode: store.Synth})
		}
	}
	return buckets
}

// datasetList is name:bucket:objects:bytes,…, or - for none. Names are escaped
// as in a URL's query.
func datasetList(list []server.DatasetInfo) string {
	if len(list) == 0 {
		return "-"
	}
	words := make([]string, len(list))
	for i, d := range list {
		words[i] = fmt.Sprintf("%s:%s:%d:%d", url.QueryEscape(d.Name), d.Bucket, d.Objects, d.Bytes)
	}
	return strings.Join(words, ",")
}

// datasetText tells people of a data set.
func datasetText(d server.DatasetInfo) string {
	about := ""
	if !d.Exact {
		about = "about "
	}
	return fmt.Sprintf("%s in %s: %s objects, %s%s", d.Name, d.Bucket, groupDigits(d.Objects), about, formatSize(d.Bytes))
}

// groupDigits returns n >= 0 with a comma before each group of three digits.
func groupDigits(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
