package e2e

import (
	"encoding/binary"
	"math/bits"
)

// The byte formula of docs/data.md, written from that page and not from the server's source, so that they can disagree.
const (
	gamma     = 0x9E3779B97F4A7C15 // splitmix64's increment
	namePrime = 0xBF58476D1CE4E5B9 // of the name's hash
)

// mix is the finaliser of splitmix64.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// content returns bytes [0, size) of the synthetic object bucket/key.
func content(seed uint64, bucket, key string, size int) []byte {
	name := []byte(bucket + "/" + key)
	length := uint64(len(name))
	name = append(name, make([]byte, -len(name)&7)...)
	f := mix(seed + gamma)
	for ; len(name) > 0; name = name[8:] {
		f = (f ^ binary.LittleEndian.Uint64(name)) * namePrime
		f ^= f >> 32
	}
	h := mix(f ^ length)
	out := make([]byte, 0, size+8)
	for i := uint64(0); len(out) < size; i++ {
		out = binary.LittleEndian.AppendUint64(out, word(h, i))
	}
	return out[:size]
}

// word is the word at byte 8*i of stream h: word i/8%8 of the chain that starts from counter i/64*8 + i%8.
func word(h, i uint64) uint64 {
	z := h + (i/64*8+i%8+1)*gamma
	x := mix(z)
	y := bits.RotateLeft64((z^z>>30)*0xBF58476D1CE4E5B9-x, 27)
	for range i / 8 % 8 {
		x, y = y*0xD3833E804F4C574B, bits.RotateLeft64(y-x, 27)
	}
	return x
}
