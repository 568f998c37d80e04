package server

import "golang.org/x/sys/unix"

// ackedBytes is how many bytes the client's kernel has acknowledged in all.
func (c *conn) ackedBytes() (n int64, ok bool) {
	err := c.raw.Control(func(fd uintptr) {
		if info, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO); err == nil {
			n, ok = int64(info.Bytes_acked), true
		}
	})
	return n, ok && err == nil
}
