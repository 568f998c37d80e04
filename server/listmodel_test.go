package server_test

import (
	"encoding/xml"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"
)

// modelList is a listing computed the slow way: the sorted entries, keys and
// common prefixes, that are greater than after.
func modelList(keys []string, prefix, delimiter, after string) []string {
	var entries []string
	for _, k := range keys {
		rest, ok := strings.CutPrefix(k, prefix)
		if !ok {
			continue
		}
		if i := strings.Index(rest, delimiter); delimiter != "" && i >= 0 {
			if group := prefix + rest[:i+len(delimiter)]; group > after {
				entries = append(entries, "P:"+group)
			}
			continue
		}
		if k > after {
			entries = append(entries, k)
		}
	}
	sort.Slice(entries, func(i, j int) bool {
		return strings.TrimPrefix(entries[i], "P:") < strings.TrimPrefix(entries[j], "P:")
	})
	return slices.Compact(entries)
}

// TestListModel walks random buckets with random prefixes, delimiters and page
// sizes and compares with modelList. Keys are of few characters, so that
// groups and neighbours abound, and of any byte.
func TestListModel(t *testing.T) {
	source := uint64(time.Now().UnixNano())
	t.Logf("seed %d", source)
	conformance(t, func(t *testing.T, f *fixture) {
		rnd := rand.New(rand.NewPCG(source, 2))
		alphabets := []string{"ab/", "a/\xff", "\n\r/", "\x00\x01/", "a\xfe\xff", "é/+ %", "/", "01.-"}
		text := func(alphabet string, most int) string {
			b := make([]byte, rnd.IntN(most+1))
			for i := range b {
				b[i] = alphabet[rnd.IntN(len(alphabet))]
			}
			return string(b)
		}
		for round, alphabet := range alphabets {
			bucket := fmt.Sprintf("round-%d", round)
			f.do(t, "PUT", "/"+bucket, "").want(200)
			var keys []string
			for range 120 {
				if k := text(alphabet, 6); k != "" {
					keys = append(keys, k)
				}
			}
			sort.Strings(keys)
			keys = slices.Compact(keys)
			for _, k := range keys {
				f.put(t, "/"+bucket+"/"+escape(k), "x")
			}
			for range 14 {
				prefix, delimiter, after := text(alphabet, 2), text(alphabet, 2), ""
				if rnd.IntN(2) == 0 {
					after = text(alphabet, 5)
				}
				max := 1 + rnd.IntN(7)
				api := listAPIs[rnd.IntN(len(listAPIs))]
				params := "&prefix=" + escapeQuery(prefix) + "&delimiter=" + escapeQuery(delimiter)
				if after != "" && api == "v2" { // the others continue by the parameter they start with
					params += "&start-after=" + escapeQuery(after)
				} else {
					after = ""
				}
				got := f.walk(t, bucket, api, params, max)
				if want := modelList(keys, prefix, delimiter, after); !slices.Equal(got, want) {
					t.Errorf("seed %d: unexpected %s walk of %q: prefix %q, delimiter %q, after %q, max %d;\n got %q\nwant %q",
						source, api, keys, prefix, delimiter, after, max, got, want)
				}
			}
		}
	})
}

// uploadsResult is ListMultipartUploadsResult.
type uploadsResult struct {
	XMLName                           xml.Name `xml:"ListMultipartUploadsResult"`
	Bucket, Prefix, Delimiter         string
	KeyMarker, UploadIdMarker         string
	NextKeyMarker, NextUploadIdMarker string
	EncodingType                      string
	MaxUploads                        int
	IsTruncated                       bool
	Upload                            []struct{ Key, UploadId, Initiated, StorageClass string }
	CommonPrefixes                    []struct{ Prefix string }
}

// TestListUploadsModel does the same for ListMultipartUploads, with several
// uploads of one key.
func TestListUploadsModel(t *testing.T) {
	source := uint64(time.Now().UnixNano())
	t.Logf("seed %d", source)
	conformance(t, func(t *testing.T, f *fixture) {
		rnd := rand.New(rand.NewPCG(source, 3))
		const alphabet = "ab/\xff"
		text := func(most int) string {
			b := make([]byte, rnd.IntN(most+1))
			for i := range b {
				b[i] = alphabet[rnd.IntN(len(alphabet))]
			}
			return string(b)
		}
		var keys []string
		uploads := map[string][]string{}
		for range 60 {
			if k := text(4); k != "" {
				keys = append(keys, k)
				uploads[k] = append(uploads[k], f.newUpload(t, "/bkt/"+escape(k)))
			}
		}
		for range 40 {
			prefix, delimiter, max := text(2), text(2), 1+rnd.IntN(7)
			var got []string
			next := ""
			for pages := 0; ; pages++ {
				if pages > 200 {
					t.Fatalf("the listing does not end")
				}
				var page uploadsResult
				f.do(t, "GET", fmt.Sprintf("/bkt?uploads&encoding-type=url&max-uploads=%d&prefix=%s&delimiter=%s%s",
					max, escapeQuery(prefix), escapeQuery(delimiter), next), "").parse(&page)
				var names []string
				for _, u := range page.Upload {
					names = append(names, decodeURL(t, u.Key)+" "+u.UploadId)
				}
				for _, p := range page.CommonPrefixes {
					names = append(names, "P:"+decodeURL(t, p.Prefix))
				}
				if len(names) > max || page.MaxUploads != max || page.Bucket != "bkt" {
					t.Fatalf("unexpected page %+v", page)
				}
				got = append(got, names...)
				if !page.IsTruncated {
					break
				}
				next = "&key-marker=" + escapeQuery(decodeURL(t, page.NextKeyMarker)) + "&upload-id-marker=" + escapeQuery(page.NextUploadIdMarker)
			}
			var want []string
			for _, e := range modelList(keys, prefix, delimiter, "") {
				if strings.HasPrefix(e, "P:") {
					want = append(want, e)
					continue
				}
				for _, id := range uploads[e] {
					want = append(want, e+" "+id)
				}
			}
			sort.Strings(got)
			sort.Strings(want)
			if !slices.Equal(got, want) {
				t.Errorf("seed %d: unexpected uploads: prefix %q, delimiter %q, max %d;\n got %q\nwant %q", source, prefix, delimiter, max, got, want)
			}
		}
		for _, q := range []string{"max-uploads=x", "max-uploads=-1", "encoding-type=x"} {
			f.do(t, "GET", "/bkt?uploads&"+q, "").wantError(400, "InvalidArgument")
		}
		f.do(t, "GET", "/none?uploads", "").wantError(404, "NoSuchBucket")
	})
}
