package bench

import (
	"math"
	"math/bits"
	"time"
)

const (
	// subBits makes 32 buckets of each power of two: a quantile is off by at
	// most half a bucket, 1.6 %, which is below what two runs differ by, and a
	// histogram for each of 2,048 connections stays small (5 KiB).
	subBits = 5
	// maxBits bounds a latency at 2^40 ns, 18 minutes, above every time-out here.
	maxBits = 40

	histogramBuckets = (maxBits - subBits + 1) << subBits
)

// histogram counts latencies in log-linear buckets. The zero value is empty.
// Not safe for concurrent use.
type histogram struct {
	counts [histogramBuckets]uint32
	total  uint64
	max    time.Duration
}

// bucketOf returns the bucket of v nanoseconds.
func bucketOf(v uint64) int {
	if v < 1<<subBits {
		return int(v)
	}
	shift := bits.Len64(v) - subBits - 1
	return min(shift<<subBits+int(v>>shift), histogramBuckets-1)
}

// bucketMiddle returns the middle of bucket i in nanoseconds.
func bucketMiddle(i int) uint64 {
	if i < 2<<subBits {
		return uint64(i)
	}
	shift := i>>subBits - 1
	low := uint64(i-shift<<subBits) << shift
	return low + uint64(1)<<shift/2
}

// record adds one latency.
func (h *histogram) record(d time.Duration) {
	d = max(d, 0)
	h.counts[bucketOf(uint64(d))]++
	h.total++
	h.max = max(h.max, d)
}

// merge adds all of o.
func (h *histogram) merge(o *histogram) {
	for i, n := range o.counts {
		h.counts[i] += n
	}
	h.total += o.total
	h.max = max(h.max, o.max)
}

// quantile returns the latency that the share q (0..1) of requests did not
// exceed, 0 when there are none.
func (h *histogram) quantile(q float64) time.Duration {
	if h.total == 0 {
		return 0
	}
	rank := uint64(math.Ceil(q * float64(h.total)))
	rank = min(max(rank, 1), h.total)
	var seen uint64
	for i, n := range h.counts {
		if seen += uint64(n); seen >= rank {
			return min(time.Duration(bucketMiddle(i)), h.max)
		}
	}
	return h.max
}
