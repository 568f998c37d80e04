package server

import (
	"net"
	"sync"
	"time"

	"github.com/s3ultra/s3ultra/sigv4"
	"github.com/s3ultra/s3ultra/store"
)

// exchange is the account of one request and its reply. It outlives the
// handler: the body of a reply is written after it, and the access log reads
// the account later still. One owner at a time: the request, then the reply's
// body, then the access log.
type exchange struct {
	srv       *Server
	shard     *metricsShard
	op        *operation
	id        [requestIDSize]byte
	method    string
	start     time.Time
	initiated time.Time // of the upload that this request completes, else zero
	ttfb      time.Duration
	duration  time.Duration
	status    int
	code      string // S3 error code, "" without error
	received  int64  // payload bytes
	sent      int64  // body bytes
	size      int64  // of the object, -1 if none was found
	aborted   bool   // the reply was cut off
	streamed  bool   // the reply's body is written after the handler
	continued bool   // a listing's page that is not its first
	place     uint64 // in the journal; 0: none

	// Only for the access log.
	remote net.Addr
	conn   uint32
	auth   sigv4.Kind
	words  exchangeWords
	// deleted has the keys of a DeleteObjects request, in its order.
	deleted []deletedKey
}

// deletedKey is a key that a DeleteObjects request names, and the code of the
// error if it was not deleted.
type deletedKey struct {
	key  word
	code string
}

// exchangeWords are copies of what the request says, in one buffer.
type exchangeWords struct {
	buf                                                             []byte
	bucket, key, prefix, target, host, agent, referer, who, version word
}

// word is a piece of exchangeWords.buf.
type word struct{ from, to int }

func (w *exchangeWords) put(b []byte) word {
	from := len(w.buf)
	w.buf = append(w.buf, b...)
	return word{from, len(w.buf)}
}

func (w *exchangeWords) of(p word) []byte { return w.buf[p.from:p.to] }

var exchanges = sync.Pool{New: func() any { return new(exchange) }}

// newAccount gives r the account of its next request.
func (r *request) newAccount(s *Server) {
	x := r.account
	if x == nil {
		x = exchanges.Get().(*exchange)
		r.account = x
	}
	// Field by field: the rest is set before it is read, and clearing all of it
	// would cost as much as the counting.
	x.srv, x.shard, x.initiated, x.code = s, r.shard, time.Time{}, ""
	x.received, x.sent, x.size, x.aborted, x.place = 0, 0, -1, false, 0
	x.words.buf, x.deleted = x.words.buf[:0], x.deleted[:0]
	r.receiver.count = 0
	r.body = nil
	// A request that is refused before its signature is looked at has none.
	r.auth.Kind, r.auth.AccessKey = sigv4.Anonymous, ""
}

// begin counts the request as in flight.
func (r *request) begin() { r.shard.started.Add(1) }

// replied closes the handler's side of the account: all but the body of a
// streamed reply is known. It must run before a client can see the reply, so
// that who has it finds it counted.
func (r *request) replied() {
	x, resp := r.account, &r.ctx.Response
	x.op, x.id, x.method, x.start = r.op, r.id, r.method, r.now
	x.status = resp.StatusCode()
	x.received += r.receiver.count
	x.ttfb = time.Since(x.start)
	x.size = max(x.size, r.objectSize())
	m := &r.shard.operations[operationNumber(r.op)]
	m.replies[statusPlace(x.status)].Add(1)
	if x.received > 0 {
		m.received.Add(uint64(x.received))
		r.countDropped()
	}
	x.streamed = r.body != nil
	if x.streamed {
		m.observe(latencyFirst, x.ttfb)
	} else {
		x.duration = x.ttfb
		m.observe(latencyWhole, x.ttfb)
		if !resp.SkipBody && r.method != "HEAD" {
			x.sent = int64(len(resp.Body()))
			m.sent.Add(uint64(x.sent))
		}
	}
	if r.op != opHealth {
		if r.srv.journal != nil {
			r.srv.journal.add(x, r.target.bucket, r.target.key)
		}
		if r.srv.access != nil {
			r.describe()
		}
	}
	if x.streamed {
		r.body.account, r.account = x, nil
		return
	}
	if x.finish() {
		r.account = nil
	}
}

// objectSize is the size of the object that the request read or wrote, -1 if
// there is none.
func (r *request) objectSize() int64 {
	switch {
	case r.op == opGetObject || r.op == opHeadObject:
		if r.ctx.Response.StatusCode() < 300 {
			return r.object.Size
		}
	case r.op == opPutObject || r.op == opUploadPart || r.op == opPostObject:
		return r.receiver.count
	}
	return -1
}

// countDropped counts a body that was taken and thrown away, as synthetic
// buckets do.
func (r *request) countDropped() {
	if r.op != opPutObject && r.op != opUploadPart && r.op != opPostObject {
		return
	}
	n := r.receiver.count
	if n < r.srv.cfg.KeepSmall || r.account.status >= 300 {
		return
	}
	if b := r.srv.store.Bucket(r.target.bucket); b != nil && b.Mode() == store.Synth {
		r.shard.dropped.Add(uint64(n))
	}
}

// describe copies for the access log what the request says.
func (r *request) describe() {
	x, w := r.account, &r.account.words
	x.remote, x.auth = r.ctx.RemoteAddr(), r.auth.Kind
	x.conn = 0
	if c, ok := r.ctx.Conn().(*conn); ok {
		x.conn = c.number
	}
	w.bucket, w.key = w.put(r.target.bucket), w.put(r.target.key)
	w.prefix, x.continued = r.describeList(w)
	w.target = w.put(r.ctx.Request.Header.RequestURI())
	w.host = w.put(r.known[headerHost])
	w.agent, w.referer = w.put(r.header("user-agent")), w.put(r.header("referer"))
	from := len(w.buf)
	w.buf = append(w.buf, r.auth.AccessKey...)
	w.who = word{from, len(w.buf)}
	w.version = w.put(r.ctx.Response.Header.PeekBytes(nameVersionID))
}

// listMarkers are the parameters that ask for a listing's second or later page,
// in the forms of ListObjectsV2, ListObjects and ListObjectVersions.
var listMarkers = [...]string{"continuation-token", "marker", "key-marker"}

// describeList copies the prefix that a listing asks for and tells whether it
// asks for another page than the first. Other requests have neither.
func (r *request) describeList(w *exchangeWords) (prefix word, continued bool) {
	switch r.op {
	case opListObjectsV2, opListObjects, opListObjectVersions:
	default:
		return word{}, false
	}
	asked, _ := r.target.param("prefix")
	for _, name := range listMarkers {
		if marker, _ := r.target.param(name); len(marker) > 0 {
			continued = true
		}
	}
	return w.put(asked), continued
}

// describeDeleted copies for the access log a key of a DeleteObjects request and
// the code of its error, "" without one.
func (r *request) describeDeleted(key, code string) {
	if r.srv.access == nil {
		return
	}
	x := r.account
	x.deleted = append(x.deleted, deletedKey{x.words.put(viewBytes(key)), code})
}

// maxPooledWords is the most that a pooled account keeps for what requests say.
// Only the keys of a large DeleteObjects request take more: a head has at most
// 16 KiB.
const maxPooledWords = 32 << 10

// release gives the account back to the pool.
func (x *exchange) release() {
	if cap(x.words.buf) > maxPooledWords {
		x.words.buf, x.deleted = nil, nil
	}
	exchanges.Put(x)
}

// finish gives the closed account to the logs. It tells whether it was given
// away.
func (x *exchange) finish() bool {
	if x.op == opHealth {
		return false
	}
	if x.streamed && x.place != 0 {
		x.srv.journal.update(x)
	}
	if x.srv.access == nil {
		return false
	}
	x.srv.access.submit(x)
	return true
}

// closeAccount closes the account of a reply whose body has been written, or
// cannot be written any more.
func (b *replyBody) closeAccount() {
	x := b.account
	if x == nil {
		// The handler failed after all and replied with an error.
		return
	}
	m := &x.shard.operations[operationNumber(x.op)]
	x.sent = b.sent
	counter := &m.sent
	if o, ok := b.src.(*objectBody); ok {
		x.sent = b.size - o.left
		if o.object.Data == nil {
			counter = &m.made
		}
	}
	counter.Add(uint64(x.sent))
	x.duration = time.Since(x.start)
	m.observe(latencyLast, x.duration)
	if x.aborted = x.sent < b.size && x.method != "HEAD"; x.aborted {
		m.aborted.Add(1)
	}
	if !x.finish() {
		x.release()
	}
}
