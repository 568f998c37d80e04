package server

import (
	"encoding/json"
	"time"

	"github.com/s3ultra/s3ultra/sigv4"
)

// accessLine is one line of the JSON access log. Names and values are stable;
// later versions may add fields.
type accessLine struct {
	Time      time.Time `json:"time"` // of arrival
	RequestID string    `json:"request_id"`
	Remote    string    `json:"remote,omitempty"`
	AccessKey string    `json:"access_key,omitempty"`
	Auth      string    `json:"auth"` // none, header or query
	Operation string    `json:"operation"`
	Method    string    `json:"method"`
	Target    string    `json:"target"` // as received, with the query
	Host      string    `json:"host,omitempty"`
	Bucket    string    `json:"bucket,omitempty"`
	Key       string    `json:"key,omitempty"`
	VersionID string    `json:"version_id,omitempty"`
	Status    int       `json:"status"`
	Code      string    `json:"code,omitempty"`
	Received  int64     `json:"received_bytes"`
	Sent      int64     `json:"sent_bytes"`
	Size      *int64    `json:"object_bytes,omitempty"`
	TTFB      int64     `json:"ttfb_ns"`
	Duration  int64     `json:"duration_ns"`
	Aborted   bool      `json:"aborted,omitempty"`
	UserAgent string    `json:"user_agent,omitempty"`
	Referer   string    `json:"referer,omitempty"`
}

// appendJSONLine appends the account as one JSON object.
func appendJSONLine(dst []byte, x *exchange) []byte {
	w := &x.words
	line := accessLine{
		Time: x.start.UTC(), RequestID: string(x.id[:]), AccessKey: string(w.of(w.who)),
		Auth: "none", Operation: operations[operationNumber(x.op)].name, Method: x.method,
		Target: string(w.of(w.target)), Host: string(w.of(w.host)),
		Bucket: string(w.of(w.bucket)), Key: string(w.of(w.key)),
		VersionID: string(w.of(w.version)), Status: x.status, Code: x.code, Received: x.received, Sent: x.sent,
		TTFB: x.ttfb.Nanoseconds(), Duration: x.duration.Nanoseconds(), Aborted: x.aborted,
		UserAgent: string(w.of(w.agent)), Referer: string(w.of(w.referer)),
	}
	if x.remote != nil {
		line.Remote = x.remote.String()
	}
	switch x.auth {
	case sigv4.HeaderAuth:
		line.Auth = "header"
	case sigv4.PresignedAuth:
		line.Auth = "query"
	}
	if x.size >= 0 {
		line.Size = &x.size
	}
	text, err := json.Marshal(line)
	if err != nil {
		// Strings and numbers always have a form in JSON.
		return dst
	}
	return append(append(dst, text...), '\n')
}
