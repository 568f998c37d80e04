package server

import (
	"fmt"
	"testing"
	"time"

	"github.com/s3ultra/s3ultra/sigv4"
	"github.com/s3ultra/s3ultra/store"
	"github.com/s3ultra/s3ultra/synth"
)

// hotListings returns requests for full pages of every kind that differs in
// what it costs.
func hotListings(t testing.TB) []*hotRequest {
	const keys = 1500
	cred := sigv4.Credential{AccessKey: "AKIDHOT", SecretKey: "hot-secret"}
	var rules []synth.Rule
	for _, text := range []string{
		"retinanet?count=50203282&bucket=sets",
		"unet3d?count=1000000&bucket=drawn",
		"retinanet?count=50203282&bucket=folders&key=data/{f}/img_{i}_of_{n}.jpeg&folders=5000",
	} {
		r, err := synth.ParseFlag(text)
		if err != nil {
			t.Fatalf("cannot make a data set: %v", err)
		}
		rules = append(rules, r...)
	}
	s, err := New(Config{
		Credentials: []sigv4.Credential{cred},
		Buckets:     []BucketSpec{{Name: "synth"}, {Name: "memory", Mode: store.Memory}, {Name: "versioned"}, {Name: "groups"}},
		Datasets:    rules,
	})
	if err != nil {
		t.Fatalf("cannot make the server: %v", err)
	}
	if err := s.store.Bucket([]byte("versioned")).SetVersioning(store.VersioningEnabled); err != nil {
		t.Fatalf("cannot enable versioning: %v", err)
	}
	for i := range keys {
		key := fmt.Sprintf("data/train/img_%08d_of_00001500.jpg", i)
		addHot(t, s, "synth", key, 322_957)
		addHot(t, s, "memory", key, 100)
		addHot(t, s, "versioned", key, 322_957)
		addHot(t, s, "versioned", key, 322_957)
		addHot(t, s, "groups", fmt.Sprintf("data/%06d/img", i), 322_957)
	}
	list := func(name, target string) *hotRequest {
		return newHotRequest(t, s, cred, name, "GET", target, "", nil, 0)
	}
	// The name of a sub-resource is copied.
	sub := func(h *hotRequest) *hotRequest { h.allocs = 1; return h }
	return []*hotRequest{
		list("written", "/synth?list-type=2&prefix=data%2F"),
		list("written url", "/synth?list-type=2&encoding-type=url&prefix=data%2F"),
		list("written v1", "/synth?prefix=data%2F"),
		sub(list("written versions", "/synth?versions")),
		list("memory", "/memory?list-type=2&prefix=data%2F"),
		sub(list("versions", "/versioned?versions")),
		list("delimiter", "/groups?list-type=2&prefix=data%2F&delimiter=%2F"),
		list("data set", "/sets?list-type=2&start-after=data%2Fretinanet%2Ftrain%2Fimg_12345678"),
		list("data set drawn sizes", "/drawn?list-type=2"),
		list("data set folders", "/folders?list-type=2"),
		list("data set delimiter", "/folders?list-type=2&prefix=data%2F&delimiter=%2F"),
	}
}

// addHot adds an object as an upload would leave it.
func addHot(t testing.TB, s *Server, bucket, key string, size int64) {
	b := s.store.Bucket([]byte(bucket))
	o := store.Object{
		Size:    size,
		ModTime: time.Now().UnixMilli(),
		Content: synth.Hash(s.cfg.Seed, bucket, key),
		Meta:    "\x00", // headers that name no storage class
	}
	o.ETag = store.DeriveETag(o.Content, size, 1)
	if b.Mode() == store.Memory {
		w, err := s.store.NewWriter(store.Memory, size)
		if err != nil {
			t.Fatalf("cannot make a writer: %v", err)
		}
		if err := w.Advance(len(w.Next(int(size)))); err != nil {
			t.Fatalf("cannot write: %v", err)
		}
		o.Data = w.Finish()
		o.ETag = store.MultipartETag([][16]byte{o.ETag.Sum})
		o.ETag.Parts = 0
	}
	if err := b.Put([]byte(key), &o, nil); err != nil {
		t.Fatalf("cannot put %s: %v", key, err)
	}
}

// BenchmarkList is a page of 1,000 entries from the parsed header block to the
// written reply.
func BenchmarkList(b *testing.B) {
	for _, row := range hotListings(b) {
		b.Run(row.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				row.run(b)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/maxListKeys, "ns/entry")
		})
	}
}
