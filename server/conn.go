package server

import (
	"net"
	"syscall"
)

// conn is a client's TCP connection with two shortcuts around fasthttp, whose
// buffers would otherwise be passed by every body:
//
//   - a reply body attached by sendBody is written by the connection itself,
//     in one system call with the header block, and waits for a slow reader
//     without holding any scratch;
//   - a request body that nobody wants to see is dropped inside the kernel
//     (see discardSpace).
//
// One goroutine at a time uses it, as fasthttp does.
type conn struct {
	*net.TCPConn
	raw syscall.RawConn
	// holding, if not nil, takes what is written: the header block that goes
	// out with its body.
	holding *[]byte
	out     outgoing
	in      incoming
}

func newConn(c *net.TCPConn) (net.Conn, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return nil, err
	}
	w := &conn{TCPConn: c, raw: raw}
	// Made once: a method value allocates.
	w.out.step = w.writeStep
	w.in.step = w.readStep
	return w, nil
}

// Write writes p, or takes it as the header block of the attached body.
func (c *conn) Write(p []byte) (int, error) {
	if c.holding != nil {
		*c.holding = append(*c.holding, p...)
		return len(p), nil
	}
	return c.write(p)
}

// Read reads into p, or drops len(p) bytes at most if p is discardSpace.
func (c *conn) Read(p []byte) (int, error) { return c.read(p) }

// blocks is a reply body that the connection pulls block by block while it
// writes.
type blocks interface {
	// block returns the next bytes, none at the end; the slice is valid until
	// advance or park.
	block() []byte
	// advance says that n bytes of the block went out.
	advance(n int)
	// park says that the reader is slow: scratch is given up until the next
	// block, which starts where the last advance ended.
	park()
	// close ends the use of the body.
	close()
}
