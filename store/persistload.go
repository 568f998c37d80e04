package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// loader reads the index on disk into an empty store.
type loader struct {
	s   *Store
	now time.Time

	mu     sync.Mutex       // guards all below
	bodies map[uint64]*Data // read so far, by file; each holds a reference
}

// load reads the whole state, the buckets side by side.
func (s *Store) load() error {
	l := &loader{s: s, now: time.Now(), bodies: make(map[uint64]*Data)}
	buckets, err := l.buckets()
	if err != nil {
		return err
	}
	errs := make([]error, len(buckets))
	limit := make(chan struct{}, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for i, b := range buckets {
		limit <- struct{}{}
		wg.Go(func() {
			errs[i] = l.bucket(b)
			<-limit
		})
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			return fmt.Errorf("cannot read bucket %s: %w", buckets[i].name, err)
		}
	}
	if err := l.documents(buckets); err != nil {
		return err
	}
	if err := l.completed(); err != nil {
		return err
	}
	if err := l.dropOrphans(); err != nil {
		return err
	}
	err = s.persist.bodies.sweep(l.bodies)
	for _, d := range l.bodies {
		d.Release() // the rows have their own references
	}
	return err
}

// buckets makes the buckets.
func (l *loader) buckets() (list []*Bucket, err error) {
	m := make(map[string]*Bucket)
	err = l.s.persist.scan([]byte{rowBucket}, func(key, value []byte) error {
		r, err := parseBucketRow(value)
		if err != nil {
			return err
		}
		b := newBucket(l.s, string(key[1:]), r.no, r.mode, time.Unix(0, r.created))
		b.versioning.Store(uint32(r.versioning))
		// Not below now: numbers given last may have been removed since.
		b.lastVersion = max(r.lastVersion, uint64(max(l.now.UnixNano(), 0)))
		l.s.bucketNo = max(l.s.bucketNo, r.no)
		m[b.name] = b
		list = append(list, b)
		return nil
	})
	l.s.buckets.Store(&m)
	return list, err
}

// bucket reads the objects and uploads of b.
func (l *loader) bucket(b *Bucket) error {
	if err := l.objects(b); err != nil {
		return err
	}
	uploads := make(map[string]*Upload)
	err := l.s.persist.scan(appendBucketPrefix(nil, rowUpload, b.no), func(key, value []byte) error {
		u, err := parseUploadRow(value)
		if err != nil {
			return err
		}
		u.ID, u.b = string(key[5:]), b
		u.reserved = int64(uploadCost + len(u.Key) + len(u.Meta))
		if err := l.s.mem.reserve(memoryIndex, u.reserved); err != nil {
			return err
		}
		uploads[u.ID] = u
		b.uploads.add(u)
		return nil
	})
	if err != nil {
		return err
	}
	return l.s.persist.scan(appendBucketPrefix(nil, rowPart, b.no), func(key, value []byte) error {
		u := uploads[string(key[5:len(key)-4])]
		if u == nil {
			return nil // its upload has ended, see DeleteBucket
		}
		p, body, err := parsePartRow(value)
		if err != nil {
			return err
		}
		p.Number = int(binary.BigEndian.Uint32(key[len(key)-4:]))
		if p.Data, err = l.data(b, body); err != nil {
			return err
		}
		if err := l.s.mem.reserve(memoryIndex, p.memory()); err != nil {
			return err
		}
		u.reserved += p.memory()
		u.parts.Set(p.Number, p)
		return nil
	})
}

const (
	// loadChunk is how many objects go from the goroutine that reads and
	// decodes to the one that builds the index at once: enough that the hand
	// over (1 us) does not count, few enough to stay in the cache.
	loadChunk = 512
	// loadQueue evens out the two.
	loadQueue = 8
)

// loadedRow is a row on its way to the index.
type loadedRow struct {
	versionRow
	key    []byte
	latest bool // of its key
}

// loadedRows is a chunk of rows, which is used again and again.
type loadedRows struct {
	rows  []loadedRow
	arena []byte // of their keys and values
}

// hold copies p to memory that lives as long as the chunk's rows.
func (c *loadedRows) hold(p []byte) []byte {
	if cap(c.arena)-len(c.arena) < len(p) {
		c.arena = make([]byte, 0, max(2*cap(c.arena), 64<<10, len(p)))
	}
	c.arena = append(c.arena, p...)
	return c.arena[len(c.arena)-len(p):]
}

// objects reads the versions of all objects, in order.
func (l *loader) objects(b *Bucket) error {
	chunks := make(chan *loadedRows, loadQueue)
	free := make(chan *loadedRows, loadQueue+2) // holds all there are
	for range cap(free) {
		free <- new(loadedRows)
	}
	var failed atomic.Bool
	var scanErr error
	go func() {
		defer close(chunks)
		scanErr = l.scanObjects(b, chunks, free, &failed)
	}()
	var err error
	for c := range chunks {
		for i := range c.rows {
			if err == nil {
				err = b.restore(&c.rows[i])
			}
		}
		failed.Store(err != nil)
		clear(c.rows)
		c.rows, c.arena = c.rows[:0], c.arena[:0]
		free <- c
	}
	if err == nil {
		err = scanErr
	}
	return err
}

// errStopped ends a scan whose result nobody wants.
var errStopped = errors.New("stopped")

// scanObjects sends the rows of b to chunks, with Data, in memory from free. It
// ends early when failed is set.
func (l *loader) scanObjects(b *Bucket, chunks, free chan *loadedRows, failed *atomic.Bool) error {
	var name []byte
	prefix := appendBucketPrefix(nil, rowObject, b.no)
	c := <-free
	err := l.s.persist.scan(prefix, func(key, value []byte) error {
		var place uint64
		var ok bool
		if name, place, ok = splitObjectKey(name[:0], key[len(prefix):]); !ok {
			return fmt.Errorf("the key of an object is malformed: %w", ErrDamaged)
		}
		// The last row waits for the next one: it may not be the latest.
		if n := len(c.rows); n > 0 {
			switch last := &c.rows[n-1]; {
			case view(last.key) == view(name):
				last.latest = false
			case failed.Load():
				return errStopped
			case n >= loadChunk:
				chunks <- c
				c = <-free
			}
		}
		c.rows = append(c.rows, loadedRow{})
		r := &c.rows[len(c.rows)-1]
		r.key = c.hold(name)
		if err := parseVersion(c.hold(value), &b.index.names, r.key, &r.versionRow); err != nil {
			return err
		}
		r.latest, r.place = true, place
		var err error
		r.Data, err = l.data(b, r.body)
		r.body = nil
		return err
	})
	if err == nil {
		chunks <- c
	}
	return err
}

// restore puts a row into the index; rows come in order of key and time.
func (b *Bucket) restore(row *loadedRow) error {
	b.lastVersion = max(b.lastVersion, row.place)
	if row.latest {
		b.index.locateEnd(row.key)
	}
	if row.marker && row.place == 0 {
		if !row.latest {
			return nil // what has been written since came over it
		}
		return b.restoreHole(row.key)
	}
	if !row.latest || row.marker {
		return b.restoreNoncurrent(row)
	}
	r := b.recordOf(row)
	if err := b.st.mem.reserve(memoryIndex, r.extra()+b.metas.cost(row.Meta)); err != nil {
		return err
	}
	r.meta = b.metas.acquire(row.Meta)
	if err := b.index.set(row.key, &r, false); err != nil {
		return err
	}
	b.objects.Add(1)
	b.bytes.Add(row.Size)
	return nil
}

// locateEnd is locate for a key that is behind all others: the way is known
// without a comparison, which halves the time that a start takes for a row.
func (x *index) locateEnd(key []byte) {
	x.found, x.current = false, true
	x.located = append(x.located[:0], key...)
	if x.tree.root == 0 {
		return
	}
	id := x.tree.root
	for d := range x.path.at {
		p := x.tree.page(id)
		x.path.at[d] = treeStep{id, p.count()}
		if p.leaf() {
			x.path.leaf = d
			return
		}
		id = p.child(p.count())
	}
}

func (b *Bucket) restoreNoncurrent(row *loadedRow) error {
	r := b.recordOf(row)
	need := r.cost(row.key) + b.metas.cost(row.Meta)
	if b.versions.get(row.key) == nil {
		need += historyCost
	}
	if err := b.st.mem.reserve(memoryIndex, need); err != nil {
		return err
	}
	r.meta = b.metas.acquire(row.Meta)
	b.versions.push(row.key, &r, nil)
	return nil
}

// recordOf takes over the reference to the row's Data. The Meta is missing.
func (b *Bucket) recordOf(row *loadedRow) record {
	return record{
		size:         row.Size,
		modTime:      row.ModTime,
		content:      row.Content,
		etag:         row.ETag.Sum,
		sum:          row.Checksum.Sum,
		parts:        row.Parts,
		data:         row.Data,
		place:        row.place,
		etagParts:    row.ETag.Parts,
		sumAlgorithm: row.Checksum.Algorithm,
		sumComposite: row.Checksum.Composite,
		sumNamed:     row.Checksum.Named,
		versioned:    row.versioned,
		marker:       row.marker,
	}
}
