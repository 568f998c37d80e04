package bench

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// Every bucket's middle falls into that bucket, and buckets ascend.
func TestHistogramBuckets(t *testing.T) {
	last := uint64(0)
	for i := range histogramBuckets {
		middle := bucketMiddle(i)
		if got := bucketOf(middle); got != i {
			t.Fatalf("unexpected bucket of %d ns; got %d; want %d", middle, got, i)
		}
		if i > 0 && middle <= last {
			t.Fatalf("unexpected middle of bucket %d; got %d; want more than %d", i, middle, last)
		}
		last = middle
	}
	if got := bucketOf(1 << 63); got != histogramBuckets-1 {
		t.Fatalf("unexpected bucket of a huge latency; got %d; want the last, %d", got, histogramBuckets-1)
	}
}

// Quantiles are within half a bucket of the true ones.
func TestHistogramQuantile(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var a, b, both histogram
	var all []time.Duration
	for i := range 20000 {
		// Latencies as they come: most short, a long tail.
		d := time.Duration(1000 * (1 + random.ExpFloat64()*50))
		if i%1000 == 0 {
			d *= 1000
		}
		all = append(all, d)
		if i%2 == 0 {
			a.record(d)
		} else {
			b.record(d)
		}
	}
	both.merge(&a)
	both.merge(&b)
	slices.Sort(all)
	f := func(q float64, want time.Duration) {
		t.Helper()
		got := both.quantile(q)
		if diff := float64(got-want) / float64(want); diff < -0.02 || diff > 0.02 {
			t.Errorf("unexpected quantile %g; got %v; want %v within 2 %%", q, got, want)
		}
	}
	f(0, all[0])
	f(0.5, all[9999])
	f(0.99, all[19799])
	f(0.999, all[19979])
	f(1, all[19999])
	var empty histogram
	if got := empty.quantile(0.5); got != 0 {
		t.Errorf("unexpected quantile of nothing; got %v; want 0", got)
	}
	empty.record(-time.Second)
	if got := empty.quantile(1); got != 0 {
		t.Errorf("unexpected quantile of a negative latency; got %v; want 0", got)
	}
}
