package store

import (
	"errors"
	"testing"
	"time"
)

func TestDocuments(t *testing.T) {
	s, b := newBucketFor(t, Synth, Options{MemoryLimit: 1 << 20})
	set := func(kind DocumentKind, text string) {
		t.Helper()
		if err := b.SetDocument(kind, text); err != nil {
			t.Fatalf("cannot set the document: %v", err)
		}
		got := ""
		if d := b.Document(kind); d != nil {
			got = d.Text
		}
		if got != text {
			t.Fatalf("unexpected document; got %q; want %q", got, text)
		}
	}
	set(DocumentPolicy, "one")
	set(DocumentTagging, "tags")
	d := b.Document(DocumentPolicy)
	set(DocumentPolicy, "two")
	if d.Text != "one" || b.Document(DocumentTagging).Text != "tags" {
		t.Fatalf("unexpected document after another was set; got %q", d.Text)
	}
	reads := 0
	for range 3 {
		if got := b.Document(DocumentPolicy).Meaning(func(text string) any { reads++; return text + "!" }); got != "two!" || reads != 1 {
			t.Fatalf("unexpected meaning; got %v after %d reads; want two! after 1", got, reads)
		}
	}
	if err := b.SetDocument(DocumentPolicy, string(make([]byte, 2<<20))); !errors.Is(err, ErrMemoryLimit) || b.Document(DocumentPolicy).Text != "two" {
		t.Fatalf("unexpected error of a large document; got %v; want %v", err, ErrMemoryLimit)
	}
	set(DocumentPolicy, "")
	if err := s.DeleteBucket([]byte("b")); err != nil {
		t.Fatal(err)
	}
	wantMemory(t, s, 0)
	if err := b.SetDocument(DocumentPolicy, "x"); err != ErrNoSuchBucket {
		t.Fatalf("unexpected error in a deleted bucket; got %v; want %v", err, ErrNoSuchBucket)
	}
}

// A document goes with its bucket and does not come to a later one of its name.
func TestDocumentsRestart(t *testing.T) {
	dir := t.TempDir()
	p := Persistence{Sync: time.Hour}
	open := func() *Store { return openFor(t, dir, Options{}, p) }
	text := func(s *Store, want string) {
		t.Helper()
		got := ""
		if d := s.Bucket([]byte("b")).Document(DocumentPolicy); d != nil {
			got = d.Text
		}
		if got != want {
			t.Fatalf("unexpected document; got %q; want %q", got, want)
		}
	}
	s := open()
	b, err := s.CreateBucket("b", Memory, testNow) // whose objects are not kept
	if err != nil {
		t.Fatal(err)
	}
	if err := b.SetDocument(DocumentPolicy, "p\x00q"); err != nil {
		t.Fatal(err)
	}
	kill(t, s)
	s = open()
	text(s, "p\x00q")
	if err := s.DeleteBucket([]byte("b")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.CreateBucket("b", Memory, testNow); err != nil {
		t.Fatal(err)
	}
	text(s, "")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open()
	text(s, "")
}
