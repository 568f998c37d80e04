package main

import (
	"strings"

	"github.com/s3ultra/s3ultra/server"
	"github.com/s3ultra/s3ultra/store"
)

// parseBuckets reads bucket specifications name[:mode]; a bucket without a
// mode gets the default one. Naming a bucket twice is harmless unless the
// modes differ.
func parseBuckets(specs []string, mode store.Mode) ([]server.BucketSpec, error) {
	var buckets []server.BucketSpec
	modes := make(map[string]store.Mode, len(specs))
	for _, spec := range specs {
		if spec == "" {
			continue
		}
		name, modeName, hasMode := strings.Cut(spec, ":")
		b := server.BucketSpec{Name: name, Mode: mode}
		if hasMode {
			m, err := store.ParseMode(modeName)
			if err != nil {
				return nil, usagef("bad --bucket %q: the mode must be synth or memory", spec)
			}
			b.Mode = m
		}
		if err := server.ValidBucketName(name); err != nil {
			return nil, usagef("bad --bucket %q: %w", spec, err)
		}
		if m, seen := modes[name]; seen {
			if m != b.Mode {
				return nil, usagef("bad --bucket %q: the bucket is also given with mode %s", spec, m)
			}
			continue
		}
		modes[name] = b.Mode
		buckets = append(buckets, b)
	}
	return buckets, nil
}
