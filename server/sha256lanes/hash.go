package sha256lanes

import (
	"crypto/sha256"
	"encoding"
	"encoding/binary"
	"fmt"
	"hash"
)

const (
	blockSize = sha256.BlockSize

	// minShared is the least of a write in bytes that goes to a lane: below,
	// waking two goroutines costs what lanes save.
	minShared = 8 << 10

	// A state of crypto/sha256 is a name of 4 bytes, eight words, a block that
	// is being filled, and the length so far, big-endian.
	stateWords = 4
	stateBlock = stateWords + sha256.Size
	stateSize  = stateBlock + blockSize + 8
)

// resumable is what sha256.New is documented to return.
type resumable interface {
	hash.Hash
	encoding.BinaryAppender
	encoding.BinaryUnmarshaler
}

// Hash is the SHA-256 of one stream. Large writes wait until they were hashed
// in a lane if others are there to share the work, and are hashed on the spot
// if not: Write keeps no reference to its argument in either case. It
// implements hash.Hash. It is used by one goroutine.
type Hash struct {
	lanes *Lanes
	one   resumable // has all of the stream but what is in a lane
	size  uint64    // of the stream so far
	state [stateSize]byte

	// A worker's between join and done.
	next *Hash
	todo []byte // whole blocks
	mid  [8]uint32
	done chan struct{}
}

var _ hash.Hash = (*Hash)(nil)

func newHash(l *Lanes) *Hash {
	return &Hash{lanes: l, one: sha256.New().(resumable), done: make(chan struct{}, 1)}
}

// Close gives h back; it must not be used any more.
func (h *Hash) Close() {
	h.lanes.open.Add(-1)
	h.lanes.hashes.Put(h)
}

// Reset implements hash.Hash.
func (h *Hash) Reset() {
	h.one.Reset()
	h.size = 0
}

// Size implements hash.Hash.
func (h *Hash) Size() int { return sha256.Size }

// BlockSize implements hash.Hash.
func (h *Hash) BlockSize() int { return blockSize }

// Sum implements hash.Hash.
func (h *Hash) Sum(b []byte) []byte { return h.one.Sum(b) }

// Write implements hash.Hash. The error is always nil.
func (h *Hash) Write(p []byte) (int, error) {
	n := len(p)
	if n >= minShared && h.lanes.shared() {
		head := int(-h.size % blockSize)
		h.one.Write(p[:head])
		p = p[head:]
		h.size += uint64(head)
		whole := p[:len(p)&^(blockSize-1)]
		p = p[h.share(whole):]
	}
	h.one.Write(p)
	h.size += uint64(len(p))
	return n, nil
}

// share hashes p in a lane, as much of it as it returns; p and the stream so
// far are whole blocks. An error of load or store, which Lanes.check makes
// impossible, would leave the stream where it was.
func (h *Hash) share(p []byte) int {
	if h.load() != nil {
		return 0
	}
	h.todo = p
	h.lanes.join(h)
	n := len(p) - len(h.todo)
	h.todo = nil
	if h.store(n) != nil {
		return 0
	}
	h.size += uint64(n)
	return n
}

// load fetches the stream's state for a lane.
func (h *Hash) load() error {
	b, err := h.one.AppendBinary(h.state[:0])
	if err != nil || len(b) != stateSize {
		return fmt.Errorf("%w: %d bytes, %w", errState, len(b), err)
	}
	for i := range h.mid {
		h.mid[i] = binary.BigEndian.Uint32(b[stateWords+4*i:])
	}
	return nil
}

// store goes on where a lane left off, n bytes behind load.
func (h *Hash) store(n int) error {
	for i, v := range h.mid {
		binary.BigEndian.PutUint32(h.state[stateWords+4*i:], v)
	}
	length := h.state[stateSize-8:]
	binary.BigEndian.PutUint64(length, binary.BigEndian.Uint64(length)+uint64(n))
	return h.one.UnmarshalBinary(h.state[:])
}
