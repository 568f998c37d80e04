package server

import (
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// metrics counts what the server does. Every counter exists several times, in
// shards, so that processors do not take turns at one cache line: a request
// object counts in the shard it got when it was made, and as those objects are
// pooled by processor, so are, nearly always, the shards.
type metrics struct {
	shards []*metricsShard
	turn   atomic.Uint32 // the next shard that is given out

	rejected sync.Map // S3 error code -> *atomic.Uint64; the codes are constants

	connections atomic.Int64  // open
	accepted    atomic.Uint64 // ever
}

// metricsShard is one set of counters.
type metricsShard struct {
	operations [maxOperations]operationMetrics
	started    atomic.Uint64 // requests
	dropped    atomic.Uint64 // bytes
	_          [64]byte      // keeps the next object off the last line
}

// operationMetrics are the counters of one operation. What nearly every request
// counts in is together at its beginning, in one cache line: with the bucket of
// each latency these are three lines a request.
type operationMetrics struct {
	sent     atomic.Uint64 // body bytes that were not generated
	made     atomic.Uint64 // body bytes that were
	received atomic.Uint64 // payload bytes
	times    [latencyKinds]atomic.Uint64
	replies  [len(statuses)]atomic.Uint64 // begun, by statusPlace
	aborted  atomic.Uint64                // replies cut off
	buckets  [latencyKinds][latencyBuckets]atomic.Uint64
	_        [8]byte // to a multiple of 64, the size of a line
}

// The latencies of an operation. A reply that is written in one piece has one
// for both its start and its end.
const (
	latencyWhole = iota // of replies written in one piece
	latencyFirst        // to the start of a streamed reply
	latencyLast         // to the end of a streamed reply
	latencyKinds
)

// observe counts a latency. Any number of goroutines may do so at once.
func (o *operationMetrics) observe(kind int, d time.Duration) {
	o.buckets[kind][latencyBucket(d)].Add(1)
	o.times[kind].Add(uint64(max(d, 0)))
}

// latencies adds the latencies of two kinds to l.
func (o *operationMetrics) latencies(l *latencies, kinds ...int) {
	for _, kind := range kinds {
		for i := range l.buckets {
			l.buckets[i] += o.buckets[kind][i].Load()
		}
		l.sum += o.times[kind].Load()
	}
}

// shardsPerProcessor makes it unlikely that two processors meet in one shard;
// a shard is memory only where an operation was used.
const shardsPerProcessor = 4

// maxShards bounds the work of a scrape on large machines.
const maxShards = 64

func newMetrics() *metrics {
	n := min(maxShards, 1<<bits.Len(uint(shardsPerProcessor*runtime.GOMAXPROCS(0)-1)))
	m := &metrics{shards: make([]*metricsShard, n)}
	for i := range m.shards {
		m.shards[i] = new(metricsShard)
	}
	return m
}

// shard returns the shard for one more request object.
func (m *metrics) shard() *metricsShard {
	return m.shards[int(m.turn.Add(1))%len(m.shards)]
}

// reject counts a refused request by its S3 error code.
func (m *metrics) reject(code string) {
	n, ok := m.rejected.Load(code)
	if !ok {
		n, _ = m.rejected.LoadOrStore(code, new(atomic.Uint64))
	}
	n.(*atomic.Uint64).Add(1)
}

// rejections returns the refused requests by S3 error code.
func (m *metrics) rejections() map[string]uint64 {
	all := map[string]uint64{}
	m.rejected.Range(func(code, n any) bool {
		all[code.(string)] = n.(*atomic.Uint64).Load()
		return true
	})
	return all
}

// metricsTotals are the counters of all shards, summed up.
type metricsTotals struct {
	operations         [maxOperations]operationTotals
	started, finished  uint64 // requests
	generated, dropped uint64 // bytes
}

// operationTotals are the counters of one operation, summed up.
type operationTotals struct {
	replies                 [len(statuses)]uint64
	received, sent, aborted uint64
	generated               uint64 // of sent
	ttfb, duration          latencies
}

// requests counts the replies begun.
func (o *operationTotals) requests() uint64 {
	n := uint64(0)
	for _, c := range o.replies {
		n += c
	}
	return n
}

// errors counts the replies with a status of 400 and above.
func (o *operationTotals) errors() uint64 {
	n := uint64(0)
	for i, c := range o.replies {
		if statuses[i] >= 400 {
			n += c
		}
	}
	return n
}

// inflight counts the requests whose reply is not finished.
func (t *metricsTotals) inflight() uint64 {
	return max(t.started, t.finished) - t.finished
}

// collect fills t. It is exact once the server is idle; while requests are
// counted, counters may be a few of them apart.
func (m *metrics) collect(t *metricsTotals) {
	t.started, t.finished, t.generated, t.dropped = 0, 0, 0, 0
	for i := range operations {
		t.operations[i].collect(m, i)
		t.finished += t.operations[i].duration.count()
		t.generated += t.operations[i].generated
	}
	// After the finished ones, so that none is finished before it started.
	for _, s := range m.shards {
		t.started += s.started.Load()
		t.dropped += s.dropped.Load()
	}
}

// collect sums up operation number i. One that was never used costs neither
// time nor memory.
func (o *operationTotals) collect(m *metrics, i int) {
	used := uint64(0)
	var replies [len(statuses)]uint64
	for _, s := range m.shards {
		for c := range replies {
			n := s.operations[i].replies[c].Load()
			replies[c] += n
			used += n
		}
	}
	if used == 0 {
		return
	}
	*o = operationTotals{replies: replies}
	for _, s := range m.shards {
		from := &s.operations[i]
		o.received += from.received.Load()
		made := from.made.Load()
		o.generated += made
		o.sent += from.sent.Load() + made
		o.aborted += from.aborted.Load()
		from.latencies(&o.ttfb, latencyWhole, latencyFirst)
		from.latencies(&o.duration, latencyWhole, latencyLast)
	}
}
