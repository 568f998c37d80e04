package store

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"unsafe"
)

func TestDataSlice(t *testing.T) {
	s := New(Options{})
	rng := rand.New(rand.NewPCG(1, 2))
	for _, size := range writerSizes[1:] {
		p := pattern(size)
		d := newData(t, s, p)
		for range 200 {
			off := rng.IntN(size)
			n := 1 + rng.IntN(size)
			got := d.Slice(int64(off), n)
			if len(got) == 0 || len(got) > n || cap(got) != len(got) || !bytes.Equal(got, p[off:off+len(got)]) {
				t.Fatalf("unexpected slice of %d bytes at %d of %d; got %d bytes", n, off, size, len(got))
			}
			// No cut but at a segment's end.
			if end := off + len(got); len(got) < n && end != size && end%segmentSize != 0 {
				t.Fatalf("unexpected end of a slice at %d of %d", end, size)
			}
		}
		for _, off := range []int64{-1, int64(size), int64(size) + 1, 1 << 60} {
			if got := d.Slice(off, 1); got != nil {
				t.Fatalf("unexpected slice at %d of %d; got %d bytes; want none", off, size, len(got))
			}
		}
		if got := d.Slice(0, 0); len(got) != 0 {
			t.Fatalf("unexpected slice of no bytes; got %d", len(got))
		}
		d.Release()
	}
	wantMemory(t, s, 0)
}

// A join reads as the concatenation, costs no memory, and keeps its parts
// alive without their owners.
func TestJoin(t *testing.T) {
	s := New(Options{})
	var parts []*Data
	var want []byte
	for i, size := range []int{5, 0, segmentSize + 3, 1, smallMax, 3 * segmentSize, 7} {
		p := pattern(size + i)[i:]
		want = append(want, p...)
		parts = append(parts, newData(t, s, p))
	}
	used := s.MemoryUsed()
	j := Join(parts)
	jj := Join([]*Data{j, nil, parts[0], j})
	if len(jj.pieces()) != 13 {
		t.Fatalf("unexpected pieces of a nested join; got %d; want 13", len(jj.pieces()))
	}
	wantMemory(t, s, used)
	for _, p := range parts {
		p.Release()
	}
	wantMemory(t, s, used)
	if !bytes.Equal(contents(j), want) {
		t.Fatalf("unexpected content of the join")
	}
	j.Release()
	wantNested := append(append(bytes.Clone(want), want[:5]...), want...)
	if !bytes.Equal(contents(jj), wantNested) {
		t.Fatalf("unexpected content of the nested join")
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		off := rng.IntN(len(wantNested))
		got := jj.Slice(int64(off), 1+rng.IntN(1<<20))
		if len(got) == 0 || !bytes.Equal(got, wantNested[off:off+len(got)]) {
			t.Fatalf("unexpected slice at %d", off)
		}
	}
	jj.Release()
	wantMemory(t, s, 0)
}

func TestJoinOfNothing(t *testing.T) {
	if d := Join(nil); d != nil {
		t.Fatalf("unexpected join of no parts; got %v", d)
	}
	if d := Join([]*Data{nil, nil}); d != nil {
		t.Fatalf("unexpected join of nil parts; got %v", d)
	}
}

// Parts are handed through when there is nothing to join.
func TestJoinOfOne(t *testing.T) {
	s := New(Options{})
	d := newData(t, s, []byte("abc"))
	j := Join([]*Data{nil, d})
	if j != d {
		t.Fatalf("unexpected join of one part; got %p; want %p", j, d)
	}
	d.Release()
	wantMemory(t, s, 3)
	j.Release()
	wantMemory(t, s, 0)
}

func TestOverheads(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		return // the estimates are for 64-bit machines
	}
	f := func(what string, got uintptr, want int64) {
		t.Helper()
		if int64(got) != want {
			t.Fatalf("unexpected size of %s; got %d; want %d", what, got, want)
		}
	}
	f("Data", unsafe.Sizeof(Data{}), dataOverhead)
	f("largeData", unsafe.Sizeof(largeData{}), largeOverhead)
	f("segment", unsafe.Sizeof(segment{}), segmentOverhead)
	f("record", unsafe.Sizeof(record{}), 96)
	f("history", unsafe.Sizeof(history{}), 32)
}

func TestDataMisuse(t *testing.T) {
	f := func(what string, misuse func(d *Data)) {
		t.Helper()
		defer func() {
			if recover() == nil {
				t.Fatalf("unexpected success of %s; want a panic", what)
			}
		}()
		d := newData(t, New(Options{}), []byte("abc"))
		d.Release()
		misuse(d)
	}
	f("a second release", func(d *Data) { d.Release() })
	f("a late retain", func(d *Data) { d.Retain() })
}
