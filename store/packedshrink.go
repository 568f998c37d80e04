package store

import "encoding/binary"

// remove takes out the entry to which path leads. It uses up path.
func (t *packed) remove(path *treePath) {
	s := path.at[path.leaf]
	p := t.page(s.id)
	p.remove(s.i)
	t.count--
	if p.count() == 0 {
		t.drop(path, path.leaf)
		return
	}
	t.merge(path, path.leaf)
}

// drop frees the page at depth d, which holds nothing.
func (t *packed) drop(path *treePath, d int) {
	t.freePage(path.at[d].id)
	if d == 0 {
		*t = packed{mem: t.mem, alloc: t.alloc, size: t.size}
		return
	}
	s := path.at[d-1]
	parent := t.page(s.id)
	switch {
	case s.i > 0:
		parent.remove(s.i - 1)
	case parent.count() == 0:
		t.drop(path, d-1)
		return
	default:
		binary.LittleEndian.PutUint32(parent[pageChild:], parent.child(1))
		parent.remove(0)
	}
	t.settle(path, d-1)
}

// clear frees all pages.
func (t *packed) clear() {
	if t.root == 0 {
		return
	}
	t.freeBelow(t.root)
	*t = packed{mem: t.mem, alloc: t.alloc, size: t.size}
}

// freeBelow frees a page and all below it.
func (t *packed) freeBelow(id uint32) {
	if p := t.page(id); !p.leaf() {
		for i := range p.count() + 1 {
			t.freeBelow(p.child(i))
		}
	}
	t.freePage(id)
}

// settle looks after a page above the leaves that has lost a child.
func (t *packed) settle(path *treePath, d int) {
	if d > 0 {
		t.merge(path, d)
		return
	}
	for t.height > 1 {
		p := t.page(t.root)
		if p.count() > 0 {
			return
		}
		id := t.root
		t.root = p.child(0)
		t.height--
		t.freePage(id)
	}
}

// merge joins the page at depth d with a neighbour under the same parent if it
// is rather empty and they fit.
func (t *packed) merge(path *treePath, d int) {
	s := path.at[d]
	p := t.page(s.id)
	if d == 0 || p.live() >= t.size*2/5 {
		return
	}
	parent, i := t.page(path.at[d-1].id), path.at[d-1].i
	switch {
	case i > 0 && t.join(parent, i-1):
	case i < parent.count() && t.join(parent, i):
	default:
		return
	}
	t.settle(path, d-1)
}

// join merges child i+1 of parent into child i, if that leaves room.
func (t *packed) join(parent page, i int) bool {
	left, right := parent.child(i), parent.child(i+1)
	a, b := t.page(left), t.page(right)
	spare := t.size / 10
	if joinedLen(a, b)+spare > t.size {
		return false
	}
	g := newBuilder(a[pageLevel])
	defer g.free()
	child := uint32(0)
	g.add(a, 0, a.count())
	if !a.leaf() {
		child = a.child(0)
		// The separator comes down between the two.
		g.addEntry(parent.appendKey(nil, i), b[pageChild:pageChild+childSize], pageBase{})
	}
	g.add(b, 0, b.count())
	if !g.packAll(t.size, spare, child) {
		return false
	}
	g.out[0].copyTo(a)
	parent.remove(i)
	t.freePage(right)
	return true
}

// joinedLen estimates what two pages take as one, in bytes.
func joinedLen(a, b page) int {
	grown := func(p page, prefix, suffix int) int {
		return p.live() - pageHeader + p.count()*(p.u16(pagePrefix)-prefix+p.u16(pageSuffix)-suffix)
	}
	prefix := commonPrefixLen(a.prefix(), b.prefix())
	suffix := commonSuffixLen(a.suffix(), b.suffix())
	return pageHeader + grown(a, prefix, suffix) + grown(b, prefix, suffix)
}
