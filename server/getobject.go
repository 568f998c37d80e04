package server

import (
	"strconv"

	"github.com/s3ultra/s3ultra/store"
)

// getObject is GetObject, and HeadObject by method.
//
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html
func (r *request) getObject() error {
	if err := r.lookup(); err != nil {
		return err
	}
	o := &r.object
	if c := r.readConditions(); c.set() {
		if err := c.evaluate(o); err != nil {
			return err
		}
	}
	sel, err := r.selectBytes(o)
	if err != nil {
		return err
	}
	r.setObjectHeaders(o)
	if err := r.overrideHeaders(); err != nil {
		return err
	}
	resp := &r.ctx.Response
	if sel.partial {
		resp.SetStatusCode(206)
		r.text = appendContentRange(r.text[:0], sel.byteRange, o.Size)
		resp.Header.SetCanonical(nameContentRange, r.text)
	}
	if sel.part > 0 && o.Parts != nil {
		resp.Header.SetCanonical(nameMPPartsCount, strconv.AppendInt(nil, int64(o.Parts.Count()), 10))
	}
	r.setReadChecksum(o, sel)
	r.setRequestID()
	if r.method == "HEAD" {
		resp.Header.SetContentLength(int(sel.n))
		resp.SkipBody = true
		return nil
	}
	if sel.n == 0 {
		return nil
	}
	r.sendBody(newObjectBody(r.srv, *o, sel.byteRange), sel.n)
	o.Data = nil // now the body's
	return nil
}

// selection is what a read asks of an object.
type selection struct {
	byteRange
	partial bool
	part    int // ?partNumber, 0 without
}

// selectBytes reads Range and partNumber.
func (r *request) selectBytes(o *store.Object) (selection, error) {
	header := r.known[headerRange]
	number, hasPart := r.target.param("partNumber")
	switch {
	case hasPart && header != nil:
		return selection{}, errInvalidRequest.saying("Cannot specify both Range header and partNumber query parameter")
	case hasPart:
		return selectPart(number, o)
	case header != nil:
		br, partial, err := parseRange(header, o.Size)
		if err != nil || partial {
			return selection{byteRange: br, partial: true}, err
		}
	}
	return selection{byteRange: byteRange{0, o.Size}}, nil
}

// selectPart finds one part; an object put in one piece has the one part 1.
func selectPart(number []byte, o *store.Object) (selection, error) {
	n, err := parsePartNumber(number)
	if err != nil {
		return selection{}, err
	}
	br := byteRange{0, o.Size}
	count := max(1, o.Parts.Count())
	if n > count {
		// ceph/s3-tests and MinIO agree on this code; AWS documents none.
		return selection{}, errInvalidPart.with("PartNumber", itoa(n)).with("ActualPartCount", itoa(count))
	}
	if o.Parts != nil {
		br.off, br.n = o.Parts.Part(n)
	}
	// A part of no bytes has no Content-Range that could be written.
	return selection{byteRange: br, partial: br.n > 0, part: n}, nil
}

// parsePartNumber reads a part number, 1 to 10,000.
func parsePartNumber(text []byte) (int, error) {
	n, ok := parseSize(text)
	if !ok || n < 1 || n > maxChecksumParts {
		return 0, invalidArgument("partNumber", string(text), "Part number must be an integer between 1 and 10000, inclusive")
	}
	return int(n), nil
}

// setObjectHeaders sets the headers that describe the object.
func (r *request) setObjectHeaders(o *store.Object) {
	h := &r.ctx.Response.Header
	r.setETag(o.ETag)
	r.setLastModified(o.ModTime)
	r.setVersionID()
	h.SetCanonical(nameAcceptRanges, valueBytes)
	typed := false
	m := readMetadata(o.Meta)
	for name, value := m.next(); name != nil; name, value = m.next() {
		if string(name) == taggingHeader {
			h.SetCanonical(nameTaggingCount, strconv.AppendInt(nil, int64(countTags(value)), 10))
			continue
		}
		typed = typed || string(name) == "Content-Type"
		h.SetCanonical(name, value)
	}
	if !typed {
		h.SetCanonical(nameContentType, valueOctetStream)
	}
}

// setNotModifiedHeaders sets what RFC 9110 section 15.4.5 asks of a 304.
func (r *request) setNotModifiedHeaders() {
	r.setETag(r.object.ETag)
	r.setLastModified(r.object.ModTime)
	r.setVersionID()
}

// responseOverrides are the query parameters that replace reply headers.
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html
var responseOverrides = map[string]string{
	"response-cache-control":       "Cache-Control",
	"response-content-disposition": "Content-Disposition",
	"response-content-encoding":    "Content-Encoding",
	"response-content-language":    "Content-Language",
	"response-content-type":        "Content-Type",
	"response-expires":             "Expires",
}

func (r *request) overrideHeaders() error {
	for i := range r.target.params {
		p := &r.target.params[i]
		if len(p.name) < len("response-") || string(p.name[:len("response-")]) != "response-" {
			continue
		}
		if name, ok := responseOverrides[string(p.name)]; ok {
			r.ctx.Response.Header.SetBytesV(name, p.value)
		}
	}
	return nil
}

// showsChecksum tells whether o's checksum is shown to readers: when GET
// answers the very bytes it was computed over. A client that finds another one
// calls the download corrupt, so that of dropped bytes is not shown, but for
// an upload whose creator named the checksum's type and so asked for it back.
func showsChecksum(o *store.Object) bool {
	return o.Data != nil || o.Size == 0 || o.Checksum.Named
}

// setReadChecksum sets the stored checksum when the client asked for it and
// it fits the bytes of this reply: never that of dropped bytes, which a
// validating client would find wrong.
func (r *request) setReadChecksum(o *store.Object, sel selection) {
	if o.Checksum.Algorithm == 0 || !equalFold(r.known[headerChecksumMode], "enabled") || !showsChecksum(o) {
		return
	}
	switch {
	case sel.part > 0 && o.Parts != nil:
		if sum := o.Parts.Checksum(sel.part); sum != nil {
			c := o.Checksum
			r.setPartChecksum(checksumAlgorithm(c.Algorithm), sum, c.Composite)
		}
	case sel.n == o.Size:
		r.setChecksum(o.Checksum, o.Parts.Count())
	}
}

// setPartChecksum sets a part's own checksum with the type of its object.
func (r *request) setPartChecksum(alg checksumAlgorithm, sum []byte, composite bool) {
	r.text = appendChecksum(r.text[:0], sum)
	h := &r.ctx.Response.Header
	h.SetBytesV(alg.header(), r.text)
	h.SetCanonical(nameChecksumType, []byte(checksumTypeName(composite)))
}

func appendContentRange(dst []byte, br byteRange, size int64) []byte {
	dst = append(dst, "bytes "...)
	dst = strconv.AppendInt(dst, br.off, 10)
	dst = append(dst, '-')
	dst = strconv.AppendInt(dst, br.off+br.n-1, 10)
	dst = append(dst, '/')
	return strconv.AppendInt(dst, size, 10)
}

func int64String(n int64) string { return strconv.FormatInt(n, 10) }
