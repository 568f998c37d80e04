//go:build !linux || 386 || arm || mips || mipsle

package store

import (
	"os"
	"unsafe"
)

// segmentAllocator hands out segments from the Go heap, where there is no
// anonymous mmap with MADV_DONTNEED or too little address space for it.
type segmentAllocator struct {
	page int64
}

func newSegmentAllocator() *segmentAllocator {
	return &segmentAllocator{page: int64(os.Getpagesize())}
}

// alloc returns a segment of n bytes rounded up to pages, 1 <= n <=
// segmentSize. The content is arbitrary.
func (a *segmentAllocator) alloc(n int) (segment, error) {
	return segment{mem: make([]byte, a.roundUp(int64(n)))}, nil
}

// segmentAt is the segment of n bytes that alloc returned at that address, for
// who keeps only the address.
func (a *segmentAllocator) segmentAt(p unsafe.Pointer, n int) segment {
	return segment{mem: unsafe.Slice((*byte)(p), a.roundUp(int64(n)))}
}

// free takes a segment back; the garbage collector does the rest.
func (a *segmentAllocator) free(segment) {}

// idle is the memory of free segments not yet returned to the system, in
// bytes.
func (a *segmentAllocator) idle() int64 { return 0 }
