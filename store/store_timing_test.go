package store

import (
	"encoding/binary"
	"fmt"
	"testing"
)

// benchKey is a 56-byte key, ordered at random by i.
func benchKey(key []byte, i int) []byte {
	const prefix = "training/epoch-000/part-0000/"
	key = append(key[:0], prefix...)
	key = binary.BigEndian.AppendUint64(key, mix(uint64(i)))
	return append(key, "/sample-00000.npz"...)
}

// benchBucket has n objects.
func benchBucket(b *testing.B, n int) *Bucket {
	b.Helper()
	_, bucket := newBucketFor(b, Synth, Options{})
	var key []byte
	for i := range n {
		key = benchKey(key, i)
		if err := bucket.Put(key, &Object{Size: 1 << 20, Meta: "meta"}, nil); err != nil {
			b.Fatalf("cannot put: %v", err)
		}
	}
	return bucket
}

const benchObjects = 1_000_000

func BenchmarkBucketGet(b *testing.B) {
	bucket := benchBucket(b, benchObjects)
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		var key []byte
		var o Object
		for i := 0; pb.Next(); i++ {
			key = benchKey(key, i%benchObjects)
			if !bucket.Get(key, &o) {
				b.Errorf("object %d not found", i%benchObjects)
				return
			}
			o.Release()
		}
	})
}

func BenchmarkBucketPutNew(b *testing.B) {
	_, bucket := newBucketFor(b, Synth, Options{})
	var key []byte
	o := Object{Size: 1 << 20, Meta: "meta"}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		key = benchKey(key, i)
		i++
		if err := bucket.Put(key, &o, nil); err != nil {
			b.Fatalf("cannot put: %v", err)
		}
	}
}

func BenchmarkBucketOverwrite(b *testing.B) {
	bucket := benchBucket(b, benchObjects)
	var key []byte
	o := Object{Size: 1 << 20, Meta: "meta"}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		key = benchKey(key, i%benchObjects)
		i++
		if err := bucket.Put(key, &o, nil); err != nil {
			b.Fatalf("cannot put: %v", err)
		}
	}
}

// BenchmarkCursorPage is case L14: a page costs the same anywhere in a bucket
// of any size.
func BenchmarkCursorPage(b *testing.B) {
	const page = 1000
	for _, n := range []int{10_000, benchObjects} {
		bucket := benchBucket(b, n)
		for _, where := range []byte{0x00, 0x80, 0xd0} {
			start := append([]byte("training/epoch-000/part-0000/"), where)
			b.Run(fmt.Sprintf("%d/%02x", n, where), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					c := bucket.Cursor()
					i := 0
					for ok := c.Seek(start); ok && i < page; ok = c.Next() {
						_, _ = c.Key(), c.Object()
						i++
					}
					c.Close()
					if i != page {
						b.Fatalf("unexpected keys; got %d; want %d", i, page)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*page), "ns/key")
			})
		}
	}
}

// BenchmarkWriter is a body from a cache-hot buffer to Data and back.
func BenchmarkWriter(b *testing.B) {
	src := make([]byte, 1<<20)
	for _, bc := range []struct {
		mode Mode
		size int
	}{{Memory, 4 << 10}, {Memory, 64 << 10}, {Memory, 323 << 10}, {Memory, 8 << 20}, {Memory, 128 << 20}, {Synth, 8 << 20}} {
		b.Run(fmt.Sprintf("%v/%d", bc.mode, bc.size), func(b *testing.B) {
			s := New(Options{KeepSmall: 512})
			b.SetBytes(int64(bc.size))
			b.ReportAllocs()
			for b.Loop() {
				w, err := s.NewWriter(bc.mode, int64(bc.size))
				if err != nil {
					b.Fatalf("cannot make a writer: %v", err)
				}
				for left := bc.size; left > 0; {
					n := min(left, len(src))
					if space := w.Next(n); space != nil {
						n = copy(space, src)
					}
					if err := w.Advance(n); err != nil {
						b.Fatalf("cannot advance: %v", err)
					}
					left -= n
				}
				w.Finish().Release()
			}
		})
	}
}
