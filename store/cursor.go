package store

import (
	"encoding/binary"
	"slices"
	"unsafe"

	"github.com/s3ultra/s3ultra/synth"
)

// Cursor walks the objects of a bucket, written and virtual, in byte order of
// their keys. It copies a block of some hundred written ones at a time and
// holds no lock between calls: what is written meanwhile shows or not, but keys
// ascend, and an object that is there all the time is seen once, as it was at
// one moment. A Cursor is used by one goroutine. Nothing it does allocates, once
// it has been used before.
type Cursor struct {
	b       *Bucket
	block   page       // a copy
	n, i    int        // objects in block, and the current one
	base    *meta      // of block's base
	text    string     // of base
	mod     int64      // of block's base
	stem    synth.Stem // of block's prefix
	tags    etagDeriver
	slots   int     // of block
	prefix  int     // length of block's prefix, which key begins with
	suffix  []byte  // of block
	middle  int     // length of key's; -1: only the prefix is in place
	shape   Shape   // of key
	payload int     // where in block the current entry's begins
	plain   bool    // obj has no more than a plain object has
	extras  []extra // of objects, if block has any; by position
	key     []byte
	r       record
	obj     Object
	merge   merge
	locked  bool // b.mu is held by the owner from before a move to behind it
}

// extra is what an object refers to beyond its block.
type extra struct {
	meta *meta
	side side
}

// Cursor returns a cursor that stands before the first key.
func (b *Bucket) Cursor() *Cursor {
	return b.cursors.Get().(*Cursor)
}

// Seek moves to the first key >= key, forwards or backwards, and reports
// whether there is one.
func (c *Cursor) Seek(key []byte) bool {
	if v := c.b.virtual.Load(); v != nil || c.merge.v != nil {
		return c.seekMerged(v, key)
	}
	return c.leap(key) || c.fetch(key, false)
}

// leap is Seek to a later key of the block, and reports whether there is one: a
// listing by a delimiter leaps from group to group, of which a block may have
// many.
func (c *Cursor) leap(key []byte) bool {
	if c.i+1 >= c.n {
		return false
	}
	i, _ := c.block.find(key)
	if i <= c.i || i >= c.n {
		return false
	}
	c.i = i
	c.setKey()
	return true
}

// fetch is load without the lock held, unless c.locked.
func (c *Cursor) fetch(key []byte, after bool) bool {
	if !c.locked {
		c.b.mu.RLock()
		defer c.b.mu.RUnlock()
	}
	return c.load(key, after)
}

// Next moves to the next key and reports whether there is one. It may be called
// only after a move that succeeded.
func (c *Cursor) Next() bool {
	if c.merge.v != nil {
		return c.nextMerged()
	}
	return c.step() || c.fetch(c.key, true)
}

// step moves on within the block.
func (c *Cursor) step() bool {
	if c.i+1 >= c.n {
		return false
	}
	c.i++
	c.setKey()
	return true
}

// load copies the block with the first key >= key, or > key, and moves there.
// b.mu is held.
func (c *Cursor) load(key []byte, after bool) bool {
	x := &c.b.index
	p, i := x.tree.seek(key, after)
	if p == nil {
		c.n, c.i = 0, 0
		return false
	}
	if c.block == nil {
		c.block = make(page, x.tree.size)
	}
	p.copyTo(c.block)
	c.n, c.i = p.count(), i
	base := p.base()
	// No object need have it any more, and the number may be vacant.
	c.base = nil
	if int(base.meta) < len(x.metas.list) {
		c.base = x.metas.get(base.meta)
	}
	c.text, c.mod = c.base.text(), base.mod
	c.slots, c.suffix = c.block.slots(), c.block.suffix()
	c.key = append(c.key[:0], c.block.prefix()...)
	c.prefix, c.middle = len(c.key), -1
	c.stem = x.names.Stem(c.key)
	c.extras = c.extras[:0]
	if p.extras() > 0 {
		c.loadExtras(x)
	}
	c.setKey()
	return true
}

// loadExtras looks up the references of the objects from the current one on:
// later they may be gone.
func (c *Cursor) loadExtras(x *index) {
	if cap(c.extras) < c.n {
		c.extras = make([]extra, c.n)
	}
	c.extras = c.extras[:c.n]
	for i := c.i; i < c.n; i++ {
		var e extra
		if p := c.block.entryPayload(i); hasExtra(p) {
			e.meta = x.metas.get(recordMeta(p, pageBase{}))
			if id, ok := recordSide(p); ok {
				e.side = *x.sides.get(id)
			}
		}
		c.extras[i] = e
	}
}

// setKey makes key and payload those of the current entry. The middles of
// neighbours mostly have one length: then only the middle is written.
func (c *Cursor) setKey() {
	slot := c.block[c.slots+slotSize*c.i:]
	n, at := c.block.middleAt(slot.u16(0))
	if n != c.middle {
		c.setMiddle(n)
	}
	middle := c.key[c.prefix:]
	if n < headSize {
		copy(middle[:n], slot[2:])
		c.payload = at
		return
	}
	binary.LittleEndian.PutUint32(middle, binary.LittleEndian.Uint32(slot[2:]))
	c.payload = at + n - headSize
	copy(middle[headSize:], c.block[at:c.payload])
}

// setMiddle makes room in key for a middle of n bytes.
func (c *Cursor) setMiddle(n int) {
	c.middle = n
	c.shape = Shape{c.shape.ID + 2, c.prefix, c.prefix + n}
	c.key = slices.Grow(c.key[:c.prefix], n+len(c.suffix))[:c.prefix+n+len(c.suffix)]
	copy(c.key[c.prefix+n:], c.suffix)
}

// Key is the current key, valid until the next move; it must not be written
// to. It may be called only after a move that succeeded.
func (c *Cursor) Key() []byte {
	if c.merge.virtual {
		return c.merge.set.Key()
	}
	return c.key
}

// Shape tells what keys of a walk have in common.
type Shape struct {
	// ID is that of all keys of the walk which have the length of this one and
	// the same bytes, but for those from From to before To. 0 is no key's. It is
	// even in the index and odd in data sets.
	ID       uint64
	From, To int
}

// Shape is that of the current key. It may be called only after a move that
// succeeded.
func (c *Cursor) Shape() Shape {
	if m := &c.merge; m.virtual {
		id, from, to := m.set.Layout()
		return Shape{id<<1 | 1, from, to}
	}
	return c.shape
}

// Object is the current object, valid until the next move. No reference to its
// Data is taken, and it may have been deleted meanwhile: only Data.Size may be
// asked, not the bytes. It may be called only after a move that succeeded.
func (c *Cursor) Object() *Object {
	if c.merge.virtual {
		return c.virtualObject()
	}
	o, p := &c.obj, c.block[c.payload:]
	if !isPlain(p) {
		c.plain = false
		c.record().fill(o)
		return o
	}
	// Most listings consist of objects of which no more is stored. The record is
	// skipped: it would be copied only to be copied again.
	if !c.plain {
		*o, c.plain = Object{}, true
	}
	if p[0] != 0 {
		o.setMeta(c.text)
	} else {
		o.setMeta("")
	}
	mod, n := binary.Varint(p[1:])
	size, _ := binary.Uvarint(p[1+n:])
	o.ModTime, o.Size = c.mod+mod, int64(size)
	o.Content = c.stem.Hash(c.key)
	c.tags.derive(&o.ETag, o.Content, o.Size)
	return o
}

// setMeta sets Meta unless it is that text already: the garbage collector takes
// note of every pointer that is written.
func (o *Object) setMeta(text string) {
	if len(o.Meta) != len(text) || unsafe.StringData(o.Meta) != unsafe.StringData(text) {
		o.Meta = text
	}
}

// record is the current record.
func (c *Cursor) record() *record {
	if c.merge.virtual {
		return c.virtualRecord()
	}
	base := c.block.base()
	var raw rawRecord
	raw.parse(c.block[c.payload:], base)
	c.r.unpack(&raw)
	if raw.flags&flagBaseMeta != 0 {
		c.r.meta = c.base
	}
	if raw.flags&(flagMeta|flagSide) != 0 {
		e := &c.extras[c.i]
		if raw.flags&flagMeta != 0 {
			c.r.meta = e.meta
		}
		c.r.attach(&e.side)
	}
	c.r.derive(&raw, c.stem.Hash(c.key))
	return &c.r
}

// Close gives the cursor back. It must not be used afterwards.
func (c *Cursor) Close() {
	c.reset()
	c.b.cursors.Put(c)
}

// reset drops what the cursor refers to.
func (c *Cursor) reset() {
	clear(c.extras[:cap(c.extras)])
	c.extras = c.extras[:0]
	c.merge.virtual = false
	c.base, c.text, c.r, c.obj, c.plain, c.n = nil, "", record{}, Object{}, false, 0
}
