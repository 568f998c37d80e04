package store

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"strings"

	"github.com/s3ultra/s3ultra/synth"
)

// castagnoli is the CRC of records and of bodies in files: amd64 and arm64
// have an instruction for it.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A row is one key and value of the database. Its key begins with one of these.
const (
	rowSetting   = 'S' // name -> value
	rowBucket    = 'B' // name -> bucketRow
	rowObject    = 'O' // bucket, object key, place -> versionRow
	rowUpload    = 'U' // bucket, id -> uploadRow
	rowPart      = 'P' // bucket, id, number -> partRow
	rowCompleted = 'C' // bucket, id -> completedRow
	rowDocument  = 'D' // bucket, DocumentKind -> text
)

// formatVersion goes up when an older program would misread the rows.
const formatVersion = "1"

// bodySpill is the size in bytes up to which a body is part of its row; larger
// ones have a file (persistbody.go). It is the line between bodies on the Go
// heap and in segments: a file costs about 50 us and an inode, which 64 KiB of
// journal and compaction undercut and 1 MiB does not.
const bodySpill = smallMax

// appendBucketPrefix appends the beginning of the keys of all rows of a kind
// that belong to the bucket numbered no.
func appendBucketPrefix(dst []byte, kind byte, no uint64) []byte {
	return binary.BigEndian.AppendUint32(append(dst, kind), uint32(no))
}

// appendObjectKey appends the row key of the version of key at place. Zero
// bytes of key are escaped as 0 255 and its end is 0 1, so that rows come in
// the order of keys, and those of a key in the order of time.
func appendObjectKey(dst []byte, no uint64, key []byte, place uint64) []byte {
	dst = appendBucketPrefix(dst, rowObject, no)
	dst = appendEscaped(dst, key)
	if place != 0 {
		dst = binary.BigEndian.AppendUint64(dst, place)
	}
	return dst
}

func appendEscaped(dst, key []byte) []byte {
	for {
		i := bytes.IndexByte(key, 0)
		if i < 0 {
			break
		}
		dst, key = append(append(dst, key[:i]...), 0, 0xff), key[i+1:]
	}
	return append(append(dst, key...), 0, 1)
}

// splitObjectKey is the reverse of appendObjectKey for a row without its bucket
// prefix. It appends the key to buf.
func splitObjectKey(buf, row []byte) (key []byte, place uint64, ok bool) {
	for {
		i := bytes.IndexByte(row, 0)
		if i < 0 || i+1 == len(row) {
			return nil, 0, false
		}
		buf = append(buf, row[:i]...)
		if row[i+1] == 1 {
			row = row[i+2:]
			break
		}
		buf, row = append(buf, 0), row[i+2:]
	}
	switch len(row) {
	case 0:
		return buf, 0, true
	case 8:
		return buf, binary.BigEndian.Uint64(row), true
	}
	return nil, 0, false
}

// versionRow is a version of an object, or a delete marker, with what the
// index keeps beside an Object.
type versionRow struct {
	Object
	place     uint64 // in the row's key
	versioned bool
	marker    bool
	body      []bodyPiece // read: what Data is to be made of
}

const (
	bitMarker = 1 << iota
	bitVersioned
	bitETag    // differs from the derived one
	bitContent // differs from the hash of the name
	bitMeta
	bitParts
	bitChecksum
	bitBody
)

// appendVersion appends the value of a row. It allocates only to grow dst.
func appendVersion(dst []byte, names *synth.Names, key []byte, r *versionRow) []byte {
	flags := byte(0)
	set := func(bit byte, on bool) {
		if on {
			flags |= bit
		}
	}
	set(bitMarker, r.marker)
	set(bitVersioned, r.versioned)
	set(bitETag, r.ETag != derivedETag(&r.Object))
	set(bitContent, r.Content != names.Hash(key))
	set(bitMeta, r.Meta != "")
	set(bitParts, r.Parts != nil)
	set(bitChecksum, r.Checksum != Checksum{})
	set(bitBody, r.Data != nil)
	dst = append(dst, flags)
	dst = binary.AppendUvarint(dst, uint64(r.Size))
	dst = binary.AppendVarint(dst, r.ModTime)
	if flags&bitETag != 0 {
		dst = appendETag(dst, r.ETag)
	}
	if flags&bitContent != 0 {
		dst = binary.LittleEndian.AppendUint64(dst, r.Content)
	}
	if flags&bitMeta != 0 {
		dst = appendText(dst, r.Meta)
	}
	if flags&bitParts != 0 {
		dst = appendParts(dst, r.Parts)
	}
	if flags&bitChecksum != 0 {
		dst = appendChecksum(dst, r.Checksum)
	}
	if flags&bitBody != 0 {
		dst = appendBody(dst, r.Data)
	}
	return dst
}

// derivedETag is the ETag of an object that nothing else is known of.
func derivedETag(o *Object) ETag {
	return DeriveETag(o.Content, o.Size, o.Parts.Count())
}

// parseVersion is the reverse of appendVersion, but for place and Data. Strings
// and inline bodies are views of src unless they are of another type.
func parseVersion(src []byte, names *synth.Names, key []byte, r *versionRow) error {
	d := decoder{src: src}
	flags := d.byte()
	*r = versionRow{marker: flags&bitMarker != 0, versioned: flags&bitVersioned != 0}
	r.Size = int64(d.uvarint())
	r.ModTime = d.varint()
	if flags&bitETag != 0 {
		r.ETag = d.etag()
	}
	if flags&bitContent != 0 {
		r.Content = d.uint64()
	} else {
		r.Content = names.Hash(key)
	}
	if flags&bitMeta != 0 {
		r.Meta = view(d.text())
	}
	if flags&bitParts != 0 {
		r.Parts = d.parts()
	}
	if flags&bitChecksum != 0 {
		r.Checksum = d.checksum()
	}
	if flags&bitBody != 0 {
		r.body = d.body()
	}
	if flags&bitETag == 0 && !r.marker {
		r.ETag = derivedETag(&r.Object)
	}
	return d.end()
}

func appendETag(dst []byte, e ETag) []byte {
	dst = append(dst, e.Sum[:]...)
	return binary.AppendUvarint(dst, uint64(e.Parts))
}

func appendText[T string | []byte](dst []byte, s T) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(s)))
	return append(dst, s...)
}

const (
	checksumComposite = 1 << iota
	checksumNamed
)

func appendChecksum(dst []byte, c Checksum) []byte {
	kind := byte(0)
	if c.Composite {
		kind |= checksumComposite
	}
	if c.Named {
		kind |= checksumNamed
	}
	return appendText(append(dst, c.Algorithm, kind), c.Sum)
}

func appendParts(dst []byte, p *Parts) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(p.runs)))
	for _, r := range p.runs {
		dst = binary.AppendUvarint(dst, uint64(r.n))
		dst = binary.AppendUvarint(dst, uint64(r.size))
	}
	return appendText(dst, p.sums)
}

// bodyPiece is a piece of a body in a row: its bytes, or the file that holds
// them.
type bodyPiece struct {
	inline []byte
	file   *bodyFile
	size   int64
}

const (
	pieceInline = iota
	pieceFile
)

// appendBody appends the pieces of d; those above bodySpill must have files.
func appendBody(dst []byte, d *Data) []byte {
	pieces := 1
	if d.large != nil && d.large.joined != nil {
		pieces = len(d.large.joined)
	}
	dst = binary.AppendUvarint(dst, uint64(pieces))
	if pieces == 1 && (d.large == nil || d.large.joined == nil) {
		return appendPiece(dst, d)
	}
	for _, p := range d.large.joined {
		dst = appendPiece(dst, p)
	}
	return dst
}

func appendPiece(dst []byte, d *Data) []byte {
	if f := d.savedFile(); f != nil {
		dst = append(dst, pieceFile)
		dst = binary.AppendUvarint(dst, uint64(d.size))
		dst = binary.LittleEndian.AppendUint64(dst, f.id)
		return binary.LittleEndian.AppendUint32(dst, f.crc)
	}
	dst = append(dst, pieceInline)
	dst = binary.AppendUvarint(dst, uint64(d.size))
	for off := int64(0); off < d.size; {
		b := d.Slice(off, segmentSize)
		dst = append(dst, b...)
		off += int64(len(b))
	}
	return dst
}

// bucketRow is what is kept of a bucket.
type bucketRow struct {
	no          uint64
	mode        Mode
	versioning  Versioning
	created     int64 // Unix nanoseconds
	lastVersion uint64
}

func appendBucketRow(dst []byte, r bucketRow) []byte {
	dst = binary.AppendUvarint(dst, r.no)
	dst = append(dst, byte(r.mode), byte(r.versioning))
	dst = binary.AppendVarint(dst, r.created)
	return binary.AppendUvarint(dst, r.lastVersion)
}

func parseBucketRow(src []byte) (bucketRow, error) {
	d := decoder{src: src}
	r := bucketRow{no: d.uvarint(), mode: Mode(d.byte()), versioning: Versioning(d.byte())}
	r.created, r.lastVersion = d.varint(), d.uvarint()
	return r, d.end()
}

func appendUploadRow(dst []byte, u *Upload) []byte {
	dst = appendText(dst, u.Key)
	dst = appendText(dst, u.Meta)
	dst = binary.AppendVarint(dst, u.Initiated)
	return appendChecksum(dst, u.Checksum)
}

func parseUploadRow(src []byte) (*Upload, error) {
	d := decoder{src: src}
	u := &Upload{Key: string(d.text()), Meta: string(d.text())}
	u.Initiated, u.Checksum = d.varint(), d.checksum()
	return u, d.end()
}

// The flags of a part's row.
const (
	partTrueMD5 = 1 << iota
	partCopied  // its content and offset follow
)

func appendPartRow(dst []byte, p *Part) []byte {
	dst = binary.AppendUvarint(dst, uint64(p.Size))
	dst = binary.AppendVarint(dst, p.ModTime)
	dst = appendETag(dst, p.ETag)
	dst = appendChecksum(dst, p.Checksum)
	flags := byte(0)
	if p.TrueMD5 {
		flags |= partTrueMD5
	}
	if p.Copied {
		flags |= partCopied
	}
	dst = append(dst, flags)
	if p.Copied {
		dst = binary.AppendUvarint(dst, p.Content)
		dst = binary.AppendVarint(dst, p.Offset)
	}
	if p.Data == nil {
		return append(dst, 0)
	}
	return appendBody(dst, p.Data)
}

func parsePartRow(src []byte) (p Part, body []bodyPiece, err error) {
	d := decoder{src: src}
	p.Size = int64(d.uvarint())
	p.ModTime, p.ETag, p.Checksum = d.varint(), d.etag(), d.checksum()
	flags := d.byte()
	p.TrueMD5, p.Copied = flags&partTrueMD5 != 0, flags&partCopied != 0
	if p.Copied {
		p.Content, p.Offset = d.uvarint(), d.varint()
	}
	body = d.body()
	return p, body, d.end()
}

// appendCompletedRow appends the summary of a completed upload.
func appendCompletedRow(dst []byte, names *synth.Names, key []byte, at int64, o *Object) []byte {
	dst = binary.AppendVarint(dst, at)
	dst = appendText(dst, key)
	dst = binary.AppendUvarint(dst, uint64(o.Version))
	summary := versionRow{Object: Object{
		Size: o.Size, ModTime: o.ModTime, ETag: o.ETag, Content: o.Content, Checksum: o.Checksum,
	}}
	return appendVersion(dst, names, key, &summary)
}

func parseCompletedRow(src []byte, names *synth.Names) (key string, at int64, o Object, err error) {
	d := decoder{src: src}
	at = d.varint()
	name := d.text()
	version := d.uvarint()
	if d.bad {
		return "", 0, o, d.end()
	}
	var r versionRow
	err = parseVersion(d.src, names, name, &r)
	o = r.Object
	o.Version = Version(version)
	o.Checksum.Sum = strings.Clone(o.Checksum.Sum)
	return string(name), at, o, err
}
