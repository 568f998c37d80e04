package server

import (
	"bytes"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/s3ultra/s3ultra/sigv4"
	"github.com/s3ultra/s3ultra/store"
)

// request is one S3 request on its way through the server. It is pooled:
// nothing in it, nor any slice it hands out, outlives the handler.
type request struct {
	ctx    *fasthttp.RequestCtx
	srv    *Server
	id     [requestIDSize]byte
	now    time.Time
	method string
	target target
	fields []sigv4.Field // headers in wire order, repeats kept
	known  [headerCount][]byte
	auth   sigv4.Auth
	sig    sigv4.Request
	op     *operation
	// headersChecked: op.precheck has passed (an Expect: 100-continue request
	// is checked before the client sends its body).
	headersChecked bool
	anonymous      bool         // only what the bucket's policy allows everybody
	part           int          // of UploadPart
	object         store.Object // scratch of the handler
	page           listPage
	versioned      bool // lookup's bucket has, or had, versioning
	plan           bodyPlan
	receiver       receiver
	meta           []byte // encoded metadata of a write
	text           []byte // scratch for header values
	shard          *metricsShard
	account        *exchange
	body           *replyBody // of a reply made by sendBody
}

// headerID names the headers that handlers look up on every request; they are
// picked out in the one pass that splits the header block.
type headerID uint8

const (
	headerHost headerID = iota
	headerRange
	headerIfMatch
	headerIfNoneMatch
	headerIfModifiedSince
	headerIfUnmodifiedSince
	headerContentLength
	headerTransferEncoding
	headerContentMD5
	headerDecodedLength
	headerTrailer
	headerChecksumMode
	headerCopySource
	headerCount
)

// classify returns the headerID of a header name, or headerCount.
func classify(name []byte) headerID {
	switch len(name) {
	case 4:
		if equalFold(name, "host") {
			return headerHost
		}
	case 5:
		if equalFold(name, "range") {
			return headerRange
		}
	case 8:
		if equalFold(name, "if-match") {
			return headerIfMatch
		}
	case 11:
		if equalFold(name, "content-md5") {
			return headerContentMD5
		}
	case 13:
		if equalFold(name, "if-none-match") {
			return headerIfNoneMatch
		}
		if equalFold(name, "x-amz-trailer") {
			return headerTrailer
		}
	case 14:
		if equalFold(name, "content-length") {
			return headerContentLength
		}
	case 17:
		if equalFold(name, "if-modified-since") {
			return headerIfModifiedSince
		}
		if equalFold(name, "transfer-encoding") {
			return headerTransferEncoding
		}
		if equalFold(name, "x-amz-copy-source") {
			return headerCopySource
		}
	case 19:
		if equalFold(name, "if-unmodified-since") {
			return headerIfUnmodifiedSince
		}
	case 28:
		if equalFold(name, "x-amz-decoded-content-length") {
			return headerDecodedLength
		}
	}
	if len(name) == len("x-amz-checksum-mode") && equalFold(name, "x-amz-checksum-mode") {
		return headerChecksumMode
	}
	return headerCount
}

// reset points r at a new request and splits its header block.
func (r *request) reset(s *Server, ctx *fasthttp.RequestCtx, now time.Time) {
	r.srv, r.ctx, r.now = s, ctx, now
	r.op, r.headersChecked, r.anonymous = nil, false, false
	r.newAccount(s)
	s.ids.next(&r.id)
	r.method = methodName(ctx.Request.Header.Method())
	r.known = [headerCount][]byte{}
	r.splitHeaders(ctx.Request.Header.RawHeaders())
}

// splitHeaders lists the header fields with the bytes of the wire: what
// fasthttp stores has normalised names and no order, and signatures cover
// repeats in order.
func (r *request) splitHeaders(raw []byte) {
	r.fields = r.fields[:0]
	for len(raw) > 0 {
		line := raw
		if i := bytes.IndexByte(raw, '\n'); i >= 0 {
			line, raw = raw[:i], raw[i+1:]
		} else {
			raw = nil
		}
		line = bytes.TrimSuffix(line, []byte{'\r'})
		colon := bytes.IndexByte(line, ':')
		if colon <= 0 {
			continue
		}
		f := sigv4.Field{Name: line[:colon], Value: trimSpace(line[colon+1:])}
		r.fields = append(r.fields, f)
		id := classify(f.Name)
		switch {
		case id == headerCount:
		case r.known[id] == nil:
			r.known[id] = f.Value
		case id == headerIfMatch || id == headerIfNoneMatch:
			// A list may come in several lines (RFC 9110 section 5.3).
			r.known[id] = bytes.Join([][]byte{r.known[id], f.Value}, []byte{','})
		}
	}
}

// header returns the first value of a header by its lower-case name; for the
// ones that only some operations read.
func (r *request) header(lower string) []byte {
	for i := range r.fields {
		if equalFold(r.fields[i].Name, lower) {
			return r.fields[i].Value
		}
	}
	return nil
}

// release drops what the request holds of the store.
func (r *request) release() {
	r.object.Release()
	r.object = store.Object{}
	setPhase(r.ctx, phaseIdle)
	r.ctx, r.op = nil, nil
}

// bucket returns the bucket that the target names.
func (r *request) bucket() (*store.Bucket, error) {
	if b := r.srv.store.Bucket(r.target.bucket); b != nil {
		return b, nil
	}
	return nil, errNoSuchBucket.with("BucketName", string(r.target.bucket))
}

// uploadID returns the uploadId parameter.
func (r *request) uploadID() []byte {
	id, _ := r.target.param("uploadId")
	return id
}

func trimSpace(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t') {
		b = b[1:]
	}
	for len(b) > 0 && (b[len(b)-1] == ' ' || b[len(b)-1] == '\t') {
		b = b[:len(b)-1]
	}
	return b
}

// methodName returns the method as a constant string, without an allocation
// for the ones S3 uses.
func methodName(m []byte) string {
	for _, known := range [...]string{"GET", "PUT", "HEAD", "POST", "DELETE", "OPTIONS"} {
		if string(m) == known {
			return known
		}
	}
	return string(m)
}
