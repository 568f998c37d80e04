package store

import (
	"math/bits"
	"unsafe"
)

// side is what of a record needs pointers or has no bound: true bytes, part
// sizes, checksums that are no S3 checksum.
type side struct {
	parts *Parts
	data  *Data // one reference
	sum   *string
}

// sideTable holds the sides of a bucket's records by number. Objects of a
// synthetic bucket mostly have none. Guarded by Bucket.mu.
type sideTable struct {
	mem    *memory
	chunks []*sideChunk
	vacant []uint32 // chunks that are nil
	free   []uint32 // chunks with room; some may have become nil
}

// sideChunk is the unit in which the table grows and shrinks.
type sideChunk struct {
	items [64]side
	used  uint64 // a bit for each
}

const sideChunkCost = int64(unsafe.Sizeof(sideChunk{})) + 8

// get returns side number id.
func (t *sideTable) get(id uint32) *side {
	return &t.chunks[id/64].items[id%64]
}

// add stores s and returns its number. The error is ErrMemoryLimit, unless
// force is set.
func (t *sideTable) add(s side, force bool) (uint32, error) {
	for n := len(t.free); n > 0; n = len(t.free) {
		c := t.free[n-1]
		if chunk := t.chunks[c]; chunk != nil {
			i := bits.TrailingZeros64(^chunk.used)
			chunk.used |= 1 << i
			chunk.items[i] = s
			if chunk.used == ^uint64(0) {
				t.free = t.free[:n-1]
			}
			return c*64 + uint32(i), nil
		}
		t.free = t.free[:n-1]
	}
	if force {
		t.mem.force(memoryIndex, sideChunkCost)
	} else if err := t.mem.reserve(memoryIndex, sideChunkCost); err != nil {
		return 0, err
	}
	c := uint32(len(t.chunks))
	if n := len(t.vacant); n > 0 {
		c = t.vacant[n-1]
		t.vacant = t.vacant[:n-1]
	} else {
		t.chunks = append(t.chunks, nil)
	}
	t.chunks[c] = &sideChunk{}
	t.free = append(t.free, c)
	return t.add(s, force)
}

// remove forgets side number id.
func (t *sideTable) remove(id uint32) {
	c := id / 64
	chunk := t.chunks[c]
	if chunk.used == ^uint64(0) {
		t.free = append(t.free, c)
	}
	chunk.items[id%64] = side{}
	chunk.used &^= 1 << (id % 64)
	if chunk.used != 0 {
		return
	}
	t.chunks[c] = nil
	t.vacant = append(t.vacant, c)
	t.mem.release(memoryIndex, sideChunkCost)
	if len(t.vacant) == len(t.chunks) {
		*t = sideTable{mem: t.mem}
	}
}
