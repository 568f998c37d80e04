package server

import (
	"io"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// outgoing is a body on its way out. It lives in conn so that a reply
// allocates nothing.
type outgoing struct {
	step func(fd uintptr) bool
	head []byte // unsent rest of the header block
	body blocks
	err  error
	iov  [2]unix.Iovec
}

// writeBody writes head and then all of body. The socket is non-blocking: as
// long as it takes bytes they are generated and written, and when it takes no
// more the goroutine parks without scratch.
func (c *conn) writeBody(head []byte, body blocks) error {
	o := &c.out
	o.head, o.body, o.err = head, body, nil
	err := c.raw.Write(o.step)
	body.park()
	if o.err != nil {
		err = o.err
	}
	o.head, o.body, o.err = nil, nil, nil
	return err
}

// writeStep writes until the body is out (true) or the socket is full.
func (c *conn) writeStep(fd uintptr) bool {
	o := &c.out
	for {
		block := o.body.block()
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
		n, _, errno := syscall.Syscall(syscall.SYS_WRITEV, fd, uintptr(unsafe.Pointer(&o.iov[0])), uintptr(len(iov)))
		o.iov = [2]unix.Iovec{}
		switch errno {
		case 0:
		case syscall.EINTR:
			continue
		case syscall.EAGAIN:
			o.body.park()
			return false
		default:
			o.err = os.NewSyscallError("writev", errno)
			return true
		}
		sent := min(int(n), len(o.head))
		o.head = o.head[sent:]
		o.body.advance(int(n) - sent)
	}
}

// incoming is a body being dropped.
type incoming struct {
	step func(fd uintptr) bool
	max  int
	n    int
	err  error
}

// discard drops at most max bytes that have arrived, waiting for the first.
// recv with MSG_TRUNC takes bytes off a TCP socket without copying them
// anywhere (tcp(7)).
func (c *conn) discard(max int) (int, error) {
	in := &c.in
	in.max, in.n, in.err = max, 0, nil
	if err := c.raw.Read(in.step); err != nil {
		return 0, err
	}
	if in.err != nil {
		return 0, in.err
	}
	if in.n == 0 {
		return 0, io.EOF
	}
	return in.n, nil
}

func (c *conn) readStep(fd uintptr) bool {
	in := &c.in
	for {
		n, _, errno := syscall.Syscall6(syscall.SYS_RECVFROM, fd, 0, uintptr(in.max), syscall.MSG_TRUNC, 0, 0)
		switch errno {
		case 0:
			in.n = int(n)
			return true
		case syscall.EINTR:
		case syscall.EAGAIN:
			return false
		default:
			in.err = os.NewSyscallError("recvfrom", errno)
			return true
		}
	}
}

// setLowWater makes the socket readable only once n bytes have arrived (or the
// peer has closed): fewer, larger wake-ups. 1 is the kernel's default.
func (c *conn) setLowWater(n int) {
	c.lowWater = n
	// A failure costs speed, nothing else.
	_ = c.raw.Control(func(fd uintptr) {
		_ = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVLOWAT, n)
	})
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
