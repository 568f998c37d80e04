// Package synth turns an object's name into its bytes. The bytes of a synthetic object are a pure
// function of (seed, bucket/key, offset): nothing is stored, any range is generated from its own
// offset, and every machine that knows the seed gives the same answer. docs/data.md publishes the
// formula with test vectors; it is a contract and does not change within a major version.
package synth

import (
	"encoding/binary"
	"math/bits"
)

// Pattern v1 goes by blocks of eight chains of eight words. A chain starts from its own counter with
// splitmix64's finaliser (mix, but for the value y on the way) and goes on by the step of RomuDuoJr
// (Overton, "Romu: Fast Nonlinear Pseudo-Random Number Generators", 2020), which costs one multiply a
// word where the finaliser costs two and three exclusive-ors. It is started anew after eight words,
// so that its period does not matter and any word is at most eight steps away. Eight chains side by
// side fill a register of AVX-512 with each step.
const (
	lanes      = 8
	rowBytes   = 8 * lanes // one word of each chain
	blockBytes = 8 * rowBytes

	// mul3 and turn are RomuDuoJr's.
	mul3 = 0xD3833E804F4C574B
	turn = 27

	// blockGamma is the distance from a block's first counter to the next one's.
	blockGamma = lanes * gamma % (1 << 64)
)

// Fill writes bytes [off, off+len(dst)) of stream h, pattern v1, into dst. The little-endian word at
// byte 512*b + 64*j + 8*l, for j and l from 0 to 7, is word j of chain c = 8*b + l: with
// z = h + (c+1)*gamma, y = (z ^ z>>30)*mul1, x = (y ^ y>>27)*mul2, x ^= x>>31 and
// y = rotl(y-x, 27), word 0 is x, and x, y = y*mul3, rotl(y-x, 27) goes on to the next. off is in
// bytes, need not be aligned and must not be negative. Fill does not allocate, keeps no reference to
// dst and may run concurrently.
func Fill(dst []byte, h uint64, off int64) {
	// z is the counter of the first chain of the block that holds byte off; it wraps by design.
	z := h + (uint64(off)/blockBytes*lanes+1)*gamma
	if skip := int(off % blockBytes); skip != 0 {
		var edge [blockBytes]byte
		fillBlocks(edge[:], z)
		dst = dst[copy(dst, edge[skip:]):]
		z += blockGamma
	}
	n := len(dst) &^ (blockBytes - 1)
	fillBlocks(dst[:n], z)
	if n < len(dst) {
		var edge [blockBytes]byte
		fillBlocks(edge[:], z+uint64(n/blockBytes)*blockGamma)
		copy(dst[n:], edge[:])
	}
}

// multipliers are where the compiler cannot see their values: it then keeps them in registers instead
// of loading ten-byte immediates for every word.
var multipliers = [3]uint64{mul1, mul2, mul3}

// fillBlocksGeneric writes whole blocks, the first chain having counter z; len(dst) is a multiple of
// blockBytes. The steps are written out because the CPU then overlaps one chain with the next by
// itself: chains side by side in the source are slower, for want of registers.
func fillBlocksGeneric(dst []byte, z uint64) {
	m1, m2, m3 := multipliers[0], multipliers[1], multipliers[2]
	for ; len(dst) >= blockBytes; dst = dst[blockBytes:] {
		block := (*[blockBytes]byte)(dst)
		for l := 0; l < rowBytes; l += 8 {
			d := (*[blockBytes - rowBytes + 8]byte)(block[l:])
			y := (z ^ z>>30) * m1
			x := (y ^ y>>27) * m2
			x ^= x >> 31
			z += gamma
			y = bits.RotateLeft64(y-x, turn)
			binary.LittleEndian.PutUint64(d[0*rowBytes:], x)
			x, y = y*m3, bits.RotateLeft64(y-x, turn)
			binary.LittleEndian.PutUint64(d[1*rowBytes:], x)
			x, y = y*m3, bits.RotateLeft64(y-x, turn)
			binary.LittleEndian.PutUint64(d[2*rowBytes:], x)
			x, y = y*m3, bits.RotateLeft64(y-x, turn)
			binary.LittleEndian.PutUint64(d[3*rowBytes:], x)
			x, y = y*m3, bits.RotateLeft64(y-x, turn)
			binary.LittleEndian.PutUint64(d[4*rowBytes:], x)
			x, y = y*m3, bits.RotateLeft64(y-x, turn)
			binary.LittleEndian.PutUint64(d[5*rowBytes:], x)
			x, y = y*m3, bits.RotateLeft64(y-x, turn)
			binary.LittleEndian.PutUint64(d[6*rowBytes:], x)
			binary.LittleEndian.PutUint64(d[7*rowBytes:], y*m3)
		}
	}
}
