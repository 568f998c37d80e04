package server

import (
	"sync"

	"github.com/s3ultra/s3ultra/store"
)

// listXML builds the document of a listing by appending to reused buffers.
// Contents go to one buffer and common prefixes to another: S3 sends the two
// as two runs, and XML decoders exist that refuse them interleaved.
type listXML struct {
	doc, groups []byte
	sent        int  // of doc, once it is a reply
	url         bool // encoding-type=url
	// plainControls leaves white space to XML under encoding-type=url:
	// botocore does not decode the Prefix of ListObjects version 1, and every
	// decoder takes such a character for itself.
	plainControls bool
	owner         []byte
	second        int64 // the time in stamp
	stamp         []byte
}

var listDocuments = sync.Pool{New: func() any { return new(listXML) }}

func newListXML(url bool) *listXML {
	x := listDocuments.Get().(*listXML)
	x.doc, x.groups, x.url, x.owner = x.doc[:0], x.groups[:0], url, x.owner[:0]
	return x
}

// setOwner makes each entry carry the owner.
func (x *listXML) setOwner(id string) {
	x.owner = appendOwner(x.owner[:0], "Owner", id)
}

func appendOwner(dst []byte, name, id string) []byte {
	dst = append(append(append(dst, '<'), name...), '>')
	dst = appendElement(dst, "ID", id)
	dst = appendElement(dst, "DisplayName", id)
	return appendEnd(dst, name)
}

// open starts the document with its root element.
func (x *listXML) open(root string) {
	x.doc = append(x.doc, xmlHeader...)
	x.doc = append(append(append(append(x.doc, '<'), root...), xmlNamespace...), '>')
}

// end completes the document.
func (x *listXML) end(root string) {
	x.doc = append(x.doc, x.groups...)
	x.doc = appendEnd(x.doc, root)
}

// name appends an element whose text is subject to encoding-type.
func (x *listXML) name(element string, text []byte) {
	x.doc = x.appendName(x.doc, element, text)
}

func (x *listXML) appendName(dst []byte, element string, text []byte) []byte {
	dst = append(append(append(dst, '<'), element...), '>')
	switch {
	case x.url && x.plainControls:
		for i, c := range text {
			if c == '\t' || c == '\n' || c == '\r' {
				dst = appendEscaped(dst, text[i:i+1])
				continue
			}
			dst = appendURLEncoded(dst, text[i:i+1])
		}
	case x.url:
		dst = appendURLEncoded(dst, text)
	default:
		dst = appendEscaped(dst, text)
	}
	return appendEnd(dst, element)
}

func (x *listXML) text(element, text string) { x.doc = appendElement(x.doc, element, text) }

func (x *listXML) int(element string, n int) { x.doc = appendIntElement(x.doc, element, int64(n)) }

func (x *listXML) bool(element string, b bool) { x.doc = appendBoolElement(x.doc, element, b) }

// encodingType echoes the encoding, without which clients do not decode.
func (x *listXML) encodingType() {
	if x.url {
		x.doc = append(x.doc, "<EncodingType>url</EncodingType>"...)
	}
}

// group adds a common prefix.
func (x *listXML) group(prefix []byte) {
	x.groups = append(x.groups, "<CommonPrefixes>"...)
	x.groups = x.appendName(x.groups, "Prefix", prefix)
	x.groups = append(x.groups, "</CommonPrefixes>"...)
}

// contents adds a key of ListObjects and ListObjectsV2.
func (x *listXML) contents(key []byte, o *store.Object) {
	x.doc = append(x.doc, "<Contents>"...)
	x.name("Key", key)
	x.object(o)
	x.doc = append(x.doc, "</Contents>"...)
}

// object adds the elements that describe an object in every listing.
func (x *listXML) object(o *store.Object) {
	x.doc = append(x.doc, "<LastModified>"...)
	x.doc = x.appendTime(x.doc, o.ModTime)
	x.doc = append(x.doc, "</LastModified><ETag>&quot;"...)
	x.doc = o.ETag.Append(x.doc)
	x.doc = append(x.doc, "&quot;</ETag>"...)
	if o.Checksum.Algorithm != 0 {
		x.text("ChecksumAlgorithm", checksumAlgorithm(o.Checksum.Algorithm).String())
		x.text("ChecksumType", checksumTypeName(o.Checksum.Composite))
	}
	x.doc = appendIntElement(x.doc, "Size", o.Size)
	x.doc = append(x.doc, x.owner...)
	if o.Meta == "" || o.Meta[0]&metaHasStorageClass == 0 {
		x.doc = append(x.doc, "<StorageClass>"+defaultClass+"</StorageClass>"...)
		return
	}
	x.text("StorageClass", storageClassOf(o.Meta))
}

// appendTime appends a time; the objects of a page were mostly written in the
// same few seconds, so the text of the last one is kept.
func (x *listXML) appendTime(dst []byte, ms int64) []byte {
	if s := ms / 1000; s != x.second || len(x.stamp) == 0 {
		x.second = s
		x.stamp = appendXMLTime(x.stamp[:0], ms)
	}
	return append(dst, x.stamp...)
}

// sendList ends the document and makes it the reply; its buffers go back when
// it has been written.
func (r *request) sendList(x *listXML, root string) error {
	x.end(root)
	r.setRequestID()
	r.ctx.Response.Header.SetCanonical(nameContentType, nameContentTypeXML)
	r.sendBody(x, int64(len(x.doc)))
	return nil
}

// block returns the rest of the document.
func (x *listXML) block() []byte { return x.doc[x.sent:] }

func (x *listXML) advance(n int) { x.sent += n }

// park keeps the document: it cannot be made again.
func (x *listXML) park() {}

func (x *listXML) close() {
	x.sent = 0
	listDocuments.Put(x)
}
