package bench

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// answering returns the address of a server that reads a request's header
// block, answers with text, and closes the connection.
func answering(t *testing.T, text string) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			for r := bufio.NewReader(conn); ; {
				if line, err := r.ReadString('\n'); err != nil || line == "\r\n" {
					break
				}
			}
			io.WriteString(conn, text)
			conn.Close()
		}
	}()
	return ln.Addr().String()
}

func TestReply(t *testing.T) {
	get := exchange{send: [][]byte{[]byte("GET / HTTP/1.1\r\n\r\n")}, status: 200, length: 5}
	head := get
	head.head = true
	ask := func(x exchange, text string) ([]byte, error) {
		w := &wire{address: answering(t, text)}
		defer w.close()
		if err := w.do(t.Context(), &x); err != nil {
			return nil, err
		}
		w.close()
		return w.fetch(t.Context(), &x)
	}
	good := func(x exchange, body, text string) {
		t.Helper()
		if got, err := ask(x, text); err != nil || string(got) != body {
			t.Errorf("unexpected result of %q; got %q, %v; want %q", text, got, err, body)
		}
	}
	bad := func(x exchange, want error, text string) {
		t.Helper()
		if _, err := ask(x, text); !errors.Is(err, want) {
			t.Errorf("unexpected error of %q; got %v; want %v", text, err, want)
		}
	}
	good(get, "12345", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n12345")
	good(get, "12345", "HTTP/1.1 200\r\nCONTENT-LENGTH:5\r\nConnection: Close\r\n\r\n12345")
	good(get, "12345", "HTTP/1.0 200 OK\r\nServer: x\r\ncontent-length: 5 \r\n\r\n12345")
	good(get, "12345", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n12345")
	good(get, "12345", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\n12\r\n03\r\n345\r\n0\r\nt: v\r\n\r\n")
	good(head, "", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")

	bad(get, errLength, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n1234")
	bad(get, errLength, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n123456")
	bad(get, errLength, "HTTP/1.1 200 OK\r\n\r\n12345")
	bad(get, errLength, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n12\r\n0\r\n\r\n")
	bad(get, io.ErrUnexpectedEOF, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n1234")
	bad(get, io.ErrUnexpectedEOF, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n1234")
	bad(get, io.ErrUnexpectedEOF, "HTTP/1.1 200 OK\r\nContent-Le")
	bad(get, io.ErrUnexpectedEOF, "")
	bad(get, errMalformed, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n")
	bad(get, errMalformed, "HTTP/2.0 200 OK\r\n\r\n")
	bad(get, errMalformed, "HTTP/1.1 2x0 OK\r\n\r\n")
	bad(get, errMalformed, "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n12345")
	bad(get, errMalformed, "HTTP/1.1 200 OK\r\nx: "+strings.Repeat("x", replyBuffer)+"\r\n\r\n")
	bad(head, errLength, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n12345")
	bad(head, errLength, "HTTP/1.1 200 OK\r\n\r\n")

	f := func(want, text string) {
		t.Helper()
		var refused *statusError
		if _, err := ask(get, text); !errors.As(err, &refused) || refused.Error() != want {
			t.Errorf("unexpected error of %q; got %v; want %q", text, err, want)
		}
	}
	f("the server answered 503 SlowDown", "HTTP/1.1 503 x\r\nContent-Length: 46\r\n\r\n<?xml?>\n<Error><Code>SlowDown</Code></Error>  ")
	f("the server answered 404 page not found", "HTTP/1.1 404 Not Found\r\nContent-Length: 15\r\n\r\npage not found\n")
	f("the server answered 500", "HTTP/1.1 500 x\r\n\r\n")
}

// Replies of Go's own server, over TLS as well, and large enough that most of
// the body is dropped.
func TestReplyOfStandardServer(t *testing.T) {
	body := bytes.Repeat([]byte("0123456789"), 100_000)
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/chunked" {
			w.(http.Flusher).Flush()
		}
		w.Write(body)
	})
	plain, secure := httptest.NewServer(handler), httptest.NewTLSServer(handler)
	defer plain.Close()
	defer secure.Close()
	for _, url := range []string{plain.URL, secure.URL} {
		target, err := parseEndpoint(url)
		if err != nil {
			t.Fatal(err)
		}
		if target.tls != nil {
			target.tls.RootCAs = secure.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
		}
		w := target.newWire()
		defer w.close()
		for _, bucket := range []string{"plain", "chunked", "plain"} {
			target.bucket = bucket
			x := target.plain(ask{method: "GET"}, 200, int64(len(body)))
			if err := w.do(t.Context(), &x); err != nil {
				t.Errorf("%s/%s: %v", url, bucket, err)
			}
			got, err := w.fetch(t.Context(), &x)
			if err != nil || !bytes.Equal(got, body) {
				t.Errorf("%s/%s: unexpected body; got %d bytes, %v; want %d", url, bucket, len(got), err, len(body))
			}
		}
	}
}

func TestParseEndpoint(t *testing.T) {
	f := func(url, address, host string, secure bool) {
		t.Helper()
		target, err := parseEndpoint(url)
		if address == "" {
			if err == nil {
				t.Errorf("unexpected target of %q: %q; want an error", url, target.address)
			}
			return
		}
		if err != nil || target.address != address || target.host != host || (target.tls != nil) != secure {
			t.Errorf("unexpected target of %q; got %+v, %v; want %s %s %v", url, target, err, address, host, secure)
		}
	}
	f("http://10.0.0.7:9000", "10.0.0.7:9000", "10.0.0.7:9000", false)
	f("10.0.0.7:9000/", "10.0.0.7:9000", "10.0.0.7:9000", false)
	f("http://[::1]", "[::1]:80", "[::1]", false)
	f("https://store.example", "store.example:443", "store.example", true)
	f("https://store.example:8443/", "store.example:8443", "store.example:8443", true)
	f("ftp://store.example", "", "", false)
	f("http://store.example/bucket", "", "", false)
	f("http://:9000", "", "", false)
	f("", "", "", false)
}
