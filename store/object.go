package store

import "strings"

// Checksum is a checksum a client sent or asked for. The store does not
// interpret it.
type Checksum struct {
	Algorithm uint8  // the caller's code; 0 = none
	Composite bool   // a checksum of the parts' checksums
	Named     bool   // the client chose the type itself: the caller's to interpret
	Sum       string // raw bytes
}

// Object is a snapshot of one version of an object; changing it changes
// nothing in the store. Strings given to the store in an Object (Meta,
// Checksum.Sum) are copied, so they may be views of memory that is reused.
type Object struct {
	Size     int64
	ModTime  int64 // Unix milliseconds
	ETag     ETag
	Content  uint64 // synth: hash of the content name; a copy carries its source's
	Meta     string // opaque to the store; equal strings in a bucket share memory
	Parts    *Parts // nil for a single PUT
	Checksum Checksum
	Data     *Data // the true bytes, or nil: they are generated, or there are none
	Version  Version
}

// Release drops the reference to Data which Get took. It may be called again
// and on an object without Data.
func (o *Object) Release() {
	if o.Data != nil {
		o.Data.Release()
		o.Data = nil
	}
}

// record is a version of an object, or a delete marker, with the references
// that belong to it. The index holds it packed (packedrecord.go), a history as
// these 96 bytes, a size class of Go's allocator.
type record struct {
	size    int64
	modTime int64
	content uint64
	etag    [16]byte
	sum     string
	meta    *meta
	parts   *Parts
	data    *Data // one reference
	// place orders the versions of a key in time; 0 is before all others: a
	// write to a bucket without versioning.
	place uint64

	etagParts    uint16
	sumAlgorithm uint8
	sumComposite bool
	sumNamed     bool
	versioned    bool // place is its Version; else this is the null version
	marker       bool // a delete marker, never current
}

// version is the Version of r.
func (r *record) version() Version {
	if !r.versioned {
		return 0
	}
	return Version(r.place)
}

// fill copies the record into o without taking a reference.
func (r *record) fill(o *Object) {
	o.Size = r.size
	o.ModTime = r.modTime
	o.ETag = ETag{Sum: r.etag, Parts: r.etagParts}
	o.Content = r.content
	o.Meta = r.meta.text()
	o.Parts = r.parts
	o.Checksum = Checksum{Algorithm: r.sumAlgorithm, Composite: r.sumComposite, Named: r.sumNamed, Sum: r.sum}
	o.Data = r.data
	o.Version = r.version()
}

// take copies the record into o for a caller that reads it after the lock: it
// takes a reference to the Data and copies the checksum.
func (r *record) take(o *Object) {
	r.fill(o)
	o.Checksum.Sum = strings.Clone(r.sum)
	if o.Data != nil {
		o.Data.Retain()
	}
}

// clone returns a copy of r that shares no memory with a page.
func (r *record) clone() *record {
	c := *r
	c.sum = strings.Clone(r.sum)
	return &c
}

// recordCost is what a noncurrent version costs besides its key, its checksum
// and its part sizes: the 96-byte record, its place in the slice of a history,
// and what both leave free. TestVersionCost measures it.
const recordCost = 144

// cost is the estimate of the index memory of a noncurrent version, in bytes,
// without its Meta. It is a pure function of key length and version, so that
// what was reserved is what is released.
func (r *record) cost(key []byte) int64 {
	return int64(recordCost+len(key)+len(r.sum)) + r.extra()
}

// extra is the index memory of what r refers to in bytes, besides its Meta.
func (r *record) extra() int64 {
	return r.parts.memory() + r.data.overhead()
}
