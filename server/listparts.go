package server

import "github.com/s3ultra/s3ultra/store"

// listParts is ListParts.
//
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListParts.html
func (r *request) listParts() error {
	b, u, err := r.upload()
	if err != nil {
		return err
	}
	max, err := r.parseMaxKeys("max-parts")
	if err != nil {
		return err
	}
	after := 0
	if text, ok := r.target.param("part-number-marker"); ok && len(text) > 0 {
		n, ok := parseSize(text)
		if !ok || n > maxChecksumParts {
			return invalidArgument("part-number-marker", string(text), "Provided part-number-marker not an integer or within integer range")
		}
		after = int(n)
	}
	var parts []store.Part
	truncated := false
	if max > 0 {
		parts, truncated = b.Parts(u, after, max)
	}
	url, err := r.parseEncoding()
	if err != nil {
		return err
	}
	x := newListXML(url)
	x.open("ListPartsResult")
	x.doc = appendElement(x.doc, "Bucket", r.target.bucket)
	x.name("Key", r.target.key)
	x.text("UploadId", u.ID)
	x.encodingType()
	x.doc = appendOwner(x.doc, "Initiator", r.srv.ownerID)
	x.doc = appendOwner(x.doc, "Owner", r.srv.ownerID)
	x.text("StorageClass", storageClassOf(u.Meta))
	x.int("PartNumberMarker", after)
	if truncated {
		x.int("NextPartNumberMarker", parts[len(parts)-1].Number)
	}
	x.int("MaxParts", max)
	x.bool("IsTruncated", truncated)
	if alg := checksumAlgorithm(u.Checksum.Algorithm); alg != checksumNone {
		x.text("ChecksumAlgorithm", alg.String())
		x.text("ChecksumType", checksumTypeName(u.Checksum.Composite))
	}
	for i := range parts {
		x.part(&parts[i])
	}
	return r.sendList(x, "ListPartsResult")
}

// part adds one part of ListParts.
func (x *listXML) part(p *store.Part) {
	x.doc = append(x.doc, "<Part>"...)
	x.int("PartNumber", p.Number)
	x.doc = append(x.doc, "<LastModified>"...)
	x.doc = x.appendTime(x.doc, p.ModTime)
	x.doc = append(x.doc, "</LastModified><ETag>&quot;"...)
	x.doc = p.ETag.Append(x.doc)
	x.doc = append(x.doc, "&quot;</ETag>"...)
	if alg := checksumAlgorithm(p.Checksum.Algorithm); alg != checksumNone {
		x.doc = appendElement(x.doc, alg.element(), appendChecksum(nil, p.Checksum.Sum))
	}
	x.doc = appendIntElement(x.doc, "Size", p.Size)
	x.doc = append(x.doc, "</Part>"...)
}
