package server

import (
	"io"
	"sync"

	"github.com/s3ultra/s3ultra/store"
)

// objectBody is the reply body of GetObject: a range of an object's bytes,
// from memory or generated block by block while it is written. It holds the
// object's bytes until Close, so a read in flight keeps its version whatever
// happens to the key.
type objectBody struct {
	srv    *Server
	object store.Object
	off    int64
	left   int64
}

var objectBodies = sync.Pool{New: func() any { return new(objectBody) }}

// newObjectBody takes over the caller's reference to the object's data.
func newObjectBody(s *Server, o store.Object, br byteRange) *objectBody {
	b := objectBodies.Get().(*objectBody)
	*b = objectBody{srv: s, object: o, off: br.off, left: br.n}
	return b
}

// SupportsBodyWriteTo tells fasthttp that WriteTo may stand in for Read
// (fasthttp.BodyWriterTo).
func (b *objectBody) SupportsBodyWriteTo() bool { return true }

// WriteTo writes the body in blocks of at most bodyBlock.
func (b *objectBody) WriteTo(w io.Writer) (int64, error) {
	var written int64
	if b.object.Data != nil {
		for b.left > 0 {
			n, err := w.Write(b.object.Data.Slice(b.off, int(min(b.left, bodyBlock))))
			written += int64(n)
			b.advance(n)
			if err != nil {
				return written, err
			}
		}
		return written, nil
	}
	scratch := bodyBuffers.get()
	defer bodyBuffers.put(scratch)
	for b.left > 0 {
		block := (*scratch)[:min(b.left, int64(len(*scratch)))]
		b.srv.cfg.Pattern.Fill(block, b.object.Content, b.off)
		n, err := w.Write(block)
		written += int64(n)
		b.advance(n)
		if err != nil {
			return written, err
		}
	}
	return written, nil
}

// Read is the form for writers that fasthttp cannot hand to WriteTo.
func (b *objectBody) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, io.EOF
	}
	n := b.readAt(p[:min(int64(len(p)), b.left)])
	b.advance(n)
	return n, nil
}

// readAt fills p from the current offset; in memory mode it may stop at the
// end of a segment.
func (b *objectBody) readAt(p []byte) int {
	if b.object.Data != nil {
		return copy(p, b.object.Data.Slice(b.off, len(p)))
	}
	b.srv.cfg.Pattern.Fill(p, b.object.Content, b.off)
	return len(p)
}

func (b *objectBody) advance(n int) {
	b.off += int64(n)
	b.left -= int64(n)
}

// Close gives up the object's bytes; fasthttp calls it when the reply has been
// written or the client has left.
func (b *objectBody) Close() error {
	b.object.Release()
	*b = objectBody{}
	objectBodies.Put(b)
	return nil
}

// each calls fn with the rest of the body, block by block.
func (b *objectBody) each(fn func([]byte) error) error {
	scratch := bodyBuffers.get()
	defer bodyBuffers.put(scratch)
	for b.left > 0 {
		n := b.readAt((*scratch)[:min(b.left, int64(len(*scratch)))])
		if err := fn((*scratch)[:n]); err != nil {
			return err
		}
		b.advance(n)
	}
	return nil
}

// digest returns the raw checksum of the rest of the body.
func (b *objectBody) digest(alg checksumAlgorithm) []byte {
	var d digest
	d.Reset(alg)
	defer d.Release()
	// The callback returns no error.
	_ = b.each(func(block []byte) error {
		d.Write(block)
		return nil
	})
	return d.Sum(nil)
}
