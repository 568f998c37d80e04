package server

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strconv"

	"github.com/s3ultra/s3ultra/store"
)

// entryTexts are the pieces of text that the entries of a page share. An entry
// is seven copies and two numbers: at a thousand entries a page, its cost is
// that of a LIST.
type entryTexts struct {
	second int64  // of the time in middle
	middle []byte // from the key's end tag to the ETag, for that second
	stamp  []byte // the time alone
	tail   []byte // from the size's end tag to the end, with owner and default class
	// key is the last key that stood for itself in the document. The next one
	// mostly begins as it does, and only the rest is looked at.
	key []byte
}

func (t *entryTexts) reset() {
	t.middle, t.tail, t.key = t.middle[:0], t.tail[:0], t.key[:0]
}

// entryRoom is what an entry takes besides its key and owner: the tags, a
// time, 38 characters of ETag, 19 digits of size; rounded up.
const entryRoom = 320

// contents adds a key of ListObjects and ListObjectsV2.
func (x *listXML) contents(key []byte, o *store.Object) {
	t := &x.entries
	if o.ModTime/1000 != t.second || len(t.middle) == 0 {
		x.setSecond(o.ModTime)
	}
	if len(t.tail) == 0 {
		t.tail = append(append(append(t.tail, "</Size>"...), x.owner...), "<StorageClass>"+defaultClass+"</StorageClass></Contents>"...)
	}
	// Six characters for a byte of the key is the most an escape takes.
	doc := slices.Grow(x.doc, entryRoom+6*len(key)+len(t.tail))
	doc = append(doc, "<Contents><Key>"...)
	if t.plain(key, x.url) {
		doc = append(doc, key...)
	} else {
		doc = x.appendText(doc, key)
	}
	doc = append(doc, t.middle...)
	doc = appendETagHex(doc, o.ETag)
	doc = append(doc, "&quot;</ETag>"...)
	doc = appendListChecksum(doc, o)
	doc = append(doc, "<Size>"...)
	doc = strconv.AppendInt(doc, o.Size, 10)
	if o.Meta == "" || o.Meta[0]&metaHasStorageClass == 0 {
		x.doc = append(doc, t.tail...)
		return
	}
	doc = append(doc, "</Size>"...)
	doc = append(doc, x.owner...)
	doc = appendElement(doc, "StorageClass", storageClassOf(o.Meta))
	x.doc = append(doc, "</Contents>"...)
}

// object adds the elements that describe an object in the other listings.
func (x *listXML) object(o *store.Object) {
	x.doc = append(x.doc, "<LastModified>"...)
	x.doc = x.appendTime(x.doc, o.ModTime)
	x.doc = append(x.doc, "</LastModified><ETag>&quot;"...)
	x.doc = appendETagHex(x.doc, o.ETag)
	x.doc = append(x.doc, "&quot;</ETag>"...)
	x.doc = appendListChecksum(x.doc, o)
	x.doc = appendIntElement(x.doc, "Size", o.Size)
	x.doc = append(x.doc, x.owner...)
	x.text("StorageClass", storageClassOf(o.Meta))
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
	t.second = ms / 1000
	t.stamp = appendXMLTime(t.stamp[:0], ms)
	t.middle = append(append(append(t.middle[:0], "</Key><LastModified>"...), t.stamp...), "</LastModified><ETag>&quot;"...)
}

// appendTime appends a time.
func (x *listXML) appendTime(dst []byte, ms int64) []byte {
	if t := &x.entries; ms/1000 != t.second || len(t.middle) == 0 {
		x.setSecond(ms)
	}
	return append(dst, x.entries.stamp...)
}

// plain tells whether every byte of key stands for itself, and remembers such
// a key.
func (t *entryTexts) plain(key []byte, url bool) bool {
	class := uint8(plainInXML)
	if url {
		class = plainInURL
	}
	for _, c := range key[sharedPrefix(key, t.key):] {
		if charClasses[c]&class == 0 {
			return false
		}
	}
	t.key = append(t.key[:0], key...)
	return true
}

// sharedPrefix returns how many bytes a and b have in common, to a multiple of
// eight: it only saves work.
func sharedPrefix(a, b []byte) int {
	n := min(len(a), len(b)) &^ 7
	for i := 0; i < n; i += 8 {
		if x := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:]); x != 0 {
			return i + bits.TrailingZeros64(x)/8
		}
	}
	return n
}

// hexPairs holds the two hexadecimal digits of each byte.
var hexPairs = newHexPairs()

func newHexPairs() (pairs [256][2]byte) {
	const digits = "0123456789abcdef"
	for i := range pairs {
		pairs[i] = [2]byte{digits[i>>4], digits[i&15]}
	}
	return pairs
}

// appendETagHex is ETag.Append, with a table of pairs.
func appendETagHex(dst []byte, e store.ETag) []byte {
	var text [32]byte
	for i, c := range e.Sum {
		p := &hexPairs[c]
		text[2*i], text[2*i+1] = p[0], p[1]
	}
	dst = append(dst, text[:]...)
	if e.Parts > 0 {
		dst = append(dst, '-')
		dst = strconv.AppendUint(dst, uint64(e.Parts), 10)
	}
	return dst
}
