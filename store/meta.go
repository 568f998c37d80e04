package store

import "strings"

// metaCost is what a distinct Meta costs besides its text: the meta struct,
// and its entry in a Go map at 7/8 to 7/16 fill.
const metaCost = 80

// meta is a Meta text shared by all objects of a bucket that have it.
type meta struct {
	s    string
	refs int64
}

// text is the Meta; a nil meta is the empty one.
func (m *meta) text() string {
	if m == nil {
		return ""
	}
	return m.s
}

// metaTable shares equal Meta strings between the objects of one bucket: a
// million objects uploaded with the same headers hold one string. It counts
// references rather than leaning on package unique, because memory that counts
// against a limit must be returned at a known moment. Guarded by Bucket.mu.
type metaTable struct {
	m    map[string]*meta
	last *meta // the one used last: a run of like objects skips the hashing
}

// find returns the entry of s, or nil.
func (t *metaTable) find(s string) *meta {
	if t.last != nil && t.last.s == s {
		return t.last
	}
	return t.m[s]
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
		e = &meta{s: strings.Clone(s)}
		if t.m == nil {
			t.m = make(map[string]*meta)
		}
		t.m[e.s] = e
	}
	t.last = e
	e.refs++
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
	if t.last == e {
		t.last = nil
	}
	return int64(metaCost + len(e.s))
}
