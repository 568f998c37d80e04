package synth

// FNV-1a, 64 bits: offset basis and prime of RFC 9923, section 5.
const (
	fnvOffset = 0xCBF29CE484222325
	fnvPrime  = 0x100000001B3
)

// Hash returns h, the stream of the content name bucket/key under seed: FNV-1a over the eight
// little-endian bytes of seed, bucket, '/' and key, then mix. FNV alone leaves names that differ
// in the last letter close together; mix spreads them over all 64 bits. It does not allocate.
func Hash[B, K string | []byte](seed uint64, bucket B, key K) uint64 {
	f := uint64(fnvOffset)
	for range 8 {
		f = (f ^ seed&0xFF) * fnvPrime
		seed >>= 8
	}
	for i := range len(bucket) {
		f = (f ^ uint64(bucket[i])) * fnvPrime
	}
	f = (f ^ '/') * fnvPrime
	for i := range len(key) {
		f = (f ^ uint64(key[i])) * fnvPrime
	}
	return mix(f)
}
