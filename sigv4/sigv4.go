// Package sigv4 checks and makes AWS Signature Version 4 signatures for S3: in
// the Authorization header, in the query (presigned URLs) and over the chunks
// and trailers of aws-chunked bodies.
//
// It works on the bytes of the request as they came over the wire and knows no
// HTTP library. Sources: the Amazon S3 API reference, pages
// "sig-v4-header-based-auth", "sigv4-query-string-auth", "sigv4-streaming" and
// "sigv4-streaming-trailers".
package sigv4

import "time"

// Field is one header or trailer as received: the name in any case, the value
// with or without surrounding blanks. Names compare case-insensitively (ASCII).
type Field struct{ Name, Value []byte }

// Request is what a signature covers. Nothing in it is decoded or cleaned: a
// server must pass the request target as it stood on the wire, otherwise keys
// with '%', '+' or "//" in them cannot be verified.
//
// The package only reads it, and keeps no reference to it after a call.
type Request struct {
	Method string
	Path   []byte  // wire bytes before '?', never decoded
	Query  []byte  // wire bytes after '?', without it
	Host   []byte  // Host header or :authority
	Header []Field // wire order, repeats kept, including Host
}

// Credential is one key pair.
type Credential struct{ AccessKey, SecretKey string }

// Kind says how a request authenticated itself.
type Kind uint8

// The kinds of authentication.
const (
	Anonymous Kind = iota
	HeaderAuth
	PresignedAuth
)

// String returns the kind's name for logs.
func (k Kind) String() string {
	switch k {
	case HeaderAuth:
		return "header"
	case PresignedAuth:
		return "presigned"
	}
	return "anonymous"
}

// Payload is the meaning of x-amz-content-sha256: how the body is framed and
// what vouches for its bytes.
type Payload uint8

// The payload kinds.
const (
	PayloadUnspecified              Payload = iota // header auth or anonymous without x-amz-content-sha256
	PayloadUnsigned                                // plain body, no digest
	PayloadLiteral                                 // plain body, Auth.SHA256 is its digest
	PayloadStreamingSigned                         // aws-chunked, every chunk signed
	PayloadStreamingSignedTrailer                  // aws-chunked, every chunk and the trailers signed
	PayloadStreamingUnsignedTrailer                // aws-chunked, trailers, no signatures
)

// Values of x-amz-content-sha256. SigV4A (elliptic curve) streaming has the
// framing of the HMAC kinds, so a server that does not check signatures can still
// decode such a body.
const (
	nameUnsigned                 = "UNSIGNED-PAYLOAD"
	nameStreamingSigned          = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"
	nameStreamingSignedTrailer   = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER"
	nameStreamingUnsignedTrailer = "STREAMING-UNSIGNED-PAYLOAD-TRAILER"
	nameStreamingECDSA           = "STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD"
	nameStreamingECDSATrailer    = "STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD-TRAILER"
)

// Streaming reports whether the body is aws-chunked and needs a Decoder.
func (p Payload) Streaming() bool { return p >= PayloadStreamingSigned }

// String returns the value of x-amz-content-sha256 that stands for p, or "" for
// PayloadLiteral and PayloadUnspecified, which have no fixed one.
func (p Payload) String() string {
	switch p {
	case PayloadUnsigned:
		return nameUnsigned
	case PayloadStreamingSigned:
		return nameStreamingSigned
	case PayloadStreamingSignedTrailer:
		return nameStreamingSignedTrailer
	case PayloadStreamingUnsignedTrailer:
		return nameStreamingUnsignedTrailer
	}
	return ""
}

// hasTrailer reports whether a trailer section may follow the last chunk.
func (p Payload) hasTrailer() bool { return p >= PayloadStreamingSignedTrailer }

// chunkSigned reports whether chunks carry signatures.
func (p Payload) chunkSigned() bool {
	return p == PayloadStreamingSigned || p == PayloadStreamingSignedTrailer
}

const (
	algorithm  = "AWS4-HMAC-SHA256"
	service    = "s3"
	terminator = "aws4_request"

	// SHA-256 of nothing: the digest of an absent body and a fixed line of
	// every chunk's string to sign.
	emptySHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

	// MaxPresignAge is the longest life of a presigned URL AWS allows: 7 days.
	MaxPresignAge = 7 * 24 * time.Hour

	hexDigits = "0123456789abcdef"
)

// Auth is the outcome of Verifier.Verify and what a Decoder needs to go on
// checking the body. It owns all its memory (scratch included): keep one per
// connection or in a pool and pass it to Verify again and again. It must not be
// copied after first use, nor used by two goroutines at once.
type Auth struct {
	Kind      Kind
	AccessKey string // "" for Anonymous
	Payload   Payload
	SHA256    [32]byte  // body digest the client promised; only for PayloadLiteral
	Time      time.Time // when the request was signed; zero if not verified

	key      *signingKey // nil: chunk signatures cannot be checked
	date     [16]byte    // ISO 8601 basic time of the string to sign
	scope    []byte      // YYYYMMDD/region/s3/aws4_request
	seed     [64]byte    // hex signature of the request: start of the chunk chain
	trailers []byte      // names announced in x-amz-trailer, lower case, comma separated

	scratch scratch
}

// ChunksSigned reports whether the body has chunk signatures that can be
// checked: not if Verify accepted the request without checking it.
func (a *Auth) ChunksSigned() bool { return a.key != nil && a.Payload.chunkSigned() }

// reset forgets the last request but keeps the memory.
func (a *Auth) reset() {
	a.Kind = Anonymous
	a.AccessKey = ""
	a.Payload = PayloadUnspecified
	a.SHA256 = [32]byte{}
	a.Time = time.Time{}
	a.key = nil
	a.scope = a.scope[:0]
	a.seed = [64]byte{}
	a.trailers = a.trailers[:0]
}

// parsePayload maps a value of x-amz-content-sha256 to its kind. sum is set for
// a literal digest only. ok is false for anything AWS would not understand.
func parsePayload(v []byte, sum *[32]byte) (p Payload, ok bool) {
	if len(v) == 64 {
		if decodeHex(sum[:], v) {
			return PayloadLiteral, true
		}
		return 0, false
	}
	switch string(v) {
	case nameUnsigned:
		return PayloadUnsigned, true
	case nameStreamingSigned, nameStreamingECDSA:
		return PayloadStreamingSigned, true
	case nameStreamingSignedTrailer, nameStreamingECDSATrailer:
		return PayloadStreamingSignedTrailer, true
	case nameStreamingUnsignedTrailer:
		return PayloadStreamingUnsignedTrailer, true
	}
	return 0, false
}

// decodeHex fills dst from 2*len(dst) hex digits of either case.
func decodeHex(dst, src []byte) bool {
	for i := range dst {
		hi, lo := unhex[src[2*i]], unhex[src[2*i+1]]
		if hi|lo > 0x0f {
			return false
		}
		dst[i] = hi<<4 | lo
	}
	return true
}

// encodeHex writes 2*len(src) lower-case digits to dst.
func encodeHex(dst, src []byte) {
	for i, c := range src {
		dst[2*i] = hexDigits[c>>4]
		dst[2*i+1] = hexDigits[c&15]
	}
}

// appendHex appends the lower-case digits of src.
func appendHex(dst, src []byte) []byte {
	for _, c := range src {
		dst = append(dst, hexDigits[c>>4], hexDigits[c&15])
	}
	return dst
}
