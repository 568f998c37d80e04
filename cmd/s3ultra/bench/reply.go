package bench

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// statusError is a complete reply with another status than expected.
type statusError struct {
	status int
	text   string // the S3 error code, or what else the body begins with
}

func (e *statusError) Error() string {
	if e.text == "" {
		return fmt.Sprintf("the server answered %d", e.status)
	}
	return fmt.Sprintf("the server answered %d %s", e.status, e.text)
}

var (
	errLength    = errors.New("the reply's length is wrong")
	errMalformed = errors.New("the reply is not HTTP/1.1")
)

// replyHead is what of a reply's header block matters here.
type replyHead struct {
	status  int
	length  int64 // Content-Length, -1 without
	chunked bool
	close   bool
}

var (
	headEnd              = []byte("\r\n\r\n")
	lineEnd              = []byte("\r\n")
	nameLength           = []byte("content-length")
	nameTransferEncoding = []byte("transfer-encoding")
	nameConnection       = []byte("connection")
	valueChunked         = []byte("chunked")
	valueClose           = []byte("close")
	protocol             = []byte("HTTP/1.")
)

// parseReplyHead parses a header block, without the empty line. Error: errMalformed.
func parseReplyHead(block []byte) (replyHead, error) {
	h := replyHead{length: -1}
	line, rest, _ := bytes.Cut(block, lineEnd)
	// HTTP/1.1 200 OK
	if len(line) < len("HTTP/1.1 200") || !bytes.HasPrefix(line, protocol) {
		return h, errMalformed
	}
	h.close = line[len("HTTP/1.")] == '0'
	for _, c := range line[len("HTTP/1.1 "):][:3] {
		if c < '0' || c > '9' {
			return h, errMalformed
		}
		h.status = 10*h.status + int(c-'0')
	}
	for len(rest) > 0 {
		line, rest, _ = bytes.Cut(rest, lineEnd)
		colon := bytes.IndexByte(line, ':')
		// The lengths are looked at first: nearly every line ends there.
		switch colon {
		case len(nameLength):
			if bytes.EqualFold(line[:colon], nameLength) {
				n, err := strconv.ParseUint(string(bytes.TrimSpace(line[colon+1:])), 10, 63)
				if err != nil {
					return h, errMalformed
				}
				h.length = int64(n)
			}
		case len(nameTransferEncoding):
			if bytes.EqualFold(line[:colon], nameTransferEncoding) {
				h.chunked = bytes.EqualFold(bytes.TrimSpace(line[colon+1:]), valueChunked)
			}
		case len(nameConnection):
			if bytes.EqualFold(line[:colon], nameConnection) && bytes.EqualFold(bytes.TrimSpace(line[colon+1:]), valueClose) {
				h.close = true
			}
		}
	}
	return h, nil
}

// reply reads the reply to x and checks its status and length.
func (w *wire) reply(x *exchange) error {
	h, rest, err := w.readHead()
	if err != nil {
		return err
	}
	if h.status != x.status {
		return w.refusal(h, rest, x.head)
	}
	if x.head || h.status == 204 || h.status == 304 {
		if len(rest) > 0 || x.length >= 0 && h.length != x.length {
			return fmt.Errorf("%w: Content-Length %d, want %d", errLength, h.length, x.length)
		}
	} else {
		n, err := w.readBody(h, rest)
		if err != nil {
			return err
		}
		if x.length >= 0 && n != x.length {
			return fmt.Errorf("%w: got %d bytes, want %d", errLength, n, x.length)
		}
	}
	if h.close {
		w.close()
	}
	return nil
}

// readHead reads the header block of the final reply and returns, as part of
// w.buf, what of the body came with it.
func (w *wire) readHead() (replyHead, []byte, error) {
	filled := 0
	for {
		end := bytes.Index(w.buf[:filled], headEnd)
		if end >= 0 {
			h, err := parseReplyHead(w.buf[:end])
			after := end + len(headEnd)
			if err != nil || h.status >= 200 {
				return h, w.buf[after:filled], err
			}
			// 100 Continue and the like announce another reply.
			filled = copy(w.buf[:], w.buf[after:filled])
			continue
		}
		if filled == len(w.buf) {
			return replyHead{}, nil, fmt.Errorf("%w: no end of its headers in %d bytes", errMalformed, filled)
		}
		n, err := w.conn.Read(w.buf[filled:])
		filled += n
		if err != nil && n == 0 {
			return replyHead{}, nil, fmt.Errorf("cannot read the reply: %w", unexpectedEOF(err))
		}
	}
}

// readBody reads the rest of a body, of which rest has arrived, and returns
// its length.
func (w *wire) readBody(h replyHead, rest []byte) (int64, error) {
	if h.chunked {
		return w.readChunks(rest)
	}
	if h.length < 0 {
		return 0, fmt.Errorf("%w: it has no length", errLength)
	}
	if int64(len(rest)) > h.length {
		return 0, fmt.Errorf("%w: %d bytes more than its Content-Length", errLength, int64(len(rest))-h.length)
	}
	w.take(rest)
	return h.length, w.skip(h.length - int64(len(rest)))
}

// readChunks reads a chunked body (RFC 9112 section 7.1): some servers send
// lists that way. It is not made to be fast.
func (w *wire) readChunks(rest []byte) (int64, error) {
	r := bufio.NewReaderSize(io.MultiReader(bytes.NewReader(bytes.Clone(rest)), w.conn), blockSize)
	var total int64
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return total, fmt.Errorf("cannot read the reply: %w", unexpectedEOF(err))
		}
		digits, _, _ := bytes.Cut(bytes.TrimRight(line, "\r\n"), []byte(";"))
		size, err := strconv.ParseInt(string(bytes.TrimSpace(digits)), 16, 63)
		if err != nil || size < 0 {
			return total, fmt.Errorf("%w: bad chunk size %q", errMalformed, digits)
		}
		if size == 0 {
			break
		}
		if w.keep {
			start := len(w.body)
			w.body = append(w.body, make([]byte, size)...)
			_, err = io.ReadFull(r, w.body[start:])
		} else {
			_, err = r.Discard(int(size))
		}
		if err == nil {
			_, err = r.Discard(len(lineEnd))
		}
		if err != nil {
			return total, fmt.Errorf("cannot read the reply: %w", unexpectedEOF(err))
		}
		total += size
	}
	// Trailer fields, up to an empty line.
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return total, fmt.Errorf("cannot read the reply: %w", unexpectedEOF(err))
		}
		if len(bytes.TrimRight(line, "\r\n")) == 0 {
			return total, nil
		}
	}
}

// maxRefusal bounds what is read of an error's body, for its text only.
const maxRefusal = 4 << 10

// refusal returns the statusError of a reply.
func (w *wire) refusal(h replyHead, rest []byte, head bool) error {
	e := &statusError{status: h.status}
	if head || h.chunked {
		return e
	}
	body := bytes.Clone(rest)
	if more := min(h.length, maxRefusal) - int64(len(body)); more > 0 {
		tail := make([]byte, more)
		// Whatever arrives is good enough for a message.
		n, _ := io.ReadFull(w.conn, tail)
		body = append(body, tail[:n]...)
	}
	e.text = errorText(body)
	return e
}

// errorText returns the code of an S3 error document, else the beginning of
// body as one line.
func errorText(body []byte) string {
	if code := xmlText(body, "Code"); code != "" {
		return code
	}
	// As much as fits a line of a terminal with what stands before.
	return string(bytes.Join(bytes.Fields(body[:min(len(body), 60)]), []byte(" ")))
}

// xmlText returns the text of the first element called name, "" without one.
func xmlText(doc []byte, name string) string {
	_, after, ok := bytes.Cut(doc, []byte("<"+name+">"))
	text, _, closed := bytes.Cut(after, []byte("</"+name+">"))
	if !ok || !closed {
		return ""
	}
	return string(text)
}
