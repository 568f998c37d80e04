package store

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/s3ultra/s3ultra/synth"
	"golang.org/x/sys/unix"
)

// docs/scale.md is made with
//
//	go test ./store -run TestScale -v -count 1 -objects 50000000
//
// The default takes a few seconds.
var scaleObjects = flag.Int("objects", 200_000, "objects of TestScale")

// scaleCount is in the names of the data set that users fail with.
const scaleCount = 50_203_282

// scaleKey writes the name of object i into key.
func scaleKey(key []byte, i int) []byte {
	key = append(key[:0], "data/retinanet/train/img_00000000_of_50203282.jpg"...)
	for d := len("data/retinanet/train/img_0000000"); i > 0; d-- {
		key[d] = byte('0' + i%10)
		i /= 10
	}
	return key
}

// shuffled is a permutation of [0, n) that needs no memory: a Feistel network
// of four rounds over the next power of four, walked until it falls inside.
func shuffled(i, n int) int {
	half := 1
	for 1<<(2*half) < n {
		half++
	}
	mask := uint64(1)<<half - 1
	for {
		l, r := uint64(i)>>half, uint64(i)&mask
		for round := range uint64(4) {
			l, r = r, l^mix(r+round*golden)&mask
		}
		i = int(l<<half | r)
		if i < n {
			return i
		}
	}
}

// rss is the resident memory of the process in bytes, after all that the Go
// runtime can return was returned.
func rss(t *testing.T) int64 {
	t.Helper()
	debug.FreeOSMemory()
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatalf("cannot read resident memory: %v", err)
	}
	var size, resident int64
	if _, err := fmt.Fscan(bytes.NewReader(b), &size, &resident); err != nil {
		t.Fatalf("cannot parse %q: %v", b, err)
	}
	return resident * int64(os.Getpagesize())
}

// cpu is the processor time that this thread has used.
func cpu() time.Duration {
	var u unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_THREAD, &u) // cannot fail
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestScale fills a bucket with the names of a data set, measures what an
// object takes and what each operation costs, and empties it.
func TestScale(t *testing.T) {
	runtime.LockOSThread() // for cpu
	defer runtime.UnlockOSThread()
	n := *scaleObjects
	for _, order := range []string{"sequential", "random"} {
		scale(t, order, n)
	}
}

func scale(t *testing.T, order string, n int) {
	const seed = 1
	before := rss(t)
	s := New(Options{Seed: seed})
	b, err := s.CreateBucket("mlperf", Synth, testNow)
	if err != nil {
		t.Fatalf("cannot create bucket: %v", err)
	}
	at := func(i int) int { return i }
	if order == "random" {
		at = func(i int) int { return shuffled(i, n) }
	}
	var key []byte
	object := func(i int, now int64) Object {
		o := Object{Size: int64(100_000 + mix(uint64(i))%100_000), ModTime: now, Meta: "content-type: image/jpeg"}
		o.Content = synth.Hash(seed, "mlperf", key)
		o.ETag = DeriveETag(o.Content, o.Size, 1)
		return o
	}
	start := cpu()
	step := func(what string, n int) {
		d := cpu() - start
		t.Logf("%-10s %10d %-28s %8.0f ns each, %5.0f k/s", order, n, what, float64(d.Nanoseconds())/float64(n), float64(n)/d.Seconds()/1e3)
		start = cpu()
	}
	memory := func(what string) float64 {
		used := rss(t) - before
		each := float64(used) / float64(max(b.Len(), 1))
		t.Logf("%-10s %10d %-28s %8.1f B each by RSS, %.1f by the account", order, b.Len(), what, each, float64(s.MemoryUsed())/float64(max(b.Len(), 1)))
		start = cpu()
		return each
	}
	put := func(i int, now int64) {
		key = scaleKey(key, i)
		o := object(i, now)
		if err := b.Put(key, &o, nil); err != nil {
			t.Fatalf("cannot put: %v", err)
		}
	}
	for i := range n {
		// 2,000 a second, as a server would see them.
		put(at(i), testNow.UnixMilli()+int64(i)/2)
	}
	step("inserts", n)
	if each := memory("after inserts"); each > 48 {
		t.Errorf("unexpected memory of an object; got %.1f B; want at most 48", each)
	}
	const probes = 200_000
	var o Object
	for i := range probes {
		key = scaleKey(key, shuffled(i*7919%n, n))
		if !b.Get(key, &o) {
			t.Fatalf("object %q is missing", key)
		}
	}
	step("lookups", probes)
	const pages = 200
	for i := range pages {
		key = scaleKey(key, max(0, shuffled(i, n)-1000))
		c := b.Cursor()
		found := 0
		for ok := c.Seek(key); ok && found < 1000; ok = c.Next() {
			found += min(1, len(c.Object().Meta))
		}
		c.Close()
		if found != 1000 {
			t.Fatalf("unexpected page; got %d keys; want 1000", found)
		}
	}
	step("pages of 1000", pages)
	for i := range n / 2 {
		put(shuffled(i, n), testNow.UnixMilli()+int64(n)+int64(i))
	}
	step("random overwrites of half", n/2)
	memory("after overwrites")
	for i := range n / 2 {
		key = scaleKey(key, shuffled(i*2, n))
		if d, err := b.Delete(key, testNow, nil); err != nil || !d.Existed {
			t.Fatalf("cannot delete %q: %v, %v", key, d.Existed, err)
		}
	}
	step("random deletes of half", n/2)
	memory("after deletes")
	for i := range n - n/2 {
		key = scaleKey(key, shuffled(i*2+1, n))
		if d, err := b.Delete(key, testNow, nil); err == nil && !d.Existed && i*2+1 >= n {
			continue
		} else if err != nil || !d.Existed {
			t.Fatalf("cannot delete %q: %v, %v", key, d.Existed, err)
		}
	}
	step("random deletes of the rest", n-n/2)
	if b.Len() != 0 {
		t.Fatalf("unexpected objects left; got %d; want 0", b.Len())
	}
	wantMemory(t, s, 0)
	left := rss(t) - before
	t.Logf("%-10s empty: %.1f MB more than before, of which %.1f MB idle for reuse", order, float64(left)/1e6, float64(s.Stats().MemoryIdle)/1e6)
	runtime.KeepAlive(s)
}
