package synth

// kernels are the implementations of fillBlocks that this CPU can run.
func kernels() map[string]func(dst []byte, z uint64) {
	m := map[string]func([]byte, uint64){"generic": fillBlocksGeneric}
	if hasAVX2 {
		m["avx2"] = fillAVX2
	}
	if hasAVX512 {
		m["avx512"] = fillAVX512
	}
	return m
}
