package server

import (
	"slices"
	"strconv"

	"github.com/s3ultra/s3ultra/store"
)

// entryTexts are the pieces of text that the entries of a page share. An entry
// is its key, its ETag and these: at a thousand entries a page, its cost is that
// of a LIST.
type entryTexts struct {
	second int64  // Unix milliseconds at the start of the second of middle
	middle []byte // from the key's end tag to the ETag, for that second
	stamp  []byte // the time alone
	end    []byte // from the ETag's last digit to the end, with all that is the object's
	// What end holds; parts is -1 if it is of no other object. sizeAt and sizeEnd
	// are where in it the size begins and ends.
	size            int64
	parts           int
	sizeAt, sizeEnd int
	// element is that of the entries.
	element string
	// key is where the last key that stands for itself begins in the document.
	// The next one mostly begins as it does, and only the rest is looked at.
	key, keyLen int
	repeated    repeatedEntry
}

func (t *entryTexts) reset() {
	t.middle, t.parts, t.keyLen, t.element = t.middle[:0], -1, 0, "Contents"
	t.repeated.reset()
}

const entryStart = "<Contents><Key>"

// contents adds a key of ListObjects and ListObjectsV2.
func (x *listXML) contents(key []byte, shape store.Shape, o *store.Object) {
	if !x.repeat(key, shape, o) {
		x.compose(key, shape, o)
	}
}

// compose is contents for any entry.
func (x *listXML) compose(key []byte, shape store.Shape, o *store.Object) {
	t := &x.entries
	x.setObject(o)
	start := len(x.doc)
	doc := append(x.grow(key), entryStart...)
	doc, plain := x.appendKey(doc, key)
	doc = append(doc, t.middle...)
	doc = appendETagDigits(doc, &o.ETag)
	doc = append(doc, t.end...)
	x.doc = doc
	if plain && t.parts >= 0 {
		t.repeated.learn(doc[start:], key, shape, t)
	}
}

// setObject makes the shared texts those of an object.
func (x *listXML) setObject(o *store.Object) {
	t := &x.entries
	if uint64(o.ModTime-t.second) >= 1000 || len(t.middle) == 0 {
		x.setSecond(o.ModTime)
	}
	if o.Size != t.size || int(o.ETag.Parts) != t.parts || !isCommon(o) {
		x.setEnd(o)
	}
}

// entryRoom is more than the tags around a key and the id of a version take.
const entryRoom = 160

// grow returns the document with room for an entry of that key.
func (x *listXML) grow(key []byte) []byte {
	t := &x.entries
	// An escape takes six characters for a byte of the key at most.
	return slices.Grow(x.doc, entryRoom+6*len(key)+len(t.middle)+etagDigits+len(t.end))
}

// appendKey appends the text of a key to doc, which is the document with a part
// of an entry, and tells whether every byte stands for itself.
func (x *listXML) appendKey(doc, key []byte) (longer []byte, plain bool) {
	t := &x.entries
	if !plainBehind(doc[t.key:t.key+t.keyLen], key, x.url) {
		return x.appendText(doc, key), false
	}
	t.key, t.keyLen = len(doc), len(key)
	return append(doc, key...), true
}

// isCommon tells whether an object is shown without a checksum and with the
// default storage class.
func isCommon(o *store.Object) bool { return o.Checksum.Algorithm == 0 && !hasStorageClass(o.Meta) }

// setEnd makes the end of an entry that of another object. In data sets and in
// what benchmarks write, objects of one size follow each other.
func (x *listXML) setEnd(o *store.Object) {
	t := &x.entries
	t.size, t.parts = o.Size, int(o.ETag.Parts)
	if !isCommon(o) {
		t.parts = -1
	}
	t.end = appendETagParts(t.end[:0], &o.ETag)
	t.end = append(t.end, "&quot;</ETag>"...)
	t.end = appendListChecksum(t.end, o)
	t.end = append(t.end, "<Size>"...)
	t.sizeAt = len(t.end)
	t.end = strconv.AppendInt(t.end, o.Size, 10)
	t.sizeEnd = len(t.end)
	t.end = append(t.end, "</Size>"...)
	t.end = append(t.end, x.owner...)
	t.end = appendElement(t.end, "StorageClass", storageClassOf(o.Meta))
	t.end = appendEnd(t.end, t.element)
}

// appendListChecksum appends the kind of checksum an object has, if any.
func appendListChecksum(doc []byte, o *store.Object) []byte {
	if o.Checksum.Algorithm == 0 {
		return doc
	}
	doc = appendElement(doc, "ChecksumAlgorithm", checksumAlgorithm(o.Checksum.Algorithm).String())
	return appendElement(doc, "ChecksumType", checksumTypeName(o.Checksum.Composite))
}

// setSecond makes the shared texts those of another time. The objects of a
// page were mostly written in the same few seconds.
func (x *listXML) setSecond(ms int64) {
	t := &x.entries
	t.second = ms / 1000 * 1000
	t.stamp = appendXMLTime(t.stamp[:0], ms)
	t.middle = append(append(append(t.middle[:0], "</Key><LastModified>"...), t.stamp...), "</LastModified><ETag>&quot;"...)
}

// appendTime appends a time.
func (x *listXML) appendTime(dst []byte, ms int64) []byte {
	if t := &x.entries; uint64(ms-t.second) >= 1000 || len(t.middle) == 0 {
		x.setSecond(ms)
	}
	return append(dst, x.entries.stamp...)
}

// appendETagParts appends what follows the digits.
func appendETagParts(dst []byte, e *store.ETag) []byte {
	if e.Parts > 0 {
		dst = append(dst, '-')
		dst = strconv.AppendUint(dst, uint64(e.Parts), 10)
	}
	return dst
}

// appendETagDigits appends an ETag without its part count.
func appendETagDigits(dst []byte, e *store.ETag) []byte {
	n := len(dst)
	dst = slices.Grow(dst, etagDigits)[:n+etagDigits]
	putHex((*[etagDigits]byte)(dst[n:]), &e.Sum)
	return dst
}
