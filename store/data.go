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
	refs atomic.Int64
	size int64
	st   *Store
	kind memoryKind
	cost int64 // bytes reserved for it

	// Exactly one of these holds the bytes.
	small  []byte
	segs   []segment // segmentSize each but the last
	joined []*Data   // one reference each
	ends   []int64   // offset after joined[i]
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
	for _, s := range d.segs {
		d.st.segments.free(s)
	}
	for _, c := range d.joined {
		c.Release()
	}
	d.small, d.segs, d.joined = nil, nil, nil
	d.st.mem.release(d.kind, d.cost)
}

// Slice returns the longest contiguous piece that starts at off and has at
// most max bytes, without copying; nil outside of [0, Size()). It must not be
// written to. It does not allocate.
func (d *Data) Slice(off int64, max int) []byte {
	if d == nil || off < 0 || off >= d.size || max <= 0 {
		return nil
	}
	if d.joined != nil {
		lo, hi := 0, len(d.ends)-1
		for lo < hi {
			mid := (lo + hi) / 2
			if d.ends[mid] > off {
				hi = mid
			} else {
				lo = mid + 1
			}
		}
		c := d.joined[lo]
		return c.Slice(off-(d.ends[lo]-c.size), max)
	}
	b := d.small
	if d.segs != nil {
		b = d.segs[off/segmentSize].mem
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

// Join returns the concatenation of parts, sharing their memory: it takes a
// reference of its own to each and leaves the caller's alone. Nil and empty
// parts are skipped; if nothing is left it returns nil.
func Join(parts []*Data) *Data {
	n := 0
	var only *Data
	for _, p := range parts {
		switch {
		case p.Size() == 0:
		case p.joined != nil:
			n += len(p.joined)
		default:
			n++
			only = p
		}
	}
	switch {
	case n == 0:
		return nil
	case n == 1 && only != nil:
		only.Retain()
		return only
	}
	d := &Data{joined: make([]*Data, 0, n), ends: make([]int64, 0, n)}
	add := func(p *Data) {
		p.Retain()
		d.size += p.size
		d.joined = append(d.joined, p)
		d.ends = append(d.ends, d.size)
		d.st = p.st
	}
	for _, p := range parts {
		switch {
		case p.Size() == 0:
		case p.joined != nil: // flattened, so that a lookup is one search
			for _, c := range p.joined {
				add(c)
			}
		default:
			add(p)
		}
	}
	d.refs.Store(1)
	return d
}

// joinMemory is the estimate of what a join itself takes, in bytes; it counts
// as index.
func (d *Data) joinMemory() int64 {
	if d == nil {
		return 0
	}
	const perPart = 16 // a pointer and an end
	return perPart * int64(len(d.joined))
}
