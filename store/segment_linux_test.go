//go:build linux && !386 && !arm && !mips && !mipsle

package store

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"testing"
)

// residentBytes is the process's resident memory.
func residentBytes(t *testing.T) int64 {
	t.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatalf("cannot read statm: %v", err)
	}
	var total, resident int64
	if _, err := fmt.Sscan(string(text), &total, &resident); err != nil {
		t.Fatalf("cannot parse statm %q: %v", text, err)
	}
	return resident * int64(os.Getpagesize())
}

// Case H12: resident memory is about that of the data, and falls when objects
// are deleted, whatever their sizes.
func TestResidentMemoryFalls(t *testing.T) {
	const total = 512 << 20
	var stores []*Store // alive to the end: a dead one unmaps its memory at any time
	f := func(size int) {
		t.Helper()
		s, b := newBucketFor(t, Memory, Options{})
		stores = append(stores, s)
		debug.FreeOSMemory()
		before := residentBytes(t)
		n := total / size
		p := make([]byte, size)
		for i := range n {
			mustPut(t, b, fmt.Sprint(i), Object{Size: int64(size), Data: newData(t, s, p)})
		}
		full := residentBytes(t) - before
		if full < total*9/10 || full > total*11/10 {
			t.Fatalf("unexpected resident memory of %d objects of %d bytes; got %d MiB; want %d", n, size, full>>20, total>>20)
		}
		for i := range n {
			mustDelete(t, b, fmt.Sprint(i))
		}
		left := residentBytes(t) - before
		if left > maxIdle+total/10 {
			t.Fatalf("unexpected resident memory after deleting objects of %d bytes; got %d MiB; want at most %d", size, left>>20, (maxIdle+total/10)>>20)
		}
		t.Logf("%d x %d bytes: resident %d MiB, after deletion %d MiB", n, size, full>>20, left>>20)
		if got := s.segments.idle(); got > maxIdle {
			t.Fatalf("unexpected idle memory; got %d; want at most %d", got, maxIdle)
		}
		wantMemory(t, s, 0)
	}
	f(323_000)
	f(8<<20 + 5000)
	runtime.KeepAlive(stores)
}

// A slot used again for a shorter body must not keep the longer one's pages.
func TestIdleSegmentShrinks(t *testing.T) {
	a := newSegmentAllocator()
	long, short := segmentSize-1, segmentSize/2+1
	s, err := a.alloc(long)
	if err != nil {
		t.Fatalf("cannot allocate: %v", err)
	}
	for i := range s.mem {
		s.mem[i] = 1
	}
	a.free(s)
	again, err := a.alloc(short)
	if err != nil {
		t.Fatalf("cannot allocate: %v", err)
	}
	if &again.mem[0] != &s.mem[0] {
		t.Fatalf("unexpected slot; want the idle one")
	}
	if got := a.idle(); got != 0 {
		t.Fatalf("unexpected idle memory; got %d; want 0", got)
	}
	rest := again.mem[len(again.mem):len(s.mem)]
	for i, c := range rest {
		if c != 0 {
			t.Fatalf("unexpected byte %d past the end of a shorter segment: its page is still resident", i)
		}
	}
	a.free(again)
}
