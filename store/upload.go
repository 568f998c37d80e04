package store

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/btree"
)

const (
	// uploadCost is the index estimate for an upload besides its key and Meta:
	// Upload (about 200 bytes), the id, a map entry and a B-tree place.
	uploadCost = 400
	// partCost is the same for a part besides its checksum and Data: 96 bytes in a B-tree at 2/3 fill.
	partCost = 144
)

// Upload is a multipart upload in progress. Its exported fields never change.
type Upload struct {
	ID        string // 48 hex digits, in order of creation
	Key       string
	Meta      string   // for the object to be
	Initiated int64    // Unix milliseconds
	Checksum  Checksum // the kind of the object's; Sum is empty

	b *Bucket

	mu       sync.Mutex // guards all below; held throughout Complete
	state    uploadState
	parts    btree.Map[int, Part]
	reserved int64  // index bytes
	result   Object // uploadCompleted
}

type uploadState uint8

const (
	uploadOpen uploadState = iota
	uploadEnded
	uploadCompleted
)

// Part is one part of an upload.
type Part struct {
	Number   int
	Size     int64 // bytes
	ModTime  int64 // Unix milliseconds
	ETag     ETag
	Checksum Checksum
	Data     *Data // nil if not kept
	// Copied: the part is bytes [Offset, Offset+Size) of the generated object
	// whose content name hashes to Content.
	Copied  bool
	Content uint64
	Offset  int64
	// TrueMD5: ETag.Sum is the MD5 of the bytes that were uploaded, kept or not.
	TrueMD5 bool
}

// memory is the index estimate for a part, in bytes.
func (p *Part) memory() int64 {
	return int64(partCost+len(p.Checksum.Sum)) + p.Data.overhead()
}

// uploadIndex holds a bucket's open uploads.
type uploadIndex struct {
	mu     sync.RWMutex // guards all below
	closed bool
	byID   map[string]*Upload
	sorted *btree.BTreeG[*Upload] // by key, then id
}

func (x *uploadIndex) init() {
	x.byID = make(map[string]*Upload)
	x.sorted = btree.NewBTreeGOptions(func(a, b *Upload) bool {
		if a.Key != b.Key {
			return a.Key < b.Key
		}
		return a.ID < b.ID
	}, btree.Options{NoLocks: true})
}

// add inserts u and reports false if the bucket is gone.
func (x *uploadIndex) add(u *Upload) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return false
	}
	x.byID[u.ID] = u
	x.sorted.Set(u)
	return true
}

// remove deletes u if it is there.
func (x *uploadIndex) remove(u *Upload) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.byID, u.ID)
	x.sorted.Delete(u)
}

// close refuses further uploads and returns the open ones.
func (x *uploadIndex) close() []*Upload {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.closed = true
	return x.sorted.Items()
}

func (x *uploadIndex) len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.byID)
}

// newUploadID returns 8 bytes that ascend with each call, close to now in
// nanoseconds, and 16 random ones, as hex.
func (s *Store) newUploadID(now time.Time) string {
	var raw [24]byte
	for {
		last := s.uploadNo.Load()
		next := max(last+1, now.UnixNano())
		if s.uploadNo.CompareAndSwap(last, next) {
			binary.BigEndian.PutUint64(raw[:8], uint64(next))
			break
		}
	}
	_, _ = rand.Read(raw[8:]) // never fails, see crypto/rand
	return hex.EncodeToString(raw[:])
}

// CreateUpload opens a multipart upload to key. meta and the kind of sum (its
// Sum is ignored) are for the object to be and opaque here. key and meta are
// copied. Errors: ErrNoSuchBucket, ErrMemoryLimit (index growth).
func (b *Bucket) CreateUpload(key []byte, meta string, sum Checksum, now time.Time) (*Upload, error) {
	u := &Upload{
		ID:        b.st.newUploadID(now),
		Key:       string(key),
		Meta:      strings.Clone(meta),
		Initiated: now.UnixMilli(),
		Checksum:  Checksum{Algorithm: sum.Algorithm, Composite: sum.Composite, Named: sum.Named},
		b:         b,
		reserved:  int64(uploadCost + len(key) + len(meta)),
	}
	b.st.admit()
	if err := b.st.mem.reserve(memoryIndex, u.reserved); err != nil {
		return nil, err
	}
	// If the bucket goes meanwhile, the row is dropped at the next start.
	if err := b.logUpload(u); err != nil {
		b.st.mem.release(memoryIndex, u.reserved)
		return nil, err
	}
	if !b.uploads.add(u) {
		b.st.mem.release(memoryIndex, u.reserved)
		return nil, ErrNoSuchBucket
	}
	b.st.completed.expire(now)
	return u, b.st.durable()
}

// Upload returns the open upload with that id, which must be to key;
// otherwise ErrNoSuchUpload. It does not allocate.
func (b *Bucket) Upload(id, key []byte) (*Upload, error) {
	b.uploads.mu.RLock()
	defer b.uploads.mu.RUnlock()
	u := b.uploads.byID[string(id)]
	if u == nil || u.Key != string(key) {
		return nil, ErrNoSuchUpload
	}
	return u, nil
}

// PutPart adds a part or replaces an earlier one of the same number, freeing
// its bytes. On success it takes over the caller's reference to p.Data; on
// error the caller still owns it. Strings in p are copied. Errors:
// ErrNoSuchUpload if the upload has ended meanwhile, ErrMemoryLimit (index
// growth).
func (b *Bucket) PutPart(u *Upload, p Part) error {
	p.Checksum.Sum = strings.Clone(p.Checksum.Sum)
	b.st.admit()
	if err := b.saveBody(p.Data); err != nil {
		return err
	}
	u.mu.Lock()
	if u.state != uploadOpen {
		u.mu.Unlock()
		return ErrNoSuchUpload
	}
	need := p.memory()
	if old, ok := u.parts.Get(p.Number); ok {
		need -= old.memory()
	}
	if need > 0 {
		if err := b.st.mem.reserve(memoryIndex, need); err != nil {
			u.mu.Unlock()
			return err
		}
	} else {
		b.st.mem.release(memoryIndex, -need)
	}
	if err := b.logPart(u, &p); err != nil {
		b.st.mem.release(memoryIndex, need)
		u.mu.Unlock()
		return err
	}
	u.reserved += need
	old, _ := u.parts.Set(p.Number, p)
	u.mu.Unlock()
	old.Data.Release()
	err := b.st.durable()
	if err != nil && p.Data != nil {
		p.Data.Retain() // the part is there, but the caller keeps its own
	}
	return err
}

// Parts returns up to max parts with numbers above after, ascending and
// without Data, and whether more follow. An upload that has ended has none.
func (b *Bucket) Parts(u *Upload, after, max int) (parts []Part, truncated bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.parts.Ascend(after+1, func(_ int, p Part) bool {
		if len(parts) >= max {
			truncated = true
			return false
		}
		p.Data = nil
		parts = append(parts, p)
		return true
	})
	return parts, truncated
}

// Abort ends an upload and frees its parts. The error is ErrNoSuchUpload if it
// was completed or aborted before.
func (b *Bucket) Abort(u *Upload) error {
	b.st.admit()
	if err := u.end(true); err != nil {
		return err
	}
	b.uploads.remove(u)
	return b.st.durable()
}

// end frees the parts of an open upload. log: that is news to the database.
func (u *Upload) end(log bool) error {
	u.mu.Lock()
	if u.state != uploadOpen {
		u.mu.Unlock()
		return ErrNoSuchUpload
	}
	if log {
		if err := u.b.logAbort(u); err != nil {
			u.mu.Unlock()
			return err
		}
	}
	u.state = uploadEnded
	parts := u.takeParts()
	u.mu.Unlock()
	parts.Scan(func(_ int, p Part) bool {
		p.Data.Release()
		return true
	})
	return nil
}

// takeParts empties the upload, returns its index memory and hands its parts,
// whose Data must be released, to the caller. u.mu is held.
func (u *Upload) takeParts() btree.Map[int, Part] {
	parts := u.parts
	u.parts = btree.Map[int, Part]{}
	u.b.st.mem.release(memoryIndex, u.reserved)
	u.reserved = 0
	return parts
}

// UploadsFrom calls fn with the open uploads in order of (key, id), ids being
// in order of creation, from the first that is >= (key, id) until fn returns
// false. fn runs under the lock of the bucket's uploads and must not call into
// the store. To skip a common prefix, return false and start again past it.
func (b *Bucket) UploadsFrom(key, id []byte, fn func(u *Upload) bool) {
	pivot := &Upload{Key: string(key), ID: string(id)}
	b.uploads.mu.RLock()
	defer b.uploads.mu.RUnlock()
	b.uploads.sorted.Ascend(pivot, fn)
}
