package server

import (
	"bytes"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"
)

// modTimes gives the times at which objects are written. The Date header is
// fasthttp's, which renews it once a second at a moment of its own; an object
// must not be younger than the reply that says so (RFC 9110 section 8.8.2.1),
// so for the rest of such a second its time stays in the second before.
type modTimes struct {
	date    atomic.Int64 // Unix second that Date had reached when last looked at
	checked atomic.Int64 // Unix milliseconds of that look
}

// dateCheck is how often Date is looked at while it is late, in milliseconds:
// a look builds a header block, which is dear for every PUT.
const dateCheck = 10

// at returns now, or the last moment that Date has reached.
func (m *modTimes) at(now time.Time) time.Time {
	second, ms := now.Unix(), now.UnixMilli()
	// The look before what it found; at stores them the other way round.
	checked := m.checked.Load()
	date := m.date.Load()
	if date >= second {
		return now
	}
	if ms-checked >= dateCheck {
		date = second
		if t, ok := sentDate(); ok {
			date = t.Unix()
		}
		m.date.Store(date)
		m.checked.Store(ms)
		if date >= second {
			return now
		}
	}
	return time.Unix(date, 0).Add(time.Second - time.Millisecond)
}

// sentDate reads the Date that a reply would carry now.
func sentDate() (time.Time, bool) {
	var h fasthttp.ResponseHeader
	_, rest, ok := bytes.Cut(h.AppendBytes(nil), []byte("\r\nDate: "))
	if !ok || len(rest) < len(httpTime) {
		return time.Time{}, false
	}
	t, err := time.Parse(httpTime, string(rest[:len(httpTime)]))
	return t, err == nil
}

// modTime is the time of what the request writes.
func (r *request) modTime() time.Time { return r.srv.times.at(r.now) }
