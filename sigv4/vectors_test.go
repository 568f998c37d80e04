package sigv4

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

// The examples of the Amazon S3 API reference all use this key pair and time.
var (
	exampleCredential = Credential{AccessKey: "AKIAIOSFODNN7EXAMPLE", SecretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"}
	exampleTime       = time.Date(2013, 5, 24, 0, 0, 0, 0, time.UTC)
)

const exampleHost = "examplebucket.s3.amazonaws.com"

// fields makes header fields of alternating names and values.
func fields(kv ...string) []Field {
	var f []Field
	for i := 0; i < len(kv); i += 2 {
		f = append(f, Field{Name: []byte(kv[i]), Value: []byte(kv[i+1])})
	}
	return f
}

// request makes a Request; target is path?query.
func request(method, target, host string, kv ...string) *Request {
	path, query, _ := strings.Cut(target, "?")
	r := &Request{Method: method, Path: []byte(path), Query: []byte(query), Host: []byte(host)}
	r.Header = append(fields("Host", host), fields(kv...)...)
	return r
}

func newVerifier(t testing.TB, c Config) *Verifier {
	t.Helper()
	if c.Credentials == nil {
		c.Credentials = []Credential{exampleCredential}
	}
	v, err := NewVerifier(c)
	if err != nil {
		t.Fatalf("unexpected error of NewVerifier: %v", err)
	}
	return v
}

// headerExample is one example of "sig-v4-header-based-auth".
type headerExample struct {
	name      string
	r         *Request
	signed    string
	signature string
}

func headerExamples() []headerExample {
	const date = "20130524T000000Z"
	return []headerExample{
		{"GET Object", request("GET", "/test.txt", exampleHost, "Range", "bytes=0-9",
			"x-amz-content-sha256", emptySHA256, "x-amz-date", date),
			"host;range;x-amz-content-sha256;x-amz-date",
			"f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"},
		{"PUT Object", request("PUT", "/test%24file.text", exampleHost, "Date", "Fri, 24 May 2013 00:00:00 GMT",
			"x-amz-date", date, "x-amz-storage-class", "REDUCED_REDUNDANCY",
			"x-amz-content-sha256", "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072"),
			"date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
			"98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"},
		{"GET Bucket Lifecycle", request("GET", "/?lifecycle", exampleHost, "x-amz-date", date,
			"x-amz-content-sha256", emptySHA256),
			"host;x-amz-content-sha256;x-amz-date",
			"fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"},
		{"List Objects", request("GET", "/?max-keys=2&prefix=J", exampleHost, "x-amz-date", date,
			"x-amz-content-sha256", emptySHA256),
			"host;x-amz-content-sha256;x-amz-date",
			"34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"},
	}
}

func authorization(scope, signed, signature string) []Field {
	return fields("Authorization", "AWS4-HMAC-SHA256 Credential="+exampleCredential.AccessKey+"/"+scope+
		",SignedHeaders="+signed+",Signature="+signature)
}

const exampleScope = "20130524/us-east-1/s3/aws4_request"

func TestHeaderExamples(t *testing.T) {
	v := newVerifier(t, Config{MaxSkew: 15 * time.Minute})
	var a Auth
	for _, e := range headerExamples() {
		e.r.Header = append(e.r.Header, authorization(exampleScope, e.signed, e.signature)...)
		if err := v.Verify(&a, e.r, exampleTime); err != nil {
			t.Errorf("%s: unexpected error: %v", e.name, err)
			var f *Failure
			if errors.As(err, &f) {
				t.Logf("canonical request:\n%s", f.CanonicalRequest)
			}
			continue
		}
		if a.Kind != HeaderAuth || a.AccessKey != exampleCredential.AccessKey || a.Payload != PayloadLiteral {
			t.Errorf("%s: unexpected auth; got %v %q %v", e.name, a.Kind, a.AccessKey, a.Payload)
		}
	}
}

func TestHeaderExamplesSigned(t *testing.T) {
	var g Signer
	for _, e := range headerExamples() {
		r := *e.r
		var payload string
		r.Header = nil
		for _, f := range e.r.Header {
			switch string(f.Name) {
			case "x-amz-content-sha256":
				payload = string(f.Value)
			case "x-amz-date":
			default:
				r.Header = append(r.Header, f)
			}
		}
		g.SignHeader(&r, exampleCredential, "us-east-1", exampleTime, payload)
		if got := string(g.Signature()); got != e.signature {
			t.Errorf("%s: unexpected signature; got %s; want %s", e.name, got, e.signature)
		}
		if got := string(g.names); got != e.signed {
			t.Errorf("%s: unexpected signed headers; got %s; want %s", e.name, got, e.signed)
		}
	}
}

const examplePresignedQuery = "X-Amz-Algorithm=AWS4-HMAC-SHA256" +
	"&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request" +
	"&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host" +
	"&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"

// "sigv4-query-string-auth".
func TestPresignedExample(t *testing.T) {
	v := newVerifier(t, Config{MaxSkew: 15 * time.Minute})
	var a Auth
	r := request("GET", "/test.txt?"+examplePresignedQuery, exampleHost)
	if err := v.Verify(&a, r, exampleTime.Add(24*time.Hour)); err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
	if a.Kind != PresignedAuth || a.Payload != PayloadUnsigned {
		t.Fatalf("unexpected auth; got %v %v", a.Kind, a.Payload)
	}
	if err := v.Verify(&a, r, exampleTime.Add(24*time.Hour+time.Second)); !errors.Is(err, ErrRequestExpired) {
		t.Fatalf("unexpected error; got %v; want %v", err, ErrRequestExpired)
	}
	var g Signer
	r = request("GET", "/test.txt", exampleHost)
	got := string(g.Presign(nil, r, exampleCredential, "us-east-1", exampleTime, 24*time.Hour))
	if got != examplePresignedQuery {
		t.Fatalf("unexpected query; got %s; want %s", got, examplePresignedQuery)
	}
}

// streamExample is one example of "sigv4-streaming" or "sigv4-streaming-trailers":
// 65 KiB of 'a' in chunks of 64 KiB.
type streamExample struct {
	name   string
	mode   Payload
	header []string // besides x-amz-content-sha256 and x-amz-date
	signed string
	seed   string
	chunks [3]string
	sum    string // trailer signature
}

var streamExamples = []streamExample{
	{"chunks", PayloadStreamingSigned,
		[]string{"x-amz-storage-class", "REDUCED_REDUNDANCY", "content-encoding", "aws-chunked",
			"x-amz-decoded-content-length", "66560", "content-length", "66824"},
		"content-encoding;content-length;host;x-amz-content-sha256;x-amz-date;x-amz-decoded-content-length;x-amz-storage-class",
		"4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9",
		[3]string{"ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648",
			"0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497",
			"b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9"}, ""},
	{"chunks and trailer", PayloadStreamingSignedTrailer,
		[]string{"x-amz-storage-class", "REDUCED_REDUNDANCY", "content-encoding", "aws-chunked",
			"x-amz-decoded-content-length", "66560", "x-amz-trailer", "x-amz-checksum-crc32c"},
		"content-encoding;host;x-amz-content-sha256;x-amz-date;x-amz-decoded-content-length;x-amz-storage-class;x-amz-trailer",
		"106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e",
		[3]string{"b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2",
			"1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7",
			"2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992"},
		"d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435"},
}

func (e *streamExample) body() []byte {
	data := bytes.Repeat([]byte("a"), 65<<10)
	b := []byte("10000;chunk-signature=" + e.chunks[0] + "\r\n")
	b = append(append(b, data[:64<<10]...), "\r\n400;chunk-signature="+e.chunks[1]+"\r\n"...)
	b = append(append(b, data[64<<10:]...), "\r\n0;chunk-signature="+e.chunks[2]+"\r\n"...)
	if e.sum != "" {
		b = append(b, "x-amz-checksum-crc32c:sOO8/Q==\r\nx-amz-trailer-signature:"+e.sum+"\r\n"...)
	}
	return append(b, "\r\n"...)
}

func (e *streamExample) request() *Request {
	return request("PUT", "/examplebucket/chunkObject.txt", "s3.amazonaws.com", e.header...)
}

// Covers T07 and T09 of the case list on AWS's own numbers.
func TestStreamingExamples(t *testing.T) {
	v := newVerifier(t, Config{MaxSkew: 15 * time.Minute})
	for _, e := range streamExamples {
		r := e.request()
		r.Header = append(r.Header, fields("x-amz-content-sha256", e.mode.String(), "x-amz-date", "20130524T000000Z")...)
		r.Header = append(r.Header, authorization(exampleScope, e.signed, e.seed)...)
		var a Auth
		if err := v.Verify(&a, r, exampleTime); err != nil {
			t.Fatalf("%s: unexpected error of the seed: %v", e.name, err)
		}
		if a.Payload != e.mode {
			t.Fatalf("%s: unexpected payload; got %v; want %v", e.name, a.Payload, e.mode)
		}
		body := e.body()
		for _, size := range []int{MinBuffer, 64 << 10, 1 << 20} {
			var d Decoder
			d.Reset(bytes.NewReader(body), &a, 66560, make([]byte, size), sha256.New())
			got, err := decodeAll(&d)
			if err != nil {
				t.Fatalf("%s: unexpected error with %d bytes of buffer: %v", e.name, size, err)
			}
			if len(got) != 65<<10 || bytes.Count(got, []byte("a")) != 65<<10 {
				t.Fatalf("%s: unexpected payload of %d bytes", e.name, len(got))
			}
		}
	}
}

func TestStreamingExamplesEncoded(t *testing.T) {
	for _, e := range streamExamples {
		var g Signer
		var enc Encoder
		r := e.request()
		g.SignHeader(r, exampleCredential, "us-east-1", exampleTime, e.mode.String())
		if got := string(g.Signature()); got != e.seed {
			t.Fatalf("%s: unexpected seed; got %s; want %s", e.name, got, e.seed)
		}
		trailer := fields("x-amz-checksum-crc32c", "sOO8/Q==")
		enc.Reset(&g, e.mode)
		src := bytes.NewReader(bytes.Repeat([]byte("a"), 65<<10))
		got, err := io.ReadAll(enc.Reader(src, 64<<10, func() []Field { return trailer }))
		if err != nil {
			t.Fatalf("%s: unexpected error: %v", e.name, err)
		}
		if !bytes.Equal(got, e.body()) {
			t.Fatalf("%s: unexpected body; got ...%q", e.name, got[len(got)-300:])
		}
		if want := EncodedLen(e.mode, 65<<10, 64<<10, trailer); int64(len(got)) != want {
			t.Fatalf("%s: unexpected length; got %d; want %d", e.name, len(got), want)
		}
	}
}

// decodeAll collects the payload.
func decodeAll(d *Decoder) ([]byte, error) {
	var out []byte
	for {
		p, err := d.Next()
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		if len(p) == 0 {
			return out, errors.New("empty piece")
		}
		out = append(out, p...)
	}
}
