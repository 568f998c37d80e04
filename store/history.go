package store

import (
	"slices"
	"strings"

	"github.com/tidwall/btree"
)

// historyCost is what a key costs that has noncurrent versions or delete
// markers, besides those: its history of 32 bytes and its place in the B-tree.
// Each version is counted as if it stood in the index, key included, so that
// it can move between the two without a change of the account: what the slice
// of pointers and the copy of the key take is less.
const historyCost = 72

// history holds the versions of one key that are not in the index, oldest
// first: those behind the current object, or, if the key is deleted, all of
// them with a marker as the last. It is never empty.
type history struct {
	list []*record
	null *record // the null version, if it is among them
}

// find returns where the record with r's place is, or would be.
func (h *history) find(place uint64) (i int, found bool) {
	return slices.BinarySearchFunc(h.list, place, func(r *record, place uint64) int {
		switch {
		case r.place < place:
			return -1
		case r.place > place:
			return 1
		}
		return 0
	})
}

// get returns version v, or nil.
func (h *history) get(v Version) *record {
	if v == 0 {
		return h.null
	}
	if i, ok := h.find(uint64(v)); ok && h.list[i].versioned {
		return h.list[i]
	}
	return nil
}

// versionIndex is the ordered map from key to history of one bucket. Like
// index, readers may run together and a writer runs alone. A bucket that never
// had versioning has nothing in it.
type versionIndex struct {
	m     btree.Map[string, *history]
	count int64 // records
}

// get returns the history of key, or nil. It does not allocate.
func (x *versionIndex) get(key []byte) *history {
	if x.count == 0 {
		return nil
	}
	h, _ := x.m.Get(view(key))
	return h
}

// version returns version v of key, or nil.
func (x *versionIndex) version(key []byte, v Version) *record {
	if h := x.get(key); h != nil {
		return h.get(v)
	}
	return nil
}

// newest returns the newest version of key, or nil.
func (x *versionIndex) newest(key []byte) *record {
	if h := x.get(key); h != nil {
		return h.list[len(h.list)-1]
	}
	return nil
}

// push adds r as the newest version of key, in place of replaced if that is
// not nil. key is copied.
func (x *versionIndex) push(key []byte, r, replaced *record) {
	h := x.get(key)
	if h == nil {
		h = new(history)
		x.m.Set(strings.Clone(view(key)), h)
	}
	if replaced != nil {
		h.remove(replaced)
		x.count--
	}
	h.list = append(h.list, r)
	if !r.versioned {
		h.null = r
	}
	x.count++
}

// remove takes r out of the history of key, where it must be, and reports
// whether that was the last version there.
func (x *versionIndex) remove(key []byte, r *record) (last bool) {
	h := x.get(key)
	h.remove(r)
	x.count--
	if len(h.list) > 0 {
		return false
	}
	x.m.Delete(view(key))
	return true
}

func (h *history) remove(r *record) {
	i, _ := h.find(r.place)
	h.list = slices.Delete(h.list, i, i+1)
	// A quarter full: then growing again takes as many changes as shrinking
	// did, and no history keeps more slots than the estimate pays for long.
	if cap(h.list) > 8 && len(h.list) < cap(h.list)/4 {
		h.list = slices.Clone(h.list)
	}
	if h.null == r {
		h.null = nil
	}
}
