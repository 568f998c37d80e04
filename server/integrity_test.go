package server_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/s3ultra/s3ultra/store"
)

// TestT16ChecksumHeader: right, wrong and unreadable values of every algorithm.
func TestT16ChecksumHeader(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		id := f.newUpload(t, "/bkt/m")
		for _, alg := range algorithms {
			for _, target := range []string{"/bkt/k", "/bkt/m?partNumber=1&uploadId=" + id} {
				for _, body := range []string{"hello", "", letters(keepSmall), letters(100_000)} {
					sum := sum64(alg.new(), body)
					for _, chunked := range []int{0, 999} {
						c := call{method: "PUT", target: target, body: body, chunked: chunked}
						c.header = []string{strings.ToUpper(alg.header) + ": " + sum, "x-amz-sdk-checksum-algorithm: " + alg.name}
						f.send(t, c).want(200).wantHeader(alg.header+": "+sum, "x-amz-checksum-type: FULL_OBJECT")
						for _, row := range []struct{ value, code string }{
							{sum64(alg.new(), body+"x"), "BadDigest"},
							{"", "InvalidRequest"},
							{"!!!", "InvalidRequest"},
							{"AAAA", "InvalidRequest"},
							{sum + "=", "InvalidRequest"},
							{strings.TrimRight(sum, "="), "InvalidRequest"},
							{sum + "-1", "InvalidRequest"},
						} {
							if row.value == sum {
								continue
							}
							c.header[0] = alg.header + ": " + row.value
							f.send(t, c).wantError(400, row.code)
						}
					}
				}
			}
		}
		f.do(t, "GET", "/bkt/k", "").wantBody(200, f.served("bkt", "k", letters(100_000)))
		hello := algorithms[0]
		for _, header := range [][]string{
			{"x-amz-checksum-crc32: NhCmhg==", "x-amz-checksum-crc32c: mnG7TA=="},
			{"x-amz-checksum-crc32: NhCmhg==", "x-amz-sdk-checksum-algorithm: SHA256"},
			{"x-amz-sdk-checksum-algorithm: CRC32"},
			{"x-amz-sdk-checksum-algorithm: MD4"},
		} {
			f.do(t, "PUT", "/bkt/k", "hello", header...).wantError(400, "InvalidRequest")
		}
		f.put(t, "/bkt/k", "hello", hello.header+": "+hello.hello)
	})
}

// TestT17ChecksumOnGet: the stored checksum comes back when asked for, with
// the whole object only, and never with bytes it does not fit.
func TestT17ChecksumOnGet(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		const mode = "x-amz-checksum-mode: ENABLED"
		for _, alg := range algorithms {
			for _, size := range []int{0, 5, keepSmall - 1, keepSmall, 5000} {
				body := letters(size)
				sum := sum64(alg.new(), body)
				f.put(t, "/bkt/k", body, alg.header+": "+sum)
				served := f.served("bkt", "k", body)
				want := ""
				if served == body {
					want = sum
				}
				for _, method := range []string{"GET", "HEAD"} {
					f.do(t, method, "/bkt/k", "").want(200).wantHeader(alg.header+":", "x-amz-checksum-type:")
					f.do(t, method, "/bkt/k", "", mode).want(200).wantHeader(alg.header + ": " + want)
					f.do(t, method, "/bkt/k", "", strings.ToLower(mode)).want(200).wantHeader(alg.header + ": " + want)
					if size > 1 {
						f.do(t, method, "/bkt/k", "", mode, "Range: bytes=1-").want(206).wantHeader(alg.header + ":")
						f.do(t, method, "/bkt/k", "", mode, fmt.Sprintf("Range: bytes=0-%d", size-2)).want(206).wantHeader(alg.header + ":")
					}
				}
				// A copy answers the bytes of its source, so its checksum too.
				copied := f.do(t, "PUT", "/bkt/c", "", "x-amz-copy-source: bkt/k").want(200)
				if want != "" && copied.element("Checksum"+alg.name) != sum {
					t.Errorf("unexpected reply of CopyObject %v", copied)
				}
				f.do(t, "GET", "/bkt/c", "", mode).wantBody(200, served).wantHeader(alg.header + ": " + want)
				// Overwriting forgets it.
				f.put(t, "/bkt/k", "other")
				f.do(t, "GET", "/bkt/k", "", mode).wantBody(200, "other").wantHeader(alg.header + ":")
			}
		}
		// Whoever computes a checksum for the copy computes it of the bytes the copy has.
		f.put(t, "/bkt/k", letters(5000))
		r := f.do(t, "PUT", "/bkt/c", "", "x-amz-copy-source: bkt/k", "x-amz-checksum-algorithm: SHA256").want(200)
		sum := sum64(algorithms[4].new(), f.served("bkt", "k", letters(5000)))
		if r.element("ChecksumSHA256") != sum {
			t.Errorf("unexpected reply of CopyObject, want %s\n%v", sum, r)
		}
		if g := f.do(t, "GET", "/bkt/c", "", mode).want(200); g.header.Get("x-amz-checksum-sha256") != sum && f.mode == store.Memory {
			t.Errorf("unexpected checksum %v", g)
		}
	})
}

// TestT20ContentMD5 in every framing, on PUT and UploadPart.
func TestT20ContentMD5(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		f.put(t, "/bkt/k", "old")
		id := f.newUpload(t, "/bkt/m")
		for _, target := range []string{"/bkt/k", "/bkt/m?partNumber=1&uploadId=" + id} {
			for _, body := range []string{"hello", "", letters(100_000)} {
				calls := []call{{}, {chunked: 333}, {sha: "UNSIGNED-PAYLOAD"}}
				for _, kind := range streamingKinds {
					calls = append(calls, streamed(kind, "", body, 1000))
				}
				for _, c := range calls {
					c.method, c.target, c.body = "PUT", target, body
					extra := c.header
					try := func(value string, status int, code string) {
						t.Helper()
						c.header = append([]string{"Content-MD5: " + value}, extra...)
						r := f.send(t, c)
						if status == 200 {
							r.want(200)
							return
						}
						r.wantError(status, code)
					}
					try(md5Base64(body), 200, "")
					try(md5Base64(body+"x"), 400, "BadDigest")
					try("", 400, "InvalidDigest")
					try("YWJj", 400, "InvalidDigest")
					try("garbage!", 400, "InvalidDigest")
					try(md5Hex(body), 400, "InvalidDigest")
					try("AAAAAAAAAAAAAAAAAAAAAA=", 400, "InvalidDigest")
					try("AAAAAAAAAAAAAAAAAAAAAB==", 400, "InvalidDigest") // spare bits set
				}
			}
		}
		f.do(t, "GET", "/bkt/k", "").wantBody(200, f.served("bkt", "k", letters(100_000)))
	})
}

// TestVerifyPayloadOff: --verify-payload=false trusts what it is told, and
// still reads the framing.
func TestVerifyPayloadOff(t *testing.T) {
	for _, mode := range []store.Mode{store.Memory, store.Synth} {
		cfg := testConfig(mode)
		cfg.VerifyPayload = false
		f := start(t, cfg)
		flip := func(b []byte) []byte { b[len(b)-1] ^= 1; return b }
		f.send(t, call{method: "PUT", target: "/bkt/k", body: "hello", tamper: flip}).want(200)
		f.put(t, "/bkt/k", "hello", "Content-MD5: "+md5Base64("other"), "x-amz-checksum-crc32: AAAAAA==")
		for _, kind := range streamingKinds {
			c := streamed(kind, "/bkt/k", "hello", 2)
			f.send(t, c).want(200)
			f.do(t, "GET", "/bkt/k", "").wantBody(200, "hello")
		}
	}
}
