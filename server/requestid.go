package server

import (
	"crypto/rand"
	"encoding/binary"
	"sync/atomic"
)

// requestIDSize is the length of x-amz-request-id in characters: 64 bits in
// hexadecimal, the shape that AWS's own ids have.
const requestIDSize = 16

// requestIDs hands out request ids: a counter from a random start, mixed so
// that consecutive ids do not look alike in a log.
type requestIDs struct {
	counter atomic.Uint64
}

func newRequestIDs() *requestIDs {
	var start [8]byte
	rand.Read(start[:]) // never fails (crypto/rand documentation)
	ids := &requestIDs{}
	ids.counter.Store(binary.LittleEndian.Uint64(start[:]))
	return ids
}

// next writes the next id. The multiplier is odd, so ids repeat only after
// 2^64 requests.
func (ids *requestIDs) next(dst *[requestIDSize]byte) {
	x := ids.counter.Add(1) * 0x9E3779B97F4A7C15
	const digits = "0123456789ABCDEF"
	for i := range dst {
		dst[i] = digits[x>>60]
		x <<= 4
	}
}
