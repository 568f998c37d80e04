package store

import (
	"strings"
	"unsafe"

	"github.com/tidwall/btree"
)

// index is the ordered map from key to record of one bucket, in plain byte
// order. Only this file and cursor.go know that it is a B-tree of pointers.
// Readers may run together; a writer runs alone.
type index struct {
	m btree.Map[string, *record]
}

// view is b as a string that shares its memory: for lookups only, never to be
// stored.
func view(b []byte) string {
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// get returns the record of key, or nil. It does not allocate.
func (x *index) get(key []byte) *record {
	r, _ := x.m.Get(view(key))
	return r
}

// insert adds a key that is absent, copying it.
func (x *index) insert(key []byte, r *record) {
	x.m.Set(strings.Clone(view(key)), r)
}

// remove deletes a key.
func (x *index) remove(key []byte) {
	x.m.Delete(view(key))
}

// len is the number of keys.
func (x *index) len() int {
	return x.m.Len()
}

// bytesView is s as a slice that shares its memory and must not be written to.
func bytesView(s string) []byte {
	return unsafe.Slice(unsafe.StringData(s), len(s))
}
