package e2e

import "encoding/binary"

// The byte formula of docs/data.md, written from that page and not from the server's source, so that they can disagree.
const (
	gamma     = 0x9E3779B97F4A7C15 // splitmix64's increment
	fnvOffset = 0xCBF29CE484222325 // FNV-1a, 64 bits
	fnvPrime  = 0x100000001B3
)

// mix is the finaliser of splitmix64.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// content returns bytes [0, size) of the synthetic object bucket/key.
func content(seed uint64, bucket, key string, size int) []byte {
	h := uint64(fnvOffset)
	name := binary.LittleEndian.AppendUint64(nil, seed)
	name = append(append(append(name, bucket...), '/'), key...)
	for _, b := range name {
		h = (h ^ uint64(b)) * fnvPrime
	}
	h = mix(h)
	out := make([]byte, 0, size+8)
	for i := uint64(1); len(out) < size; i++ {
		out = binary.LittleEndian.AppendUint64(out, mix(h+i*gamma))
	}
	return out[:size]
}
