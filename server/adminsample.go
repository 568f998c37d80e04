package server

import (
	"context"
	"runtime"
	runtimemetrics "runtime/metrics"
	"sync"
	"time"
)

const (
	// sampleEvery is what a person watching a benchmark takes for live.
	sampleEvery = time.Second
	// historyLength is 15 minutes of samples, most benchmark runs.
	historyLength = 900
)

// Sample is what happened in one second. Rates are by second, latencies are in
// seconds and 0 when there was no request. Health checks are left out.
type Sample struct {
	Number      uint64             `json:"number"` // from 1
	Time        int64              `json:"time"`   // Unix milliseconds, the end of the second
	Requests    float64            `json:"requests"`
	Errors      float64            `json:"errors"` // statuses of 400 and above
	Received    float64            `json:"received_bytes"`
	Sent        float64            `json:"sent_bytes"`
	Latency     Quantiles          `json:"latency"`
	TTFB        Quantiles          `json:"ttfb"`
	Connections int64              `json:"connections"`
	Inflight    uint64             `json:"inflight"`
	CPU         float64            `json:"cpu"` // processors in use, 1.5 is one and a half
	Memory      int64              `json:"memory_bytes"`
	Resident    int64              `json:"resident_bytes"` // 0: not known on this system
	Operations  map[string]float64 `json:"operations"`     // requests by operation, without those that had none
}

// Quantiles are latencies in seconds.
type Quantiles struct {
	P50  float64 `json:"p50"`
	P90  float64 `json:"p90"`
	P99  float64 `json:"p99"`
	P999 float64 `json:"p999"`
}

func quantilesOf(l *latencies) Quantiles {
	return Quantiles{
		P50: l.quantile(0.5).Seconds(), P90: l.quantile(0.9).Seconds(),
		P99: l.quantile(0.99).Seconds(), P999: l.quantile(0.999).Seconds(),
	}
}

// OperationStats is one operation: since the start and in the last second.
type OperationStats struct {
	Name      string    `json:"name"`
	Requests  uint64    `json:"requests"`
	Errors    uint64    `json:"errors"`
	Aborted   uint64    `json:"aborted"`
	Received  uint64    `json:"received_bytes"`
	Sent      uint64    `json:"sent_bytes"`
	Rate      float64   `json:"rate"`         // requests in the last second
	Latency   Quantiles `json:"latency"`      // of the last second
	Total     Quantiles `json:"latency_ever"` // since the start
	TTFB      Quantiles `json:"ttfb"`         // of the last second
	TotalTTFB Quantiles `json:"ttfb_ever"`
}

// sampler takes a sample each second.
type sampler struct {
	srv *Server

	mu         sync.Mutex // guards all below
	last, now  *metricsTotals
	lastTime   time.Time
	lastCPU    time.Duration
	ring       []Sample
	number     uint64
	operations []OperationStats
	watchers   map[chan struct{}]struct{}
}

func newSampler(s *Server) *sampler {
	p := &sampler{srv: s, last: new(metricsTotals), now: new(metricsTotals), watchers: map[chan struct{}]struct{}{}}
	s.metrics.collect(p.last)
	p.lastTime, p.lastCPU = time.Now(), processCPU()
	return p
}

// run samples until ctx ends.
func (p *sampler) run(ctx context.Context) {
	tick := time.NewTicker(sampleEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			p.take(now)
		}
	}
}

// take adds a sample and wakes who waits for it.
func (p *sampler) take(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	seconds := now.Sub(p.lastTime).Seconds()
	if seconds <= 0 {
		return
	}
	p.srv.metrics.collect(p.now)
	cpu := processCPU()
	p.number++
	s := Sample{
		Number: p.number, Time: now.UnixMilli(),
		Connections: p.srv.metrics.connections.Load(), Inflight: p.now.inflight(),
		CPU: (cpu - p.lastCPU).Seconds() / seconds, Memory: p.srv.store.MemoryUsed(), Resident: residentMemory(),
		Operations: map[string]float64{},
	}
	p.compare(&s, seconds)
	if len(p.ring) < historyLength {
		p.ring = append(p.ring, s)
	} else {
		p.ring[(p.number-1)%historyLength] = s
	}
	p.last, p.now = p.now, p.last
	p.lastTime, p.lastCPU = now, cpu
	for w := range p.watchers {
		select {
		case w <- struct{}{}:
		default:
			// It has not taken the last one yet, and will find this one too.
		}
	}
}

// compare fills in what changed since the last sample.
func (p *sampler) compare(s *Sample, seconds float64) {
	var latency, ttfb latencies
	p.operations = p.operations[:0]
	for i, op := range operations {
		now, last := &p.now.operations[i], &p.last.operations[i]
		requests := now.requests()
		if requests == 0 || op == opHealth {
			continue
		}
		var l, t latencies
		l.since(&now.duration, &last.duration)
		t.since(&now.ttfb, &last.ttfb)
		o := OperationStats{
			Name: op.name, Requests: requests, Errors: now.errors(), Aborted: now.aborted,
			Received: now.received, Sent: now.sent,
			Rate:    float64(requests-last.requests()) / seconds,
			Latency: quantilesOf(&l), TTFB: quantilesOf(&t),
			Total: quantilesOf(&now.duration), TotalTTFB: quantilesOf(&now.ttfb),
		}
		p.operations = append(p.operations, o)
		s.Requests += o.Rate
		s.Errors += float64(o.Errors-last.errors()) / seconds
		s.Received += float64(o.Received-last.received) / seconds
		s.Sent += float64(o.Sent-last.sent) / seconds
		if o.Rate > 0 {
			s.Operations[op.name] += o.Rate
		}
		latency.since(&now.duration, &last.duration)
		ttfb.since(&now.ttfb, &last.ttfb)
	}
	s.Latency, s.TTFB = quantilesOf(&latency), quantilesOf(&ttfb)
}

// history returns the samples, oldest first.
func (p *sampler) history() []Sample {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := make([]Sample, 0, len(p.ring))
	for i := range p.ring {
		at := i
		if len(p.ring) == historyLength {
			at = int((p.number + uint64(i)) % historyLength)
		}
		all = append(all, p.ring[at])
	}
	return all
}

// current returns the newest sample, the zero one before the first.
func (p *sampler) current() (Sample, []OperationStats) {
	p.mu.Lock()
	defer p.mu.Unlock()
	operations := append([]OperationStats{}, p.operations...)
	if p.number == 0 {
		return Sample{Operations: map[string]float64{}}, operations
	}
	return p.ring[(p.number-1)%historyLength], operations
}

// watch returns a channel that gets a value after each sample, and the
// function that ends it.
func (p *sampler) watch() (<-chan struct{}, func()) {
	w := make(chan struct{}, 1)
	p.mu.Lock()
	p.watchers[w] = struct{}{}
	p.mu.Unlock()
	return w, func() {
		p.mu.Lock()
		delete(p.watchers, w)
		p.mu.Unlock()
	}
}

// goHeap is the memory of live and not yet swept Go objects, in bytes.
func goHeap() int64 {
	sample := []runtimemetrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	runtimemetrics.Read(sample)
	if sample[0].Value.Kind() != runtimemetrics.KindUint64 {
		return 0
	}
	return int64(sample[0].Value.Uint64())
}

// processors is how many processors the process may use at once.
func processors() int { return runtime.GOMAXPROCS(0) }
