package store

import (
	"bytes"

	"github.com/s3ultra/s3ultra/synth"
)

// merge is what a Cursor of a bucket with data sets has besides: it walks the
// index and the data sets side by side, and what the index has comes first.
type merge struct {
	v   *virtual // nil: the bucket has no data sets
	set synth.SetCursor

	inIndex, inSet bool // which of the two stand on a key
	virtual        bool // the current object is the set's

	dataset *synth.Dataset // whose time and meta follow
	modTime int64
	meta    *meta

	layout uint64 // of the keys that stem is for; 0: none
	stem   synth.Stem
}

// seekMerged is Seek in a bucket whose data sets are v, nil if it has been
// deleted.
func (c *Cursor) seekMerged(v *virtual, key []byte) bool {
	m := &c.merge
	if m.v != v {
		m.v = v
		m.set.Reset(v.dataSets())
		m.layout = 0
	}
	m.inSet = m.set.Seek(key)
	if m.inIndex = c.leap(key); !m.inIndex {
		c.fetchMerged(key, false)
	}
	return c.settle()
}

// nextMerged is Next in a bucket with data sets.
func (c *Cursor) nextMerged() bool {
	if m := &c.merge; m.virtual {
		m.inSet = m.set.Next()
	} else if !c.step() {
		c.fetchMerged(c.key, true)
	}
	return c.settle()
}

// fetchMerged is fetch. It ends the walk if the bucket has been deleted: the
// holes have gone with it.
func (c *Cursor) fetchMerged(key []byte, after bool) {
	m := &c.merge
	m.inIndex = c.fetch(key, after)
	if c.b.virtual.Load() != m.v {
		m.inIndex, m.inSet = false, false
	}
}

// settle moves to the lesser of the two keys, passing by holes and what is
// covered.
func (c *Cursor) settle() bool {
	m := &c.merge
	for {
		m.virtual = m.inSet
		if !m.inIndex {
			return m.inSet
		}
		if m.inSet {
			order := bytes.Compare(c.key, m.set.Key())
			if order > 0 {
				return true
			}
			if order == 0 {
				m.inSet = m.set.Next()
			}
			m.virtual = false
		}
		if !isHole(c.block[c.payload:]) {
			return true
		}
		if !c.step() {
			c.fetchMerged(c.key, true)
		}
	}
}

// virtualObject is Object where the current one is virtual.
func (c *Cursor) virtualObject() *Object {
	c.enter()
	o, m := &c.obj, &c.merge
	if !c.plain {
		*o, c.plain = Object{}, true
	}
	o.Size, o.ModTime = m.set.Size(), m.modTime
	o.setMeta(m.meta.text())
	key := m.set.Key()
	if id, from, _ := m.set.Layout(); id != m.layout {
		m.layout, m.stem = id, m.v.names.Stem(key[:from])
	}
	o.Content = m.stem.Hash(key)
	c.tags.derive(&o.ETag, o.Content, o.Size)
	return o
}

// virtualRecord is record where the current object is virtual.
func (c *Cursor) virtualRecord() *record {
	c.enter()
	m := &c.merge
	m.v.fill(&c.r, m.set.Key(), m.set.Size(), m.modTime, m.meta)
	return &c.r
}

// enter looks up what the objects of the current data set share.
func (c *Cursor) enter() {
	m := &c.merge
	if d := m.set.Dataset(); d != m.dataset {
		m.dataset, m.modTime, m.meta = d, d.ModTime(), m.v.metas[d]
	}
}
