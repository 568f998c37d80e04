package store

import (
	"bytes"
	"errors"
	"sync"
	"testing"
)

// Sizes around every change of representation.
var writerSizes = []int{0, 1, 99, 100, 101, smallMax - 1, smallMax, smallMax + 1, 323 << 10,
	segmentSize - 1, segmentSize, segmentSize + 1, 2*segmentSize - 4096, 3*segmentSize + 5}

// fillWriter puts p through Next and Advance in pieces of at most max bytes.
func fillWriter(w *Writer, p []byte, max int) error {
	for len(p) > 0 {
		space := w.Next(min(max, len(p)))
		n := min(max, len(p))
		if space != nil {
			n = min(n, len(space))
		}
		copy(space, p[:n])
		if err := w.Advance(n); err != nil {
			return err
		}
		p = p[n:]
	}
	return nil
}

func TestWriter(t *testing.T) {
	s := New(Options{KeepSmall: 100})
	f := func(mode Mode, size int, declared bool, max int) {
		t.Helper()
		d := int64(-1)
		if declared {
			d = int64(size)
		}
		w, err := s.NewWriter(mode, d)
		if err != nil {
			t.Fatalf("cannot make a writer: %v", err)
		}
		p := pattern(size)
		if max == 0 {
			_, err = w.Write(p)
		} else {
			err = fillWriter(w, p, max)
		}
		if err != nil {
			t.Fatalf("cannot write %d bytes: %v", size, err)
		}
		if w.Size() != int64(size) {
			t.Fatalf("unexpected size; got %d; want %d", w.Size(), size)
		}
		if declared && mode == Memory {
			if space := w.Next(10); space == nil || len(space) != 0 {
				t.Fatalf("unexpected space at the end; got %v; want an empty slice", space)
			}
		}
		data := w.Finish()
		if size == 0 || mode == Synth && size >= 100 {
			if data != nil {
				t.Fatalf("unexpected data of %d bytes in %v mode; want none", data.Size(), mode)
			}
		} else if got := contents(data); !bytes.Equal(got, p) {
			t.Fatalf("unexpected content of %d bytes in %v mode, declared %v", size, mode, declared)
		}
		want := int64(0)
		if data != nil {
			want = int64(size)
			if size > smallMax {
				want = s.segments.segmentedCost(want)
			}
		}
		wantMemory(t, s, want)
		data.Release()
		wantMemory(t, s, 0)
	}
	for _, size := range writerSizes {
		for _, mode := range []Mode{Synth, Memory} {
			for _, declared := range []bool{true, false} {
				for _, max := range []int{0, 1000, 1 << 30} {
					f(mode, size, declared, max)
				}
			}
		}
	}
}

// A body that ends before its declared size gives back what it did not need.
func TestWriterShort(t *testing.T) {
	s := New(Options{})
	for _, size := range writerSizes {
		for _, declared := range []int{size + 1, size + 5000, 2*size + 1, size + 3*segmentSize} {
			w, err := s.NewWriter(Memory, int64(declared))
			if err != nil {
				t.Fatalf("cannot make a writer: %v", err)
			}
			p := pattern(size)
			if _, err := w.Write(p); err != nil {
				t.Fatalf("cannot write: %v", err)
			}
			d := w.Finish()
			if !bytes.Equal(contents(d), p) {
				t.Fatalf("unexpected content of %d bytes of %d", size, declared)
			}
			want := int64(size)
			if declared > smallMax {
				want = s.segments.segmentedCost(int64(size))
			}
			wantMemory(t, s, want)
			d.Release()
			wantMemory(t, s, 0)
		}
	}
}

func TestWriterTooLong(t *testing.T) {
	s := New(Options{KeepSmall: 100})
	for _, mode := range []Mode{Synth, Memory} {
		for _, size := range writerSizes {
			w, err := s.NewWriter(mode, int64(size))
			if err != nil {
				t.Fatalf("cannot make a writer: %v", err)
			}
			if _, err := w.Write(pattern(size + 1)); !errors.Is(err, ErrBodyTooLong) {
				t.Fatalf("unexpected error after %d bytes; got %v; want %v", size, err, ErrBodyTooLong)
			}
			w.Abort()
			wantMemory(t, s, 0)
		}
	}
}

func TestWriterLimitDeclared(t *testing.T) {
	const limit = 10 << 20
	s := New(Options{MemoryLimit: limit})
	f := func(size int64, ok bool) {
		t.Helper()
		w, err := s.NewWriter(Memory, size)
		if ok != (err == nil) || err != nil && !errors.Is(err, ErrMemoryLimit) {
			t.Fatalf("unexpected error for %d bytes; got %v; want success %v", size, err, ok)
		}
		if w != nil {
			w.Abort()
		}
		wantMemory(t, s, 0)
	}
	f(limit, true)
	f(limit+1, false)
	f(1<<62, false)
	f(1<<63-1, false)
	if w, err := s.NewWriter(Synth, 1<<62); err != nil {
		t.Fatalf("cannot make a writer that keeps nothing: %v", err)
	} else {
		w.Abort()
	}
}

// Writers at once must not overshoot together: the size is reserved at first.
func TestWriterLimitConcurrent(t *testing.T) {
	const limit, size = 10 << 20, 1 << 20
	s := New(Options{MemoryLimit: limit})
	var mu sync.Mutex
	var got []*Writer
	var wg sync.WaitGroup
	for range 64 {
		wg.Go(func() {
			w, err := s.NewWriter(Memory, size)
			if err == nil {
				mu.Lock()
				got = append(got, w)
				mu.Unlock()
			} else if !errors.Is(err, ErrMemoryLimit) {
				t.Errorf("unexpected error; got %v; want %v", err, ErrMemoryLimit)
			}
		})
	}
	wg.Wait()
	if len(got) != limit/size {
		t.Fatalf("unexpected number of writers; got %d; want %d", len(got), limit/size)
	}
	wantMemory(t, s, limit)
	for _, w := range got {
		w.Abort()
	}
	wantMemory(t, s, 0)
}

// An undeclared body is refused by the Advance that outgrows the limit, not by
// one that ends at it.
func TestWriterLimitUndeclared(t *testing.T) {
	f := func(limit int64, size int, ok bool) {
		t.Helper()
		s := New(Options{MemoryLimit: limit})
		w, err := s.NewWriter(Memory, -1)
		if err != nil {
			t.Fatalf("cannot make a writer: %v", err)
		}
		err = fillWriter(w, pattern(size), 10000)
		if ok != (err == nil) || err != nil && !errors.Is(err, ErrMemoryLimit) {
			t.Fatalf("unexpected error for %d bytes of %d; got %v; want success %v", size, limit, err, ok)
		}
		if err == nil {
			_ = w.Next(1) // reaching for more does no harm
			d := w.Finish()
			if d.Size() != int64(size) {
				t.Fatalf("unexpected size; got %d; want %d", d.Size(), size)
			}
			d.Release()
		} else {
			w.Abort()
		}
		wantMemory(t, s, 0)
	}
	f(1000, 1000, true)
	f(1000, 1001, false)
	f(smallMax, smallMax, true)
	f(smallMax, smallMax+1, false)
	f(2*segmentSize, 2*segmentSize, true)
	f(2*segmentSize, 2*segmentSize+1, false)
	f(3*segmentSize-1, 2*segmentSize+1, false)
}

// Kept bodies of any size: undeclared ones are dropped as they reach the bound.
func TestWriterKeepLarge(t *testing.T) {
	const keep = 3 << 20
	s := New(Options{KeepSmall: keep})
	for _, size := range []int{1, smallMax + 1, segmentSize, keep - 1, keep, keep + 1, 3 * keep} {
		for _, declared := range []int64{int64(size), -1} {
			w, err := s.NewWriter(Synth, declared)
			if err != nil {
				t.Fatalf("cannot make a writer: %v", err)
			}
			p := pattern(size)
			if err := fillWriter(w, p, 100_000); err != nil {
				t.Fatalf("cannot write: %v", err)
			}
			d := w.Finish()
			if size < keep && !bytes.Equal(contents(d), p) || size >= keep && d != nil {
				t.Fatalf("unexpected data of %d bytes, declared %d; got %d bytes", size, declared, d.Size())
			}
			if got := s.Stats(); got.MemoryData != 0 || (got.MemoryKept > 0) != (d != nil) {
				t.Fatalf("unexpected memory; got %+v", got)
			}
			d.Release()
			wantMemory(t, s, 0)
		}
	}
}

// A pooled writer must not carry anything from one body to the next.
func TestWriterReuse(t *testing.T) {
	s := New(Options{KeepSmall: 1000})
	var kept []*Data
	var want [][]byte
	for i := range 300 {
		size := writerSizes[i%(len(writerSizes)-4)] + i
		declared := int64(size)
		if i%3 == 0 {
			declared = -1
		}
		w, err := s.NewWriter(Mode(i/2%2), declared)
		if err != nil {
			t.Fatalf("cannot make a writer: %v", err)
		}
		p := pattern(size + i)[i:]
		if _, err := w.Write(p); err != nil {
			t.Fatalf("cannot write: %v", err)
		}
		if i%5 == 0 {
			w.Abort()
		} else if d := w.Finish(); d != nil {
			kept, want = append(kept, d), append(want, p)
		}
	}
	for i, d := range kept {
		if !bytes.Equal(contents(d), want[i]) {
			t.Fatalf("unexpected content of body %d", i)
		}
		d.Release()
	}
	wantMemory(t, s, 0)
}
