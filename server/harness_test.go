package server_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/s3ultra/s3ultra/server"
	"github.com/s3ultra/s3ultra/sigv4"
	"github.com/s3ultra/s3ultra/store"
	"github.com/s3ultra/s3ultra/synth"
)

const (
	// keepSmall and seed are the fixtures' settings: both kinds of synthetic
	// object, kept and generated, come up in one test.
	keepSmall = 512
	seed      = 42
	// patience bounds every wait for a reply: far above what a loaded machine
	// needs, so that only a hang runs into it.
	patience = 20 * time.Second
)

var testKey = sigv4.Credential{AccessKey: "AKIDTEST", SecretKey: "secret/with+signs"}

// fixture is a running server with the bucket b, and another one.
type fixture struct {
	srv  *server.Server
	addr string
	mode store.Mode
	mu   sync.Mutex
	wire *wire
}

// testConfig is what most tests run: one key pair, everything verified, the
// buckets bkt and other of one mode.
func testConfig(mode store.Mode) server.Config {
	return server.Config{
		Credentials:   []sigv4.Credential{testKey},
		VerifyPayload: true,
		MaxSkew:       15 * time.Minute,
		Mode:          mode,
		Seed:          seed,
		KeepSmall:     keepSmall,
		Buckets:       []server.BucketSpec{{Name: "bkt", Mode: mode}, {Name: "other", Mode: mode}},
	}
}

// start serves cfg on a free port of the loopback until the test ends.
func start(t testing.TB, cfg server.Config) *fixture {
	t.Helper()
	srv, err := server.New(cfg)
	if err != nil {
		t.Fatalf("cannot make the server: %v", err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("cannot listen: %v", err)
	}
	return serve(t, srv, ln, cfg.Mode)
}

// serve runs srv on ln until the test ends.
func serve(t testing.TB, srv *server.Server, ln net.Listener, mode store.Mode) *fixture {
	t.Helper()
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ln) }()
	f := &fixture{srv: srv, addr: ln.Addr().String(), mode: mode}
	t.Cleanup(func() {
		if f.wire != nil {
			f.wire.close()
		}
		// Shutdown would poll for a tenth of a second; it has a test of its own.
		ln.Close()
		<-served
	})
	return f
}

// conformance runs fn against a server of each mode: what goes over the wire
// must not differ.
func conformance(t *testing.T, fn func(t *testing.T, f *fixture)) {
	t.Helper()
	for _, mode := range []store.Mode{store.Memory, store.Synth} {
		t.Run(mode.String(), func(t *testing.T) { fn(t, start(t, testConfig(mode))) })
	}
}

// call is one request, byte for byte.
type call struct {
	method string
	target string   // request target as it goes over the wire, with its query
	header []string // "Name: value" lines, in order
	body   string   // payload; framed as told by stream and chunked

	host      string // default: the fixture's address
	anonymous bool   // no signature
	cred      *sigv4.Credential
	region    string
	time      time.Time     // of the signature; default now
	sha       string        // x-amz-content-sha256; default: the body's digest
	stream    sigv4.Payload // a streaming kind: aws-chunked framing
	chunk     int           // payload bytes in an aws-chunk; default all
	trailer   []sigv4.Field
	decoded   string // x-amz-decoded-content-length; default right, "none": not sent
	chunked   int    // > 0: Transfer-Encoding: chunked in chunks of that size
	noLength  bool   // neither Content-Length nor Transfer-Encoding
	tamper    func(framed []byte) []byte
}

// bytes returns head and body as they go over the wire.
func (c call) bytes(addr string) (head, body []byte) {
	if c.host == "" {
		c.host = addr
	}
	if c.cred == nil {
		c.cred = &testKey
	}
	if c.region == "" {
		c.region = "us-east-1"
	}
	if c.time.IsZero() {
		c.time = time.Now()
	}
	path, query, _ := strings.Cut(c.target, "?")
	r := sigv4.Request{Method: c.method, Path: []byte(path), Query: []byte(query), Host: []byte(c.host)}
	r.Header = append(r.Header, sigv4.Field{Name: []byte("Host"), Value: []byte(c.host)})
	for _, line := range c.header {
		name, value, _ := strings.Cut(line, ":")
		r.Header = append(r.Header, sigv4.Field{Name: []byte(name), Value: []byte(strings.TrimSpace(value))})
	}
	var signer sigv4.Signer
	var encoder sigv4.Encoder
	framed := []byte(c.body)
	if c.stream != sigv4.PayloadUnspecified {
		c.sha = c.stream.String()
		if c.decoded == "" {
			c.decoded = strconv.Itoa(len(c.body))
		}
		if c.decoded != "none" {
			r.Header = append(r.Header, sigv4.Field{Name: []byte("X-Amz-Decoded-Content-Length"), Value: []byte(c.decoded)})
		}
	}
	if c.sha == "" {
		sum := sha256.Sum256(framed)
		c.sha = hex.EncodeToString(sum[:])
	}
	switch {
	case !c.anonymous:
		signer.SignHeader(&r, *c.cred, c.region, c.time, c.sha)
	case c.stream != sigv4.PayloadUnspecified:
		r.Header = append(r.Header, sigv4.Field{Name: []byte("x-amz-content-sha256"), Value: []byte(c.sha)})
	}
	if c.stream != sigv4.PayloadUnspecified {
		encoder.Reset(&signer, c.stream)
		framed = nil
		for rest := []byte(c.body); len(rest) > 0; {
			n := len(rest)
			if c.chunk > 0 {
				n = min(n, c.chunk)
			}
			framed = encoder.AppendChunk(framed, rest[:n])
			rest = rest[n:]
		}
		framed = encoder.AppendEnd(framed, c.trailer)
	}
	if c.tamper != nil {
		framed = c.tamper(framed)
	}
	switch {
	case c.chunked > 0:
		r.Header = append(r.Header, sigv4.Field{Name: []byte("Transfer-Encoding"), Value: []byte("chunked")})
		framed = httpChunks(framed, c.chunked)
	case c.noLength || len(framed) == 0 && c.method != "PUT" && c.method != "POST" || c.has("content-length"):
	default:
		r.Header = append(r.Header, sigv4.Field{Name: []byte("Content-Length"), Value: strconv.AppendInt(nil, int64(len(framed)), 10)})
	}
	head = fmt.Appendf(nil, "%s %s HTTP/1.1\r\n", c.method, c.target)
	for _, h := range r.Header {
		head = fmt.Appendf(head, "%s: %s\r\n", h.Name, h.Value)
	}
	return append(head, "\r\n"...), framed
}

// has tells whether the caller gave a header itself.
func (c call) has(lower string) bool {
	for _, line := range c.header {
		name, _, _ := strings.Cut(line, ":")
		if strings.ToLower(name) == lower {
			return true
		}
	}
	return false
}

func httpChunks(b []byte, size int) []byte {
	var out []byte
	for len(b) > 0 {
		n := min(size, len(b))
		out = fmt.Appendf(out, "%x\r\n%s\r\n", n, b[:n])
		b = b[n:]
	}
	return append(out, "0\r\n\r\n"...)
}

// wire is one connection, used by one goroutine.
type wire struct {
	t    testing.TB
	addr string
	conn net.Conn
	in   *bufio.Reader
}

func (f *fixture) dial(t testing.TB) *wire {
	t.Helper()
	w := &wire{t: t, addr: f.addr}
	w.open()
	t.Cleanup(w.close)
	return w
}

func (w *wire) open() {
	w.t.Helper()
	conn, err := net.DialTimeout("tcp", w.addr, patience)
	if err != nil {
		w.t.Fatalf("cannot connect: %v", err)
	}
	conn.SetDeadline(time.Now().Add(3 * patience))
	w.conn, w.in = conn, bufio.NewReader(conn)
}

func (w *wire) close() {
	if w.conn != nil {
		w.conn.Close()
		w.conn = nil
	}
}

// write sends raw bytes. A broken pipe is no failure: the reply that explains
// it may be there to read.
func (w *wire) write(pieces ...[]byte) {
	for _, p := range pieces {
		if _, err := w.conn.Write(p); err != nil {
			return
		}
	}
}

// read reads the next final reply to a request with the given method.
func (w *wire) read(method string) (*reply, error) {
	w.conn.SetReadDeadline(time.Now().Add(patience))
	for {
		res, err := http.ReadResponse(w.in, &http.Request{Method: method})
		if err != nil {
			return nil, err
		}
		if res.StatusCode == http.StatusContinue {
			continue
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil {
			return nil, fmt.Errorf("cannot read the body after %d bytes: %w", len(body), err)
		}
		return &reply{t: w.t, method: method, status: res.StatusCode, header: res.Header, body: string(body), length: res.ContentLength, closes: res.Close}, nil
	}
}

// do sends c on this connection and reads the reply.
func (w *wire) do(c call) *reply {
	w.t.Helper()
	head, body := c.bytes(w.addr)
	// One segment for small requests, as clients send them.
	if len(body) <= 16<<10 {
		head, body = append(head, body...), nil
	}
	w.write(head, body)
	r, err := w.read(c.method)
	if err != nil {
		w.t.Fatalf("%s %.200s: cannot read the reply: %v", c.method, c.target, err)
	}
	r.target = c.target
	if r.closes {
		w.close()
		w.open()
	}
	return r
}

// send does c over the fixture's own connection.
func (f *fixture) send(t testing.TB, c call) *reply {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.wire == nil {
		f.wire = &wire{addr: f.addr, t: t}
		f.wire.open()
	}
	f.wire.t = t
	if f.wire.conn == nil {
		f.wire.open()
	}
	return f.wire.do(c)
}

// do is send for an ordinary signed request.
func (f *fixture) do(t testing.TB, method, target, body string, header ...string) *reply {
	t.Helper()
	return f.send(t, call{method: method, target: target, body: body, header: header})
}

// put stores an object and returns the reply.
func (f *fixture) put(t testing.TB, target, body string, header ...string) *reply {
	t.Helper()
	return f.do(t, "PUT", target, body, header...).want(200)
}

// served is what GET must answer for body uploaded to bucket/key.
func (f *fixture) served(bucket, key, body string) string {
	if f.mode == store.Memory || len(body) < keepSmall {
		return body
	}
	return generated(bucket, key, len(body))
}

// generated is the first n synthetic bytes of bucket/key.
func generated(bucket, key string, n int) string {
	b := make([]byte, n)
	synth.Fill(b, synth.Hash(seed, []byte(bucket), []byte(key)), 0)
	return string(b)
}

// letters returns n bytes that differ with their position.
func letters(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte('a' + (i+i/26*7)%26)
	}
	return string(b)
}

// reply is one final HTTP reply.
type reply struct {
	t              testing.TB
	method, target string
	status         int
	header         http.Header
	body           string
	length         int64 // Content-Length, -1 without
	closes         bool
}

func (r *reply) String() string {
	if !utf8.ValidString(r.body) {
		return fmt.Sprintf("%s %.120s -> %d %v %.40q", r.method, r.target, r.status, r.header, r.body)
	}
	return fmt.Sprintf("%s %.120s -> %d %v %.600s", r.method, r.target, r.status, r.header, r.body)
}

// want requires a status.
func (r *reply) want(status int) *reply {
	r.t.Helper()
	if r.status != status {
		r.t.Fatalf("unexpected status; got %d; want %d\n%v", r.status, status, r)
	}
	return r
}

// check is want that lets the test go on.
func (r *reply) check(status int) bool {
	r.t.Helper()
	if r.status != status {
		r.t.Errorf("unexpected status; got %d; want %d\n%v", r.status, status, r)
		return false
	}
	return true
}

// errorDocument is S3's error reply.
type errorDocument struct {
	XMLName                                xml.Name `xml:"Error"`
	Code, Message, Resource, RequestId     string
	Key, BucketName                        string
	ActualObjectSize                       string
	MaxAllowedSkewMilliseconds             string
	RequestTime, ServerTime                string
	ProposedSize, MinSizeAllowed           string
	PartNumber, StringToSign, UploadId     string
	CanonicalRequest, SignatureProvided    string
	ArgumentName, ArgumentValue, Condition string
}

// wantError requires an S3 error reply, complete in every respect (case H08).
func (r *reply) wantError(status int, codes ...string) errorDocument {
	r.t.Helper()
	var doc errorDocument
	if !r.check(status) {
		return doc
	}
	if r.header.Get("X-Amz-Request-Id") == "" {
		r.t.Errorf("x-amz-request-id is missing\n%v", r)
	}
	if _, err := http.ParseTime(r.header.Get("Date")); err != nil {
		r.t.Errorf("unexpected Date %q\n%v", r.header.Get("Date"), r)
	}
	if r.method == "HEAD" || status == 304 {
		if r.body != "" {
			r.t.Errorf("unexpected body\n%v", r)
		}
		return doc
	}
	if ct := r.header.Get("Content-Type"); ct != "application/xml" {
		r.t.Errorf("unexpected Content-Type; got %q; want application/xml\n%v", ct, r)
	}
	if r.length != int64(len(r.body)) {
		r.t.Errorf("unexpected Content-Length; got %d; want %d", r.length, len(r.body))
	}
	if err := xml.Unmarshal([]byte(r.body), &doc); err != nil {
		r.t.Errorf("cannot parse the error document: %v\n%v", err, r)
		return doc
	}
	found := false
	for _, code := range codes {
		found = found || doc.Code == code
	}
	if !found {
		r.t.Errorf("unexpected code; got %q; want %q\n%v", doc.Code, codes, r)
	}
	if doc.Message == "" || doc.Resource == "" {
		r.t.Errorf("Message or Resource is missing\n%v", r)
	}
	if doc.RequestId != r.header.Get("X-Amz-Request-Id") {
		r.t.Errorf("unexpected RequestId; got %q; want %q", doc.RequestId, r.header.Get("X-Amz-Request-Id"))
	}
	return doc
}

// wantBody requires a status and a body.
func (r *reply) wantBody(status int, body string) *reply {
	r.t.Helper()
	if !r.check(status) {
		return r
	}
	if r.body != body {
		r.t.Errorf("unexpected body of %d bytes; got %.80q; want %d bytes %.80q\n%s %.100s %v", len(r.body), r.body, len(body), body, r.method, r.target, r.header)
	}
	return r
}

// wantHeader requires header values, "Name: value"; an empty value means that
// the header must be absent.
func (r *reply) wantHeader(lines ...string) *reply {
	r.t.Helper()
	for _, line := range lines {
		name, want, _ := strings.Cut(line, ":")
		want = strings.TrimSpace(want)
		if got := strings.Join(r.header.Values(name), "|"); got != want {
			r.t.Errorf("unexpected header %s; got %q; want %q (%s %.100s: %d)", name, got, want, r.method, r.target, r.status)
		}
	}
	return r
}

// parse reads an XML reply.
func (r *reply) parse(doc any) {
	r.t.Helper()
	r.want(200)
	if ct := r.header.Get("Content-Type"); ct != "application/xml" {
		r.t.Errorf("unexpected Content-Type; got %q; want application/xml", ct)
	}
	if err := xml.Unmarshal([]byte(r.body), doc); err != nil {
		r.t.Fatalf("cannot parse the reply: %v\n%v", err, r)
	}
}

// element returns the text of the first element of that name.
func (r *reply) element(name string) string {
	d := xml.NewDecoder(strings.NewReader(r.body))
	for {
		tok, err := d.Token()
		if err != nil {
			return ""
		}
		if start, ok := tok.(xml.StartElement); ok && start.Name.Local == name {
			var text struct {
				S string `xml:",chardata"`
			}
			if d.DecodeElement(&text, &start) != nil {
				return ""
			}
			return text.S
		}
	}
}

// etag returns the ETag header, which must be quoted.
func (r *reply) etag() string {
	r.t.Helper()
	e := r.header.Get("ETag")
	if len(e) < 34 || e[0] != '"' || e[len(e)-1] != '"' {
		r.t.Errorf("unexpected ETag %q\n%v", e, r)
	}
	return e
}

// escape returns a key as the path of a request spells it.
func escape(key string) string { return string(sigv4.AppendEncoded(nil, key, true)) }

// escapeQuery returns a query value percent-encoded.
func escapeQuery(v string) string { return string(sigv4.AppendEncoded(nil, v, false)) }

// xmlText returns text as XML character data.
func xmlText(s string) string {
	var b bytes.Buffer
	if err := xml.EscapeText(&b, []byte(s)); err != nil {
		panic(err)
	}
	return b.String()
}
