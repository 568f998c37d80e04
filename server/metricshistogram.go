package server

import (
	"math/bits"
	"time"
)

// Latencies are counted in buckets whose bounds grow by powers of two, each
// power divided in latencySteps, so a quantile read off them is at most a
// quarter too high. The finest step is a quarter of a microsecond, below what any
// request takes.
const (
	latencyUnit  = 250 * time.Nanosecond
	latencySteps = 4
	// The highest bound is 2^27 µs = 134 s, above every client's time-out;
	// one more bucket takes what is longer.
	latencyBuckets = 28*latencySteps + 1
)

// latencyBucket returns the bucket that d falls into.
func latencyBucket(d time.Duration) int {
	units := uint64(max(d, 0) / latencyUnit)
	if units < latencySteps {
		return int(units)
	}
	// The two bits below the leading one are the step.
	exponent := bits.Len64(units)
	step := units >> (exponent - 3) & (latencySteps - 1)
	return min((exponent-2)*latencySteps+int(step), latencyBuckets-1)
}

// latencyBound returns the upper bound of a bucket; that of the last one is
// twice its lower bound, as it has none.
func latencyBound(bucket int) time.Duration {
	if bucket < latencySteps {
		return time.Duration(bucket+1) * latencyUnit
	}
	exponent, step := bucket/latencySteps+2, bucket%latencySteps
	if bucket == latencyBuckets-1 {
		step = latencySteps - 1
	}
	return time.Duration(uint64(latencySteps+step+1)<<(exponent-3)) * latencyUnit
}

// latencies are counted latencies, read at one time.
type latencies struct {
	buckets [latencyBuckets]uint64
	sum     uint64 // nanoseconds
}

// since adds to l what later has and earlier has not.
func (l *latencies) since(later, earlier *latencies) {
	for i := range l.buckets {
		l.buckets[i] += later.buckets[i] - earlier.buckets[i]
	}
	l.sum += later.sum - earlier.sum
}

func (l *latencies) count() uint64 {
	n := uint64(0)
	for _, c := range l.buckets {
		n += c
	}
	return n
}

// quantile returns the latency that the share q of all stay within: the upper
// bound of its bucket. 0 without any latency.
func (l *latencies) quantile(q float64) time.Duration {
	rank := q * float64(l.count())
	if rank == 0 {
		return 0
	}
	seen := uint64(0)
	for i, c := range l.buckets {
		seen += c
		if float64(seen) >= rank && c > 0 {
			return latencyBound(i)
		}
	}
	return latencyBound(latencyBuckets - 1)
}
