package server

import (
	"encoding/binary"
	"slices"
	"strconv"

	"github.com/s3ultra/s3ultra/store"
)

// repeatedEntry is the text of an entry that others repeat, all but a few bytes
// of the key, the ETag and maybe the size: so it is in data sets, whose names
// are numbered, and nearly so wherever programs name objects. Copying it is
// half the work of composing it.
type repeatedEntry struct {
	shape  uint64 // of the keys; 0: there is no text
	second int64  // as in entryTexts
	parts  int
	size   int64
	text   []byte
	etag   int    // where it begins in text
	sizeAt int    // likewise
	tail   []byte // what follows the size

	// before is the shape of the last entry. A text is kept only where two follow each
	// other: keys of all shapes would have it copied in vain.
	before uint64
}

func (r *repeatedEntry) reset() { r.shape, r.before = 0, 0 }

// learn takes the text of an entry that was composed with t, of a key that
// stands for itself.
func (r *repeatedEntry) learn(entry, key []byte, shape store.Shape, t *entryTexts) {
	if shape.ID == 0 || shape.ID != r.before {
		r.before = shape.ID
		return
	}
	end := len(entry) - len(t.end)
	r.shape, r.second, r.parts, r.size = shape.ID, t.second, t.parts, t.size
	r.text = append(r.text[:0], entry...)
	r.etag, r.sizeAt = end-etagDigits, end+t.sizeAt
	r.tail = append(r.tail[:0], t.end[t.sizeEnd:]...)
}

func (r *repeatedEntry) setSize(size int64) {
	r.size = size
	r.text = append(strconv.AppendInt(r.text[:r.sizeAt], size, 10), r.tail...)
}

// repeat is contents for an entry whose text is known, and reports whether it
// is.
func (x *listXML) repeat(key []byte, shape store.Shape, o *store.Object) bool {
	r := &x.entries.repeated
	if r.shape != shape.ID || r.shape == 0 || uint64(o.ModTime-r.second) >= 1000 || int(o.ETag.Parts) != r.parts || !isCommon(o) ||
		!plainPart(key, shape.From, shape.To, x.url) {
		return false
	}
	if o.Size != r.size {
		r.setSize(o.Size)
	}
	doc, n := x.doc, len(x.doc)
	if cap(doc)-n < len(r.text) {
		doc = slices.Grow(doc, len(r.text))
	}
	doc = doc[:n+len(r.text)]
	entry := doc[n:]
	copy(entry, r.text)
	copyPart(entry[len(entryStart):], key, shape.From, shape.To)
	putHex((*[etagDigits]byte)(entry[r.etag:]), &o.ETag.Sum)
	x.doc = doc
	return true
}

// plainPart tells whether the bytes of key from from to before to stand for
// themselves, as the others do.
func plainPart(key []byte, from, to int, url bool) bool {
	if to < wordBytes || to-from > wordBytes {
		return plainBytes(key[from:to], url)
	}
	word := binary.LittleEndian.Uint64(key[to-wordBytes:])
	if url {
		return plainWordInURL(word)
	}
	return plainWordInXML(word)
}

// copyPart copies the bytes of key from from to before to; those before are
// the same already.
func copyPart(dst, key []byte, from, to int) {
	if to < wordBytes || to-from > wordBytes {
		copy(dst[from:], key[from:to])
		return
	}
	binary.LittleEndian.PutUint64(dst[to-wordBytes:], binary.LittleEndian.Uint64(key[to-wordBytes:]))
}
