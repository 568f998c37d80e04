package store

import (
	"time"

	"github.com/s3ultra/s3ultra/synth"
)

// CompletePart is one entry of the list a client completes an upload with.
type CompletePart struct {
	Number   int
	ETag     ETag
	Checksum string // raw bytes, or "" for none
}

// CompleteOptions are the arguments of Complete besides the parts.
type CompleteOptions struct {
	Now  time.Time
	ETag ETagMode
	// Check is as for Bucket.Put; may be nil.
	Check func(old *Object) error
	// Checksum combines the listed parts' checksums into the object's; may be
	// nil. It may read the parts' Data and must take no reference. Its error is
	// returned untouched.
	Checksum func(parts []Part) (Checksum, error)
	// Size is what the parts must add up to, in bytes; -1 = not announced.
	Size int64
}

// Complete publishes the listed parts as one object, atomically, without
// copying bytes, and ends the upload; parts not listed are freed. The Object
// returned is a summary without Data, Parts and Meta: there is nothing to
// release. If the upload was completed before, or by another call at the same
// time, the same Object is returned and nothing happens.
//
// The object's ETag is MultipartETag of the parts' if the bytes are kept or
// every listed part has TrueMD5, UniqueETag if they are kept under ETagFast,
// and otherwise DeriveETag.
//
// Errors: ErrNoSuchUpload (aborted), ErrNoSuchBucket, ErrNoParts,
// ErrInvalidPartOrder, *InvalidPartError, *EntityTooSmallError,
// ErrSizeMismatch, ErrMemoryLimit, and those of Check and Checksum. The upload
// stays open then.
func (b *Bucket) Complete(u *Upload, parts []CompletePart, opt CompleteOptions) (Object, error) {
	u.mu.Lock()
	switch u.state {
	case uploadCompleted:
		defer u.mu.Unlock()
		return u.result, nil
	case uploadEnded:
		u.mu.Unlock()
		return Object{}, ErrNoSuchUpload
	}
	o, err := b.assemble(u, parts, opt)
	if err == nil {
		// One record of the journal: there is no moment with both or neither.
		err = b.putAlso([]byte(u.Key), &o, opt.Check, func(t *tx, done *Object) {
			b.appendCompleted(t, u, opt.Now.UnixMilli(), done)
		})
	}
	if err != nil {
		u.mu.Unlock()
		o.Release()
		return Object{}, err
	}
	o.Data, o.Parts, o.Meta = nil, nil, ""
	u.state, u.result = uploadCompleted, o
	freed := u.takeParts()
	// First remember, then forget: whoever misses the upload finds the result.
	b.st.completed.add(b.no, u, opt.Now)
	b.uploads.remove(u)
	u.mu.Unlock()
	freed.Scan(func(_ int, p Part) bool {
		p.Data.Release()
		return true
	})
	return o, nil
}

// assemble checks the list against the upload and makes the object, with a
// reference of its own to the bytes. u.mu is held.
func (b *Bucket) assemble(u *Upload, parts []CompletePart, opt CompleteOptions) (Object, error) {
	listed, err := b.listed(u, parts)
	if err != nil {
		return Object{}, err
	}
	o := Object{
		ModTime: opt.Now.UnixMilli(),
		Content: synth.Hash(b.st.opt.Seed, b.name, u.Key),
		Meta:    u.Meta,
	}
	kept, hashed := true, true
	for i := range listed {
		hashed = hashed && listed[i].TrueMD5
		o.Size += listed[i].Size
		kept = kept && listed[i].Data.Size() == listed[i].Size
	}
	if content, ok := copiedWhole(listed); ok {
		o.Content = content
	}
	if opt.Size >= 0 && opt.Size != o.Size {
		return Object{}, ErrSizeMismatch
	}
	if opt.Checksum != nil {
		if o.Checksum, err = opt.Checksum(listed); err != nil {
			return Object{}, err
		}
	}
	o.Parts = newParts(listed)
	kept = kept && (b.mode == Memory || o.Size < b.st.opt.KeepSmall)
	if kept {
		data := make([]*Data, len(listed))
		for i := range listed {
			data[i] = listed[i].Data
		}
		o.Data = Join(data)
	}
	switch {
	case !kept && !hashed:
		o.ETag = DeriveETag(o.Content, o.Size, len(listed))
	case opt.ETag == ETagFast && kept:
		o.ETag = b.st.UniqueETag(len(listed))
	default:
		sums := make([][16]byte, len(listed))
		for i := range listed {
			sums[i] = listed[i].ETag.Sum
		}
		o.ETag = MultipartETag(sums)
	}
	return o, nil
}

// copiedWhole tells whether parts are one generated object from its first byte
// on, copied piece by piece, as clients copy what is large: the result has the
// content of its source, as it has when copied at once.
func copiedWhole(parts []Part) (content uint64, ok bool) {
	var off int64
	for i := range parts {
		p := &parts[i]
		if !p.Copied || p.Offset != off || p.Content != parts[0].Content {
			return 0, false
		}
		off += p.Size
	}
	return parts[0].Content, true
}

// listed returns the uploaded parts a client lists, if all is well with them.
// u.mu is held.
func (b *Bucket) listed(u *Upload, parts []CompletePart) ([]Part, error) {
	if len(parts) == 0 {
		return nil, ErrNoParts
	}
	for i := 1; i < len(parts); i++ {
		if parts[i].Number <= parts[i-1].Number {
			return nil, ErrInvalidPartOrder
		}
	}
	list := make([]Part, len(parts))
	for i, want := range parts {
		p, ok := u.parts.Get(want.Number)
		if !ok || p.ETag != want.ETag || want.Checksum != "" && want.Checksum != p.Checksum.Sum {
			return nil, &InvalidPartError{Number: want.Number}
		}
		list[i] = p
	}
	// After all parts were found, as AWS does: a wrong part is named first.
	for _, p := range list[:len(list)-1] {
		if p.Size < b.st.opt.MinPartSize {
			return nil, &EntityTooSmallError{Size: p.Size, Min: b.st.opt.MinPartSize, Number: p.Number}
		}
	}
	return list, nil
}

// Completed returns the summary that Complete returned for an upload that has
// been completed, if it is remembered: at least for an hour, unless 100,000
// others followed. What is older goes with the next CreateUpload or Complete.
func (b *Bucket) Completed(id, key []byte) (Object, bool) {
	return b.st.completed.get(b.no, id, key)
}
