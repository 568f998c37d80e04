package synth

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func mustSet(t testing.TB, rules ...Rule) *Set {
	t.Helper()
	sets, err := NewSets(rules)
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
	if len(sets) != 1 {
		t.Fatalf("unexpected number of sets; got %d; want 1", len(sets))
	}
	return sets[0]
}

// TestSetReference compares a set of interleaved data sets with the sorted list of all its keys.
func TestSetReference(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	rules := []Rule{
		testRule("train/img_{i}_of_{n}.npz", 0, 1234, 0),
		testRule("valid/img_{i}_of_{n}.npz", 0, 99, 0),
		testRule("train/img_{i:d}.idx", 5, 3000, 0),
		testRule("train/img_{i:d}_", 5, 3000, 0),
		testRule("train/{f}/{i:d}", 0, 500, 7),
		testRule("train/img_1", 0, 1, 0),
		testRule("manifest.json", 0, 1, 0),
	}
	s := mustSet(t, rules...)
	var want []string
	for _, r := range rules {
		for _, e := range referenceKeys(r) {
			want = append(want, e.key)
		}
	}
	slices.Sort(want)
	if s.Len() != int64(len(want)) || s.MayOverlap() {
		t.Fatalf("unexpected length; got %d, %v; want %d", s.Len(), s.MayOverlap(), len(want))
	}
	var c SetCursor
	c.Reset(s)
	more := c.Seek(nil)
	for _, key := range want {
		if !more || string(c.Key()) != key {
			t.Fatalf("unexpected key; got %q; want %q", c.Key(), key)
		}
		d, index, ok := s.Find(c.Key())
		if !ok || d != c.Dataset() || index != c.Index() {
			t.Fatalf("unexpected Find(%q); got %v, %d, %v", key, d, index, ok)
		}
		more = c.Next()
	}
	if more || c.Valid() || c.Next() {
		t.Fatalf("unexpected key after the last; got %q", c.Key())
	}
	for range 3000 {
		key := want[rnd.IntN(len(want))]
		probe := key[:rnd.IntN(len(key)+1)] + []string{"", "0", "_", "/", "\xff"}[rnd.IntN(5)]
		at, _ := slices.BinarySearch(want, probe)
		if got := s.Seek([]byte(probe)); got != int64(at) {
			t.Fatalf("unexpected Seek(%q); got %d; want %d", probe, got, at)
		}
		if more = c.Seek([]byte(probe)); more != (at < len(want)) || more && string(c.Key()) != want[at] {
			t.Fatalf("unexpected Seek(%q); got %v; want %d", probe, more, at)
		}
		for at < len(want) && strings.HasPrefix(want[at], probe) {
			at++
		}
		if more = c.SeekPastPrefix([]byte(probe)); probe != "" && (more != (at < len(want)) || more && string(c.Key()) != want[at]) {
			t.Fatalf("unexpected SeekPastPrefix(%q); got %v; want %d", probe, more, at)
		}
	}
	if c.SeekPastPrefix(nil) || c.SeekPastPrefix([]byte("\xff\xff")) {
		t.Errorf("unexpected key after all prefixes; got %q", c.Key())
	}
	c.Reset(nil)
	if c.Seek(nil) {
		t.Errorf("unexpected key of no set; got %q", c.Key())
	}
}

func TestSetsByBucket(t *testing.T) {
	a, b := testRule("x{i}", 0, 10, 0), testRule("x{i}", 0, 10, 0)
	a.Bucket, b.Bucket = "zz", "aa"
	sets, err := NewSets([]Rule{a, b, testRule("y", 0, 1, 0)})
	if err != nil || len(sets) != 3 || sets[0].Bucket() != "aa" || sets[1].Bucket() != "b" || sets[2].Bucket() != "zz" {
		t.Fatalf("unexpected sets; got %v, %v; want aa, b, zz", sets, err)
	}
}

func TestSetOverlap(t *testing.T) {
	f := func(a, b Rule, want string) {
		t.Helper()
		for _, rules := range [][]Rule{{a, b}, {b, a}} {
			_, err := NewSets(rules)
			switch {
			case want == "" && err != nil:
				t.Errorf("unexpected error: %v", err)
			case want != "" && (!errors.Is(err, ErrBadRule) || !strings.Contains(err.Error(), want)):
				t.Errorf("unexpected error for %q and %q; got %v; want the key %q", a.Key, b.Key, err, want)
			}
		}
	}
	const big = 50_203_282
	f(testRule("a{i}_of_{n}", 0, big, 0), testRule("a{i}_of_{n}", 0, big-1, 0), "")
	f(testRule("a{i}", 0, big, 0), testRule("a{i}", big, big, 0), "")
	f(testRule("a{i}", 0, big, 0), testRule("a{i}", big-1, big, 0), `"a50203281"`)
	f(testRule("a{i:d}", 0, big, 0), testRule("a{i:08}", 0, big, 0), `"a10000000"`)
	f(testRule("a{i:d}", 0, 1000, 0), testRule("a{i:08}", 0, big, 0), "")
	f(testRule("a{i}", 0, big, 0), testRule("a00000007", 0, 1, 0), `"a00000007"`)
	f(testRule("a{i}", 0, big, 0), testRule("a00000007x", 0, 1, 0), "")
	f(testRule("{f}/{i}", 0, big, 100), testRule("001/{i:08}", 0, 1000, 0), `"001/00000001"`)
	f(testRule("{f}/{i}", 0, big, 100), testRule("001/{i:08}", 2, 99, 0), "")
	f(testRule("x", 0, 1, 0), testRule("x", 0, 1, 0), `"x"`)
}

// TestSetPrecedence has two sets that alternate for 2^15 indexes, which is more than the search for
// common keys looks at, and then share the key of the last.
func TestSetPrecedence(t *testing.T) {
	const n = 1 << 15
	a := testRule("{i:07}/{f:d}", n, n+1, n)
	b := testRule("{i:07}/{f:d}", n, n+1, 2*n)
	b.Size.Mean = 2
	for _, rules := range [][]Rule{{a, b}, {b, a}} {
		s := mustSet(t, rules...)
		if !s.MayOverlap() || s.Len() != 2*n+2 {
			t.Fatalf("unexpected length; got %d, %v; want %d", s.Len(), s.MayOverlap(), 2*n+2)
		}
		var c SetCursor
		c.Reset(s)
		c.Seek(nil)
		steps := 1
		for steps < 2*n+1 && c.Next() {
			steps++
		}
		key := "0065536/0"
		if string(c.Key()) != key || c.Size() != rules[0].Size.Mean {
			t.Fatalf("unexpected last object; got %q, %d bytes; want %q, %d bytes", c.Key(), c.Size(), key, rules[0].Size.Mean)
		}
		d, index, ok := s.Find([]byte(key))
		if !ok || index != 2*n || d.Size(index) != rules[0].Size.Mean {
			t.Fatalf("unexpected Find; got %d, %v; want the first rule's", index, ok)
		}
		if c.Next() {
			t.Fatalf("unexpected key after the last; got %q", c.Key())
		}
	}
}
