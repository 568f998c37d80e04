package server_test

import (
	"bytes"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"hash"
	"hash/crc32"
	"strconv"
	"strings"
	"testing"

	"github.com/minio/crc64nvme"

	"github.com/s3ultra/s3ultra/sigv4"
	"github.com/s3ultra/s3ultra/store"
)

// algorithms are the five checksums, computed by the libraries and not by the server's code.
var algorithms = []struct {
	name, header string
	new          func() hash.Hash
	hello        string // of "hello", from shared vectors
}{
	{"CRC32", "x-amz-checksum-crc32", func() hash.Hash { return crc32.NewIEEE() }, "NhCmhg=="},
	{"CRC32C", "x-amz-checksum-crc32c", func() hash.Hash { return crc32.New(crc32.MakeTable(crc32.Castagnoli)) }, "mnG7TA=="},
	{"CRC64NVME", "x-amz-checksum-crc64nvme", func() hash.Hash { return crc64nvme.New() }, "M3eFcAZSQlc="},
	{"SHA1", "x-amz-checksum-sha1", sha1.New, "qvTGHdzF6KLavt4PO0gs2a6pQ00="},
	{"SHA256", "x-amz-checksum-sha256", sha256.New, "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ="},
}

func sum64(h hash.Hash, body string) string {
	h.Write([]byte(body))
	return base64.StdEncoding.EncodeToString(h.Sum(nil))
}

func md5Hex(body string) string {
	s := md5.Sum([]byte(body))
	return hex.EncodeToString(s[:])
}

func md5Base64(body string) string {
	s := md5.Sum([]byte(body))
	return base64.StdEncoding.EncodeToString(s[:])
}

func trailer(name, value string) []sigv4.Field {
	return []sigv4.Field{{Name: []byte(name), Value: []byte(value)}}
}

var streamingKinds = []sigv4.Payload{
	sigv4.PayloadStreamingSigned, sigv4.PayloadStreamingSignedTrailer, sigv4.PayloadStreamingUnsignedTrailer,
}

// streamed makes a streaming PUT with a CRC32 trailer where the kind has one.
func streamed(kind sigv4.Payload, target, body string, chunk int) call {
	c := call{method: "PUT", target: target, body: body, stream: kind, chunk: chunk}
	if kind != sigv4.PayloadStreamingSigned {
		c.header = []string{"x-amz-trailer: x-amz-checksum-crc32"}
		c.trailer = trailer("x-amz-checksum-crc32", sum64(crc32.NewIEEE(), body))
	}
	return c
}

// TestT01T02T05T07T12Streaming stores bodies of many sizes in every streaming
// kind, in Content-Length and in Transfer-Encoding framing.
func TestT01T02T05T07T12Streaming(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		for _, kind := range streamingKinds {
			for _, size := range []int{0, 1, 5, keepSmall - 1, keepSmall, 8192, 8193, 65536, 100_001, 300_000} {
				for _, chunk := range []int{1000, 65536} {
					for _, te := range []int{0, 7777} {
						body := letters(size)
						c := streamed(kind, "/bkt/k", body, chunk)
						c.chunked = te
						r := f.send(t, c).want(200)
						if kind != sigv4.PayloadStreamingSigned {
							r.wantHeader("x-amz-checksum-crc32: " + sum64(crc32.NewIEEE(), body))
						}
						want := f.served("bkt", "k", body)
						g := f.do(t, "GET", "/bkt/k", "").wantBody(200, want)
						g.wantHeader("Content-Encoding:", "Content-Length: "+strconv.Itoa(size))
						if f.mode == store.Memory && g.etag() != `"`+md5Hex(body)+`"` {
							t.Errorf("unexpected ETag %s of %d bytes", g.etag(), size)
						}
					}
				}
			}
		}
	})
}

func TestT12OneByteChunks(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		for _, kind := range streamingKinds {
			c := streamed(kind, "/bkt/k", "hello", 2)
			for _, te := range []int{1, 2, 3, 50} {
				c.chunked = te
				f.send(t, c).want(200)
				f.do(t, "GET", "/bkt/k", "").wantBody(200, "hello")
			}
			// The decoded length is required.
			c.decoded = "none"
			f.send(t, c).wantError(411, "MissingContentLength")
			c.chunked = 0
			f.send(t, c).wantError(411, "MissingContentLength")
		}
	})
}

// TestT05PublishedBytes sends the 46 bytes of the AWS documentation's shape, unsigned.
func TestT05PublishedBytes(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		for _, alg := range algorithms {
			c := call{method: "PUT", target: "/bkt/k", body: "hello", stream: sigv4.PayloadStreamingUnsignedTrailer,
				header: []string{"x-amz-trailer: " + alg.header}}
			for _, end := range []string{"\r\n\r\n", "\n\r\n\r\n"} { // minio-go sends a line feed more
				c.tamper = func([]byte) []byte { return []byte("5\r\nhello\r\n0\r\n" + alg.header + ":" + alg.hello + end) }
				f.send(t, c).want(200).wantHeader(alg.header+": "+alg.hello, "x-amz-checksum-type: FULL_OBJECT")
				f.do(t, "GET", "/bkt/k", "", "x-amz-checksum-mode: ENABLED").wantBody(200, "hello").wantHeader(alg.header + ": " + alg.hello)
			}
		}
		c := call{method: "PUT", target: "/bkt/k", body: "new", stream: sigv4.PayloadStreamingUnsignedTrailer,
			header: []string{"x-amz-trailer: x-amz-checksum-md4"}, trailer: trailer("x-amz-checksum-md4", "AAAA")}
		f.send(t, c).wantError(400, "InvalidRequest")
		f.do(t, "GET", "/bkt/k", "").wantBody(200, "hello")
	})
}

// TestT06Trailer: wrong, missing, malformed and unannounced trailers.
func TestT06Trailer(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		f.put(t, "/bkt/k", "old")
		for _, kind := range streamingKinds[1:] {
			for _, alg := range algorithms {
				base := call{method: "PUT", target: "/bkt/k", body: "hello", stream: kind, header: []string{"x-amz-trailer: " + alg.header}}
				try := func(fields []sigv4.Field, status int, codes ...string) {
					t.Helper()
					c := base
					c.trailer = fields
					f.send(t, c).wantError(status, codes...)
				}
				try(trailer(alg.header, sum64(alg.new(), "hellO")), 400, "BadDigest")
				try(nil, 400, "MalformedTrailerError")
				try(trailer(alg.header, "not base64"), 400, "InvalidRequest", "BadDigest", "MalformedTrailerError")
				try(trailer(alg.header, "AAAA"), 400, "InvalidRequest", "BadDigest", "MalformedTrailerError")
				try(trailer("x-amz-checksum-foo", alg.hello), 400, "MalformedTrailerError")
				try(trailer(alg.header, ""), 400, "InvalidRequest", "MalformedTrailerError")
			}
		}
		f.do(t, "GET", "/bkt/k", "").wantBody(200, "old")
	})
}

func TestT04StreamingParts(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		for _, kind := range streamingKinds {
			id := f.newUpload(t, "/bkt/m")
			var parts []listed
			var whole strings.Builder
			for n := 1; n <= 3; n++ {
				body := letters(70_000 + n)
				whole.WriteString(body)
				r := f.send(t, streamed(kind, fmt.Sprintf("/bkt/m?partNumber=%d&uploadId=%s", n, id), body, 65536)).want(200)
				parts = append(parts, listed{number: n, etag: r.etag()})
			}
			for i, p := range f.parts(t, "/bkt/m", id, "").Part {
				if p.Size != int64(70_001+i) {
					t.Errorf("unexpected size of part %d: %d", i+1, p.Size)
				}
			}
			f.complete(t, "/bkt/m", id, parts).want(200)
			f.do(t, "GET", "/bkt/m", "").wantBody(200, f.served("bkt", "m", whole.String()))
		}
	})
}

// TestT09Tampered flips one byte of payload, chunk signature, trailer and
// trailer signature.
func TestT09Tampered(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		f.put(t, "/bkt/k", "old")
		body := letters(9000)
		flip := func(at func([]byte) int) func([]byte) []byte {
			return func(b []byte) []byte { b[at(b)] ^= 1; return b }
		}
		after := func(text string, n int) func([]byte) int {
			return func(b []byte) int { return bytes.LastIndex(b, []byte(text)) + len(text) + n }
		}
		for _, te := range []int{0, 1000} {
			for _, row := range []struct {
				kind sigv4.Payload
				at   func([]byte) int
			}{
				{sigv4.PayloadStreamingSigned, func([]byte) int { return 200 }},
				{sigv4.PayloadStreamingSigned, func([]byte) int { return 20 }},
				{sigv4.PayloadStreamingSigned, after("chunk-signature=", 5)},
				{sigv4.PayloadStreamingSignedTrailer, func([]byte) int { return 5000 }},
				{sigv4.PayloadStreamingSignedTrailer, after("x-amz-trailer-signature:", 5)},
				{sigv4.PayloadStreamingSignedTrailer, after("0;chunk-signature=", 5)},
			} {
				c := streamed(row.kind, "/bkt/k", body, 4000)
				c.tamper, c.chunked = flip(row.at), te
				f.send(t, c).wantError(403, "SignatureDoesNotMatch")
			}
			c := streamed(sigv4.PayloadStreamingUnsignedTrailer, "/bkt/k", body, 4000)
			c.tamper, c.chunked = flip(func([]byte) int { return 100 }), te
			f.send(t, c).wantError(400, "BadDigest")
		}
		f.do(t, "GET", "/bkt/k", "").wantBody(200, "old")
	})
}

// TestStreamingFraming: lengths that do not fit, truncation inside the
// framing, garbage.
func TestStreamingFraming(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		f.put(t, "/bkt/k", "old")
		for _, kind := range streamingKinds {
			for _, te := range []int{0, 5} {
				try := func(name string, change func(c *call)) {
					t.Helper()
					c := streamed(kind, "/bkt/k", letters(1000), 300)
					c.chunked = te
					change(&c)
					r := f.send(t, c)
					if r.status != 400 {
						t.Errorf("%s (%v, te %d): unexpected reply %v", name, kind, te, r)
						return
					}
					r.wantError(400, "IncompleteBody", "InvalidRequest", "MalformedTrailerError", "InvalidChunkSizeError")
				}
				cut := func(n int) func(c *call) {
					return func(c *call) { c.tamper = func(b []byte) []byte { return b[:len(b)-n] } }
				}
				try("decoded length too small", func(c *call) { c.decoded = "999" })
				try("decoded length too large", func(c *call) { c.decoded = "1001" })
				try("decoded length 0", func(c *call) { c.decoded = "0" })
				try("cut in the data", func(c *call) { c.tamper = func(b []byte) []byte { return b[:500] } })
				try("cut before the last chunk", func(c *call) {
					c.tamper = func(b []byte) []byte { return b[:bytes.LastIndex(b, []byte("\r\n0"))+2] }
				})
				try("cut after the size", cut(6))
				try("no framing", func(c *call) { c.tamper = func([]byte) []byte { return []byte(letters(1000)) } })
				try("no CRLF after the data", func(c *call) {
					c.tamper = func(b []byte) []byte {
						i := bytes.Index(b, []byte("\r\n")) + 2 + 300
						return append(b[:i:i], b[i+2:]...)
					}
				})
				try("huge chunk size", func(c *call) {
					c.tamper = func(b []byte) []byte { return append([]byte("ffffffffffffffff"), b...) }
				})
				try("negative chunk size", func(c *call) { c.tamper = func(b []byte) []byte { return append([]byte("-"), b...) } })
				try("endless chunk header", func(c *call) {
					c.tamper = func([]byte) []byte { return []byte("5;" + strings.Repeat("x", 300_000)) }
				})
				try("empty", func(c *call) { c.tamper = func([]byte) []byte { return nil } })
			}
			for _, decoded := range []string{"-1", "abc", "1e3", "99999999999999999999", " "} {
				c := streamed(kind, "/bkt/k", letters(1000), 300)
				c.decoded = decoded
				r := f.send(t, c)
				if r.status != 400 && r.status != 411 {
					t.Errorf("decoded length %q: unexpected reply %v", decoded, r)
				}
			}
		}
		f.do(t, "GET", "/bkt/k", "").wantBody(200, "old")
	})
}

func TestT11ContentEncoding(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		rows := []struct{ sent, want string }{
			{"aws-chunked", ""},
			{"gzip,aws-chunked", "gzip"},
			{"aws-chunked, gzip", "gzip"},
			{"gzip, aws-chunked", "gzip"},
			{"aws-chunked, aws-chunked", ""},
			{"gzip", "gzip"},
			{"deflate, gzip", "deflate, gzip"},
			{"", ""},
		}
		for _, row := range rows {
			header := []string{"Content-Encoding: " + row.sent}
			want := "Content-Encoding: " + row.want
			f.put(t, "/bkt/k", "hello", header...)
			f.do(t, "HEAD", "/bkt/k", "").want(200).wantHeader(want)
			f.do(t, "GET", "/bkt/k", "").wantBody(200, "hello").wantHeader(want)
			for _, kind := range streamingKinds {
				c := streamed(kind, "/bkt/s", "hello", 0)
				c.header = append(c.header, header...)
				f.send(t, c).want(200)
				f.do(t, "HEAD", "/bkt/s", "").want(200).wantHeader(want)
			}
			f.multipart(t, "/bkt/m", []string{"x"}, header...)
			f.do(t, "HEAD", "/bkt/m", "").want(200).wantHeader(want)
			f.do(t, "PUT", "/bkt/c", "", "x-amz-copy-source: bkt/k").want(200)
			f.do(t, "HEAD", "/bkt/c", "").want(200).wantHeader(want)
		}
	})
}

func TestT13Length(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		id := f.newUpload(t, "/bkt/m")
		for _, target := range []string{"/bkt/k", "/bkt/m?partNumber=1&uploadId=" + id} {
			f.send(t, call{method: "PUT", target: target, noLength: true}).wantError(411, "MissingContentLength")
			for _, size := range []int{0, 1, 5, 600, 100_000} {
				f.send(t, call{method: "PUT", target: target, body: letters(size), chunked: 1000}).want(200)
				f.send(t, call{method: "PUT", target: target, body: letters(size), chunked: 1000, sha: "UNSIGNED-PAYLOAD"}).want(200)
			}
		}
		f.do(t, "GET", "/bkt/k", "").wantBody(200, f.served("bkt", "k", letters(100_000)))
		if p := f.parts(t, "/bkt/m", id, ""); len(p.Part) != 1 || p.Part[0].Size != 100_000 {
			t.Errorf("unexpected parts %+v", p.Part)
		}
	})
}

// TestT11ContentEncodingCase: content codings are case-insensitive (RFC 9110, 8.4.1).
func TestT11ContentEncodingCase(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		for _, row := range []struct{ sent, want string }{{"AWS-Chunked", ""}, {"Gzip,AWS-CHUNKED", "Gzip"}} {
			f.put(t, "/bkt/k", "hello", "Content-Encoding: "+row.sent)
			f.do(t, "HEAD", "/bkt/k", "").want(200).wantHeader("Content-Encoding: " + row.want)
		}
	})
}
