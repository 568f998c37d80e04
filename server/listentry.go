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
	key  []byte
	last lastEntry
}

// lastEntry is where the last entry of contents stands in the document, if the
// next one may be that again with another key of the same length and another
// ETag: so it is in data sets, whose objects have one size and numbered names.
type lastEntry struct {
	start, len int // in the document; len is 0 if it cannot be repeated
	etag       int // in the entry
	size       int64
	parts      uint16
}

func (t *entryTexts) reset() {
	t.middle, t.tail, t.key, t.last = t.middle[:0], t.tail[:0], t.key[:0], lastEntry{}
}

// entryRoom is what an entry takes besides its key and owner: the tags, a
// time, 38 characters of ETag, 19 digits of size; rounded up.
const entryRoom = 320

const entryStart = "<Contents><Key>"

// contents adds a key of ListObjects and ListObjectsV2.
func (x *listXML) contents(key []byte, o *store.Object) {
	t := &x.entries
	if x.repeat(key, o) {
		return
	}
	t.last = lastEntry{}
	if o.ModTime/1000 != t.second || len(t.middle) == 0 {
		x.setSecond(o.ModTime)
	}
	if len(t.tail) == 0 {
		t.tail = append(append(append(t.tail, "</Size>"...), x.owner...), "<StorageClass>"+defaultClass+"</StorageClass></Contents>"...)
	}
	// Six characters for a byte of the key is the most an escape takes.
	doc := slices.Grow(x.doc, entryRoom+6*len(key)+len(t.tail))
	start := len(doc)
	doc = append(doc, entryStart...)
	plain := t.plain(key, x.url)
	if plain {
		doc = append(doc, key...)
	} else {
		doc = x.appendText(doc, key)
	}
	doc = append(doc, t.middle...)
	etag := len(doc) - start
	doc = appendETagHex(doc, o.ETag)
	doc = append(doc, "&quot;</ETag>"...)
	doc = appendListChecksum(doc, o)
	doc = append(doc, "<Size>"...)
	doc = strconv.AppendInt(doc, o.Size, 10)
	if o.Meta == "" || o.Meta[0]&metaHasStorageClass == 0 {
		x.doc = append(doc, t.tail...)
		if plain && o.Checksum.Algorithm == 0 {
			t.last = lastEntry{start, len(x.doc) - start, etag, o.Size, o.ETag.Parts}
		}
		return
	}
	doc = append(doc, "</Size>"...)
	doc = append(doc, x.owner...)
	doc = appendElement(doc, "StorageClass", storageClassOf(o.Meta))
	x.doc = append(doc, "</Contents>"...)
}

// repeat adds an entry by copying the last one, if only the end of the key and
// the ETag differ, and reports whether it could.
func (x *listXML) repeat(key []byte, o *store.Object) bool {
	t := &x.entries
	l := &t.last
	if l.len == 0 || len(key) != len(t.key) || o.Size != l.size || o.ModTime/1000 != t.second || o.ETag.Parts != l.parts ||
		o.Checksum.Algorithm != 0 || o.Meta != "" && o.Meta[0]&metaHasStorageClass != 0 {
		return false
	}
	shared := sharedPrefix(key, t.key)
	if !t.plainFrom(shared, key, x.url) {
		return false
	}
	start := len(x.doc)
	doc := slices.Grow(x.doc, l.len)[:start+l.len]
	e := doc[start:]
	copy(e, doc[l.start:])
	copy(e[len(entryStart)+shared:], key[shared:])
	putETagHex(e[l.etag:], &o.ETag)
	x.doc, l.start = doc, start
	return true
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
	return t.plainFrom(sharedPrefix(key, t.key), key, url)
}

// plainFrom is plain for a key whose first shared bytes are those of the key
// remembered.
func (t *entryTexts) plainFrom(shared int, key []byte, url bool) bool {
	class := uint8(plainInXML)
	if url {
		class = plainInURL
	}
	for _, c := range key[shared:] {
		if charClasses[c]&class == 0 {
			return false
		}
	}
	t.key = append(t.key[:shared], key[shared:]...)
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

// hexDigits returns the eight lower-case hexadecimal digits of x, the first one
// in the lowest byte: all eight at once, a byte each.
func hexDigits(x uint32) uint64 {
	v := uint64(bits.ReverseBytes32(x))
	v = (v | v<<16) & 0x0000ffff0000ffff
	v = (v | v<<8) & 0x00ff00ff00ff00ff
	v = (v>>4 | v<<8) & 0x0f0f0f0f0f0f0f0f
	// Digits above 9 carry into bit 4 when 6 is added; they are letters.
	letters := (v + 0x0606060606060606) >> 4 & 0x0101010101010101
	return v + 0x3030303030303030 + letters*('a'-'0'-10)
}

// putETagHex writes the 32 digits of an ETag to dst.
func putETagHex(dst []byte, e *store.ETag) {
	_ = dst[31]
	for i := 0; i < len(e.Sum); i += 4 {
		binary.LittleEndian.PutUint64(dst[2*i:], hexDigits(binary.BigEndian.Uint32(e.Sum[i:])))
	}
}

// appendETagHex is ETag.Append, four bytes at a time.
func appendETagHex(dst []byte, e store.ETag) []byte {
	var text [32]byte
	putETagHex(text[:], &e)
	dst = append(dst, text[:]...)
	if e.Parts > 0 {
		dst = append(dst, '-')
		dst = strconv.AppendUint(dst, uint64(e.Parts), 10)
	}
	return dst
}
