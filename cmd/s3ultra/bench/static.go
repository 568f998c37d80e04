package bench

import (
	"fmt"
	"net"
	"strconv"

	"github.com/valyala/fasthttp"
)

// The static responder is the floor of small requests: fasthttp, which the
// server is built on, with replies from memory and nothing else. Its requests
// carry no signature and no header but Host, so what a signed request costs
// more to parse counts against the server.

// maxStatic bounds a reply: a page of 1,000 keys of 1,024 bytes is 3 MiB at
// most once percent-encoded.
const maxStatic = 4 << 20

// staticBlock is a request's header block; length is its body's, -1 without.
func staticBlock(method, host string, size, length int64) []byte {
	block := fmt.Sprintf("%s /%d HTTP/1.1\r\nHost: %s\r\n", method, size, host)
	if length >= 0 {
		block += fmt.Sprintf("Content-Length: %d\r\n", length)
	}
	return []byte(block + "\r\n")
}

func staticGet(host string, size int64) exchange {
	return exchange{send: [][]byte{staticBlock("GET", host, size, -1)}, status: 200, length: size, payload: size}
}

func staticHead(host string, size int64) exchange {
	return exchange{send: [][]byte{staticBlock("HEAD", host, size, -1)}, status: 200, length: size, head: true}
}

func staticPut(host string, block []byte, size int64) exchange {
	send := appendBody([][]byte{staticBlock("PUT", host, 0, size)}, block, size)
	return exchange{send: send, status: 200, payload: size}
}

// serveStatic answers /N with N bytes, a HEAD without sending them.
func serveStatic(ln net.Listener) error {
	body := make([]byte, maxStatic)
	fillRandom(body)
	s := &fasthttp.Server{
		NoDefaultServerHeader: true,
		NoDefaultContentType:  true,
		Handler: func(ctx *fasthttp.RequestCtx) {
			n, err := strconv.Atoi(string(ctx.Path()[1:]))
			if err != nil || n < 0 || n > maxStatic {
				ctx.SetStatusCode(fasthttp.StatusNotFound)
				return
			}
			if ctx.IsHead() {
				ctx.Response.SkipBody = true
				ctx.Response.Header.SetContentLength(n)
				return
			}
			// Not copied: less cannot be done.
			ctx.Response.SetBodyRaw(body[:n])
		},
	}
	if err := s.Serve(ln); err != nil {
		return fmt.Errorf("cannot serve: %w", err)
	}
	return nil
}
