package server

import (
	"net"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/valyala/fasthttp"
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
	// linger makes Close wait for the client to stop sending.
	linger bool

	patience
	metrics *metrics
	number  uint32 // of the connection, for the access log
	counted atomic.Bool
}

func newConn(c *net.TCPConn, m *metrics, watch *connWatch) (net.Conn, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return nil, err
	}
	w := &conn{TCPConn: c, raw: raw, metrics: m, number: uint32(m.accepted.Add(1))}
	w.counted.Store(true)
	m.connections.Add(1)
	// Made once: a method value allocates.
	w.out.step = w.writeStep
	w.in.step = w.readStep
	w.watch = watch
	watch.add(w)
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

const (
	// lingerTime bounds a lingering close, like drainTime a drain.
	lingerTime = drainTime
	// lingerIdle ends it once the client has sent nothing for so long: the
	// reply has long been read then.
	lingerIdle = 2 * time.Second
)

// Close closes the connection. One whose client may still be sending is closed
// for writing first and read until the client stops: closed over unread bytes
// it would be reset, and the reset can overtake the reply.
func (c *conn) Close() error {
	// fasthttp and Shutdown may both close it.
	if c.counted.CompareAndSwap(true, false) {
		c.metrics.connections.Add(-1)
		c.watch.remove(c)
	}
	if !c.linger {
		return c.TCPConn.Close()
	}
	c.linger = false
	if err := c.CloseWrite(); err != nil {
		return c.TCPConn.Close()
	}
	go c.lingerAndClose()
	return nil
}

func (c *conn) lingerAndClose() {
	defer c.TCPConn.Close()
	buf := discardSpace
	if len(buf) == 0 {
		scratch := receiveBuffers.get()
		defer receiveBuffers.put(scratch)
		buf = *scratch
	}
	for end := time.Now().Add(lingerTime); time.Now().Before(end); {
		if err := c.SetReadDeadline(time.Now().Add(lingerIdle)); err != nil {
			return
		}
		if _, err := c.Read(buf); err != nil {
			return
		}
	}
}

// setPhase says what ctx's connection is doing.
func setPhase(ctx *fasthttp.RequestCtx, phase connPhase) {
	if c, ok := ctx.Conn().(*conn); ok {
		c.phase = phase
	}
}

// lingerAfter makes the close of ctx's connection wait for its client.
func lingerAfter(ctx *fasthttp.RequestCtx) {
	if c, ok := ctx.Conn().(*conn); ok {
		c.linger = true
	}
}

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
