package bench

// exchange is one request, ready to send, and what its reply must be. It is
// made once and sent many times: signatures stay valid for minutes, so signing
// is no part of a measurement. Immutable once made; several connections may
// send the same one.
type exchange struct {
	// send is what goes out, in order. Blocks of a body are shared by all
	// exchanges and repeat, so that the sender reads from its cache.
	send [][]byte
	// payload is what counts as throughput: bytes of object data.
	payload int64

	// bare marks the floors' own protocol: the reply is length bytes and
	// nothing else. The rest is for HTTP.
	bare bool
	// status is the reply's only acceptable status.
	status int
	// length is the exact length of the reply's body, or what a HEAD's
	// Content-Length must be; -1 accepts any.
	length int64
	// head marks a HEAD, whose reply has no body.
	head bool
}

const (
	// blockSize is what the server generates and writes at a time and so what
	// the write floor writes at a time: large enough that a call costs little
	// beside its bytes, small enough for a core's L2 cache.
	blockSize = 256 << 10
	// readSize is what the read floors read at a time: the larger, the fewer
	// calls; above 1 MiB nothing is gained and the L2 cache is left.
	readSize = 1 << 20
)

// appendBody appends size bytes of a body to send as slices of block, which
// repeats.
func appendBody(send [][]byte, block []byte, size int64) [][]byte {
	for size > 0 {
		n := min(size, int64(len(block)))
		send = append(send, block[:n])
		size -= n
	}
	return send
}
