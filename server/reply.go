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
	r.text = appendHTTPTime(r.text[:0], ms)
	r.ctx.Response.Header.SetCanonical(nameLastModified, r.text)
}

// appendHTTPTime appends Unix milliseconds in the format httpTime. It is
// written out because every GET and HEAD has one and time.AppendFormat costs
// as much as the rest of the reply's headers.
func appendHTTPTime(dst []byte, ms int64) []byte {
	t := time.Unix(ms/1000, 0).UTC()
	year, month, day := t.Date()
	hour, minute, second := t.Clock()
	dst = append(dst, "SunMonTueWedThuFriSat"[3*t.Weekday():][:3]...)
	dst = append(dst, ',', ' ')
	dst = append2(dst, day)
	dst = append(dst, ' ')
	dst = append(dst, "JanFebMarAprMayJunJulAugSepOctNovDec"[3*(month-1):][:3]...)
	dst = append(dst, ' ')
	dst = append2(append2(dst, year/100), year%100)
	dst = append(dst, ' ')
	dst = append(append2(dst, hour), ':')
	dst = append(append2(dst, minute), ':')
	return append(append2(dst, second), " GMT"...)
}

// append2 appends n, 0 to 99, in two digits.
func append2(dst []byte, n int) []byte {
	return append(dst, byte('0'+n/10), byte('0'+n%10))
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
