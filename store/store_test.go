package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"
)

// testNow is the time of all tests that need one.
var testNow = time.UnixMilli(1_800_000_000_123)

// newBucketFor returns a store with one bucket "b".
func newBucketFor(t testing.TB, mode Mode, opt Options) (*Store, *Bucket) {
	t.Helper()
	s := New(opt)
	b, err := s.CreateBucket("b", mode, testNow)
	if err != nil {
		t.Fatalf("cannot create bucket: %v", err)
	}
	return s, b
}

// newData stores p in memory mode.
func newData(t testing.TB, s *Store, p []byte) *Data {
	t.Helper()
	w, err := s.NewWriter(Memory, int64(len(p)))
	if err != nil {
		t.Fatalf("cannot make a writer of %d bytes: %v", len(p), err)
	}
	if _, err := w.Write(p); err != nil {
		t.Fatalf("cannot write %d bytes: %v", len(p), err)
	}
	return w.Finish()
}

// contents reads all of d through Slice.
func contents(d *Data) []byte {
	p := []byte{}
	for off := int64(0); off < d.Size(); {
		piece := d.Slice(off, 1<<30)
		p = append(p, piece...)
		off += int64(len(piece))
	}
	return p
}

// pattern is n bytes in which a displacement shows.
func pattern(n int) []byte {
	p := make([]byte, n+8)
	for i := 0; i < n; i += 8 {
		binary.LittleEndian.PutUint64(p[i:], mix(uint64(i)))
	}
	return p[:n]
}

func mustPut(t testing.TB, b *Bucket, key string, o Object) {
	t.Helper()
	if err := b.Put([]byte(key), &o, nil); err != nil {
		t.Fatalf("cannot put %q: %v", key, err)
	}
}

func mustDelete(t testing.TB, b *Bucket, key string) {
	t.Helper()
	d, err := b.Delete([]byte(key), testNow, nil)
	if err != nil || !d.Existed {
		t.Fatalf("cannot delete %q: existed %v, %v", key, d.Existed, err)
	}
}

func wantMemory(t testing.TB, s *Store, want int64) {
	t.Helper()
	if got := s.MemoryUsed(); got != want {
		t.Fatalf("unexpected memory used; got %d (%+v); want %d", got, s.Stats(), want)
	}
}

func TestModes(t *testing.T) {
	for _, m := range []Mode{Synth, Memory} {
		if got, err := ParseMode(m.String()); err != nil || got != m {
			t.Fatalf("unexpected mode; got %v, %v; want %v", got, err, m)
		}
	}
	for _, m := range []ETagMode{ETagMD5, ETagFast} {
		if got, err := ParseETagMode(m.String()); err != nil || got != m {
			t.Fatalf("unexpected ETag mode; got %v, %v; want %v", got, err, m)
		}
	}
	if _, err := ParseMode("disk"); !errors.Is(err, ErrBadMode) {
		t.Fatalf("unexpected error; got %v; want %v", err, ErrBadMode)
	}
	if _, err := ParseETagMode(""); !errors.Is(err, ErrBadMode) {
		t.Fatalf("unexpected error; got %v; want %v", err, ErrBadMode)
	}
}

func TestBuckets(t *testing.T) {
	s := New(Options{})
	for _, name := range []string{"c", "a", "b"} {
		if _, err := s.CreateBucket(name, Memory, testNow); err != nil {
			t.Fatalf("cannot create %q: %v", name, err)
		}
	}
	if _, err := s.CreateBucket("a", Synth, testNow); !errors.Is(err, ErrBucketExists) {
		t.Fatalf("unexpected error; got %v; want %v", err, ErrBucketExists)
	}
	names := []string{}
	for _, b := range s.Buckets() {
		names = append(names, b.Name())
	}
	if want := []string{"a", "b", "c"}; !slices.Equal(names, want) {
		t.Fatalf("unexpected buckets; got %v; want %v", names, want)
	}
	b := s.Bucket([]byte("a"))
	if b == nil || b.Name() != "a" || b.Mode() != Memory || !b.Created().Equal(testNow) {
		t.Fatalf("unexpected bucket; got %v", b)
	}
	if s.Bucket([]byte("d")) != nil {
		t.Fatalf("unexpected bucket d")
	}
	mustPut(t, b, "k", Object{Size: 5})
	if err := s.DeleteBucket([]byte("a")); !errors.Is(err, ErrBucketNotEmpty) {
		t.Fatalf("unexpected error; got %v; want %v", err, ErrBucketNotEmpty)
	}
	if st := s.Stats(); st.Buckets != 3 || st.Objects != 1 || st.Bytes != 5 {
		t.Fatalf("unexpected stats; got %+v", st)
	}
	mustDelete(t, b, "k")
	for range 2 {
		err := s.DeleteBucket([]byte("a"))
		if b != nil && err != nil || b == nil && !errors.Is(err, ErrNoSuchBucket) {
			t.Fatalf("unexpected error; got %v", err)
		}
		b = nil
	}
}

// Every way to write through a stale bucket must fail.
func TestDeletedBucket(t *testing.T) {
	s, b := newBucketFor(t, Memory, Options{})
	u, err := b.CreateUpload([]byte("k"), "", Checksum{}, testNow)
	if err != nil {
		t.Fatalf("cannot create upload: %v", err)
	}
	if err := b.PutPart(u, Part{Number: 1, Size: 3, Data: newData(t, s, []byte("abc"))}); err != nil {
		t.Fatalf("cannot put part: %v", err)
	}
	if err := s.DeleteBucket([]byte("b")); err != nil {
		t.Fatalf("cannot delete bucket with an unfinished upload: %v", err)
	}
	wantMemory(t, s, 0)
	f := func(what string, got, want error) {
		t.Helper()
		if !errors.Is(got, want) {
			t.Fatalf("unexpected error of %s; got %v; want %v", what, got, want)
		}
	}
	f("Put", b.Put([]byte("k"), &Object{}, nil), ErrNoSuchBucket)
	_, err = b.Delete([]byte("k"), testNow, nil)
	f("Delete", err, ErrNoSuchBucket)
	_, err = b.CreateUpload([]byte("k"), "", Checksum{}, testNow)
	f("CreateUpload", err, ErrNoSuchBucket)
	f("PutPart", b.PutPart(u, Part{Number: 2}), ErrNoSuchUpload)
	f("Abort", b.Abort(u), ErrNoSuchUpload)
	_, err = b.Complete(u, []CompletePart{{Number: 1}}, CompleteOptions{Now: testNow, Size: -1})
	f("Complete", err, ErrNoSuchUpload)
	wantMemory(t, s, 0)
}

// An acknowledged Put into a bucket that is being deleted must keep the bucket.
func TestDeleteBucketRace(t *testing.T) {
	for i := range 200 {
		s, b := newBucketFor(t, Synth, Options{})
		var wg sync.WaitGroup
		var putErr, delErr error
		wg.Go(func() { putErr = b.Put([]byte("k"), &Object{Size: 1}, nil) })
		wg.Go(func() { delErr = s.DeleteBucket([]byte("b")) })
		wg.Wait()
		if (putErr == nil) == (delErr == nil) {
			t.Fatalf("unexpected outcome in round %d; put %v, delete %v; want one error", i, putErr, delErr)
		}
		if putErr == nil {
			if b := s.Bucket([]byte("b")); b == nil || !b.Get([]byte("k"), new(Object)) {
				t.Fatalf("acknowledged object lost in round %d", i)
			}
		}
	}
}

func TestStatsMemoryKinds(t *testing.T) {
	s, b := newBucketFor(t, Synth, Options{KeepSmall: 100})
	w, err := s.NewWriter(Synth, 40)
	if err != nil {
		t.Fatalf("cannot make a writer: %v", err)
	}
	if _, err := w.Write(pattern(40)); err != nil {
		t.Fatalf("cannot write: %v", err)
	}
	mustPut(t, b, "kept", Object{Size: 40, Data: w.Finish()})
	d := newData(t, s, pattern(3))
	st := s.Stats()
	if st.MemoryKept != 40 || st.MemoryData != 3 || st.MemoryIndex <= 0 {
		t.Fatalf("unexpected stats; got %+v", st)
	}
	if got := st.MemoryKept + st.MemoryData + st.MemoryIndex; got != s.MemoryUsed() {
		t.Fatalf("unexpected sum of kinds; got %d; want %d", got, s.MemoryUsed())
	}
	d.Release()
	mustDelete(t, b, "kept")
	wantMemory(t, s, 0)
}

// Objects with equal Meta share one string, also when put from a reused buffer.
func TestMetaShared(t *testing.T) {
	s, b := newBucketFor(t, Synth, Options{})
	buf := bytes.Repeat([]byte("m"), 500)
	mustPut(t, b, "0", Object{Meta: view(buf)})
	one := s.MemoryUsed()
	for i := 1; i < 100; i++ {
		mustPut(t, b, fmt.Sprint(i%10), Object{Meta: view(buf)})
	}
	copy(buf, "overwritten")
	if got, want := s.MemoryUsed(), one; got != want {
		t.Fatalf("unexpected memory of ten objects with one Meta; got %d; want %d", got, want)
	}
	var o Object
	b.Get([]byte("3"), &o)
	if want := string(bytes.Repeat([]byte("m"), 500)); o.Meta != want {
		t.Fatalf("unexpected Meta; got %q; want %q", o.Meta, want)
	}
	mustPut(t, b, "3", Object{Meta: "other"})
	mustPut(t, b, "4", Object{})
	for i := range 10 {
		mustDelete(t, b, fmt.Sprint(i))
	}
	if len(b.metas.m) != 0 || len(b.metas.list) != 0 {
		t.Fatalf("unexpected entries left in the Meta table; got %d", len(b.metas.m))
	}
	wantMemory(t, s, 0)
}
