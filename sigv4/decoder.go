package sigv4

import (
	"bytes"
	"crypto/sha256"
	"hash"
	"io"
	"math"
)

const (
	// maxChunkLine bounds a chunk header. A signed one has at most 16 digits and
	// 81 bytes of signature (161 in SigV4A); the rest is room for extensions of
	// unsigned chunks, which no known client sends.
	maxChunkLine = 512
	// maxTrailer bounds the trailer section. One checksum and a signature take
	// about 160 bytes; HTTP servers commonly allow 8 KiB of headers.
	maxTrailer = 8 << 10
	// maxTrailers bounds the number of trailer fields; AWS knows ten names.
	maxTrailers = 16
	// maxEmptyReads is how often a source may return nothing before it is
	// taken for broken; bufio uses the same number.
	maxEmptyReads = 100

	// MinBuffer is the least len(buf) Decoder.Reset accepts: a chunk header and
	// a trailer section of usual size must fit. Use 64 KiB and more for speed.
	MinBuffer = 2 * maxChunkLine
)

// Prefixes of the strings to sign ("sigv4-streaming", "sigv4-streaming-trailers").
const (
	chunkAlgorithm   = algorithm + "-PAYLOAD\n"
	trailerAlgorithm = algorithm + "-TRAILER\n"

	chunkSignatureName   = "chunk-signature="
	trailerSignatureName = "x-amz-trailer-signature"
)

// decoderState is what the decoder expects next.
type decoderState uint8

const (
	expectHeader decoderState = iota
	expectData
	expectDataEnd // CR LF after a chunk's data
	expectTrailer // everything after the header of the last chunk
	expectNothing
)

// Decoder takes the aws-chunked framing off a body and checks it: chunk
// signatures as each chunk ends, trailers and their signature at the end. The
// payload is never copied: it is read from the source into the caller's buffer
// and handed out from there.
//
// A Decoder is reused by Reset; the zero value is ready for it. It is not safe
// for concurrent use.
type Decoder struct {
	src     io.Reader
	buf     []byte
	r, w    int // buf[r:w] was read and not yet consumed
	state   decoderState
	payload Payload
	err     error
	late    error // the source's, that came together with data

	left  int64 // payload of the current chunk not yet handed out
	total int64 // payload announced by the chunk headers so far
	want  int64 // x-amz-decoded-content-length, or -1

	key       *pads // nil: nothing is verified
	date      [16]byte
	scope     []byte // belongs to the Auth
	announced []byte // belongs to the Auth
	previous  [64]byte
	claimed   [64]byte  // signature in the current chunk's header
	hash      hash.Hash // the caller's, of Reset
	sum       [sha256.Size]byte
	text      []byte // string to sign

	fields [maxTrailers]Field
	count  int
}

// Reset prepares d for one body. src must end (io.EOF) where the HTTP body ends.
// a is the outcome of Verify for the request; d reads it until the body is done,
// so it must not be reset meanwhile. decodedLength is the value of
// x-amz-decoded-content-length in bytes, -1 if there is none. buf, of at least
// MinBuffer bytes, belongs to the decoder until the next Reset; its size is the
// largest read and the largest piece Next returns. digest, a SHA-256 in whatever
// state, belongs to the decoder as buf does: it hashes the chunks that are
// signed. Where it is nil, or a has no signed chunks (ChunksSigned), signatures
// are not looked at, the framing is.
//
// A payload kind without framing (Streaming() false) gives ErrMalformedChunk at
// the first Next.
func (d *Decoder) Reset(src io.Reader, a *Auth, decodedLength int64, buf []byte, digest hash.Hash) {
	d.src, d.buf, d.r, d.w = src, buf, 0, 0
	d.state, d.payload, d.err, d.late = expectHeader, a.Payload, nil, nil
	d.left, d.total, d.want = 0, 0, decodedLength
	d.scope, d.announced, d.count = a.scope, a.trailers, 0
	d.date, d.previous = a.date, a.seed
	d.key, d.hash = nil, digest
	if !a.Payload.Streaming() || len(buf) < MinBuffer {
		d.err = ErrMalformedChunk
	}
	if digest != nil && a.ChunksSigned() {
		d.key = &a.key.pads
	}
}

// Next returns the next piece of payload, never empty: a slice of buf that is
// valid until the next call. Pieces end where a chunk or a read ends. The piece
// that completes a chunk is returned only if the chunk's signature is right.
// After the last chunk and its trailers were checked it returns io.EOF.
//
// Errors: ErrMalformedChunk, ErrChunkSignature, ErrTrailerMalformed,
// ErrTrailerSignature, ErrDecodedLength, io.ErrUnexpectedEOF for a body that
// ends early, and the source's own. An error is final.
func (d *Decoder) Next() ([]byte, error) {
	if d.err != nil {
		return nil, d.err
	}
	p, err := d.next()
	if err != nil {
		d.err = err
	}
	return p, err
}

// Trailer returns the trailer fields without the signature, names in lower case,
// values trimmed. Valid after Next returned io.EOF, until the next Reset.
func (d *Decoder) Trailer() []Field { return d.fields[:d.count] }

// Skippable returns how many bytes of payload the source must deliver before
// anything else, if the decoder need not see them: none is buffered and nothing
// is verified. A server that drops bodies may take up to that many from the
// source by its own means and then report them with Skipped.
func (d *Decoder) Skippable() int64 {
	if d.err == nil && d.state == expectData && d.r == d.w && d.key == nil {
		return d.left
	}
	return 0
}

// Skipped tells the decoder that n bytes, at most Skippable(), of payload were
// taken from the source.
func (d *Decoder) Skipped(n int64) {
	d.left -= min(n, d.Skippable())
	if d.state == expectData && d.left == 0 {
		d.state = expectDataEnd
	}
}

func (d *Decoder) next() ([]byte, error) {
	for {
		switch d.state {
		case expectHeader:
			if err := d.readHeader(); err != nil {
				return nil, err
			}
		case expectData:
			if d.r == d.w {
				if err := d.more(); err != nil {
					return nil, err
				}
				continue
			}
			n := int(min(int64(d.w-d.r), d.left))
			p := d.buf[d.r : d.r+n : d.r+n]
			d.r += n
			d.left -= int64(n)
			if d.key != nil {
				d.hash.Write(p)
			}
			if d.left == 0 {
				if err := d.endChunk(); err != nil {
					return nil, err
				}
				d.state = expectDataEnd
			}
			return p, nil
		case expectDataEnd:
			if d.w-d.r < 2 {
				if err := d.more(); err != nil {
					return nil, err
				}
				continue
			}
			if d.buf[d.r] != '\r' || d.buf[d.r+1] != '\n' {
				return nil, ErrMalformedChunk
			}
			d.r += 2
			d.state = expectHeader
		case expectTrailer:
			if err := d.readTrailer(); err != nil {
				return nil, err
			}
			if d.want >= 0 && d.total != d.want {
				return nil, ErrDecodedLength
			}
			d.state = expectNothing
		default:
			return nil, io.EOF
		}
	}
}

// more is fill where the body cannot end.
func (d *Decoder) more() error {
	err := d.fill()
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// fill moves the unconsumed bytes, at most a partial line, to the front and
// reads once behind them. It returns the source's error only if no data came.
func (d *Decoder) fill() error {
	if d.r > 0 {
		d.w = copy(d.buf, d.buf[d.r:d.w])
		d.r = 0
	}
	n, err := 0, d.late
	for empty := 0; n == 0 && err == nil; empty++ {
		if empty == maxEmptyReads {
			return io.ErrNoProgress
		}
		n, err = d.src.Read(d.buf[d.w:])
	}
	d.w += n
	if n > 0 {
		d.late = err
		return nil
	}
	return err
}

// readHeader reads one chunk header: SIZE[;chunk-signature=HEX] CR LF.
func (d *Decoder) readHeader() error {
	var line []byte
	for {
		seen := d.buf[d.r:min(d.w, d.r+maxChunkLine)]
		if i := bytes.IndexByte(seen, '\n'); i >= 0 {
			line = seen[:i]
			d.r += i + 1
			break
		}
		if len(seen) == maxChunkLine {
			return ErrMalformedChunk
		}
		if err := d.more(); err != nil {
			return err
		}
	}
	if len(line) == 0 || line[len(line)-1] != '\r' {
		return ErrMalformedChunk
	}
	line = line[:len(line)-1]

	size, digits := int64(0), 0
	for ; digits < len(line) && unhex[line[digits]] <= 0x0f; digits++ {
		if size > math.MaxInt64>>4 {
			return ErrMalformedChunk
		}
		size = size<<4 | int64(unhex[line[digits]])
	}
	if digits == 0 || size > math.MaxInt64-d.total {
		return ErrMalformedChunk
	}
	extension := line[digits:]
	if d.key != nil {
		// The signature is the one extension of a signed chunk.
		const prefix = ";" + chunkSignatureName
		if len(extension) != len(prefix)+len(d.claimed) || string(extension[:len(prefix)]) != prefix {
			return ErrMalformedChunk
		}
		copy(d.claimed[:], extension[len(prefix):])
		d.hash.Reset()
	} else if extension = trim(extension); len(extension) > 0 && extension[0] != ';' {
		return ErrMalformedChunk
	}
	if d.want >= 0 && size > d.want-d.total {
		return ErrDecodedLength
	}
	d.total += size
	d.left = size
	d.state = expectData
	if size == 0 {
		d.state = expectTrailer
		return d.endChunk()
	}
	return nil
}

// endChunk checks the signature of a complete chunk.
func (d *Decoder) endChunk() error {
	if d.key == nil {
		return nil
	}
	sum := d.hash.Sum(d.sum[:0])
	var want [64]byte
	d.text = appendChunkText(d.text, d.date[:], d.scope, &d.previous, sum)
	signText(d.key, d.text, &want)
	if !equalHex(d.claimed[:], &want) {
		return ErrChunkSignature
	}
	d.previous = want
	return nil
}

// appendChunkText makes a chunk's string to sign in dst's memory, behind the
// block of room pads.sum needs. sum is the digest of the chunk's payload.
func appendChunkText(dst, date, scope []byte, previous *[64]byte, sum []byte) []byte {
	dst = appendTextHead(dst, chunkAlgorithm, date, scope, previous)
	dst = append(dst, emptySHA256+"\n"...)
	return appendHex(dst, sum)
}

// appendTrailerText is appendChunkText for the trailers.
func appendTrailerText(dst, date, scope []byte, previous *[64]byte, sum []byte) []byte {
	dst = appendTextHead(dst, trailerAlgorithm, date, scope, previous)
	return appendHex(dst, sum)
}

func appendTextHead(dst []byte, name string, date, scope []byte, previous *[64]byte) []byte {
	var room [blockSize]byte
	dst = append(dst[:0], room[:]...)
	dst = append(dst, name...)
	dst = append(append(dst, date...), '\n')
	dst = append(append(dst, scope...), '\n')
	return append(append(dst, previous[:]...), '\n')
}

// signText signs a text made by one of the functions above.
func signText(key *pads, text []byte, out *[64]byte) {
	sum := key.sum(text)
	encodeHex(out[:], sum[:])
}
