package store

import "sync/atomic"

const (
	// segmentSize is the unit in which large bodies are held: a huge page of
	// x86-64 and of arm64 with 4 KiB pages. See segment_linux.go for the
	// measurement.
	segmentSize = 2 << 20
	// smallMax is the largest body held in one exact Go slice. A size class of
	// Go's allocator ends at 32 KiB and larger objects are page-rounded like
	// ours, so beyond 64 KiB the Go heap saves nothing and its garbage
	// collector would let dead bodies stay.
	smallMax = 64 << 10
)

// Data is the true bytes of an object or part: immutable, reference-counted,
// shared between snapshots, copies and multipart joins. All methods may run
// concurrently. Whoever holds a reference may read; the last Release frees the
// memory and returns it to the account, so no slice may be used after the
// release of the reference it was read under.
type Data struct {
	st    *Store
	size  int64
	cost  int64 // bytes reserved for it
	small []byte
	large *largeData // nil: the bytes are in small
	refs  atomic.Int32
	kind  memoryKind
}

// largeData is what only a body above smallMax needs, apart so that Data of a
// small body takes 64 bytes. The bytes are in segs or in joined.
type largeData struct {
	segs     []segment                // segmentSize each but the last
	joined   []*Data                  // one reference each
	ends     []int64                  // offset after joined[i]
	overhead int64                    // see Data.overhead
	file     atomic.Pointer[bodyFile] // that holds the bytes too, if they are persistent
}

// Size is the length in bytes.
func (d *Data) Size() int64 {
	if d == nil {
		return 0
	}
	return d.size
}

// Retain takes another reference. The caller must already hold one.
func (d *Data) Retain() {
	if d.refs.Add(1) <= 1 {
		panic("BUG: store.Data retained after its last release")
	}
}

// Release drops a reference; a nil Data is ignored.
func (d *Data) Release() {
	if d == nil {
		return
	}
	n := d.refs.Add(-1)
	if n > 0 {
		return
	}
	if n < 0 {
		panic("BUG: store.Data released more often than retained")
	}
	if d.large != nil {
		if f := d.large.file.Load(); f != nil {
			d.st.persist.bodies.doom(f)
		}
		for _, s := range d.large.segs {
			d.st.segments.free(s)
		}
		for _, c := range d.large.joined {
			c.Release()
		}
	}
	d.small, d.large = nil, nil
	d.st.mem.release(d.kind, d.cost)
}

// Slice returns the longest contiguous piece that starts at off and has at
// most max bytes, without copying; nil outside of [0, Size()). It must not be
// written to. It does not allocate.
func (d *Data) Slice(off int64, max int) []byte {
	if d == nil || off < 0 || off >= d.size || max <= 0 {
		return nil
	}
	b := d.small
	if d.large != nil {
		if d.large.joined != nil {
			return d.large.slice(off, max)
		}
		b = d.large.segs[off/segmentSize].mem
		// The last segment is rounded up to pages.
		if rest := d.size - off/segmentSize*segmentSize; int64(len(b)) > rest {
			b = b[:rest]
		}
		off %= segmentSize
	}
	b = b[off:]
	if len(b) > max {
		b = b[:max]
	}
	return b[:len(b):len(b)]
}

// slice is Data.Slice of a join, with off inside.
func (l *largeData) slice(off int64, max int) []byte {
	lo, hi := 0, len(l.ends)-1
	for lo < hi {
		mid := (lo + hi) / 2
		if l.ends[mid] > off {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	c := l.joined[lo]
	return c.Slice(off-(l.ends[lo]-c.size), max)
}

// Join returns the concatenation of parts, sharing their memory: it takes a
// reference of its own to each and leaves the caller's alone. Nil and empty
// parts are skipped; if nothing is left it returns nil.
func Join(parts []*Data) *Data {
	n := 0
	var last *Data
	for _, p := range parts {
		if p.Size() > 0 {
			n += len(p.pieces())
			last = p
		}
	}
	if last == nil {
		return nil
	}
	if n == len(last.pieces()) { // the only one
		last.Retain()
		return last
	}
	l := &largeData{joined: make([]*Data, 0, n), ends: make([]int64, 0, n), overhead: dataOverhead + largeOverhead}
	d := &Data{st: last.st, large: l}
	for _, p := range parts {
		if p.Size() == 0 {
			continue
		}
		for _, c := range p.pieces() { // flat, so that a lookup is one search
			c.Retain()
			d.size += c.size
			l.joined = append(l.joined, c)
			l.ends = append(l.ends, d.size)
			l.overhead += c.overhead() + joinOverhead
		}
	}
	d.refs.Store(1)
	return d
}

// pieces are the Data that hold the bytes: those joined, or d itself.
func (d *Data) pieces() []*Data {
	if d.large != nil && d.large.joined != nil {
		return d.large.joined
	}
	return []*Data{d}
}

const (
	dataOverhead    = 64 // unsafe.Sizeof(Data{}); TestOverheads
	largeOverhead   = 88 // unsafe.Sizeof(largeData{})
	segmentOverhead = 32 // unsafe.Sizeof(segment{})
	joinOverhead    = 16 // a pointer and an end
)

// overhead is what d takes besides the bytes, in bytes. It counts as index
// memory of every object and part that refers to d, so shared Data is counted
// more than once: too much rather than too little.
func (d *Data) overhead() int64 {
	switch {
	case d == nil:
		return 0
	case d.large == nil:
		return dataOverhead
	}
	return d.large.overhead
}
