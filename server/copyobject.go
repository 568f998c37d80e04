package server

import (
	"bytes"

	"github.com/s3ultra/s3ultra/sigv4"
	"github.com/s3ultra/s3ultra/store"
	"github.com/s3ultra/s3ultra/synth"
)

// copyObject is CopyObject. A copy is a new entry for the same bytes: shared
// memory, or the content name of the source. It keeps the source's parts and
// ETag, so it costs the same for any size.
//
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_CopyObject.html
func (r *request) copyObject() error {
	b, err := r.bucket()
	if err != nil {
		return err
	}
	if err := r.checkWriteHeaders(); err != nil {
		return err
	}
	replace, err := r.metadataDirective()
	if err != nil {
		return err
	}
	o := &r.object
	src, err := r.openSource(o)
	if err != nil {
		return err
	}
	if o.Size > maxPutSize {
		return errInvalidRequest.saying("The specified copy source is larger than the maximum allowable size for a copy source: 5368709120")
	}
	// An earlier version copied to its own key is how one is restored.
	self := !src.hasVersion && bytes.Equal(src.bucket, r.target.bucket) && bytes.Equal(src.key, r.target.key)
	if self && !replace && r.header(storageClassHeader) == nil && r.header("x-amz-website-redirect-location") == nil {
		return errInvalidRequest.saying("This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata, storage class, website redirect location or encryption attributes.")
	}
	tags, err := r.copyTags(o.Meta)
	if err != nil {
		return err
	}
	meta, err := r.copyMetadata(o.Meta, replace)
	if err != nil {
		return err
	}
	meta = appendMetaTags(meta, tags)
	if err := r.copyChecksum(o); err != nil {
		return err
	}
	c := r.copyOf(b, o)
	c.Meta = viewString(meta)
	if err := b.Put(r.target.key, &c, r.writeCheck()); err != nil {
		c.Data.Release()
		return err
	}
	r.setNewVersionID(c.Version)
	doc := append([]byte(xmlHeader), "<CopyObjectResult"+xmlNamespace+">"...)
	doc = appendTimeElement(doc, "LastModified", c.ModTime)
	doc = appendElement(doc, "ETag", appendQuotedETag(nil, c.ETag))
	doc = appendChecksumElements(doc, c.Checksum, c.Parts.Count())
	return r.sendXML(appendEnd(doc, "CopyObjectResult"))
}

// copyOf returns the object that a copy of o to bucket b is, with a reference
// of its own to the data.
func (r *request) copyOf(b *store.Bucket, o *store.Object) store.Object {
	c := *o
	c.ModTime = r.modTime().UnixMilli()
	if c.Data == nil {
		return c
	}
	if b.Mode() == store.Memory || c.Size < r.srv.cfg.KeepSmall {
		c.Data.Retain()
		return c
	}
	// True bytes that come to a synthetic bucket are dropped, as a PUT's are.
	c.Data, c.Parts, c.Checksum = nil, nil, store.Checksum{}
	c.Content = synth.Hash(r.srv.cfg.Seed, r.target.bucket, r.target.key)
	c.ETag = store.DeriveETag(c.Content, c.Size, 1)
	return c
}

func (r *request) metadataDirective() (replace bool, err error) {
	switch v := r.header("x-amz-metadata-directive"); string(v) {
	case "", "COPY":
		return false, nil
	case "REPLACE":
		return true, nil
	default:
		return false, invalidArgument("x-amz-metadata-directive", string(v), "Unknown metadata directive.")
	}
}

// copyMetadata returns the metadata of a copy: the source's or the request's,
// with the storage class and redirect of the request either way.
func (r *request) copyMetadata(source string, replace bool) ([]byte, error) {
	fields := r.fields
	if !replace {
		fields = nil
		for _, f := range r.fields {
			if equalFold(f.Name, storageClassHeader) || equalFold(f.Name, "x-amz-website-redirect-location") {
				fields = append(fields, f)
			}
		}
		m := readMetadata(source)
		for name, value := m.next(); name != nil; name, value = m.next() {
			switch string(name) {
			case storageClassHeader, "x-amz-website-redirect-location", taggingHeader:
			default:
				fields = append(fields, sigv4.Field{Name: name, Value: value})
			}
		}
	}
	var err error
	r.meta, err = appendMetadata(r.meta[:0], fields)
	return r.meta, err
}

// copyTags returns the tags of a copy: the source's or the request's.
func (r *request) copyTags(source string) ([]tag, error) {
	switch v := r.header("x-amz-tagging-directive"); string(v) {
	case "", "COPY":
		return metaTags(source), nil
	case "REPLACE":
		return parseTagHeader(r.header(taggingHeader))
	default:
		return nil, invalidArgument("x-amz-tagging-directive", string(v), "Unknown tagging directive.")
	}
}

// copyChecksum gives o the checksum that its copy has: the algorithm the
// request names, else the source's own.
func (r *request) copyChecksum(o *store.Object) error {
	v := r.header("x-amz-checksum-algorithm")
	if len(v) == 0 {
		return nil
	}
	alg, ok := parseChecksumAlgorithm(v)
	if !ok {
		return invalidArgument("x-amz-checksum-algorithm", string(v), unknownChecksum)
	}
	if o.Checksum.Algorithm == uint8(alg) && !o.Checksum.Composite {
		return nil
	}
	body := newObjectBody(r.srv, *o, byteRange{0, o.Size})
	if o.Data != nil {
		o.Data.Retain()
	}
	defer body.close()
	o.Checksum = store.Checksum{Algorithm: uint8(alg), Sum: string(body.digest(alg))}
	return nil
}

// appendChecksumElements appends <ChecksumX> and <ChecksumType>, nothing if c
// is none. parts is the count that a composite value ends with.
func appendChecksumElements(doc []byte, c store.Checksum, parts int) []byte {
	alg := checksumAlgorithm(c.Algorithm)
	if alg == checksumNone {
		return doc
	}
	doc = appendElement(doc, alg.element(), appendObjectChecksum(nil, c.Sum, c.Composite, parts))
	return appendElement(doc, "ChecksumType", checksumTypeName(c.Composite))
}
