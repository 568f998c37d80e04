package store

import (
	"encoding/binary"
	"os"
	"unsafe"
)

// packed is the B+tree of pages that holds the objects of one bucket. All of
// it but a table of page addresses is in pages outside of the Go heap, one page
// of the operating system each, so that the garbage collector never looks at
// it and what is deleted goes back to the system page by page.
//
// A page is split where an entry has no room; in the middle, or, if entries
// come in order, at the entry, which leaves full pages behind. A page that is
// less than 2/5 full is merged with a neighbour if both together leave a tenth
// of a page free; so two neighbours are never emptier than that.
//
// Methods that read may run together; a change needs the tree alone. Each
// takes time in proportion to the height, which is 3 for 50 million keys, and
// to one page for each level that is split or merged.
type packed struct {
	mem   *memory
	alloc *segmentAllocator
	size  int // of a page

	chunks  []*pageChunk      // addresses of the pages by number
	vacant  []uint32          // numbers not in use
	last    uint32            // the highest number given
	foreign map[uint32][]byte // pages from the Go heap

	root   uint32 // 0 = empty
	height int    // levels
	count  int    // entries
}

// pageChunk is a part of the table of addresses: growing by parts needs no
// copy, which for millions of pages would keep readers waiting.
type pageChunk [256]unsafe.Pointer

const (
	// pageNumberCost is what the tree takes for a page besides the page.
	pageNumberCost = 8
	// minPageSize is the least that a page may have: three entries of the
	// longest key must fit, see builder.split.
	minPageSize = 4096
	// maxHeight is never reached: with two children a page, the least there
	// can be, 2^31 pages would be 8 TiB.
	maxHeight = 32
)

// MaxKeyLen is the longest key, in bytes, S3's limit.
// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-keys.html
const MaxKeyLen = 1024

// treePath is the way to an entry: at each level the page and the position in
// it, of a child above and of an entry in the leaf, which is last.
type treePath struct {
	at   [maxHeight]treeStep
	leaf int // the last one's index
}

type treeStep struct {
	id uint32
	i  int
}

func newPacked(mem *memory, alloc *segmentAllocator) packed {
	// With pages of 64 KiB half of each is address space only.
	size := min(max(os.Getpagesize(), minPageSize), maxPageSize)
	return packed{mem: mem, alloc: alloc, size: size}
}

// pages is the number of pages.
func (t *packed) pages() int {
	return int(t.last) - len(t.vacant)
}

// pageCost is what a page takes of the memory limit, in bytes.
func (t *packed) pageCost() int64 {
	return int64(t.size + pageNumberCost)
}

// page returns the page of that number.
func (t *packed) page(id uint32) page {
	p := t.chunks[id/uint32(len(pageChunk{}))][id%uint32(len(pageChunk{}))]
	return unsafe.Slice((*byte)(p), t.size)
}

// find returns the leaf and the position of key, or nil. It does not allocate.
func (t *packed) find(key []byte) (p page, i int) {
	if t.root == 0 {
		return nil, 0
	}
	p = t.page(t.root)
	for !p.leaf() {
		i, found := p.find(key)
		if found {
			i++
		}
		p = t.page(p.child(i))
	}
	i, found := p.find(key)
	if !found {
		return nil, 0
	}
	return p, i
}

// descend finds the way to the first entry >= key or the place to insert it.
// The tree must not be empty.
func (t *packed) descend(key []byte, path *treePath) (p page, found bool) {
	id := t.root
	for d := range path.at {
		p := t.page(id)
		i, found := p.find(key)
		if !p.leaf() && found {
			i++
		}
		path.at[d] = treeStep{id, i}
		if p.leaf() {
			path.leaf = d
			return p, found
		}
		id = p.child(i)
	}
	panic("BUG: store: tree is too high")
}

// seek returns the leaf and the position of the first entry >= key, or > key;
// nil if there is none. It does not allocate.
func (t *packed) seek(key []byte, after bool) (p page, i int) {
	if t.root == 0 {
		return nil, 0
	}
	var path treePath
	p, found := t.descend(key, &path)
	i = path.at[path.leaf].i
	if found && after {
		i++
	}
	if i < p.count() {
		return p, i
	}
	// The first entry of the next leaf; none is empty.
	for d := path.leaf - 1; d >= 0; d-- {
		s := path.at[d]
		p = t.page(s.id)
		if s.i == p.count() {
			continue
		}
		p = t.page(p.child(s.i + 1))
		for !p.leaf() {
			p = t.page(p.child(0))
		}
		return p, 0
	}
	return nil, 0
}

// put inserts the entry to which path leads, or replaces it if found is set.
// payload is relative to base, which must be that of the leaf if there is one.
// The error is ErrMemoryLimit, unless force is set; nothing has changed then.
func (t *packed) put(path *treePath, found bool, key, payload []byte, base pageBase, force bool) error {
	if t.root == 0 {
		return t.plant(key, payload, base, force)
	}
	s := path.at[path.leaf]
	p := t.page(s.id)
	if found {
		if p.replace(s.i, key, payload) {
			return nil
		}
	} else if p.shares(key) && p.insert(s.i, key, payload) {
		t.count++
		return nil
	}
	return t.rewrite(path, found, key, payload, base, force)
}

// plant makes the first leaf.
func (t *packed) plant(key, payload []byte, base pageBase, force bool) error {
	if err := t.reserve(1, force); err != nil {
		return err
	}
	g := newBuilder(0)
	defer g.free()
	g.addEntry(key, payload, base)
	g.packAll(t.size, 0, 0)
	t.root, t.height, t.count = t.newPage(), 1, 1
	copy(t.page(t.root), g.out[0].page)
	return nil
}

// rewrite is put where the leaf must be compacted, encoded anew or split.
func (t *packed) rewrite(path *treePath, found bool, key, payload []byte, base pageBase, force bool) error {
	s := path.at[path.leaf]
	p := t.page(s.id)
	n := p.count()
	g := newBuilder(0)
	defer g.free()
	g.add(p, 0, s.i)
	g.addEntry(key, payload, base)
	rest := s.i
	if found {
		rest++
	}
	g.add(p, rest, n)
	// A page without dead bytes is full if key shares its affixes. One that
	// gains little is split too, or it would be compacted again and again.
	const least = 16
	fits := false
	switch {
	case !p.shares(key):
		fits = g.packAll(t.size, 0, 0)
	case p.u16(pageDead) >= t.size/least:
		fits = g.packAll(t.size, t.size/least, 0)
	}
	if !fits {
		g.packSplit(t.size, t.splitAt(g, p, s.i, found, p.shares(key)), 0)
		if err := t.reserve(len(g.out)-1, force); err != nil {
			if !g.packAll(t.size, 0, 0) {
				return err
			}
		}
	}
	if !found {
		t.count++
	}
	if len(g.out) == 1 {
		q := g.out[0].page
		copy(q[pageHint:pageRun+1], p[pageHint:pageRun+1])
		if !found {
			q.follow(s.i)
		}
	}
	t.commit(path, path.leaf, g)
	return nil
}

// splitAt says before which of the items of g the leaf p is divided for an
// entry at position i that is new, or replaced if found is set.
func (t *packed) splitAt(g *builder, p page, i int, found, shared bool) int {
	n := len(g.items)
	at := n / 2
	stranger := !shared && (i == 0 || i == n-1)
	if stranger || !found && p.inOrder(i) {
		// Keys come in order, or the new one is unlike the others: it starts
		// the page of what follows, or, in descending order, ends the page of
		// what comes before.
		at = i
		if i < n/2 {
			at = i + 1
		} else if i < n-1 {
			// What follows may be the start of another series: without it the
			// keys of this one may share more, and room is left for the next.
			if q := g.next(t.size); g.write(q, 0, i+1, 0) && q.room() > t.size/8 {
				at = i + 1
			}
		}
	}
	return min(max(at, 1), n-1)
}

// commit copies the pages of g over the one at depth d of path, and into new
// ones after it, which must be reserved. It uses up path.
func (t *packed) commit(path *treePath, d int, g *builder) {
	id := path.at[d].id
	g.out[0].copyTo(t.page(id))
	if len(g.out) == 1 {
		return
	}
	if d == 0 {
		t.grow(path)
		d = 1
	}
	s := path.at[d-1]
	parent := t.page(s.id)
	up := newBuilder(g.level + 1)
	defer up.free()
	up.add(parent, 0, s.i)
	for _, o := range g.out[1:] {
		if g.level > 0 {
			t.force(1)
		}
		id := t.newPage()
		o.copyTo(t.page(id))
		up.addEntry(o.sep, binary.LittleEndian.AppendUint32(nil, id), pageBase{})
	}
	// Nearly always there is one new page and room for it.
	if len(g.out) == 2 && parent.shares(g.out[1].sep) && parent.insert(s.i, g.out[1].sep, up.items[s.i].payload) {
		return
	}
	up.add(parent, s.i, parent.count())
	child := parent.child(0)
	if !up.packAll(t.size, 0, child) {
		at := len(up.items) / 2
		if s.i == parent.count() {
			at = len(up.items) - 1 // in order
		}
		up.packSplit(t.size, at, child)
	}
	t.commit(path, d-1, up)
}

// grow puts a new root above the old one, which becomes its only child.
func (t *packed) grow(path *treePath) {
	old := t.page(t.root)
	t.force(1)
	id := t.newPage()
	g := newBuilder(old[pageLevel] + 1)
	g.write(t.page(id), 0, 0, t.root)
	g.free()
	copy(path.at[1:], path.at[:t.height])
	path.at[0] = treeStep{id, 0}
	path.leaf++
	t.root = id
	t.height++
}
