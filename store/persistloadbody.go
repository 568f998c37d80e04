package store

import (
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/s3ultra/s3ultra/synth"
)

// data makes the Data that a row's pieces are, with one reference; nil if
// there are none.
func (l *loader) data(b *Bucket, body []bodyPiece) (*Data, error) {
	if len(body) == 0 {
		return nil, nil
	}
	pieces := make([]*Data, len(body))
	defer func() {
		for _, p := range pieces {
			p.Release()
		}
	}()
	for i, p := range body {
		var err error
		if p.file != nil {
			pieces[i], err = l.file(p.file)
		} else {
			pieces[i], err = l.inline(b, p.inline)
		}
		if err != nil {
			return nil, err
		}
	}
	return Join(pieces), nil
}

// inline copies a small body.
func (l *loader) inline(b *Bucket, body []byte) (*Data, error) {
	kind := memoryKept
	if b.mode == Memory {
		kind = memoryData
	}
	n := int64(len(body))
	if err := l.s.mem.reserve(kind, n); err != nil {
		return nil, err
	}
	d := &Data{st: l.s, size: n, cost: n, kind: kind, small: slices.Clone(body)}
	d.refs.Store(1)
	return d, nil
}

// file reads a large body, once however many rows share it.
func (l *loader) file(f *bodyFile) (*Data, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	d := l.bodies[f.id]
	if d == nil {
		var err error
		if d, err = l.s.readBody(f); err != nil {
			return nil, err
		}
		l.bodies[f.id] = d
	}
	d.Retain()
	return d, nil
}

// completed reads the summaries of completed uploads.
func (l *loader) completed() error {
	names := make(map[uint64]*synth.Names)
	for _, b := range l.s.Buckets() {
		names[b.no] = &b.index.names
	}
	var list []*completedUpload
	err := l.s.persist.scan([]byte{rowCompleted}, func(key, value []byte) error {
		if len(key) < 5 {
			return fmt.Errorf("the key of a completed upload is malformed: %w", ErrDamaged)
		}
		no := uint64(binary.BigEndian.Uint32(key[1:]))
		l.s.bucketNo = max(l.s.bucketNo, no)
		if names[no] == nil {
			names[no] = new(synth.Names) // nobody will ask; it goes when it is old
		}
		name, at, o, err := parseCompletedRow(value, names[no])
		if err != nil {
			return err
		}
		list = append(list, &completedUpload{id: string(key[5:]), key: name, bucket: no, at: time.UnixMilli(at), result: o})
		return nil
	})
	slices.SortStableFunc(list, func(a, b *completedUpload) int { return a.at.Compare(b.at) })
	for _, e := range list {
		l.s.completed.append(e)
	}
	return err
}

// dropOrphans removes rows of buckets that are gone: a request that ran beside
// DeleteBucket may have written them.
func (l *loader) dropOrphans() error {
	d := l.s.persist
	known := make(map[uint64]bool)
	for _, b := range l.s.Buckets() {
		known[b.no] = true
	}
	batch := d.db.NewBatch()
	defer batch.Close()
	for _, kind := range []byte{rowObject, rowUpload, rowPart, rowDocument} {
		err := d.numbers(kind, func(no uint64) {
			l.s.bucketNo = max(l.s.bucketNo, no)
			if !known[no] {
				from := appendBucketPrefix(nil, kind, no)
				_ = batch.DeleteRange(from, prefixEnd(from), nil)
			}
		})
		if err != nil {
			return err
		}
	}
	if batch.Empty() {
		return nil
	}
	return d.guard(func() error { return d.db.Apply(batch, pebble.NoSync) })
}

// numbers calls fn with each bucket number that rows of a kind have.
func (d *persist) numbers(kind byte, fn func(no uint64)) error {
	it, err := d.db.NewIter(&pebble.IterOptions{LowerBound: []byte{kind}, UpperBound: []byte{kind + 1}})
	if err != nil {
		return openError(err)
	}
	for ok := it.First(); ok; {
		if len(it.Key()) < 5 {
			it.Close()
			return fmt.Errorf("a key is malformed: %w", ErrDamaged)
		}
		no := uint64(binary.BigEndian.Uint32(it.Key()[1:]))
		fn(no)
		ok = it.SeekGE(prefixEnd(appendBucketPrefix(nil, kind, no)))
	}
	if err := it.Close(); err != nil {
		return openError(err)
	}
	return nil
}
