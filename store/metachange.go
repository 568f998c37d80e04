package store

// ChangeMeta replaces the Meta of the current object at key, or with named set
// of version v, and nothing else: ETag, ModTime and Version stay. change is
// shown the object and returns its new Meta, which is copied; it runs under the
// bucket's lock and atomically with the change, and must not call into the
// store. If it returns an error, ChangeMeta returns that untouched and nothing
// has changed. An object of a data set is a written one from then on, of the
// same bytes.
//
// Other errors: ErrNoSuchBucket, ErrNoSuchVersion (also when there is no current
// object), ErrDeleteMarker, ErrMemoryLimit.
func (b *Bucket) ChangeMeta(key []byte, v Version, named bool, change func(o *Object) (meta string, err error)) error {
	b.st.admit()
	b.mu.Lock()
	err := b.changeMeta(key, v, named, change)
	b.mu.Unlock()
	if err != nil {
		return err
	}
	return b.st.durable()
}

// changeMeta is ChangeMeta with b.mu held.
func (b *Bucket) changeMeta(key []byte, v Version, named bool, change func(o *Object) (string, error)) error {
	if b.gone {
		return ErrNoSuchBucket
	}
	r := b.current(key)
	written := r != nil
	if !written {
		r = b.virtualAt(key)
	}
	if named && (r == nil || r.version() != v) {
		return b.changeOlderMeta(b.versions.version(key, v), key, change)
	}
	if r == nil {
		return ErrNoSuchVersion
	}
	n := r.clone() // r is a view of the page that set changes
	text, err := b.newMeta(n, change)
	if err != nil {
		return err
	}
	cost := b.metas.cost(text)
	if err := b.st.mem.resize(memoryIndex, cost); err != nil {
		return err
	}
	old := n.meta
	if written {
		b.remember(n)
	} else {
		old = nil // a data set's, which no object has a reference to
		b.remember(nil)
	}
	n.meta = b.metas.acquire(text)
	if err := b.index.set(key, n, false); err != nil {
		b.metas.release(n.meta)
		b.st.mem.force(memoryIndex, -cost)
		return err
	}
	if err := b.logRecord(key, n); err != nil {
		b.undo(key)
		b.metas.release(n.meta)
		b.st.mem.force(memoryIndex, -cost)
		return err
	}
	b.gen++
	b.st.mem.release(memoryIndex, b.metas.release(old))
	if !written {
		b.objects.Add(1)
		b.bytes.Add(n.size)
		b.virtual.Load().cover(n.size)
	}
	return nil
}

// changeOlderMeta is changeMeta for a version that is not current.
func (b *Bucket) changeOlderMeta(r *record, key []byte, change func(o *Object) (string, error)) error {
	switch {
	case r == nil:
		return ErrNoSuchVersion
	case r.marker:
		return ErrDeleteMarker
	}
	text, err := b.newMeta(r, change)
	if err != nil {
		return err
	}
	if err := b.st.mem.resize(memoryIndex, b.metas.cost(text)); err != nil {
		return err
	}
	old := r.meta
	r.meta = b.metas.acquire(text)
	if err := b.logRecord(key, r); err != nil {
		b.st.mem.release(memoryIndex, b.metas.release(r.meta))
		r.meta = old
		return err
	}
	b.gen++
	b.st.mem.release(memoryIndex, b.metas.release(old))
	return nil
}

// newMeta asks change for the Meta of r.
func (b *Bucket) newMeta(r *record, change func(o *Object) (string, error)) (string, error) {
	r.fill(&b.old)
	text, err := change(&b.old)
	b.old = Object{}
	return text, err
}

// logRecord writes a version anew that is there already. b.mu is held.
func (b *Bucket) logRecord(key []byte, r *record) error {
	if !b.kept() {
		return nil
	}
	t := b.st.persist.begin()
	row := versionRow{place: r.place, versioned: r.versioned}
	r.fill(&row.Object)
	b.appendVersionRow(t, key, &row)
	return b.st.persist.commit(t)
}
