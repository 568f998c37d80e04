package sigv4

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/url"
	"sort"
	"strings"
	"testing"
	"time"
)

// plainSignature computes a header signature the slow and obvious way, from the
// specification alone: the judge of Signer and Verifier both.
func plainSignature(method, key string, query url.Values, header map[string]string, secret, region string, t time.Time, payload string) (string, string) {
	esc := func(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }
	segments := strings.Split(key, "/")
	for i := range segments {
		segments[i] = esc(segments[i])
	}
	var pairs [][2]string
	for name, values := range query {
		for _, v := range values {
			pairs = append(pairs, [2]string{esc(name), esc(v)})
		}
	}
	sort.Slice(pairs, func(i, j int) bool {
		if pairs[i][0] != pairs[j][0] {
			return pairs[i][0] < pairs[j][0]
		}
		return pairs[i][1] < pairs[j][1]
	})
	var q []string
	for _, p := range pairs {
		q = append(q, p[0]+"="+p[1])
	}
	var names []string
	for n := range header {
		names = append(names, n)
	}
	sort.Strings(names)
	h := ""
	for _, n := range names {
		h += n + ":" + strings.Join(strings.Fields(header[n]), " ") + "\n"
	}
	canonical := strings.Join([]string{method, strings.Join(segments, "/"), strings.Join(q, "&"), h, strings.Join(names, ";"), payload}, "\n")
	day := t.Format("20060102")
	scope := day + "/" + region + "/s3/aws4_request"
	sum := sha256.Sum256([]byte(canonical))
	text := "AWS4-HMAC-SHA256\n" + t.Format("20060102T150405Z") + "\n" + scope + "\n" + hex.EncodeToString(sum[:])
	mac := func(key []byte, msg string) []byte {
		m := hmac.New(sha256.New, key)
		m.Write([]byte(msg))
		return m.Sum(nil)
	}
	k := mac(mac(mac(mac([]byte("AWS4"+secret), day), region), "s3"), "aws4_request")
	return hex.EncodeToString(mac(k, text)), strings.Join(names, ";")
}

// randomText returns up to n bytes that are rarely harmless.
func randomText(rng *rand.Rand, n int) string {
	const alphabet = "abcXYZ019-._~/ +%&=?#:@!$'()*,;[]\"<>\\^`{|}\u00e9\u4e16\x7f"
	runes := []rune(alphabet)
	var b strings.Builder
	for range rng.IntN(n + 1) {
		b.WriteRune(runes[rng.IntN(len(runes))])
	}
	return b.String()
}

func TestRoundTripAgainstPlain(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	v := newVerifier(t, strictConfig)
	var a Auth
	var g Signer
	regions := []string{"us-east-1", "eu-central-1", "auto"}
	for i := range 2000 {
		method := []string{"GET", "PUT", "POST", "DELETE", "HEAD"}[rng.IntN(5)]
		key := "/bucket/" + randomText(rng, 20)
		query := url.Values{}
		for range rng.IntN(5) {
			query.Add("p"+randomText(rng, 6), randomText(rng, 10))
		}
		header := map[string]string{"host": "127.0.0.1:9000"}
		for j := range rng.IntN(4) {
			header[fmt.Sprintf("x-amz-meta-%d", j)] = "v" + strings.ReplaceAll(randomText(rng, 10), "\t", "")
		}
		payload := []string{emptySHA256, nameUnsigned, nameStreamingSigned}[rng.IntN(3)]
		region := regions[rng.IntN(len(regions))]
		at := exampleTime.Add(time.Duration(rng.IntN(3)) * 24 * time.Hour)

		// Go writes the query with '+' for a space and in map order of names.
		r := &Request{Method: method, Path: AppendEncoded(nil, key, true), Host: []byte(header["host"]),
			Query: []byte(query.Encode())}
		for n, value := range header {
			r.Header = append(r.Header, Field{[]byte(n), []byte(value)})
		}
		g.SignHeader(r, exampleCredential, region, at, payload)
		header["x-amz-date"] = at.Format(isoBasic)
		header["x-amz-content-sha256"] = payload
		want, names := plainSignature(method, key, query, header, exampleCredential.SecretKey, region, at, payload)
		if got := string(g.Signature()); got != want {
			t.Fatalf("request %d %q?%q: unexpected signature; got %s; want %s of\n%s", i, r.Path, r.Query, got, want, g.s.canonicalRequest())
		}
		if got := string(g.names); got != names {
			t.Fatalf("unexpected names; got %s; want %s", got, names)
		}
		if err := v.Verify(&a, r, at); err != nil {
			t.Fatalf("request %d %q?%q: unexpected error: %v", i, r.Path, r.Query, err)
		}
		r.Header = r.Header[:len(r.Header)-3]
		r.Query = g.Presign(nil, r, exampleCredential, region, at, time.Hour)
		if err := v.Verify(&a, r, at); err != nil {
			t.Fatalf("presigned %d %q?%q: unexpected error: %v", i, r.Path, r.Query, err)
		}
	}
}

// No byte of what is signed, and none of the signature, may change.
func TestVerifyRefusesEveryFlippedByte(t *testing.T) {
	v := newVerifier(t, Config{})
	var a Auth
	makers := []func() *Request{
		func() *Request {
			return signed("GET", "/bucket/key?list-type=2&prefix=ab", emptySHA256, "Range", "bytes=0-9", "X-Amz-Meta-A", "value")
		},
		func() *Request { return presignedRequest("GET", "/bucket/key", time.Hour*24, "Range", "bytes=0-9") },
	}
	for n, make := range makers {
		flip := func(what string, pick func(r *Request) []byte) {
			t.Helper()
			for i := range pick(make()) {
				for _, mask := range []byte{1, 4, 0x80} {
					r := make()
					b := pick(r)
					b[i] ^= mask
					if err := v.Verify(&a, r, exampleTime); err == nil {
						t.Errorf("request %d, %s: unexpected success with byte %d changed: %q", n, what, i, b)
					}
				}
			}
		}
		flip("path", func(r *Request) []byte { return r.Path })
		flip("query", func(r *Request) []byte { return r.Query })
		flip("host", func(r *Request) []byte { return r.Host })
		r := make()
		r.Method = "HEAD"
		if err := v.Verify(&a, r, exampleTime); !errors.Is(err, ErrSignatureDoesNotMatch) {
			t.Errorf("request %d: unexpected error with another method: %v", n, err)
		}
		for i := range make().Header {
			if isHost(make().Header[i].Name) {
				continue // Request.Host counts
			}
			flip("header", func(r *Request) []byte {
				// Own memory: the Signer's fields share theirs.
				r.Header[i].Value = append([]byte(nil), r.Header[i].Value...)
				return r.Header[i].Value
			})
		}
	}
}

// The same for bodies: every byte of an encoded body is covered by a signature,
// or by the framing. Covers T09.
func TestDecoderRefusesEveryFlippedByte(t *testing.T) {
	data := []byte("the quick brown fox jumps over the lazy dog")
	for _, mode := range []Payload{PayloadStreamingSigned, PayloadStreamingSignedTrailer} {
		var trailer []Field
		if mode.hasTrailer() {
			trailer = fields("x-amz-checksum-crc32c", "sOO8/Q==")
		}
		a, body := encoded(t, mode, data, 16, trailer)
		var d Decoder
		buf := make([]byte, MinBuffer)
		for i := range body {
			for _, mask := range []byte{1, 2, 0x80} {
				bad := append([]byte(nil), body...)
				bad[i] ^= mask
				d.Reset(bytes.NewReader(bad), a, int64(len(data)), buf, sha256.New())
				if _, err := decodeAll(&d); err == nil {
					t.Errorf("%v: unexpected success with byte %d changed", mode, i)
				}
			}
		}
		for i := range body {
			d.Reset(bytes.NewReader(body[:i]), a, int64(len(data)), buf, sha256.New())
			if _, err := decodeAll(&d); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%v: unexpected error for %d of %d bytes; got %v; want %v", mode, i, len(body), err, io.ErrUnexpectedEOF)
			}
		}
	}
}
