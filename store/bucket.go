package store

import (
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Bucket is a named, ordered set of objects and its multipart uploads. Keys
// are arbitrary bytes in plain byte order. All methods may run concurrently;
// key slices are not kept.
type Bucket struct {
	st      *Store
	name    string
	no      uint64 // tells it from an earlier bucket of the same name
	mode    Mode
	created time.Time
	virtual atomic.Pointer[virtual] // nil: without data sets; changed with mu held

	objects    atomic.Int64 // in the index
	bytes      atomic.Int64
	versioning atomic.Uint32 // Versioning; changed with mu held
	documents  documents     // changed with mu held

	cursors        sync.Pool // *Cursor
	versionCursors sync.Pool // *VersionCursor

	mu    sync.RWMutex // guards all below
	gone  bool         // deleted: writes must fail
	index index        // the current objects
	metas metaTable
	gen   uint64 // counts changes
	cur   record // what current returns; here so that it is not allocated
	hole  bool   // current has found a hole
	old   Object // what check is shown; likewise
	// For persistence: what undo needs, and what Complete adds to the record
	// of its put.
	before record
	had    bool
	also   func(t *tx, done *Object)

	versions    versionIndex // noncurrent versions and delete markers
	lastVersion uint64       // the place of the newest version

	uploads uploadIndex
}

func newBucket(s *Store, name string, no uint64, mode Mode, now time.Time) *Bucket {
	b := &Bucket{st: s, name: strings.Clone(name), no: no, mode: mode, created: now}
	// From the time on, so that no id of an earlier bucket of the name returns.
	b.lastVersion = uint64(max(now.UnixNano(), 0))
	b.index.init(s, b.name, &b.metas)
	b.cursors.New = func() any { return &Cursor{b: b} }
	b.versionCursors.New = func() any {
		return &VersionCursor{b: b, current: Cursor{b: b, locked: true}, older: b.versions.m.Iter()}
	}
	b.uploads.init()
	return b
}

// Name is the bucket's name.
func (b *Bucket) Name() string { return b.name }

// Mode says where its objects' bytes come from.
func (b *Bucket) Mode() Mode { return b.mode }

// Created is the time given to CreateBucket.
func (b *Bucket) Created() time.Time { return b.created }

// Len is the number of current objects, virtual ones included. Of data sets
// that may have keys in common (synth.Set.MayOverlap) those may count twice.
func (b *Bucket) Len() int {
	n, _ := b.virtual.Load().visible()
	return int(b.objects.Load() + n)
}

// Versions is the number of noncurrent versions and delete markers.
func (b *Bucket) Versions() int {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return int(b.versions.count)
}

// Bytes is the logical size of the current objects, virtual ones included, in
// bytes, cut at 2^63-1. It is exact unless a DatasetStats is not.
func (b *Bucket) Bytes() int64 {
	_, n := b.virtual.Load().visible()
	return addBytes(b.bytes.Load(), n)
}

// Get fills o with the current object at key and reports whether there is one; if not,
// o is unchanged. It takes a reference to the object's Data: the caller must
// call o.Release when it no longer reads, and may read meanwhile whatever
// happens to the key. It allocates nothing but the bytes of a checksum.
func (b *Bucket) Get(key []byte, o *Object) bool {
	var r record
	b.mu.RLock()
	defer b.mu.RUnlock()
	if b.index.get(key, &r) {
		if r.marker {
			return false // a hole
		}
	} else if !b.virtual.Load().find(key, &r) {
		return false
	}
	r.take(o)
	return true
}

// current returns the written object at key, nil if there is none. It is valid
// until the next call, and its checksum until the next change. b.mu is held for
// writing.
func (b *Bucket) current(key []byte) *record {
	found := b.index.lookup(key, &b.cur)
	b.hole = found && b.cur.marker
	if !found || b.hole {
		return nil
	}
	return &b.cur
}

// Put makes o the current object at key and sets o.Version. It replaces the
// object there, or with versioning adds a version. check, if not nil, runs under the
// bucket's lock and atomically with the change: old is the current object, nil
// if there is none, valid during the call only; check must not call into the
// store. If it returns an error, Put returns that error untouched and nothing
// has changed. Other errors: ErrNoSuchBucket, ErrMemoryLimit (index growth),
// ErrKeyTooLong.
//
// On success Put takes over the caller's reference to o.Data, which must be
// set to nil or left unused; on error the caller still owns it. The rest of o
// is copied.
func (b *Bucket) Put(key []byte, o *Object, check func(old *Object) error) error {
	return b.putAlso(key, o, check, nil)
}

// putAlso is Put with further changes in the same record of the journal.
func (b *Bucket) putAlso(key []byte, o *Object, check func(old *Object) error, also func(t *tx, done *Object)) error {
	b.st.admit()
	if err := b.saveBody(o.Data); err != nil {
		return err
	}
	b.mu.Lock()
	b.also = also
	freed, err := b.put(key, o, check)
	b.also = nil
	b.mu.Unlock()
	// Outside of the lock: returning gigabytes to the system takes a while.
	freed.Release()
	if err != nil {
		return err
	}
	if err = b.st.durable(); err != nil && o.Data != nil {
		o.Data.Retain() // the object is there, but the caller keeps its own
	}
	return err
}

// put is Put with b.mu held. It returns the Data replaced, to be released.
func (b *Bucket) put(key []byte, o *Object, check func(old *Object) error) (freed *Data, err error) {
	if b.gone {
		return nil, ErrNoSuchBucket
	}
	if len(key) > MaxKeyLen {
		return nil, ErrKeyTooLong
	}
	r := b.current(key)
	seen := r // by check
	if r == nil {
		seen = b.virtualAt(key)
	}
	if err := b.check(seen, check); err != nil {
		return nil, err
	}
	old := b.replaced(key, r)
	n := record{
		size:         o.Size,
		modTime:      o.ModTime,
		content:      o.Content,
		etag:         o.ETag.Sum,
		sum:          o.Checksum.Sum,
		parts:        o.Parts,
		data:         o.Data,
		etagParts:    o.ETag.Parts,
		sumAlgorithm: o.Checksum.Algorithm,
		sumComposite: o.Checksum.Composite,
		sumNamed:     o.Checksum.Named,
	}
	b.stamp(&n)
	var noncurrent *record // r, if it stays as a version
	if r != nil && r != old {
		noncurrent = r.clone()
	}
	need := b.historyNeed(key, noncurrent, r, old) + n.extra() + b.metas.cost(o.Meta)
	if err := b.st.mem.resize(memoryIndex, need); err != nil {
		return nil, err
	}
	b.remember(r)
	n.meta = b.metas.acquire(o.Meta)
	size := int64(0)
	if r != nil {
		size = r.size
	}
	if err := b.index.set(key, &n, false); err != nil {
		b.metas.release(n.meta)
		b.st.mem.force(memoryIndex, -need)
		return nil, err
	}
	if err := b.logPut(key, o, &n, old); err != nil {
		b.undo(key)
		b.metas.release(n.meta)
		b.st.mem.force(memoryIndex, -need)
		return nil, err
	}
	b.gen++
	if r == nil {
		b.objects.Add(1)
		if seen != nil {
			b.virtual.Load().cover(seen.size)
		}
	}
	b.bytes.Add(o.Size - size)
	o.Version = n.version()
	if old != nil {
		freed = old.data
		b.st.mem.release(memoryIndex, b.metas.release(old.meta))
	}
	switch {
	case noncurrent != nil:
		b.versions.push(key, noncurrent, old)
	case old != r:
		b.forget(key, old)
	}
	return freed, nil
}

// historyNeed is by how much the account of noncurrent versions grows, and
// that of what the current object r of key refers to shrinks, when r is
// replaced or deleted, noncurrent joins the history of key, and old, which may
// be r, ceases to be; each may be nil. In bytes; b.mu is held.
func (b *Bucket) historyNeed(key []byte, noncurrent, r, old *record) (need int64) {
	if r != nil {
		need -= r.extra()
	}
	if old != nil && old != r {
		need -= old.cost(key)
	}
	if noncurrent != nil {
		need += noncurrent.cost(key)
		if b.versions.get(key) == nil {
			need += historyCost
		}
	}
	return need
}

// check runs a caller's check on the object of r, which may be nil. b.mu is
// held for writing.
func (b *Bucket) check(r *record, check func(old *Object) error) error {
	if check == nil {
		return nil
	}
	if r == nil {
		return check(nil)
	}
	r.fill(&b.old)
	err := check(&b.old)
	b.old = Object{}
	return err
}

// Delete removes the current object at key, if there is one. With versioning it
// adds a delete marker at time now whether or not there is one, behind which
// the object stays as a version; if versioning is suspended, the marker is the
// null version and replaces an earlier one. A key of a data set is recorded as
// deleted, which takes some bytes of the index. check is as for Put. Other errors:
// ErrNoSuchBucket, ErrMemoryLimit (markers and records take index memory).
func (b *Bucket) Delete(key []byte, now time.Time, check func(old *Object) error) (Deleted, error) {
	b.st.admit()
	b.mu.Lock()
	freed, d, err := b.remove(key, now, check)
	b.mu.Unlock()
	freed.Release()
	if err == nil {
		err = b.st.durable()
	}
	return d, err
}

// remove is Delete with b.mu held. It returns the Data to be released.
func (b *Bucket) remove(key []byte, now time.Time, check func(old *Object) error) (freed *Data, d Deleted, err error) {
	if b.gone {
		return nil, d, ErrNoSuchBucket
	}
	r := b.current(key)
	seen := r
	if r == nil {
		seen = b.virtualAt(key)
	}
	d.Existed = seen != nil
	if err := b.check(seen, check); err != nil {
		return nil, d, err
	}
	if b.Versioning() != VersioningUnset {
		freed, d.Version, err = b.mark(key, r, now)
		d.Marker = err == nil
		return freed, d, err
	}
	if seen == nil {
		return nil, d, nil
	}
	if r == nil || b.virtual.Load().has(key) {
		freed, err = b.hide(key, r, seen.size)
		return freed, d, err
	}
	if err := b.logRemove(key, r); err != nil {
		return nil, d, err
	}
	b.gen++
	b.unlist(key, r)
	b.st.mem.release(memoryIndex, b.metas.release(r.meta))
	return r.data, d, nil
}

// unlist takes r, the current object at key, out of the index and leaves its
// Meta and Data to the caller. b.mu is held.
func (b *Bucket) unlist(key []byte, r *record) {
	b.index.remove(key)
	b.objects.Add(-1)
	b.bytes.Add(-r.size)
	b.st.mem.release(memoryIndex, r.extra())
}

// close makes an empty bucket refuse writes and drops its uploads and holes, or
// returns ErrBucketNotEmpty.
func (b *Bucket) close() error {
	b.mu.Lock()
	if !b.isEmpty() {
		b.mu.Unlock()
		return ErrBucketNotEmpty
	}
	if err := b.logGone(); err != nil {
		b.mu.Unlock()
		return err
	}
	b.gone = true
	b.virtual.Store(nil)
	b.index.clear()
	b.dropDocuments()
	b.mu.Unlock()
	for _, u := range b.uploads.close() {
		// An upload being completed right now finds the bucket gone.
		_ = u.end(false)
	}
	return nil
}
