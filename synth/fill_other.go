//go:build !amd64

package synth

// fillBlocks is portable here. On arm64 a word takes a multiply, a subtraction, a rotation and a
// store, with the start of its chain four and a half instructions; NEON has no 64-bit multiply and
// no rotation and needs as many a word.
func fillBlocks(dst []byte, z uint64) { fillBlocksGeneric(dst, z) }
