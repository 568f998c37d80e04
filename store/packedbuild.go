package store

import (
	"bytes"
	"encoding/binary"
	"sync"
)

// builder writes pages anew from a list of entries: when one overflows, when
// a key does not share its prefix or suffix, and when two are merged. The
// pages that entries are taken from are not changed until the outcome is
// copied over them.
type builder struct {
	level byte
	items []item
	keys  []byte
	out   []outPage
	pages []page // scratch for out
	tmp   []byte
}

// item is an entry to be written.
type item struct {
	from, to int // its key in builder.keys
	payload  []byte
	base     pageBase // of payload
}

// outPage is a page written by a builder, with the separator before it: keys
// in it are >= sep, keys in the page before are less.
type outPage struct {
	page
	sep []byte
}

// builders are shared by all buckets: 30 KiB each that few need at once.
var builders = sync.Pool{New: func() any { return new(builder) }}

func newBuilder(level byte) *builder {
	g := builders.Get().(*builder)
	g.level = level
	g.items, g.keys, g.out = g.items[:0], g.keys[:0], g.out[:0]
	return g
}

func (g *builder) free() {
	clear(g.items) // views of pages
	builders.Put(g)
}

// add appends entries [from, to) of p.
func (g *builder) add(p page, from, to int) {
	base := pageBase{}
	if p.leaf() {
		base = p.base()
	}
	prefix, suffix, slots := p.prefix(), p.suffix(), p.slots()
	for i := from; i < to; i++ {
		slot := p[slots+slotSize*i:]
		middle, tail, rest := p.entryAt(slot.u16(0))
		start := len(g.keys)
		g.keys = append(append(g.keys, prefix...), slot[2:2+min(middle, headSize)]...)
		g.keys = append(append(g.keys, tail...), suffix...)
		g.items = append(g.items, item{from: start, to: len(g.keys), payload: rest[:p.payloadLen(rest)], base: base})
	}
}

// addEntry appends one entry. payload must stay.
func (g *builder) addEntry(key, payload []byte, base pageBase) {
	start := len(g.keys)
	g.keys = append(g.keys, key...)
	g.items = append(g.items, item{from: start, to: len(g.keys), payload: payload, base: base})
}

func (g *builder) key(i int) []byte {
	return g.keys[g.items[i].from:g.items[i].to]
}

// next returns scratch for another page.
func (g *builder) next(size int) page {
	n := len(g.out)
	if n == len(g.pages) || len(g.pages[n]) != size {
		g.pages = append(g.pages[:n], make(page, size))
	}
	return g.pages[n]
}

// packAll writes all items into one page of size bytes, with at least spare
// bytes free, and reports whether they fit.
func (g *builder) packAll(size, spare int, child uint32) bool {
	g.out = g.out[:0]
	p := g.next(size)
	if !g.write(p, 0, len(g.items), child) || p.room() < spare {
		return false
	}
	g.out = append(g.out, outPage{page: p})
	return true
}

// packSplit writes the items into two pages or more, divided before item at
// and where needed elsewhere.
func (g *builder) packSplit(size, at int, child uint32) {
	g.out = g.out[:0]
	g.split(size, 0, at, len(g.items), child, nil)
}

// split writes items [from, to) divided at the item at; above a leaf that item
// becomes the separator.
func (g *builder) split(size, from, at, to int, child uint32, sep []byte) {
	g.pack(size, from, at, child, sep)
	if g.level > 0 {
		g.pack(size, at+1, to, binary.LittleEndian.Uint32(g.items[at].payload), g.key(at))
		return
	}
	a, b := g.key(at-1), g.key(at)
	g.pack(size, at, to, 0, b[:commonPrefixLen(a, b)+1])
}

// pack writes items [from, to) into as many pages as they need.
func (g *builder) pack(size, from, to int, child uint32, sep []byte) {
	p := g.next(size)
	if g.write(p, from, to, child) {
		g.out = append(g.out, outPage{page: p, sep: sep})
		return
	}
	g.split(size, from, (from+to)/2, to, child, sep)
}

// write makes p a page of items [from, to) and reports whether they fit.
func (g *builder) write(p page, from, to int, child uint32) bool {
	clear(p[:pageHeader])
	p.putU16(pageHeap, len(p))
	p[pageLevel] = g.level
	if g.level > 0 {
		binary.LittleEndian.PutUint32(p[pageChild:], child)
	}
	if from == to {
		return true
	}
	prefix, suffix := g.affixes(from, to)
	p.putU16(pagePrefix, len(prefix))
	p.putU16(pageSuffix, len(suffix))
	if pageHeader+len(prefix)+len(suffix)+slotSize*(to-from) > len(p) {
		return false
	}
	copy(p[pageHeader:], prefix)
	copy(p[pageHeader+len(prefix):], suffix)
	base := pageBase{}
	if g.level == 0 {
		base = g.items[(from+to)/2].rebased()
		binary.LittleEndian.PutUint64(p[pageMod:], uint64(base.mod))
		binary.LittleEndian.PutUint32(p[pageMeta:], base.meta)
	}
	slot := p.slots()
	end := slot + slotSize*(to-from)
	heap, extras := len(p), 0
	for i := range g.items[from:to] {
		it := &g.items[from+i]
		payload := it.payload
		if g.level == 0 {
			if it.base != base {
				g.tmp = rebase(g.tmp[:0], payload, it.base, base)
				payload = g.tmp
			}
			if hasExtra(payload) {
				extras++
			}
		}
		middle := g.keys[it.from+len(prefix) : it.to-len(suffix)]
		heap -= keyLen(len(middle)) + len(payload)
		if heap < end {
			return false
		}
		p.putEntry(heap, middle, payload)
		putSlot(p[slot:], heap, g.keys[it.from+len(prefix):it.to])
		slot += slotSize
	}
	p.putU16(pageHeap, heap)
	p.putU16(pageExtras, extras)
	p.putU16(pageCount, to-from)
	return true
}

// keepMod is by how many milliseconds an entry may be away from its base
// before its page gets another: what takes three bytes. Payloads whose base
// stays are copied as they are.
const keepMod = 1 << 19

// rebased returns the base of the page in whose middle the item is: with keys
// written in order of time the differences are half as large as elsewhere.
func (it *item) rebased() pageBase {
	to := pageBase{mod: recordMod(it.payload, it.base), meta: recordMeta(it.payload, it.base)}
	if d := to.mod - it.base.mod; to.meta == it.base.meta && -keepMod < d && d < keepMod {
		return it.base
	}
	return to
}

// affixes returns the longest prefix and, in a leaf, the longest suffix beyond
// it that the keys of items [from, to) share. Separators are cut short and
// share no ends.
func (g *builder) affixes(from, to int) (prefix, suffix []byte) {
	first, last := g.key(from), g.key(to-1)
	n := commonPrefixLen(first, last)
	prefix, suffix = first[:n], first[n:]
	if g.level > 0 {
		return prefix, nil
	}
	for i := from + 1; i < to && len(suffix) > 0; i++ {
		k := g.key(i)[n:]
		if !bytes.HasSuffix(k, suffix) {
			suffix = suffix[len(suffix)-commonSuffixLen(k, suffix):]
		}
	}
	return prefix, suffix
}

// commonPrefixLen is the number of bytes that a and b start with alike.
func commonPrefixLen(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// commonSuffixLen is the number of bytes that a and b end with alike.
func commonSuffixLen(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[len(a)-1-i] != b[len(b)-1-i] {
			return i
		}
	}
	return n
}
