package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"time"
)

// Admin is the operator's HTTP server: metrics, health, profiles, the journal
// and statistics. It is served on a listener of its own, never among buckets,
// and asks for no credentials: whoever reaches it can read what clients do.
type Admin struct {
	srv     *Server
	http    *http.Server
	sampler *sampler
	stop    context.CancelFunc
	page    func() *livePage
}

// adminHeaderTime bounds how long a client may take over its headers.
const adminHeaderTime = 10 * time.Second

// NewAdmin returns the operator's side of s. It takes a sample each second
// until Close.
func NewAdmin(s *Server) *Admin {
	ctx, cancel := context.WithCancel(context.Background())
	a := &Admin{srv: s, sampler: newSampler(s), stop: cancel, page: newLivePage()}
	a.http = &http.Server{
		Handler: http.NewCrossOriginProtection().Handler(a.routes()),
		// Streams of events end when it does.
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: adminHeaderTime,
		ErrorLog:          slog.NewLogLogger(s.cfg.Logger.Handler(), slog.LevelDebug),
	}
	go a.sampler.run(ctx)
	return a
}

// Serve answers the connections of ln until Close; it returns nil after that.
func (a *Admin) Serve(ln net.Listener) error {
	if err := a.http.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("cannot serve the admin address %s: %w", ln.Addr(), err)
	}
	return nil
}

// Close ends everything at once: nobody's data is on these connections.
func (a *Admin) Close() error {
	a.stop()
	return a.http.Close()
}

// The paths of the admin server.
const (
	adminMetrics = "/metrics"
	adminHealth  = "/healthz"
	adminReady   = "/readyz"
	adminConfig  = "/config"
	adminJournal = "/_s3ultra/requests"
	adminStats   = "/api/stats"
	adminHistory = "/api/history"
	adminEvents  = "/api/events"
)

const adminIndex = `s3ultra admin

/                     live page, in a browser
/metrics              Prometheus metrics
/healthz              200 while the process runs
/readyz               200 once all listeners, buckets and data sets are there
/config               settings and build, without secrets
/_s3ultra/requests    journal of the last requests: operation=, bucket=, prefix=, status=, after=, limit=; DELETE resets it
/api/stats            statistics of the last second as JSON
/api/history          15 minutes of seconds as JSON
/api/events           statistics each second as server-sent events
/debug/pprof/         profiles
`

func (a *Admin) routes() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET "+adminMetrics, newMetricsPage(a.srv))
	mux.HandleFunc("GET "+adminHealth, func(w http.ResponseWriter, _ *http.Request) { writeText(w, http.StatusOK, "ok\n") })
	mux.HandleFunc("GET "+adminReady, a.ready)
	mux.HandleFunc("GET "+adminConfig, a.config)
	mux.HandleFunc("GET "+adminJournal, a.journal)
	mux.HandleFunc("POST "+adminJournal, a.resetJournal)
	mux.HandleFunc("DELETE "+adminJournal, a.resetJournal)
	mux.HandleFunc("GET "+adminStats, func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, http.StatusOK, a.sampler.stats()) })
	mux.HandleFunc("GET "+adminHistory, func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, map[string]any{"samples": a.sampler.history()})
	})
	mux.HandleFunc("GET "+adminEvents, a.events)
	mux.HandleFunc("GET /{$}", a.root)
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return mux
}

// ready answers 200 once clients may come, else 503 with what is missing.
func (a *Admin) ready(w http.ResponseWriter, _ *http.Request) {
	if err := a.srv.Ready(); err != nil {
		writeText(w, http.StatusServiceUnavailable, err.Error()+"\n")
		return
	}
	writeText(w, http.StatusOK, "ok\n")
}

func writeText(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	// The client is gone if this fails.
	_, _ = w.Write([]byte(text))
}

// writeJSON answers with doc. Nothing the admin server answers may be cached.
func writeJSON(w http.ResponseWriter, status int, doc any) {
	text, err := json.Marshal(doc)
	if err != nil {
		writeText(w, http.StatusInternalServerError, err.Error()+"\n")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(append(text, '\n'))
}
