package bench

import (
	"context"
	"fmt"
	"sync"
	"time"
)

const (
	// warmShare of a measurement's time goes before it: connections are made,
	// TCP windows open, the server's pools fill and its caches get warm.
	warmShare = 4

	// maxRequests bounds a measurement's requests beside its time: 40 s of the
	// fastest load on the fastest machine so far, far above any default run.
	maxRequests = 1 << 22

	// maxFailures ends a connection's work: a server that refuses would
	// otherwise be asked as fast as it can refuse.
	maxFailures = 16

	// maxDials bounds connections being made at one time, to stay below the
	// listen queue of systems that keep it at 128.
	maxDials = 64

	// patience is how long after its time a measurement waits for the requests
	// in flight, and the preparation for one reply: a slow server needs seconds
	// for 2,048 large ones.
	patience = 60 * time.Second
)

// sample is one measurement of one row.
type sample struct {
	elapsed   time.Duration // from the first request to the last reply
	requests  int64         // answered as they should be
	bytes     int64         // of payload in those
	failed    int64         // warm-up included
	firstFail error
	serverCPU time.Duration // 0 without a clock
	clientCPU time.Duration
	latency   histogram
}

// connection is a worker's own part of a measurement.
type connection struct {
	wire      *wire
	exchanges []exchange
	next      int
	sample    sample
}

// measure has every connection send its exchanges in turn, one at a time, for
// d, after a warm-up. Between the two all connections are idle for a moment,
// and again at the end, when the last reply has come: the clocks are read
// there, so that exactly the counted requests are in the CPU time.
//
// Errors: those of the clock, the end of ctx, requests that never ended.
// Failed requests are counted in the sample instead.
func measure(ctx context.Context, conns []*connection, clock *cpuClock, d time.Duration) (*sample, error) {
	defer func() {
		for _, c := range conns {
			c.wire.close()
		}
	}()
	// Requests that never end are ended by closing their connections; that
	// ctx has ended shows in the workers at their next request.
	ctx, cancel := context.WithTimeout(ctx, d+d/warmShare+patience)
	defer cancel()
	stop := context.AfterFunc(ctx, func() {
		for _, c := range conns {
			c.wire.interrupt()
		}
	})
	defer stop()

	connectAll(ctx, conns)
	limit := maxRequests/len(conns) + 1
	runAll(ctx, conns, time.Now().Add(d/warmShare), limit)
	total := &sample{}
	for _, c := range conns {
		total.failed += c.sample.failed
		total.firstFail = orFirst(total.firstFail, c.sample.firstFail)
		c.sample = sample{}
	}

	own := ownCPUClock()
	server0, err := clock.elapsed()
	if err != nil {
		return nil, err
	}
	client0, err := own.elapsed()
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	runAll(ctx, conns, begin.Add(d), limit)
	total.elapsed = time.Since(begin)
	server1, err := clock.elapsed()
	if err != nil {
		return nil, err
	}
	client1, err := own.elapsed()
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("cannot finish the requests: %w", context.Cause(ctx))
	}
	total.serverCPU, total.clientCPU = server1-server0, client1-client0
	for _, c := range conns {
		s := &c.sample
		total.requests += s.requests
		total.bytes += s.bytes
		total.failed += s.failed
		total.firstFail = orFirst(total.firstFail, s.firstFail)
		total.latency.merge(&s.latency)
	}
	return total, nil
}

// connectAll makes the connections; one that fails is tried again by its
// first request.
func connectAll(ctx context.Context, conns []*connection) {
	turns := make(chan struct{}, maxDials)
	var wg sync.WaitGroup
	for _, c := range conns {
		turns <- struct{}{}
		wg.Go(func() {
			_ = c.wire.dial(ctx)
			<-turns
		})
	}
	wg.Wait()
}

// runAll runs every connection until the deadline and waits for all.
func runAll(ctx context.Context, conns []*connection, deadline time.Time, limit int) {
	var wg sync.WaitGroup
	for _, c := range conns {
		wg.Go(func() { c.run(ctx, deadline, limit) })
	}
	wg.Wait()
}

// run sends exchanges until the deadline, at least one and at most limit.
func (c *connection) run(ctx context.Context, deadline time.Time, limit int) {
	s := &c.sample
	before := time.Now()
	for range limit {
		x := &c.exchanges[c.next]
		if c.next++; c.next == len(c.exchanges) {
			c.next = 0
		}
		err := c.wire.do(ctx, x)
		now := time.Now()
		if err != nil {
			s.failed++
			s.firstFail = orFirst(s.firstFail, err)
			if s.failed >= maxFailures || ctx.Err() != nil {
				return
			}
		} else {
			s.requests++
			s.bytes += x.payload
			s.latency.record(now.Sub(before))
		}
		before = now
		if now.After(deadline) {
			return
		}
	}
}

func orFirst(first, err error) error {
	if first != nil {
		return first
	}
	return err
}
