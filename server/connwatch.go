package server

import (
	"bytes"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// connWatch cuts connections whose clients stall: in the middle of a request's
// head, or with a body that stands still. One goroutine looks at all connections
// of a listener now and then; a connection leaves a note only when it has to
// wait, which costs two atomic stores beside the system calls of a wait, and a
// request that never waits in its middle costs none.
type connWatch struct {
	head, stall int64 // milliseconds, 0 = no limit
	interval    time.Duration
	start       time.Time
	now         atomic.Int64 // milliseconds since start at the last look
	log         *slog.Logger

	mu    sync.Mutex // guards all below, and the links of the connections
	first *conn
}

const (
	// watchesPerLimit is how many looks there are in the shorter limit: a
	// connection is cut within two looks after its limit.
	watchesPerLimit = 16
	// maxWatchInterval keeps the clock of long limits useful, and costs a look
	// at 8,000 connections, some 0.2 ms, every two seconds.
	maxWatchInterval = 2 * time.Second
)

// newConnWatch returns a watch for these limits, nil if there are none.
func newConnWatch(head, stall time.Duration, log *slog.Logger) *connWatch {
	if head <= 0 && stall <= 0 {
		return nil
	}
	shorter := head
	if head <= 0 || stall > 0 && stall < head {
		shorter = stall
	}
	return &connWatch{
		head: max(head, 0).Milliseconds(), stall: max(stall, 0).Milliseconds(),
		interval: min(max(shorter/watchesPerLimit, time.Millisecond), maxWatchInterval),
		start:    time.Now(), log: log,
	}
}

// run looks at the connections until stop is closed. w may be nil.
func (w *connWatch) run(stop <-chan struct{}) {
	if w == nil {
		return
	}
	ticker := time.NewTicker(w.interval)
	defer ticker.Stop()
	for {
		select {
		case <-stop:
			return
		case <-ticker.C:
			w.look(time.Since(w.start).Milliseconds())
		}
	}
}

// look cuts the connections whose time is over.
func (w *connWatch) look(now int64) {
	w.now.Store(now)
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := w.first; c != nil; c = c.next {
		if note := c.waits.Load(); note != 0 && c.overdue(note, now) && c.waits.CompareAndSwap(note, 0) {
			c.cut(note)
		}
	}
}

// add begins to watch c. w may be nil.
func (w *connWatch) add(c *conn) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	c.next = w.first
	if w.first != nil {
		w.first.previous = c
	}
	w.first = c
}

// remove ends that. It is called once for a connection. w may be nil.
func (w *connWatch) remove(c *conn) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if c.next != nil {
		c.next.previous = c.previous
	}
	if c.previous != nil {
		c.previous.next = c.next
	} else {
		w.first = c.next
	}
	c.next, c.previous = nil, nil
}

// connPhase is what a connection is doing, as far as it matters when its client
// sends nothing.
type connPhase uint8

const (
	phaseIdle connPhase = iota // between requests: it may idle as long as it likes
	phaseHead                  // the first byte of a request has come
	phaseBody                  // its head has
)

// patience is the part of a conn that its watch looks at.
type patience struct {
	watch          *connWatch // nil: none
	next, previous *conn      // guarded by watch.mu

	// waits is 0, or the time in milliseconds at which the connection is cut if
	// it still waits then, times two, plus one if it waits to write.
	waits atomic.Int64

	// Of the goroutine that uses the connection.
	phase connPhase
	noted bool    // waits may not be 0
	began int64   // when the head did
	tail  [3]byte // what was last read of the head

	// Of the watch: the bytes that the client had acknowledged when it first saw
	// a note, which tells whether the client has read since: the kernel wakes a
	// writer only when a third of its buffer is free.
	seen, acked int64
}

// received takes note of bytes that were read.
func (p *patience) received(b []byte) {
	if p.watch == nil || p.phase == phaseBody {
		return
	}
	if p.phase == phaseIdle {
		p.phase, p.began, p.tail = phaseHead, p.watch.now.Load(), [3]byte{}
	}
	if p.endsHead(b) {
		p.phase = phaseBody
	}
}

// headEnd is what ends a head. One that ends its lines otherwise is taken to
// last until the request is handled.
var headEnd = []byte("\r\n\r\n")

// endsHead tells whether the end of the head is among the bytes b, which follow
// tail.
func (p *patience) endsHead(b []byte) bool {
	if bytes.HasSuffix(b, headEnd) { // mostly: nothing follows, or not yet
		return true
	}
	var joint [6]byte
	n := copy(joint[3:], b)
	copy(joint[:], p.tail[:])
	if bytes.Contains(joint[:3+n], headEnd) || bytes.Contains(b, headEnd) {
		return true
	}
	if len(b) >= len(p.tail) {
		copy(p.tail[:], b[len(b)-len(p.tail):])
	} else {
		copy(p.tail[:], joint[n:3+n])
	}
	return false
}

// waitToRead notes that the connection begins to wait for its client's bytes.
func (p *patience) waitToRead() {
	switch {
	case p.watch == nil || p.noted || p.phase == phaseIdle:
	case p.phase == phaseHead && p.watch.head > 0:
		p.note(p.began+p.watch.head, 0)
	case p.phase == phaseBody && p.watch.stall > 0:
		p.note(p.watch.now.Load()+p.watch.stall, 0)
	}
}

// waitToWrite notes that it begins to wait for its client to read; moved tells
// that some bytes went out since the last note.
func (p *patience) waitToWrite(moved bool) {
	if p.watch != nil && p.watch.stall > 0 && (moved || !p.noted) {
		p.note(p.watch.now.Load()+p.watch.stall, 1)
	}
}

// note sets waits. The clock may be an interval behind: nobody is cut early.
func (p *patience) note(until, write int64) {
	p.noted = true
	p.waits.Store((until+p.watch.interval.Milliseconds()+1)<<1 | write)
}

// waited ends a wait.
func (p *patience) waited() {
	if p.noted {
		p.noted = false
		p.waits.Store(0)
	}
}

// overdue tells whether the time of a note is over.
func (c *conn) overdue(note, now int64) bool {
	if note&1 == 0 {
		return now >= note>>1
	}
	acked, ok := c.ackedBytes()
	switch {
	case !ok:
		return now >= note>>1
	case c.seen == 0 || acked != c.acked:
		c.seen, c.acked = max(now, 1), acked
		return false
	}
	return now >= note>>1 && now-c.seen >= c.watch.stall
}

// cut ends the wait of c with an error.
func (c *conn) cut(note int64) {
	direction := "read"
	past := time.Unix(1, 0)
	if note&1 == 1 {
		direction = "write"
		_ = c.SetWriteDeadline(past) // it fails when c is closed, which is as good
	} else {
		_ = c.SetReadDeadline(past)
	}
	c.watch.log.Warn("a connection is cut, as its client has stalled", "client", c.RemoteAddr().String(), "waiting_to", direction)
}
