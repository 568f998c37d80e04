package server_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/s3ultra/s3ultra/server"
	"github.com/s3ultra/s3ultra/sigv4"
	"github.com/s3ultra/s3ultra/store"
)

// goRequest makes c a request of Go's client, with its body sent as the
// client does: at once, or after a 100 Continue.
func (c call) goRequest(t testing.TB, f *fixture, body io.Reader, size int64) *http.Request {
	t.Helper()
	c.sha = "UNSIGNED-PAYLOAD"
	head, _ := c.bytes(f.addr)
	req, err := http.NewRequest(c.method, "http://"+f.addr+c.target, body)
	if err != nil {
		t.Fatalf("cannot make a request: %v", err)
	}
	for _, line := range strings.Split(string(head), "\r\n")[1:] {
		name, value, _ := strings.Cut(line, ": ")
		if name != "" && name != "Host" && name != "Content-Length" {
			req.Header.Set(name, value)
		}
	}
	req.ContentLength = size
	return req
}

// TestH02EarlyError: a 32 MiB body refused from its headers, 40 tries of Go's
// client each; every one must see the reply and not a broken connection.
func TestH02EarlyError(t *testing.T) {
	f := start(t, testConfig(store.Memory))
	f.put(t, "/bkt/there", "x")
	cfg := testConfig(store.Memory)
	cfg.MemoryLimit = 24 << 20
	full := start(t, cfg)
	id := full.newUpload(t, "/bkt/m")
	wrong := sigv4.Credential{AccessKey: testKey.AccessKey, SecretKey: "wrong"}
	body := make([]byte, 32<<20)
	for _, row := range []struct {
		name   string
		call   call
		status int
		tries  int // for each kind of connection
	}{
		{"NoSuchUpload", call{target: "/bkt/k?partNumber=1&uploadId=nope"}, 404, 20},
		{"SignatureDoesNotMatch", call{target: "/bkt/k", cred: &wrong}, 403, 20},
		{"PreconditionFailed", call{target: "/bkt/there", header: []string{"If-None-Match: *"}}, 412, 20},
		{"InsufficientStorage", call{target: "/bkt/k"}, 507, 20},
		// The rest take the same way.
		{"NoSuchBucket", call{target: "/none/k"}, 404, 3},
		{"NoSuchKey", call{target: "/bkt/absent", header: []string{"If-Match: *"}}, 404, 3},
		{"InsufficientStorage", call{target: "/bkt/m?partNumber=1&uploadId=" + id}, 507, 3},
		{"NotImplemented", call{target: "/bkt/k?torrent"}, 501, 3},
		{"KeyTooLongError", call{target: "/bkt/" + strings.Repeat("k", 1025)}, 400, 3},
		{"InvalidDigest", call{target: "/bkt/k", header: []string{"Content-MD5: x"}}, 400, 3},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			row.call.method = "PUT"
			f := f
			if row.status == 507 {
				f = full
			}
			// A connection of its own each time, and one that is kept.
			for _, keep := range []bool{false, true} {
				client := &http.Client{Transport: &http.Transport{DisableKeepAlives: !keep}, Timeout: patience}
				defer client.CloseIdleConnections()
				for try := range row.tries {
					res, err := client.Do(row.call.goRequest(t, f, bytes.NewReader(body), int64(len(body))))
					if err != nil {
						t.Errorf("try %d: the client did not see the reply: %v", try, err)
						continue
					}
					text, err := io.ReadAll(res.Body)
					res.Body.Close()
					if err != nil || res.StatusCode != row.status || !strings.Contains(string(text), "<Code>"+row.name+"</Code>") {
						t.Errorf("try %d: unexpected reply %d %s (%v); want %d", try, res.StatusCode, text, err, row.status)
					}
				}
			}
		})
	}
}

// TestH03LeftoverBody: the rest of a refused request's body is not the next request.
func TestH03LeftoverBody(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		f.put(t, "/bkt/k", "hello")
		wrong := sigv4.Credential{AccessKey: testKey.AccessKey, SecretKey: "wrong"}
		smuggled := "GET /bkt/k HTTP/1.1\r\nHost: " + f.addr + "\r\n\r\n"
		for _, size := range []int{9000, 300_000} {
			body := strings.Repeat("x", size-len(smuggled)) + smuggled
			for _, c := range []call{
				{target: "/bkt/k", cred: &wrong},
				{target: "/bkt/k", anonymous: true},
				{target: "/none/k"},
				{target: "/bkt/k?torrent"},
				{target: "/bkt/k", header: []string{"If-None-Match: *"}},
				{target: "/bkt/k", header: []string{"x-amz-copy-source: bkt/none"}},
				{target: "/bkt/k", cred: &wrong, chunked: 777},
				{target: "/none/k", chunked: 777},
				{target: "/bkt/k", stream: sigv4.PayloadStreamingSigned, tamper: func(b []byte) []byte { return []byte(body) }},
				{target: "/bkt/k", stream: sigv4.PayloadStreamingSigned, chunked: 99, tamper: func(b []byte) []byte { return []byte(body) }},
				{target: "/bkt/k", stream: sigv4.PayloadStreamingUnsignedTrailer, tamper: func(b []byte) []byte { return append([]byte("0\r\n\r\n"), body...) }},
				{method: "POST", target: "/bkt?delete"},
				{method: "POST", target: "/bkt/k?uploads"},
				{method: "POST", target: "/bkt/k?uploadId=x"},
				{method: "DELETE", target: "/bkt/none", header: []string{fmt.Sprintf("Content-Length: %d", len(body))}},
				{method: "PATCH", target: "/bkt/none", header: []string{fmt.Sprintf("Content-Length: %d", len(body))}},
			} {
				if c.method == "" {
					c.method = "PUT"
				}
				c.body = body
				w := f.dial(t)
				w.do(c)
				head, _ := call{method: "GET", target: "/bkt/k?versionId=null"}.bytes(f.addr)
				w.write(head)
				r, err := w.read("GET")
				if err != nil {
					t.Errorf("%s %s: cannot read the second reply: %v", c.method, c.target, err)
					continue
				}
				r.wantBody(200, "hello")
				w.conn.SetReadDeadline(time.Now().Add(5 * time.Millisecond))
				if n, err := w.in.Read(make([]byte, 1)); n != 0 || !isTimeout(err) {
					t.Errorf("%s %s: a third reply came (%d, %v)", c.method, c.target, n, err)
				}
				w.close()
			}
		}
	})
}

func isTimeout(err error) bool {
	var e net.Error
	return errors.As(err, &e) && e.Timeout()
}

// TestH04Truncated: a body that ends early publishes nothing, in any framing.
func TestH04Truncated(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		f.put(t, "/bkt/old", "old")
		id := f.newUpload(t, "/bkt/m")
		part := "/bkt/m?partNumber=1&uploadId=" + id
		kept := f.putPart(t, "/bkt/m", id, 1, "kept")
		body := letters(50_000)
		for _, target := range []string{"/bkt/new", "/bkt/old", part} {
			calls := []call{{}, {sha: "UNSIGNED-PAYLOAD"}, {chunked: 5000}, {chunked: 5000, sha: "UNSIGNED-PAYLOAD"}}
			for _, kind := range streamingKinds {
				c := streamed(kind, "", body, 8192)
				calls = append(calls, c)
				c.chunked = 5000
				calls = append(calls, c)
			}
			for _, c := range calls {
				c.method, c.target, c.body = "PUT", target, body
				head, framed := c.bytes(f.addr)
				for _, sent := range []int{0, 1, 300, 20_000, len(framed) - 1} {
					for _, half := range []bool{true, false} {
						w := f.dial(t)
						w.write(head, framed[:sent])
						if half {
							// The client still reads: it may be told why.
							w.conn.(*net.TCPConn).CloseWrite()
							if r, err := w.read("PUT"); err == nil {
								r.target = target
								r.wantError(400, "IncompleteBody", "BadRequest", "InvalidRequest", "MalformedTrailerError")
							}
						}
						w.close()
					}
				}
			}
		}
		f.do(t, "HEAD", "/bkt/new", "").wantError(404)
		f.do(t, "GET", "/bkt/old", "").wantBody(200, "old")
		f.wantKeys(t, "bkt", "old")
		if p := f.parts(t, "/bkt/m", id, "").Part; len(p) != 1 || p[0].ETag != kept || p[0].Size != 4 {
			t.Errorf("unexpected parts %+v", p)
		}
		etag := f.putPart(t, "/bkt/m", id, 1, body)
		f.complete(t, "/bkt/m", id, []listed{{number: 1, etag: etag}}).want(200)
		f.do(t, "GET", "/bkt/m", "").wantBody(200, f.served("bkt", "m", body))
	})
}

// TestH07HeadWithoutBody on one connection.
func TestH07HeadWithoutBody(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		body := letters(3000)
		f.put(t, "/bkt/k", body)
		w := f.dial(t)
		for range 3 {
			w.do(call{method: "HEAD", target: "/bkt/k"}).wantBody(200, "").wantHeader("Content-Length: 3000")
			w.do(call{method: "HEAD", target: "/bkt/none"}).wantError(404)
			w.do(call{method: "HEAD", target: "/none/k"}).wantError(404)
			w.do(call{method: "HEAD", target: "/none"}).wantError(404)
			w.do(call{method: "HEAD", target: "/bkt/k", anonymous: true}).wantError(403)
			w.do(call{method: "HEAD", target: "/bkt/k", header: []string{"Range: bytes=5000-"}}).wantError(416)
			w.do(call{method: "HEAD", target: "/bkt/k", header: []string{"If-Match: x"}}).wantError(412)
			w.do(call{method: "HEAD", target: "/bkt/k", header: []string{"If-None-Match: *"}}).wantError(304)
			w.do(call{method: "HEAD", target: "/bkt/k", header: []string{"Range: bytes=1-2"}}).wantBody(206, "").wantHeader("Content-Length: 2")
			w.do(call{method: "HEAD", target: "/bkt/k?torrent"}).wantError(501)
			w.do(call{method: "HEAD", target: "/bkt"}).wantBody(200, "")
			w.do(call{method: "GET", target: "/bkt/k"}).wantBody(200, f.served("bkt", "k", body))
		}
		if w.conn == nil {
			t.Errorf("the connection was closed")
		}
	})
}

// TestH08ErrorDocuments: every kind of error is an S3 document, those of the
// HTTP library too.
func TestH08ErrorDocuments(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		doc := f.do(t, "GET", "/bkt/a%20b%26", "").wantError(404, "NoSuchKey")
		if doc.Key != "a b&" || doc.Resource != "/bkt/a%20b%26" && doc.Resource != "/bkt/a b&" {
			t.Errorf("unexpected document %+v", doc)
		}
		if doc := f.do(t, "GET", "/none/k", "").wantError(404, "NoSuchBucket"); doc.BucketName != "none" {
			t.Errorf("unexpected document %+v", doc)
		}
		f.do(t, "PATCH", "/bkt/k", "").wantError(405, "MethodNotAllowed")
		f.do(t, "FOO", "/bkt/k", "").wantError(405, "MethodNotAllowed")
		f.do(t, "POST", "/", "Action=ListRoles&Version=2010-05-08").wantError(405, "MethodNotAllowed")
		f.do(t, "POST", "/bkt?delete", "<garbage").wantError(400, "MalformedXML")
		f.do(t, "POST", "/bkt?delete", "").wantError(400, "MalformedXML")
		f.do(t, "GET", "/bkt?list-type=2&max-keys=blah", "").wantError(400, "InvalidArgument")
		raw := func(request string, status int, codes ...string) {
			t.Helper()
			w := f.dial(t)
			w.write([]byte(request))
			r, err := w.read("GET")
			if err != nil {
				t.Errorf("cannot read the reply to %.100q: %v", request, err)
				return
			}
			r.target = request
			r.wantError(status, codes...)
			w.close()
		}
		host := "Host: " + f.addr + "\r\n"
		raw("GET /bkt/k HTTP/1.1\r\n"+host+"X: "+strings.Repeat("x", 100_000)+"\r\n\r\n", 431, "RequestHeaderSectionTooLarge")
		raw("GET /"+strings.Repeat("x", 100_000)+" HTTP/1.1\r\n"+host+"\r\n", 431, "RequestHeaderSectionTooLarge")
		raw("garbage\r\n\r\n", 400, "BadRequest", "InvalidRequest")
		raw("GET /bkt/\x01k HTTP/1.1\r\n"+host+"\r\n", 400, "BadRequest", "InvalidURI")
		raw("PUT /bkt/k HTTP/1.1\r\n"+host+"Content-Length: -1\r\n\r\n", 400, "BadRequest", "InvalidRequest")
		raw("PUT /bkt/k HTTP/1.1\r\n"+host+"Content-Length: \r\n\r\n", 400, "BadRequest", "InvalidRequest")
		raw("PUT /bkt/k HTTP/1.1\r\n"+host+"Content-Length: 5x\r\n\r\nhello", 400, "BadRequest", "InvalidRequest")
		raw("PUT /bkt/k HTTP/1.1\r\n"+host+"Content-Length: 99999999999999999999999\r\n\r\n", 400, "BadRequest", "InvalidRequest", "EntityTooLarge")
		raw("PUT /bkt/k HTTP/1.1\r\n"+host+"Content-Length : 5\r\n\r\nhello", 400, "BadRequest", "InvalidRequest")
		raw("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, "BadRequest", "InvalidRequest")
		f.wantKeys(t, "bkt")
	})
}

// TestTooLargeDeclared: what S3 has no room for is refused from the headers.
func TestTooLargeDeclared(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		id := f.newUpload(t, "/bkt/m")
		for _, target := range []string{"/bkt/k", "/bkt/m?partNumber=1&uploadId=" + id} {
			w := f.dial(t)
			head, _ := call{method: "PUT", target: target, header: []string{"Content-Length: 5368709121", "Expect: 100-continue"}}.bytes(f.addr)
			w.write(head)
			r, err := w.read("PUT")
			if err != nil {
				t.Fatalf("cannot read the reply: %v", err)
			}
			r.wantError(400, "EntityTooLarge")
			c := call{method: "PUT", target: target, body: "x", stream: sigv4.PayloadStreamingSigned, decoded: "5368709121"}
			f.send(t, c).wantError(400, "EntityTooLarge")
		}
	})
}

func TestH01Expect(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		for _, value := range []string{"100-continue", "100-Continue", "100-CONTINUE"} {
			w := f.dial(t)
			head, body := call{method: "PUT", target: "/bkt/k", body: "hello", header: []string{"Expect: " + value}}.bytes(f.addr)
			for range 2 {
				began := time.Now()
				w.write(head)
				line, err := w.in.ReadString('\n')
				if err != nil || !strings.HasPrefix(line, "HTTP/1.1 100 ") {
					t.Fatalf("unexpected reply %q (%v); want 100", line, err)
				}
				if d := time.Since(began); d > 500*time.Millisecond {
					t.Errorf("100 Continue came after %v", d)
				}
				if line, err = w.in.ReadString('\n'); err != nil || line != "\r\n" {
					t.Fatalf("unexpected line %q (%v)", line, err)
				}
				w.write(body)
				r, err := w.read("PUT")
				if err != nil {
					t.Fatalf("cannot read the reply: %v", err)
				}
				r.want(200)
			}
			f.do(t, "GET", "/bkt/k", "").wantBody(200, "hello")
		}
		// The headers decide: the final status comes instead of 100, at once.
		wrong := sigv4.Credential{AccessKey: testKey.AccessKey, SecretKey: "wrong"}
		for _, row := range []struct {
			call   call
			status int
			code   string
		}{
			{call{target: "/none/k"}, 404, "NoSuchBucket"},
			{call{target: "/bkt/k", cred: &wrong}, 403, "SignatureDoesNotMatch"},
			{call{target: "/bkt/k", header: []string{"If-None-Match: *"}}, 412, "PreconditionFailed"},
			{call{target: "/bkt/k?partNumber=1&uploadId=nope"}, 404, "NoSuchUpload"},
			{call{target: "/bkt/k", header: []string{"Content-MD5: "}}, 400, "InvalidDigest"},
		} {
			w := f.dial(t)
			row.call.method, row.call.body = "PUT", letters(100_000)
			row.call.header = append(row.call.header, "Expect: 100-continue")
			head, _ := row.call.bytes(f.addr)
			w.write(head)
			line, err := w.in.Peek(12)
			if err != nil || string(line) == "HTTP/1.1 100" {
				t.Errorf("%s: unexpected reply %q (%v)", row.call.target, line, err)
				continue
			}
			r, err := w.read("PUT")
			if err != nil {
				t.Errorf("%s: cannot read the reply: %v", row.call.target, err)
				continue
			}
			r.target = row.call.target
			r.wantError(row.status, row.code)
		}
		f.do(t, "GET", "/bkt/k", "").wantBody(200, "hello")
		// Expectations that are none are ignored; a body may come without waiting; there may be none.
		for _, header := range []string{"Expect: 200", "Expect: ", "Expect: foo", "Expect: 100-continue"} {
			f.do(t, "PUT", "/bkt/e", "body", header).want(200)
			f.do(t, "PUT", "/bkt/e", "", header).want(200)
			f.do(t, "GET", "/bkt/e", "", header).wantBody(200, "")
			f.do(t, "PUT", "/fresh", "", header).want(200)
		}
	})
}

// TestPipelining: requests sent without waiting are answered in order.
func TestPipelining(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		w := f.dial(t)
		var all []byte
		for i := range 20 {
			for _, c := range []call{
				{method: "PUT", target: fmt.Sprintf("/bkt/k%d", i), body: letters(i * 100)},
				{method: "PUT", target: "/none/k", body: letters(i * 100)},
				{method: "GET", target: fmt.Sprintf("/bkt/k%d", i)},
				{method: "HEAD", target: "/bkt/none"},
			} {
				head, body := c.bytes(f.addr)
				all = append(append(all, head...), body...)
			}
		}
		go w.conn.Write(all)
		for i := range 20 {
			for _, want := range []struct {
				method string
				status int
			}{{"PUT", 200}, {"PUT", 404}, {"GET", 200}, {"HEAD", 404}} {
				r, err := w.read(want.method)
				if err != nil {
					t.Fatalf("cannot read reply %d of %s: %v", i, want.method, err)
				}
				r.want(want.status)
				if want.method == "GET" {
					r.wantBody(200, f.served("bkt", fmt.Sprintf("k%d", i), letters(i*100)))
				}
			}
		}
	})
}

// TestH10ConnectionBurst: many connections at once, each with one request.
func TestH10ConnectionBurst(t *testing.T) {
	f := start(t, testConfig(store.Synth))
	f.put(t, "/bkt/k", letters(1000))
	want := f.served("bkt", "k", letters(1000))
	const conns = 400 // of the test's two file descriptors each; soft limits are often 1024
	head, _ := call{method: "GET", target: "/bkt/k"}.bytes(f.addr)
	var wg sync.WaitGroup
	for range conns {
		wg.Go(func() {
			conn, err := net.DialTimeout("tcp", f.addr, patience)
			if err != nil {
				t.Errorf("cannot connect: %v", err)
				return
			}
			defer conn.Close()
			conn.SetDeadline(time.Now().Add(patience))
			conn.Write(head)
			w := &wire{t: t, conn: conn, in: bufio.NewReader(conn)}
			r, err := w.read("GET")
			if err != nil {
				t.Errorf("cannot read the reply: %v", err)
				return
			}
			if r.status != 200 || r.body != want {
				t.Errorf("unexpected reply %v", r)
			}
		})
	}
	wg.Wait()
}

// deadlineListener records the read deadlines that the server sets, which are
// how it would close an idle connection (H09).
type deadlineListener struct {
	net.Listener
	mu    sync.Mutex
	conns []*deadlineConn
}

type deadlineConn struct {
	net.Conn
	mu   sync.Mutex
	read time.Time
}

func (l *deadlineListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	d := &deadlineConn{Conn: c}
	l.mu.Lock()
	l.conns = append(l.conns, d)
	l.mu.Unlock()
	return d, nil
}

func (c *deadlineConn) SetDeadline(t time.Time) error {
	c.mu.Lock()
	c.read = t
	c.mu.Unlock()
	return c.Conn.SetDeadline(t)
}

func (c *deadlineConn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	c.read = t
	c.mu.Unlock()
	return c.Conn.SetReadDeadline(t)
}

// TestH09IdleConnection: clients keep connections for 90 s and more between
// requests, so an idle one has no deadline, or one two minutes away.
func TestH09IdleConnection(t *testing.T) {
	cfg := testConfig(store.Memory)
	srv, err := server.New(cfg)
	if err != nil {
		t.Fatalf("cannot make the server: %v", err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("cannot listen: %v", err)
	}
	dl := &deadlineListener{Listener: ln}
	f := serve(t, srv, dl, cfg.Mode)
	w := f.dial(t)
	for _, c := range []call{
		{method: "PUT", target: "/bkt/k", body: letters(500_000)},
		{method: "GET", target: "/bkt/k"},
		{method: "PUT", target: "/none/k", body: letters(500_000)}, // drained under a deadline
		{method: "GET", target: "/bkt/none"},
	} {
		w.do(c)
		time.Sleep(10 * time.Millisecond)
		dl.mu.Lock()
		for _, conn := range dl.conns {
			conn.mu.Lock()
			if !conn.read.IsZero() && time.Until(conn.read) < 2*time.Minute {
				t.Errorf("after %s %s the idle connection ends in %v", c.method, c.target, time.Until(conn.read))
			}
			conn.mu.Unlock()
		}
		dl.mu.Unlock()
	}
}

// TestShutdownDrains: requests in flight are answered, both ways.
func TestShutdownDrains(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		const size = 64 << 20 // more than socket buffers take
		if err := f.srv.AddSynthetic("bkt", "big", size); err != nil {
			t.Fatalf("cannot add an object: %v", err)
		}
		reader, writer := f.dial(t), f.dial(t)
		head, _ := call{method: "GET", target: "/bkt/big"}.bytes(f.addr)
		reader.write(head)
		if _, err := reader.in.Peek(1); err != nil {
			t.Fatalf("cannot read the reply: %v", err)
		}
		body := letters(100_000)
		head, framed := call{method: "PUT", target: "/bkt/k", body: body}.bytes(f.addr)
		writer.write(head, framed[:50_000])
		time.Sleep(50 * time.Millisecond) // until the handler has it
		done := make(chan error, 1)
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			done <- f.srv.Shutdown(ctx)
		}()
		time.Sleep(50 * time.Millisecond)
		if c, err := net.DialTimeout("tcp", f.addr, time.Second); err == nil {
			c.Close()
			t.Errorf("a connection was accepted during the shutdown")
		}
		writer.write(framed[50_000:])
		r, err := writer.read("PUT")
		if err != nil {
			t.Fatalf("cannot read the reply to PUT: %v", err)
		}
		r.want(200)
		g, err := reader.read("GET")
		if err != nil {
			t.Fatalf("cannot read the reply to GET: %v", err)
		}
		if len(g.body) != size || g.body[:1000] != generated("bkt", "big", 1000) {
			t.Errorf("unexpected body of %d bytes", len(g.body))
		}
		if err := <-done; err != nil {
			t.Errorf("unexpected error of Shutdown: %v", err)
		}
	})
}

// TestSlowReaderKeepsItsVersion: a read in flight goes on with the old bytes
// while the key is overwritten and deleted (O15, ceph/s3-tests atomic reads).
func TestO15SlowReaderKeepsItsVersion(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		const size = 16 << 20
		old := make([]byte, size)
		rand.Read(old)
		f.send(t, call{method: "PUT", target: "/bkt/k", body: string(old), sha: "UNSIGNED-PAYLOAD"}).want(200)
		want := f.served("bkt", "k", string(old))
		var readers []*wire
		head, _ := call{method: "GET", target: "/bkt/k"}.bytes(f.addr)
		for range 2 {
			w := f.dial(t)
			w.write(head)
			if _, err := w.in.Peek(1); err != nil {
				t.Fatalf("cannot read: %v", err)
			}
			readers = append(readers, w)
		}
		f.put(t, "/bkt/k", strings.Repeat("n", 1000))
		f.do(t, "DELETE", "/bkt/k", "").want(204)
		// The memory that the old version would leave is asked for at once.
		for i := range 4 {
			f.send(t, call{method: "PUT", target: fmt.Sprintf("/bkt/n%d", i), body: strings.Repeat("n", size), sha: "UNSIGNED-PAYLOAD"}).want(200)
		}
		for _, w := range readers {
			r, err := w.read("GET")
			if err != nil {
				t.Fatalf("cannot read the rest: %v", err)
			}
			if r.body != want {
				t.Errorf("the read in flight got other bytes than its version has")
			}
		}
	})
}

// TestH02EarlyErrorWithExpect: the same with Expect: 100-continue, from a
// client that waits for it, and from one that sends its body all the same.
func TestH02EarlyErrorWithExpect(t *testing.T) {
	f := start(t, testConfig(store.Memory))
	body := make([]byte, 32<<20)
	for _, wait := range []time.Duration{patience, time.Nanosecond} {
		client := &http.Client{Transport: &http.Transport{ExpectContinueTimeout: wait}, Timeout: patience}
		defer client.CloseIdleConnections()
		for try := range 20 {
			req := call{method: "PUT", target: "/none/k"}.goRequest(t, f, bytes.NewReader(body), int64(len(body)))
			req.Header.Set("Expect", "100-continue")
			res, err := client.Do(req)
			if err != nil {
				t.Errorf("try %d, waiting %v: the client did not see the reply: %v", try, wait, err)
				continue
			}
			res.Body.Close()
			if res.StatusCode != 404 {
				t.Errorf("unexpected status %d; want 404", res.StatusCode)
			}
		}
	}
}

// TestH01ExpectNotImplemented: what the target alone decides is decided before the body too.
func TestH01ExpectNotImplemented(t *testing.T) {
	f := start(t, testConfig(store.Memory))
	for _, row := range []struct {
		target string
		header string
		status int
	}{
		{"/bkt/k?legal-hold", "", 501},
		{"/bkt?cors", "", 501},
		{"/", "", 405},
		{"/BAD_NAME", "", 400},
		{"/none/c", "x-amz-copy-source: bkt/k", 404},
	} {
		w := f.dial(t)
		c := call{method: "PUT", target: row.target, body: letters(100_000), header: []string{"Expect: 100-continue"}}
		if row.header != "" {
			c.header = append(c.header, row.header)
		}
		head, _ := c.bytes(f.addr)
		w.write(head)
		line, err := w.in.Peek(12)
		if err != nil || string(line) == "HTTP/1.1 100" {
			t.Errorf("%s: unexpected reply %q (%v)", row.target, line, err)
			continue
		}
		r, err := w.read("PUT")
		if err != nil {
			t.Errorf("%s: cannot read the reply: %v", row.target, err)
			continue
		}
		r.check(row.status)
	}
}

// TestH08ErrorDocumentOfAnyKey: the document must parse whatever bytes the
// request named; strict XML readers refuse references to control characters.
func TestH08ErrorDocumentOfAnyKey(t *testing.T) {
	f := start(t, testConfig(store.Memory))
	for c := 0; c < 256; c++ {
		f.do(t, "GET", "/bkt/"+escape(string([]byte{'k', byte(c)})), "").wantError(404, "NoSuchKey")
		f.do(t, "GET", "/bkt/k?uploadId="+escape(string([]byte{'k', byte(c)})), "").wantError(404, "NoSuchUpload")
		f.do(t, "GET", "/bkt?max-keys="+escape(string([]byte{'k', byte(c)})), "").wantError(400, "InvalidArgument")
	}
	for _, key := range []string{"\uFFFE", "\uFFFF", "\uFFFD", "\U0001F600", "\xed\xa0\x80"} {
		f.do(t, "GET", "/bkt/"+escape(key), "").wantError(404, "NoSuchKey")
	}
}

// TestH02PausedClient: a client that stops in the middle of a refused body to
// look for a reply gets it soon, not when it sends the rest.
func TestH02PausedClient(t *testing.T) {
	f := start(t, testConfig(store.Memory))
	w := f.dial(t)
	head, body := call{method: "PUT", target: "/none/k", body: letters(1 << 20)}.bytes(f.addr)
	w.write(head, body[:100_000])
	r, err := w.read("PUT")
	if err != nil {
		t.Fatalf("cannot read the reply: %v", err)
	}
	r.wantError(404, "NoSuchBucket")
}
