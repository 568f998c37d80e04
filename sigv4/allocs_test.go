//go:build !race

package sigv4

import (
	"bytes"
	"crypto/sha256"
	"io"
	"testing"
	"time"
)

// The race detector allocates on its own, hence the build tag.

func TestVerifyAllocations(t *testing.T) {
	now := exampleTime
	presigned := request("GET", "/b/k", "127.0.0.1:9000")
	var g Signer
	presigned.Query = g.Presign(nil, presigned, exampleCredential, "eu-west-1", now, time.Hour)
	f := func(name string, r *Request, c Config) {
		t.Helper()
		v := newVerifier(t, c)
		var a Auth
		n := testing.AllocsPerRun(100, func() {
			if err := v.Verify(&a, r, now); err != nil {
				t.Errorf("%s: unexpected error: %v", name, err)
			}
		})
		if n != 0 {
			t.Errorf("%s: unexpected allocations; got %v; want 0", name, n)
		}
	}
	strict := Config{MaxSkew: 15 * time.Minute}
	f("GET", sdkRequest("GET", "/b/k?x-id=GetObject", emptySHA256), strict)
	f("list", sdkRequest("GET", "/b?prefix=a%20b%2F&list-type=2&delimiter=%2F&max-keys=1000", emptySHA256), strict)
	f("PUT", sdkRequest("PUT", "/b/k", nameUnsigned), strict)
	f("streaming PUT", sdkRequest("PUT", "/b/k", nameStreamingSigned), strict)
	f("path as no canonicaliser writes it", sdkRequest("GET", "/b/a+b:c=d", emptySHA256), strict)
	f("presigned", presigned, strict)
	f("open, signed", sdkRequest("GET", "/b/k", emptySHA256), Config{SkipVerify: true})
	f("open, presigned", presigned, Config{SkipVerify: true})
	f("open, anonymous", request("GET", "/b/k", "127.0.0.1:9000"), Config{SkipVerify: true})
}

func TestDecoderAllocations(t *testing.T) {
	data := make([]byte, 200<<10)
	for _, mode := range []Payload{PayloadStreamingSigned, PayloadStreamingSignedTrailer, PayloadStreamingUnsignedTrailer} {
		var trailer []Field
		if mode.hasTrailer() {
			trailer = fields("x-amz-checksum-crc32c", "sOO8/Q==")
		}
		a, body := encoded(t, mode, data, 8<<10, trailer)
		var d Decoder
		src := bytes.NewReader(nil)
		buf := make([]byte, 32<<10)
		digest := sha256.New()
		n := testing.AllocsPerRun(20, func() {
			src.Reset(body)
			d.Reset(src, a, int64(len(data)), buf, digest)
			for {
				if _, err := d.Next(); err != nil {
					if err != io.EOF {
						t.Errorf("%v: unexpected error: %v", mode, err)
					}
					return
				}
			}
		})
		if n != 0 {
			t.Errorf("%v: unexpected allocations; got %v; want 0", mode, n)
		}
	}
}

func TestSignerAllocations(t *testing.T) {
	r := sdkRequest("PUT", "/b/k", emptySHA256)
	r.Header = r.Header[:len(r.Header)-3]
	n := len(r.Header)
	data := make([]byte, 1000)
	var g Signer
	var e Encoder
	var out []byte
	allocs := testing.AllocsPerRun(100, func() {
		r.Header = r.Header[:n]
		g.SignHeader(r, exampleCredential, "us-east-1", exampleTime, nameStreamingSigned)
		e.Reset(&g, PayloadStreamingSigned)
		out = e.AppendChunk(out[:0], data)
		out = e.AppendEnd(out, nil)
	})
	if allocs != 0 {
		t.Errorf("unexpected allocations; got %v; want 0", allocs)
	}
}
