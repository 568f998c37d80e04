package bench

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"sync"
)

// floorKind is a bare program that a load is compared with.
type floorKind string

// The floors: the least that a Go program can do to move the same bytes.
const (
	floorWrite    floorKind = "write"    // writes a block that stays in the cache
	floorRead     floorKind = "read"     // reads into a buffer that stays in the cache
	floorReadHash floorKind = "readhash" // the same, and SHA-256 over it
	floorGet4K    floorKind = "get4k"    // the rest: fasthttp with fixed replies
	floorGet1K    floorKind = "get1k"
	floorHead     floorKind = "head"
	floorPut4K    floorKind = "put4k"
	floorPut1K    floorKind = "put1k"
	floorList     floorKind = "list"
)

// floorTransfer returns what one request of a bare floor moves: 32 MiB, at
// which its request costs nothing beside a loop without any; less with many
// connections, as all of them together must end soon after a measurement's time.
func floorTransfer(conns int) int64 {
	const atOnce = 256 * mib
	return min(max(atOnce/int64(conns), mib), 32*mib)
}

// floor is how a kind is run.
type floor struct {
	title   string
	process string // the argument of ServeFloor
	perOp   bool
	make    func(floorAsk) exchange // returns what every connection sends
}

// floorAsk is what a floor's request is made of.
type floorAsk struct {
	host  string
	conns int
	block []byte // of a body
	page  int64  // length of a page of the list load
}

func floors() map[floorKind]floor {
	get := func(size int64) func(floorAsk) exchange {
		return func(a floorAsk) exchange { return staticGet(a.host, size) }
	}
	put := func(size int64) func(floorAsk) exchange {
		return func(a floorAsk) exchange { return staticPut(a.host, a.block, size) }
	}
	return map[floorKind]floor{
		floorWrite:    {title: "write loop", process: "write", make: bareDownload},
		floorRead:     {title: "read loop", process: "read", make: bareUpload},
		floorReadHash: {title: "read loop + SHA-256", process: "readhash", make: bareUpload},
		floorGet4K:    {title: "static 4 KiB", process: "static", perOp: true, make: get(4 * kib)},
		floorGet1K:    {title: "static 1 KiB", process: "static", perOp: true, make: get(kib)},
		floorHead: {title: "static HEAD", process: "static", perOp: true, make: func(a floorAsk) exchange {
			return staticHead(a.host, 4*kib)
		}},
		floorPut4K: {title: "static PUT 4 KiB", process: "static", perOp: true, make: put(4 * kib)},
		floorPut1K: {title: "static PUT 1 KiB", process: "static", perOp: true, make: put(kib)},
		floorList: {title: "static page", process: "static", perOp: true, make: func(a floorAsk) exchange {
			x := staticGet(a.host, a.page)
			x.payload = 0
			return x
		}},
	}
}

// transferHead is a request of the bare protocol: the number of bytes to move.
func transferHead(n int64) []byte {
	return binary.LittleEndian.AppendUint64(nil, uint64(n))
}

// bareDownload asks for bytes.
func bareDownload(a floorAsk) exchange {
	n := floorTransfer(a.conns)
	return exchange{send: [][]byte{transferHead(n)}, bare: true, length: n, payload: n}
}

// bareUpload sends bytes and waits for one.
func bareUpload(a floorAsk) exchange {
	n := floorTransfer(a.conns)
	return exchange{send: appendBody([][]byte{transferHead(n)}, a.block, n), bare: true, length: 1, payload: n}
}

// ServeFloor is the other process of a floor: it serves kind on a free port of
// the loopback, writes the address as one line to stdout, and ends when stdin
// does, so that it cannot outlive the process that started it.
//
// Errors: an unknown kind, no port.
func ServeFloor(kind string, stdin io.Reader, stdout io.Writer) error {
	var serve func(net.Listener) error
	switch kind {
	case "write":
		serve = serveBare(newWriteLoop())
	case "read":
		serve = serveBare(readLoop)
	case "readhash":
		serve = serveBare(readHashLoop)
	case "static":
		serve = serveStatic
	default:
		return fmt.Errorf("unknown floor %q", kind)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("cannot listen: %w", err)
	}
	failed := make(chan error, 1)
	go func() { failed <- serve(ln) }()
	if _, err := fmt.Fprintln(stdout, ln.Addr()); err != nil {
		return fmt.Errorf("cannot tell the address: %w", err)
	}
	ended := make(chan struct{})
	go func() {
		// Nothing is ever sent; the end is what counts.
		_, _ = io.Copy(io.Discard, stdin)
		close(ended)
	}()
	select {
	case err := <-failed:
		return err
	case <-ended:
		return nil
	}
}

// serveBare returns a server that runs loop once for each request.
func serveBare(loop func(conn net.Conn, n int64) error) func(net.Listener) error {
	return func(ln net.Listener) error {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return fmt.Errorf("cannot accept: %w", err)
			}
			go func() {
				defer conn.Close()
				var head [8]byte
				for {
					if _, err := io.ReadFull(conn, head[:]); err != nil {
						return
					}
					if err := loop(conn, int64(binary.LittleEndian.Uint64(head[:]))); err != nil {
						return
					}
				}
			}()
		}
	}
}

// newWriteLoop returns a loop that writes one block, shared by all connections
// so that every core has it in its cache.
func newWriteLoop() func(net.Conn, int64) error {
	block := make([]byte, blockSize)
	fillRandom(block)
	return func(conn net.Conn, n int64) error { return writeLoop(conn, n, block) }
}

func writeLoop(conn net.Conn, n int64, block []byte) error {
	for n > 0 {
		m, err := conn.Write(block[:min(n, blockSize)])
		if err != nil {
			return err
		}
		n -= int64(m)
	}
	return nil
}

func readLoop(conn net.Conn, n int64) error {
	return readEach(conn, n, func([]byte) {})
}

func readHashLoop(conn net.Conn, n int64) error {
	h := sha256.New()
	if err := readEach(conn, n, func(p []byte) { h.Write(p) }); err != nil {
		return err
	}
	h.Sum(nil)
	return nil
}

// readBuffers are not made for each request: a loop has its buffer already.
var readBuffers = sync.Pool{New: func() any {
	b := make([]byte, readSize)
	return &b
}}

// readEach reads n bytes, calls fn with what each read brought, and answers
// with one byte.
func readEach(conn net.Conn, n int64, fn func([]byte)) error {
	buf := readBuffers.Get().(*[]byte)
	defer readBuffers.Put(buf)
	for n > 0 {
		m, err := conn.Read((*buf)[:min(n, readSize)])
		if err != nil {
			return err
		}
		fn((*buf)[:m])
		n -= int64(m)
	}
	_, err := conn.Write((*buf)[:1])
	return err
}

// fillRandom fills p with bytes that nothing on the way can take for a page of
// zeros or compress.
func fillRandom(p []byte) {
	// A fixed seed: runs are comparable, and secrecy is not wanted.
	random := rand.New(rand.NewPCG(1, 2))
	for i := range p {
		p[i] = byte(random.Uint32())
	}
}
