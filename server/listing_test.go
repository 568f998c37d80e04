package server_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/s3ultra/s3ultra/store"
)

// walk pages through a listing to its end and returns keys and common
// prefixes in one list, common prefixes marked by a leading "P:". Each version
// of the API continues by its own means.
func (f *fixture) walk(t *testing.T, bucket, api, params string, max int) []string {
	t.Helper()
	var all []string
	next := ""
	for pages := 0; ; pages++ {
		if pages > 3000 {
			t.Fatalf("%s %s max-keys=%d does not end", api, params, max)
		}
		query := fmt.Sprintf("%s&encoding-type=url&max-keys=%d%s%s", map[string]string{"v1": "x=1", "v2": "list-type=2", "versions": "versions"}[api], max, params, next)
		page := f.list(t, bucket, query)
		var names []string
		for _, e := range append(page.Contents, page.Version...) {
			names = append(names, decodeURL(t, e.Key))
		}
		for _, p := range page.CommonPrefixes {
			names = append(names, "P:"+decodeURL(t, p.Prefix))
		}
		slices.SortFunc(names, func(a, b string) int {
			return strings.Compare(strings.TrimPrefix(a, "P:"), strings.TrimPrefix(b, "P:"))
		})
		if len(names) > max || page.MaxKeys != max || api == "v2" && page.KeyCount != len(names) || page.EncodingType != "url" {
			t.Fatalf("unexpected page of %d entries, MaxKeys %d, KeyCount %d for max-keys=%d", len(names), page.MaxKeys, page.KeyCount, max)
		}
		all = append(all, names...)
		if !page.IsTruncated {
			if page.hasNextToken || page.hasNextMarker {
				t.Errorf("the last page names a next one: %+v", page)
			}
			return all
		}
		if len(names) != max {
			t.Errorf("unexpected page; got %d entries and IsTruncated; want %d", len(names), max)
		}
		switch api {
		case "v1":
			next = "&marker=" + escapeQuery(decodeURL(t, page.NextMarker))
		case "v2":
			next = "&continuation-token=" + escapeQuery(page.NextContinuationToken)
		case "versions":
			next = "&key-marker=" + escapeQuery(decodeURL(t, page.NextKeyMarker)) + "&version-id-marker=" + escapeQuery(page.NextVersionIdMarker)
		}
	}
}

var listAPIs = []string{"v1", "v2", "versions"}

func TestL01CommonPrefixesAcrossPages(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		for d := 1; d <= 4; d++ {
			for i := 1; i <= 3; i++ {
				f.put(t, fmt.Sprintf("/bkt/d%d/f%d", d, i), "x")
			}
		}
		f.put(t, "/bkt/a", "x")
		f.put(t, "/bkt/z", "x")
		want := []string{"a", "P:d1/", "P:d2/", "P:d3/", "P:d4/", "z"}
		for _, api := range listAPIs {
			for max := 1; max <= 7; max++ {
				if got := f.walk(t, "bkt", api, "&delimiter=%2F", max); !slices.Equal(got, want) {
					t.Errorf("%s by %d: unexpected walk; got %q; want %q", api, max, got, want)
				}
			}
		}
		page := f.list(t, "bkt", "list-type=2&delimiter=%2F")
		if page.KeyCount != 6 || len(page.Contents) != 2 || len(page.CommonPrefixes) != 4 || page.Delimiter != "/" {
			t.Errorf("unexpected page %+v", page)
		}
		// A marker inside a group: the group is not greater than it.
		for _, row := range []struct {
			marker string
			want   []string
		}{
			{"d1/", []string{"P:d2/"}}, {"d1/f2", []string{"P:d2/"}}, {"d1", []string{"P:d1/"}}, {"d0", []string{"P:d1/"}},
			{"d1/zzz", []string{"P:d2/"}}, {"d4/f3", []string{"z"}}, {"d10", []string{"P:d2/"}}, {"z", nil}, {"", []string{"a"}},
		} {
			for api, param := range map[string]string{"x": "marker", "list-type=2": "start-after", "versions": "key-marker"} {
				page := f.list(t, "bkt", api+"&delimiter=%2F&max-keys=1&"+param+"="+escapeQuery(row.marker))
				var got []string
				for _, e := range append(page.Contents, page.Version...) {
					got = append(got, e.Key)
				}
				for _, p := range page.CommonPrefixes {
					got = append(got, "P:"+p.Prefix)
				}
				if !slices.Equal(got, row.want) {
					t.Errorf("%s %s=%q: unexpected first entry; got %q; want %q", api, param, row.marker, got, row.want)
				}
			}
		}
	})
}

// TestL01L14LargeGroup: a common prefix over many keys costs a seek, not a scan.
func TestL01L14LargeGroup(t *testing.T) {
	f := start(t, testConfig(store.Synth))
	const n = 100_000
	for i := range n {
		if err := f.srv.AddSynthetic("bkt", fmt.Sprintf("data/%06d", i), 1000); err != nil {
			t.Fatalf("cannot add an object: %v", err)
		}
	}
	f.put(t, "/bkt/z", "x")
	measure := func(query string) time.Duration {
		best := time.Hour
		for range 5 {
			began := time.Now()
			f.list(t, "bkt", query)
			best = min(best, time.Since(began))
		}
		return best
	}
	page := f.list(t, "bkt", "list-type=2&delimiter=%2F")
	if page.KeyCount != 2 || page.CommonPrefixes[0].Prefix != "data/" {
		t.Errorf("unexpected page %+v", page)
	}
	// Generous: a scan of 100,000 keys takes far longer than a few keys' page.
	if d := measure("list-type=2&delimiter=%2F"); d > 10*time.Millisecond {
		t.Errorf("a page with one large group takes %v", d)
	}
	first := measure("list-type=2&max-keys=10")
	last := measure("list-type=2&max-keys=10&start-after=data%2F099980")
	if last > 10*first+5*time.Millisecond {
		t.Errorf("a page at the end takes %v, one at the start %v", last, first)
	}
}

func TestL04L06ManyKeys(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		const n = 2500
		for i := range n {
			if err := f.srv.AddSynthetic("bkt", fmt.Sprintf("k%04d", i), 7); err != nil {
				t.Fatalf("cannot add an object: %v", err)
			}
		}
		for _, max := range []string{"", "&max-keys=1000", "&max-keys=1001", "&max-keys=10000", "&max-keys=2147483647", "&max-keys="} {
			page := f.list(t, "bkt", "list-type=2"+max)
			if len(page.Contents) != 1000 || page.MaxKeys != 1000 || !page.IsTruncated || page.KeyCount != 1000 {
				t.Errorf("%s: unexpected page: %d keys, MaxKeys %d, IsTruncated %v", max, len(page.Contents), page.MaxKeys, page.IsTruncated)
			}
			// Version 1 names the next page without a delimiter too.
			page = f.list(t, "bkt", "x"+max)
			if page.NextMarker != "k0999" || !page.hasV1 || page.MaxKeys != 1000 {
				t.Errorf("%s: unexpected page; NextMarker %q, MaxKeys %d", max, page.NextMarker, page.MaxKeys)
			}
		}
		for _, api := range listAPIs {
			got := f.walk(t, "bkt", api, "", 1000)
			if len(got) != n || !slices.IsSorted(got) {
				t.Errorf("%s: unexpected number of keys %d", api, len(got))
			}
		}
		for _, q := range []string{"list-type=2", "x", "versions"} {
			page := f.list(t, "bkt", q+"&max-keys=0")
			if page.IsTruncated || len(page.Contents)+len(page.Version) != 0 || page.MaxKeys != 0 {
				t.Errorf("%s: unexpected page %+v", q, page)
			}
			for _, bad := range []string{"-1", "blah", "1.5", "99999999999", "+1", "0x1"} {
				f.do(t, "GET", "/bkt?"+q+"&max-keys="+escapeQuery(bad), "").wantError(400, "InvalidArgument")
			}
			f.do(t, "GET", "/bkt?"+q+"&encoding-type=base64", "").wantError(400, "InvalidArgument")
			f.do(t, "GET", "/none?"+q, "").wantError(404, "NoSuchBucket")
		}
		for _, token := range []string{"x", "1", "%00", "1%20", "2abc", "1A"} {
			f.do(t, "GET", "/bkt?list-type=2&continuation-token="+token, "").wantError(400, "InvalidArgument")
		}
	})
}

// TestListElements: what is always there, what only when asked, and that empty
// parameters are absent ones.
func TestListElements(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		etag := f.put(t, "/bkt/k", letters(700)).etag()
		f.put(t, "/bkt/l", "l", "x-amz-storage-class: STANDARD_IA")
		page := f.list(t, "bkt", "list-type=2&prefix=&delimiter=&continuation-token=&start-after=")
		if page.Name != "bkt" || page.MaxKeys != 1000 || page.KeyCount != 2 || page.IsTruncated || !page.hasToken || page.hasNextToken || page.Contents[0].Owner != nil {
			t.Errorf("unexpected page %+v", page)
		}
		raw := f.do(t, "GET", "/bkt?list-type=2&prefix=&delimiter=", "").want(200).body
		if !strings.Contains(raw, "<Prefix></Prefix>") || strings.Contains(raw, "Delimiter") || strings.Contains(raw, "Token") || strings.Contains(raw, "StartAfter") || strings.Contains(raw, "EncodingType") {
			t.Errorf("unexpected document %s", raw)
		}
		if e := page.Contents[0]; e.Key != "k" || e.Size != 700 || e.ETag != etag || e.StorageClass != "STANDARD" {
			t.Errorf("unexpected entry %+v", e)
		}
		if e := page.Contents[1]; e.StorageClass != "STANDARD_IA" {
			t.Errorf("unexpected entry %+v", e)
		}
		if page = f.list(t, "bkt", "list-type=2&fetch-owner=true"); page.Contents[0].Owner == nil || page.Contents[0].Owner.ID == "" {
			t.Errorf("unexpected entry %+v", page.Contents[0])
		}
		if page = f.list(t, "bkt", "list-type=2&fetch-owner=false"); page.Contents[0].Owner != nil {
			t.Errorf("unexpected entry %+v", page.Contents[0])
		}
		if page = f.list(t, "bkt", "marker="); !page.hasV1 || page.Contents[0].Owner == nil || page.hasNextMarker {
			t.Errorf("unexpected page %+v", page)
		}
		page = f.list(t, "bkt", "versions")
		if v := page.Version; len(v) != 2 || v[0].VersionId != "null" || !v[0].IsLatest || v[0].ETag != etag || v[0].Size != 700 {
			t.Errorf("unexpected versions %+v", v)
		}
		// The token wins over start-after, which minio-py sends along.
		first := f.list(t, "bkt", "list-type=2&max-keys=1")
		page = f.list(t, "bkt", "list-type=2&start-after=zzz&continuation-token="+escapeQuery(first.NextContinuationToken))
		if len(page.Contents) != 1 || page.Contents[0].Key != "l" || page.StartAfter != "zzz" || page.ContinuationToken != first.NextContinuationToken {
			t.Errorf("unexpected page %+v", page)
		}
		// A page goes on from an object that was deleted meanwhile.
		f.do(t, "DELETE", "/bkt/k", "").want(204)
		page = f.list(t, "bkt", "list-type=2&continuation-token="+escapeQuery(first.NextContinuationToken))
		if len(page.Contents) != 1 {
			t.Errorf("unexpected page %+v", page)
		}
		page = f.list(t, "bkt", "versions&key-marker=k&version-id-marker=null")
		if len(page.Version) != 1 || page.Version[0].Key != "l" {
			t.Errorf("unexpected page %+v", page)
		}
	})
}

func TestL08EncodingTypeURL(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		keys := []string{"a%5Bx]", "a b+c", "é", "a/b c/d", "a/\n", "\x01\xff", "&<>", "~_-.", "*()'!"}
		for _, k := range keys {
			f.put(t, "/bkt/"+escape(k), "x")
		}
		slices.Sort(keys)
		for _, api := range listAPIs {
			if got := f.walk(t, "bkt", api, "", 1); !slices.Equal(got, keys) {
				t.Errorf("%s: unexpected walk; got %q; want %q", api, got, keys)
			}
		}
		page := f.list(t, "bkt", "list-type=2&encoding-type=url&prefix=a%20b%2B&start-after=a%20a%2F%2B&delimiter=%20c")
		if page.Prefix != "a%20b%2B" || page.StartAfter != "a%20a/%2B" || page.Delimiter != "%20c" || page.EncodingType != "url" {
			t.Errorf("unexpected page %+v", page)
		}
		page = f.list(t, "bkt", "encoding-type=url&prefix=a&marker=a%20%2B%2F&delimiter=%20c&max-keys=1")
		if page.Marker != "a%20%2B/" || page.NextMarker == "" || strings.ContainsAny(page.NextMarker, " +") {
			t.Errorf("unexpected page %+v", page)
		}
		page = f.list(t, "bkt", "list-type=2&encoding-type=url&prefix=a%2F&delimiter=%2F")
		if len(page.CommonPrefixes) != 1 || page.CommonPrefixes[0].Prefix != "a/b%20c/" || page.Delimiter != "/" || len(page.Contents) != 1 || page.Contents[0].Key != "a/%0A" {
			t.Errorf("unexpected page %+v", page)
		}
		// Without it, names that XML can hold come as they are.
		page = f.list(t, "bkt", "list-type=2&prefix=%26")
		if len(page.Contents) != 1 || page.Contents[0].Key != "&<>" || page.Prefix != "&" || page.EncodingType != "" {
			t.Errorf("unexpected page %+v", page)
		}
	})
}

// TestListSpecialGroups are the cases of ceph/s3-tests that trip scans.
func TestListSpecialGroups(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		for _, k := range append([]string{"0/", "1999", "1999#", "1999+", "2000", "asdf/"}, func() (many []string) {
			for i := 1000; i < 1999; i++ {
				many = append(many, fmt.Sprintf("0/%d", i))
			}
			return
		}()...) {
			if err := f.srv.AddSynthetic("bkt", k, 1); err != nil {
				t.Fatalf("cannot add an object: %v", err)
			}
		}
		for _, q := range []string{"list-type=2", "x", "versions"} {
			page := f.list(t, "bkt", q+"&delimiter=%2F")
			if page.IsTruncated || len(page.CommonPrefixes) != 2 || len(page.Contents)+len(page.Version) != 4 {
				t.Errorf("%s: unexpected page %+v", q, page)
			}
			page = f.list(t, "bkt", q+"&delimiter=%2F&prefix=asdf%2F")
			if len(page.CommonPrefixes) != 0 || len(page.Contents)+len(page.Version) != 1 {
				t.Errorf("%s: unexpected page %+v", q, page)
			}
		}
		page := f.list(t, "bkt", "delimiter=%2F&max-keys=1")
		if page.NextMarker != "0/" {
			t.Errorf("unexpected NextMarker %q", page.NextMarker)
		}
	})
}

// TestL15EveryoneListsAtOnce: no throttling, and what was written is there.
func TestL15EveryoneListsAtOnce(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		var wg sync.WaitGroup
		for rank := range 64 {
			w := f.dial(t)
			wg.Go(func() {
				for i := range 4 {
					key := fmt.Sprintf("ckpt/%d/%d", rank, i)
					w.do(call{method: "PUT", target: "/bkt/" + key, body: "x"}).want(200)
					r := w.do(call{method: "GET", target: fmt.Sprintf("/bkt?list-type=2&prefix=ckpt%%2F%d%%2F", rank)})
					var page listResult
					r.parse(&page)
					if page.KeyCount != i+1 {
						t.Errorf("rank %d sees %d keys; want %d", rank, page.KeyCount, i+1)
					}
				}
				for range 2 {
					w.do(call{method: "GET", target: "/bkt?list-type=2&prefix=ckpt%2F"}).check(200)
				}
				w.do(call{method: "DELETE", target: fmt.Sprintf("/bkt/ckpt/%d/0", rank)}).check(204)
			})
		}
		wg.Wait()
		if n := len(f.keys(t, "bkt")); n != 64*3 {
			t.Errorf("unexpected number of keys %d", n)
		}
	})
}

func TestListBucketsPaged(t *testing.T) {
	cfg := testConfig(store.Memory)
	cfg.Buckets = nil
	f := start(t, cfg)
	if r := f.do(t, "GET", "/", "").want(200); !strings.Contains(r.body, "<Buckets></Buckets>") && !strings.Contains(r.body, "<Buckets/>") {
		t.Errorf("unexpected document %v", r)
	}
	names := []string{"alpha", "beta", "beta-2", "gamma"}
	for _, n := range []string{"gamma", "beta-2", "alpha", "beta"} {
		f.do(t, "PUT", "/"+n, "").want(200)
	}
	for max := 1; max <= 5; max++ {
		var got []string
		token := ""
		for {
			var doc struct {
				Buckets           struct{ Bucket []struct{ Name string } }
				ContinuationToken string
			}
			f.do(t, "GET", fmt.Sprintf("/?max-buckets=%d&continuation-token=%s", max, escapeQuery(token)), "").parse(&doc)
			for _, b := range doc.Buckets.Bucket {
				got = append(got, b.Name)
			}
			if token = doc.ContinuationToken; token == "" {
				break
			}
		}
		if !slices.Equal(got, names) {
			t.Errorf("unexpected buckets by %d; got %q; want %q", max, got, names)
		}
	}
}

// TestL08ControlCharactersV1: with encoding-type=url every listing parses,
// whatever prefix and delimiter it echoes.
func TestL08ControlCharactersV1(t *testing.T) {
	f := start(t, testConfig(store.Memory))
	for c := 0; c < 256; c++ {
		b := string([]byte{byte(c)})
		f.put(t, "/bkt/"+escape(b+"k"), "x")
		for _, api := range []string{"x=1", "list-type=2", "versions", "uploads"} {
			r := f.do(t, "GET", "/bkt?"+api+"&encoding-type=url&prefix="+escapeQuery(b)+"&delimiter="+escapeQuery(b), "")
			var page listResult
			r.parse(&page)
			if got := page.Prefix; got != b && decodeURL(t, got) != b {
				t.Errorf("%s: unexpected Prefix %q; want %q", api, got, b)
			}
		}
	}
}
