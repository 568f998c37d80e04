package bench

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	// replyBuffer takes a reply's header block (some 400 bytes) and a body of
	// 4 KiB in the same read. What of a larger body comes with it is copied,
	// the rest is dropped in the kernel.
	replyBuffer = 8 << 10

	// dialTimeout is for a whole machine of connections at once: a SYN that
	// the listener's queue has no room for is repeated after 1, 3 and 7 s.
	dialTimeout = 15 * time.Second

	// farewellTimeout is how long a failed request's reply is waited for: a
	// server that refuses a body answers and closes, and the answer says why.
	farewellTimeout = time.Second
)

// wire is one connection to a server. It sends an exchange and takes the
// reply at the least cost it can: no allocation, bodies dropped unseen. Not
// safe for concurrent use, but for interrupt.
type wire struct {
	address string
	tls     *tls.Config // nil: plain TCP

	conn  net.Conn // nil: not connected
	open  atomic.Pointer[net.Conn]
	raw   syscall.RawConn
	drop  dropping
	buf   [replyBuffer]byte
	slots [][]byte    // of bufs
	bufs  net.Buffers // what is still to be sent
	body  []byte      // where a kept body goes
	keep  bool
}

// dial connects if the wire is not connected.
func (w *wire) dial(ctx context.Context) error {
	if w.conn != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", w.address)
	if err != nil {
		return fmt.Errorf("cannot connect: %w", err)
	}
	w.raw = nil
	if w.tls != nil {
		secure := tls.Client(conn, w.tls)
		if err := secure.HandshakeContext(ctx); err != nil {
			conn.Close()
			return fmt.Errorf("cannot connect: %w", err)
		}
		conn = secure
	} else if w.raw, err = conn.(*net.TCPConn).SyscallConn(); err != nil {
		conn.Close()
		return fmt.Errorf("cannot connect: %w", err)
	}
	w.conn = conn
	w.open.Store(&conn)
	w.drop.init()
	return nil
}

// interrupt fails what the wire is doing. Any goroutine may call it.
func (w *wire) interrupt() {
	if conn := w.open.Load(); conn != nil {
		// On a connection that is closed already this does nothing.
		_ = (*conn).SetDeadline(time.Unix(1, 0))
	}
}

// close ends the connection; do connects again.
func (w *wire) close() {
	if w.conn != nil {
		w.conn.Close()
		w.conn = nil
	}
}

// do sends x and reads its reply. After an error the connection is closed.
func (w *wire) do(ctx context.Context, x *exchange) error {
	if err := w.dial(ctx); err != nil {
		return err
	}
	err := w.send(x)
	switch {
	case err != nil:
		err = fmt.Errorf("cannot send the request: %w", err)
		if !x.bare {
			w.conn.SetReadDeadline(time.Now().Add(farewellTimeout))
			if refusal, ok := w.reply(x).(*statusError); ok {
				err = refusal
			}
		}
	case x.bare:
		err = w.skip(x.length)
	default:
		err = w.reply(x)
	}
	if err != nil {
		w.close()
	}
	return err
}

// fetch is do for a reply whose body is wanted.
func (w *wire) fetch(ctx context.Context, x *exchange) ([]byte, error) {
	w.keep, w.body = true, w.body[:0]
	err := w.do(ctx, x)
	w.keep = false
	return w.body, err
}

func (w *wire) send(x *exchange) error {
	if len(x.send) == 1 {
		_, err := w.conn.Write(x.send[0])
		return err
	}
	// WriteTo consumes the slices.
	w.slots = append(w.slots[:0], x.send...)
	w.bufs = w.slots
	_, err := w.bufs.WriteTo(w.conn)
	return err
}

// skip takes n bytes off the connection and drops them, or keeps them when
// they are wanted.
func (w *wire) skip(n int64) error {
	if n > 0 && w.raw != nil && !w.keep {
		if err := w.dropKernel(n); err != nil {
			return fmt.Errorf("cannot read the reply: %w", err)
		}
		return nil
	}
	for n > 0 {
		m, err := w.conn.Read(w.buf[:min(n, replyBuffer)])
		w.take(w.buf[:m])
		n -= int64(m)
		if err != nil && n > 0 {
			return fmt.Errorf("cannot read the reply: %w", unexpectedEOF(err))
		}
	}
	return nil
}

// take gets every byte of a body that is not dropped in the kernel.
func (w *wire) take(p []byte) {
	if w.keep {
		w.body = append(w.body, p...)
	}
}

// unexpectedEOF is err, where an end of the connection is a cut reply.
func unexpectedEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
