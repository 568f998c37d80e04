package store

import (
	"bytes"
	"fmt"
	"strconv"
	"time"

	"github.com/s3ultra/s3ultra/synth"
)

// Archive is a database directory opened for import and export, without a
// Store: nothing is read into memory. It is used by one goroutine.
type Archive struct {
	d    *persist
	seed uint64
}

// OpenArchive opens p.Dir, of which only Pattern and Warn matter besides, or
// makes it. A new directory gets seed; of another one the seed must be the
// same if given is set, and else does not matter. Errors: those of Open.
func OpenArchive(p Persistence, seed uint64, given bool) (*Archive, error) {
	if p.Warn == nil {
		p.Warn = func(string) {}
	}
	d, err := openPersist(p.Dir, p.Warn)
	if err != nil {
		return nil, err
	}
	a := &Archive{d: d}
	if err := a.settle(p, seed, given); err != nil {
		d.closeIndex()
		return nil, fmt.Errorf("cannot open the database %s: %w", p.Dir, err)
	}
	return a, nil
}

func (a *Archive) settle(p Persistence, seed uint64, given bool) error {
	stored, err := a.d.readSettings()
	if err != nil {
		return err
	}
	opt := Options{Seed: seed, KeepSmall: -1}
	if text, ok := stored["seed"]; ok {
		if opt.Seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			return fmt.Errorf("its seed is %q: %w", text, ErrDamaged)
		}
		if given && opt.Seed != seed {
			return fmt.Errorf("%w: its seed is %d, not %d", ErrMismatch, opt.Seed, seed)
		}
		p.Pattern, p.Data = stored["pattern"], stored["data"] == "true"
		if err := a.d.recover(); err != nil {
			return err
		}
	}
	a.seed = opt.Seed
	return a.d.checkSettings(opt, p)
}

// Close makes everything durable.
func (a *Archive) Close() error {
	if err := a.d.closeIndex(); err != nil {
		return fmt.Errorf("cannot close the database %s: %w", a.d.dir, err)
	}
	return nil
}

// Buckets returns the names of the buckets, sorted.
func (a *Archive) Buckets() (names []string, err error) {
	err = a.d.scan([]byte{rowBucket}, func(key, _ []byte) error {
		names = append(names, string(key[1:]))
		return nil
	})
	return names, err
}

// bucket returns the row of a bucket; ErrNoSuchBucket.
func (a *Archive) bucket(name string) (r bucketRow, last uint64, err error) {
	found := false
	err = a.d.scan([]byte{rowBucket}, func(key, value []byte) error {
		b, err := parseBucketRow(value)
		if err != nil {
			return err
		}
		last = max(last, b.no)
		if string(key[1:]) == name {
			r, found = b, true
		}
		return nil
	})
	if err == nil && !found {
		err = ErrNoSuchBucket
	}
	return r, last, err
}

// importChunk is how many bytes of rows are sorted and written as one table:
// some 400,000 objects. There are two, one being filled and one being written,
// and with what sorting takes they need 130 MiB.
const importChunk = 32 << 20

// Importer adds objects of a synth bucket to an Archive. It is used by one
// goroutine and ends with Close.
type Importer struct {
	a       *Archive
	no      uint64
	names   synth.Names
	chunk   *importRows
	spare   chan *importRows
	full    chan *importRows
	done    chan error
	count   int64
	scratch versionRow
}

// importRows is a chunk of rows and the memory they are in.
type importRows struct {
	table rowTable
	arena []byte
}

// ImportObject is what an inventory says of an object.
type ImportObject struct {
	Size    int64
	ModTime int64 // Unix milliseconds
	ETag    ETag  // the zero ETag: derived, as of an object uploaded here
}

// Import returns an Importer into a bucket, made at time now if it does not
// exist. The bucket must be a synth one that never had versioning. An object
// whose key is there already is replaced.
func (a *Archive) Import(bucket string, now time.Time) (*Importer, error) {
	r, last, err := a.bucket(bucket)
	switch {
	case err == ErrNoSuchBucket:
		orphans, err := a.lastNumber()
		if err != nil {
			return nil, err
		}
		r = bucketRow{no: max(last, orphans) + 1, mode: Synth, created: now.UnixNano(), lastVersion: uint64(max(now.UnixNano(), 0))}
		t := rowTable{sorted: true}
		t.add(tableRow{key: append([]byte{rowBucket}, bucket...), value: appendBucketRow(nil, r)})
		if err := a.d.guard(func() error { return a.d.ingest(&t) }); err != nil {
			return nil, fmt.Errorf("cannot make bucket %s: %w", bucket, err)
		}
	case err != nil:
		return nil, err
	case r.mode != Synth:
		return nil, fmt.Errorf("cannot import into bucket %s: it is a memory bucket, whose objects have bytes", bucket)
	case r.versioning != VersioningUnset:
		return nil, fmt.Errorf("cannot import into bucket %s: it has versioning", bucket)
	}
	m := &Importer{
		a: a, no: r.no, names: synth.NewNames(a.seed, bucket),
		spare: make(chan *importRows, 2), full: make(chan *importRows), done: make(chan error, 1),
	}
	for range 2 {
		m.spare <- new(importRows)
	}
	m.take()
	go func() { m.done <- m.write() }()
	return m, nil
}

// lastNumber is the highest bucket number that rows have, of a bucket or left
// of one.
func (a *Archive) lastNumber() (last uint64, err error) {
	for _, kind := range []byte{rowObject, rowUpload, rowPart, rowCompleted, rowDocument} {
		err := a.d.numbers(kind, func(no uint64) { last = max(last, no) })
		if err != nil {
			return 0, err
		}
	}
	return last, nil
}

// take starts the next chunk.
func (m *Importer) take() {
	m.chunk = <-m.spare
	m.chunk.table.reset()
	if m.chunk.arena == nil {
		m.chunk.arena = make([]byte, 0, importChunk)
	}
	m.chunk.arena = m.chunk.arena[:0]
}

// write turns full chunks into tables.
func (m *Importer) write() (err error) {
	for chunk := range m.full {
		if err == nil {
			err = m.a.d.guard(func() error { return m.a.d.ingest(&chunk.table) })
		}
		m.spare <- chunk
		if err != nil {
			break
		}
	}
	if err != nil {
		for chunk := range m.full {
			m.spare <- chunk
		}
	}
	return err
}

// Add adds an object; key is copied. Errors of the disk may be those of
// earlier objects.
func (m *Importer) Add(key []byte, o ImportObject) error {
	if len(key) == 0 || len(key) > MaxKeyLen {
		return ErrKeyTooLong
	}
	// A key has at most twice its length in a row, a value at most 64 bytes.
	if cap(m.chunk.arena)-len(m.chunk.arena) < 2*len(key)+128 {
		m.full <- m.chunk
		m.take()
	}
	r := &m.scratch
	r.Size, r.ModTime, r.Content, r.ETag = o.Size, o.ModTime, m.names.Hash(key), o.ETag
	if o.ETag == (ETag{}) {
		r.ETag = derivedETag(&r.Object)
	}
	c := m.chunk
	start := len(c.arena)
	c.arena = appendObjectKey(c.arena, m.no, key, 0)
	middle := len(c.arena)
	c.arena = appendVersion(c.arena, &m.names, key, r)
	c.table.add(tableRow{key: c.arena[start:middle:middle], value: c.arena[middle:len(c.arena):len(c.arena)]})
	m.count++
	return nil
}

// Close ends the import and returns how many objects were added.
func (m *Importer) Close() (int64, error) {
	m.full <- m.chunk
	close(m.full)
	if err := <-m.done; err != nil {
		return 0, diskError("write the index", spaceError(err))
	}
	return m.count, nil
}

// Export calls fn with the current objects of a bucket in order of keys. The
// arguments are valid during the call. Errors: ErrNoSuchBucket, those of fn.
func (a *Archive) Export(bucket string, fn func(key []byte, o *Object) error) error {
	row, _, err := a.bucket(bucket)
	if err != nil {
		return err
	}
	names := synth.NewNames(a.seed, bucket)
	prefix := appendBucketPrefix(nil, rowObject, row.no)
	// A row is the current object if it is the last of its key: it waits for
	// the next one.
	var last, name, value []byte
	emit := func() error {
		if last == nil {
			return nil
		}
		var r versionRow
		if err := parseVersion(value, &names, last, &r); err != nil || r.marker {
			return err
		}
		return fn(last, &r.Object)
	}
	err = a.d.scan(prefix, func(key, v []byte) error {
		var ok bool
		if name, _, ok = splitObjectKey(name[:0], key[len(prefix):]); !ok {
			return fmt.Errorf("the key of an object is malformed: %w", ErrDamaged)
		}
		if last == nil || !bytes.Equal(name, last) {
			if err := emit(); err != nil {
				return err
			}
			last = append(last[:0], name...)
		}
		value = append(value[:0], v...)
		return nil
	})
	if err == nil {
		err = emit()
	}
	return err
}
