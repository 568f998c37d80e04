package server_test

import (
	"encoding/xml"
	"net/url"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"
)

// listResult is ListBucketResult of both versions, and ListVersionsResult.
type listResult struct {
	XMLName                                      xml.Name
	Name, Prefix, Delimiter                      string
	Marker, NextMarker                           string
	KeyMarker, NextKeyMarker                     string
	VersionIdMarker, NextVersionIdMarker         string
	StartAfter                                   string
	ContinuationToken, NextContinuationToken     string
	EncodingType                                 string
	KeyCount, MaxKeys                            int
	IsTruncated                                  bool
	Contents                                     []listEntry
	Version                                      []listEntry
	CommonPrefixes                               []struct{ Prefix string }
	Initiator                                    struct{ ID string }
	hasToken, hasNextToken, hasNextMarker, hasV1 bool
}

type listEntry struct {
	Key, ETag, StorageClass, VersionId, ChecksumAlgorithm string
	LastModified                                          string
	IsLatest                                              bool
	Size                                                  int64
	Owner                                                 *struct{ ID, DisplayName string }
}

// list does one listing request.
func (f *fixture) list(t testing.TB, bucket, query string) listResult {
	t.Helper()
	r := f.do(t, "GET", "/"+bucket+"?"+query, "")
	var doc listResult
	r.parse(&doc)
	doc.hasToken = strings.Contains(r.body, "<ContinuationToken>")
	doc.hasNextToken = strings.Contains(r.body, "<NextContinuationToken>")
	doc.hasNextMarker = strings.Contains(r.body, "<NextMarker>") || strings.Contains(r.body, "<NextKeyMarker>")
	doc.hasV1 = strings.Contains(r.body, "<Marker>")
	for _, e := range append(slices.Clone(doc.Contents), doc.Version...) {
		if _, err := time.Parse("2006-01-02T15:04:05.000Z", e.LastModified); err != nil {
			t.Errorf("unexpected LastModified: %v", err)
		}
	}
	return doc
}

// keys returns all keys of a bucket, read page by page with encoding-type=url
// so that every byte comes through.
func (f *fixture) keys(t testing.TB, bucket string) []string {
	t.Helper()
	var keys []string
	token := ""
	for {
		query := "list-type=2&encoding-type=url"
		if token != "" {
			query += "&continuation-token=" + escapeQuery(token)
		}
		page := f.list(t, bucket, query)
		for _, e := range page.Contents {
			keys = append(keys, decodeURL(t, e.Key))
		}
		if !page.IsTruncated {
			return keys
		}
		token = page.NextContinuationToken
	}
}

// wantKeys requires exactly these keys, in byte order.
func (f *fixture) wantKeys(t testing.TB, bucket string, want ...string) {
	t.Helper()
	want = slices.Clone(want)
	sort.Strings(want)
	want = slices.Compact(want)
	if got := f.keys(t, bucket); !slices.Equal(got, want) {
		t.Errorf("unexpected keys of %s; got %d %.2000q; want %d %.2000q", bucket, len(got), got, len(want), want)
	}
}

// decodeURL undoes encoding-type=url.
func decodeURL(t testing.TB, s string) string {
	t.Helper()
	if strings.ContainsAny(s, "+ ") {
		t.Errorf("unexpected plus or space in %q, which is url-encoded", s)
	}
	k, err := url.PathUnescape(s)
	if err != nil {
		t.Errorf("cannot decode %q: %v", s, err)
	}
	return k
}
