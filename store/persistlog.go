package store

import (
	"encoding/binary"
	"strings"
)

// The changes of rows that a journal record consists of.
const (
	changeSet    = 1 // key, value
	changeDelete = 2 // key
	changeClear  = 3 // key: a prefix, all rows that begin with it
)

// changeHeader is the change, the length of the key in 2 bytes and of the
// value in 4, little-endian.
const changeHeader = 7

// tx collects the row changes of one operation: one record of the journal,
// which is there as a whole or not at all.
type tx struct {
	buf   []byte
	start int // of the change being built
}

// key begins a change; the row's key is then appended to t.buf, and the value
// of a changeSet after a call of value.
func (t *tx) key(change byte) {
	t.start = len(t.buf)
	t.buf = append(t.buf, change, 0, 0, 0, 0, 0, 0)
}

// value ends the key.
func (t *tx) value() {
	binary.LittleEndian.PutUint16(t.buf[t.start+1:], uint16(len(t.buf)-t.start-changeHeader))
}

// end ends the value.
func (t *tx) end() {
	key := int(binary.LittleEndian.Uint16(t.buf[t.start+1:]))
	binary.LittleEndian.PutUint32(t.buf[t.start+3:], uint32(len(t.buf)-t.start-changeHeader-key))
}

// drop makes a change that has a key only of kind change.
func (t *tx) drop(change byte, appendKey func(dst []byte) []byte) {
	t.key(change)
	t.buf = appendKey(t.buf)
	t.value()
}

// nextChange returns the first change of a record and the rest.
func nextChange(record []byte) (change byte, key, value, rest []byte, ok bool) {
	if len(record) < changeHeader {
		return 0, nil, nil, nil, false
	}
	k := int(binary.LittleEndian.Uint16(record[1:]))
	v := int(binary.LittleEndian.Uint32(record[3:]))
	change, record = record[0], record[changeHeader:]
	if len(record) < k+v {
		return 0, nil, nil, nil, false
	}
	return change, record[:k], record[k : k+v], record[k+v:], true
}

// begin returns an empty tx, which commit takes back.
func (d *persist) begin() *tx {
	t := d.txs.Get().(*tx)
	t.buf = t.buf[:0]
	return t
}

// commit writes the changes to the journal.
func (d *persist) commit(t *tx) error {
	err := d.journal.append(t.buf)
	// A record with bodies in it is not worth keeping the memory of.
	if cap(t.buf) <= bodySpill {
		d.txs.Put(t)
	}
	return err
}

// admit is called before each write, without locks.
func (s *Store) admit() {
	if s.persist != nil {
		s.persist.journal.admit()
	}
}

// durable returns once everything that the caller has done may be
// acknowledged.
func (s *Store) durable() error {
	if s.persist == nil || !s.persist.always {
		return nil
	}
	return s.persist.journal.sync()
}

// kept tells whether the bucket's objects and uploads are on disk.
func (b *Bucket) kept() bool {
	return b.st.persist != nil && (b.mode == Synth || b.st.persist.data)
}

// saveBody puts the large pieces of d into files, before the row that refers
// to them. Without locks.
func (b *Bucket) saveBody(d *Data) error {
	if d == nil || !b.kept() {
		return nil
	}
	return b.st.persist.bodies.save(d, b.st.persist.always)
}

// appendVersionRow adds the row of a version. t.end is to be called.
func (b *Bucket) appendVersionRow(t *tx, key []byte, r *versionRow) {
	t.key(changeSet)
	t.buf = appendObjectKey(t.buf, b.no, key, r.place)
	t.value()
	t.buf = appendVersion(t.buf, &b.index.names, key, r)
	t.end()
}

func (b *Bucket) dropVersionRow(t *tx, key []byte, place uint64) {
	t.key(changeDelete)
	t.buf = appendObjectKey(t.buf, b.no, key, place)
	t.value()
}

// logPut writes that o becomes the current object at key, as n, and that old,
// which may be nil, ceases to be. b.mu is held.
func (b *Bucket) logPut(key []byte, o *Object, n, old *record) error {
	if !b.kept() {
		return nil
	}
	d := b.st.persist
	t := d.begin()
	r := versionRow{Object: *o, place: n.place, versioned: n.versioned}
	b.appendVersionRow(t, key, &r)
	if old != nil && old.place != r.place {
		b.dropVersionRow(t, key, old.place)
	}
	if b.also != nil {
		done := *o
		done.Version = n.version()
		b.also(t, &done)
	}
	return d.commit(t)
}

// remember keeps what undo needs of r, which current returned. b.mu is held.
func (b *Bucket) remember(r *record) {
	if !b.kept() {
		return
	}
	b.before = record{marker: true}
	b.had = r != nil || b.hole
	if r == nil {
		return
	}
	b.before = *r
	b.before.sum = strings.Clone(r.sum) // a view of a page
}

// undo takes back that the index got an object or a hole at key, after remember,
// because it could not be written. b.mu is held.
func (b *Bucket) undo(key []byte) {
	if b.had {
		_ = b.index.set(key, &b.before, true) // forced: it took that memory before
	} else {
		b.index.remove(key)
	}
}

// logMark writes ahead that key gets a delete marker, and that old, which may
// be nil, ceases to be. b.mu is held.
func (b *Bucket) logMark(key []byte, m, old *record) error {
	if !b.kept() {
		return nil
	}
	t := b.st.persist.begin()
	r := versionRow{Object: Object{ModTime: m.modTime}, place: m.place, versioned: m.versioned, marker: true}
	b.appendVersionRow(t, key, &r)
	if old != nil {
		b.dropVersionRow(t, key, old.place)
	}
	return b.st.persist.commit(t)
}

// logHole writes that key gets a hole, which is a delete marker before all
// versions. b.mu is held.
func (b *Bucket) logHole(key []byte) error {
	return b.logMark(key, &record{marker: true}, nil)
}

// logRemove writes ahead that a version ceases to be. b.mu is held.
func (b *Bucket) logRemove(key []byte, r *record) error {
	if !b.kept() {
		return nil
	}
	t := b.st.persist.begin()
	b.dropVersionRow(t, key, r.place)
	if r.place == b.lastVersion && r.place != 0 {
		// Otherwise its number could be given away again after a restart.
		b.appendBucketRow(t, b.Versioning())
	}
	return b.st.persist.commit(t)
}

func (b *Bucket) appendBucketRow(t *tx, v Versioning) {
	t.key(changeSet)
	t.buf = append(append(t.buf, rowBucket), b.name...)
	t.value()
	t.buf = appendBucketRow(t.buf, bucketRow{
		no: b.no, mode: b.mode, versioning: v, created: b.created.UnixNano(), lastVersion: b.lastVersion,
	})
	t.end()
}

// logBucket writes ahead that b exists with that versioning state.
func (b *Bucket) logBucket(v Versioning) error {
	d := b.st.persist
	if d == nil {
		return nil
	}
	t := d.begin()
	b.appendBucketRow(t, v)
	return d.commit(t)
}

// logGone writes ahead that b, its holes, uploads and documents cease to be.
func (b *Bucket) logGone() error {
	d := b.st.persist
	if d == nil {
		return nil
	}
	t := d.begin()
	t.drop(changeDelete, func(dst []byte) []byte { return append(append(dst, rowBucket), b.name...) })
	for _, kind := range []byte{rowObject, rowUpload, rowPart, rowDocument} {
		t.drop(changeClear, func(dst []byte) []byte { return appendBucketPrefix(dst, kind, b.no) })
	}
	return d.commit(t)
}

// appendUploadKey appends the row key of an upload, or what all of its parts'
// begin with.
func (b *Bucket) appendUploadKey(dst []byte, kind byte, id string) []byte {
	return append(appendBucketPrefix(dst, kind, b.no), id...)
}

func (b *Bucket) appendPartKey(dst []byte, id string, number int) []byte {
	return binary.BigEndian.AppendUint32(b.appendUploadKey(dst, rowPart, id), uint32(number))
}

// logUpload writes ahead that an upload is opened.
func (b *Bucket) logUpload(u *Upload) error {
	if !b.kept() {
		return nil
	}
	t := b.st.persist.begin()
	t.key(changeSet)
	t.buf = b.appendUploadKey(t.buf, rowUpload, u.ID)
	t.value()
	t.buf = appendUploadRow(t.buf, u)
	t.end()
	return b.st.persist.commit(t)
}

// logPart writes ahead that an upload gets a part. u.mu is held.
func (b *Bucket) logPart(u *Upload, p *Part) error {
	if !b.kept() {
		return nil
	}
	t := b.st.persist.begin()
	t.key(changeSet)
	t.buf = b.appendPartKey(t.buf, u.ID, p.Number)
	t.value()
	t.buf = appendPartRow(t.buf, p)
	t.end()
	return b.st.persist.commit(t)
}

// appendUploadEnd adds that an upload and its parts cease to be. u.mu is held.
func (b *Bucket) appendUploadEnd(t *tx, u *Upload) {
	t.drop(changeDelete, func(dst []byte) []byte { return b.appendUploadKey(dst, rowUpload, u.ID) })
	u.parts.Scan(func(number int, _ Part) bool {
		t.drop(changeDelete, func(dst []byte) []byte { return b.appendPartKey(dst, u.ID, number) })
		return true
	})
}

// logAbort writes ahead that an upload is aborted. u.mu is held.
func (b *Bucket) logAbort(u *Upload) error {
	if !b.kept() {
		return nil
	}
	t := b.st.persist.begin()
	b.appendUploadEnd(t, u)
	return b.st.persist.commit(t)
}

// appendCompleted adds that an upload has ended as o. u.mu is held.
func (b *Bucket) appendCompleted(t *tx, u *Upload, at int64, o *Object) {
	b.appendUploadEnd(t, u)
	t.key(changeSet)
	t.buf = b.appendUploadKey(t.buf, rowCompleted, u.ID)
	t.value()
	t.buf = appendCompletedRow(t.buf, &b.index.names, []byte(u.Key), at, o)
	t.end()
}

// forgetCompleted drops the row of a completed upload. If that fails, the row
// is dropped when it is loaded.
func (d *persist) forgetCompleted(bucket uint64, id string) {
	t := d.begin()
	t.drop(changeDelete, func(dst []byte) []byte {
		return append(appendBucketPrefix(dst, rowCompleted, bucket), id...)
	})
	_ = d.commit(t)
}
