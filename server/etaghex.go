package server

import (
	"encoding/binary"
	"math/bits"
)

// etagDigits is the length of an ETag without its part count.
const etagDigits = 32

// putHexWords is putHex in portable Go, four bytes at a time.
func putHexWords(dst *[etagDigits]byte, src *[16]byte) {
	for i := 0; i < len(src); i += 4 {
		binary.LittleEndian.PutUint64(dst[2*i:], hexDigits(binary.BigEndian.Uint32(src[i:])))
	}
}

// hexDigits returns the eight lower-case hexadecimal digits of x, the first one
// in the lowest byte: all eight at once, a byte each.
func hexDigits(x uint32) uint64 {
	v := uint64(bits.ReverseBytes32(x))
	v = (v | v<<16) & 0x0000ffff0000ffff
	v = (v | v<<8) & 0x00ff00ff00ff00ff
	v = (v>>4 | v<<8) & 0x0f0f0f0f0f0f0f0f
	// Digits above 9 carry into bit 4 when 6 is added; they are letters.
	letters := (v + 0x0606060606060606) >> 4 & 0x0101010101010101
	return v + 0x3030303030303030 + letters*('a'-'0'-10)
}
