package store

import (
	"bytes"
	"encoding/binary"
)

// page is one block of a packed tree: entries sorted by key, each a key and a
// payload, in one piece of memory of fixed size without pointers.
//
//	header | prefix | suffix | slots -> ... free ... <- entries
//
// prefix and suffix are what all keys of the page begin and end with; an entry
// holds what is between them, the middle. Names of data sets differ in a few
// digits and share the rest ("img_00012345_of_50203282.jpg"), so the middle is
// mostly shorter than a reference to the key would be. A slot is the offset of
// an entry and the head of its key, the bytes after the prefix, in key order: a
// search looks at the entries it passes by their heads, which are near each
// other, and at few of the entries, which are all over the page. What of the
// middle is in the head is not in the entry again. The payload is a record (packedrecord.go)
// in a leaf and the number of a child page above.
//
// Methods that read may run together; a change needs the page alone. Slices
// returned are views of the page.
type page []byte

// The header: little-endian fields at these offsets.
const (
	pageCount  = 0  // uint16, entries
	pageHeap   = 2  // uint16, where the lowest entry starts
	pageDead   = 4  // uint16, bytes of removed entries not yet reclaimed
	pagePrefix = 6  // uint16, length
	pageSuffix = 8  // uint16, length
	pageHint   = 10 // uint16, where the last entry was inserted
	pageRun    = 12 // uint8, inserts in a row that were near each other
	pageLevel  = 13 // uint8, 0 for a leaf
	pageExtras = 14 // uint16, leaf: entries for which hasExtra
	pageChild  = 16 // uint32, above a leaf: the child before the first entry
	pageMod    = 16 // int64, leaf: pageBase.mod
	pageMeta   = 24 // uint32, leaf: pageBase.meta
	pageHeader = 28

	slotSize  = 2 + headSize // uint16 offset, head
	headSize  = 4
	childSize = 4
)

// maxPageSize keeps offsets within 16 bits.
const maxPageSize = 1 << 15

// Keys that arrive in order, or nearly so because clients upload with some
// concurrency, are told from keys in random order by inserts that are near the
// one before: within a quarter of the page, which half of random ones are, for
// as many inserts in a row as a quarter of the page and at least minRun. Of
// random ones, 50 in a row are never near, and 8, in a page of 32 long keys,
// are once in 256.
const (
	nearShare = 4
	minRun    = 8
)

func (p page) u16(off int) int       { return int(binary.LittleEndian.Uint16(p[off:])) }
func (p page) putU16(off int, v int) { binary.LittleEndian.PutUint16(p[off:], uint16(v)) }

func (p page) count() int  { return p.u16(pageCount) }
func (p page) leaf() bool  { return p[pageLevel] == 0 }
func (p page) extras() int { return p.u16(pageExtras) }

func (p page) prefix() []byte {
	n := p.u16(pagePrefix)
	return p[pageHeader : pageHeader+n]
}

func (p page) suffix() []byte {
	at := pageHeader + p.u16(pagePrefix)
	return p[at : at+p.u16(pageSuffix)]
}

// slots is where the slots start.
func (p page) slots() int {
	return pageHeader + p.u16(pagePrefix) + p.u16(pageSuffix)
}

// room is the number of free bytes between slots and entries.
func (p page) room() int {
	return p.u16(pageHeap) - p.slots() - slotSize*p.count()
}

// live is the number of bytes in use.
func (p page) live() int {
	return len(p) - p.room() - p.u16(pageDead)
}

func (p page) base() pageBase {
	return pageBase{
		mod:  int64(binary.LittleEndian.Uint64(p[pageMod:])),
		meta: binary.LittleEndian.Uint32(p[pageMeta:]),
	}
}

// slot returns the offset of entry i and its head.
func (p page) slot(i int) (off int, head []byte) {
	at := p.slots() + slotSize*i
	return p.u16(at), p[at+2 : at+slotSize]
}

// entryAt returns the length of the middle of the entry at off, what of it is
// not in the head, and what follows: the payload, and beyond it arbitrary
// bytes.
func (p page) entryAt(off int) (middle int, tail, rest []byte) {
	middle, off = p.middleAt(off)
	n := tailLen(middle)
	return middle, p[off : off+n], p[off+n:]
}

// middleAt returns the length of the middle of the entry at off, and where what
// of it is not in the head begins.
func (p page) middleAt(off int) (middle, tail int) {
	middle = int(p[off])
	if middle < 0x80 {
		return middle, off + 1
	}
	return middle&0x7f | int(p[off+1])<<7, off + 2
}

// tailLen is the length of what of a middle is not in the head.
func tailLen(middle int) int {
	return max(middle-headSize, 0)
}

// entryPayload is the payload of entry i, and beyond it arbitrary bytes.
func (p page) entryPayload(i int) []byte {
	off, _ := p.slot(i)
	_, _, rest := p.entryAt(off)
	return rest
}

// payload returns the payload of entry i.
func (p page) payload(i int) []byte {
	rest := p.entryPayload(i)
	return rest[:p.payloadLen(rest)]
}

// payloadLen is the length of the payload that rest starts with.
func (p page) payloadLen(rest []byte) int {
	if p.leaf() {
		return recordLen(rest)
	}
	return childSize
}

// child returns the page number of child i of count()+1.
func (p page) child(i int) uint32 {
	if i == 0 {
		return binary.LittleEndian.Uint32(p[pageChild:])
	}
	return binary.LittleEndian.Uint32(p.entryPayload(i - 1))
}

// appendKey appends the key of entry i.
func (p page) appendKey(dst []byte, i int) []byte {
	off, head := p.slot(i)
	middle, tail, _ := p.entryAt(off)
	dst = append(append(dst, p.prefix()...), head[:min(middle, headSize)]...)
	return append(append(dst, tail...), p.suffix()...)
}

// shares reports whether key fits the prefix and the suffix of the page.
func (p page) shares(key []byte) bool {
	return bytes.HasPrefix(key, p.prefix()) && bytes.HasSuffix(key[p.u16(pagePrefix):], p.suffix())
}

// find returns the position of the first entry >= key, and whether it is key.
func (p page) find(key []byte) (i int, found bool) {
	n := p.count()
	prefix := p.prefix()
	if !bytes.HasPrefix(key, prefix) {
		if bytes.Compare(key, prefix) < 0 {
			return 0, false
		}
		return n, false
	}
	key = key[len(prefix):]
	suffix := p.suffix()
	slots := p.slots()
	head := headOf(key)
	lo, hi := 0, n
	for lo < hi {
		m := int(uint(lo+hi) >> 1)
		slot := p[slots+slotSize*m:]
		other := binary.BigEndian.Uint32(slot[2:])
		if head > other {
			lo = m + 1
			continue
		}
		if head == other {
			middle, tail, _ := p.entryAt(int(binary.LittleEndian.Uint16(slot)))
			c := -1 // key ends within the middle
			if k := min(middle, headSize); len(key) >= k {
				c = compareMiddle(key[k:], tail, suffix)
			}
			if c == 0 {
				return m, true
			}
			if c > 0 {
				lo = m + 1
				continue
			}
		}
		hi = m
	}
	return lo, false
}

// headOf is the first bytes of a key without its prefix, as a number that
// orders as they do. Missing bytes count as zeros: keys of equal heads may
// differ, keys of different heads are in that order.
func headOf(rest []byte) uint32 {
	if len(rest) >= headSize {
		return binary.BigEndian.Uint32(rest)
	}
	var h [headSize]byte
	copy(h[:], rest)
	return binary.BigEndian.Uint32(h[:])
}

// putSlot writes a slot of an entry at off; rest is its key after the prefix.
func putSlot(slot page, off int, rest []byte) {
	binary.LittleEndian.PutUint16(slot, uint16(off))
	binary.BigEndian.PutUint32(slot[2:], headOf(rest))
}

// compareMiddle compares key with middle followed by suffix.
func compareMiddle(key, middle, suffix []byte) int {
	if len(key) < len(middle) {
		return bytes.Compare(key, middle)
	}
	if c := bytes.Compare(key[:len(middle)], middle); c != 0 {
		return c
	}
	return bytes.Compare(key[len(middle):], suffix)
}

// keyLen is what an entry with a middle of that length takes without its
// payload.
func keyLen(middle int) int {
	if middle < 0x80 {
		return 1 + tailLen(middle)
	}
	return 2 + tailLen(middle)
}

// entryLen is what an entry of key takes in a page that key shares, without
// its slot.
func (p page) entryLen(key, payload []byte) int {
	m := len(key) - p.u16(pagePrefix) - p.u16(pageSuffix)
	return keyLen(m) + len(payload)
}

// push writes an entry below the others and returns its offset. There must be
// room, and key must be shared.
func (p page) push(key, payload []byte) int {
	middle := key[p.u16(pagePrefix) : len(key)-p.u16(pageSuffix)]
	at := p.u16(pageHeap) - keyLen(len(middle)) - len(payload)
	p.putU16(pageHeap, at)
	p.putEntry(at, middle, payload)
	return at
}

// putEntry writes an entry at off.
func (p page) putEntry(off int, middle, payload []byte) {
	if len(middle) < 0x80 {
		p[off] = byte(len(middle))
		off++
	} else {
		p[off] = byte(len(middle)) | 0x80
		p[off+1] = byte(len(middle) >> 7)
		off += 2
	}
	if len(middle) > headSize {
		off += copy(p[off:], middle[headSize:])
	}
	copy(p[off:], payload)
}

// insert adds an entry at position i and reports whether there was room; key
// must be shared.
func (p page) insert(i int, key, payload []byte) bool {
	if p.room() < p.entryLen(key, payload)+slotSize {
		return false
	}
	n, slots := p.count(), p.slots()
	at := p.push(key, payload)
	slot := slots + slotSize*i
	copy(p[slot+slotSize:slots+slotSize*(n+1)], p[slot:slots+slotSize*n])
	putSlot(p[slot:], at, key[p.u16(pagePrefix):])
	p.putU16(pageCount, n+1)
	p.countExtra(payload, 1)
	p.follow(i)
	return true
}

// follow notes where an entry was inserted.
func (p page) follow(i int) {
	switch {
	case !p.isNear(i):
		p[pageRun] = 0
	case p[pageRun] < 0xff:
		p[pageRun]++
	}
	p.putU16(pageHint, i)
}

// isNear reports whether position i is near the last insert.
func (p page) isNear(i int) bool {
	d := (i - p.u16(pageHint)) * nearShare
	n := max(p.count(), minRun)
	return -n <= d && d <= n
}

// inOrder reports whether inserts that lead to position i come in order.
func (p page) inOrder(i int) bool {
	return int(p[pageRun]) >= max(p.count()/nearShare, minRun) && p.isNear(i)
}

// replace changes the payload of entry i, whose key is key, and reports
// whether there was room.
func (p page) replace(i int, key, payload []byte) bool {
	old := p.payload(i)
	if len(old) != len(payload) {
		if p.room() < p.entryLen(key, payload) {
			return false
		}
		p.countExtra(old, -1)
		p.putU16(pageDead, p.u16(pageDead)+p.entryLen(key, old))
		at := p.push(key, payload)
		putSlot(p[p.slots()+slotSize*i:], at, key[p.u16(pagePrefix):])
		p.countExtra(payload, 1)
		return true
	}
	p.countExtra(old, -1)
	copy(old, payload)
	p.countExtra(payload, 1)
	return true
}

// remove takes out entry i.
func (p page) remove(i int) {
	n, slots := p.count(), p.slots()
	off, _ := p.slot(i)
	middle, _, rest := p.entryAt(off)
	size := p.payloadLen(rest)
	p.countExtra(rest, -1)
	p.putU16(pageDead, p.u16(pageDead)+keyLen(middle)+size)
	slot := slots + slotSize*i
	copy(p[slot:], p[slot+slotSize:slots+slotSize*n])
	p.putU16(pageCount, n-1)
}

// countExtra adds d to the extras if payload is one of them.
func (p page) countExtra(payload []byte, d int) {
	if p.leaf() && hasExtra(payload) {
		p.putU16(pageExtras, p.extras()+d)
	}
}

// copyTo copies what of p is in use to dst, which has the same length.
func (p page) copyTo(dst page) {
	copy(dst, p[:p.slots()+slotSize*p.count()])
	heap := p.u16(pageHeap)
	copy(dst[heap:], p[heap:])
}
