package store

import "strings"

// metaCost is what a distinct Meta costs besides its text: the meta struct of
// 32 bytes, its place in metaTable.list, and its entry in a Go map at 7/8 to
// 7/16 fill.
const metaCost = 96

// meta is a Meta text shared by all objects of a bucket that have it.
type meta struct {
	s    string
	refs int64
	id   uint32 // metaTable.list[id]; never 0
}

// text is the Meta; a nil meta is the empty one.
func (m *meta) text() string {
	if m == nil {
		return ""
	}
	return m.s
}

// number is the id; 0 is the empty Meta.
func (m *meta) number() uint32 {
	if m == nil {
		return 0
	}
	return m.id
}

// metaTable shares equal Meta strings between the objects of one bucket: a
// million objects uploaded with the same headers hold one string, each by its
// number. It counts references rather than leaning on package unique, because
// memory that counts against a limit must be returned at a known moment.
// Guarded by Bucket.mu.
type metaTable struct {
	m      map[string]*meta
	list   []*meta  // by number; nil where unused, [0] is the empty Meta
	vacant []uint32 // numbers not in use
	last   *meta    // the one used last: a run of like objects skips the hashing
}

// find returns the entry of s, or nil.
func (t *metaTable) find(s string) *meta {
	if t.last != nil && t.last.s == s {
		return t.last
	}
	return t.m[s]
}

// get returns the entry of that number; nil for 0.
func (t *metaTable) get(id uint32) *meta {
	if id == 0 {
		return nil
	}
	return t.list[id]
}

// cost is what acquire(s) would add to the account, in bytes.
func (t *metaTable) cost(s string) int64 {
	if s == "" || t.find(s) != nil {
		return 0
	}
	return int64(metaCost + len(s))
}

// acquire takes a reference to the entry of s, made if needed.
func (t *metaTable) acquire(s string) *meta {
	if s == "" {
		return nil
	}
	e := t.find(s)
	if e == nil {
		e = t.add(strings.Clone(s))
	}
	t.last = e
	e.refs++
	return e
}

func (t *metaTable) add(s string) *meta {
	if t.m == nil {
		t.m = make(map[string]*meta)
		t.list = make([]*meta, 1, 2)
	}
	e := &meta{s: s}
	if n := len(t.vacant); n > 0 {
		e.id = t.vacant[n-1]
		t.vacant = t.vacant[:n-1]
		t.list[e.id] = e
	} else {
		e.id = uint32(len(t.list))
		t.list = append(t.list, e)
	}
	t.m[s] = e
	return e
}

// release drops a reference and returns the bytes that this frees.
func (t *metaTable) release(e *meta) int64 {
	if e == nil {
		return 0
	}
	e.refs--
	if e.refs > 0 {
		return 0
	}
	delete(t.m, e.s)
	t.list[e.id] = nil
	t.vacant = append(t.vacant, e.id)
	if t.last == e {
		t.last = nil
	}
	if len(t.m) == 0 {
		*t = metaTable{}
	}
	return int64(metaCost + len(e.s))
}
