package server

import (
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
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
	generated  atomic.Uint64 // bytes
	dropped    atomic.Uint64 // bytes
	_          [64]byte      // keeps the next object off the last line
}

// operationMetrics are the counters of one operation.
type operationMetrics struct {
	replies  [len(statuses)]atomic.Uint64 // begun, by statusPlace
	received atomic.Uint64                // payload bytes
	sent     atomic.Uint64                // body bytes
	aborted  atomic.Uint64                // replies cut off
	ttfb     histogram
	duration histogram // of finished requests
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
	}
	// After the finished ones, so that none is finished before it started.
	for _, s := range m.shards {
		t.started += s.started.Load()
		t.generated += s.generated.Load()
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
		o.sent += from.sent.Load()
		o.aborted += from.aborted.Load()
		o.ttfb.add(&from.ttfb)
		o.duration.add(&from.duration)
	}
}
