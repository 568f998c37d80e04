//go:build unix

package store

import (
	"fmt"
	"syscall"
	"testing"
	"time"
)

// cpuTime is what the process has used, background work included.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// PUTs of new objects, in memory and persistent: time under the bucket's lock
// and CPU time in all, with what the index on disk takes until it has caught up.
func BenchmarkPersistPut(b *testing.B) {
	run := func(b *testing.B, s *Store, random bool) {
		bucket, err := s.CreateBucket("bench", Synth, time.Now())
		if err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		b.ResetTimer()
		start := cpuTime(b)
		var key []byte
		for i := range b.N {
			n := uint64(i)
			if random {
				n = mix(n)
			}
			key = fmt.Appendf(key[:0], "data/retinanet/train/img_%020d.jpg", n)
			o := Object{Size: 322957, ModTime: 1_700_000_000_000 + int64(i), Meta: "content-type: image/jpeg"}
			o.Content = bucket.index.names.Hash(key)
			o.ETag = DeriveETag(o.Content, o.Size, 1)
			if err := bucket.Put(key, &o, nil); err != nil {
				b.Fatal(err)
			}
		}
		b.StopTimer()
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(cpuTime(b)-start)/float64(b.N), "cpu-ns/op")
	}
	for _, random := range []bool{false, true} {
		order := map[bool]string{false: "in-order", true: "random"}[random]
		b.Run("memory/"+order, func(b *testing.B) { run(b, New(Options{}), random) })
		b.Run("db/"+order, func(b *testing.B) {
			s, err := Open(Options{}, Persistence{Dir: b.TempDir(), Sync: time.Second})
			if err != nil {
				b.Fatal(err)
			}
			run(b, s, random)
		})
	}
}

// startObjects is enough to see the time of each; the 10 million of
// docs/persistence.md take the same.
const startObjects = 1_000_000

// Importing objects in order of keys, as inventories have them, and a start
// with them.
func BenchmarkPersistStart(b *testing.B) {
	dir := b.TempDir()
	fill := func() {
		a, err := OpenArchive(Persistence{Dir: dir}, 0, true)
		if err != nil {
			b.Fatal(err)
		}
		m, err := a.Import("bench", time.Now())
		if err != nil {
			b.Fatal(err)
		}
		var key []byte
		for i := range startObjects {
			key = fmt.Appendf(key[:0], "data/retinanet/train/img_%08d_of_50203282.jpg", i)
			if err := m.Add(key, ImportObject{Size: 322957, ModTime: 1_700_000_000_000}); err != nil {
				b.Fatal(err)
			}
		}
		if _, err := m.Close(); err != nil {
			b.Fatal(err)
		}
		if err := a.Close(); err != nil {
			b.Fatal(err)
		}
	}
	start := func() {
		s, err := Open(Options{}, Persistence{Dir: dir})
		if err != nil {
			b.Fatal(err)
		}
		if n := s.Bucket([]byte("bench")).Len(); n != startObjects {
			b.Fatalf("unexpected objects; got %d", n)
		}
		s.Close()
	}
	fill()
	for name, f := range map[string]func(){"import": fill, "start": start} {
		b.Run(name, func(b *testing.B) {
			used := cpuTime(b)
			for range b.N {
				f()
			}
			n := float64(b.N) * startObjects
			b.ReportMetric(float64(b.Elapsed())/n, "ns/object")
			b.ReportMetric(float64(cpuTime(b)-used)/n, "cpu-ns/object")
		})
	}
}
