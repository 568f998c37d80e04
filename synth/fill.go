// Package synth turns an object's name into its bytes. The bytes of a synthetic object are a pure
// function of (seed, bucket/key, offset): nothing is stored, any range is generated from its own
// offset, and every machine that knows the seed gives the same answer. docs/data.md publishes the
// formula with test vectors; it is a contract and does not change within a major version.
package synth

import "encoding/binary"

// gamma is the Weyl step between words: the odd integer closest to 2^64 divided by the golden
// ratio, as in Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators" (2014).
const gamma = 0x9E3779B97F4A7C15

// The multipliers and shifts of mix are Stafford's variant 13, the finaliser of splitmix64.
const (
	mul1 = 0xBF58476D1CE4E5B9
	mul2 = 0x94D049BB133111EB
)

// mix is the finaliser of splitmix64, a bijection of 64-bit words.
func mix(z uint64) uint64 {
	return mixWith(z, mul1, mul2)
}

// mixWith is mix with the multipliers in registers, see mixing.
func mixWith(z, m1, m2 uint64) uint64 {
	z = (z ^ z>>30) * m1
	z = (z ^ z>>27) * m2
	return z ^ z>>31
}

// Fill writes bytes [off, off+len(dst)) of stream h, pattern v1, into dst: word i, the
// little-endian 64-bit word at byte 8*i, is mix(h + (i+1)*gamma). off is in bytes, need not be
// aligned and must not be negative. Fill does not allocate, keeps no reference to dst and may run
// concurrently.
func Fill(dst []byte, h uint64, off int64) {
	// x is the mixer's input for the word that holds byte off; it wraps by design.
	x := h + (uint64(off)>>3+1)*gamma
	if r := uint(off) & 7; r != 0 {
		n := putPartial(dst, mix(x)>>(8*r), int(8-r))
		dst = dst[n:]
		x += gamma
	}
	n := len(dst) &^ 7
	fillWords(dst[:n], x)
	putPartial(dst[n:], mix(x+uint64(n>>3)*gamma), 8)
}

// putPartial writes the low bytes of w, at most n of them, to dst and returns how many it wrote.
func putPartial(dst []byte, w uint64, n int) int {
	n = min(n, len(dst))
	for i := range n {
		dst[i] = byte(w)
		w >>= 8
	}
	return n
}

// mixing holds mul1, mul2 and gamma where the compiler cannot see their values: it then keeps them
// in registers instead of loading ten-byte immediates for every word, which costs a sixth.
var mixing = [3]uint64{mul1, mul2, gamma}

// fillWordsGeneric writes whole words, mix(x), mix(x+gamma), …; len(dst) is a multiple of 8. A word
// is a chain of about 14 cycles; four independent ones a turn keep the multiplier busy. Measured:
// one is 16 % slower, two and eight (which spill registers) 5 %.
func fillWordsGeneric(dst []byte, x uint64) {
	m1, m2, g := mixing[0], mixing[1], mixing[2]
	i := 0
	for ; i <= len(dst)-32; i += 32 {
		d := (*[32]byte)(dst[i:])
		binary.LittleEndian.PutUint64(d[0:8], mixWith(x, m1, m2))
		x += g
		binary.LittleEndian.PutUint64(d[8:16], mixWith(x, m1, m2))
		x += g
		binary.LittleEndian.PutUint64(d[16:24], mixWith(x, m1, m2))
		x += g
		binary.LittleEndian.PutUint64(d[24:32], mixWith(x, m1, m2))
		x += g
	}
	for ; i <= len(dst)-8; i += 8 {
		binary.LittleEndian.PutUint64(dst[i:], mixWith(x, m1, m2))
		x += g
	}
}
