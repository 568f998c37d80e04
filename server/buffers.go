package server

import "sync"

// bufferPool hands out byte buffers of one size.
type bufferPool struct {
	pool sync.Pool
}

func newBufferPool(size int) *bufferPool {
	return &bufferPool{pool: sync.Pool{New: func() any {
		b := make([]byte, size)
		return &b
	}}}
}

func (p *bufferPool) get() *[]byte  { return p.pool.Get().(*[]byte) }
func (p *bufferPool) put(b *[]byte) { p.pool.Put(b) }

const (
	// replyBlock is how much of a reply body is generated and written at a
	// time. Measured by CPU a byte: 64 KiB is a third dearer than 512 KiB
	// (calls and wake-ups of the reader), 1 MiB no cheaper; half a megabyte
	// also stays in a core's L2 cache (1 to 2 MiB on servers). Only running
	// goroutines hold one: a parked reply has none.
	replyBlock = 512 << 10
	// receiveBlock is how much of a body is read and hashed at a time. An
	// upload keeps its block while it waits, so this is a quarter of a reply's;
	// beside the hashing the cost of a read call does not show.
	receiveBlock = 128 << 10
	// smallBlock is enough for the small objects of metadata benchmarks, of
	// which thousands arrive at once.
	smallBlock = 16 << 10
)

// Buffers are scratch that no request keeps beyond the call that takes them.
var (
	replyBuffers   = newBufferPool(replyBlock)
	receiveBuffers = newBufferPool(receiveBlock)
	smallBuffers   = newBufferPool(smallBlock)
)

// receivePool is the pool for a body of size bytes, -1 if unknown.
func receivePool(size int64) *bufferPool {
	if size >= 0 && size <= smallBlock {
		return smallBuffers
	}
	return receiveBuffers
}
