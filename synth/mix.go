package synth

// gamma is the Weyl step between counters: the odd integer closest to 2^64 divided by the golden
// ratio, as in Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators" (2014).
const gamma = 0x9E3779B97F4A7C15

// The multipliers and shifts of mix are Stafford's variant 13, the finaliser of splitmix64.
const (
	mul1 = 0xBF58476D1CE4E5B9
	mul2 = 0x94D049BB133111EB
)

// mix is the finaliser of splitmix64, a bijection of 64-bit words.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * mul1
	z = (z ^ z>>27) * mul2
	return z ^ z>>31
}
