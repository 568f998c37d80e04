package store

import (
	"fmt"
	"math"
	"slices"
)

// maxBody bounds declared sizes in memory mode, far above any memory, so that
// sums of sizes cannot overflow: 1 PiB.
const maxBody = 1 << 50

// overflowSize is the room offered for bytes that will be refused. Any size
// does; a page lets the refusal come with the first read.
const overflowSize = 4 << 10

// Writer takes in the body of one object or part, in order. It is used by one
// goroutine. Every Writer must be ended by exactly one Finish or Abort, after
// which it belongs to the store again and must not be touched.
//
//	for p := w.Next(max); ...; {
//		n := read(p)          // p nil: drop as many bytes as you like
//		err := w.Advance(n)
//	}
type Writer struct {
	st       *Store
	kind     memoryKind
	declared int64 // or -1
	keep     int64 // bodies of keep bytes and more are dropped
	size     int64
	reserved int64
	state    writerState
	refused  error // why the overflow buffer was offered instead of space

	buf      []byte    // stateExact: the body itself; stateScratch: scratch
	n        int       // bytes in buf
	segs     []segment // stateSegments; the slice is reused
	cur      []byte    // free end of the last segment
	scratch  []byte    // smallMax bytes, made when first needed, kept by the pool
	overflow []byte
}

type writerState uint8

const (
	stateDrop     writerState = iota // nothing is kept
	stateExact                       // a small body of declared size
	stateScratch                     // an undeclared body that is small so far
	stateSegments                    // a large body
)

// NewWriter returns a Writer for a body of size bytes, or of unknown size if
// size is -1. In memory mode a declared size is reserved against the memory
// limit at once, so it is now or never that the error is ErrMemoryLimit. In
// synth mode bodies of Options.KeepSmall bytes and more are dropped.
func (s *Store) NewWriter(mode Mode, size int64) (*Writer, error) {
	w := s.writers.Get().(*Writer)
	w.kind, w.keep = memoryData, math.MaxInt64
	if mode == Synth {
		w.kind, w.keep = memoryKept, s.opt.KeepSmall
	}
	w.declared = size
	cost := int64(0)
	switch {
	case mode == Memory && size > maxBody:
		w.reset()
		return nil, ErrMemoryLimit
	case size >= w.keep || w.keep <= 0:
		w.state = stateDrop
	case size < 0:
		w.state = stateScratch
		if w.scratch == nil {
			w.scratch = make([]byte, smallMax)
		}
		w.buf = w.scratch
	case size <= smallMax:
		w.state = stateExact
		cost = size
	default:
		w.state = stateSegments
		cost = s.segments.segmentedCost(size)
	}
	if err := s.mem.reserve(w.kind, cost); err != nil {
		w.reset()
		return nil, err
	}
	w.reserved = cost
	if w.state == stateExact {
		w.buf = make([]byte, size)
	}
	return w, nil
}

// Next returns where to put the next bytes: contiguous space of at most max
// bytes and as much of that as there is, up to 2 MiB. It is nil if the body is
// not kept (drop the bytes and Advance by their number), and empty but not nil
// if the declared size is reached. Its content is arbitrary; it is valid until
// the next call.
func (w *Writer) Next(max int) []byte {
	var space []byte
	switch w.state {
	case stateDrop:
		return nil
	case stateExact:
		space = w.buf[w.n:]
	case stateScratch:
		space = w.buf[w.n:]
		if len(space) == 0 {
			space = w.grow()
		}
	case stateSegments:
		space = w.cur
		if len(space) == 0 && w.size != w.declared {
			space = w.grow()
		}
	}
	if space == nil {
		space = []byte{}
	}
	if len(space) > max {
		space = space[:max]
	}
	return space
}

// grow starts the next segment, first moving the scratch buffer's bytes into
// it, and returns its free space. If there is no memory it returns the
// overflow buffer, and the Advance into that will fail: a body that ends right
// here is still good.
func (w *Writer) grow() []byte {
	size := int64(segmentSize)
	reserve := int64(0)
	if w.declared >= 0 {
		size = min(size, w.declared-w.size)
	} else {
		// The scratch bytes are reserved already.
		reserve = segmentSize - int64(w.n)
	}
	err := w.st.mem.reserve(w.kind, reserve)
	var seg segment
	if err == nil {
		seg, err = w.st.segments.alloc(int(size))
		if err != nil {
			w.st.mem.release(w.kind, reserve)
			err = fmt.Errorf("cannot get memory (%v): %w", err, ErrMemoryLimit)
		}
	}
	if err != nil {
		w.refused = err
		if w.overflow == nil {
			w.overflow = make([]byte, overflowSize)
		}
		return w.overflow
	}
	w.reserved += reserve
	w.segs = append(w.segs, seg)
	w.cur = seg.mem[:size]
	if w.state == stateScratch {
		copy(w.cur, w.buf[:w.n])
		w.cur = w.cur[w.n:]
		w.buf, w.n, w.state = nil, 0, stateSegments
	}
	return w.cur
}

// Advance says that n bytes were put where Next pointed, or dropped. Errors:
// ErrBodyTooLong past the declared size; ErrMemoryLimit when an undeclared
// body outgrows the limit. After an error only Abort is of use.
func (w *Writer) Advance(n int) error {
	if n == 0 {
		return nil
	}
	if w.declared >= 0 && int64(n) > w.declared-w.size {
		return ErrBodyTooLong
	}
	if w.refused != nil {
		return w.refused
	}
	if w.size+int64(n) >= w.keep {
		w.drop() // before reserving for bytes that are not kept
	}
	switch w.state {
	case stateExact:
		w.n += n
	case stateScratch:
		if err := w.st.mem.reserve(w.kind, int64(n)); err != nil {
			w.refused = err
			return err
		}
		w.reserved += int64(n)
		w.n += n
	case stateSegments:
		w.cur = w.cur[n:]
	}
	w.size += int64(n)
	return nil
}

// Write copies p into the body. Errors are those of Advance; the count is what
// was taken before.
func (w *Writer) Write(p []byte) (int, error) {
	done := 0
	for done < len(p) {
		space := w.Next(len(p) - done)
		n := len(p) - done
		if space != nil && len(space) < n && len(space) > 0 {
			n = len(space)
		}
		copy(space, p[done:])
		if err := w.Advance(n); err != nil {
			return done, err
		}
		done += n
	}
	return done, nil
}

// Size is the number of bytes so far.
func (w *Writer) Size() int64 { return w.size }

// drop frees what was kept of a body and keeps no more.
func (w *Writer) drop() {
	for i, s := range w.segs {
		w.st.segments.free(s)
		w.segs[i] = segment{}
	}
	w.segs, w.cur, w.buf, w.n = w.segs[:0], nil, nil, 0
	w.st.mem.release(w.kind, w.reserved)
	w.reserved = 0
	w.state = stateDrop
}

// Abort frees all and ends the Writer.
func (w *Writer) Abort() {
	w.drop()
	w.reset()
}

// reset returns w to the pool, with its buffers but without any body.
func (w *Writer) reset() {
	*w = Writer{st: w.st, segs: w.segs[:0], scratch: w.scratch, overflow: w.overflow}
	w.st.writers.Put(w)
}

// Finish ends the Writer and returns the bytes with one reference, the
// caller's; nil if there are none or they were dropped. What was reserved
// beyond their need is returned.
func (w *Writer) Finish() *Data {
	if w.state == stateDrop || w.size == 0 {
		w.Abort()
		return nil
	}
	d := &Data{size: w.size, st: w.st, kind: w.kind}
	d.refs.Store(1)
	switch w.state {
	case stateExact, stateScratch:
		d.small = w.buf
		if w.state == stateScratch || int64(w.n) < w.declared {
			d.small = make([]byte, w.n)
			copy(d.small, w.buf)
		}
		d.cost = w.size
	case stateSegments:
		w.trim()
		d.large = &largeData{
			segs:     slices.Clone(w.segs),
			overhead: dataOverhead + largeOverhead + segmentOverhead*int64(len(w.segs)),
		}
		for i, s := range w.segs {
			d.cost += int64(len(s.mem))
			w.segs[i] = segment{}
		}
	}
	w.st.mem.release(w.kind, w.reserved-d.cost)
	w.reset()
	return d
}

// trim moves the last segment's bytes to one that fits them, if they leave
// whole pages of it free: when the size was not declared, or not reached.
func (w *Writer) trim() {
	i := len(w.segs) - 1
	last := w.segs[i]
	used := int(w.size - int64(i)*segmentSize)
	if w.st.segments.roundUp(int64(used)) == int64(len(last.mem)) {
		return
	}
	if used == 0 {
		w.segs[i] = segment{}
		w.segs = w.segs[:i]
	} else {
		fit, err := w.st.segments.alloc(used)
		if err != nil {
			return // no address space: stay in the large one, which is paid for
		}
		copy(fit.mem, last.mem[:used])
		w.segs[i] = fit
	}
	w.st.segments.free(last)
}
