package sha256lanes

import "github.com/klauspost/cpuid/v2"

// kernel returns the blocksFunc of this CPU, nil if there is none.
func kernel() blocksFunc {
	if cpuid.CPU.Supports(cpuid.AVX512F, cpuid.AVX512BW, cpuid.AVX512VL) {
		return blocksAVX512
	}
	return nil
}

// hasSHA tells whether the CPU has instructions for SHA-256, as Intel's
// servers have from Ice Lake on and AMD's from Zen on.
func hasSHA() bool { return cpuid.CPU.Has(cpuid.SHA) }

// blocksAVX512 is a blocksFunc. A block of eight lanes in half registers takes
// 0.69 of the time of sixteen, as they use a third port and shift on two.
func blocksAVX512(state *[8][Width]uint32, data *[Width]*byte, n, used int) {
	if used <= 8 {
		blocks8(state, data, n)
	} else {
		blocks16(state, data, n)
	}
}

// blocks16 takes n blocks, n > 0, in all lanes. It needs AVX512F and AVX512BW.
//
//go:noescape
func blocks16(state *[8][Width]uint32, data *[Width]*byte, n int)

// blocks8 takes n blocks, n > 0, in the first eight lanes. It needs AVX512BW and AVX512VL.
//
//go:noescape
func blocks8(state *[8][Width]uint32, data *[Width]*byte, n int)
