package bench

import (
	"bytes"
	"fmt"
	"net"
	"testing"
)

// cannedServer returns the address of a server that answers every request
// with a body of size bytes, without allocating. A request is a header block
// and, if that has a Content-Length, blocks of zeros.
func cannedServer(tb testing.TB, size int) string {
	tb.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { ln.Close() })
	answer := append(fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nServer: canned\r\nContent-Length: %d\r\n\r\n", size), make([]byte, size)...)
	buf := make([]byte, 2*blockSize+kib)
	go func() {
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		for filled := 0; ; {
			n, err := conn.Read(buf[filled:])
			if err != nil {
				return
			}
			filled += n
			end := bytes.Index(buf[:filled], headEnd)
			if end < 0 || bytes.Contains(buf[:end], []byte("PUT")) && filled < end+len(headEnd)+2*blockSize {
				continue
			}
			filled = 0
			if _, err := conn.Write(answer); err != nil {
				return
			}
		}
	}()
	return ln.Addr().String()
}

// What the load generator and a server that does nothing cost together.
func BenchmarkWire(b *testing.B) {
	f := func(name string, x exchange) {
		b.Run(name, func(b *testing.B) {
			w := &wire{address: cannedServer(b, int(x.length))}
			defer w.close()
			b.SetBytes(x.payload)
			b.ReportAllocs()
			for b.Loop() {
				if err := w.do(b.Context(), &x); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	f("GET/4KiB", staticGet("h", 4*kib))
	f("GET/8MiB", staticGet("h", 8*mib))
	f("PUT/512KiB", staticPut("h", make([]byte, blockSize), 2*blockSize))
}
