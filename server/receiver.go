package server

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/s3ultra/s3ultra/sigv4"
	"github.com/s3ultra/s3ultra/store"
)

// receiver takes one request body off the connection and computes what was
// asked of it, in one pass. It is used once.
type receiver struct {
	r        *request
	plan     *bodyPlan
	verify   bool
	count    int64
	sha, md5 digest
	sum      digest
	chunks   digest // of the decoder: the chunk it is in
	decoder  sigv4.Decoder
	raw      [maxChecksumSize]byte // a digest; what is given to a hash.Hash escapes
}

// received is what is known of a body that was read and found right.
type received struct {
	size     int64
	hasMD5   bool
	md5      [16]byte
	checksum store.Checksum // zero if the client sent none
}

// receive reads the request's body into w and checks it against plan. On any
// error nothing may be published: the caller aborts w.
func (r *request) receive(plan *bodyPlan, w *store.Writer, wantMD5 bool) (received, error) {
	rx := r.newReceiver(plan, wantMD5)
	defer rx.release()
	var err error
	if plan.streaming {
		err = rx.readChunks(func(block []byte) error {
			_, err := w.Write(block)
			return err
		})
	} else {
		err = rx.readInto(w)
	}
	if err != nil {
		return received{}, rx.bodyError(err)
	}
	return rx.finish()
}

// receiveDocument reads the XML document that is the request's body, of at
// most limit bytes.
func (r *request) receiveDocument(limit int64) ([]byte, error) {
	plan, err := r.planBody()
	if err != nil {
		return nil, err
	}
	return r.receiveText(plan, limit)
}

// receiveText reads a request's body of at most limit bytes into memory: an
// XML document.
func (r *request) receiveText(plan bodyPlan, limit int64) ([]byte, error) {
	if plan.size > limit {
		return nil, errMalformedXML.because(fmt.Errorf("document of %d bytes, the limit is %d", plan.size, limit))
	}
	var text []byte
	if plan.size > 0 {
		text = make([]byte, 0, plan.size)
	}
	rx := r.newReceiver(&plan, false)
	defer rx.release()
	var err error
	take := func(block []byte) error {
		if int64(len(text)+len(block)) > limit {
			return errMalformedXML.because(fmt.Errorf("document longer than %d bytes", limit))
		}
		text = append(text, block...)
		return nil
	}
	if plan.streaming {
		err = rx.readChunks(take)
	} else {
		err = rx.readBlocks(take)
	}
	if err != nil {
		return nil, rx.bodyError(err)
	}
	_, err = rx.finish()
	return text, err
}

// newReceiver starts a receiver; wantMD5 asks for the MD5 even if no header
// names one.
func (r *request) newReceiver(plan *bodyPlan, wantMD5 bool) *receiver {
	rx := &r.receiver
	rx.r, rx.plan, rx.verify, rx.count = r, plan, r.srv.cfg.VerifyPayload, 0
	if rx.verify && plan.literal {
		r.srv.sha.start(&rx.sha, plan.size)
	}
	if wantMD5 || rx.verify && plan.hasMD5 {
		r.srv.md5.start(&rx.md5, plan.size)
	}
	switch {
	case !rx.verify && !plan.compute:
	case plan.algorithm == checksumSHA256:
		r.srv.sha.start(&rx.sum, plan.size)
	default:
		rx.sum.Reset(plan.algorithm)
	}
	if rx.verify && plan.streaming && r.auth.ChunksSigned() {
		r.srv.sha.start(&rx.chunks, plan.size)
	}
	return rx
}

func (rx *receiver) release() {
	rx.sha.Release()
	rx.md5.Release()
	rx.sum.Release()
	rx.chunks.Release()
}

// blind tells that nothing needs to see the payload.
func (rx *receiver) blind() bool {
	return rx.sha.algorithm == checksumNone && rx.md5.algorithm == checksumNone && rx.sum.algorithm == checksumNone
}

// take accounts for one block of payload.
func (rx *receiver) take(block []byte) {
	rx.count += int64(len(block))
	rx.sha.Write(block)
	rx.md5.Write(block)
	rx.sum.Write(block)
}

// readInto reads a plain body straight to where the store wants it, or, where
// the store drops it, into scratch for the digests or into nothing.
func (rx *receiver) readInto(w *store.Writer) error {
	body := rx.r.ctx.RequestBodyStream()
	if body == nil {
		return nil
	}
	drop := discardSpace
	if _, ok := rx.r.ctx.Conn().(*conn); !ok || !rx.blind() || len(drop) == 0 {
		pool := receivePool(rx.plan.size)
		scratch := pool.get()
		defer pool.put(scratch)
		drop = *scratch
	}
	for {
		space := w.Next(replyBlock)
		if len(space) == 0 {
			// Dropped by the store, or its declared end: there Read tells that
			// the body has ended, or Advance that it has not.
			space = drop
		}
		n, err := body.Read(space)
		if n > 0 {
			rx.take(space[:n])
			if err := w.Advance(n); err != nil {
				return err
			}
		}
		if err != nil || n == 0 {
			return endOfBody(err)
		}
	}
}

// readBlocks reads a plain body block by block.
func (rx *receiver) readBlocks(take func([]byte) error) error {
	body := rx.r.ctx.RequestBodyStream()
	if body == nil {
		return nil
	}
	pool := receivePool(rx.plan.size)
	scratch := pool.get()
	defer pool.put(scratch)
	for {
		n, err := body.Read(*scratch)
		if n > 0 {
			rx.take((*scratch)[:n])
			if err := take((*scratch)[:n]); err != nil {
				return err
			}
		}
		if err != nil || n == 0 {
			return endOfBody(err)
		}
	}
}

// readChunks reads an aws-chunked body.
func (rx *receiver) readChunks(take func([]byte) error) error {
	body := rx.r.ctx.RequestBodyStream()
	if body == nil {
		return io.ErrUnexpectedEOF
	}
	pool := receivePool(rx.plan.size)
	scratch := pool.get()
	defer pool.put(scratch)
	rx.decoder.Reset(body, &rx.r.auth, rx.plan.size, *scratch, rx.chunks.hash)
	for {
		block, err := rx.decoder.Next()
		if err != nil {
			return endOfBody(err)
		}
		rx.take(block)
		if err := take(block); err != nil {
			return err
		}
	}
}

func endOfBody(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// bodyError gives an error of reading the body its S3 meaning: what is neither
// ours nor the framing's is a connection that ended early.
func (rx *receiver) bodyError(err error) error {
	var api *apiError
	if errors.As(err, &api) || storeError(err) != nil || chunkError(err) != nil {
		return err
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return errRequestTimeout.because(fmt.Errorf("the client stalled after %d bytes of the body: %w", rx.count, err))
	}
	return errIncompleteBody.because(fmt.Errorf("cannot read the body after %d bytes: %w", rx.count, err))
}

// finish compares the body that was read with its plan.
func (rx *receiver) finish() (received, error) {
	p := rx.plan
	got := received{size: rx.count}
	// fasthttp reports a body that ends early as a plain end of file.
	if p.size >= 0 && rx.count != p.size {
		return got, errIncompleteBody.because(fmt.Errorf("got %d bytes, the headers declare %d", rx.count, p.size))
	}
	if rx.sha.algorithm != checksumNone {
		rx.sha.Sum(rx.raw[:0])
		if sum := rx.raw; sum != rx.r.auth.SHA256 {
			return got, errXAmzContentSHA256Mismatch.
				with("ClientComputedContentSHA256", fmt.Sprintf("%x", rx.r.auth.SHA256)).
				with("S3ComputedContentSHA256", fmt.Sprintf("%x", sum))
		}
	}
	if rx.md5.algorithm != checksumNone {
		rx.md5.Sum(rx.raw[:0])
		got.hasMD5 = true
		copy(got.md5[:], rx.raw[:])
		if p.hasMD5 && rx.verify && got.md5 != p.md5 {
			return got, errBadDigest.because(errors.New("Content-MD5 differs"))
		}
	}
	return got, rx.finishChecksum(&got)
}

func (rx *receiver) finishChecksum(got *received) error {
	p := rx.plan
	if p.algorithm == checksumNone {
		return nil
	}
	rx.raw = [maxChecksumSize]byte{}
	rx.sum.Sum(rx.raw[:0])
	sum, want := rx.raw, p.sum
	if p.compute {
		want = sum
	}
	if p.trailing {
		value := rx.trailerValue()
		if value == nil {
			return errMalformedTrailer.because(fmt.Errorf("the announced trailer %s is missing", p.algorithm.header()))
		}
		var ok bool
		if want, ok = decodeChecksum(p.algorithm, value); !ok {
			return errInvalidRequest.saying("Value for " + p.algorithm.header() + " trailing header is invalid.")
		}
	}
	if rx.verify && sum != want {
		return errBadDigest.saying("The " + p.algorithm.String() + " you specified did not match the calculated checksum.")
	}
	got.checksum = store.Checksum{Algorithm: uint8(p.algorithm), Sum: string(want[:p.algorithm.size()])}
	return nil
}

func (rx *receiver) trailerValue() []byte {
	for _, f := range rx.decoder.Trailer() {
		if alg, ok := algorithmOfHeader(f.Name); ok && alg == rx.plan.algorithm {
			return trimSpace(f.Value)
		}
	}
	return nil
}
