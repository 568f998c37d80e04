package server

import (
	"time"

	"github.com/s3ultra/s3ultra/store"
)

// httpTime is RFC 9110's IMF-fixdate, the only date form that all clients
// parse (minio-py wants the 29 characters and the right weekday).
const httpTime = "Mon, 02 Jan 2006 15:04:05 GMT"

// setETag sets the ETag header, quoted.
func (r *request) setETag(e store.ETag) {
	r.text = appendQuotedETag(r.text[:0], e)
	r.ctx.Response.Header.SetCanonical(nameETag, r.text)
}

func appendQuotedETag(dst []byte, e store.ETag) []byte {
	dst = append(dst, '"')
	dst = e.Append(dst)
	return append(dst, '"')
}

// setLastModified sets Last-Modified from Unix milliseconds, cut to the
// second: a time rounded up would lie in the future, and clients drop objects
// from there.
func (r *request) setLastModified(ms int64) {
	r.text = time.Unix(ms/1000, 0).UTC().AppendFormat(r.text[:0], httpTime)
	r.ctx.Response.Header.SetCanonical(nameLastModified, r.text)
}

// setChecksum sets the header of a checksum, and x-amz-checksum-type.
func (r *request) setChecksum(c store.Checksum, parts int) {
	if c.Algorithm == uint8(checksumNone) {
		return
	}
	alg := checksumAlgorithm(c.Algorithm)
	r.text = appendObjectChecksum(r.text[:0], c.Sum, c.Composite, parts)
	h := &r.ctx.Response.Header
	h.SetBytesV(alg.header(), r.text)
	h.SetCanonical(nameChecksumType, []byte(checksumTypeName(c.Composite)))
}

// sendXML replies 200 with an XML document. The document must not be changed
// until the reply has been written.
func (r *request) sendXML(doc []byte) error {
	r.setRequestID()
	r.ctx.Response.Header.SetCanonical(nameContentType, nameContentTypeXML)
	r.ctx.Response.SetBodyRaw(doc)
	return nil
}

// sendNothing replies with a status and no body.
func (r *request) sendNothing(status int) error {
	r.setRequestID()
	r.ctx.Response.SetStatusCode(status)
	return nil
}
