package sigv4

import (
	"crypto/sha256"
	"hash"
	"io"
	"strconv"
)

// Encoder puts a body into aws-chunked framing, the counterpart of Decoder.
// Reset starts a body; AppendChunk and AppendEnd make it piece by piece, Reader
// makes it from a stream. The zero value is ready for Reset. Not safe for
// concurrent use.
type Encoder struct {
	payload  Payload
	key      pads
	date     [16]byte
	scope    []byte
	previous [64]byte
	text     []byte
	hash     hash.Hash
	sum      [sha256.Size]byte
}

// Reset starts the body of the request g signed last. payload must be the
// streaming kind that was signed; for PayloadStreamingUnsignedTrailer g may be nil.
func (e *Encoder) Reset(g *Signer, payload Payload) {
	e.payload = payload
	if g != nil {
		e.key, e.date, e.previous = g.key.pads, g.date, g.seed
		e.scope = append(e.scope[:0], g.scope...)
	}
	if e.hash == nil {
		e.hash = sha256.New()
	}
}

// AppendChunk appends data, which must not be empty, as one chunk.
func (e *Encoder) AppendChunk(dst, data []byte) []byte {
	dst = e.appendHeader(dst, data)
	dst = append(dst, data...)
	return append(dst, "\r\n"...)
}

func (e *Encoder) appendHeader(dst, data []byte) []byte {
	dst = strconv.AppendUint(dst, uint64(len(data)), 16)
	if e.payload.chunkSigned() {
		sum := sha256.Sum256(data)
		e.text = appendChunkText(e.text, e.date[:], e.scope, &e.previous, sum[:])
		signText(&e.key, e.text, &e.previous)
		dst = append(dst, ";"+chunkSignatureName...)
		dst = append(dst, e.previous[:]...)
	}
	return append(dst, "\r\n"...)
}

// AppendEnd appends the last chunk and, in the trailer kinds, the trailers with
// their signature. The names must be those of the x-amz-trailer header.
func (e *Encoder) AppendEnd(dst []byte, trailer []Field) []byte {
	dst = e.appendHeader(dst, nil)
	if e.payload.hasTrailer() {
		e.hash.Reset()
		for _, f := range trailer {
			n := len(dst)
			dst = append(appendLower(dst, f.Name), ':')
			dst = append(dst, trim(f.Value)...)
			e.hash.Write(dst[n:])
			e.hash.Write(newlineByte)
			dst = append(dst, "\r\n"...)
		}
		if e.payload.chunkSigned() {
			sum := e.hash.Sum(e.sum[:0])
			e.text = appendTrailerText(e.text, e.date[:], e.scope, &e.previous, sum)
			signText(&e.key, e.text, &e.previous)
			dst = append(dst, trailerSignatureName+":"...)
			dst = append(dst, e.previous[:]...)
			dst = append(dst, "\r\n"...)
		}
	}
	return append(dst, "\r\n"...)
}

// EncodedLen returns the Content-Length of size bytes of payload in chunks of
// chunk bytes (> 0), the last one shorter, with the trailers.
func EncodedLen(payload Payload, size, chunk int64, trailer []Field) int64 {
	fixed := int64(len("\r\n"))
	if payload.chunkSigned() {
		fixed += int64(len(";"+chunkSignatureName) + 64)
	}
	one := func(n int64) int64 {
		digits := int64(1)
		for v := n >> 4; v > 0; v >>= 4 {
			digits++
		}
		if n > 0 {
			n += int64(len("\r\n"))
		}
		return digits + fixed + n
	}
	total := size / chunk * one(chunk)
	if rest := size % chunk; rest > 0 {
		total += one(rest)
	}
	total += one(0) + int64(len("\r\n"))
	if payload.hasTrailer() {
		for _, f := range trailer {
			total += int64(len(f.Name) + len(":") + len(trim(f.Value)) + len("\r\n"))
		}
		if payload.chunkSigned() {
			total += int64(len(trailerSignatureName+":") + 64 + len("\r\n"))
		}
	}
	return total
}

// Reader returns the body of everything src holds, in chunks of chunk bytes.
// trailer, which may be nil, is called once after src has ended, so that it can
// return checksums of what went through.
func (e *Encoder) Reader(src io.Reader, chunk int, trailer func() []Field) io.Reader {
	return &encodingReader{e: e, src: src, data: make([]byte, chunk), trailer: trailer}
}

type encodingReader struct {
	e       *Encoder
	src     io.Reader
	data    []byte
	out     []byte // encoded, out[at:] not yet read
	at      int
	trailer func() []Field
	done    bool
}

// Read implements io.Reader.
func (r *encodingReader) Read(p []byte) (int, error) {
	for r.at == len(r.out) {
		if r.done {
			return 0, io.EOF
		}
		n, err := io.ReadFull(r.src, r.data)
		r.out, r.at = r.out[:0], 0
		if n > 0 {
			r.out = r.e.AppendChunk(r.out, r.data[:n])
		}
		switch err {
		case nil:
		case io.EOF, io.ErrUnexpectedEOF:
			var fields []Field
			if r.trailer != nil {
				fields = r.trailer()
			}
			r.out = r.e.AppendEnd(r.out, fields)
			r.done = true
		default:
			return 0, err
		}
	}
	n := copy(p, r.out[r.at:])
	r.at += n
	return n, nil
}
