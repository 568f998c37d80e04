//go:build !amd64

package sha256lanes

// kernel returns none: arm64 has instructions for SHA-256 nearly everywhere,
// and NEON only four lanes.
func kernel() blocksFunc { return nil }

func hasSHA() bool { return true }
