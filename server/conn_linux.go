package server

import (
	"io"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The calls below are raw: the sockets never block, so the scheduler need not
// be told of them. Told, it takes a call that moves half a megabyte (tens of
// microseconds) for a blocked one and hands the processor to another thread;
// without that a GET costs a fifth less.

// outgoing is what is being written. It lives in conn so that a reply
// allocates nothing.
type outgoing struct {
	step func(fd uintptr) bool
	head []byte // unsent rest of the header block
	body blocks // nil: the header block is all
	err  error
	iov  [2]unix.Iovec
}

// write writes p.
func (c *conn) write(p []byte) (int, error) {
	o := &c.out
	o.head, o.err = p, nil
	err := c.raw.Write(o.step)
	c.waited()
	if o.err != nil {
		err = o.err
	}
	n := len(p) - len(o.head)
	o.head, o.err = nil, nil
	return n, err
}

// writeBody writes head and then all of body. As long as the socket takes
// bytes they are generated and written, and when it takes no more the
// goroutine parks without scratch.
func (c *conn) writeBody(head []byte, body blocks) error {
	c.out.body = body
	_, err := c.write(head)
	c.out.body = nil
	body.park()
	return err
}

// writeStep writes until all is out (true) or the socket is full.
func (c *conn) writeStep(fd uintptr) bool {
	o := &c.out
	moved := false
	for {
		var block []byte
		if o.body != nil {
			block = o.body.block()
		}
		iov := o.iov[:0]
		if len(o.head) > 0 {
			iov = append(iov, unix.Iovec{Base: &o.head[0], Len: uint64(len(o.head))})
		}
		if len(block) > 0 {
			iov = append(iov, unix.Iovec{Base: &block[0], Len: uint64(len(block))})
		}
		if len(iov) == 0 {
			return true
		}
		n, _, errno := syscall.RawSyscall(syscall.SYS_WRITEV, fd, uintptr(unsafe.Pointer(&o.iov[0])), uintptr(len(iov)))
		o.iov = [2]unix.Iovec{}
		switch errno {
		case 0:
		case syscall.EINTR:
			continue
		case syscall.EAGAIN:
			if o.body != nil {
				o.body.park()
			}
			c.waitToWrite(moved)
			return false
		default:
			o.err = os.NewSyscallError("writev", errno)
			return true
		}
		moved = moved || n > 0
		sent := min(int(n), len(o.head))
		o.head = o.head[sent:]
		if o.body != nil {
			o.body.advance(int(n) - sent)
		}
	}
}

// incoming is a read under way.
type incoming struct {
	step  func(fd uintptr) bool
	into  []byte
	flags uintptr
	n     int
	err   error
}

// read reads into p what has arrived, waiting for the first byte. Bytes read
// into discardSpace are dropped: recv with MSG_TRUNC takes them off a TCP
// socket without copying them anywhere (tcp(7)).
func (c *conn) read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	in := &c.in
	in.into, in.flags, in.n, in.err = p, 0, 0, nil
	if isDiscardSpace(p) {
		in.flags = syscall.MSG_TRUNC
	}
	err := c.raw.Read(in.step)
	c.waited()
	in.into = nil
	switch {
	case err != nil:
		return 0, err
	case in.err != nil:
		return 0, in.err
	case in.n == 0:
		return 0, io.EOF
	}
	c.received(p[:min(in.n, len(p))])
	return in.n, nil
}

func (c *conn) readStep(fd uintptr) bool {
	in := &c.in
	for {
		n, _, errno := syscall.RawSyscall6(syscall.SYS_RECVFROM, fd, uintptr(unsafe.Pointer(&in.into[0])), uintptr(len(in.into)), in.flags, 0, 0)
		switch errno {
		case 0:
			in.n = int(n)
			return true
		case syscall.EINTR:
		case syscall.EAGAIN:
			c.waitToRead()
			return false
		default:
			in.err = os.NewSyscallError("recvfrom", errno)
			return true
		}
	}
}

// discardSize is the most that one read drops: above what a socket buffer
// holds (tcp_rmem's default maximum is 6 MiB), so one call empties it.
const discardSize = 8 << 20

// discardSpace is what a handler reads into to have the bytes dropped in the
// kernel. It is address space without memory behind it, but for what buffers
// on the way already hold and copy there: at most their size.
var discardSpace = newDiscardSpace()

func newDiscardSpace() []byte {
	space, err := unix.Mmap(-1, 0, discardSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	if err != nil {
		// Without it bodies are read and dropped in user space.
		return nil
	}
	return space
}

// isDiscardSpace tells whether p starts at discardSpace's first byte. Reads
// that buffers make for themselves never do, so nothing else is dropped.
func isDiscardSpace(p []byte) bool {
	return len(p) > 0 && len(discardSpace) > 0 && &p[0] == &discardSpace[0]
}
