//go:build !race

package server_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/s3ultra/s3ultra/synth"
)

// sortedList is modelList for keys that are sorted and many: up to n entries.
func sortedList(keys []string, prefix, delimiter, after string, n int) []string {
	var entries []string
	i := sort.SearchStrings(keys, max(prefix, after))
	for len(entries) < n && i < len(keys) && strings.HasPrefix(keys[i], prefix) {
		k := keys[i]
		if at := strings.Index(k[len(prefix):], delimiter); delimiter != "" && at >= 0 {
			group := k[:len(prefix)+at+len(delimiter)]
			if group > after {
				entries = append(entries, "P:"+group)
			}
			end := []byte(group)
			end[len(end)-1]++
			i = sort.SearchStrings(keys, string(end))
			continue
		}
		if k > after {
			entries = append(entries, k)
		}
		i++
	}
	return entries
}

// millionFlags name a million objects in the orders that are hard to get
// right, and which cross each other.
func millionFlags() []string {
	return []string{
		"?bucket=sets&key=a/{i:d}.jpg&count=400000&size=uniform(1,1000)",
		"?bucket=sets&key=a/{f}/x{i}&count=300000&folders=1000&size=322957",
		"?bucket=sets&key=a/{i:d}-&count=150000&first=70&size=1",
		"?bucket=sets&key=b{i}&count=150000&size=2",
	}
}

// datasetKeys are the keys of rules, sorted.
func datasetKeys(t testing.TB, rules []synth.Rule) []string {
	t.Helper()
	var keys []string
	for _, r := range rules {
		d, err := synth.NewDataset(r)
		if err != nil {
			t.Fatal(err)
		}
		for pos := range d.Len() {
			keys = append(keys, string(d.KeyAt(nil, pos)))
		}
	}
	sort.Strings(keys)
	return keys
}

// listQuery is a random place of a bucket with the keys, given to both
// versions of a listing.
type listQuery struct {
	prefix, delimiter, after string
	max                      int
}

func randomQuery(rnd *rand.Rand, keys []string) (q listQuery) {
	text := func() string {
		k := keys[rnd.IntN(len(keys))]
		switch rnd.IntN(4) {
		case 0:
			return k
		case 1:
			return k[:rnd.IntN(len(k)+1)]
		case 2:
			return k[:rnd.IntN(len(k)+1)] + string(rune('0'+rnd.IntN(12)))
		}
		return ""
	}
	q.prefix, q.after = text(), text()
	if rnd.IntN(3) > 0 && len(q.prefix) > 4 {
		q.prefix = q.prefix[:rnd.IntN(4)]
	}
	q.delimiter = []string{"", "", "/", "0", ".jpg"}[rnd.IntN(5)]
	q.max = 1 + rnd.IntN(40)
	return q
}

func (q listQuery) query(v2 bool) string {
	start := "marker="
	if v2 {
		start = "list-type=2&start-after="
	}
	return fmt.Sprintf("%s%s&prefix=%s&delimiter=%s&max-keys=%d", start, escapeQuery(q.after), escapeQuery(q.prefix), escapeQuery(q.delimiter), q.max)
}

// TestDatasetListing compares random pages over a million virtual objects,
// with some written and some deleted among them, with a sorted reference.
func TestDatasetListing(t *testing.T) {
	source := uint64(time.Now().UnixNano())
	t.Logf("seed %d", source)
	rnd := rand.New(rand.NewPCG(source, 3))
	cfg := datasetConfig(t, millionFlags()...)
	f := start(t, cfg)
	keys := datasetKeys(t, cfg.Datasets)
	if len(keys) != 1_000_000 {
		t.Fatalf("unexpected number of keys; got %d; want a million", len(keys))
	}
	for range 300 {
		k := keys[rnd.IntN(len(keys))]
		f.put(t, "/sets/"+escape(k), "shadow")
		extra := k + string(rune('!'+rnd.IntN(60)))
		f.put(t, "/sets/"+escape(extra), "extra")
		keys = append(keys, extra)
	}
	sort.Strings(keys)
	keys = slices.Compact(keys)
	for range 300 {
		i := rnd.IntN(len(keys) - 3)
		n := 1 + rnd.IntN(3)
		for _, k := range keys[i : i+n] {
			f.do(t, "DELETE", "/sets/"+escape(k), "").want(204)
		}
		keys = slices.Delete(keys, i, i+n)
	}
	for range 1500 {
		q := randomQuery(rnd, keys)
		for _, v2 := range []bool{true, false} {
			page := f.list(t, "sets", q.query(v2))
			want := sortedList(keys, q.prefix, q.delimiter, q.after, q.max+1)
			more := len(want) > q.max
			var got []string
			for _, e := range page.Contents {
				got = append(got, e.Key)
			}
			for _, p := range page.CommonPrefixes {
				got = append(got, "P:"+p.Prefix)
			}
			sort.Slice(got, func(i, j int) bool {
				return strings.TrimPrefix(got[i], "P:") < strings.TrimPrefix(got[j], "P:")
			})
			if want = want[:min(len(want), q.max)]; !slices.Equal(got, want) || page.IsTruncated != more {
				t.Fatalf("unexpected page of %+v; got %q, %v; want %q, %v", q, got, page.IsTruncated, want, more)
			}
		}
	}
}

// TestDatasetReplicas asks two servers of one configuration the same: nothing
// that a client sees may tell which one it was, or when that was started.
func TestDatasetReplicas(t *testing.T) {
	source := uint64(time.Now().UnixNano())
	t.Logf("seed %d", source)
	rnd := rand.New(rand.NewPCG(source, 4))
	flags := append(millionFlags(), imageFlag, "llama3-8b", "unet3d?bucket=sets&content-type=application/zip")
	cfg := datasetConfig(t, flags...)
	cfg.Buckets = nil // whose creation is an event of the server
	keys := datasetKeys(t, cfg.Datasets[:4])
	a := start(t, cfg)
	time.Sleep(1100 * time.Millisecond) // so that a start time would show
	b := start(t, cfg)
	token := ""
	for range 10_000 {
		c := randomRead(rnd, keys, &token)
		// A token may come from either.
		ra, rb := a.send(t, c), b.send(t, c)
		for _, r := range []*reply{ra, rb} {
			id := r.header.Get("X-Amz-Request-Id")
			for _, name := range []string{"Date", "X-Amz-Request-Id"} {
				r.header.Del(name)
			}
			if r.status >= 400 {
				r.body = strings.Replace(r.body, id, "", 1)
			}
		}
		if ra.status != rb.status || ra.body != rb.body || fmt.Sprint(ra.header) != fmt.Sprint(rb.header) {
			t.Fatalf("unexpected difference of replicas\n%v\n%v", ra, rb)
		}
		if _, rest, ok := strings.Cut(rb.body, "<NextContinuationToken>"); ok {
			token, _, _ = strings.Cut(rest, "<")
		}
	}
}

// randomRead is a read of an object or a page that may be there.
func randomRead(rnd *rand.Rand, keys []string, token *string) call {
	key := keys[rnd.IntN(len(keys))]
	switch rnd.IntN(12) {
	case 0:
		key = key[:1+rnd.IntN(len(key))]
	case 1:
		key = fmt.Sprintf("img/%02d.jpg", rnd.IntN(33))
	case 2:
		key = fmt.Sprintf("data/unet3d/train/img_%03d_of_168.npz", rnd.IntN(180))
	}
	target := "/sets/" + escape(key)
	switch rnd.IntN(6) {
	case 0:
		return call{method: "HEAD", target: target}
	case 1:
		from := rnd.IntN(300)
		return call{method: "GET", target: target, header: []string{fmt.Sprintf("Range: bytes=%d-%d", from, from+rnd.IntN(5000))}}
	case 2:
		if *token != "" && rnd.IntN(2) == 0 {
			t := *token
			*token = ""
			return call{method: "GET", target: "/sets?list-type=2&max-keys=5&continuation-token=" + escapeQuery(t)}
		}
		return call{method: "GET", target: "/sets?" + randomQuery(rnd, keys).query(true)}
	case 3:
		return call{method: "GET", target: "/sets?" + randomQuery(rnd, keys).query(false)}
	case 4:
		q := randomQuery(rnd, keys)
		return call{method: "GET", target: fmt.Sprintf("/sets?versions&key-marker=%s&max-keys=%d", escapeQuery(q.after), q.max)}
	}
	return []call{
		{method: "GET", target: "/"},
		{method: "HEAD", target: "/mlperf"},
		{method: "GET", target: target, header: []string{"Range: bytes=-100", "If-Modified-Since: " + time.Unix(rnd.Int64N(2e9), 0).UTC().Format(http.TimeFormat)}},
		{method: "GET", target: target + "?attributes", header: []string{"x-amz-object-attributes: ETag,ObjectSize,StorageClass"}},
		{method: "HEAD", target: "/mlperf/checkpoints/llama_8b/global_epoch1_step1/zero_pp_rank_0_mp_rank_0_optim_states.pt"},
	}[rnd.IntN(5)]
}
