package server

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/s3ultra/s3ultra/sigv4"
	"github.com/s3ultra/s3ultra/store"
	"github.com/s3ultra/s3ultra/synth"
)

// hotRequest is one request that benchmarks repeat, run through the handler
// without a socket.
type hotRequest struct {
	name   string
	bytes  int64 // moved each time, for SetBytes
	allocs float64
	server *Server
	wire   []byte
	ctx    fasthttp.RequestCtx
	src    bytes.Reader
	br     *bufio.Reader
	bw     *bufio.Writer
}

// run serves the request once.
func (h *hotRequest) run(t testing.TB) {
	h.src.Reset(h.wire)
	h.br.Reset(&h.src)
	if err := h.ctx.Request.Header.Read(h.br); err != nil {
		t.Fatalf("cannot read the header: %v", err)
	}
	if h.ctx.Request.Header.IsPut() {
		if err := h.ctx.Request.ContinueReadBodyStream(h.br, 1, false); err != nil {
			t.Fatalf("cannot read the body: %v", err)
		}
	}
	h.server.handle(&h.ctx)
	if status := h.ctx.Response.StatusCode(); status >= 300 {
		t.Fatalf("unexpected status %d: %s", status, h.ctx.Response.Body())
	}
	if h.ctx.Request.Header.IsHead() {
		h.ctx.Response.SkipBody = true
	}
	h.bw.Reset(io.Discard)
	if err := h.ctx.Response.Write(h.bw); err != nil {
		t.Fatalf("cannot write the reply: %v", err)
	}
	h.ctx.Request.Reset()
	h.ctx.Response.Reset()
}

// hotRequests returns signed requests against a server with both modes.
func hotRequests(t testing.TB) []*hotRequest {
	cred := sigv4.Credential{AccessKey: "AKIDHOT", SecretKey: "hot-secret"}
	rules, err := synth.ParseFlag("retinanet?count=50203282&bucket=sets")
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(Config{
		Credentials:   []sigv4.Credential{cred},
		VerifyPayload: true,
		KeepSmall:     512,
		Buckets:       []BucketSpec{{Name: "synth"}, {Name: "memory", Mode: store.Memory}},
		Datasets:      rules,
	})
	if err != nil {
		t.Fatalf("cannot make the server: %v", err)
	}
	for i := range 1500 {
		if err := s.AddSynthetic("synth", fmt.Sprintf("data/train/img_%08d_of_00001500.jpg", i), 322_957); err != nil {
			t.Fatalf("cannot add an object: %v", err)
		}
	}
	if err := s.AddSynthetic("synth", "small", 4<<10); err != nil {
		t.Fatalf("cannot add an object: %v", err)
	}
	const key = "/synth/data/train/img_00000007_of_00001500.jpg"
	body := bytes.Repeat([]byte{'x'}, 64<<10)
	put := newHotRequest(t, s, cred, "PUT synth unsigned", "PUT", "/synth/put", "", body, int64(len(body)))
	// fasthttp's body stream: only its connection loop gives it back to its pool.
	put.allocs = 1
	return []*hotRequest{
		put,
		newHotRequest(t, s, cred, "HEAD", "HEAD", key, "", nil, 0),
		newHotRequest(t, s, cred, "GET 4 KiB", "GET", "/synth/small", "", nil, 4<<10),
		newHotRequest(t, s, cred, "GET range", "GET", key, "Range: bytes=1000-200999\r\n", nil, 200_000),
		newHotRequest(t, s, cred, "LIST", "GET", "/synth?list-type=2&prefix=data%2F", "", nil, 0),
		newHotRequest(t, s, cred, "HEAD data set", "HEAD", "/sets/data/retinanet/train/img_12345678_of_50203282.jpeg", "", nil, 0),
		newHotRequest(t, s, cred, "LIST data set", "GET", "/sets?list-type=2&start-after=data%2Fretinanet%2Ftrain%2Fimg_12345678", "", nil, 0),
		newHotRequest(t, s, cred, "LIST data set root", "GET", "/sets?list-type=2&delimiter=%2F", "", nil, 0),
	}
}

func newHotRequest(t testing.TB, s *Server, cred sigv4.Credential, name, method, target, headers string, body []byte, moved int64) *hotRequest {
	path, query, _ := strings.Cut(target, "?")
	r := sigv4.Request{Method: method, Path: []byte(path), Query: []byte(query), Host: []byte("localhost:9000")}
	r.Header = append(r.Header, sigv4.Field{Name: []byte("Host"), Value: r.Host})
	var signer sigv4.Signer
	signer.SignHeader(&r, cred, "us-east-1", time.Now(), "UNSIGNED-PAYLOAD")
	var wire bytes.Buffer
	fmt.Fprintf(&wire, "%s %s HTTP/1.1\r\n", method, target)
	for _, f := range r.Header {
		fmt.Fprintf(&wire, "%s: %s\r\n", f.Name, f.Value)
	}
	if body != nil {
		fmt.Fprintf(&wire, "Content-Length: %d\r\n", len(body))
	}
	wire.WriteString(headers + "\r\n")
	wire.Write(body)
	h := &hotRequest{
		name: name, bytes: moved, server: s, wire: wire.Bytes(),
		br: bufio.NewReaderSize(nil, readBufferSize), bw: bufio.NewWriterSize(io.Discard, writeBufferSize),
	}
	h.ctx.Init2(nil, httpLogger{s.cfg.Logger}, true)
	return h
}

// BenchmarkRequest is the cost of a request in this package: everything
// between the parsed header block and the written reply, signature included.
func BenchmarkRequest(b *testing.B) {
	for _, row := range hotRequests(b) {
		b.Run(row.name, func(b *testing.B) {
			b.SetBytes(row.bytes)
			b.ReportAllocs()
			for b.Loop() {
				row.run(b)
			}
		})
	}
}
