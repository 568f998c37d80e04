//go:build !amd64

package server

// putHex writes the 32 lower-case hexadecimal digits of src.
func putHex(dst *[etagDigits]byte, src *[16]byte) { putHexWords(dst, src) }
