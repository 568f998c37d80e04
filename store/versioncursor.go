package store

import (
	"bytes"

	"github.com/tidwall/btree"
)

// VersionCursor walks all versions of a bucket's objects and their delete
// markers: keys in byte order, the versions of a key from the newest to the
// oldest. It holds the bucket's read lock from Bucket.VersionCursor to Close,
// but lets writers in every yieldMoves moves: what is written meanwhile shows
// or not. Its goroutine must not call another method of the bucket meanwhile
// (a waiting writer would block both), and it must be closed soon. It is used
// by one goroutine. Nothing it does allocates, once it has been used before.
type VersionCursor struct {
	b       *Bucket
	current Cursor
	older   btree.MapIter[string, *history]
	gen     uint64 // Bucket.gen of what the iterators know
	moves   int    // with the lock held

	// Whether the iterators stand on a key, which is >= key.
	hasCurrent, hasOlder bool

	key    []byte // a view of an iterator's
	r      *record
	isLast bool     // r is the latest version
	h      *history // of key, nil if it has none
	left   int      // versions in h behind r
	behind []byte   // scratch
	obj    Object
}

// yieldMoves bounds how long a writer waits for a VersionCursor: 64 lines of a
// listing take some ten microseconds, and another lock of 20 ns is nothing
// beside that.
const yieldMoves = 64

// VersionCursor returns a cursor that stands before the first version.
func (b *Bucket) VersionCursor() *VersionCursor {
	c := b.versionCursors.Get().(*VersionCursor)
	b.mu.RLock()
	c.gen = b.gen
	return c
}

// Seek moves to the newest version of the first key >= key, forwards or
// backwards, and reports whether there is one.
func (c *VersionCursor) Seek(key []byte) bool {
	c.yield()
	return c.seek(key)
}

func (c *VersionCursor) seek(key []byte) bool {
	c.current.n = 0 // its block may be older than what c.older sees
	c.hasCurrent = c.current.Seek(key)
	c.hasOlder = c.older.Seek(view(key))
	return c.settle()
}

// SeekBehind moves to the version of key that follows v, whether or not v is
// still there, or else to the next key. A null version that is not there is
// taken for the oldest; see Place.
func (c *VersionCursor) SeekBehind(key []byte, v Version) bool {
	c.yield()
	return c.seekBehind(key, v)
}

func (c *VersionCursor) seekBehind(key []byte, v Version) bool {
	if !c.seek(key) || !bytes.Equal(c.key, key) {
		return c.r != nil
	}
	place := uint64(v)
	if v == 0 {
		var cur record
		if r := c.b.version(key, 0, &cur); r != nil {
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
	return c.next()
}

// yield lets writers in after some moves and reports whether one came.
func (c *VersionCursor) yield() bool {
	c.moves++
	if c.moves < yieldMoves {
		return false
	}
	c.moves = 0
	c.b.mu.RUnlock()
	c.b.mu.RLock()
	changed := c.gen != c.b.gen
	c.gen = c.b.gen
	return changed
}

// settle stands on the newest version of the lesser of the two keys.
func (c *VersionCursor) settle() bool {
	c.r, c.h, c.isLast = nil, nil, true
	if !c.hasCurrent && !c.hasOlder {
		return false
	}
	order := -1
	switch {
	case !c.hasCurrent:
		order = 1
	case c.hasOlder:
		order = bytes.Compare(c.current.Key(), bytesView(c.older.Key()))
	}
	if order >= 0 {
		c.h = c.older.Value()
		c.left = len(c.h.list)
	}
	if order > 0 {
		c.key = bytesView(c.older.Key())
		c.left--
		c.r = c.h.list[c.left]
		return true
	}
	c.key, c.r = c.current.Key(), c.current.record()
	return true
}

// Next moves to the next version and reports whether there is one. It may be
// called only after a move that succeeded.
func (c *VersionCursor) Next() bool {
	if c.yield() {
		c.behind = append(c.behind[:0], c.key...)
		return c.seekBehind(c.behind, c.Place())
	}
	return c.next()
}

func (c *VersionCursor) next() bool {
	if c.h != nil && c.left > 0 {
		c.left--
		c.r, c.isLast = c.h.list[c.left], false
		return true
	}
	if c.hasCurrent && (c.h == nil || bytes.Equal(c.current.Key(), c.key)) {
		c.hasCurrent = c.current.Next()
	}
	if c.h != nil {
		c.hasOlder = c.older.Next()
	}
	return c.settle()
}

// Key is the current key, valid until the next move; it must not be written
// to. Like the methods below it may be called only after a move that succeeded.
func (c *VersionCursor) Key() []byte { return c.key }

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
	c.current.reset()
	c.r, c.h, c.key, c.obj = nil, nil, nil, Object{}
	c.b.versionCursors.Put(c)
}
