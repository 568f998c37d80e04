package server

import (
	"errors"
	"io"
	"net"
	"time"

	"github.com/valyala/fasthttp"
)

// drainTime bounds how long an unread body is read away after its request
// was refused. 5 GiB, the largest body S3 allows, takes loopback a few
// seconds; a client that trickles loses its connection instead.
const drainTime = 60 * time.Second

// drainIdle is how long a drain waits for the next bytes: a client that stops
// in the middle of its body is looking for the reply.
const drainIdle = time.Second

// fail writes the error reply of err: the only place that does.
func (r *request) fail(err error) {
	e := toAPIError(err)
	resp := &r.ctx.Response
	resp.ResetBody()
	r.body = nil
	resp.Header.Reset()
	resp.Header.SetNoDefaultContentType(true)
	resp.SetStatusCode(e.Status)
	r.setRequestID()
	if e.Status == 304 {
		r.setNotModifiedHeaders()
		return
	}
	r.account.code = e.Code
	r.srv.metrics.reject(e.Code)
	r.srv.log.write(r, e)
	for _, f := range e.Fields {
		// RFC 9110 section 14.4: a 416 tells the length.
		if e.Status == 416 && f.Name == "ActualObjectSize" {
			resp.Header.Set("Content-Range", "bytes */"+f.Value)
		}
	}
	for _, h := range e.header {
		resp.Header.Set(h.Name, h.Value)
	}
	resp.Header.SetContentType("application/xml")
	if r.method == "HEAD" {
		return
	}
	resp.SetBodyRaw(r.appendErrorXML(nil, e))
}

func (r *request) appendErrorXML(dst []byte, e *apiError) []byte {
	dst = append(dst, xmlHeader...)
	dst = append(dst, "<Error>"...)
	dst = appendElement(dst, "Code", e.Code)
	dst = appendElement(dst, "Message", e.Message)
	for _, f := range e.Fields {
		dst = appendElement(dst, f.Name, xmlSafe(f.Value))
	}
	if e.Code == errNoSuchKey.Code {
		dst = appendElement(dst, "Key", xmlSafe(string(r.target.key)))
	}
	dst = appendElement(dst, "Resource", xmlSafe(string(r.target.path)))
	dst = appendElement(dst, "RequestId", string(r.id[:]))
	dst = appendElement(dst, "HostId", "s3ultra")
	return append(dst, "</Error>"...)
}

func (r *request) setRequestID() {
	r.ctx.Response.Header.SetCanonical(nameRequestID, r.id[:])
}

// drain reads what the handler left of the request's body, so that the reply
// is seen: a connection closed over unread bytes is reset, and the reset can
// overtake the reply in the client's receive queue.
func (r *request) drain() {
	body := r.ctx.RequestBodyStream()
	if body == nil {
		return
	}
	buf := discardSpace
	if _, ok := r.ctx.Conn().(*conn); !ok || len(buf) == 0 {
		scratch := receiveBuffers.get()
		defer receiveBuffers.put(scratch)
		buf = *scratch
	}
	for end := time.Now().Add(drainTime); ; {
		n, err := body.Read(buf)
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil || n == 0 || time.Now().After(end) {
			break
		}
		if r.ctx.SetReadDeadline(time.Now().Add(drainIdle)) != nil {
			break
		}
	}
	r.ctx.SetConnectionClose()
	lingerAfter(r.ctx)
}

// httpError answers a request that fasthttp could not parse.
func (s *Server) httpError(ctx *fasthttp.RequestCtx, err error) {
	r := s.requests.Get().(*request)
	r.reset(s, ctx, time.Now())
	r.target = target{path: append([]byte(nil), ctx.Request.Header.RequestURI()...)}
	e := errBadRequest
	var small *fasthttp.ErrSmallBuffer
	var netErr *net.OpError
	switch {
	case errors.As(err, &small):
		e = errRequestHeaderSectionTooLarge
	case errors.As(err, &netErr) && netErr.Timeout():
		e = errRequestTimeout
	case errors.Is(err, fasthttp.ErrorInvalidURI):
		e = errInvalidURI
	}
	r.begin()
	r.fail(e.because(err))
	// All that a client sent whose time is over has been read, and it would
	// gain a minute.
	if e != errRequestTimeout {
		lingerAfter(ctx)
	}
	r.replied()
	r.release()
	s.requests.Put(r)
}
