package store

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"
)

func TestVersionText(t *testing.T) {
	f := func(v Version, want string) {
		t.Helper()
		got := v.String()
		if got != want {
			t.Fatalf("unexpected text of version %d; got %q; want %q", uint64(v), got, want)
		}
		if back, ok := ParseVersion([]byte(got)); !ok || back != v {
			t.Fatalf("unexpected version of %q; got %d, %v; want %d", got, uint64(back), ok, uint64(v))
		}
	}
	f(0, "null")
	f(1, "00000000000000015692161d100b05e5")
	f(1_800_000_000_123_456_789, "18fae2769b0fcd1585f8d5061b6a4b56")
	for _, bad := range []string{"", "nul", "NULL", "0", "00000000000000015692161d100b05e6", "0000000000000001 692161d100b05e5", "00000000000000000000000000000000", "00000000000000015692161d100b05e5a"} {
		if v, ok := ParseVersion([]byte(bad)); ok {
			t.Fatalf("unexpected version of %q; got %d; want none", bad, uint64(v))
		}
	}
}

// modelVersion is one version; size -1 is a delete marker.
type modelVersion struct {
	v    Version
	size int64
	text string
}

// versionModel is what a bucket with versions must be like: each key's
// versions, newest first, and the ids that were deleted.
type versionModel struct {
	state Versioning
	keys  map[string][]modelVersion
	gone  map[string][]Version
}

func (m *versionModel) current(key string) (modelVersion, bool) {
	if l := m.keys[key]; len(l) > 0 && l[0].size >= 0 {
		return l[0], true
	}
	return modelVersion{}, false
}

func (m *versionModel) add(key string, n modelVersion) {
	l := m.keys[key]
	switch m.state {
	case VersioningUnset:
		l = nil
	case VersioningSuspended:
		l = slices.DeleteFunc(l, func(o modelVersion) bool { return o.v == 0 })
	}
	m.keys[key] = slices.Insert(l, 0, n)
}

func (m *versionModel) remove(key string, v Version) (removed modelVersion, ok bool) {
	i := slices.IndexFunc(m.keys[key], func(o modelVersion) bool { return o.v == v })
	if i < 0 {
		return modelVersion{}, false
	}
	removed = m.keys[key][i]
	if v != 0 {
		m.gone[key] = append(m.gone[key], v)
	}
	if m.keys[key] = slices.Delete(m.keys[key], i, i+1); len(m.keys[key]) == 0 {
		delete(m.keys, key)
	}
	return removed, true
}

func TestVersionsModel(t *testing.T) {
	rng := newRNG(t)
	for _, start := range []Versioning{VersioningEnabled, VersioningSuspended, VersioningUnset} {
		t.Run("from "+start.String(), func(t *testing.T) { versionsModel(t, rng, start) })
	}
}

func versionsModel(t *testing.T, rng *rand.Rand, start Versioning) {
	s, b := newBucketFor(t, Memory, Options{})
	m := &versionModel{state: start, keys: map[string][]modelVersion{}, gone: map[string][]Version{}}
	if start != VersioningUnset {
		setVersioning(t, b, start)
	}
	for step := range 12000 {
		if rng.IntN(500) == 0 {
			m.state = VersioningEnabled + Versioning(rng.IntN(2))
			setVersioning(t, b, m.state)
		}
		key := randomKey(rng)
		now := testNow.Add(time.Duration(step) * time.Millisecond)
		cur, had := m.current(key)
		shown := func(want modelVersion, exists bool) func(*Object) error {
			if rng.IntN(2) == 0 {
				return nil
			}
			return func(old *Object) error {
				if (old != nil) != exists || old != nil && (old.Size != want.size || old.Version != want.v || old.Meta != want.text) {
					return fmt.Errorf("old object %+v; want %+v, %v", old, want, exists)
				}
				return nil
			}
		}
		switch op := rng.IntN(10); {
		case op < 4:
			n := modelVersion{size: int64(rng.IntN(50)), text: fmt.Sprint(step % 7)}
			o := Object{Size: n.size, Meta: n.text, ModTime: now.UnixMilli(), Data: newData(t, s, pattern(int(n.size)))}
			if rng.IntN(3) == 0 {
				o.Checksum = Checksum{Algorithm: 1, Sum: fmt.Sprint(step)}
			}
			if err := b.Put([]byte(key), &o, shown(cur, had)); err != nil {
				t.Fatalf("unexpected error of putting %q: %v", key, err)
			}
			if (o.Version != 0) != (m.state == VersioningEnabled) {
				t.Fatalf("unexpected version of a put while %v; got %v", m.state, o.Version)
			}
			n.v = o.Version
			m.add(key, n)
		case op < 5:
			l := m.keys[key]
			if len(l) == 0 {
				break
			}
			i := rng.IntN(len(l))
			text := fmt.Sprint("changed", step%5)
			change := func(o *Object) (string, error) {
				if o.Version != l[i].v || o.Meta != l[i].text || o.Size != l[i].size {
					t.Errorf("unexpected object to change; got %+v; want %+v", o, l[i])
				}
				return text, nil
			}
			err := b.ChangeMeta([]byte(key), l[i].v, i > 0 || l[i].size < 0 || rng.IntN(2) == 0, change)
			if l[i].size < 0 {
				if err != ErrDeleteMarker {
					t.Fatalf("unexpected error of changing a marker; got %v", err)
				}
				break
			}
			if err != nil {
				t.Fatalf("cannot change version %v of %q: %v", l[i].v, key, err)
			}
			l[i].text = text
		case op < 6:
			d, err := b.Delete([]byte(key), now, shown(cur, had))
			want := Deleted{Existed: had, Marker: m.state != VersioningUnset, Version: d.Version}
			if err != nil || d != want || (d.Version != 0) != (m.state == VersioningEnabled) {
				t.Fatalf("unexpected result of deleting %q; got %+v, %v; want %+v", key, d, err, want)
			}
			if m.state == VersioningUnset {
				delete(m.keys, key)
			} else {
				m.add(key, modelVersion{v: d.Version, size: -1})
			}
		default:
			v := Version(0)
			if l := m.keys[key]; len(l) > 0 && rng.IntN(5) > 0 {
				v = l[rng.IntN(len(l))].v
			} else if g := m.gone[key]; len(g) > 0 {
				v = g[rng.IntN(len(g))]
			}
			i := slices.IndexFunc(m.keys[key], func(o modelVersion) bool { return o.v == v })
			var want modelVersion
			if i >= 0 {
				want = m.keys[key][i]
			}
			d, err := b.DeleteVersion([]byte(key), v, shown(want, i >= 0 && want.size >= 0))
			if w := (Deleted{Existed: i >= 0, Marker: i >= 0 && want.size < 0, Version: v}); err != nil || d != w {
				t.Fatalf("unexpected result of deleting version %v of %q; got %+v, %v; want %+v", v, key, d, err, w)
			}
			m.remove(key, v)
		}
		if step%500 == 0 {
			compareVersions(t, rng, b, m)
		}
	}
	compareVersions(t, rng, b, m)
	for key, l := range m.keys {
		for _, n := range slices.Clone(l) {
			if err := s.DeleteBucket([]byte("b")); !errors.Is(err, ErrBucketNotEmpty) {
				t.Fatalf("unexpected error of deleting the bucket; got %v; want %v", err, ErrBucketNotEmpty)
			}
			if _, err := b.DeleteVersion([]byte(key), n.v, nil); err != nil {
				t.Fatalf("cannot delete version %v of %q: %v", n.v, key, err)
			}
		}
	}
	wantMemory(t, s, 0)
	if b.Len() != 0 || b.Versions() != 0 || b.Bytes() != 0 {
		t.Fatalf("unexpected totals of an empty bucket; got %d, %d, %d", b.Len(), b.Versions(), b.Bytes())
	}
	if err := s.DeleteBucket([]byte("b")); err != nil {
		t.Fatalf("cannot delete the bucket: %v", err)
	}
}

func setVersioning(t *testing.T, b *Bucket, v Versioning) {
	t.Helper()
	if err := b.SetVersioning(v); err != nil {
		t.Fatalf("cannot set versioning %v: %v", v, err)
	}
	if got := b.Versioning(); got != v {
		t.Fatalf("unexpected versioning; got %v; want %v", got, v)
	}
}

// flatVersion is one line of a version listing.
type flatVersion struct {
	key string
	n   modelVersion
}

// compareVersions reads the whole bucket in several ways.
func compareVersions(t *testing.T, rng *rand.Rand, b *Bucket, m *versionModel) {
	t.Helper()
	keys := []string{}
	for key := range m.keys {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	flat := []flatVersion{}
	objects, size := 0, int64(0)
	for _, key := range keys {
		for i, n := range m.keys[key] {
			flat = append(flat, flatVersion{key, n})
			if i == 0 && n.size >= 0 {
				objects++
				size += n.size
			}
		}
		compareKey(t, b, m, key)
	}
	if b.Len() != objects || b.Bytes() != size || b.Versions() != len(flat)-objects {
		t.Fatalf("unexpected totals; got %d, %d, %d; want %d, %d, %d", b.Len(), b.Bytes(), b.Versions(), objects, size, len(flat)-objects)
	}
	compareModelCursor(t, b, m, keys)
	c := b.VersionCursor()
	defer c.Close()
	// expect checks that the cursor, moved with result ok, walks flat[from:].
	expect := func(what string, ok bool, from, n int) {
		t.Helper()
		for i := from; i < min(len(flat), from+n); i++ {
			want := flat[i]
			first := i == 0 || flat[i-1].key != want.key
			if !ok || string(c.Key()) != want.key {
				t.Fatalf("unexpected key after %s; got %v, %q; want %q", what, ok, c.Key(), want.key)
			}
			o := c.Object()
			if c.IsMarker() != (want.n.size < 0) || o.Version != want.n.v || o.Size != max(0, want.n.size) || o.Meta != want.n.text || c.IsLatest() != first {
				t.Fatalf("unexpected version of %q after %s; got %+v, latest %v; want %+v, latest %v", want.key, what, o, c.IsLatest(), want.n, first)
			}
			ok = c.Next()
		}
		if from+n > len(flat) && ok {
			t.Fatalf("unexpected version after the last; got %q %v", c.Key(), c.Object().Version)
		}
	}
	expect("the start", c.Seek(nil), 0, len(flat)+1)
	for range 50 {
		key := randomKey(rng)
		i, _ := slices.BinarySearchFunc(keys, key, func(a, b string) int { return bytes.Compare([]byte(a), []byte(b)) })
		at := len(flat)
		if i < len(keys) {
			at = slices.IndexFunc(flat, func(f flatVersion) bool { return f.key == keys[i] })
		}
		expect(fmt.Sprintf("seeking %q", key), c.Seek([]byte(key)), at, 5)
	}
	// Behind versions that are there, by id and by place.
	for i, f := range flat {
		if rng.IntN(len(flat)) > 100 {
			continue
		}
		expect(fmt.Sprintf("seeking behind %q %v", f.key, f.n.v), c.SeekBehind([]byte(f.key), f.n.v), i+1, 3)
	}
	places := []Version{}
	for ok := c.Seek(nil); ok; ok = c.Next() {
		places = append(places, c.Place())
	}
	for i, f := range flat {
		if places[i] != 0 {
			expect(fmt.Sprintf("seeking behind place %d of %q", places[i], f.key), c.SeekBehind([]byte(f.key), places[i]), i+1, 3)
		}
	}
	// Behind versions that are gone: the next is older, and the one before is
	// newer, by the places that were just read.
	for key, gone := range m.gone {
		v := gone[rng.IntN(len(gone))]
		ok := c.SeekBehind([]byte(key), v)
		at := slices.IndexFunc(flat, func(f flatVersion) bool { return f.key >= key })
		if at < 0 {
			at = len(flat)
		}
		for at < len(flat) && flat[at].key == key && places[at] > v {
			at++
		}
		expect(fmt.Sprintf("seeking behind %q %v, which is gone", key, v), ok, at, 3)
	}
}

// compareKey reads all versions of one key.
func compareKey(t *testing.T, b *Bucket, m *versionModel, key string) {
	t.Helper()
	var o Object
	defer o.Release()
	cur, had := m.current(key)
	if got := b.Get([]byte(key), &o); got != had || got && (o.Version != cur.v || o.Size != cur.size) {
		t.Fatalf("unexpected current version of %q; got %v, %+v; want %v, %+v", key, got, o, had, cur)
	}
	o.Release()
	l := m.keys[key]
	if v, ok := b.Marker([]byte(key)); ok == had || ok && v != l[0].v {
		t.Fatalf("unexpected marker of %q; got %v, %v; want %v", key, v, ok, l)
	}
	for _, n := range l {
		err := b.GetVersion([]byte(key), n.v, &o)
		switch {
		case n.size < 0:
			if err != ErrDeleteMarker || o.Version != n.v || o.ModTime < testNow.UnixMilli() {
				t.Fatalf("unexpected marker %v of %q; got %v, %+v", n.v, key, err, o)
			}
		case err != nil || o.Version != n.v || o.Size != n.size || o.Meta != n.text || !bytes.Equal(contents(o.Data), pattern(int(n.size))):
			t.Fatalf("unexpected version %v of %q; got %v, %+v; want %+v", n.v, key, err, o, n)
		}
		o.Release()
	}
	for _, v := range m.gone[key] {
		if err := b.GetVersion([]byte(key), v, &o); err != ErrNoSuchVersion {
			t.Fatalf("unexpected error for version %v of %q, which is gone; got %v; want %v", v, key, err, ErrNoSuchVersion)
		}
	}
}

// compareModelCursor checks that a plain listing shows the current objects.
func compareModelCursor(t *testing.T, b *Bucket, m *versionModel, keys []string) {
	t.Helper()
	c := b.Cursor()
	defer c.Close()
	ok := c.Seek(nil)
	for _, key := range keys {
		cur, had := m.current(key)
		if !had {
			continue
		}
		if !ok || string(c.Key()) != key || c.Object().Version != cur.v {
			t.Fatalf("unexpected object in the listing; got %v, %q; want %q %v", ok, c.Key(), key, cur.v)
		}
		ok = c.Next()
	}
	if ok {
		t.Fatalf("unexpected object after the last; got %q", c.Key())
	}
}

// Writers, deleters and listers of versions at once; the account must end at
// zero.
func TestVersionsConcurrent(t *testing.T) {
	rng := newRNG(t)
	s, b := newBucketFor(t, Memory, Options{})
	setVersioning(t, b, VersioningEnabled)
	key := func(rng *rand.Rand) []byte { return fmt.Appendf(nil, "key/%d", rng.IntN(4)) }
	var wg sync.WaitGroup
	for range 3 {
		seed := rng.Uint64()
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(seed, 1))
			for range 300 {
				size := []int{10, 1000, smallMax + 5000}[rng.IntN(3)]
				v := byte(rng.IntN(256))
				o := Object{Size: int64(size), Content: uint64(v), Data: newData(t, s, bytes.Repeat([]byte{v}, size))}
				if err := b.Put(key(rng), &o, nil); err != nil {
					t.Errorf("cannot put: %v", err)
				}
				if rng.IntN(4) == 0 {
					if _, err := b.Delete(key(rng), testNow, nil); err != nil {
						t.Errorf("cannot delete: %v", err)
					}
				}
				if rng.IntN(50) == 0 {
					if err := b.SetVersioning(VersioningEnabled + Versioning(rng.IntN(2))); err != nil {
						t.Errorf("cannot set versioning: %v", err)
					}
				}
			}
		})
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(seed, 2))
			for range 100 {
				type ref struct {
					key string
					v   Version
				}
				var seen []ref
				c := b.VersionCursor()
				for ok := c.Seek(key(rng)); ok; ok = c.Next() {
					if o := c.Object(); o.Data.Size() != o.Size {
						t.Errorf("unexpected size under the cursor; got %d; want %d", o.Data.Size(), o.Size)
					}
					seen = append(seen, ref{string(c.Key()), c.Object().Version})
				}
				c.Close()
				for _, r := range seen {
					var o Object
					if b.GetVersion([]byte(r.key), r.v, &o) == nil {
						checkWhole(t, &o)
						o.Release()
					}
					if rng.IntN(8) == 0 {
						if _, err := b.DeleteVersion([]byte(r.key), r.v, nil); err != nil {
							t.Errorf("cannot delete a version: %v", err)
						}
					}
				}
			}
		})
	}
	wg.Wait()
	emptyVersions(t, b)
	wantMemory(t, s, 0)
}

// emptyVersions deletes all versions, page by page.
func emptyVersions(t *testing.T, b *Bucket) {
	t.Helper()
	for {
		c := b.VersionCursor()
		var keys [][]byte
		var versions []Version
		for ok := c.Seek(nil); ok && len(keys) < 100; ok = c.Next() {
			keys, versions = append(keys, bytes.Clone(c.Key())), append(versions, c.Object().Version)
		}
		c.Close()
		if len(keys) == 0 {
			return
		}
		for i := range keys {
			if d, err := b.DeleteVersion(keys[i], versions[i], nil); err != nil || !d.Existed {
				t.Fatalf("cannot delete version %v of %q: %+v, %v", versions[i], keys[i], d, err)
			}
		}
	}
}

// A refused marker or version changes nothing, and removing versions needs no
// memory even at the limit.
func TestVersionsLimit(t *testing.T) {
	s, b := newBucketFor(t, Synth, Options{})
	s.mem.limit = b.index.tree.pageCost() + recordCost + 1 + historyCost
	setVersioning(t, b, VersioningEnabled)
	mustPut(t, b, "k", Object{Size: 1})
	mustPut(t, b, "k", Object{Size: 2})
	if err := b.Put([]byte("k"), &Object{Size: 3}, nil); !errors.Is(err, ErrMemoryLimit) {
		t.Fatalf("unexpected error of a third version; got %v; want %v", err, ErrMemoryLimit)
	}
	if d, err := b.Delete([]byte("k"), testNow, nil); !errors.Is(err, ErrMemoryLimit) || d.Marker {
		t.Fatalf("unexpected result of a marker; got %+v, %v; want %v", d, err, ErrMemoryLimit)
	}
	var o Object
	if !b.Get([]byte("k"), &o) || o.Size != 2 {
		t.Fatalf("unexpected object; got %+v; want the second", o)
	}
	// Suspended, the second delete replaces the marker of the first.
	if _, err := b.DeleteVersion([]byte("k"), o.Version, nil); err != nil {
		t.Fatalf("cannot delete a version: %v", err)
	}
	setVersioning(t, b, VersioningSuspended)
	s.mem.limit += recordCost + 1 // for a moment both the page and the versions are there
	for range 3 {
		if d, err := b.Delete([]byte("k"), testNow, nil); err != nil || !d.Marker || d.Version != 0 {
			t.Fatalf("unexpected result of a null marker; got %+v, %v", d, err)
		}
	}
	if b.Versions() != 2 || b.Len() != 0 {
		t.Fatalf("unexpected versions; got %d, %d; want 2, 0", b.Versions(), b.Len())
	}
	emptyVersions(t, b)
	wantMemory(t, s, 0)
}

// A bucket made again gives none of the ids of the one before.
func TestVersionsOfNewBucket(t *testing.T) {
	s, b := newBucketFor(t, Synth, Options{})
	setVersioning(t, b, VersioningEnabled)
	o := Object{}
	if err := b.Put([]byte("k"), &o, nil); err != nil {
		t.Fatalf("cannot put: %v", err)
	}
	old := o.Version
	emptyVersions(t, b)
	if err := s.DeleteBucket([]byte("b")); err != nil {
		t.Fatalf("cannot delete the bucket: %v", err)
	}
	if err := b.SetVersioning(VersioningEnabled); !errors.Is(err, ErrNoSuchBucket) {
		t.Fatalf("unexpected error of a deleted bucket; got %v; want %v", err, ErrNoSuchBucket)
	}
	b, err := s.CreateBucket("b", Synth, testNow.Add(time.Millisecond))
	if err != nil {
		t.Fatalf("cannot create the bucket: %v", err)
	}
	setVersioning(t, b, VersioningEnabled)
	if err := b.Put([]byte("k"), &o, nil); err != nil {
		t.Fatalf("cannot put: %v", err)
	}
	if o.Version <= old {
		t.Fatalf("unexpected version; got %v; want one after %v", o.Version, old)
	}
}

// Complete makes versions and keeps what was there.
func TestVersionsComplete(t *testing.T) {
	s, b := newBucketFor(t, Memory, Options{})
	setVersioning(t, b, VersioningEnabled)
	mustPut(t, b, "k", Object{Size: 3, Data: newData(t, s, []byte("abc"))})
	u := mustCreateUpload(t, b, "k")
	part := Part{Number: 1, Size: 4, Data: newData(t, s, []byte("abcd"))}
	if err := b.PutPart(u, part); err != nil {
		t.Fatalf("cannot put a part: %v", err)
	}
	list := []CompletePart{{Number: 1}}
	o, err := b.Complete(u, list, CompleteOptions{Now: testNow, Size: -1})
	if err != nil || o.Version == 0 {
		t.Fatalf("unexpected completed object; got %+v, %v", o, err)
	}
	again, err := b.Complete(u, list, CompleteOptions{Now: testNow, Size: -1})
	if err != nil || again.Version != o.Version {
		t.Fatalf("unexpected version of a repeated Complete; got %v, %v; want %v", again.Version, err, o.Version)
	}
	if b.Versions() != 1 {
		t.Fatalf("unexpected noncurrent versions; got %d; want 1", b.Versions())
	}
	emptyVersions(t, b)
	wantMemory(t, s, 0)
}

// A walk over many versions lets writers in, and goes on where it was.
func TestVersionCursorYields(t *testing.T) {
	_, b := newBucketFor(t, Synth, Options{})
	setVersioning(t, b, VersioningEnabled)
	const n = 1000 // two versions of 500 keys
	for i := range n {
		mustPut(t, b, fmt.Sprintf("%05d", i/2), Object{Size: int64(i)})
	}
	c := b.VersionCursor()
	defer c.Close()
	written := make(chan error, n)
	seen, writes := 0, 0
	for ok := c.Seek(nil); ok; ok = c.Next() {
		if key := string(c.Key()); key < "99999" {
			if want := int64(seen ^ 1); c.Object().Size != want {
				t.Fatalf("unexpected version %d; got %q, size %d; want %d", seen, key, c.Object().Size, want)
			}
			seen++
		}
		select {
		case err := <-written:
			if err != nil {
				t.Fatalf("cannot put: %v", err)
			}
			writes++
		default:
		}
		if seen%100 == 1 {
			// It waits for the lock that the cursor holds.
			go func() { written <- b.Put([]byte("99999"), &Object{}, nil) }()
			time.Sleep(time.Millisecond)
		}
	}
	if seen != n || writes < 5 {
		t.Fatalf("unexpected walk; got %d versions, %d writes; want %d and some", seen, writes, n)
	}
}
