//go:build !amd64 && !arm64

package synth

// kernels are the implementations of fillBlocks.
func kernels() map[string]func(dst []byte, z uint64) {
	return map[string]func([]byte, uint64){"generic": fillBlocksGeneric}
}
