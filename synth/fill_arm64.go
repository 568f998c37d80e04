package synth

// fillBlocks is fillBlocksGeneric in assembly: 4.1 instructions a word, where the compiler makes 6.3,
// as it stores words one by one and loads gamma for each chain. NEON would gain nothing: it has no
// 64-bit multiply and no rotation, so two words take nine instructions.
func fillBlocks(dst []byte, z uint64) {
	if len(dst) > 0 {
		fillARM64(dst, z)
	}
}

// fillARM64 is fillBlocksGeneric for a len(dst) that is a positive multiple of blockBytes.
//
//go:noescape
func fillARM64(dst []byte, z uint64)
