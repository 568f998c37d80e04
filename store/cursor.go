package store

import "github.com/tidwall/btree"

// Cursor walks the objects of a bucket in byte order of their keys, for one
// page of a listing. It holds the bucket's read lock from Bucket.Cursor to
// Close: it must be closed soon, and its goroutine must not call another
// method of the bucket meanwhile (a waiting writer would block both). A Cursor
// is used by one goroutine. Nothing it does allocates.
type Cursor struct {
	b   *Bucket
	it  btree.MapIter[string, *record]
	obj Object
}

// Cursor returns a cursor that stands before the first key.
func (b *Bucket) Cursor() *Cursor {
	c := b.cursors.Get().(*Cursor)
	b.mu.RLock()
	return c
}

// Seek moves to the first key >= key, forwards or backwards, and reports
// whether there is one.
func (c *Cursor) Seek(key []byte) bool {
	return c.it.Seek(view(key))
}

// Next moves to the next key and reports whether there is one. It may be called
// only after a Seek that succeeded.
func (c *Cursor) Next() bool {
	return c.it.Next()
}

// Key is the current key, valid until Close; it must not be written to. It may
// be called only after Seek or Next returned true.
func (c *Cursor) Key() []byte {
	return bytesView(c.it.Key())
}

// Object is the current object, valid until the next move; no reference to its
// Data is taken. It may be called only after Seek or Next returned true.
func (c *Cursor) Object() *Object {
	c.it.Value().fill(&c.obj)
	return &c.obj
}

// Close releases the bucket. The cursor must not be used afterwards.
func (c *Cursor) Close() {
	c.b.mu.RUnlock()
	c.obj = Object{}
	c.b.cursors.Put(c)
}
