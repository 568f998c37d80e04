package store

import "github.com/tidwall/btree"

// VersionCursor walks all versions of a bucket's objects and their delete
// markers: keys in byte order, the versions of a key from the newest to the
// oldest. As with Cursor, it holds the bucket's read lock until Close.
type VersionCursor struct {
	b       *Bucket
	current btree.MapIter[string, *record]
	older   btree.MapIter[string, *history]
	// Whether the iterators stand on a key, which is >= key.
	hasCurrent, hasOlder bool

	key    string
	r      *record
	isLast bool     // r is the latest version
	h      *history // of key, nil if it has none
	left   int      // versions in h behind r
	obj    Object
}

// VersionCursor returns a cursor that stands before the first version.
func (b *Bucket) VersionCursor() *VersionCursor {
	c := b.versionCursors.Get().(*VersionCursor)
	b.mu.RLock()
	return c
}

// Seek moves to the newest version of the first key >= key, forwards or
// backwards, and reports whether there is one.
func (c *VersionCursor) Seek(key []byte) bool {
	c.hasCurrent = c.current.Seek(view(key))
	c.hasOlder = c.older.Seek(view(key))
	return c.settle()
}

// SeekBehind moves to the version of key that follows v, whether or not v is
// still there, or else to the next key. A null version that is not there is
// taken for the oldest; see Place.
func (c *VersionCursor) SeekBehind(key []byte, v Version) bool {
	if !c.Seek(key) || c.key != view(key) {
		return c.r != nil
	}
	place := uint64(v)
	if v == 0 {
		if r := c.b.version(key, 0); r != nil {
			place = r.place
		}
	}
	if c.r.place < place {
		return true
	}
	if c.h != nil {
		// Everything from i on is as new as v or newer.
		i, _ := c.h.find(place)
		c.left = min(c.left, i)
	}
	return c.Next()
}

// settle stands on the newest version of the lesser of the two keys.
func (c *VersionCursor) settle() bool {
	c.r, c.h, c.isLast = nil, nil, true
	switch {
	case !c.hasCurrent && !c.hasOlder:
		return false
	case !c.hasCurrent || c.hasOlder && c.older.Key() < c.current.Key():
		c.key, c.h = c.older.Key(), c.older.Value()
		c.left = len(c.h.list) - 1
		c.r = c.h.list[c.left]
		return true
	}
	c.key, c.r = c.current.Key(), c.current.Value()
	if c.hasOlder && c.older.Key() == c.key {
		c.h = c.older.Value()
		c.left = len(c.h.list)
	}
	return true
}

// Next moves to the next version and reports whether there is one. It may be
// called only after a move that succeeded.
func (c *VersionCursor) Next() bool {
	if c.h != nil && c.left > 0 {
		c.left--
		c.r, c.isLast = c.h.list[c.left], false
		return true
	}
	if c.hasCurrent && c.current.Key() == c.key {
		c.hasCurrent = c.current.Next()
	}
	if c.h != nil {
		c.hasOlder = c.older.Next()
	}
	return c.settle()
}

// Key is the current key, valid until Close; it must not be written to. Like
// the methods below it may be called only after a move that succeeded.
func (c *VersionCursor) Key() []byte { return bytesView(c.key) }

// Object is the current version, valid until the next move; no reference to
// its Data is taken. Of a delete marker only Version and ModTime are set.
func (c *VersionCursor) Object() *Object {
	c.r.fill(&c.obj)
	return &c.obj
}

// IsMarker reports whether the current version is a delete marker.
func (c *VersionCursor) IsMarker() bool { return c.r.marker }

// IsLatest reports whether the current version is the latest of its key.
func (c *VersionCursor) IsLatest() bool { return c.isLast }

// Place is what to give SeekBehind to go on after the current version. It is
// the version, but for a null version a number that is good even after that
// version was deleted.
func (c *VersionCursor) Place() Version { return Version(c.r.place) }

// Close releases the bucket. The cursor must not be used afterwards.
func (c *VersionCursor) Close() {
	c.b.mu.RUnlock()
	c.r, c.h, c.key, c.obj = nil, nil, "", Object{}
	c.b.versionCursors.Put(c)
}
