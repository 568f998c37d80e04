package server_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/s3ultra/s3ultra/sigv4"
	"github.com/s3ultra/s3ultra/store"
	"github.com/s3ultra/s3ultra/synth"
)

// TestO15AtomicOverwrites: whoever reads a key that others overwrite gets one
// version, whole, with its own ETag and length.
func TestO15AtomicOverwrites(t *testing.T) {
	f := start(t, testConfig(store.Memory))
	versions := map[string]string{} // body by ETag
	var bodies []string
	for i := range 6 {
		body := strings.Repeat(string(rune('a'+i)), 100_000+i*77_777)
		bodies = append(bodies, body)
		versions[`"`+md5Hex(body)+`"`] = body
	}
	f.put(t, "/bkt/k", bodies[0])
	var writers, readers sync.WaitGroup
	stop := make(chan struct{})
	for i := range 3 {
		w := f.dial(t)
		writers.Go(func() {
			for n := range 25 {
				c := call{method: "PUT", target: "/bkt/k", body: bodies[(i+n)%len(bodies)], chunked: i * 50_000}
				w.do(c).check(200)
			}
		})
	}
	for i := range 4 {
		w := f.dial(t)
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				c := call{method: "GET", target: "/bkt/k"}
				if i%2 == 1 {
					c.header = []string{"Range: bytes=90000-"}
				}
				r := w.do(c)
				body := versions[r.etag()]
				if i%2 == 1 {
					body = body[90_000:]
				}
				if r.body != body || body == "" {
					t.Errorf("unexpected body of %d bytes for %s; want %d", len(r.body), r.etag(), len(body))
					return
				}
			}
		})
	}
	writers.Wait()
	close(stop)
	readers.Wait()
}

// TestH12MemoryIsGivenBack: no kind of failed write, finished read or abandoned
// connection keeps memory. The limit has room for one object and a half: a
// leak of any makes the last write fail.
func TestH12MemoryIsGivenBack(t *testing.T) {
	cfg := testConfig(store.Memory)
	cfg.MemoryLimit = 3 << 20
	f := start(t, cfg)
	body := letters(2 << 20)
	unsigned := func(c call) call {
		c.method, c.body = "PUT", body
		if c.target == "" {
			c.target = "/bkt/k"
		}
		return c
	}
	// write stores the object, and so proves that its memory was free.
	write := func(after string) {
		t.Helper()
		// Connections that were closed are noticed a moment later.
		for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
			r := f.send(t, unsigned(call{sha: "UNSIGNED-PAYLOAD"}))
			if r.status == 200 {
				return
			}
			if time.Since(began) > 3*time.Second {
				t.Fatalf("memory is missing after %s: %v", after, r)
			}
		}
	}
	remove := func() {
		t.Helper()
		f.do(t, "DELETE", "/bkt/k", "").want(204)
	}
	write("start")
	remove()
	flip := func(b []byte) []byte { b[len(b)/2] ^= 1; return b }
	for name, c := range map[string]call{
		"a wrong hash":            {tamper: flip},
		"a wrong MD5":             {header: []string{"Content-MD5: " + md5Base64("x")}},
		"a wrong checksum":        {header: []string{"x-amz-checksum-crc32: AAAAAA=="}},
		"a wrong chunk signature": {stream: sigv4.PayloadStreamingSigned, chunk: 65536, tamper: flip},
		"a wrong decoded length":  {stream: sigv4.PayloadStreamingSigned, decoded: "2000000"},
		"a missing trailer":       {stream: sigv4.PayloadStreamingUnsignedTrailer, header: []string{"x-amz-trailer: x-amz-checksum-crc32"}},
		"an outgrown limit":       {chunked: 65536, body: body + body},
	} {
		if name == "an outgrown limit" {
			c.method, c.target = "PUT", "/bkt/k"
			f.send(t, c).wantError(507, "InsufficientStorage")
		} else if r := f.send(t, unsigned(c)); r.status < 400 {
			t.Errorf("%s: unexpected reply %v", name, r)
		}
		write(name)
		remove()
	}
	for _, c := range []call{{sha: "UNSIGNED-PAYLOAD"}, {chunked: 65536}, streamed(streamingKinds[0], "", body, 65536)} {
		w := f.dial(t)
		head, framed := unsigned(c).bytes(f.addr)
		w.write(head, framed[:1<<20])
		w.close()
		write("a truncated body")
		remove()
	}
	write("truncated bodies")
	// Reads of every outcome.
	etag := f.do(t, "HEAD", "/bkt/k", "").etag()
	for _, header := range []string{"If-None-Match: " + etag, "If-Match: x", "Range: bytes=99999999-", "Range: bytes=0-9", "X: y"} {
		f.do(t, "HEAD", "/bkt/k", "", header)
		if !strings.HasPrefix(header, "X") {
			f.do(t, "GET", "/bkt/k", "", header)
		}
		f.do(t, "GET", "/bkt/k?partNumber=7", "", header)
		f.do(t, "GET", "/bkt/k?attributes", "", header)
		f.do(t, "GET", "/bkt/k?acl", "", header)
		f.do(t, "PUT", "/bkt/c", "", "x-amz-copy-source: bkt/k", "x-amz-copy-source-"+strings.ToLower(header))
		f.do(t, "PUT", "/none/c", "", "x-amz-copy-source: bkt/k")
		f.do(t, "PUT", "/bkt/k", "", "x-amz-copy-source: bkt/k")
		f.do(t, "PUT", "/bkt/c", "", "x-amz-copy-source: bkt/k", "x-amz-metadata-directive: x")
		f.do(t, "PUT", "/bkt/c", "", "x-amz-copy-source: bkt/k", "x-amz-checksum-algorithm: SHA256", "If-Match: *")
		f.do(t, "PUT", "/bkt/k", "x", "If-None-Match: *")
		f.do(t, "PUT", "/bkt/k", "x", "If-Match: x")
		f.do(t, "DELETE", "/bkt/k", "", "If-Match: x")
	}
	f.do(t, "DELETE", "/bkt/c", "")
	head, _ := call{method: "GET", target: "/bkt/k"}.bytes(f.addr)
	for range 3 {
		w := f.dial(t)
		w.write(head)
		w.in.Peek(1)
		w.close()
	}
	remove()
	write("reads")
	remove()
	// Uploads.
	id := f.newUpload(t, "/bkt/m")
	part := "/bkt/m?partNumber=1&uploadId=" + id
	f.send(t, unsigned(call{target: part})).want(200)
	f.send(t, unsigned(call{target: part, tamper: flip}))
	f.do(t, "PUT", "/bkt/m?partNumber=2&uploadId="+id, "", "x-amz-copy-source: bkt/none")
	f.complete(t, "/bkt/m", id, []listed{{1, "x", ""}})
	f.complete(t, "/bkt/m", id, []listed{{1, `"` + md5Hex(body) + `"`, ""}}, "If-Match: *").wantError(404, "NoSuchKey")
	f.do(t, "DELETE", "/bkt/m?uploadId="+id, "").want(204)
	write("an aborted upload")
	remove()
	id = f.newUpload(t, "/bkt/k")
	etag = f.send(t, unsigned(call{target: "/bkt/k?partNumber=1&uploadId=" + id})).want(200).etag()
	f.putPart(t, "/bkt/k", id, 2, letters(500_000))
	f.complete(t, "/bkt/k", id, []listed{{1, etag, ""}}).want(200)
	f.complete(t, "/bkt/k", id, []listed{{1, etag, ""}}).want(200)
	f.do(t, "GET", "/bkt/k?partNumber=1", "").wantBody(206, body)
	remove()
	write("a completed upload")
	remove()
	id = f.newUpload(t, "/bkt/m")
	f.send(t, unsigned(call{target: "/bkt/m?partNumber=1&uploadId=" + id})).want(200)
	f.do(t, "DELETE", "/bkt", "").want(204)
	f.do(t, "PUT", "/bkt", "").want(200)
	write("a deleted bucket with an upload")
}

// TestHugeSyntheticObject: sizes and offsets far beyond 32 bits.
func TestHugeSyntheticObject(t *testing.T) {
	f := start(t, testConfig(store.Synth))
	const size = 5 << 40
	if err := f.srv.AddSynthetic("bkt", "huge", size); err != nil {
		t.Fatalf("cannot add an object: %v", err)
	}
	f.do(t, "HEAD", "/bkt/huge", "").want(200).wantHeader(fmt.Sprintf("Content-Length: %d", size))
	if e := f.list(t, "bkt", "list-type=2").Contents[0]; e.Size != size {
		t.Errorf("unexpected size %d", e.Size)
	}
	h := synth.Hash(seed, []byte("bkt"), []byte("huge"))
	for _, first := range []int64{0, 1<<31 - 3, 1<<32 - 3, 1 << 40, size - 10} {
		want := make([]byte, 10)
		synth.Fill(want, h, first)
		f.do(t, "GET", "/bkt/huge", "", fmt.Sprintf("Range: bytes=%d-%d", first, first+9)).wantBody(206, string(want)).
			wantHeader(fmt.Sprintf("Content-Range: bytes %d-%d/%d", first, first+9, size))
	}
	want := make([]byte, 7)
	synth.Fill(want, h, size-7)
	f.do(t, "GET", "/bkt/huge", "", "Range: bytes=-7").wantBody(206, string(want))
	f.do(t, "GET", "/bkt/huge", "", fmt.Sprintf("Range: bytes=%d-", size)).wantError(416, "InvalidRange")
	f.do(t, "PUT", "/bkt/copy", "", "x-amz-copy-source: bkt/huge").wantError(400, "InvalidRequest")
	// Parts of it, up to 5 GiB, are copied without their bytes being made.
	id := f.newUpload(t, "/bkt/m")
	f.do(t, "PUT", "/bkt/m?partNumber=1&uploadId="+id, "", "x-amz-copy-source: bkt/huge").wantError(400, "InvalidRequest")
	etag := f.do(t, "PUT", "/bkt/m?partNumber=1&uploadId="+id, "", "x-amz-copy-source: bkt/huge",
		fmt.Sprintf("x-amz-copy-source-range: bytes=%d-%d", 1<<40, 1<<40+5<<30-1)).want(200).element("ETag")
	f.complete(t, "/bkt/m", id, []listed{{1, etag, ""}}).want(200)
	f.do(t, "HEAD", "/bkt/m", "").want(200).wantHeader(fmt.Sprintf("Content-Length: %d", int64(5)<<30))
	// A client that leaves does not make the server produce the rest.
	for range 5 {
		w := f.dial(t)
		head, _ := call{method: "GET", target: "/bkt/huge"}.bytes(f.addr)
		w.write(head)
		w.in.Peek(1000)
		w.close()
	}
	f.do(t, "GET", "/bkt/huge", "", "Range: bytes=-7").wantBody(206, string(want))
}

// TestTruncatedDocuments: a list that did not arrive whole is not acted upon,
// even if what came is well-formed.
func TestH04TruncatedDocuments(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		f.put(t, "/bkt/k", "x")
		id := f.newUpload(t, "/bkt/m")
		etag := f.putPart(t, "/bkt/m", id, 1, "part")
		for target, body := range map[string]string{
			"/bkt?delete":           deleteBody(false, "k") + strings.Repeat(" ", 100),
			"/bkt/m?uploadId=" + id: completeBody(listed{1, etag, ""}) + strings.Repeat(" ", 100),
			"/late":                 "<CreateBucketConfiguration/>" + strings.Repeat(" ", 100),
		} {
			method := "POST"
			if target == "/late" {
				method = "PUT"
			}
			for _, sha := range []string{"UNSIGNED-PAYLOAD", ""} {
				for _, chunked := range []int{0, 1000} {
					w := f.dial(t)
					head, framed := call{method: method, target: target, body: body, sha: sha, chunked: chunked}.bytes(f.addr)
					w.write(head, framed[:len(framed)-50])
					w.conn.(*net.TCPConn).CloseWrite()
					if r, err := w.read(method); err == nil {
						r.target = target
						r.wantError(400, "IncompleteBody", "MalformedXML", "BadRequest")
					}
					w.close()
				}
			}
		}
		f.wantKeys(t, "bkt", "k")
		f.do(t, "HEAD", "/late", "").wantError(404)
		f.parts(t, "/bkt/m", id, "")
	})
}

// TestFramingOddities: what HTTP/1.1 allows around a body, and HTTP/1.0.
func TestFramingOddities(t *testing.T) {
	cfg := testConfig(store.Memory)
	cfg.Credentials = nil
	f := start(t, cfg)
	host := "Host: " + f.addr + "\r\n"
	exchange := func(request string, method string) (*reply, *wire) {
		t.Helper()
		w := f.dial(t)
		w.write([]byte(request))
		r, err := w.read(method)
		if err != nil {
			t.Fatalf("cannot read the reply to %.100q: %v", request, err)
		}
		r.target = request
		return r, w
	}
	get := func(w *wire, want string) {
		t.Helper()
		w.do(call{method: "GET", target: "/bkt/k", anonymous: true}).wantBody(200, want)
	}
	r, w := exchange("PUT /bkt/k HTTP/1.1\r\n"+host+"Transfer-Encoding: chunked\r\n\r\n5;ext=1;b=\"x\"\r\nhello\r\n000\r\nX-Trailer: t\r\n\r\n", "PUT")
	r.want(200)
	get(w, "hello")
	r, w = exchange("PUT /bkt/k HTTP/1.1\r\n"+host+"transfer-encoding: CHUNKED\r\n\r\nA\r\n0123456789\r\n0\r\n\r\n", "PUT")
	r.want(200)
	get(w, "0123456789")
	r, w = exchange("PUT /bkt/k HTTP/1.1\r\n"+host+"content-length:5\r\n\r\nlower", "PUT")
	r.want(200)
	get(w, "lower")
	r, _ = exchange("GET /bkt/k HTTP/1.0\r\n\r\n", "GET")
	r.wantBody(200, "lower").wantHeader("Content-Length: 5")
	r, _ = exchange("GET /bkt/k HTTP/1.1\r\n"+host+"Connection: close\r\n\r\n", "GET")
	r.wantBody(200, "lower")
	if !r.closes {
		t.Errorf("Connection: close was not answered")
	}
	// Two lengths are the tools of request smuggling (RFC 9112, 6.3): refuse
	// the request, or go by the chunks and close.
	smuggled := "GET /bkt/k HTTP/1.1\r\n" + host + "\r\n"
	for _, lengths := range []string{
		"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
		"Transfer-Encoding: chunked\r\nContent-Length: 500\r\n",
		"Content-Length: 5\r\nContent-Length: 6\r\n",
		"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
		"Transfer-Encoding: xchunked\r\nContent-Length: 5\r\n",
		"Transfer-Encoding: chunked, gzip\r\n",
		"Content-Length: 5, 6\r\n",
		"Content-Length: +5\r\n",
	} {
		w := f.dial(t)
		w.write([]byte("PUT /bkt/smuggle HTTP/1.1\r\n" + host + lengths + "\r\n0\r\n\r\n" + smuggled))
		first, err := w.read("PUT")
		if err != nil {
			continue // closed at once: refused
		}
		if first.status < 400 && !first.closes {
			t.Errorf("%q: unexpected reply, the connection stays open: %v", lengths, first)
		}
		if second, err := w.read("GET"); err == nil && first.closes {
			t.Errorf("%q: a second reply came after the connection was said to close: %v", lengths, second)
		}
		w.close()
	}
}

// TestMetadataOfAnyByte: values go out as they came in.
func TestMetadataOfAnyByte(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		f.put(t, "/bkt/k", "x", "x-amz-meta-raw: \xc3\xa9", "x-amz-meta-colon: a:b: c")
		f.do(t, "HEAD", "/bkt/k", "").want(200).wantHeader("x-amz-meta-raw: \xc3\xa9", "x-amz-meta-colon: a:b: c")
	})
}

// TestMutatedRequests throws broken requests at the server: it must go on
// serving. The seed is printed.
func TestMutatedRequests(t *testing.T) {
	source := uint64(time.Now().UnixNano())
	t.Logf("seed %d", source)
	mutate(t, source, 400)
}

func mutate(t *testing.T, source uint64, rounds int) {
	rnd := rand.New(rand.NewPCG(source, 4))
	cfg := testConfig(store.Memory)
	cfg.Credentials = nil
	cfg.MemoryLimit = 64 << 20
	f := start(t, cfg)
	f.put(t, "/bkt/k", "hello")
	id := f.newUpload(t, "/bkt/m")
	var originals [][]byte
	for _, c := range []call{
		{method: "GET", target: "/bkt/k?response-content-type=x", header: []string{"Range: bytes=0-1", "If-Match: *", "x-amz-checksum-mode: ENABLED"}},
		{method: "PUT", target: "/bkt/a%20b?x-id=PutObject", body: "hello", header: []string{"Expect: 100-continue", "Content-MD5: " + md5Base64("hello"), "x-amz-meta-a: b"}},
		streamed(streamingKinds[0], "/bkt/s", "hello world", 3),
		streamed(streamingKinds[1], "/bkt/s", "hello world", 3),
		streamed(streamingKinds[2], "/bkt/s", "hello world", 3),
		{method: "PUT", target: "/bkt/c", body: "hello", chunked: 2},
		{method: "PUT", target: "/bkt/c", header: []string{"x-amz-copy-source: /bkt/k?versionId=null", "x-amz-metadata-directive: REPLACE"}},
		{method: "PUT", target: "/bkt/m?partNumber=1&uploadId=" + id, body: "part", header: []string{"x-amz-checksum-crc32: NhCmhg==", "Expect: 100-continue"}},
		{method: "PUT", target: "/bkt/m?partNumber=1&uploadId=" + id, header: []string{"x-amz-copy-source: bkt/k", "x-amz-copy-source-range: bytes=0-1"}},
		{method: "POST", target: "/bkt/m?uploadId=" + id, body: completeBody(listed{1, "x", ""})},
		{method: "POST", target: "/bkt?delete", body: deleteBody(true, "x", "y")},
		{method: "GET", target: "/bkt?list-type=2&prefix=a&delimiter=%2F&continuation-token=1YQ&max-keys=3&encoding-type=url"},
		{method: "GET", target: "/bkt?uploads&key-marker=m&upload-id-marker=x&delimiter=%2F"},
		{method: "GET", target: "/bkt/k?attributes", header: []string{"x-amz-object-attributes: ETag,ObjectParts", "x-amz-max-parts: 3"}},
		{method: "PUT", target: "/new", body: "<CreateBucketConfiguration/>"},
		{method: "PUT", target: "/bkt?versioning", body: "<VersioningConfiguration><Status>Suspended</Status></VersioningConfiguration>"},
		{method: "HEAD", target: "/bkt/k?partNumber=1"},
		{method: "GET", target: presigned(f, "GET", "/bkt/k", time.Now(), time.Hour), anonymous: true},
		{method: "POST", target: "/bkt", header: []string{"Content-Type: multipart/form-data; boundary=b"},
			body: "--b\r\nContent-Disposition: form-data; name=\"key\"\r\n\r\nk\r\n--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\nhello\r\n--b--\r\n"},
	} {
		head, body := c.bytes(f.addr)
		originals = append(originals, append(head, body...))
	}
	tokens := []string{"\r\n", "\x00", "%", "%00", "%zz", "9223372036854775807", "-1", "99999999999999999999", "\n", ":", ";", "=", "&", "?", "/", "..", "\"", ",", "*", " ", "\t",
		strings.Repeat("A", 2000), "\xff", "bytes=", "0-0", "chunked", "Expect: 100-continue\r\n", "Content-Length: 3\r\n", "&delete", "&uploads", "null", "2026"}
	for range rounds {
		b := bytes.Clone(originals[rnd.IntN(len(originals))])
		for range 1 + rnd.IntN(3) {
			at := rnd.IntN(len(b))
			switch rnd.IntN(5) {
			case 0:
				b[at] = byte(rnd.IntN(256))
			case 1:
				b = append(b[:at:at], b[min(len(b), at+1+rnd.IntN(20)):]...)
			case 2:
				b = append(b[:at:at], append([]byte(tokens[rnd.IntN(len(tokens))]), b[at:]...)...)
			case 3:
				end := min(len(b), at+rnd.IntN(60))
				b = append(b[:end:end], b[at:]...)
			case 4:
				b = b[:at+1]
			}
			if len(b) == 0 {
				break
			}
		}
		conn, err := net.Dial("tcp", f.addr)
		if err != nil {
			t.Fatalf("the server has gone after %q: %v", b, err)
		}
		conn.SetDeadline(time.Now().Add(patience))
		conn.Write(b)
		conn.(*net.TCPConn).CloseWrite()
		answer := make([]byte, 64<<10)
		n, err := conn.Read(answer)
		if isTimeout(err) {
			t.Errorf("no answer and no end to %q", b)
		}
		if bytes.Contains(answer[:n], []byte("InternalError")) || bytes.HasPrefix(answer[:n], []byte("HTTP/1.1 500")) {
			t.Errorf("unexpected answer %q to %q", answer[:n], b)
		}
		conn.Close()
	}
	f.send(t, call{method: "GET", target: "/_s3ultra/health", anonymous: true}).want(200)
}

// TestStress does everything at once on a few keys: no reply is a server error.
func TestStress(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		var wg sync.WaitGroup
		for worker := range 6 {
			w := f.dial(t)
			rnd := rand.New(rand.NewPCG(uint64(worker), 5))
			wg.Go(func() {
				do := func(c call) *reply {
					r := w.do(c)
					if r.status >= 500 {
						t.Errorf("unexpected reply %v", r)
					}
					return r
				}
				for range 80 {
					key := fmt.Sprintf("/bkt/k%d", rnd.IntN(3))
					body := letters(rnd.IntN(3 * keepSmall))
					switch rnd.IntN(9) {
					case 0, 1:
						do(call{method: "PUT", target: key, body: body})
					case 2:
						do(call{method: "GET", target: key})
					case 3:
						do(call{method: "DELETE", target: key})
					case 4:
						do(call{method: "GET", target: "/bkt?list-type=2&delimiter=k"})
					case 5:
						do(call{method: "PUT", target: key, header: []string{"x-amz-copy-source: bkt/k1", "x-amz-metadata-directive: REPLACE"}})
					case 6:
						r := do(call{method: "POST", target: key + "?uploads"})
						id := r.element("UploadId")
						etag := do(call{method: "PUT", target: key + "?partNumber=1&uploadId=" + id, body: body}).header.Get("ETag")
						do(call{method: "GET", target: "/bkt?uploads"})
						if rnd.IntN(2) == 0 {
							do(call{method: "DELETE", target: key + "?uploadId=" + id})
						}
						do(call{method: "POST", target: key + "?uploadId=" + id, body: completeBody(listed{1, etag, ""})})
					case 7:
						do(call{method: "POST", target: "/bkt?delete", body: deleteBody(false, "k0", "k1", "none")})
					case 8:
						do(call{method: "DELETE", target: "/bkt"})
						do(call{method: "PUT", target: "/bkt"})
					}
				}
			})
		}
		wg.Wait()
		f.do(t, "PUT", "/bkt", "").want(200)
	})
}

// TestRepeatedMetadataLines: metadata that comes in several lines is one list
// (RFC 9110, 5.3), as AWS keeps it.
func TestRepeatedMetadataLines(t *testing.T) {
	f := start(t, testConfig(store.Memory))
	f.put(t, "/bkt/k", "x", "x-amz-meta-two: 1", "x-amz-meta-two: 2", "Cache-Control: a", "Cache-Control: b")
	r := f.do(t, "HEAD", "/bkt/k", "").want(200)
	if got := strings.ReplaceAll(strings.Join(r.header.Values("x-amz-meta-two"), ","), " ", ""); got != "1,2" {
		t.Errorf("unexpected metadata; got %q; want 1,2", got)
	}
	if got := strings.ReplaceAll(strings.Join(r.header.Values("Cache-Control"), ","), " ", ""); got != "a,b" {
		t.Errorf("unexpected Cache-Control; got %q; want a,b", got)
	}
}

// TestRepeatedConditions: a list of entity tags in two lines is one list.
func TestRepeatedConditions(t *testing.T) {
	f := start(t, testConfig(store.Memory))
	etag := f.put(t, "/bkt/k", "x").etag()
	f.do(t, "GET", "/bkt/k", "", "If-None-Match: abc", "If-None-Match: "+etag).wantError(304)
	f.do(t, "GET", "/bkt/k", "", "If-Match: abc", "If-Match: "+etag).wantBody(200, "x")
}
