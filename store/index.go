package store

import (
	"bytes"
	"strings"
	"unsafe"

	"github.com/s3ultra/s3ultra/synth"
)

// index is the ordered map from key to record of one bucket, in plain byte
// order. It turns records into payloads of a packed tree and back. A record that
// is a delete marker is a hole: it hides a virtual object. Readers may run
// together; a writer runs alone.
type index struct {
	names synth.Names
	tree  packed
	sides sideTable
	metas *metaTable
	holes int // entries that are holes

	// For writers only. A write mostly follows a look at the same key: what
	// locate found is kept for it.
	located []byte // the key
	current bool   // nothing has changed since
	found   bool
	path    treePath
	buf     [maxPayload]byte // scratch of set
}

func (x *index) init(s *Store, bucket string, metas *metaTable) {
	x.names, x.metas = synth.NewNames(s.opt.Seed, bucket), metas
	x.tree = newPacked(&s.mem, s.segments)
	x.sides.mem = &s.mem
}

// view is b as a string that shares its memory: for lookups only, never to be
// stored.
func view(b []byte) string {
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// bytesView is s as a slice that shares its memory and must not be written to.
func bytesView(s string) []byte {
	return unsafe.Slice(unsafe.StringData(s), len(s))
}

// get reads the record of key into r and reports whether there is one, which
// may be a hole. r.sum is a view that is valid until the next change. It does
// not allocate.
func (x *index) get(key []byte, r *record) bool {
	p, i := x.tree.find(key)
	if p == nil {
		return false
	}
	x.read(p, i, key, r)
	return true
}

// lookup is get for a writer: it makes a set or remove of the same key faster.
func (x *index) lookup(key []byte, r *record) bool {
	p := x.locate(key)
	if x.found {
		x.read(p, x.path.at[x.path.leaf].i, key, r)
	}
	return x.found
}

// locate finds the way to key and returns the leaf, nil if the tree is empty.
func (x *index) locate(key []byte) (p page) {
	x.found = false
	if x.tree.root != 0 {
		p, x.found = x.tree.descend(key, &x.path)
	}
	x.located = append(x.located[:0], key...)
	x.current = true
	return p
}

// change is locate before a change, without the way if it is known.
func (x *index) change(key []byte) (p page) {
	switch {
	case !x.current || !bytes.Equal(x.located, key):
		p = x.locate(key)
	case x.tree.root != 0:
		p = x.tree.page(x.path.at[x.path.leaf].id)
	}
	x.current = false
	return p
}

// read reads the record of key, entry i of p.
func (x *index) read(p page, i int, key []byte, r *record) {
	var raw rawRecord
	raw.parse(p.entryPayload(i), p.base())
	r.unpack(&raw)
	r.meta = x.metas.get(raw.meta)
	if raw.flags&flagSide != 0 {
		r.attach(x.sides.get(raw.side))
	}
	r.derive(&raw, x.names.Hash(key))
}

// has reports whether there is an object at key.
func (x *index) has(key []byte) bool {
	p, i := x.tree.find(key)
	return p != nil && !isHole(p.payload(i))
}

// derive fills in what is not stored because it follows from name, the hash of
// the content name of the object's own key.
func (r *record) derive(raw *rawRecord, name uint64) {
	if raw.flags&flagContent == 0 {
		r.content = name
	}
	if raw.flags&flagETag == 0 {
		r.setETag(DeriveETag(r.content, r.size, r.parts.Count()))
	}
}

// unpack sets the fields of r that raw has.
func (r *record) unpack(raw *rawRecord) {
	*r = record{
		size:         raw.size,
		modTime:      raw.modTime,
		content:      raw.content,
		etag:         raw.etag.Sum,
		etagParts:    raw.etag.Parts,
		sum:          view(raw.sum),
		sumAlgorithm: raw.sumKind & sumAlgorithm,
		sumComposite: raw.sumKind&sumComposite != 0,
		sumNamed:     raw.sumKind&sumNamed != 0,
		place:        raw.place &^ placeVersioned,
		versioned:    raw.place&placeVersioned != 0,
		marker:       raw.flags&flagHole != 0,
	}
}

// attach sets the fields of r that are in the side table.
func (r *record) attach(s *side) {
	r.parts, r.data = s.parts, s.data
	if s.sum != nil {
		r.sum = *s.sum
	}
}

func (r *record) setETag(e ETag) {
	r.etag, r.etagParts = e.Sum, e.Parts
}

// pack is the reverse of unpack, attach and derive. It returns what belongs in
// the side table.
func (x *index) pack(r *record, key []byte, raw *rawRecord) (s side) {
	if r.marker {
		*raw = rawRecord{flags: flagHole}
		return side{}
	}
	*raw = rawRecord{size: r.size, modTime: r.modTime, meta: r.meta.number(), content: r.content}
	if r.content != x.names.Hash(key) {
		raw.flags |= flagContent
	}
	raw.etag = ETag{Sum: r.etag, Parts: r.etagParts}
	// The part count tells an MD5 from a derived ETag at no cost.
	if n := r.parts.Count(); int(r.etagParts) != max(n, 1) || raw.etag != DeriveETag(r.content, r.size, n) {
		raw.flags |= flagETag
	}
	if r.sumAlgorithm != 0 || r.sumComposite || r.sumNamed || len(r.sum) > 0 {
		raw.flags |= flagSum
		raw.sumKind = r.sumAlgorithm & sumAlgorithm
		if r.sumComposite {
			raw.sumKind |= sumComposite
		}
		if r.sumNamed {
			raw.sumKind |= sumNamed
		}
		if len(r.sum) <= maxInlineSum {
			raw.sum = bytesView(r.sum)
		} else {
			long := strings.Clone(r.sum)
			s.sum = &long
		}
	}
	if r.place != 0 || r.versioned {
		raw.flags |= flagPlace
		raw.place = r.place
		if r.versioned {
			raw.place |= placeVersioned
		}
	}
	s.parts, s.data = r.parts, r.data
	if s != (side{}) {
		raw.flags |= flagSide
	}
	return s
}

// set makes r the record of key. It takes over the references of r; those of
// the record replaced are the caller's. The error is ErrMemoryLimit, unless
// force is set; nothing has changed then. Views of records must not be used
// after it.
func (x *index) set(key []byte, r *record, force bool) (err error) {
	var raw rawRecord
	s := x.pack(r, key, &raw)
	if raw.flags&flagSide != 0 {
		if raw.side, err = x.sides.add(s, force); err != nil {
			return err
		}
	}
	base := pageBase{mod: r.modTime, meta: raw.meta}
	var old uint32
	var hadSide, hadHole bool
	if p := x.change(key); p != nil {
		base = p.base()
		if x.found {
			payload := p.payload(x.path.at[x.path.leaf].i)
			old, hadSide = recordSide(payload)
			hadHole = isHole(payload)
		}
	}
	if r.marker {
		raw.modTime = base.mod // which takes the fewest bytes
	}
	if err := x.tree.put(&x.path, x.found, key, raw.append(x.buf[:0], base), base, force); err != nil {
		if raw.flags&flagSide != 0 {
			x.sides.remove(raw.side)
		}
		return err
	}
	if hadSide {
		x.sides.remove(old)
	}
	if hadHole {
		x.holes--
	}
	if r.marker {
		x.holes++
	}
	return nil
}

// remove deletes the record of key, which must be there. Its references are
// the caller's.
func (x *index) remove(key []byte) {
	p := x.change(key)
	payload := p.payload(x.path.at[x.path.leaf].i)
	id, ok := recordSide(payload)
	if isHole(payload) {
		x.holes--
	}
	x.tree.remove(&x.path)
	if ok {
		x.sides.remove(id)
	}
}

// len is the number of objects.
func (x *index) len() int {
	return x.tree.count - x.holes
}

// clear drops all entries of an index that holds no objects.
func (x *index) clear() {
	x.tree.clear()
	x.holes, x.current = 0, false
}
