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

	objects atomic.Int64
	bytes   atomic.Int64
	cursors sync.Pool // *Cursor

	mu    sync.RWMutex // guards all below
	gone  bool         // deleted: writes must fail
	index index
	metas metaTable
	old   Object // what check is shown; here so that it is not allocated

	uploads uploadIndex
}

func newBucket(s *Store, name string, no uint64, mode Mode, now time.Time) *Bucket {
	b := &Bucket{st: s, name: strings.Clone(name), no: no, mode: mode, created: now}
	b.cursors.New = func() any { return &Cursor{b: b, it: b.index.m.Iter()} }
	b.uploads.init()
	return b
}

// Name is the bucket's name.
func (b *Bucket) Name() string { return b.name }

// Mode says where its objects' bytes come from.
func (b *Bucket) Mode() Mode { return b.mode }

// Created is the time given to CreateBucket.
func (b *Bucket) Created() time.Time { return b.created }

// Len is the number of objects.
func (b *Bucket) Len() int { return int(b.objects.Load()) }

// Bytes is the logical size of all objects, in bytes.
func (b *Bucket) Bytes() int64 { return b.bytes.Load() }

// Get fills o with the object at key and reports whether there is one; if not,
// o is unchanged. It takes a reference to the object's Data: the caller must
// call o.Release when it no longer reads, and may read meanwhile whatever
// happens to the key. It does not allocate.
func (b *Bucket) Get(key []byte, o *Object) bool {
	b.mu.RLock()
	defer b.mu.RUnlock()
	r := b.index.get(key)
	if r == nil {
		return false
	}
	r.fill(o)
	if o.Data != nil {
		o.Data.Retain()
	}
	return true
}

// Put inserts or replaces the object at key. check, if not nil, runs under the
// bucket's lock and atomically with the change: old is the object there, nil
// if there is none, valid during the call only; check must not call into the
// store. If it returns an error, Put returns that error untouched and nothing
// has changed. Other errors: ErrNoSuchBucket, ErrMemoryLimit (index growth).
//
// On success Put takes over the caller's reference to o.Data, which must be
// set to nil or left unused; on error the caller still owns it. The rest of o
// is copied.
func (b *Bucket) Put(key []byte, o *Object, check func(old *Object) error) error {
	b.mu.Lock()
	freed, err := b.put(key, o, check)
	b.mu.Unlock()
	// Outside of the lock: returning gigabytes to the system takes a while.
	freed.Release()
	return err
}

// put is Put with b.mu held. It returns the Data replaced, to be released.
func (b *Bucket) put(key []byte, o *Object, check func(old *Object) error) (freed *Data, err error) {
	if b.gone {
		return nil, ErrNoSuchBucket
	}
	r := b.index.get(key)
	if err := b.check(r, check); err != nil {
		return nil, err
	}
	need := indexCost(len(key), o.Checksum.Sum, o.Parts, o.Data) + b.metas.cost(o.Meta)
	if r != nil {
		need -= indexCost(len(key), r.sum, r.parts, r.data)
	}
	if need > 0 {
		if err := b.st.mem.reserve(memoryIndex, need); err != nil {
			return nil, err
		}
	} else {
		b.st.mem.release(memoryIndex, -need)
	}
	oldMeta := (*meta)(nil)
	if r == nil {
		r = new(record)
		b.index.insert(key, r)
		b.objects.Add(1)
		b.bytes.Add(o.Size)
	} else {
		b.bytes.Add(o.Size - r.size)
		oldMeta, freed = r.meta, r.data
	}
	// In place: readers copy a record under the read lock.
	*r = record{
		size:         o.Size,
		modTime:      o.ModTime,
		content:      o.Content,
		etag:         o.ETag.Sum,
		sum:          strings.Clone(o.Checksum.Sum),
		meta:         b.metas.acquire(o.Meta),
		parts:        o.Parts,
		data:         o.Data,
		etagParts:    o.ETag.Parts,
		sumAlgorithm: o.Checksum.Algorithm,
		sumComposite: o.Checksum.Composite,
		sumNamed:     o.Checksum.Named,
	}
	b.st.mem.release(memoryIndex, b.metas.release(oldMeta))
	return freed, nil
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

// Delete removes the object at key, if there is one. check is as for Put.
// Other errors: ErrNoSuchBucket.
func (b *Bucket) Delete(key []byte, check func(old *Object) error) (existed bool, err error) {
	b.mu.Lock()
	freed, existed, err := b.remove(key, check)
	b.mu.Unlock()
	freed.Release()
	return existed, err
}

// remove is Delete with b.mu held. It returns the Data to be released.
func (b *Bucket) remove(key []byte, check func(old *Object) error) (freed *Data, existed bool, err error) {
	if b.gone {
		return nil, false, ErrNoSuchBucket
	}
	r := b.index.get(key)
	if err := b.check(r, check); err != nil {
		return nil, r != nil, err
	}
	if r == nil {
		return nil, false, nil
	}
	b.index.remove(key)
	b.objects.Add(-1)
	b.bytes.Add(-r.size)
	b.st.mem.release(memoryIndex,
		indexCost(len(key), r.sum, r.parts, r.data)+b.metas.release(r.meta))
	return r.data, true, nil
}

// close makes an empty bucket refuse writes and drops its uploads, or returns
// ErrBucketNotEmpty.
func (b *Bucket) close() error {
	b.mu.Lock()
	if b.index.len() > 0 {
		b.mu.Unlock()
		return ErrBucketNotEmpty
	}
	b.gone = true
	b.mu.Unlock()
	for _, u := range b.uploads.close() {
		// An upload being completed right now finds the bucket gone.
		_ = u.end()
	}
	return nil
}
