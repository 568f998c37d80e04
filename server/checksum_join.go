package server

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/minio/crc64nvme"
)

// checksumJoin derives the checksum of a multipart object from those of its parts, in part order:
// composite, the sum of the parts' concatenated sums, or full object, the CRC of the whole content
// worked out from the parts' CRCs and lengths. The zero value is not usable; call Reset. It is used
// by one goroutine, and Release gives its state back.
type checksumJoin struct {
	algorithm checksumAlgorithm
	composite bool
	sum       digest    // composite
	crc       uint64    // full object
	shift     crcShift  // full object
	params    crcParams // full object

	// scratch is a part's sum; it is here because what is written to a digest escapes.
	scratch [maxChecksumSize]byte
}

// Reset starts an object. The pair must be one that checksumTypeAllowed allows.
func (j *checksumJoin) Reset(a checksumAlgorithm, composite bool) {
	j.algorithm, j.composite, j.crc = a, composite, 0
	if composite {
		j.sum.Reset(a)
		return
	}
	j.params = crcParamsOf(a)
	j.shift = crcShift{}
}

// Add takes the next part's raw sum and its size in bytes. It reports false, and ignores the part,
// if the sum's length is not the algorithm's.
func (j *checksumJoin) Add(sum string, size int64) bool {
	if len(sum) != j.algorithm.size() {
		return false
	}
	b := j.scratch[:copy(j.scratch[:], sum)]
	if j.composite {
		j.sum.Write(b)
		return true
	}
	var crc uint64
	if len(b) == 4 {
		crc = uint64(binary.BigEndian.Uint32(b))
	} else {
		crc = binary.BigEndian.Uint64(b)
	}
	j.crc = j.params.multiply(j.crc, j.shift.of(j.params, size)) ^ crc
	return true
}

// Sum appends the object's raw sum to dst.
func (j *checksumJoin) Sum(dst []byte) []byte {
	if j.composite {
		return j.sum.Sum(dst)
	}
	d := digest{algorithm: j.algorithm, crc: j.crc}
	return d.Sum(dst)
}

// Release gives the state back to its pool.
func (j *checksumJoin) Release() { j.sum.Release() }

// crcParams describes a reflected CRC: polynomials over GF(2) modulo the CRC's own, bit width-1 of
// the word being the coefficient of x^0.
type crcParams struct {
	poly  uint64
	width uint
}

func crcParamsOf(a checksumAlgorithm) crcParams {
	switch a {
	case checksumCRC32:
		return crcParams{crc32.IEEE, 32}
	case checksumCRC32C:
		return crcParams{crc32.Castagnoli, 32}
	}
	return crcParams{crc64nvme.NVME, 64}
}

// multiply returns a*b modulo the CRC's polynomial. Masks, because branches on bits as random as
// these would be predicted wrong half of the time.
func (c crcParams) multiply(a, b uint64) uint64 {
	var product uint64
	for range c.width {
		product ^= b & -(a >> (c.width - 1) & 1)
		a <<= 1
		b = b>>1 ^ c.poly&-(b&1)
	}
	return product
}

// crcShift is the factor by which the CRC of what comes before is multiplied when n more bytes
// follow, x^(8n). It remembers the last n, because most uploads have parts of one size.
type crcShift struct {
	n      int64
	factor uint64
}

// of returns x^(8n) modulo the polynomial of c in O(log n), by repeated squaring. The CRCs' initial
// and final inversions cancel out, as in zlib's crc32_combine: crc(AB) = crc(A)*x^(8|B|) + crc(B).
func (s *crcShift) of(c crcParams, n int64) uint64 {
	if s.factor != 0 && s.n == n {
		return s.factor
	}
	one := uint64(1) << (c.width - 1)
	factor, power := one, one>>8
	for k := n; k > 0; k >>= 1 {
		if k&1 != 0 {
			factor = c.multiply(factor, power)
		}
		power = c.multiply(power, power)
	}
	s.n, s.factor = n, factor
	return factor
}
