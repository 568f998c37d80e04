package bench

import (
	"io"
	"os"
	"syscall"
)

// dropping is the state of one dropKernel, in the wire so that it allocates
// nothing.
type dropping struct {
	step func(fd uintptr) bool
	left int64
	err  error
}

func (d *dropping) init() {
	if d.step == nil {
		// Made once: a method value allocates.
		d.step = d.run
	}
}

// dropKernel takes n bytes off the connection. recv with MSG_TRUNC discards
// them inside the kernel without a copy (tcp(7)), so that the client leaves
// the cores and their caches to the server.
func (w *wire) dropKernel(n int64) error {
	d := &w.drop
	d.left, d.err = n, nil
	if err := w.raw.Read(d.step); err != nil {
		return err
	}
	return d.err
}

// run drops until all is dropped or failed (true) or nothing is there.
func (d *dropping) run(fd uintptr) bool {
	for d.left > 0 {
		// 1 GiB at most: the count is an int32 inside the kernel.
		n, _, errno := syscall.Syscall6(syscall.SYS_RECVFROM, fd, 0, uintptr(min(d.left, 1<<30)), syscall.MSG_TRUNC, 0, 0)
		switch {
		case errno == syscall.EINTR:
		case errno == syscall.EAGAIN:
			return false
		case errno != 0:
			d.err = os.NewSyscallError("recvfrom", errno)
			return true
		case n == 0:
			d.err = io.ErrUnexpectedEOF
			return true
		default:
			d.left -= int64(n)
		}
	}
	return true
}
