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

// model is what a bucket must be like: a map and its sorted keys.
type model map[string]Object

func (m model) keys() []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// randomKey is a short key over a small alphabet, so that prefixes, overwrites
// and neighbours are common, with bytes that a string order could get wrong.
func randomKey(rng *rand.Rand) string {
	const alphabet = "ab/\x00\x7f\x80\xff"
	k := make([]byte, rng.IntN(7))
	for i := range k {
		k[i] = alphabet[rng.IntN(len(alphabet))]
	}
	return string(k)
}

// newRNG returns a generator whose seed is printed when the test fails.
func newRNG(t *testing.T) *rand.Rand {
	seed := uint64(time.Now().UnixNano())
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("seed %d", seed)
		}
	})
	return rand.New(rand.NewPCG(seed, 0))
}

func TestModel(t *testing.T) {
	rng := newRNG(t)
	s, b := newBucketFor(t, Memory, Options{})
	m := model{}
	for step := range 30000 {
		key := randomKey(rng)
		old, had := m[key]
		// The share of deletions swings, so that the tree grows and shrinks.
		if rng.IntN(100) < 25+25*(step/5000%3) {
			d, err := b.Delete([]byte(key), testNow, nil)
			if err != nil || d != (Deleted{Existed: had}) {
				t.Fatalf("unexpected result of deleting %q; got %+v, %v; want existed %v", key, d, err, had)
			}
			delete(m, key)
		} else {
			o := Object{
				Size:    int64(rng.IntN(1000)),
				ModTime: int64(step),
				ETag:    DeriveETag(uint64(step), 0, 1+step%3),
				Content: rng.Uint64(),
				Meta:    []string{"", "x", "y", "z"}[rng.IntN(4)],
			}
			if rng.IntN(3) == 0 {
				o.Checksum = Checksum{Algorithm: 3, Composite: true, Sum: fmt.Sprint(step)}
			}
			if rng.IntN(10) == 0 {
				o.Parts = newParts([]Part{{Size: 3}, {Size: o.Size}})
			}
			err := b.Put([]byte(key), &o, func(got *Object) error {
				if (got != nil) != had || got != nil && *got != old {
					return fmt.Errorf("old object %+v; want %+v", got, old)
				}
				return nil
			})
			if err != nil {
				t.Fatalf("unexpected check at %q: %v", key, err)
			}
			m[key] = o
		}
		if step%1000 == 0 {
			compareModel(t, rng, b, m)
		}
	}
	compareModel(t, rng, b, m)
	for _, key := range m.keys() {
		mustDelete(t, b, key)
	}
	wantMemory(t, s, 0)
}

// compareModel reads the whole bucket in several ways.
func compareModel(t *testing.T, rng *rand.Rand, b *Bucket, m model) {
	t.Helper()
	keys := m.keys()
	size := int64(0)
	for key, want := range m {
		var o Object
		if !b.Get([]byte(key), &o) || o != want {
			t.Fatalf("unexpected object at %q; got %+v; want %+v", key, o, want)
		}
		size += want.Size
	}
	if b.Len() != len(m) || b.Bytes() != size {
		t.Fatalf("unexpected totals; got %d, %d; want %d, %d", b.Len(), b.Bytes(), len(m), size)
	}
	c := b.Cursor()
	defer c.Close()
	got := []string{}
	for ok := c.Seek(nil); ok; ok = c.Next() {
		got = append(got, string(c.Key()))
		if want := m[string(c.Key())]; *c.Object() != want {
			t.Fatalf("unexpected object under the cursor at %q; got %+v; want %+v", c.Key(), c.Object(), want)
		}
	}
	if !slices.Equal(got, keys) {
		t.Fatalf("unexpected keys; got %q; want %q", got, keys)
	}
	for range 100 {
		from := randomKey(rng)
		i, _ := slices.BinarySearch(keys, from)
		ok := c.Seek([]byte(from))
		for ; i < len(keys) && i%5 != 4; i++ {
			if !ok || string(c.Key()) != keys[i] {
				t.Fatalf("unexpected key after seeking %q; got %v, %q; want %q", from, ok, c.Key(), keys[i])
			}
			ok = c.Next()
		}
		if i == len(keys) && ok {
			t.Fatalf("unexpected key after the last; got %q", c.Key())
		}
	}
	// As a listing with a delimiter does: each common prefix once, by a seek.
	want := []string{}
	for _, k := range keys {
		if i := bytes.IndexByte([]byte(k), '/'); i >= 0 {
			k = k[:i+1]
		}
		if len(want) == 0 || want[len(want)-1] != k {
			want = append(want, k)
		}
	}
	got = got[:0]
	for ok := c.Seek(nil); ok; {
		k := c.Key()
		i := bytes.IndexByte(k, '/')
		if i < 0 {
			got = append(got, string(k))
			ok = c.Next()
			continue
		}
		got = append(got, string(k[:i+1]))
		past := append([]byte(nil), k[:i+1]...)
		past[i]++ // '/'+1: the first string past the prefix
		ok = c.Seek(past)
	}
	if !slices.Equal(got, want) {
		t.Fatalf("unexpected keys and prefixes; got %q; want %q", got, want)
	}
}

// Readers, writers and listers at once: every read must be of one version,
// whole, and the account must end at zero.
func TestConcurrent(t *testing.T) {
	rng := newRNG(t)
	s, b := newBucketFor(t, Memory, Options{})
	const rounds = 400
	var wg sync.WaitGroup
	key := func(rng *rand.Rand) []byte { return fmt.Appendf(nil, "key/%d", rng.IntN(8)) }
	errDeclined := errors.New("declined")
	for range 4 {
		seed := rng.Uint64()
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(seed, 1))
			for range rounds {
				// One byte value throughout, told by the object's Content.
				size := []int{10, 1000, smallMax + 5000, segmentSize + 10}[rng.IntN(4)]
				v := byte(rng.IntN(256))
				o := Object{Size: int64(size), Content: uint64(v), Data: newData(t, s, bytes.Repeat([]byte{v}, size))}
				var check func(*Object) error
				if rng.IntN(4) == 0 {
					check = func(old *Object) error {
						if old != nil {
							return errDeclined
						}
						return nil
					}
				}
				if err := b.Put(key(rng), &o, check); err != nil {
					o.Release()
				}
				if rng.IntN(3) == 0 {
					if _, err := b.Delete(key(rng), testNow, nil); err != nil {
						t.Errorf("cannot delete: %v", err)
					}
				}
			}
		})
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(seed, 2))
			var o Object
			for range rounds {
				if b.Get(key(rng), &o) {
					checkWhole(t, &o)
					o.Release()
				}
			}
		})
		wg.Go(func() {
			for range rounds / 4 {
				c := b.Cursor()
				last := ""
				for ok := c.Seek(nil); ok; ok = c.Next() {
					if k := string(c.Key()); k <= last {
						t.Errorf("unexpected order; got %q after %q", k, last)
					} else {
						last = k
					}
					if o := c.Object(); o.Data.Size() != o.Size {
						t.Errorf("unexpected size under the cursor; got %d; want %d", o.Data.Size(), o.Size)
					}
				}
				c.Close()
			}
		})
	}
	wg.Wait()
	for i := range 8 {
		if _, err := b.Delete(fmt.Appendf(nil, "key/%d", i), testNow, nil); err != nil {
			t.Fatalf("cannot delete: %v", err)
		}
	}
	wantMemory(t, s, 0)
}

// checkWhole samples an object that is one byte value throughout.
func checkWhole(t *testing.T, o *Object) {
	t.Helper()
	if o.Data.Size() != o.Size {
		t.Errorf("unexpected size of data; got %d; want %d", o.Data.Size(), o.Size)
	}
	for off := int64(0); off < o.Size; {
		p := o.Data.Slice(off, 1<<30)
		for i := 0; i < len(p); i += 97 {
			if p[i] != byte(o.Content) {
				t.Errorf("unexpected byte at %d of %d; got %d; want %d", off+int64(i), o.Size, p[i], o.Content)
				return
			}
		}
		off += int64(len(p))
	}
}

// Case O15: a read keeps its version through overwrite and delete, and its
// memory is freed by its end.
func TestReadKeepsVersion(t *testing.T) {
	s, b := newBucketFor(t, Memory, Options{})
	for _, size := range writerSizes[1:] {
		p := pattern(size)
		mustPut(t, b, "k", Object{Size: int64(size), Data: newData(t, s, p)})
		var o, o2 Object
		b.Get([]byte("k"), &o)
		mustPut(t, b, "k", Object{Size: 3, Data: newData(t, s, []byte("new"))})
		b.Get([]byte("k"), &o2)
		mustDelete(t, b, "k")
		if !bytes.Equal(contents(o.Data), p) || string(contents(o2.Data)) != "new" {
			t.Fatalf("unexpected content of a version held, %d bytes", size)
		}
		o.Release()
		o.Release() // harmless
		wantMemory(t, s, 3)
		o2.Release()
		wantMemory(t, s, 0)
	}
}

// Case W04: of many conditional writers one wins.
func TestPutIfAbsentRace(t *testing.T) {
	s, b := newBucketFor(t, Memory, Options{})
	errExists := errors.New("exists")
	for range 20 {
		var wg sync.WaitGroup
		var mu sync.Mutex
		won := 0
		for i := range 50 {
			wg.Go(func() {
				o := Object{Size: 3, Content: uint64(i), Data: newData(t, s, []byte("abc"))}
				err := b.Put([]byte("k"), &o, func(old *Object) error {
					if old != nil {
						return errExists
					}
					return nil
				})
				mu.Lock()
				defer mu.Unlock()
				switch err {
				case nil:
					won++
				case errExists:
					o.Release()
				default:
					t.Errorf("unexpected error; got %v", err)
				}
			})
		}
		wg.Wait()
		if won != 1 {
			t.Fatalf("unexpected winners; got %d; want 1", won)
		}
		mustDelete(t, b, "k")
		wantMemory(t, s, 0)
	}
}

// A refused change leaves all as it was.
func TestCheckRefuses(t *testing.T) {
	s, b := newBucketFor(t, Memory, Options{})
	errNo := errors.New("no")
	refuse := func(*Object) error { return errNo }
	if err := b.Put([]byte("k"), &Object{}, refuse); err != errNo {
		t.Fatalf("unexpected error; got %v; want %v", err, errNo)
	}
	if _, err := b.Delete([]byte("k"), testNow, refuse); err != errNo {
		t.Fatalf("unexpected error; got %v; want %v", err, errNo)
	}
	wantMemory(t, s, 0)
	mustPut(t, b, "k", Object{Size: 3, Meta: "m", Data: newData(t, s, []byte("abc"))})
	used := s.MemoryUsed()
	o := Object{Size: 4, Meta: "other", Data: newData(t, s, []byte("abcd"))}
	if err := b.Put([]byte("k"), &o, refuse); err != errNo {
		t.Fatalf("unexpected error; got %v; want %v", err, errNo)
	}
	o.Release()
	if d, err := b.Delete([]byte("k"), testNow, refuse); err != errNo || !d.Existed {
		t.Fatalf("unexpected result; got %+v, %v; want existed, %v", d, err, errNo)
	}
	wantMemory(t, s, used)
	b.Get([]byte("k"), &o)
	if string(contents(o.Data)) != "abc" || o.Meta != "m" || b.Bytes() != 3 {
		t.Fatalf("unexpected object; got %+v", o)
	}
	o.Release()
	mustDelete(t, b, "k")
	wantMemory(t, s, 0)
}

// The index counts against the limit; what is refused changes nothing, and an
// overwrite of the same shape is always possible.
func TestIndexLimit(t *testing.T) {
	s, b := newBucketFor(t, Synth, Options{})
	pages := func(n int) int64 { return int64(n) * b.index.tree.pageCost() }
	s.mem.limit = pages(10) + 10
	key := func(i int) string { return fmt.Sprintf("k%08x", uint32(mix(uint64(i)))) }
	n := 0
	for ; ; n++ {
		err := b.Put([]byte(key(n)), &Object{Size: 1 << 40}, nil)
		if errors.Is(err, ErrMemoryLimit) {
			break
		}
		if err != nil {
			t.Fatalf("unexpected error of object %d; got %v", n, err)
		}
	}
	if used := s.MemoryUsed(); used > pages(11) || n < 100 || b.Len() != n || b.Get([]byte(key(n)), new(Object)) {
		t.Fatalf("unexpected state after a refusal; got %d bytes, %d objects; want %d, %d", used, b.Len(), pages(10), n)
	}
	for i := range n {
		mustPut(t, b, key(i), Object{Size: 1<<40 + 1})
	}
	err := b.Put([]byte(key(0)), &Object{Meta: "new"}, nil)
	if used := s.MemoryUsed(); !errors.Is(err, ErrMemoryLimit) || used > pages(11) {
		t.Fatalf("unexpected result of a new Meta; got %v, %d bytes; want %v", err, used, ErrMemoryLimit)
	}
	for i := range n {
		mustDelete(t, b, key(i))
	}
	wantMemory(t, s, 0)
}
