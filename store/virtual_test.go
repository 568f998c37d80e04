package store

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/s3ultra/s3ultra/synth"
)

const virtualBucket = "virtual"

// virtualRules are data sets whose keys interleave with each other and, having
// few digits, with those of randomVirtualKey.
func virtualRules() []synth.Rule {
	size := synth.Size{Distribution: synth.Uniform, Min: 1, Max: 1000}
	return []synth.Rule{
		{Bucket: virtualBucket, Key: "a/{i:d}", Count: 120, Size: size},
		{Bucket: virtualBucket, Key: "a/{i:d}x", Count: 30, Size: synth.Size{Mean: 7}, ContentType: "x/y"},
		{Bucket: virtualBucket, Key: "b/{f}/{i}", Count: 60, Folders: 12, Size: size, First: 5},
		{Bucket: virtualBucket, Key: "c", Count: 1, Size: synth.Size{}},
	}
}

func randomVirtualKey(rng *rand.Rand) string {
	switch rng.IntN(4) {
	case 0:
		return fmt.Sprintf("a/%d", rng.IntN(140))
	case 1:
		return fmt.Sprintf("a/%dx", rng.IntN(40))
	case 2:
		i := rng.IntN(70)
		return fmt.Sprintf("b/%02d/%02d", i%12, i)
	}
	return []string{"c", "", "a", "a/", "d", "b/", "b/00/", "a/1/x", "a/\xff"}[rng.IntN(9)]
}

func mustSet(t testing.TB, rules []synth.Rule) *synth.Set {
	t.Helper()
	sets, err := synth.NewSets(rules)
	if err != nil || len(sets) != 1 {
		t.Fatalf("unexpected sets; got %d, %v; want 1", len(sets), err)
	}
	return sets[0]
}

// metaOf is the Meta of a data set's objects in these tests.
func metaOf(d *synth.Dataset) string { return d.ContentType() }

const virtualSeed = 11

// newVirtualBucket returns a bucket with data sets, and its objects.
func newVirtualBucket(t testing.TB, rules []synth.Rule) (*Store, *Bucket, model) {
	t.Helper()
	s := New(Options{Seed: virtualSeed})
	b, m := addVirtualBucket(t, s, rules)
	return s, b, m
}

func addVirtualBucket(t testing.TB, s *Store, rules []synth.Rule) (*Bucket, model) {
	t.Helper()
	b, err := s.CreateBucket(virtualBucket, Synth, testNow)
	if err != nil {
		t.Fatal(err)
	}
	set := mustSet(t, rules)
	if err := b.Attach(set, metaOf); err != nil {
		t.Fatalf("cannot attach: %v", err)
	}
	m := model{}
	for _, d := range set.Datasets() {
		for pos := range d.Len() {
			key := d.KeyAt(nil, pos)
			content := synth.Hash(virtualSeed, virtualBucket, key)
			size := d.Size(d.Index(pos))
			m[string(key)] = Object{Size: size, ModTime: d.ModTime(), Content: content, ETag: DeriveETag(content, size, 1), Meta: metaOf(d)}
		}
	}
	return b, m
}

func TestVirtualModel(t *testing.T) {
	rng := newRNG(t)
	s, b, m := newVirtualBucket(t, virtualRules())
	rules := len(m)
	if rules != 211 {
		t.Fatalf("unexpected number of virtual objects; got %d; want 211", rules)
	}
	compareModel(t, rng, b, m)
	for step := range 20000 {
		key := randomVirtualKey(rng)
		old, had := m[key]
		check := func(got *Object) error {
			if (got != nil) != had || got != nil && *got != old {
				return fmt.Errorf("old object %+v; want %v, %+v", got, had, old)
			}
			return nil
		}
		// The share of deletions swings, so that most is hidden and comes back.
		if rng.IntN(100) < 20+35*(step/4000%3) {
			var d Deleted
			var err error
			if rng.IntN(2) == 0 {
				d, err = b.Delete([]byte(key), testNow, check)
			} else {
				d, err = b.DeleteVersion([]byte(key), 0, check)
			}
			if err != nil || d != (Deleted{Existed: had}) {
				t.Fatalf("unexpected result of deleting %q; got %+v, %v; want existed %v", key, d, err, had)
			}
			delete(m, key)
		} else if rng.IntN(8) == 0 {
			text := []string{"", "y"}[rng.IntN(2)]
			err := b.ChangeMeta([]byte(key), 0, rng.IntN(2) == 0, func(o *Object) (string, error) { return text, check(o) })
			if had != (err == nil) || !had && err != ErrNoSuchVersion {
				t.Fatalf("unexpected error of changing %q; got %v; want existed %v", key, err, had)
			}
			if had {
				old.Meta = text
				m[key] = old
			}
		} else {
			o := Object{Size: int64(rng.IntN(1000)), ModTime: int64(step), ETag: DeriveETag(uint64(step), 0, 1), Content: rng.Uint64(), Meta: []string{"", "x", "x/y"}[rng.IntN(3)]}
			if rng.IntN(8) == 0 {
				o.Parts = newParts([]Part{{Size: 3}, {Size: o.Size}})
			}
			if err := b.Put([]byte(key), &o, check); err != nil {
				t.Fatalf("unexpected check at %q: %v", key, err)
			}
			m[key] = o
		}
		if step%500 == 0 {
			compareModel(t, rng, b, m)
			compareVirtualVersions(t, rng, b, m)
		}
	}
	failed := errors.New("no")
	if _, err := b.Delete([]byte("c"), testNow, func(*Object) error { return failed }); err != failed {
		t.Fatalf("unexpected error of a check; got %v; want %v", err, failed)
	}
	compareModel(t, rng, b, m)
	for _, key := range m.keys() {
		if err := s.DeleteBucket([]byte(virtualBucket)); err != ErrBucketNotEmpty {
			t.Fatalf("unexpected error for a bucket with objects; got %v; want %v", err, ErrBucketNotEmpty)
		}
		mustDelete(t, b, key)
	}
	compareModel(t, rng, b, model{})
	if err := s.DeleteBucket([]byte(virtualBucket)); err != nil {
		t.Fatalf("cannot delete a bucket of hidden objects: %v", err)
	}
	compareModel(t, rng, b, model{})
	wantMemory(t, s, 0)
}

// compareVirtualVersions reads the bucket as a listing of versions and by version.
func compareVirtualVersions(t *testing.T, rng *rand.Rand, b *Bucket, m model) {
	t.Helper()
	keys := m.keys()
	c := b.VersionCursor()
	got := []string{}
	for ok := c.Seek(nil); ok; ok = c.Next() {
		got = append(got, string(c.Key()))
		if want := m[string(c.Key())]; *c.Object() != want || !c.IsLatest() || c.IsMarker() {
			t.Fatalf("unexpected version under the cursor at %q; got %+v; want %+v", c.Key(), c.Object(), want)
		}
		if rng.IntN(20) == 0 && !c.Seek(bytes.Clone(c.Key())) {
			t.Fatalf("cannot seek to %q again", got[len(got)-1])
		}
	}
	for range 20 {
		from := randomVirtualKey(rng)
		i, found := slices.BinarySearch(keys, from)
		if found {
			i++
		}
		ok := c.SeekBehind([]byte(from), 0)
		if ok != (i < len(keys)) || ok && string(c.Key()) != keys[i] {
			t.Fatalf("unexpected version behind %q; got %v; want %q", from, ok, keys[min(i, len(keys)-1)])
		}
	}
	c.Close()
	if !slices.Equal(got, keys) {
		t.Fatalf("unexpected versions; got %q; want %q", got, keys)
	}
	for range 20 {
		key := randomVirtualKey(rng)
		want, ok := m[key]
		var o Object
		if err := b.GetVersion([]byte(key), 0, &o); (err == nil) != ok || o != want {
			t.Fatalf("unexpected null version of %q; got %v, %+v; want %v, %+v", key, err, o, ok, want)
		}
	}
}

// What an earlier start left in the index counts when data sets come to it.
func TestAttachCounts(t *testing.T) {
	rng := newRNG(t)
	_, b, m := newVirtualBucket(t, virtualRules())
	for range 300 {
		key := randomVirtualKey(rng)
		if rng.IntN(2) == 0 {
			if _, err := b.Delete([]byte(key), testNow, nil); err != nil {
				t.Fatal(err)
			}
			delete(m, key)
			continue
		}
		o := Object{Size: 3, Content: rng.Uint64()}
		if err := b.Put([]byte(key), &o, nil); err != nil {
			t.Fatal(err)
		}
		m[key] = o
	}
	if err := b.Attach(mustSet(t, virtualRules()), metaOf); err != nil {
		t.Fatalf("cannot attach: %v", err)
	}
	compareModel(t, rng, b, m)
}

// Objects and holes over data sets survive a restart, also one without the
// rules in between.
func TestVirtualRestart(t *testing.T) {
	rng := newRNG(t)
	dir := t.TempDir()
	s := openFor(t, dir, Options{Seed: virtualSeed}, Persistence{})
	b, m := addVirtualBucket(t, s, virtualRules())
	for round := range 6 {
		for range 300 {
			key := randomVirtualKey(rng)
			_, had := m[key]
			if rng.IntN(3) > 0 {
				if d, err := b.Delete([]byte(key), testNow, nil); err != nil || d.Existed != had {
					t.Fatalf("unexpected result of deleting %q; got %+v, %v; want existed %v", key, d, err, had)
				}
				delete(m, key)
				continue
			}
			o := Object{Size: 3, ModTime: 5, Content: rng.Uint64()}
			if err := b.Put([]byte(key), &o, nil); err != nil {
				t.Fatal(err)
			}
			m[key] = o
		}
		compareModel(t, rng, b, m)
		if round%2 == 0 {
			kill(t, s)
		} else if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if round == 3 {
			s = openFor(t, dir, Options{Seed: virtualSeed}, Persistence{})
			b = s.Bucket([]byte(virtualBucket))
			written := model{}
			for key, o := range m {
				if o.ModTime == 5 {
					written[key] = o
				}
			}
			compareModel(t, rng, b, written)
			compareVirtualVersions(t, rng, b, written)
			kill(t, s)
		}
		s = openFor(t, dir, Options{Seed: virtualSeed}, Persistence{})
		b = s.Bucket([]byte(virtualBucket))
		if err := b.Attach(mustSet(t, virtualRules()), metaOf); err != nil {
			t.Fatalf("cannot attach: %v", err)
		}
		compareModel(t, rng, b, m)
	}
	for _, key := range m.keys() {
		mustDelete(t, b, key)
	}
	if err := s.DeleteBucket([]byte(virtualBucket)); err != nil {
		t.Fatal(err)
	}
	kill(t, s)
	s = openFor(t, dir, Options{Seed: virtualSeed}, Persistence{})
	b, m = addVirtualBucket(t, s, virtualRules())
	compareModel(t, rng, b, m)
	kill(t, s)
}

func TestAttachErrors(t *testing.T) {
	set := mustSet(t, virtualRules())
	_, memory := newBucketFor(t, Memory, Options{})
	if err := memory.Attach(set, metaOf); !errors.Is(err, ErrNotSynth) {
		t.Fatalf("unexpected error in memory mode; got %v; want %v", err, ErrNotSynth)
	}
	s, versioned := newBucketFor(t, Synth, Options{})
	if err := versioned.SetVersioning(VersioningSuspended); err != nil {
		t.Fatal(err)
	}
	if err := versioned.Attach(set, metaOf); !errors.Is(err, ErrVersioned) {
		t.Fatalf("unexpected error with versioning; got %v; want %v", err, ErrVersioned)
	}
	if err := s.DeleteBucket([]byte(versioned.Name())); err != nil {
		t.Fatal(err)
	}
	gone, err := s.CreateBucket("gone", Synth, testNow)
	if err != nil || s.DeleteBucket([]byte("gone")) != nil {
		t.Fatalf("cannot make and delete a bucket: %v", err)
	}
	if err := gone.Attach(set, metaOf); !errors.Is(err, ErrNoSuchBucket) {
		t.Fatalf("unexpected error for a deleted bucket; got %v; want %v", err, ErrNoSuchBucket)
	}
	_, b, _ := newVirtualBucket(t, virtualRules())
	if err := b.SetVersioning(VersioningEnabled); err != ErrHasDatasets {
		t.Fatalf("unexpected error of SetVersioning; got %v; want %v", err, ErrHasDatasets)
	}
}

// Deleting at the memory limit fails for virtual objects and changes nothing;
// what frees memory succeeds.
func TestHideAtMemoryLimit(t *testing.T) {
	s := New(Options{MemoryLimit: 1})
	b, err := s.CreateBucket(virtualBucket, Synth, testNow)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Attach(mustSet(t, virtualRules()), metaOf); err != nil {
		t.Fatal(err)
	}
	before, size := b.Len(), b.Bytes()
	if _, err := b.Delete([]byte("c"), testNow, nil); err != ErrMemoryLimit {
		t.Fatalf("unexpected error at the limit; got %v; want %v", err, ErrMemoryLimit)
	}
	var o Object
	if !b.Get([]byte("c"), &o) || b.Len() != before || b.Bytes() != size {
		t.Fatalf("unexpected change by a delete that failed; got %d objects; want %d", b.Len(), before)
	}
	wantMemory(t, s, 0)
}

// A million hidden keys take some ten bytes each.
func TestHiddenKeysAreCheap(t *testing.T) {
	n := 200_000
	_, b, _ := newVirtualBucket(t, []synth.Rule{{Bucket: virtualBucket, Key: "train/img_{i}_of_{n}.jpg", Count: 1, Size: synth.Size{Mean: 1}}})
	set := mustSet(t, []synth.Rule{{Bucket: virtualBucket, Key: "train/img_{i}_of_{n}.jpg", Count: int64(n), Size: synth.Size{Mean: 9}}})
	if err := b.Attach(set, metaOf); err != nil {
		t.Fatal(err)
	}
	d := set.Datasets()[0]
	rng := rand.New(rand.NewPCG(1, 2))
	for _, i := range rng.Perm(n) {
		mustDelete(t, b, string(d.AppendKey(nil, int64(i))))
	}
	if b.Len() != 0 || b.Bytes() != 0 {
		t.Fatalf("unexpected totals; got %d, %d; want 0", b.Len(), b.Bytes())
	}
	if each := float64(b.st.MemoryUsed()) / float64(n); each > 24 {
		t.Fatalf("unexpected memory of a hidden key; got %.1f bytes; want at most 24", each)
	}
}

// Whatever is written meanwhile, a walk ascends and sees what nobody touches.
func TestVirtualConcurrent(t *testing.T) {
	s, b, m := newVirtualBucket(t, virtualRules())
	var stable []string
	for _, key := range m.keys() {
		if strings.HasSuffix(key, "7") {
			stable = append(stable, key)
		}
	}
	var work sync.WaitGroup
	for w := range 3 {
		work.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(w), 1))
			for range 3000 {
				key := randomVirtualKey(rng)
				if strings.HasSuffix(key, "7") {
					continue
				}
				if rng.IntN(2) == 0 {
					if _, err := b.Delete([]byte(key), testNow, nil); err != nil {
						t.Errorf("cannot delete %q: %v", key, err)
					}
				} else if err := b.Put([]byte(key), &Object{Size: 5}, nil); err != nil {
					t.Errorf("cannot put %q: %v", key, err)
				}
			}
		})
	}
	for range 2 {
		work.Go(func() {
			for range 150 {
				c := b.Cursor()
				var last []byte
				seen := 0
				for ok := c.Seek(nil); ok; ok = c.Next() {
					if last != nil && bytes.Compare(last, c.Key()) >= 0 {
						t.Errorf("unexpected order; got %q after %q", c.Key(), last)
					}
					last = append(last[:0], c.Key()...)
					if o := c.Object(); o.Size < 0 || o.ETag == (ETag{}) && o.Size != 5 {
						t.Errorf("unexpected object at %q; got %+v", last, *o)
					}
					if seen < len(stable) && stable[seen] == string(last) {
						seen++
					}
				}
				c.Close()
				if seen != len(stable) {
					t.Errorf("unexpected end of a walk; got %d of the untouched keys; want %d", seen, len(stable))
				}
				var o Object
				if !b.Get([]byte(stable[seen/2]), &o) {
					t.Errorf("an untouched object is missing")
				}
			}
		})
	}
	work.Wait()
	objects, size := 0, int64(0)
	c := b.Cursor()
	for ok := c.Seek(nil); ok; ok = c.Next() {
		objects++
		size += c.Object().Size
	}
	c.Close()
	if b.Len() != objects || b.Bytes() != size || s.Stats().Objects != int64(objects) {
		t.Fatalf("unexpected totals; got %d, %d; want %d, %d", b.Len(), b.Bytes(), objects, size)
	}
}

// What cannot be written to the disk has not happened to a virtual object.
func TestVirtualDiskFull(t *testing.T) {
	rng := newRNG(t)
	s := openFor(t, t.TempDir(), Options{Seed: virtualSeed}, Persistence{})
	b, m := addVirtualBucket(t, s, virtualRules())
	mustDelete(t, b, "a/1")
	delete(m, "a/1")
	mustPut(t, b, "a/2", Object{Size: 2})
	m["a/2"] = Object{Size: 2}
	used := s.MemoryUsed()
	j := &s.persist.journal
	j.mu.Lock()
	j.cur.size = j.cur.used // full
	j.create = func(string, uint64, int64) (*journalSegment, error) { return nil, errNoSpace }
	j.mu.Unlock()
	for _, key := range []string{"a/1", "a/2", "a/3", "new"} {
		if err := b.Put([]byte(key), &Object{Size: 9}, nil); !errors.Is(err, ErrDiskFull) {
			t.Fatalf("unexpected error of a put to %q; got %v; want %v", key, err, ErrDiskFull)
		}
		if key == "a/1" || key == "new" {
			continue
		}
		if _, err := b.Delete([]byte(key), testNow, nil); !errors.Is(err, ErrDiskFull) {
			t.Fatalf("unexpected error of deleting %q; got %v; want %v", key, err, ErrDiskFull)
		}
	}
	compareModel(t, rng, b, m)
	wantMemory(t, s, used)
}
