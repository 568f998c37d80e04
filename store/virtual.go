package store

import (
	"bytes"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/s3ultra/s3ultra/synth"
)

// virtual is what exists in a bucket by rule: objects of data sets, which
// nobody has written and which take no memory. A key of theirs that has an
// entry in the index is covered: by an object, which was written over it, or
// by a hole, which a delete leaves. Only the index changes.
type virtual struct {
	set   *synth.Set               // nil: none now, but holes from an earlier start
	metas map[*synth.Dataset]*meta // not in the bucket's metaTable
	stats []DatasetStats           // in the order of the rules
	bytes int64                    // sum of stats
	names synth.Names

	coveredObjects, coveredBytes atomic.Int64
}

// DatasetStats describes a data set of a bucket.
type DatasetStats struct {
	*synth.Dataset
	Bytes int64 // sum of all sizes, covered or not
	Exact bool  // Bytes is; see synth.Dataset.TotalBytes
}

// Attach makes the objects of data sets exist in the bucket, and is called
// before others use the bucket, once. meta gives the Meta of a data set's
// objects. Objects in the bucket hide virtual ones of their keys, and so do the
// holes that an earlier start recorded. It takes some 30 ms for a data set
// whose sizes must be drawn to be summed up, and time in proportion to the
// index where that and the set have keys between each other's.
//
// Errors: ErrNotSynth, ErrVersioned, ErrNoSuchBucket.
func (b *Bucket) Attach(set *synth.Set, meta func(d *synth.Dataset) string) error {
	if b.mode != Synth {
		return fmt.Errorf("cannot put data sets into bucket %q: %w", b.name, ErrNotSynth)
	}
	v := newVirtual(b, set, meta)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.gone {
		return fmt.Errorf("cannot put data sets into bucket %q: %w", b.name, ErrNoSuchBucket)
	}
	if b.Versioning() != VersioningUnset {
		return fmt.Errorf("cannot put data sets into bucket %q: %w", b.name, ErrVersioned)
	}
	v.countCovered(b)
	b.virtual.Store(v)
	return nil
}

func newVirtual(b *Bucket, set *synth.Set, text func(d *synth.Dataset) string) *virtual {
	v := &virtual{set: set, metas: make(map[*synth.Dataset]*meta), names: b.index.names}
	for _, d := range set.Datasets() {
		if s := text(d); s != "" {
			v.metas[d] = &meta{s: s}
		}
		total, exact := d.TotalBytes()
		v.stats = append(v.stats, DatasetStats{Dataset: d, Bytes: total, Exact: exact})
		v.bytes = addBytes(v.bytes, total)
	}
	return v
}

// addBytes adds two sums of sizes, cut at 2^63-1.
func addBytes(a, b int64) int64 {
	return a + min(b, math.MaxInt64-a)
}

// countCovered counts what the entries of the index cover. The two orders of
// keys leap over each other's gaps; where there is none, they step. b.mu is held.
func (v *virtual) countCovered(b *Bucket) {
	var set synth.SetCursor
	set.Reset(v.set)
	c := Cursor{b: b, locked: true}
	inSet := set.Seek(nil)
	for inIndex := inSet && c.fetch(set.Key(), false); inIndex && inSet; {
		switch order := bytes.Compare(c.key, set.Key()); {
		case order == 0:
			v.cover(set.Size())
			inSet = set.Next()
			inIndex = c.step() || c.fetch(c.key, true)
		case order < 0:
			inIndex = c.step() && bytes.Compare(c.key, set.Key()) >= 0 || c.fetch(set.Key(), false)
		default:
			inSet = set.Next() && bytes.Compare(c.key, set.Key()) <= 0 || set.Seek(c.key)
		}
	}
}

// cover counts a virtual object of that size as covered.
func (v *virtual) cover(size int64) {
	v.coveredObjects.Add(1)
	v.coveredBytes.Add(size)
}

// visible is how many virtual objects are not covered, and their bytes. v may be
// nil.
func (v *virtual) visible() (objects, bytes int64) {
	if v.dataSets() == nil {
		return 0, 0
	}
	return v.set.Len() - v.coveredObjects.Load(), max(v.bytes-v.coveredBytes.Load(), 0)
}

// find reads the virtual object at key into r, covered or not, and reports
// whether there is one. v may be nil. It does not allocate.
func (v *virtual) find(key []byte, r *record) bool {
	if v.dataSets() == nil {
		return false
	}
	d, i, ok := v.set.Find(key)
	if ok {
		v.fill(r, key, d.Size(i), d.ModTime(), v.metas[d])
	}
	return ok
}

// fill makes r the record of a virtual object.
func (v *virtual) fill(r *record, key []byte, size, modTime int64, m *meta) {
	*r = record{size: size, modTime: modTime, content: v.names.Hash(key), meta: m}
	r.setETag(DeriveETag(r.content, size, 1))
}

// Datasets are the data sets of the bucket, in the order of their rules.
func (b *Bucket) Datasets() []DatasetStats {
	if v := b.virtual.Load(); v != nil {
		return v.stats
	}
	return nil
}

// virtualAt returns the virtual object at key, of which current has found no
// object, or nil. It is valid as long as current's. b.mu is held for writing.
func (b *Bucket) virtualAt(key []byte) *record {
	if b.hole || !b.virtual.Load().find(key, &b.cur) {
		return nil
	}
	return &b.cur
}

// hide leaves a hole at a key of a data set, in place of r, the current object,
// or, if that is nil, of the virtual one, whose size is given. It returns the
// Data to be released. Errors: ErrMemoryLimit, and those of persistence. b.mu is
// held.
func (b *Bucket) hide(key []byte, r *record, size int64) (freed *Data, err error) {
	b.remember(r)
	// What replaces an object must not fail for want of memory: it is a delete
	// and mostly takes less.
	if err := b.index.set(key, &record{marker: true}, r != nil); err != nil {
		return nil, err
	}
	if err := b.logHole(key); err != nil {
		b.undo(key)
		return nil, err
	}
	b.gen++
	if r == nil {
		b.virtual.Load().cover(size)
		return nil, nil
	}
	b.objects.Add(-1)
	b.bytes.Add(-r.size)
	b.st.mem.release(memoryIndex, r.extra()+b.metas.release(r.meta))
	return r.data, nil
}

// restoreHole puts a hole that an earlier start left back at key.
func (b *Bucket) restoreHole(key []byte) error {
	if b.virtual.Load() == nil {
		// The data sets may come later, or not any more.
		b.virtual.Store(&virtual{})
	}
	return b.index.set(key, &record{marker: true}, false)
}

// isEmpty reports whether the bucket has nothing that a client could see.
// b.mu is held.
func (b *Bucket) isEmpty() bool {
	if b.index.len() > 0 || b.versions.count > 0 {
		return false
	}
	v := b.virtual.Load()
	if v.dataSets() == nil {
		return true
	}
	if !v.set.MayOverlap() {
		return v.set.Len() == v.coveredObjects.Load()
	}
	// The set may count a key twice.
	c := Cursor{b: b, locked: true}
	return !c.Seek(nil)
}

// has reports whether a data set has the key. v may be nil.
func (v *virtual) has(key []byte) bool {
	if v.dataSets() == nil {
		return false
	}
	_, _, ok := v.set.Find(key)
	return ok
}

// dataSets is the set, nil if there is none. v may be nil.
func (v *virtual) dataSets() *synth.Set {
	if v == nil {
		return nil
	}
	return v.set
}
