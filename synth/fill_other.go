//go:build !amd64

package synth

// fillWords is portable here. On arm64 a word takes two multiplies and three exclusive-ors with a
// shifted operand; NEON has neither a 64-bit multiply nor shifted operands and needs about twice the
// instructions a word, so a kernel would lose.
func fillWords(dst []byte, x uint64) { fillWordsGeneric(dst, x) }
