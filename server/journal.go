package server

import (
	"bytes"
	"math/bits"
	"sync"
	"sync/atomic"
	"time"
)

// DefaultJournalSize is how many requests the journal holds by default: enough
// for what one test of a program does, in a quarter of a megabyte.
const DefaultJournalSize = 1000

// journal is a ring of the last requests. An entry is made before its reply is
// written, so a client that has a reply finds its request here, and is
// completed when the reply is out.
type journal struct {
	size    uint64         // requests held
	entries []journalEntry // a power of two of them: a request divides nothing
	cursor  atomic.Uint64  // requests recorded ever
	base    atomic.Uint64  // cursor at the last reset

	mu       sync.Mutex
	baseline *metricsTotals // counters at the last reset
}

// journalEntry is one request, in four cache lines: a busy server goes through
// the whole ring several times a second. Its lock is held for the time of a
// copy, and two requests want the same one only a ring's length apart.
type journalEntry struct {
	mu       sync.Mutex
	number   uint64 // from 1; 0: never used
	start    int64  // Unix nanoseconds
	ttfb     time.Duration
	duration time.Duration
	received int64
	sent     int64
	code     string
	method   string
	id       [requestIDSize]byte
	status   uint16
	bucket   uint16 // length of the bucket's name in text
	length   uint16 // of what is in text; 0: it is in long
	op       uint8  // number
	done     bool   // the reply is out; sent and duration are known
	aborted  bool
	text     [journalText]byte // bucket and key
	long     []byte            // those that text has no room for
}

// journalText makes an entry 256 bytes long.
const journalText = 112

// newJournal returns a journal of size requests, nil for 0.
func newJournal(size int) *journal {
	if size <= 0 {
		return nil
	}
	return &journal{size: uint64(size), entries: make([]journalEntry, 1<<bits.Len(uint(size-1)))}
}

// add records a request whose reply is about to be written, and sets its
// account's place. That of a reply in one piece is complete.
func (j *journal) add(x *exchange, bucket, key []byte) {
	x.place = j.cursor.Add(1)
	e := j.at(x.place)
	e.mu.Lock()
	// The ring may have gone round while this request waited.
	if e.number < x.place {
		e.set(x, bucket, key)
	}
	e.mu.Unlock()
}

func (e *journalEntry) set(x *exchange, bucket, key []byte) {
	e.number, e.done, e.aborted, e.sent, e.duration = x.place, !x.streamed, false, x.sent, x.duration
	e.op, e.status, e.code, e.method, e.id = uint8(operationNumber(x.op)), uint16(x.status), x.code, x.method, x.id
	e.start, e.ttfb, e.received = x.start.UnixNano(), x.ttfb, x.received
	e.bucket, e.length = uint16(len(bucket)), uint16(len(bucket)+len(key))
	if len(bucket)+len(key) > len(e.text) {
		e.length = 0
		e.long = append(append(e.long[:0], bucket...), key...)
		return
	}
	e.long = nil
	copy(e.text[copy(e.text[:], bucket):], key)
}

// names returns the bucket and the key, valid while the entry is locked.
func (e *journalEntry) names() (bucket, key []byte) {
	text := e.text[:e.length]
	if e.long != nil {
		text = e.long
	}
	return text[:e.bucket], text[e.bucket:]
}

// update completes the entry of a request whose streamed reply is out.
func (j *journal) update(x *exchange) {
	e := j.at(x.place)
	e.mu.Lock()
	if e.number == x.place {
		e.done, e.aborted, e.sent, e.duration = true, x.aborted, x.sent, x.duration
	}
	e.mu.Unlock()
}

func (j *journal) at(number uint64) *journalEntry {
	return &j.entries[number&uint64(len(j.entries)-1)]
}

// reset forgets all requests so far. m are the server's counters.
func (j *journal) reset(m *metrics) {
	totals := new(metricsTotals)
	m.collect(totals)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.baseline = totals
	j.base.Store(j.cursor.Load())
}

// journalFilter selects requests; zero fields select all.
type journalFilter struct {
	operations []string
	statuses   []statusClass
	bucket     string
	prefix     []byte
	after      uint64 // only requests with a higher number
	limit      int    // the last ones; 0: all
}

// statusClass is a status, or all of one hundred (2xx).
type statusClass struct{ from, to int }

func (f *journalFilter) matches(e *journalEntry) bool {
	bucket, key := e.names()
	if f.bucket != "" && string(bucket) != f.bucket || !bytes.HasPrefix(key, f.prefix) {
		return false
	}
	if len(f.operations) > 0 {
		found := false
		for _, name := range f.operations {
			found = found || name == operations[e.op].name
		}
		if !found {
			return false
		}
	}
	if len(f.statuses) == 0 {
		return true
	}
	for _, s := range f.statuses {
		if int(e.status) >= s.from && int(e.status) <= s.to {
			return true
		}
	}
	return false
}

// JournalRequest is one request in the journal.
type JournalRequest struct {
	Number    uint64    `json:"number"` // in order of reply, from 1
	Time      time.Time `json:"time"`   // of arrival
	RequestID string    `json:"request_id"`
	Operation string    `json:"operation"` // AWS's name
	Method    string    `json:"method"`
	Bucket    string    `json:"bucket,omitempty"`
	Key       string    `json:"key,omitempty"`
	Status    int       `json:"status"`
	Code      string    `json:"code,omitempty"` // S3 error code
	Received  int64     `json:"received_bytes"` // of the request's payload
	Sent      int64     `json:"sent_bytes"`     // of the reply's body
	TTFB      float64   `json:"ttfb_seconds"`
	Duration  float64   `json:"duration_seconds"`
	Done      bool      `json:"done"` // false: the reply's body is being sent, Sent and Duration are not known yet
	Aborted   bool      `json:"aborted,omitempty"`
}

// JournalPage is what the journal answers.
type JournalPage struct {
	Size     int               `json:"size"`     // requests the journal can hold
	Recorded uint64            `json:"recorded"` // since the last reset
	Lost     uint64            `json:"lost"`     // of those, no longer held
	Totals   map[string]uint64 `json:"totals"`   // by operation since the last reset, lost ones included, without the filter
	Matched  uint64            `json:"matched"`  // held requests that the filter selects
	Counts   map[string]uint64 `json:"counts"`   // of those, by operation
	Requests []JournalRequest  `json:"requests"` // of those, the last ones, oldest first
}

// page returns what f selects. m are the server's counters.
func (j *journal) page(f *journalFilter, m *metrics) JournalPage {
	p := JournalPage{Size: int(j.size), Counts: map[string]uint64{}, Requests: []JournalRequest{}}
	base, end := j.base.Load(), j.cursor.Load()
	p.Recorded = end - base
	from := base
	if end-from > j.size {
		from = end - j.size
		p.Lost = from - base
	}
	for n := max(from, f.after) + 1; n <= end; n++ {
		e := j.at(n)
		e.mu.Lock()
		if e.number == n && f.matches(e) {
			r := e.export()
			p.Matched++
			p.Counts[r.Operation]++
			p.Requests = append(p.Requests, r)
		}
		e.mu.Unlock()
	}
	if f.limit > 0 && len(p.Requests) > f.limit {
		p.Requests = p.Requests[len(p.Requests)-f.limit:]
	}
	p.Totals = j.totals(m)
	return p
}

// totals counts the requests since the last reset by operation.
func (j *journal) totals(m *metrics) map[string]uint64 {
	now := new(metricsTotals)
	m.collect(now)
	j.mu.Lock()
	defer j.mu.Unlock()
	counts := map[string]uint64{}
	for i, op := range operations {
		n := now.operations[i].requests()
		if j.baseline != nil {
			n -= j.baseline.operations[i].requests()
		}
		if n > 0 && op != opHealth {
			counts[op.name] += n
		}
	}
	return counts
}

func (e *journalEntry) export() JournalRequest {
	bucket, key := e.names()
	return JournalRequest{
		Number: e.number, Time: time.Unix(0, e.start).UTC(), RequestID: string(e.id[:]),
		Operation: operations[e.op].name, Method: e.method,
		Bucket: string(bucket), Key: string(key), Status: int(e.status), Code: e.code,
		Received: e.received, Sent: e.sent, TTFB: e.ttfb.Seconds(), Duration: e.duration.Seconds(),
		Done: e.done, Aborted: e.aborted,
	}
}
