package server

import (
	"bytes"
	"encoding/base64"

	"github.com/s3ultra/s3ultra/sigv4"
)

const (
	// maxPutSize is the largest body of PutObject and UploadPart, 5 GiB.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html
	maxPutSize = 5 << 30
	// maxKeyLength is the longest key in bytes.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-keys.html
	maxKeyLength = 1024
)

// unknownChecksum is AWS's message for an algorithm it does not have.
const unknownChecksum = "Checksum algorithm provided is unsupported. Please try again with any of the valid types: [CRC32, CRC32C, CRC64NVME, SHA1, SHA256]"

// bodyPlan is what the headers of a request say about its body: its size and
// what it must match.
type bodyPlan struct {
	size      int64 // of the payload in bytes; -1 when no header tells
	streaming bool  // the payload travels inside aws-chunked framing
	literal   bool  // x-amz-content-sha256 is the payload's SHA-256
	hasMD5    bool
	md5       [16]byte
	algorithm checksumAlgorithm // of the checksum in a header or trailer
	trailing  bool              // the checksum comes in the trailer
	compute   bool              // no value came: the checksum is only recorded
	sum       [maxChecksumSize]byte
}

// planBody reads the plan off the headers.
func (r *request) planBody() (bodyPlan, error) {
	p, err := r.planFraming()
	if err != nil {
		return p, err
	}
	return p, r.planChecksum(&p)
}

// planFraming is planBody without the checksum: in CompleteMultipartUpload
// those headers speak of the object, not of the body.
func (r *request) planFraming() (bodyPlan, error) {
	p := bodyPlan{
		streaming: r.auth.Payload.Streaming(),
		literal:   r.auth.Payload == sigv4.PayloadLiteral,
	}
	if err := r.planSize(&p); err != nil {
		return p, err
	}
	if v := r.known[headerContentMD5]; v != nil {
		// 16 bytes are 24 characters of base64, and nothing else is an MD5.
		if len(v) != 24 {
			return p, errInvalidDigest
		}
		var raw [18]byte
		n, err := base64.StdEncoding.Strict().Decode(raw[:], v)
		if err != nil || n != len(p.md5) {
			return p, errInvalidDigest
		}
		p.hasMD5 = true
		copy(p.md5[:], raw[:])
	}
	return p, nil
}

// planSize finds the payload's length. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html (the
// decoded length is required with streaming payloads).
func (r *request) planSize(p *bodyPlan) error {
	chunked := r.ctx.Request.Header.ContentLength() == -1
	switch {
	case p.streaming:
		n, ok := parseSize(r.known[headerDecodedLength])
		if !ok {
			return errMissingContentLength
		}
		p.size = n
	case chunked:
		p.size = -1
	case r.known[headerContentLength] == nil:
		return errMissingContentLength
	default:
		p.size = int64(r.ctx.Request.Header.ContentLength())
	}
	return nil
}

// planChecksum finds the one checksum that a request may carry, in a header
// or announced for the trailer. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/checking-object-integrity-upload.html
func (r *request) planChecksum(p *bodyPlan) error {
	var value []byte
	for i := range r.fields {
		alg, ok := algorithmOfHeader(r.fields[i].Name)
		if !ok {
			continue
		}
		if p.algorithm != checksumNone {
			return errInvalidRequest.saying("Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.")
		}
		p.algorithm, value = alg, r.fields[i].Value
	}
	if p.algorithm != checksumNone {
		sum, ok := decodeChecksum(p.algorithm, value)
		if !ok {
			return errInvalidRequest.saying("Value for " + p.algorithm.header() + " header is invalid.")
		}
		p.sum = sum
	}
	if v := r.known[headerTrailer]; v != nil && p.streaming {
		alg, ok := algorithmOfHeader(bytes.TrimSpace(v))
		if !ok {
			return errInvalidRequest.saying("The value specified in the x-amz-trailer header is not supported")
		}
		if p.algorithm != checksumNone {
			return errInvalidRequest.saying("Expecting a single x-amz-checksum- header")
		}
		p.algorithm, p.trailing = alg, true
	}
	v := r.header("x-amz-sdk-checksum-algorithm")
	if len(v) == 0 {
		return nil
	}
	named, ok := parseChecksumAlgorithm(v)
	switch {
	case !ok:
		return errInvalidRequest.saying(unknownChecksum)
	case p.algorithm != checksumNone && p.algorithm != named:
		return errInvalidRequest.saying("Value for x-amz-sdk-checksum-algorithm header is invalid.")
	case p.algorithm == checksumNone && p.size != 0 && !p.hasMD5:
		return errInvalidRequest.saying("x-amz-sdk-checksum-algorithm specified, but no corresponding x-amz-checksum-* or x-amz-trailer headers were found.")
	}
	return nil
}

// parseSize reads a decimal length that fits an int64.
func parseSize(b []byte) (int64, bool) {
	// 18 digits cannot overflow; S3's sizes have 14.
	if len(b) == 0 || len(b) > 18 {
		return 0, false
	}
	var n int64
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}
