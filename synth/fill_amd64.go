package synth

import "golang.org/x/sys/cpu"

// Measured on one core of a Xeon of the Sapphire Rapids kind into 128 KiB, GiB/s: portable Go 8.8,
// AVX2 11, AVX-512 24. AVX2 has no 64-bit multiply and needs three 32-bit ones for each, but wins
// by more where two hardware threads share the scalar multiplier. 256-bit AVX-512 reaches 17: a
// third kernel is not worth keeping for CPUs that lower their clock under 512-bit work.
var (
	hasAVX512 = cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ
	hasAVX2   = cpu.X86.HasAVX2
)

// vectorBlock is what both kernels write a turn, in bytes: four registers of 64 or eight of 32.
const vectorBlock = 256

// fillWords is fillWordsGeneric by the fastest means the CPU has.
func fillWords(dst []byte, x uint64) {
	n := len(dst) &^ (vectorBlock - 1)
	switch {
	case n == 0:
	case hasAVX512:
		fillAVX512(dst[:n], x)
	case hasAVX2:
		fillAVX2(dst[:n], x)
	default:
		n = 0
	}
	fillWordsGeneric(dst[n:], x+uint64(n>>3)*gamma)
}

// fillAVX512 is fillWordsGeneric for a len(dst) that is a positive multiple of vectorBlock. It
// needs AVX512F and AVX512DQ (VPMULLQ). Its stores go through the cache, for dst is about to be
// read by a write to a socket.
//
//go:noescape
func fillAVX512(dst []byte, x uint64)

// fillAVX2 is fillAVX512 for CPUs with AVX2.
//
//go:noescape
func fillAVX2(dst []byte, x uint64)
