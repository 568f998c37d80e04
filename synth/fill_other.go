//go:build !amd64 && !arm64

package synth

func fillBlocks(dst []byte, z uint64) { fillBlocksGeneric(dst, z) }
