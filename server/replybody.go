package server

import (
	"io"
	"sync"
)

// replyBody is the body stream that fasthttp is given for a reply made of
// blocks. Where the connection can write for itself, it does, past fasthttp:
// the header block is held back and goes out with the first block.
type replyBody struct {
	src  blocks
	size int64
	left int64
	sent int64
	conn *conn  // nil: fasthttp writes
	head []byte // the header block
	// account is closed with the body; nil: the reply was given up.
	account *exchange
}

var replyBodies = sync.Pool{New: func() any { return new(replyBody) }}

// sendBody makes size bytes of src the reply's body and takes src over.
func (r *request) sendBody(src blocks, size int64) {
	b := replyBodies.Get().(*replyBody)
	b.src, b.size, b.left = src, size, size
	r.body = b
	resp := &r.ctx.Response
	resp.SetBodyStream(b, int(size))
	if c, ok := r.ctx.Conn().(*conn); ok {
		b.conn = c
		c.holding = &b.head
		resp.ImmediateHeaderFlush = true
	}
}

// SupportsBodyWriteTo tells fasthttp that WriteTo may stand in for Read
// (fasthttp.BodyWriterTo).
func (b *replyBody) SupportsBodyWriteTo() bool { return true }

// WriteTo writes the body, to the connection if that can, else to w. fasthttp
// takes the count of bytes from the result.
func (b *replyBody) WriteTo(w io.Writer) (int64, error) {
	if b.conn != nil {
		b.conn.holding = nil
		if err := b.conn.writeBody(b.head, b.src); err != nil {
			return 0, err
		}
		b.sent = b.size
		return b.left, nil
	}
	size := b.left
	for block := b.src.block(); len(block) > 0; block = b.src.block() {
		n, err := w.Write(block)
		b.src.advance(n)
		b.left -= int64(n)
		b.sent += int64(n)
		if err != nil {
			return size - b.left, err
		}
	}
	return size - b.left, nil
}

// Read is the form for writers that fasthttp cannot hand to WriteTo.
func (b *replyBody) Read(p []byte) (int, error) {
	block := b.src.block()
	if len(block) == 0 {
		return 0, io.EOF
	}
	n := copy(p, block)
	b.src.advance(n)
	b.sent += int64(n)
	return n, nil
}

// Close ends the body; fasthttp calls it when the reply has been written or
// the client has left.
func (b *replyBody) Close() error {
	if b.conn != nil {
		b.conn.holding = nil
	}
	b.closeAccount()
	b.src.close()
	*b = replyBody{head: b.head[:0]}
	replyBodies.Put(b)
	return nil
}
