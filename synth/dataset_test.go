package synth

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// testRule returns a rule with constant sizes.
func testRule(key string, first, count, folders int64) Rule {
	return Rule{Name: "test", Bucket: "b", Key: key, First: first, Count: count, Folders: folders, Size: Size{Mean: 1}}
}

func mustDataset(t testing.TB, r Rule) *Dataset {
	t.Helper()
	d, err := NewDataset(r)
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
	return d
}

// referenceKeys returns all keys of a rule, made the slow way by fmt, and their indexes, sorted.
func referenceKeys(r Rule) []referenceKey {
	format := strings.NewReplacer("%", "%%", "{{", "{", "}}", "}").Replace(r.Key)
	for k, name := range []string{"i", "n", "f"} {
		natural := []int{len(fmt.Sprint(r.Count)), 1, len(fmt.Sprint(r.Folders))}[k]
		format = strings.ReplaceAll(format, "{"+name+"}", fmt.Sprintf("%%0%d[%d]d", natural, k+1))
		format = strings.ReplaceAll(format, "{"+name+":d}", fmt.Sprintf("%%[%d]d", k+1))
		for w := 1; w <= maxFieldWidth; w++ {
			format = strings.ReplaceAll(format, fmt.Sprintf("{%s:0%d}", name, w), fmt.Sprintf("%%0%d[%d]d", w, k+1))
		}
	}
	sorted := make([]referenceKey, r.Count)
	for k := range sorted {
		i := r.First + int64(k)
		key := fmt.Sprintf(format+"%[4]s", i, r.Count, i%max(r.Folders, 1), "")
		sorted[k] = referenceKey{key, i}
	}
	slices.SortFunc(sorted, func(a, b referenceKey) int { return strings.Compare(a.key, b.key) })
	return sorted
}

type referenceKey struct {
	key   string
	index int64
}

// checkReference compares a data set with the sorted list of its keys: all positions, both
// directions, and probes in and around the keys. It takes every stride-th key for the slower checks.
func checkReference(t *testing.T, r Rule, rnd *rand.Rand, stride int) {
	t.Helper()
	d := mustDataset(t, r)
	sorted := referenceKeys(r)

	seek := func(probe string) {
		t.Helper()
		want, found := slices.BinarySearchFunc(sorted, probe, func(e referenceKey, s string) int { return strings.Compare(e.key, s) })
		if got := d.Seek([]byte(probe)); got != int64(want) {
			t.Fatalf("%q: unexpected Seek(%q); got %d; want %d", r.Key, probe, got, want)
		}
		index, ok := d.Find([]byte(probe))
		if ok != found || ok && index != sorted[want].index {
			t.Fatalf("%q: unexpected Find(%q); got %d, %v; want %v", r.Key, probe, index, ok, found)
		}
	}

	var c Cursor
	c.Reset(d)
	more := c.Seek(nil)
	var buf []byte
	for pos, e := range sorted {
		if !more || string(c.Key()) != e.key || c.Index() != e.index || c.Position() != int64(pos) {
			t.Fatalf("%q: unexpected key %d of the cursor; got %q; want %q", r.Key, pos, c.Key(), e.key)
		}
		more = c.Next()
		if pos%stride != 0 && pos != len(sorted)-1 {
			continue
		}
		if buf = d.KeyAt(buf[:0], int64(pos)); string(buf) != e.key {
			t.Fatalf("%q: unexpected key at %d; got %q; want %q", r.Key, pos, buf, e.key)
		}
		if got := d.Position(e.index); got != int64(pos) {
			t.Fatalf("%q: unexpected position of %d; got %d; want %d", r.Key, e.index, got, pos)
		}
		seek(e.key)
	}
	if more {
		t.Fatalf("%q: the cursor goes on after the last key", r.Key)
	}

	for range min(len(sorted), 400) {
		e := sorted[rnd.IntN(len(sorted))].key
		cut := e[:rnd.IntN(len(e)+1)]
		// Bytes around the digits, in the middle of a key and after it.
		for _, add := range []string{"", "\x00", "-", "/", "0", "00", "5", "9", "99999999999999999999", ":", "_", "z", "\xff"} {
			seek(cut + add)
			seek(cut + add + e[len(cut):])
		}
		mutated := []byte(e)
		mutated[rnd.IntN(len(e))] = "/05:9.a"[rnd.IntN(7)]
		seek(string(mutated))
		// A cursor that starts anywhere goes on rightly.
		probe := []byte(cut + "5")
		if !c.Seek(probe) {
			continue
		}
		start := c.Position()
		for pos := start; pos < min(start+5, int64(len(sorted))); pos++ {
			if string(c.Key()) != sorted[pos].key {
				t.Fatalf("%q: unexpected key after Seek(%q); got %q; want %q", r.Key, probe, c.Key(), sorted[pos].key)
			}
			if !c.Next() {
				break
			}
		}
	}
}

func TestDatasetSmallReferences(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	keys := []string{
		"train/img_{i}_of_{n}.npz", "i{i:d}", "{i:d}", "{i:d}.x", "{i:d}_x", "a/{i:03}", "a/{i:02}-{i:d}", "{i:02}:{n:04}",
		"{i:05}9{i:d}", "9{i:d}", "é{i:02}é", "50%{{}}{i:d}",
		"{f}/{i}", "{f:d}/{i:d}", "{f:d}_{i:d}_", "train/{f:02}/img_{i:d}_of_{n}.jpeg", "{f:01}_{f:d}/{i:02}z{f}", "{i:d}/{f}", "{f:d}.{i:d}.",
	}
	for _, key := range keys {
		for range 6 {
			r := testRule(key, rnd.Int64N(3)*rnd.Int64N(1200), 2+rnd.Int64N(1500), 0)
			if strings.Contains(key, "{f") {
				r.Folders = 1 + rnd.Int64N(150)
			}
			checkReference(t, r, rnd, 1+int(r.Count)/100)
		}
		r := testRule(key, 7, 1, 3)
		checkReference(t, r, rnd, 1)
	}
}

func TestDatasetRetinanetAtFullSize(t *testing.T) {
	const count = 50_203_282 // the 64-process run of MLPerf Storage 3.0
	d := mustDataset(t, testRule("data/retinanet/train/img_{i}_of_{n}.jpeg", 0, count, 0))
	plain := mustDataset(t, testRule("p/{i:d}.jpeg", 0, count, 0))
	rnd := rand.New(rand.NewPCG(1, 2))
	var buf []byte
	for range 20_000 {
		i := rnd.Int64N(count)
		want := fmt.Sprintf("data/retinanet/train/img_%08d_of_50203282.jpeg", i)
		if buf = d.KeyAt(buf[:0], i); string(buf) != want {
			t.Fatalf("unexpected key at %d; got %q; want %q", i, buf, want)
		}
		if got, ok := d.Find(buf); !ok || got != i || d.Seek(buf) != i || d.Seek(append(buf, 0)) != i+1 {
			t.Fatalf("unexpected index of %q; got %d, %v; want %d", buf, got, ok, i)
		}
		buf = plain.KeyAt(buf[:0], i)
		if plain.Seek(buf) != i || plain.Position(plain.Index(i)) != i {
			t.Fatalf("unexpected position of %q; got %d; want %d", buf, plain.Seek(buf), i)
		}
		next := plain.KeyAt(nil, min(i+1, count-1))
		if i+1 < count && bytes.Compare(buf, next) >= 0 {
			t.Fatalf("unexpected order; got %q before %q", buf, next)
		}
	}
	f := func(d *Dataset, pos int64, want string) {
		t.Helper()
		if got := string(d.KeyAt(nil, pos)); got != want {
			t.Fatalf("unexpected key at %d; got %q; want %q", pos, got, want)
		}
	}
	f(d, count-1, "data/retinanet/train/img_50203281_of_50203282.jpeg")
	f(plain, 0, "p/0.jpeg")
	f(plain, 1, "p/1.jpeg")
	f(plain, 2, "p/10.jpeg")
	f(plain, 8, "p/10000000.jpeg")
	f(plain, count-1, "p/9999999.jpeg")
}

func TestDatasetLargest(t *testing.T) {
	for _, key := range []string{"{i}", "{i:d}", "{i:d}_", "{i:05}x", "{i:018}"} {
		d := mustDataset(t, testRule(key, maxCount, maxCount, 0))
		rnd := rand.New(rand.NewPCG(3, 4))
		for range 2000 {
			pos := rnd.Int64N(maxCount)
			key := d.KeyAt(nil, pos)
			if i, ok := d.Find(key); !ok || d.Seek(key) != pos || d.Position(i) != pos {
				t.Fatalf("unexpected position of %q; got %d; want %d", key, d.Seek(key), pos)
			}
		}
	}
}

// FuzzDataset checks that Seek counts the keys below any probe, by the two neighbours.
func FuzzDataset(f *testing.F) {
	f.Add("a/{i:d}.x", int64(0), int64(1000), int64(0), []byte("a/10"))
	f.Add("{f:d}_{i:02}_", int64(95), int64(100_000), int64(128), []byte("12_103"))
	f.Add("{f}/{i:d}", int64(1<<40), int64(1<<40), int64(7), []byte("3/1099511627"))
	f.Fuzz(func(t *testing.T, key string, first, count, folders int64, probe []byte) {
		d, err := NewDataset(testRule(key, first, count, folders))
		if err != nil {
			return
		}
		pos := d.Seek(probe)
		if pos > 0 && bytes.Compare(d.KeyAt(nil, pos-1), probe) >= 0 || pos < d.Len() && bytes.Compare(d.KeyAt(nil, pos), probe) < 0 {
			t.Fatalf("unexpected Seek(%q); got %d", probe, pos)
		}
		index, ok := d.Find(probe)
		if ok != (pos < d.Len() && bytes.Equal(d.KeyAt(nil, pos), probe)) || ok && d.Position(index) != pos {
			t.Fatalf("unexpected Find(%q); got %d, %v", probe, index, ok)
		}
		if pos < d.Len() {
			var c Cursor
			c.Reset(d)
			c.Seek(probe)
			if pos+1 < d.Len() && (!c.Next() || c.Index() != d.Index(pos+1)) {
				t.Fatalf("unexpected key after %d; got %q; want %q", pos, c.Key(), d.KeyAt(nil, pos+1))
			}
		}
	})
}
