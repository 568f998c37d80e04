package synth

import "bytes"

// SetCursor walks the objects of a Set in key order: a heap of one Cursor for each data set that
// is not at its end. It allocates when it is reset to a Set with more data sets than before and to
// grow buffers; keep it in a pool. It belongs to one goroutine. The zero SetCursor is at the end
// of nothing.
type SetCursor struct {
	set     *Set
	cursors []heapCursor

	// heap are indexes into cursors, the least key first.
	heap []int

	// last is the key before, kept if the Set may have a key twice; scratch is for SeekPastPrefix.
	last, scratch []byte
}

type heapCursor struct {
	Cursor
	current []byte // Key() of the Cursor
}

// Reset puts the cursor before the first key of s. Seek must follow. A nil s lets go of the last Set.
func (c *SetCursor) Reset(s *Set) {
	c.set, c.heap = s, c.heap[:0]
	n := 0
	if s != nil {
		n = len(s.datasets)
	}
	for k := n; k < len(c.cursors); k++ {
		c.cursors[k].Reset(nil)
	}
	for len(c.cursors) < n {
		c.cursors = append(c.cursors, heapCursor{})
	}
	for k := range n {
		c.cursors[k].Reset(s.datasets[k])
	}
}

// Seek moves to the first key that is not less than key and returns whether there is one. The
// empty key is the start.
func (c *SetCursor) Seek(key []byte) bool {
	c.heap = c.heap[:0]
	if c.set == nil {
		return false
	}
	for k := range c.set.datasets {
		if h := &c.cursors[k]; h.Seek(key) {
			h.current = h.Key()
			c.heap = append(c.heap, k)
		}
	}
	for k := len(c.heap)/2 - 1; k >= 0; k-- {
		c.down(k)
	}
	return len(c.heap) > 0
}

// SeekPastPrefix moves to the first key after all that start with prefix and returns whether there
// is one. This is how a listing skips a common prefix.
func (c *SetCursor) SeekPastPrefix(prefix []byte) bool {
	var ok bool
	if c.scratch, ok = PrefixEnd(c.scratch[:0], prefix); !ok {
		c.heap = c.heap[:0]
		return false
	}
	return c.Seek(c.scratch)
}

// Next moves to the next key and returns whether there is one.
func (c *SetCursor) Next() bool {
	if len(c.heap) == 0 {
		return false
	}
	if !c.set.mayOverlap {
		c.advance()
		return len(c.heap) > 0
	}
	c.last = append(c.last[:0], c.Key()...)
	for len(c.heap) > 0 && bytes.Equal(c.Key(), c.last) {
		c.advance()
	}
	return len(c.heap) > 0
}

// advance moves the cursor at the top of the heap.
func (c *SetCursor) advance() {
	h := &c.cursors[c.heap[0]]
	if h.Next() {
		h.current = h.Key()
	} else {
		n := len(c.heap) - 1
		c.heap[0] = c.heap[n]
		c.heap = c.heap[:n]
	}
	c.down(0)
}

// down restores the heap below k.
func (c *SetCursor) down(k int) {
	for {
		child := 2*k + 1
		if child >= len(c.heap) {
			return
		}
		if child+1 < len(c.heap) && c.less(c.heap[child+1], c.heap[child]) {
			child++
		}
		if !c.less(c.heap[child], c.heap[k]) {
			return
		}
		c.heap[k], c.heap[child] = c.heap[child], c.heap[k]
		k = child
	}
}

// less orders cursors by key, and those of one key by rule.
func (c *SetCursor) less(a, b int) bool {
	d := bytes.Compare(c.cursors[a].current, c.cursors[b].current)
	return d < 0 || d == 0 && a < b
}

// Valid returns whether the cursor is at a key; Key and the methods below may only be called then.
func (c *SetCursor) Valid() bool { return len(c.heap) > 0 }

// Key returns the current key, valid until the cursor moves.
func (c *SetCursor) Key() []byte { return c.cursors[c.heap[0]].current }

// Layout tells what the current key has in common with others since the cursor was made: those of
// the same id have the same length and the same bytes, but for those from from to before to. It is
// above 0.
func (c *SetCursor) Layout() (id uint64, from, to int) {
	k := c.heap[0]
	key := &c.cursors[k].key
	from, to = key.varying()
	return key.layouts<<layoutBits | uint64(k), from, to
}

// layoutBits leave room for as many data sets as fit any memory.
const layoutBits = 24

// Dataset returns the data set of the current object.
func (c *SetCursor) Dataset() *Dataset { return c.cursors[c.heap[0]].d }

// Index returns the current object's index in Dataset.
func (c *SetCursor) Index() int64 { return c.cursors[c.heap[0]].index }

// Size returns the current object's size in bytes.
func (c *SetCursor) Size() int64 { return c.cursors[c.heap[0]].Size() }
