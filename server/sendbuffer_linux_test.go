package server

import (
	"net"
	"syscall"
	"testing"
)

// sendBufferOf is SO_SNDBUF, which Linux tells doubled.
func sendBufferOf(t *testing.T, c *net.TCPConn) int {
	t.Helper()
	raw, err := c.SyscallConn()
	if err != nil {
		t.Fatalf("cannot reach the socket: %v", err)
	}
	var n int
	if err := raw.Control(func(fd uintptr) {
		n, err = syscall.GetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_SNDBUF)
	}); err != nil {
		t.Fatalf("cannot reach the socket: %v", err)
	}
	if err != nil {
		t.Fatalf("cannot read SO_SNDBUF: %v", err)
	}
	return n
}

func TestBoundSend(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("cannot listen: %v", err)
	}
	defer ln.Close()
	client, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatalf("cannot connect: %v", err)
	}
	defer client.Close()
	c, err := ln.Accept()
	if err != nil {
		t.Fatalf("cannot accept: %v", err)
	}
	defer c.Close()
	tcp := c.(*net.TCPConn)

	before := sendBufferOf(t, tcp)
	boundSend(tcp, SendBufferKernel)
	if got := sendBufferOf(t, tcp); got != before {
		t.Errorf("unexpected send buffer when it is the kernel's; got %d; want %d", got, before)
	}
	boundSend(tcp, 64<<10)
	if got := sendBufferOf(t, tcp); got != 128<<10 {
		t.Errorf("unexpected send buffer of 64 KiB; got %d; want %d", got, 128<<10)
	}
	// net.core.wmem_max, 208 KiB on many systems, may cut it.
	boundSend(tcp, SendBufferAuto)
	if got := sendBufferOf(t, tcp); got < 2*200<<10 || got > 2*localSendBuffer {
		t.Errorf("unexpected send buffer for a client on this host; got %d; want %d to %d", got, 2*200<<10, 2*localSendBuffer)
	}
}
