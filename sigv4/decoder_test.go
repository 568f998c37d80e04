package sigv4

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
)

var signedModes = []Payload{PayloadStreamingSigned, PayloadStreamingSignedTrailer}

// unsignedAuth is what Verify makes of a STREAMING-UNSIGNED-PAYLOAD-TRAILER request.
func unsignedAuth(t testing.TB, trailer string) *Auth {
	t.Helper()
	kv := []string{}
	if trailer != "" {
		kv = append(kv, "x-amz-trailer", trailer)
	}
	a, err := verifyAt(t.(*testing.T), strictConfig, signed("PUT", "/b/k", nameStreamingUnsignedTrailer, kv...), exampleTime)
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
	return a
}

// Covers T05, T06 (the decoder's part) and the 46-byte body of the case list.
func TestDecoderUnsigned(t *testing.T) {
	f := func(announced, body string, length int64, want string, wantErr error) {
		t.Helper()
		var d Decoder
		d.Reset(strings.NewReader(body), unsignedAuth(t, announced), length, make([]byte, MinBuffer), sha256.New())
		got, err := decodeAll(&d)
		if !errors.Is(err, wantErr) {
			t.Errorf("%q: unexpected error; got %v; want %v", body, err, wantErr)
			return
		}
		if err == nil && string(got) != want {
			t.Errorf("%q: unexpected payload; got %q; want %q", body, got, want)
		}
		if _, again := d.Next(); err != nil && again != err {
			t.Errorf("%q: unexpected second error; got %v; want %v", body, again, err)
		}
	}
	const crc = "x-amz-checksum-crc32"
	const end = "x-amz-checksum-crc32:NhCmhg==\r\n\r\n"
	f(crc, "5\r\nhello\r\n0\r\n"+end, 5, "hello", nil)
	f(crc, "5\r\nhello\r\n0\r\n"+end, -1, "hello", nil)
	f(crc, "2\r\nhe\r\n3\r\nllo\r\n0\r\n"+end, 5, "hello", nil)
	f(crc, "0005\r\nhello\r\n000\r\n"+end, 5, "hello", nil)
	f(crc, "5;a=b;chunk-signature=x\r\nhello\r\n0;c\r\n"+end, 5, "hello", nil)
	f(crc, "5 ;a\r\nhello\r\n0 \r\n"+end, 5, "hello", nil)
	f(crc, "5\r\nhello\r\n0\r\nX-Amz-Checksum-CRC32 : NhCmhg==\r\n\r\n", 5, "", ErrTrailerMalformed)
	f(crc, "5\r\nhello\r\n0\r\nX-Amz-Checksum-CRC32: NhCmhg== \r\n\r\n", 5, "hello", nil)
	f(crc, "0\r\n"+end, 0, "", nil)
	f("", "5\r\nhello\r\n0\r\n\r\n", 5, "hello", nil)
	f("a,b", "5\r\nhello\r\n0\r\nb:2\r\na:1\r\n\r\n", 5, "hello", nil)
	// minio-go ends a trailer with LF CR LF.
	f(crc, "5\r\nhello\r\n0\r\nx-amz-checksum-crc32:NhCmhg==\n\r\n\r\n", 5, "hello", nil)
	f("a,b", "5\r\nhello\r\n0\r\na:1\nb:2\n\r\n\r\n", 5, "hello", nil)
	// No signature belongs here, but one that is sent does no harm.
	f(crc, "5\r\nhello\r\n0\r\nx-amz-checksum-crc32:NhCmhg==\r\nx-amz-trailer-signature:00\r\n\r\n", 5, "hello", nil)

	f(crc, "5\r\nhello\r\n0\r\n\r\n", 5, "", ErrTrailerMalformed)                        // missing
	f("", "5\r\nhello\r\n0\r\n"+end, 5, "", ErrTrailerMalformed)                         // not announced
	f("x-amz-checksum-crc32c", "5\r\nhello\r\n0\r\n"+end, 5, "", ErrTrailerMalformed)    // another one
	f(crc, "5\r\nhello\r\n0\r\n:NhCmhg==\r\n\r\n", 5, "", ErrTrailerMalformed)           // no name
	f(crc, "5\r\nhello\r\n0\r\nNhCmhg==\r\n\r\n", 5, "", ErrTrailerMalformed)            // no colon
	f(crc, "5\r\nhello\r\n0\r\n"+end+"x", 5, "", ErrTrailerMalformed)                    // more after the end
	f(crc, "5\r\nhello\r\n0\r\n"+end+"\r\n", 5, "", ErrTrailerMalformed)                 // more after the end
	f("a", "5\r\nhello\r\n0\r\na:1\r\na:1\r\n\r\n", 5, "", ErrTrailerMalformed)          // repeated
	f(crc, "5\r\nhello\r\n0\r\n"+end[:len(end)-2], 5, "", io.ErrUnexpectedEOF)           // no end
	f(crc, "5\r\nhello\r\n0\r\n"+end[:len(end)-4], 5, "", io.ErrUnexpectedEOF)           // no end
	f(crc, "5\r\nhello\r\n", 5, "", io.ErrUnexpectedEOF)                                 // no last chunk
	f(crc, "5\r\nhel", 5, "", io.ErrUnexpectedEOF)                                       // short chunk
	f(crc, "", 5, "", io.ErrUnexpectedEOF)                                               // empty
	f(crc, "3\r\nhello\r\n0\r\n"+end, 5, "", ErrMalformedChunk)                          // size too small
	f(crc, "6\r\nhello\r\n0\r\n"+end, 6, "", ErrMalformedChunk)                          // size too large
	f(crc, "5\r\nhello0\r\n"+end, 5, "", ErrMalformedChunk)                              // no CR LF after data
	f(crc, "5\nhello\r\n0\r\n"+end, 5, "", ErrMalformedChunk)                            // LF only
	f(crc, "5\r\nhello\n0\r\n"+end, 5, "", ErrMalformedChunk)                            // LF only
	f(crc, "\r\nhello\r\n0\r\n"+end, 5, "", ErrMalformedChunk)                           // no size
	f(crc, ";a\r\nhello\r\n0\r\n"+end, 5, "", ErrMalformedChunk)                         // no size
	f(crc, "-5\r\nhello\r\n0\r\n"+end, 5, "", ErrMalformedChunk)                         // sign
	f(crc, "0x5\r\nhello\r\n0\r\n"+end, 5, "", ErrMalformedChunk)                        // prefix
	f(crc, "5g\r\nhello\r\n0\r\n"+end, 5, "", ErrMalformedChunk)                         // no hex
	f(crc, "8000000000000000\r\nhello\r\n0\r\n"+end, -1, "", ErrMalformedChunk)          // 2^63
	f(crc, "10000000000000005\r\nhello\r\n0\r\n"+end, -1, "", ErrMalformedChunk)         // 2^64+5
	f(crc, "1\r\nh\r\n7fffffffffffffff\r\nello\r\n", -1, "", ErrMalformedChunk)          // sum over 2^63
	f(crc, strings.Repeat("0", maxChunkLine)+"5\r\nhello\r\n", 5, "", ErrMalformedChunk) // endless line
	f(crc, "5\r\nhello\r\n0\r\n"+end, 4, "", ErrDecodedLength)
	f(crc, "5\r\nhello\r\n0\r\n"+end, 6, "", ErrDecodedLength)
	f(crc, "7fffffffffffffff\r\nhello\r\n0\r\n"+end, 5, "", ErrDecodedLength)
	f("a", "0\r\na:"+strings.Repeat("x", maxTrailer)+"\r\n\r\n", 0, "", ErrTrailerMalformed)
}

func TestDecoderTrailer(t *testing.T) {
	var d Decoder
	d.Reset(strings.NewReader("5\r\nhello\r\n0\r\nX-Amz-Checksum-CRC32:NhCmhg==\r\n\r\n"),
		unsignedAuth(t, "x-amz-checksum-crc32"), 5, make([]byte, MinBuffer), sha256.New())
	if _, err := decodeAll(&d); err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
	tr := d.Trailer()
	if len(tr) != 1 || string(tr[0].Name) != "x-amz-checksum-crc32" || string(tr[0].Value) != "NhCmhg==" {
		t.Fatalf("unexpected trailer; got %q", tr)
	}
}

func TestDecoderManyTrailers(t *testing.T) {
	names, body := "", "0\r\n"
	for i := range maxTrailers + 1 {
		names += fmt.Sprintf("t%d,", i)
		body += fmt.Sprintf("t%d:%d\r\n", i, i)
	}
	var d Decoder
	d.Reset(strings.NewReader(body+"\r\n"), unsignedAuth(t, names), 0, make([]byte, MinBuffer), sha256.New())
	if _, err := decodeAll(&d); !errors.Is(err, ErrTrailerMalformed) {
		t.Fatalf("unexpected error; got %v; want %v", err, ErrTrailerMalformed)
	}
}

// Covers T12: the layer below may split the framing anywhere.
func TestDecoderSplitsAndSizes(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	var d Decoder
	for _, mode := range []Payload{PayloadStreamingSigned, PayloadStreamingSignedTrailer, PayloadStreamingUnsignedTrailer} {
		for _, size := range []int{0, 1, 15, 16, 17, 1000, 5000, 70000} {
			for _, chunk := range []int{1, 16, 1024, 8192, 100000} {
				if size/chunk > 200 {
					continue
				}
				data := make([]byte, size)
				for i := range data {
					data[i] = byte(rng.Uint32())
				}
				var trailer []Field
				if mode.hasTrailer() {
					trailer = fields("x-amz-checksum-crc32c", "sOO8/Q==")
				}
				a, body := encoded(t, mode, data, chunk, trailer)
				if want := EncodedLen(mode, int64(size), int64(chunk), trailer); int64(len(body)) != want {
					t.Fatalf("unexpected encoded length; got %d; want %d", len(body), want)
				}
				for name, wrap := range map[string]func(io.Reader) io.Reader{
					"whole":    func(r io.Reader) io.Reader { return r },
					"one byte": iotest.OneByteReader,
					"half":     iotest.HalfReader,
					"data+EOF": iotest.DataErrReader,
					"random":   func(r io.Reader) io.Reader { return &randomReader{r, rng} },
				} {
					buf := make([]byte, MinBuffer+rng.IntN(100000))
					for _, verify := range []bool{true, false} {
						d.Reset(wrap(bytes.NewReader(body)), a, int64(size), buf, chunkHash(verify))
						got, err := decodeAll(&d)
						if err != nil || !bytes.Equal(got, data) {
							t.Fatalf("%v, %d bytes in chunks of %d, %s, %d of buffer, verify %v: %d bytes, error %v",
								mode, size, chunk, name, len(buf), verify, len(got), err)
						}
						if len(d.Trailer()) != len(trailer) {
							t.Fatalf("unexpected trailer; got %q; want %q", d.Trailer(), trailer)
						}
					}
				}
			}
		}
	}
}

// randomReader reads a random number of bytes, sometimes none.
type randomReader struct {
	r   io.Reader
	rng *rand.Rand
}

func (r *randomReader) Read(p []byte) (int, error) {
	n := r.rng.IntN(min(len(p), 3000) + 1)
	if n == 0 {
		return 0, nil
	}
	return r.r.Read(p[:n])
}

// Payload must come out of the buffer where it was read, in large pieces.
func TestDecoderPieces(t *testing.T) {
	data := bytes.Repeat([]byte("0123456789abcdef"), 64<<10) // 1 MiB
	a, body := encoded(t, PayloadStreamingUnsignedTrailer, data, len(data), nil)
	buf := make([]byte, 256<<10)
	var d Decoder
	d.Reset(bytes.NewReader(body), a, int64(len(data)), buf, sha256.New())
	pieces := 0
	for {
		p, err := d.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("unexpected error: %v", err)
		}
		pieces++
		p[0] ^= 0xff
		if !bytes.Contains(buf, p) {
			t.Fatalf("a piece lies outside the buffer")
		}
	}
	if want := len(body)/len(buf) + 1; pieces != want {
		t.Errorf("unexpected number of pieces; got %d; want %d", pieces, want)
	}
}

// A chunk whose signature is wrong is not delivered to its end.
func TestDecoderSignatures(t *testing.T) {
	data := []byte("hello, world")
	const trailerName = "x-amz-checksum-crc32c"
	f := func(mode Payload, change func(body string) string, want error, delivered int) {
		t.Helper()
		var trailer []Field
		if mode.hasTrailer() {
			trailer = fields(trailerName, "sOO8/Q==")
		}
		a, body := encoded(t, mode, data, 5, trailer)
		bad := change(string(body))
		if bad == string(body) {
			t.Fatalf("nothing changed")
		}
		var d Decoder
		d.Reset(strings.NewReader(bad), a, int64(len(data)), make([]byte, MinBuffer), sha256.New())
		got, err := decodeAll(&d)
		if !errors.Is(err, want) || len(got) != delivered {
			t.Errorf("%v: unexpected outcome; got %d bytes, %v; want %d bytes, %v", mode, len(got), err, delivered, want)
		}
		d.Reset(strings.NewReader(bad), a, int64(len(data)), make([]byte, MinBuffer), nil)
		if _, err := decodeAll(&d); errors.Is(err, ErrChunkSignature) || errors.Is(err, ErrTrailerSignature) {
			t.Errorf("%v: unexpected error without verification: %v", mode, err)
		}
	}
	replace := func(old, new string) func(string) string {
		return func(s string) string { return strings.Replace(s, old, new, 1) }
	}
	for _, mode := range signedModes {
		f(mode, replace("hello", "hellO"), ErrChunkSignature, 0)
		f(mode, replace(", wor", ", Wor"), ErrChunkSignature, 5)
		f(mode, replace("5;chunk-signature=", "5;chunk-signaturE="), ErrMalformedChunk, 0)
		f(mode, replace("5;chunk-signature=", "5;chunk-signature=0"), ErrMalformedChunk, 0)
		f(mode, replace("5;", "5;a=b;"), ErrMalformedChunk, 0)
		f(mode, func(s string) string { return s[:1] + s[strings.IndexByte(s, '\r'):] }, ErrMalformedChunk, 0)
		f(mode, func(s string) string { // chunks exchanged
			i := strings.Index(s, "5;chunk") + 1
			i += strings.Index(s[i:], "5;chunk")
			j := i + strings.Index(s[i:], "\r\n2;chunk") + 2
			return s[i:j] + s[:i] + s[j:]
		}, ErrChunkSignature, 0)
		f(mode, func(s string) string { // last chunk dropped
			return s[:strings.Index(s, "0;chunk")]
		}, io.ErrUnexpectedEOF, len(data))
		f(mode, func(s string) string { return s + "x" },
			map[bool]error{true: ErrTrailerMalformed, false: ErrMalformedChunk}[mode.hasTrailer()], len(data))
	}
	mode := PayloadStreamingSignedTrailer
	f(mode, replace("sOO8/Q==", "sOO8/A=="), ErrTrailerSignature, len(data))
	f(mode, replace("trailer-signature:", "trailer-signature:0"), ErrTrailerSignature, len(data))
	f(mode, replace("x-amz-trailer-signature:", "x-amz-trailer-signaturE2:"), ErrTrailerMalformed, len(data))
	f(mode, func(s string) string { return s[:strings.Index(s, "x-amz-trailer-sig")] + "\r\n" }, ErrTrailerMalformed, len(data))
	f(mode, func(s string) string { return s[:strings.Index(s, trailerName)] + "\r\n" }, ErrTrailerMalformed, len(data))
	f(mode, func(s string) string { // signature before the field it signs
		i, j := strings.Index(s, trailerName), strings.Index(s, "x-amz-trailer-sig")
		return s[:i] + s[j:len(s)-2] + s[i:j] + "\r\n"
	}, ErrTrailerMalformed, len(data))
	f(PayloadStreamingSigned, func(s string) string { return s[:len(s)-2] + trailerName + ":sOO8/Q==\r\n\r\n" }, ErrMalformedChunk, len(data))
}

// minio-go's spelling of a signed trailer: the LF it signs is sent, and then the
// line is ended with CR LF. Covers T07.
func TestDecoderMinioTrailer(t *testing.T) {
	a, body := encoded(t, PayloadStreamingSignedTrailer, []byte("hello"), 64<<10, fields("x-amz-checksum-crc32", "NhCmhg=="))
	s := strings.Replace(string(body), "NhCmhg==\r\n", "NhCmhg==\n\r\n", 1)
	var d Decoder
	d.Reset(strings.NewReader(s), a, 5, make([]byte, MinBuffer), sha256.New())
	if got, err := decodeAll(&d); err != nil || string(got) != "hello" {
		t.Fatalf("unexpected outcome: %q, %v", got, err)
	}
	if tr := d.Trailer(); len(tr) != 1 || string(tr[0].Value) != "NhCmhg==" {
		t.Fatalf("unexpected trailer; got %q", tr)
	}
}

// A server without keys decodes signed bodies, even SigV4A ones. Covers T01, T02.
func TestDecoderOpen(t *testing.T) {
	v, err := NewVerifier(Config{})
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
	var a Auth
	r := signed("PUT", "/b/k", nameStreamingECDSA)
	if err := v.Verify(&a, r, exampleTime); err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
	body := "5;chunk-signature=" + strings.Repeat("0", 140) + "****\r\nhello\r\n0;chunk-signature=" + strings.Repeat("*", 144) + "\r\n\r\n"
	var d Decoder
	d.Reset(strings.NewReader(body), &a, 5, make([]byte, MinBuffer), sha256.New())
	if got, err := decodeAll(&d); err != nil || string(got) != "hello" {
		t.Fatalf("unexpected outcome: %q, %v", got, err)
	}
}

func TestDecoderMisuse(t *testing.T) {
	a, err := verifyAt(t, strictConfig, signed("PUT", "/b/k", nameUnsigned), exampleTime)
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
	var d Decoder
	d.Reset(strings.NewReader("0\r\n\r\n"), a, 0, make([]byte, MinBuffer), sha256.New())
	if _, err := d.Next(); !errors.Is(err, ErrMalformedChunk) {
		t.Errorf("no streaming payload: unexpected error; got %v; want %v", err, ErrMalformedChunk)
	}
	d.Reset(strings.NewReader("0\r\n\r\n"), unsignedAuth(t, ""), 0, make([]byte, MinBuffer-1), sha256.New())
	if _, err := d.Next(); !errors.Is(err, ErrMalformedChunk) {
		t.Errorf("small buffer: unexpected error; got %v; want %v", err, ErrMalformedChunk)
	}
}

// The source's errors come through as they are, and are never taken for the end.
func TestDecoderSourceErrors(t *testing.T) {
	broken := errors.New("connection reset")
	whole := "5\r\nhello\r\n0\r\n\r\n"
	for _, cause := range []error{broken, io.ErrUnexpectedEOF} {
		for i := range len(whole) + 1 {
			var d Decoder
			src := io.MultiReader(strings.NewReader(whole[:i]), iotest.ErrReader(cause))
			d.Reset(src, unsignedAuth(t, ""), 5, make([]byte, MinBuffer), sha256.New())
			if _, err := decodeAll(&d); err != cause {
				t.Errorf("after %d bytes: unexpected error; got %v; want %v", i, err, cause)
			}
			d.Reset(&dataAndError{whole[:i], cause}, unsignedAuth(t, ""), 5, make([]byte, MinBuffer), sha256.New())
			if _, err := decodeAll(&d); err != cause {
				t.Errorf("with %d bytes: unexpected error; got %v; want %v", i, err, cause)
			}
		}
	}
	var d Decoder
	d.Reset(silentReader{}, unsignedAuth(t, ""), 5, make([]byte, MinBuffer), sha256.New())
	if _, err := d.Next(); err != io.ErrNoProgress {
		t.Errorf("unexpected error; got %v; want %v", err, io.ErrNoProgress)
	}
}

// dataAndError gives its error once, together with the data; then it is silent.
type dataAndError struct {
	data string
	err  error
}

func (r *dataAndError) Read(p []byte) (int, error) {
	n, err := copy(p, r.data), r.err
	r.data, r.err = "", nil
	return n, err
}

type silentReader struct{}

func (silentReader) Read([]byte) (int, error) { return 0, nil }

func TestDecoderSkip(t *testing.T) {
	data := make([]byte, 100000)
	a, body := encoded(t, PayloadStreamingSigned, data, 40000, nil)
	src := bytes.NewReader(body)
	var d Decoder
	d.Reset(src, a, int64(len(data)), make([]byte, MinBuffer), nil)
	total := int64(0)
	for {
		p, err := d.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("unexpected error: %v", err)
		}
		total += int64(len(p))
		for n := d.Skippable(); n > 0; n = d.Skippable() {
			m := min(n, 7000)
			if _, err := io.CopyN(io.Discard, src, m); err != nil {
				t.Fatalf("unexpected error: %v", err)
			}
			d.Skipped(m)
			total += m
		}
	}
	if total != int64(len(data)) {
		t.Fatalf("unexpected total; got %d; want %d", total, len(data))
	}
	d.Reset(bytes.NewReader(body), a, -1, make([]byte, MinBuffer), sha256.New())
	if _, err := d.Next(); err != nil || d.Skippable() != 0 {
		t.Fatalf("unexpected %d bytes to skip while verifying, error %v", d.Skippable(), err)
	}
}

// chunkHash is what Decoder.Reset takes to verify chunk signatures, or not to.
func chunkHash(verify bool) hash.Hash {
	if verify {
		return sha256.New()
	}
	return nil
}

func FuzzDecoder(f *testing.F) {
	f.Add([]byte("5\r\nhello\r\n0\r\nx-amz-checksum-crc32:NhCmhg==\r\n\r\n"), uint16(3), false)
	f.Add([]byte("5\r\nhello\r\n0\r\nx-amz-checksum-crc32:NhCmhg==\n\r\n\r\n"), uint16(1), false)
	f.Add([]byte("5;chunk-signature="+strings.Repeat("0", 64)+"\r\nhello\r\n0\r\n\r\n"), uint16(100), true)
	f.Add([]byte("ffffffffffffffff\r\n"), uint16(0), false)
	open, err := NewVerifier(Config{})
	if err != nil {
		f.Fatalf("unexpected error: %v", err)
	}
	f.Fuzz(func(t *testing.T, body []byte, step uint16, plain bool) {
		name := nameStreamingUnsignedTrailer
		if plain {
			name = nameStreamingSigned
		}
		var a Auth
		r := request("PUT", "/b/k", "h", "x-amz-content-sha256", name, "x-amz-trailer", "x-amz-checksum-crc32")
		if err := open.Verify(&a, r, exampleTime); err != nil {
			t.Fatalf("unexpected error: %v", err)
		}
		// However the body is split, the outcome is the same.
		decode := func(src io.Reader, size int) (string, error) {
			var d Decoder
			d.Reset(src, &a, -1, make([]byte, size), nil)
			got, err := decodeAll(&d)
			return hex.EncodeToString(got), err
		}
		whole, wholeErr := decode(bytes.NewReader(body), 64<<10)
		split, splitErr := decode(&stepReader{body, int(step)%1000 + 1}, 64<<10)
		if whole != split || wholeErr != splitErr {
			t.Fatalf("unexpected difference: %q, %v against %q, %v", whole, wholeErr, split, splitErr)
		}
		if len(whole)/2 > len(body) {
			t.Fatalf("unexpected growth of %d bytes to %d", len(body), len(whole)/2)
		}
	})
}

// stepReader reads n bytes at a time.
type stepReader struct {
	b []byte
	n int
}

func (r *stepReader) Read(p []byte) (int, error) {
	if len(r.b) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.b[:min(r.n, len(r.b))])
	r.b = r.b[n:]
	return n, nil
}
