package store

import (
	"crypto/md5"
	"encoding/binary"
	"encoding/hex"
)

// ETag is an object's entity tag: 128 bits and, if Parts > 0, a part count.
// The zero ETag is none.
type ETag struct {
	Sum   [16]byte
	Parts uint16
}

// Append adds the unquoted text to dst: 32 lower-case hex digits, followed by
// "-" and the part count if there is one. It allocates only to grow dst.
func (e ETag) Append(dst []byte) []byte {
	dst = hex.AppendEncode(dst, e.Sum[:])
	if e.Parts == 0 {
		return dst
	}
	dst = append(dst, '-')
	var digits [5]byte
	i := len(digits)
	for n := e.Parts; n > 0; n /= 10 {
		i--
		digits[i] = byte('0' + n%10)
	}
	return append(dst, digits[i:]...)
}

// String is the unquoted text.
func (e ETag) String() string {
	var buf [40]byte
	return string(e.Append(buf[:0]))
}

// ParseETag reads what Append writes, quoted or not, in either case of hex
// digits. It reports false for anything else (weak tags and "*" too).
func ParseETag(b []byte) (ETag, bool) {
	var e ETag
	if len(b) >= 2 && b[0] == '"' && b[len(b)-1] == '"' {
		b = b[1 : len(b)-1]
	}
	if len(b) < 32 {
		return ETag{}, false
	}
	if _, err := hex.Decode(e.Sum[:], b[:32]); err != nil {
		return ETag{}, false
	}
	b = b[32:]
	if len(b) == 0 {
		return e, true
	}
	// "-" and 1 to 5 digits without a leading zero: the form Append writes.
	if b[0] != '-' || len(b) < 2 || len(b) > 6 || b[1] == '0' {
		return ETag{}, false
	}
	n := 0
	for _, c := range b[1:] {
		if c < '0' || c > '9' {
			return ETag{}, false
		}
		n = n*10 + int(c-'0')
	}
	if n > 0xffff {
		return ETag{}, false
	}
	e.Parts = uint16(n)
	return e, true
}

// golden is 2^64 / the golden ratio, odd: splitmix64's increment.
const golden = 0x9E3779B97F4A7C15

// mix is splitmix64's finaliser (Steele, Lea, Flood, "Fast splittable
// pseudorandom number generators", OOPSLA 2014; constants of Vigna's version).
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xBF58476D1CE4E5B9
	x ^= x >> 27
	x *= 0x94D049BB133111EB
	return x ^ x>>31
}

// spread turns three words into 128 bits in which every input bit reaches
// every output bit. b and c are joined first: c, a part count, takes the 16
// bits that no size needs. The two lanes join that to a in two ways, so that
// what collides in one does not in the other.
func spread(a, b, c uint64) (sum [16]byte) {
	spreadJoined(&sum, a, join(b, c))
	return sum
}

func join(b, c uint64) uint64 { return mix((b ^ c<<48) + golden) }

func spreadJoined(sum *[16]byte, a, y uint64) {
	binary.BigEndian.PutUint64(sum[:8], mix(a+y))
	binary.BigEndian.PutUint64(sum[8:], mix((a^y)+laneOffset))
}

// etagDeriver is DeriveETag for single PUTs, of which neighbours mostly have
// one size.
type etagDeriver struct {
	size   int64
	joined uint64 // of size; 0 before the first
}

// derive sets e. It writes in place: read back soon, words that were written
// apart and copied as one would keep the processor waiting.
func (d *etagDeriver) derive(e *ETag, content uint64, size int64) {
	if size != d.size || d.joined == 0 {
		d.size, d.joined = size, join(uint64(size), 1)
	}
	spreadJoined(&e.Sum, content, d.joined)
	e.Parts = 1
}

// laneOffset is three times golden, modulo 2^64: it sets the second lane apart
// where a and y are 0.
const laneOffset = golden * 3 % (1 << 64)

// DeriveETag is the ETag of a synthetic object: a function of the hash of its
// content name, its size in bytes and its part count, the same on every
// replica that has the seed. Part counts below 1 are taken as 1: a tag without
// "-N" would be taken for an MD5 of the bytes by clients. It is part of the
// public contract; see the vectors in etag_test.go.
func DeriveETag(content uint64, size int64, parts int) ETag {
	parts = max(parts, 1)
	return ETag{Sum: spread(content, uint64(size), uint64(parts)), Parts: uint16(parts)}
}

// MultipartETag is AWS's ETag of a multipart object: the MD5 of the parts'
// MD5s in part order, and their number.
// See https://docs.aws.amazon.com/AmazonS3/latest/userguide/checking-object-integrity-upload.html
func MultipartETag(sums [][16]byte) ETag {
	h := md5.New()
	for i := range sums {
		h.Write(sums[i][:])
	}
	e := ETag{Parts: uint16(len(sums))}
	h.Sum(e.Sum[:0])
	return e
}

// UniqueETag is an ETag for true bytes that nobody hashed: it differs at each
// call and, by a random start, between runs. Part counts below 1 are taken
// as 1, for the reason given at DeriveETag.
func (s *Store) UniqueETag(parts int) ETag {
	parts = max(parts, 1)
	return ETag{Sum: spread(s.nonce, s.writes.Add(1), uint64(parts)), Parts: uint16(parts)}
}
