//go:build linux && !386 && !arm && !mips && !mipsle

package store

import (
	"fmt"
	"math/bits"
	"os"
	"runtime"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	// arenaSize is how much address space is mapped at once. Segments are cut
	// from arenas and never unmapped one by one, because each hole would cost
	// a mapping of the 65,530 a process may have (vm.max_map_count); with
	// 64 MiB they suffice for 4 TB. Untouched address space costs nothing.
	arenaSize = 64 << 20
	// maxIdle bounds the free segments whose pages are kept for the next body.
	// It covers what a few dozen overwrites in flight turn over, and is small
	// beside any memory limit that holds large bodies.
	maxIdle = 64 << 20
	// wholeClass is the class of segments of segmentSize. Classes below it
	// hold power-of-two slots from one page up to segmentSize.
	wholeClass = 31
)

// segmentAllocator hands out segments of anonymous memory outside of the Go
// heap, where the garbage collector neither scans nor keeps them. Whole
// segments are aligned and marked MADV_HUGEPAGE: one page fault instead of
// 512. Last, partial segments come from arenas of their own with ordinary
// pages, so that only the pages written to become resident; their slots are
// rounded up to a power of two, which costs address space and nothing else.
// A freed segment goes to a bounded idle list or is returned to the system
// with MADV_DONTNEED. All methods may run concurrently.
//
// Measured (2 virtual cores, Linux 6.18, three runs each, noisy), CPU-seconds
// to fill 1 GiB from a cache-hot buffer and return it to the system:
// ordinary pages 1.9-3.0, the same after MADV_POPULATE_WRITE 1.0-1.4; huge
// pages in segments of 2 MiB 0.6-0.9, of 1 MiB 1.0-1.6, because freeing half
// of a huge page splits it. Memory that is still resident takes 0.11.
type segmentAllocator struct {
	page   int64
	arenas *arenas

	mu        sync.Mutex // guards all below
	classes   [wholeClass + 1]segmentClass
	idleBytes int64
}

// segmentClass is the free memory of one slot size.
type segmentClass struct {
	hot   []segment // mem has the length that may be resident
	cold  []segment // not resident
	arena []byte    // address space not cut yet
}

// arenas are the mappings of one allocator, apart from it so that they can be
// unmapped when the garbage collector finds the allocator, its store and all
// Data gone.
type arenas struct {
	mapped [][]byte
}

func newSegmentAllocator() *segmentAllocator {
	a := &segmentAllocator{page: int64(os.Getpagesize()), arenas: &arenas{}}
	runtime.AddCleanup(a, func(m *arenas) {
		for _, b := range m.mapped {
			_ = unix.Munmap(b) // cannot fail for a mapping made by us
		}
	}, a.arenas)
	return a
}

// slotSize is the size of the slots of class.
func (a *segmentAllocator) slotSize(class uint8) int {
	if class == wholeClass {
		return segmentSize
	}
	return int(a.page) << class
}

// class is the class of a segment of n bytes.
func (a *segmentAllocator) class(n int) uint8 {
	if n >= segmentSize {
		return wholeClass
	}
	return uint8(bits.Len64(uint64(n-1) / uint64(a.page)))
}

// alloc returns a segment of n bytes rounded up to pages, 1 <= n <=
// segmentSize. The content is arbitrary. It fails if the system gives no more
// address space.
func (a *segmentAllocator) alloc(n int) (segment, error) {
	class := a.class(n)
	size := int(a.roundUp(int64(n)))
	a.mu.Lock()
	c := &a.classes[class]
	if i := len(c.hot) - 1; i >= 0 {
		s := c.hot[i]
		c.hot[i] = segment{}
		c.hot = c.hot[:i]
		resident := len(s.mem)
		a.idleBytes -= int64(resident)
		a.mu.Unlock()
		s.mem = s.mem[:size]
		if resident > size {
			// The pages past the new end belong to nobody's account.
			discard(s.mem[size:resident])
		}
		return s, nil
	}
	s, err := a.fresh(c, class)
	a.mu.Unlock()
	if err != nil {
		return segment{}, err
	}
	s.mem = s.mem[:size]
	if class != wholeClass {
		// All of it is about to be written, and one call for all pages takes
		// half the time of a fault for each. Kernels before 5.14 refuse.
		_ = unix.Madvise(s.mem, unix.MADV_POPULATE_WRITE)
	}
	return s, nil
}

// fresh takes a slot of class that has no resident pages. The caller holds
// a.mu.
func (a *segmentAllocator) fresh(c *segmentClass, class uint8) (segment, error) {
	if i := len(c.cold) - 1; i >= 0 {
		s := c.cold[i]
		c.cold[i] = segment{}
		c.cold = c.cold[:i]
		return s, nil
	}
	slot := a.slotSize(class)
	if len(c.arena) < slot {
		if err := a.mapArena(c, class == wholeClass); err != nil {
			return segment{}, err
		}
	}
	s := segment{mem: c.arena[:slot:slot], class: class}
	c.arena = c.arena[slot:]
	return s, nil
}

// mapArena gives c a fresh arena. The caller holds a.mu.
func (a *segmentAllocator) mapArena(c *segmentClass, huge bool) error {
	b, err := unix.Mmap(-1, 0, arenaSize+segmentSize, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	if err != nil {
		return fmt.Errorf("cannot map %d bytes: %w", arenaSize, err)
	}
	a.arenas.mapped = append(a.arenas.mapped, b)
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(b))) & (segmentSize - 1)
	b = b[skip : skip+arenaSize : skip+arenaSize]
	advice := unix.MADV_NOHUGEPAGE
	if huge {
		advice = unix.MADV_HUGEPAGE
	}
	// Only a hint: a kernel built without huge pages refuses it.
	_ = unix.Madvise(b, advice)
	c.arena = b
	return nil
}

// segmentAt is the segment of n bytes that alloc returned at that address, for
// who keeps only the address.
func (a *segmentAllocator) segmentAt(p unsafe.Pointer, n int) segment {
	class := a.class(n)
	return segment{mem: unsafe.Slice((*byte)(p), a.slotSize(class))[:a.roundUp(int64(n))], class: class}
}

// free takes a segment back. Nobody may hold a slice of it any more.
func (a *segmentAllocator) free(s segment) {
	a.mu.Lock()
	c := &a.classes[s.class]
	if a.idleBytes+int64(len(s.mem)) <= maxIdle {
		a.idleBytes += int64(len(s.mem))
		c.hot = append(c.hot, s)
		a.mu.Unlock()
		return
	}
	a.mu.Unlock()
	discard(s.mem) // outside of the lock: it takes tens of microseconds
	a.mu.Lock()
	c.cold = append(c.cold, s)
	a.mu.Unlock()
}

// discard returns the pages of b to the system; they read as zeros afterwards.
func discard(b []byte) {
	// It cannot fail for whole pages of a mapping made by us, short of the
	// caller having locked all memory (mlockall); then they just stay.
	_ = unix.Madvise(b, unix.MADV_DONTNEED)
}

// idle is the memory of free segments not yet returned to the system, in
// bytes.
func (a *segmentAllocator) idle() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.idleBytes
}
