package sigv4

import (
	"bytes"
	"fmt"
	"io"
	"testing"
	"time"
)

// sdkRequest is a request as an SDK sends it: about a dozen headers, eight signed.
func sdkRequest(method, target string, payload string) *Request {
	r := request(method, target, "127.0.0.1:9000",
		"User-Agent", "aws-sdk-go-v2/1.36.3 ua/2.1 os/linux lang/go#1.26 md/GOOS#linux api/s3#1.78.2",
		"Accept-Encoding", "identity",
		"Amz-Sdk-Invocation-Id", "7d1d2f4a-9f0f-4f1a-9a63-3f2f9f4c1a55",
		"Amz-Sdk-Request", "attempt=1; max=3",
		"Content-Type", "application/octet-stream",
		"X-Amz-User-Agent", "aws-sdk-go-v2/1.36.3")
	var g Signer
	g.SignHeader(r, exampleCredential, "us-east-1", exampleTime, payload)
	return r
}

func benchmarkVerify(b *testing.B, r *Request, c Config) {
	v := newVerifier(b, c)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		var a Auth
		for pb.Next() {
			if err := v.Verify(&a, r, exampleTime); err != nil {
				b.Errorf("unexpected error: %v", err)
				return
			}
		}
	})
}

func BenchmarkVerifyHeader(b *testing.B) {
	benchmarkVerify(b, sdkRequest("GET", "/bucket/some/prefix/object-000001.npz?x-id=GetObject", emptySHA256),
		Config{MaxSkew: 15 * time.Minute})
}

func BenchmarkVerifyOpen(b *testing.B) {
	benchmarkVerify(b, sdkRequest("GET", "/bucket/some/prefix/object-000001.npz?x-id=GetObject", emptySHA256),
		Config{SkipVerify: true})
}

func BenchmarkVerifyPresigned(b *testing.B) {
	r := request("GET", "/bucket/some/prefix/object-000001.npz", "127.0.0.1:9000", "User-Agent", "curl/8")
	var g Signer
	r.Query = g.Presign(nil, r, exampleCredential, "us-east-1", exampleTime, time.Hour)
	benchmarkVerify(b, r, Config{MaxSkew: 15 * time.Minute})
}

func BenchmarkVerifyMismatch(b *testing.B) {
	r := sdkRequest("GET", "/bucket/some/prefix/object-000001.npz?x-id=GetObject", emptySHA256)
	r.Method = "PUT"
	v := newVerifier(b, Config{})
	var a Auth
	b.ReportAllocs()
	for b.Loop() {
		if v.Verify(&a, r, exampleTime) == nil {
			b.Fatal("unexpected success")
		}
	}
}

func BenchmarkSignHeader(b *testing.B) {
	r := sdkRequest("GET", "/bucket/some/prefix/object-000001.npz?x-id=GetObject", emptySHA256)
	r.Header = r.Header[:len(r.Header)-3]
	n := len(r.Header)
	var g Signer
	b.ReportAllocs()
	for b.Loop() {
		r.Header = r.Header[:n]
		g.SignHeader(r, exampleCredential, "us-east-1", exampleTime, emptySHA256)
	}
}

// encoded returns a body with its Auth.
func encoded(t testing.TB, mode Payload, data []byte, chunk int, trailer []Field) (*Auth, []byte) {
	t.Helper()
	kv := []string{"Content-Encoding", "aws-chunked"}
	for _, f := range trailer {
		kv = append(kv, "X-Amz-Trailer", string(f.Name))
	}
	r := request("PUT", "/bucket/key", "127.0.0.1:9000", kv...)
	var g Signer
	g.SignHeader(r, exampleCredential, "us-east-1", exampleTime, mode.String())
	var e Encoder
	e.Reset(&g, mode)
	body, err := io.ReadAll(e.Reader(bytes.NewReader(data), chunk, func() []Field { return trailer }))
	if err != nil {
		t.Fatalf("unexpected error of the encoder: %v", err)
	}
	a := new(Auth)
	if err := newVerifier(t, Config{}).Verify(a, r, exampleTime); err != nil {
		t.Fatalf("unexpected error of Verify: %v", err)
	}
	return a, body
}

func BenchmarkDecoder(b *testing.B) {
	data := make([]byte, 8<<20)
	trailer := fields("x-amz-checksum-crc32c", "sOO8/Q==")
	for _, mode := range []Payload{PayloadStreamingSigned, PayloadStreamingSignedTrailer, PayloadStreamingUnsignedTrailer} {
		var tr []Field
		if mode.hasTrailer() {
			tr = trailer
		}
		a, body := encoded(b, mode, data, 64<<10, tr)
		for _, verify := range []bool{true, false} {
			b.Run(fmt.Sprintf("%s/verify=%v", mode, verify), func(b *testing.B) {
				var d Decoder
				src := bytes.NewReader(nil)
				buf := make([]byte, 256<<10)
				digest := chunkHash(verify)
				b.SetBytes(int64(len(data)))
				b.ReportAllocs()
				for b.Loop() {
					src.Reset(body)
					d.Reset(src, a, int64(len(data)), buf, digest)
					for {
						if _, err := d.Next(); err == io.EOF {
							break
						} else if err != nil {
							b.Fatalf("unexpected error: %v", err)
						}
					}
				}
			})
		}
	}
}
