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

// bodyBlock is how much of a body is handled at a time: large enough that a
// read or write call costs little beside the bytes it moves, small enough to
// stay in a core's L2 cache (1 to 2 MiB on servers).
const bodyBlock = 256 << 10

// Buffers are scratch that no request keeps beyond the call that takes them.
var (
	bodyBuffers  = newBufferPool(bodyBlock)
	drainBuffers = newBufferPool(drainBlock)
)
