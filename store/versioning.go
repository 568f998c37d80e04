package store

import "time"

// Deleted is what became of a delete.
type Deleted struct {
	// Existed: there was a current object (Delete), or the version
	// (DeleteVersion).
	Existed bool
	// Marker: a delete marker was added (Delete), or the version removed was
	// one (DeleteVersion).
	Marker bool
	// Version is the marker added, or the version asked for.
	Version Version
}

// Versioning is the bucket's versioning state.
func (b *Bucket) Versioning() Versioning {
	return Versioning(b.versioning.Load())
}

// SetVersioning enables or suspends versioning; there is no way back to
// VersioningUnset. Objects that are there become null versions. The error is
// ErrNoSuchBucket, or ErrHasDatasets: virtual objects have no versions.
func (b *Bucket) SetVersioning(v Versioning) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.gone {
		return ErrNoSuchBucket
	}
	if len(b.Datasets()) > 0 {
		return ErrHasDatasets
	}
	if v != VersioningUnset {
		if err := b.logBucket(v); err != nil {
			return err
		}
		b.versioning.Store(uint32(v))
	}
	return b.st.durable()
}

// GetVersion fills o with one version of key, current or not, as Get does.
// Errors: ErrNoSuchVersion, o being unchanged; ErrDeleteMarker, o then being
// the marker: Version and ModTime.
func (b *Bucket) GetVersion(key []byte, v Version, o *Object) error {
	var cur record
	b.mu.RLock()
	defer b.mu.RUnlock()
	r := b.version(key, v, &cur)
	switch {
	case r == nil:
		return ErrNoSuchVersion
	case r.marker:
		r.fill(o)
		return ErrDeleteMarker
	}
	r.take(o)
	return nil
}

// version returns version v of key, or nil. If it is the current one, it is
// read into cur. b.mu is held.
func (b *Bucket) version(key []byte, v Version, cur *record) *record {
	if b.index.get(key, cur) {
		if !cur.marker && cur.version() == v {
			return cur
		}
	} else if v == 0 && b.virtual.Load().find(key, cur) {
		return cur
	}
	return b.versions.version(key, v)
}

// Marker returns the delete marker that is the latest version of key, and
// whether there is one: then Get finds no object.
func (b *Bucket) Marker(key []byte) (v Version, ok bool) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	r := b.versions.newest(key)
	if r == nil || b.index.has(key) {
		return 0, false
	}
	return r.version(), true
}

// replaced returns the version that a write to key takes the place of, nil if
// none; r is the current object. b.mu is held.
func (b *Bucket) replaced(key []byte, r *record) *record {
	switch b.Versioning() {
	case VersioningUnset:
		return r
	case VersioningEnabled:
		return nil
	}
	if r != nil && !r.versioned {
		return r
	}
	return b.versions.version(key, 0)
}

// stamp gives a new version its place in time. b.mu is held.
func (b *Bucket) stamp(r *record) {
	v := b.Versioning()
	if v == VersioningUnset {
		return
	}
	b.lastVersion++
	r.place = b.lastVersion
	r.versioned = v == VersioningEnabled
}

// mark adds a delete marker to key, where r is the current object, nil if none.
// It returns the Data to be released. b.mu is held.
func (b *Bucket) mark(key []byte, r *record, now time.Time) (freed *Data, v Version, err error) {
	old := b.replaced(key, r)
	m := &record{modTime: now.UnixMilli(), marker: true}
	var noncurrent *record
	if r != nil && r != old {
		noncurrent = r.clone()
	}
	need := b.historyNeed(key, noncurrent, r, old) + m.cost(key)
	if noncurrent == nil && b.versions.get(key) == nil {
		need += historyCost
	}
	if r != nil {
		need += r.extra() // unlist does that
	}
	if err := b.st.mem.resize(memoryIndex, need); err != nil {
		return nil, 0, err
	}
	b.stamp(m)
	if err := b.logMark(key, m, old); err != nil {
		b.st.mem.force(memoryIndex, -need)
		return nil, 0, err
	}
	b.gen++
	if old != nil {
		b.st.mem.release(memoryIndex, b.metas.release(old.meta))
		freed = old.data
	}
	if r != nil {
		b.unlist(key, r)
	}
	if noncurrent != nil {
		b.versions.push(key, noncurrent, nil)
	}
	if old == r {
		old = nil // done with
	}
	b.versions.push(key, m, old)
	return freed, m.version(), nil
}

// DeleteVersion removes version v of key for good, if there is one. If that
// was the latest, the version before it becomes the latest: an object is
// current again. check is as for Put; it is shown the version, nil if there is
// none or it is a delete marker. Other errors: ErrNoSuchBucket.
func (b *Bucket) DeleteVersion(key []byte, v Version, check func(old *Object) error) (Deleted, error) {
	b.st.admit()
	b.mu.Lock()
	freed, d, err := b.removeVersion(key, v, check)
	b.mu.Unlock()
	freed.Release()
	if err == nil {
		err = b.st.durable()
	}
	return d, err
}

// removeVersion is DeleteVersion with b.mu held. It returns the Data to be
// released.
func (b *Bucket) removeVersion(key []byte, v Version, check func(old *Object) error) (freed *Data, d Deleted, err error) {
	if v == 0 && len(b.Datasets()) > 0 {
		// What is there is the null version, and a virtual one must be hidden.
		return b.remove(key, time.Time{}, check)
	}
	d.Version = v
	if b.gone {
		return nil, d, ErrNoSuchBucket
	}
	r := b.current(key)
	if r == nil || r.version() != v {
		r = b.versions.version(key, v)
	}
	d.Existed = r != nil
	shown := r
	if r != nil && r.marker {
		d.Marker, shown = true, nil
	}
	if err := b.check(shown, check); err != nil || r == nil {
		return nil, d, err
	}
	if err := b.logRemove(key, r); err != nil {
		return nil, d, err
	}
	b.gen++
	freed = r.data
	b.st.mem.release(memoryIndex, b.metas.release(r.meta))
	if r == &b.cur {
		b.unlist(key, r)
	} else {
		b.st.mem.release(memoryIndex, r.cost(key))
		b.forget(key, r)
	}
	b.promote(key)
	return freed, d, nil
}

// forget takes a version out of the history of key. b.mu is held.
func (b *Bucket) forget(key []byte, r *record) {
	if b.versions.remove(key, r) {
		b.st.mem.release(memoryIndex, historyCost)
	}
}

// promote makes the newest version of key current if it is an object and there
// is no current one. b.mu is held.
func (b *Bucket) promote(key []byte) {
	r := b.versions.newest(key)
	if r == nil || r.marker || b.current(key) != nil {
		return
	}
	b.st.mem.release(memoryIndex, r.cost(key)-r.extra())
	// Whatever the limit: a delete must not fail for want of memory, and the
	// version took more before.
	_ = b.index.set(key, r, true)
	b.forget(key, r)
	b.objects.Add(1)
	b.bytes.Add(r.size)
}
