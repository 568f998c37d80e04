package store

import (
	"encoding/binary"
	"sync"
	"sync/atomic"
)

// DocumentKind names one of the documents that belong to a bucket. The numbers
// are on disk and never change.
type DocumentKind uint8

// The kinds of documents.
const (
	DocumentPolicy DocumentKind = iota
	DocumentTagging
	DocumentPublicAccessBlock
	DocumentOwnershipControls
	documentKinds // how many there are
)

// Document is a text that a client has set on a bucket, opaque to the store. It
// never changes: a new text is a new Document.
type Document struct {
	Text string

	once    sync.Once
	meaning any
}

// Meaning returns what read makes of the text. read runs once for a document,
// so that each request need not parse it again.
func (d *Document) Meaning(read func(text string) any) any {
	d.once.Do(func() { d.meaning = read(d.Text) })
	return d.meaning
}

// documents are those of one bucket.
type documents [documentKinds]atomic.Pointer[Document]

// documentCost is what a document costs besides its text: the Document and
// what its meaning may take. Policies are a few statements.
const documentCost = 256

func (d *Document) memory() int64 {
	if d == nil {
		return 0
	}
	return int64(documentCost + len(d.Text))
}

// Document returns the bucket's document of that kind, or nil. It takes no lock
// and allocates nothing.
func (b *Bucket) Document(kind DocumentKind) *Document {
	return b.documents[kind].Load()
}

// SetDocument sets the document of that kind, which is copied; the empty text
// removes it. Errors: ErrNoSuchBucket, ErrMemoryLimit.
func (b *Bucket) SetDocument(kind DocumentKind, text string) error {
	b.st.admit()
	b.mu.Lock()
	err := b.setDocument(kind, text)
	b.mu.Unlock()
	if err != nil {
		return err
	}
	return b.st.durable()
}

// setDocument is SetDocument with b.mu held.
func (b *Bucket) setDocument(kind DocumentKind, text string) error {
	if b.gone {
		return ErrNoSuchBucket
	}
	old := b.documents[kind].Load()
	var d *Document
	if text != "" {
		d = &Document{Text: string([]byte(text))}
	}
	need := d.memory() - old.memory()
	if err := b.st.mem.resize(memoryIndex, need); err != nil {
		return err
	}
	if err := b.logDocument(kind, text); err != nil {
		b.st.mem.force(memoryIndex, -need)
		return err
	}
	b.documents[kind].Store(d)
	return nil
}

// dropDocuments returns the memory of the documents. b.mu is held.
func (b *Bucket) dropDocuments() {
	for kind := range b.documents {
		b.st.mem.release(memoryIndex, b.documents[kind].Swap(nil).memory())
	}
}

// appendDocumentKey appends the row key of a document.
func (b *Bucket) appendDocumentKey(dst []byte, kind DocumentKind) []byte {
	return append(appendBucketPrefix(dst, rowDocument, b.no), byte(kind))
}

// logDocument writes ahead that the bucket gets a document, or loses it if text
// is empty. b.mu is held.
func (b *Bucket) logDocument(kind DocumentKind, text string) error {
	d := b.st.persist
	if d == nil {
		return nil
	}
	t := d.begin()
	if text == "" {
		t.drop(changeDelete, func(dst []byte) []byte { return b.appendDocumentKey(dst, kind) })
		return d.commit(t)
	}
	t.key(changeSet)
	t.buf = b.appendDocumentKey(t.buf, kind)
	t.value()
	t.buf = append(t.buf, text...)
	t.end()
	return d.commit(t)
}

// documents reads the documents of all buckets. Kinds that a later program has
// written stay on disk unread.
func (l *loader) documents(buckets []*Bucket) error {
	byNumber := make(map[uint32]*Bucket, len(buckets))
	for _, b := range buckets {
		byNumber[uint32(b.no)] = b
	}
	return l.s.persist.scan([]byte{rowDocument}, func(key, value []byte) error {
		if len(key) != 6 || key[5] >= byte(documentKinds) {
			return nil
		}
		b := byNumber[binary.BigEndian.Uint32(key[1:])]
		if b == nil {
			return nil // its bucket is gone, see dropOrphans
		}
		d := &Document{Text: string(value)}
		if err := l.s.mem.reserve(memoryIndex, d.memory()); err != nil {
			return err
		}
		b.documents[key[5]].Store(d)
		return nil
	})
}
