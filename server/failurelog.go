package server

import (
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"
)

// failureLogRate is how many refused requests are logged each second: enough
// to see every fault of a quiet server, and a bound on what a benchmark that
// fails a million times writes.
const failureLogRate = 20

// failureLog writes one line for each failed request, at most failureLogRate a
// second, and then says how many it left out.
type failureLog struct {
	log     *slog.Logger
	second  atomic.Int64 // Unix second of the current window
	written atomic.Int64 // lines in it
	dropped atomic.Int64 // since the last line
	recent  recentFailures
}

func newFailureLog(log *slog.Logger) *failureLog {
	return &failureLog{log: log}
}

// write logs a failed request with its cause. 5xx are errors of the server;
// everything else is the client's doing.
func (l *failureLog) write(r *request, e *apiError) {
	if !l.admit(r.now) {
		l.dropped.Add(1)
		return
	}
	level := slog.LevelInfo
	if e.Status >= 500 && e.Status != 501 && e.Status != 507 {
		level = slog.LevelError
	}
	op := "unknown"
	if r.op != nil {
		op = r.op.name
	}
	l.recent.add(Failure{
		Time: r.now, RequestID: string(r.id[:]), Status: e.Status, Code: e.Code, Operation: op, Method: r.method,
		Target: string(r.target.path), Remote: r.ctx.RemoteAddr().String(), Cause: e.Error(),
	})
	attrs := []slog.Attr{
		slog.Int("status", e.Status), slog.String("code", e.Code), slog.String("operation", op),
		slog.String("method", r.method), slog.String("target", string(r.target.path)),
		slog.String("request_id", string(r.id[:])), slog.String("remote", r.ctx.RemoteAddr().String()),
		slog.String("cause", e.Error()),
	}
	if n := l.dropped.Swap(0); n > 0 {
		attrs = append(attrs, slog.Int64("not_logged", n))
	}
	l.log.LogAttrs(r.ctx, level, "request failed", attrs...)
}

// admit counts a line into the current second. Two requests that see a new
// second at once may both reset it: the rate is a bound on log volume, not an
// exact count.
func (l *failureLog) admit(now time.Time) bool {
	if s := now.Unix(); l.second.Swap(s) != s {
		l.written.Store(0)
	}
	return l.written.Add(1) <= failureLogRate
}

// httpLogger passes fasthttp's own messages (broken connections above all) to
// the logger at debug level: they are the client's, and frequent.
type httpLogger struct {
	log *slog.Logger
}

func (l httpLogger) Printf(format string, args ...any) {
	l.log.Debug("http", "message", fmt.Sprintf(format, args...))
}
