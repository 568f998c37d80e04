package bench

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/s3ultra/s3ultra/sigv4"
)

// target is one bucket of a server under test. Not safe for concurrent use.
type target struct {
	name       string // in the table: synth, memory, or other
	address    string // HOST:PORT to connect to
	host       string // the Host header
	tls        *tls.Config
	credential sigv4.Credential // zero: requests are not signed
	region     string
	bucket     string
	clock      *cpuClock // nil: its CPU time is not known
	keepsBytes bool      // uploads take up its memory

	// listBody is the length of one page of the list load, once prepare has
	// seen it.
	listBody int64

	signer sigv4.Signer
	// What is to be deleted at the end.
	madeBucket bool
	madeKeys   map[string]bool
}

// parseEndpoint returns the target of a URL: http or https, no path, as every
// bucket is addressed below the root.
func parseEndpoint(endpoint string) (*target, error) {
	full := endpoint
	if !strings.Contains(full, "://") {
		full = "http://" + full
	}
	u, err := url.Parse(full)
	if err != nil || u.Hostname() == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" ||
		u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q is not http://HOST:PORT or https://HOST:PORT", endpoint)
	}
	t := &target{address: u.Host, host: u.Host, madeKeys: map[string]bool{}}
	port := "80"
	if u.Scheme == "https" {
		port = "443"
		t.tls = &tls.Config{ServerName: u.Hostname()}
	}
	if u.Port() == "" {
		t.address = net.JoinHostPort(u.Hostname(), port)
	}
	return t, nil
}

func (t *target) newWire() *wire { return &wire{address: t.address, tls: t.tls} }

// header is one more header of a request.
type header struct{ name, value string }

// ask is a request to be made: its zero fields are left out.
type ask struct {
	method  string
	key     string // "" addresses the bucket
	query   string // encoded, without '?'
	payload string // of x-amz-content-sha256; "" is that of no body
	headers []header
	length  int64 // Content-Length; -1 sends none
}

// emptySHA256 is the payload value of a request without a body.
const emptySHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// head returns the header block of a. after, if not nil, is called with the
// signer that has just signed it, so that a streaming body can go on from the
// request's signature.
func (t *target) head(a ask, after func(*sigv4.Signer)) []byte {
	path := sigv4.AppendEncoded([]byte("/"), t.bucket, true)
	if a.key != "" {
		path = sigv4.AppendEncoded(append(path, '/'), a.key, true)
	}
	r := sigv4.Request{Method: a.method, Path: path, Query: []byte(a.query), Host: []byte(t.host)}
	r.Header = append(r.Header, sigv4.Field{Name: []byte("Host"), Value: r.Host})
	for _, h := range a.headers {
		r.Header = append(r.Header, sigv4.Field{Name: []byte(h.name), Value: []byte(h.value)})
	}
	payload := a.payload
	if payload == "" {
		payload = emptySHA256
	}
	if t.credential.AccessKey != "" {
		t.signer.SignHeader(&r, t.credential, t.region, time.Now(), payload)
	}
	b := append(append([]byte(a.method), ' '), path...)
	if a.query != "" {
		b = append(append(b, '?'), a.query...)
	}
	b = append(b, " HTTP/1.1\r\n"...)
	for _, f := range r.Header {
		b = append(append(append(append(b, f.Name...), ": "...), f.Value...), "\r\n"...)
	}
	if a.length >= 0 {
		b = strconv.AppendInt(append(b, "Content-Length: "...), a.length, 10)
		b = append(b, "\r\n"...)
	}
	if after != nil {
		after(&t.signer)
	}
	return append(b, "\r\n"...)
}

// plain returns the exchange of a request without a body, whose reply has this
// status and length.
func (t *target) plain(a ask, status int, length int64) exchange {
	a.length = -1
	return exchange{send: [][]byte{t.head(a, nil)}, status: status, length: length, head: a.method == "HEAD"}
}

// withBody returns the exchange of an upload whose body is size bytes of block,
// repeated.
func (t *target) withBody(a ask, block []byte, size int64) exchange {
	a.length = size
	return exchange{send: appendBody([][]byte{t.head(a, nil)}, block, size), payload: size, status: 200}
}

// chunked returns the exchange of an upload in aws-chunked framing.
func (t *target) chunked(a ask, payload sigv4.Payload, block []byte, size int64, trailer []sigv4.Field) exchange {
	a.payload = payload.String()
	a.length = sigv4.EncodedLen(payload, size, chunkSize, trailer)
	a.headers = append(a.headers,
		header{"Content-Encoding", "aws-chunked"},
		header{"X-Amz-Decoded-Content-Length", strconv.FormatInt(size, 10)})
	var e sigv4.Encoder
	frame := t.head(a, func(g *sigv4.Signer) { e.Reset(g, payload) })
	x := exchange{payload: size, status: 200}
	// The encoder copies a chunk's data; only the framing around it is kept,
	// the data is sent from the shared block.
	var encoded []byte
	for left := size; left > 0; {
		// The same body as withBody's: chunks divide the block.
		data := block[(size-left)%int64(len(block)):][:min(left, chunkSize)]
		left -= int64(len(data))
		encoded = e.AppendChunk(encoded[:0], data)
		start := len(encoded) - len(data) - len(lineEnd)
		x.send = append(x.send, append(frame, encoded[:start]...), data)
		frame = append([]byte(nil), lineEnd...)
	}
	x.send = append(x.send, e.AppendEnd(frame, trailer))
	return x
}

// call sends one request of the preparation and returns its reply's body,
// which is valid until the wire's next request.
func (t *target) call(ctx context.Context, w *wire, x exchange, what string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	stop := context.AfterFunc(ctx, w.interrupt)
	defer stop()
	body, err := w.fetch(ctx, &x)
	if err != nil {
		return nil, fmt.Errorf("cannot %s on %s: %w", what, t.address, err)
	}
	return body, nil
}
