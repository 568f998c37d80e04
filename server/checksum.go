package server

import (
	"bytes"
	"encoding/base64"
	"strconv"

	"github.com/minio/crc64nvme"
)

// checksumAlgorithm is one of the checksums S3 offers for objects. The store keeps the numbers, so
// they never change. See "Checking object integrity" in the Amazon S3 User Guide.
type checksumAlgorithm uint8

const (
	checksumNone      checksumAlgorithm = 0
	checksumCRC32     checksumAlgorithm = 1
	checksumCRC32C    checksumAlgorithm = 2
	checksumCRC64NVME checksumAlgorithm = 3
	checksumSHA1      checksumAlgorithm = 4
	checksumSHA256    checksumAlgorithm = 5

	// checksumMD5 serves Content-MD5 and ETags through the same digest. It is no x-amz-checksum
	// algorithm: the parsers never return it and it has neither header nor element.
	checksumMD5 checksumAlgorithm = 6

	checksumCount = 7
)

// maxChecksumSize is the size in bytes of the longest sum, SHA-256's.
const maxChecksumSize = 32

// maxChecksumParts is the largest part number S3 allows ("Amazon S3 multipart upload limits").
const maxChecksumParts = 10_000

const checksumHeaderPrefix = "x-amz-checksum-"

type checksumInfo struct {
	name    string
	header  string
	element string
	size    int
	fullMPU bool // a multipart object may have the sum of its whole content
	compMPU bool // a multipart object may have the sum of its parts' sums
}

// checksumInfos follows the table "Full object and composite checksum types" of the S3 User Guide.
var checksumInfos = [checksumCount]checksumInfo{
	checksumCRC32:     {"CRC32", "x-amz-checksum-crc32", "ChecksumCRC32", 4, true, true},
	checksumCRC32C:    {"CRC32C", "x-amz-checksum-crc32c", "ChecksumCRC32C", 4, true, true},
	checksumCRC64NVME: {"CRC64NVME", "x-amz-checksum-crc64nvme", "ChecksumCRC64NVME", crc64nvme.Size, true, false},
	checksumSHA1:      {"SHA1", "x-amz-checksum-sha1", "ChecksumSHA1", 20, false, true},
	checksumSHA256:    {"SHA256", "x-amz-checksum-sha256", "ChecksumSHA256", 32, false, true},
	checksumMD5:       {"MD5", "", "", 16, false, false},
}

// String returns the algorithm's name in headers and XML, "CRC32"; "" for checksumNone.
func (a checksumAlgorithm) String() string { return checksumInfos[a].name }

// header returns the header that carries a sum, in lower case, "x-amz-checksum-crc32".
func (a checksumAlgorithm) header() string { return checksumInfos[a].header }

// element returns the XML element that carries a sum, "ChecksumCRC32".
func (a checksumAlgorithm) element() string { return checksumInfos[a].element }

// size returns the length of a sum in bytes.
func (a checksumAlgorithm) size() int { return checksumInfos[a].size }

// parseChecksumAlgorithm reads a name such as "CRC32", in any case, from
// x-amz-checksum-algorithm or x-amz-sdk-checksum-algorithm.
func parseChecksumAlgorithm(name []byte) (checksumAlgorithm, bool) {
	for a := checksumCRC32; a <= checksumSHA256; a++ {
		if equalFold(name, checksumInfos[a].header[len(checksumHeaderPrefix):]) {
			return a, true
		}
	}
	return checksumNone, false
}

// algorithmOfHeader returns the algorithm whose sum a header carries, its name being in any case.
// Other x-amz-checksum- headers, such as x-amz-checksum-type, are not ok.
func algorithmOfHeader(name []byte) (checksumAlgorithm, bool) {
	n := len(checksumHeaderPrefix)
	if len(name) <= n || !equalFold(name[:n], checksumHeaderPrefix) {
		return checksumNone, false
	}
	return parseChecksumAlgorithm(name[n:])
}

// parseChecksumType reads x-amz-checksum-type, in any case.
func parseChecksumType(name []byte) (composite, ok bool) {
	switch {
	case equalFold(name, "composite"):
		return true, true
	case equalFold(name, "full_object"):
		return false, true
	}
	return false, false
}

// checksumTypeName returns the value of x-amz-checksum-type and of the element ChecksumType.
func checksumTypeName(composite bool) string {
	if composite {
		return "COMPOSITE"
	}
	return "FULL_OBJECT"
}

// checksumTypeAllowed tells whether S3 lets a multipart upload combine algorithm and type. The sum
// of an object put in one piece is always FULL_OBJECT.
func checksumTypeAllowed(a checksumAlgorithm, composite bool) bool {
	if composite {
		return checksumInfos[a].compMPU
	}
	return checksumInfos[a].fullMPU
}

// defaultComposite is the type of a multipart upload that names an algorithm and no type:
// composite wherever the algorithm allows it.
func (a checksumAlgorithm) defaultComposite() bool { return checksumInfos[a].compMPU }

// decodeChecksum reads the standard, padded base64 of one sum of algorithm a, whose raw bytes are
// the first a.size() of sum. Anything else, newlines, other lengths and set spare bits included, is
// not ok.
func decodeChecksum(a checksumAlgorithm, text []byte) (sum [maxChecksumSize]byte, ok bool) {
	size := a.size()
	if size == 0 || len(text) != base64.StdEncoding.EncodedLen(size) {
		return sum, false
	}
	// Decode may touch up to two bytes past the sum.
	var raw [maxChecksumSize + 4]byte
	n, err := strictBase64.Decode(raw[:], text)
	if err != nil || n != size {
		return sum, false
	}
	copy(sum[:], raw[:n])
	return sum, true
}

var strictBase64 = base64.StdEncoding.Strict()

// decodeObjectChecksum is decodeChecksum for a sum that may be composite, "base64-N"; parts is N,
// or 0 without it.
func decodeObjectChecksum(a checksumAlgorithm, text []byte) (sum [maxChecksumSize]byte, parts int, ok bool) {
	if i := bytes.IndexByte(text, '-'); i >= 0 {
		for _, c := range text[i+1:] {
			if c < '0' || c > '9' || parts > maxChecksumParts {
				return sum, 0, false
			}
			parts = parts*10 + int(c-'0')
		}
		if parts == 0 || parts > maxChecksumParts || text[i+1] == '0' {
			return sum, 0, false
		}
		text = text[:i]
	}
	sum, ok = decodeChecksum(a, text)
	return sum, parts, ok
}

// appendChecksum appends the base64 of a raw sum.
func appendChecksum[B string | []byte](dst []byte, sum B) []byte {
	var raw [maxChecksumSize]byte
	return base64.StdEncoding.AppendEncode(dst, raw[:copy(raw[:], sum)])
}

// appendObjectChecksum is appendChecksum followed by "-N" if the sum is composite, of N parts.
func appendObjectChecksum[B string | []byte](dst []byte, sum B, composite bool, parts int) []byte {
	dst = appendChecksum(dst, sum)
	if composite {
		dst = append(dst, '-')
		dst = strconv.AppendInt(dst, int64(parts), 10)
	}
	return dst
}
