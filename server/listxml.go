package server

import "sync"

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
	entries       entryTexts
}

var listDocuments = sync.Pool{New: func() any { return new(listXML) }}

func newListXML(url bool) *listXML {
	x := listDocuments.Get().(*listXML)
	x.doc, x.groups, x.url, x.owner = x.doc[:0], x.groups[:0], url, x.owner[:0]
	x.entries.reset()
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
	return appendEnd(x.appendText(dst, text), element)
}

// appendText appends text in the document's encoding.
func (x *listXML) appendText(dst, text []byte) []byte {
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
	return dst
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
