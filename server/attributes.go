package server

import (
	"bytes"

	"github.com/s3ultra/s3ultra/store"
)

// getObjectAttributes is GetObjectAttributes.
//
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObjectAttributes.html
func (r *request) getObjectAttributes() error {
	wanted, err := r.wantedAttributes()
	if err != nil {
		return err
	}
	if err := r.lookup(); err != nil {
		return err
	}
	o := &r.object
	if c := r.readConditions(); c.set() {
		if err := c.evaluate(o); err != nil {
			return err
		}
	}
	doc := append([]byte(xmlHeader), "<GetObjectAttributesResponse"+xmlNamespace+">"...)
	if wanted["ETag"] {
		doc = appendElement(doc, "ETag", o.ETag.Append(nil))
	}
	// Shown for dropped bytes too: it tells what was uploaded, and no body comes
	// with it that a client could compare.
	if wanted["Checksum"] && o.Checksum.Algorithm != 0 {
		doc = append(doc, "<Checksum>"...)
		doc = appendChecksumElements(doc, o.Checksum, o.Parts.Count())
		doc = append(doc, "</Checksum>"...)
	}
	if wanted["ObjectParts"] && o.Parts != nil {
		if doc, err = r.appendObjectParts(doc, o); err != nil {
			return err
		}
	}
	if wanted["StorageClass"] {
		doc = appendElement(doc, "StorageClass", storageClassOf(o.Meta))
	}
	if wanted["ObjectSize"] {
		doc = appendIntElement(doc, "ObjectSize", o.Size)
	}
	r.setLastModified(o.ModTime)
	r.setVersionID()
	return r.sendXML(appendEnd(doc, "GetObjectAttributesResponse"))
}

// objectAttributes are the names that x-amz-object-attributes may list.
var objectAttributes = map[string]bool{
	"ETag": true, "Checksum": true, "ObjectParts": true, "StorageClass": true, "ObjectSize": true,
}

func (r *request) wantedAttributes() (map[string]bool, error) {
	wanted := map[string]bool{}
	for i := range r.fields {
		if !equalFold(r.fields[i].Name, "x-amz-object-attributes") {
			continue
		}
		for _, name := range bytes.Split(r.fields[i].Value, []byte{','}) {
			name = bytes.TrimSpace(name)
			if !objectAttributes[string(name)] {
				return nil, invalidArgument("x-amz-object-attributes", string(name), "Invalid attribute name specified.")
			}
			wanted[string(name)] = true
		}
	}
	if len(wanted) == 0 {
		return nil, errInvalidRequest.saying("The x-amz-object-attributes header specifying the attributes to be retrieved is either missing or empty")
	}
	return wanted, nil
}

func (r *request) appendObjectParts(doc []byte, o *store.Object) ([]byte, error) {
	max, after := maxListKeys, 0
	for _, h := range [...]struct {
		name string
		dst  *int
	}{{"x-amz-max-parts", &max}, {"x-amz-part-number-marker", &after}} {
		text := r.header(h.name)
		if len(text) == 0 {
			continue
		}
		n, ok := parseSize(text)
		if !ok || n > maxChecksumParts {
			return doc, invalidArgument(h.name, string(text), "Provided "+h.name+" not an integer or within integer range")
		}
		*h.dst = int(n)
	}
	max = min(max, maxListKeys)
	count := o.Parts.Count()
	last := min(count, after+max)
	doc = append(doc, "<ObjectParts>"...)
	doc = appendIntElement(doc, "PartsCount", int64(count))
	doc = appendIntElement(doc, "PartNumberMarker", int64(after))
	doc = appendIntElement(doc, "NextPartNumberMarker", int64(last))
	doc = appendIntElement(doc, "MaxParts", int64(max))
	doc = appendBoolElement(doc, "IsTruncated", last < count)
	alg := checksumAlgorithm(o.Checksum.Algorithm)
	for n := after + 1; n <= last; n++ {
		_, size := o.Parts.Part(n)
		doc = append(doc, "<Part>"...)
		doc = appendIntElement(doc, "PartNumber", int64(n))
		doc = appendIntElement(doc, "Size", size)
		if sum := o.Parts.Checksum(n); sum != nil && alg != checksumNone {
			doc = appendElement(doc, alg.element(), appendChecksum(nil, sum))
		}
		doc = append(doc, "</Part>"...)
	}
	return append(doc, "</ObjectParts>"...), nil
}
