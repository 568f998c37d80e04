//go:build !race

package store

import (
	"fmt"
	"runtime"
	"testing"
)

func TestVersionAllocs(t *testing.T) {
	s, b := newBucketFor(t, Memory, Options{})
	setVersioning(t, b, VersioningEnabled)
	for i := range 3000 {
		mustPut(t, b, fmt.Sprintf("key%04d", i/3), Object{Size: 3, Meta: "meta", Data: newData(t, s, []byte("abc"))})
	}
	key := []byte("key0400")
	var o Object
	b.Get(key, &o)
	o.Release()
	old := o.Version - 1
	wantAllocs(t, "GetVersion", 0, func() {
		if err := b.GetVersion(key, old, &o); err != nil {
			t.Fatalf("cannot get: %v", err)
		}
		o.Release()
	})
	var text [versionLen]byte
	wantAllocs(t, "Version.Append and ParseVersion", 0, func() {
		if v, ok := ParseVersion(old.Append(text[:0])); !ok || v != old {
			t.Fatalf("unexpected version; got %v, %v; want %v", v, ok, old)
		}
	})
	wantAllocs(t, "a page of versions", 0, func() {
		c := b.VersionCursor()
		n := 0
		for ok := c.SeekBehind(key, old); ok && n < 1000; ok = c.Next() {
			n += min(1, len(c.Key())+int(c.Object().Size))
		}
		c.Close()
		if n != 1000 {
			t.Fatalf("unexpected versions; got %d; want 1000", n)
		}
	})
}

// TestVersionCost holds the estimate against what the heap says: too much
// rather than too little, and not twice as much.
func TestVersionCost(t *testing.T) {
	f := func(each int) {
		t.Helper()
		const n = 100_000
		s, b := newBucketFor(t, Synth, Options{})
		setVersioning(t, b, VersioningEnabled)
		heap := func() int64 {
			runtime.GC()
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			return int64(m.HeapAlloc)
		}
		before := heap()
		for i := range n {
			key := fmt.Sprintf("training/epoch-000/part-0000/%08x", uint32(mix(uint64(i/each))))
			mustPut(t, b, key, Object{Size: int64(i), Meta: "content-type: application/octet-stream"})
		}
		pages := int64(b.index.tree.pages() * b.index.tree.size)
		got, estimate := heap()-before+pages, s.MemoryUsed()
		t.Logf("%d versions a key: %d B a version by the heap and the index, %d B by the estimate", each, got/n, estimate/n)
		if estimate < got*9/10 || estimate > got*2 {
			t.Fatalf("unexpected estimate; got %d; want about %d", estimate, got)
		}
		runtime.KeepAlive(b)
	}
	f(1)
	f(2)
	f(5)
	f(1000)
}
