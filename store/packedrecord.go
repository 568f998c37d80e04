package store

import "encoding/binary"

// The payload of a leaf's entry: a record in a form without pointers, its
// frequent fields first.
//
//	flags    byte
//	mod      zigzag varint, milliseconds after pageBase.mod
//	size     varint
//	meta     varint, metaTable number         if flagMeta
//	content  8 bytes                          if flagContent
//	etag     16 bytes, and a varint of parts  if flagETag
//	sum      algorithm and two flags in a byte, a varint of length, bytes  if flagSum
//	place    8 bytes, the top bit: versioned  if flagPlace
//	side     varint, sideTable number         if flagSide
//
// A synthetic object whose content is that of its own name and whose ETag is
// the derived one, uploaded with the same headers as its neighbours, takes 5
// to 9 bytes.
const (
	flagMeta     = 1 << iota // its meta is not that of the base
	flagBaseMeta             // its meta is that of the base
	flagContent              // content is not that of the object's name
	flagETag                 // the ETag is not the derived one
	flagSum
	flagPlace
	flagSide
	flagHole // no object, but a virtual one is not to be seen; all else is 0
)

const (
	// maxInlineSum is the longest checksum held in the payload; longer ones
	// go to the side table. SHA-512, the longest of S3's, has 64 bytes.
	maxInlineSum = 64
	// maxPayload is the most that a payload can take.
	maxPayload = 1 + 10 + 10 + 5 + 8 + 16 + 3 + 2 + maxInlineSum + 8 + 5

	sumComposite = 1 << 6
	sumNamed     = 1 << 7
	sumAlgorithm = sumComposite - 1

	placeVersioned = 1 << 63
)

// pageBase is what the records of one leaf are relative to: objects that are
// neighbours were mostly written at about the same time with the same headers.
type pageBase struct {
	mod  int64
	meta uint32 // metaTable number, 0 = none
}

// rawRecord is a record as in a payload. Its sum is a view of the payload.
type rawRecord struct {
	flags   byte
	size    int64
	modTime int64
	meta    uint32
	content uint64
	etag    ETag
	sumKind byte
	sum     []byte
	place   uint64
	side    uint32
}

// append appends the payload. The flags but those of the meta are given.
func (r *rawRecord) append(dst []byte, base pageBase) []byte {
	flags := r.flags &^ (flagMeta | flagBaseMeta)
	switch r.meta {
	case 0:
	case base.meta:
		flags |= flagBaseMeta
	default:
		flags |= flagMeta
	}
	dst = append(dst, flags)
	dst = binary.AppendVarint(dst, r.modTime-base.mod)
	dst = binary.AppendUvarint(dst, uint64(r.size))
	if flags&flagMeta != 0 {
		dst = binary.AppendUvarint(dst, uint64(r.meta))
	}
	if flags&flagContent != 0 {
		dst = binary.LittleEndian.AppendUint64(dst, r.content)
	}
	if flags&flagETag != 0 {
		dst = append(dst, r.etag.Sum[:]...)
		dst = binary.AppendUvarint(dst, uint64(r.etag.Parts))
	}
	if flags&flagSum != 0 {
		dst = append(dst, r.sumKind)
		dst = binary.AppendUvarint(dst, uint64(len(r.sum)))
		dst = append(dst, r.sum...)
	}
	if flags&flagPlace != 0 {
		dst = binary.LittleEndian.AppendUint64(dst, r.place)
	}
	if flags&flagSide != 0 {
		dst = binary.AppendUvarint(dst, uint64(r.side))
	}
	return dst
}

// parse reads the payload that p starts with.
func (r *rawRecord) parse(p []byte, base pageBase) {
	*r = rawRecord{flags: p[0]}
	mod, n := binary.Varint(p[1:])
	r.modTime = base.mod + mod
	p = p[1+n:]
	size, n := binary.Uvarint(p)
	r.size = int64(size)
	p = p[n:]
	if r.flags&flagBaseMeta != 0 {
		r.meta = base.meta
	}
	if r.flags&flagMeta != 0 {
		v, n := binary.Uvarint(p)
		r.meta = uint32(v)
		p = p[n:]
	}
	if r.flags&^(flagMeta|flagBaseMeta) == 0 {
		return
	}
	if r.flags&flagContent != 0 {
		r.content = binary.LittleEndian.Uint64(p)
		p = p[8:]
	}
	if r.flags&flagETag != 0 {
		v, n := binary.Uvarint(p[16:])
		r.etag = ETag{Sum: [16]byte(p), Parts: uint16(v)}
		p = p[16+n:]
	}
	if r.flags&flagSum != 0 {
		v, n := binary.Uvarint(p[1:])
		r.sumKind = p[0]
		r.sum = p[1+n : 1+n+int(v)]
		p = p[1+n+int(v):]
	}
	if r.flags&flagPlace != 0 {
		r.place = binary.LittleEndian.Uint64(p)
		p = p[8:]
	}
	if r.flags&flagSide != 0 {
		v, _ := binary.Uvarint(p)
		r.side = uint32(v)
	}
}

// recordLen is the length of the payload that p starts with.
func recordLen(p []byte) int {
	n := sideAt(p)
	if p[0]&flagSide != 0 {
		n = skipVarint(p, n)
	}
	return n
}

// sideAt is where the side of the payload that p starts with is, or would be.
func sideAt(p []byte) int {
	flags := p[0]
	n := skipVarint(p, 1)
	n = skipVarint(p, n)
	if flags&^(flagBaseMeta|flagSide) == 0 {
		return n
	}
	if flags&flagMeta != 0 {
		n = skipVarint(p, n)
	}
	if flags&flagContent != 0 {
		n += 8
	}
	if flags&flagETag != 0 {
		n = skipVarint(p, n+16)
	}
	if flags&flagSum != 0 {
		v, w := binary.Uvarint(p[n+1:])
		n += 1 + w + int(v)
	}
	if flags&flagPlace != 0 {
		n += 8
	}
	return n
}

// skipVarint returns where the varint at n ends.
func skipVarint(p []byte, n int) int {
	for p[n] >= 0x80 {
		n++
	}
	return n + 1
}

// recordMod is the modification time of the payload that p starts with.
func recordMod(p []byte, base pageBase) int64 {
	mod, _ := binary.Varint(p[1:])
	return base.mod + mod
}

// recordMeta is the meta of the payload that p starts with.
func recordMeta(p []byte, base pageBase) uint32 {
	switch {
	case p[0]&flagBaseMeta != 0:
		return base.meta
	case p[0]&flagMeta != 0:
		v, _ := binary.Uvarint(p[skipVarint(p, skipVarint(p, 1)):])
		return uint32(v)
	}
	return 0
}

// recordSide returns the side of the payload that p starts with.
func recordSide(p []byte) (id uint32, ok bool) {
	if p[0]&flagSide == 0 {
		return 0, false
	}
	v, _ := binary.Uvarint(p[sideAt(p):])
	return uint32(v), true
}

// hasExtra reports whether the payload that p starts with refers to something
// besides the base: whoever copies the page must look that up at once.
func hasExtra(p []byte) bool {
	return p[0]&(flagMeta|flagSide) != 0
}

// isPlain reports whether the payload that p starts with is no more than size,
// time and the headers of the base.
func isPlain(p []byte) bool { return p[0]&^flagBaseMeta == 0 }

// isHole reports whether the payload that p starts with is a hole.
func isHole(p []byte) bool {
	return p[0]&flagHole != 0
}

// rebase appends a payload that was relative to one base, made relative to
// another.
func rebase(dst, p []byte, from, to pageBase) []byte {
	if from == to {
		return append(dst, p...)
	}
	meta := recordMeta(p, from)
	flags := p[0] &^ (flagMeta | flagBaseMeta)
	switch meta {
	case 0:
	case to.meta:
		flags |= flagBaseMeta
	default:
		flags |= flagMeta
	}
	dst = append(dst, flags)
	dst = binary.AppendVarint(dst, recordMod(p, from)-to.mod)
	size := skipVarint(p, 1)
	rest := skipVarint(p, size)
	dst = append(dst, p[size:rest]...)
	if p[0]&flagMeta != 0 {
		rest = skipVarint(p, rest)
	}
	if flags&flagMeta != 0 {
		dst = binary.AppendUvarint(dst, uint64(meta))
	}
	return append(dst, p[rest:]...)
}
