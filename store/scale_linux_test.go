//go:build linux && !race

package store

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/s3ultra/s3ultra/synth"
	"golang.org/x/sys/unix"
)

// docs/scale.md is made with
//
//	go test ./store -run TestScale -v -count 1 -timeout 1h -objects 50000000
//
// The default takes a few seconds and changes a tenth of the objects, not half.
var scaleObjects = flag.Int("objects", 1_000_000, "objects of TestScale in either order")

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
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) // cannot fail
	return time.Duration(t.Nano())
}

// scaleRun is a bucket under measurement.
type scaleRun struct {
	t      *testing.T
	order  string
	n      int
	s      *Store
	b      *Bucket
	before int64 // resident bytes
	keys   []byte
	batch  []scaleItem
}

type scaleItem struct {
	key []byte
	o   Object
}

// scaleBatch items are made outside of the measured time and fit the cache.
const scaleBatch = 2048

// TestScale fills a bucket with the names of a data set, measures what an
// object takes and what each operation costs, and empties it.
func TestScale(t *testing.T) {
	n := *scaleObjects
	churn := n / 2
	if n <= 1_000_000 {
		churn = n / 10
	}
	for _, order := range []string{"sequential", "random"} {
		t.Run(order, func(t *testing.T) {
			runtime.LockOSThread() // for cpu
			defer runtime.UnlockOSThread()
			scale(t, order, n, churn)
		})
	}
}

func scale(t *testing.T, order string, n, churn int) {
	rss(t)
	time.Sleep(10 * time.Millisecond) // an earlier store's memory is unmapped in the background
	r := &scaleRun{t: t, order: order, n: n, before: rss(t)}
	r.s, r.b = newBucketFor(t, Synth, Options{})
	at := func(i int) int { return i }
	if order == "random" {
		at = func(i int) int { return shuffled(i, n) }
	}
	r.measure("insert", n, at, 0, r.put)
	if each := r.memory("inserts"); each > 48 {
		t.Errorf("unexpected memory of an object; got %.1f B; want at most 48", each)
	}
	r.measure("lookup", min(n, 1_000_000), func(i int) int { return shuffled(i*7919%n, n) }, 0, func(it *scaleItem) {
		if !r.b.Get(it.key, &it.o) {
			t.Fatalf("object %q is missing", it.key)
		}
	})
	r.measure("seek and page of 1000", 500, func(i int) int { return max(0, shuffled(i, n)-1000) }, 0, r.page)
	r.measure("root of a listing", 500, func(i int) int { return i }, 0, r.root)
	random := func(i int) int { return shuffled(i, n) }
	r.measure("overwrite at random", churn, random, n, r.put)
	r.memory(fmt.Sprintf("overwrites of %d %%", churn*100/n))
	r.measure("delete at random", churn, random, 0, r.delete)
	r.memory(fmt.Sprintf("deletes of %d %%", churn*100/n))
	rest := func(i int) int { return shuffled(i+churn, n) }
	r.measure("delete the rest at random", n-churn, rest, 0, r.delete)
	if r.b.Len() != 0 {
		t.Fatalf("unexpected objects left; got %d; want 0", r.b.Len())
	}
	wantMemory(t, r.s, 0)
	left, idle := rss(t)-r.before, r.s.Stats().MemoryIdle
	t.Logf("%-10s empty: %.1f MB more than before, of which %.1f MB idle for reuse", order, float64(left)/1e6, float64(idle)/1e6)
	if got := left - idle; got > 8<<20+int64(n) {
		t.Errorf("unexpected memory of an empty bucket; got %d B", got)
	}
	runtime.KeepAlive(r)
}

// measure calls do for n objects, number i being at(i), and logs the processor
// time of one call. The objects are written 2,000 a second, as a server would
// see them, from the time of the later-th on.
func (r *scaleRun) measure(what string, n int, at func(i int) int, later int, do func(it *scaleItem)) {
	r.batch = slices.Grow(r.batch[:0], scaleBatch)[:scaleBatch]
	used := time.Duration(0)
	for from := 0; from < n; from += scaleBatch {
		batch := r.batch[:min(scaleBatch, n-from)]
		for i := range batch {
			no := at(from + i)
			it := &batch[i]
			it.key = scaleKey(it.key, no)
			it.o = Object{Size: int64(100_000 + mix(uint64(no))%100_000), ModTime: testNow.UnixMilli() + int64(later+from+i)/2, Meta: "content-type: image/jpeg"}
			it.o.Content = synth.Hash(0, "b", it.key)
			it.o.ETag = DeriveETag(it.o.Content, it.o.Size, 1)
		}
		start := cpu()
		for i := range batch {
			do(&batch[i])
		}
		used += cpu() - start
	}
	r.t.Logf("%-10s %10d objects: %-26s %8.0f ns, %5.0f k/s", r.order, r.n, what, float64(used.Nanoseconds())/float64(n), float64(n)/used.Seconds()/1e3)
}

func (r *scaleRun) put(it *scaleItem) {
	if err := r.b.Put(it.key, &it.o, nil); err != nil {
		r.t.Fatalf("cannot put %q: %v", it.key, err)
	}
}

func (r *scaleRun) delete(it *scaleItem) {
	if d, err := r.b.Delete(it.key, testNow, nil); err != nil || !d.Existed {
		r.t.Fatalf("cannot delete %q: %v, %v", it.key, d.Existed, err)
	}
}

func (r *scaleRun) page(it *scaleItem) {
	c := r.b.Cursor()
	defer c.Close()
	found := 0
	for ok := c.Seek(it.key); ok && found < 1000; ok = c.Next() {
		found += min(1, len(c.Object().Meta))
	}
	if found != 1000 {
		r.t.Fatalf("unexpected page; got %d keys; want 1000", found)
	}
}

// root lists the bucket with the delimiter "/": one prefix.
func (r *scaleRun) root(*scaleItem) {
	c := r.b.Cursor()
	defer c.Close()
	prefixes := 0
	for ok := c.Seek(nil); ok; prefixes++ {
		i := bytes.IndexByte(c.Key(), '/')
		past := append(r.keys[:0], c.Key()[:i+1]...)
		past[i]++
		ok = c.Seek(past)
	}
	if prefixes != 1 {
		r.t.Fatalf("unexpected prefixes; got %d; want 1", prefixes)
	}
}

// memory logs and returns the resident memory of an object. Pages kept for the
// next body belong to nobody.
func (r *scaleRun) memory(after string) float64 {
	n := float64(r.b.Len())
	each := float64(rss(r.t)-r.before-r.s.Stats().MemoryIdle) / n
	r.t.Logf("%-10s %10d objects: %8.1f B each by RSS, %.1f by the account, after %s", r.order, r.n, each, float64(r.s.MemoryUsed())/n, after)
	return each
}
