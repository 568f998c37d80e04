// Package store holds buckets, the ordered object index, multipart uploads and
// the bytes of objects that have true ones, in memory and under one limit. It
// knows no HTTP and no signatures.
//
// Locks are taken in this order, and each is released before foreign code
// runs, except where a doc comment says "under the lock": Store.mu, Upload.mu,
// Bucket.mu, uploadIndex.mu, completedTable.mu. The memory account and the
// reference counts are atomic.
package store

import (
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Options configure a Store. The zero value is a store without limits that
// keeps no bytes in synth mode.
type Options struct {
	Seed        uint64 // of synth.Hash, for the content names of multipart objects
	MemoryLimit int64  // bytes, 0 = none
	KeepSmall   int64  // bytes; smaller synth objects keep their true bytes
	MinPartSize int64  // bytes, of all parts but the last; 0 = no minimum
}

// Store is all state of one server. All methods may run concurrently.
type Store struct {
	opt      Options
	mem      memory
	segments *segmentAllocator
	writers  sync.Pool // *Writer

	nonce    uint64        // random, so that unique ETags differ between runs
	writes   atomic.Uint64 // counts unique ETags
	uploadNo atomic.Int64  // the last upload's time-ordered number

	completed completedTable
	persist   *persist // nil: in memory only

	mu       sync.Mutex // serialises creation and deletion of buckets
	buckets  atomic.Pointer[map[string]*Bucket]
	bucketNo uint64 // the last bucket's number, guarded by mu
}

// New returns an empty store.
func New(opt Options) *Store {
	s := &Store{opt: opt, segments: newSegmentAllocator(), nonce: rand.Uint64()}
	s.mem.limit = opt.MemoryLimit
	s.writers.New = func() any { return &Writer{st: s} }
	s.buckets.Store(&map[string]*Bucket{})
	return s
}

// CreateBucket makes an empty bucket; the error is ErrBucketExists. The name is
// not checked.
func (s *Store) CreateBucket(name string, mode Mode, now time.Time) (*Bucket, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := *s.buckets.Load()
	if _, ok := old[name]; ok {
		return nil, ErrBucketExists
	}
	s.bucketNo++
	b := newBucket(s, name, s.bucketNo, mode, now)
	if err := b.logBucket(VersioningUnset); err != nil {
		return nil, err
	}
	s.setBuckets(old, func(m map[string]*Bucket) { m[b.name] = b })
	return b, s.durable()
}

// setBuckets publishes a changed copy of the bucket map: lookups happen with
// every request and take no lock, changes are rare. The caller holds s.mu.
func (s *Store) setBuckets(old map[string]*Bucket, change func(map[string]*Bucket)) {
	m := make(map[string]*Bucket, len(old)+1)
	for name, b := range old {
		m[name] = b
	}
	change(m)
	s.buckets.Store(&m)
}

// Bucket returns the bucket of that name, or nil. It does not allocate.
func (s *Store) Bucket(name []byte) *Bucket {
	return (*s.buckets.Load())[string(name)]
}

// DeleteBucket removes an empty bucket and its unfinished uploads. Errors:
// ErrNoSuchBucket, ErrBucketNotEmpty. A Put that ran before makes it fail; a
// Put that runs after fails with ErrNoSuchBucket.
func (s *Store) DeleteBucket(name []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := *s.buckets.Load()
	b := old[string(name)]
	if b == nil {
		return ErrNoSuchBucket
	}
	if err := b.close(); err != nil {
		return err
	}
	s.setBuckets(old, func(m map[string]*Bucket) { delete(m, b.name) })
	return s.durable()
}

// Buckets returns all buckets sorted by name.
func (s *Store) Buckets() []*Bucket {
	m := *s.buckets.Load()
	list := make([]*Bucket, 0, len(m))
	for _, b := range m {
		list = append(list, b)
	}
	slices.SortFunc(list, func(a, b *Bucket) int {
		if a.name < b.name {
			return -1
		}
		return 1
	})
	return list
}

// MemoryUsed is what counts against Options.MemoryLimit, in bytes: bodies, kept
// bytes and the index estimate. It is 0 when every object, upload and
// reference is gone.
func (s *Store) MemoryUsed() int64 {
	return s.mem.used.Load()
}

// Stats are gauges of a store; each is exact, together they are not a snapshot.
type Stats struct {
	Buckets, Objects, Uploads int64 // Objects are the current ones
	Versions                  int64 // noncurrent versions and delete markers
	Bytes                     int64 // logical size of the current objects, see Bucket.Bytes
	MemoryData                int64 // bytes of memory-mode bodies, rounded to pages
	MemoryKept                int64 // bytes kept in synth mode
	MemoryIndex               int64 // estimate for metadata, bytes
	MemoryLimit               int64 // Options.MemoryLimit
	MemoryIdle                int64 // free segments held for reuse, bytes; not counted as used
}

// Stats returns the gauges. It takes time in proportion to the buckets.
func (s *Store) Stats() Stats {
	st := Stats{
		MemoryData:  s.mem.kinds[memoryData].Load(),
		MemoryKept:  s.mem.kinds[memoryKept].Load(),
		MemoryIndex: s.mem.kinds[memoryIndex].Load(),
		MemoryLimit: s.mem.limit,
		MemoryIdle:  s.segments.idle(),
	}
	for _, b := range *s.buckets.Load() {
		st.Buckets++
		st.Objects += int64(b.Len())
		st.Versions += int64(b.Versions())
		st.Bytes = addBytes(st.Bytes, b.Bytes())
		st.Uploads += int64(b.uploads.len())
	}
	return st
}
