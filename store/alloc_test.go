//go:build !race

package store

import (
	"fmt"
	"runtime"
	"testing"
)

func wantAllocs(t *testing.T, what string, want float64, fn func()) {
	t.Helper()
	if got := testing.AllocsPerRun(200, fn); got != want {
		t.Fatalf("unexpected allocations of %s; got %v; want %v", what, got, want)
	}
}

func TestAllocs(t *testing.T) {
	s, b := newBucketFor(t, Memory, Options{})
	for i := range 5000 {
		mustPut(t, b, fmt.Sprintf("dir%d/key%05d", i%3, i), Object{Size: 3, Meta: "meta", Data: newData(t, s, []byte("abc"))})
	}
	name, key, start := []byte("b"), []byte("dir1/key00400"), []byte("dir1/")
	var o Object
	wantAllocs(t, "Store.Bucket", 0, func() { s.Bucket(name) })
	wantAllocs(t, "Get", 0, func() {
		if !b.Get(key, &o) || len(o.Data.Slice(1, 5)) != 2 {
			t.Fatalf("unexpected object %+v", o)
		}
		o.Release()
	})
	wantAllocs(t, "a cursor page", 0, func() {
		c := b.Cursor()
		n := 0
		for ok := c.Seek(start); ok && n < 1000; ok = c.Next() {
			n += min(1, len(c.Key())+int(c.Object().Size))
		}
		c.Close()
		if n != 1000 {
			t.Fatalf("unexpected keys; got %d; want 1000", n)
		}
	})
	plain := Object{Size: 5, Meta: "meta"}
	check := func(old *Object) error { return nil }
	wantAllocs(t, "an overwrite with a check", 0, func() {
		if err := b.Put(key, &plain, check); err != nil {
			t.Fatalf("cannot put: %v", err)
		}
	})
	u := mustCreateUpload(t, b, "k")
	id, ukey := []byte(u.ID), []byte("k")
	wantAllocs(t, "Upload", 0, func() {
		if _, err := b.Upload(id, ukey); err != nil {
			t.Fatalf("cannot find upload: %v", err)
		}
	})
	var tag [64]byte
	e := s.UniqueETag(10000)
	wantAllocs(t, "ETag.Append and ParseETag", 0, func() {
		if got, ok := ParseETag(e.Append(tag[:0])); !ok || got != e {
			t.Fatalf("unexpected ETag; got %v; want %v", got, e)
		}
	})
	d := newData(t, s, pattern(3*segmentSize))
	wantAllocs(t, "Data.Slice", 0, func() { d.Slice(segmentSize+1, 1<<20) })
	d.Release()
	wantAllocs(t, "a dropped body", 0, func() {
		w, err := s.NewWriter(Synth, 1<<40)
		if err != nil {
			t.Fatalf("cannot make a writer: %v", err)
		}
		if w.Next(1<<20) != nil {
			t.Fatalf("unexpected space for a dropped body")
		}
		if err := w.Advance(1 << 30); err != nil {
			t.Fatalf("cannot advance: %v", err)
		}
		w.Finish()
	})
}

// TestIndexHeap: the Go heap holds next to nothing for an object, so that there
// is nothing to scan, and the account is of the pages.
func TestIndexHeap(t *testing.T) {
	const n = 200_000
	s, b := newBucketFor(t, Synth, Options{})
	heap := func() int64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	for i := range n {
		mustPut(t, b, fmt.Sprintf("training/sample-%08x.npz", uint32(mix(uint64(i)))), Object{Size: int64(i), Meta: "content-type: application/octet-stream"})
	}
	got, account := heap()-before, s.MemoryUsed()
	pages := int64(b.index.tree.pages() * b.index.tree.size)
	t.Logf("of %d objects: %d B in the Go heap, %d B in pages, %d B by the account", n, got, pages, account)
	if got > n {
		t.Fatalf("unexpected heap of %d objects; got %d B; want less than a byte each", n, got)
	}
	if account < pages || account > pages*101/100 {
		t.Fatalf("unexpected account; got %d; want a little more than %d", account, pages)
	}
	runtime.KeepAlive(b)
}
