package server

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/common/expfmt"
)

// metricsPage answers scrapes in Prometheus's text format, which every version
// of it reads. The library's own handler can also write two other formats, which
// only have more to say of other kinds of metrics than ours; they would be half
// a megabyte of the program.
type metricsPage struct {
	// registry is made for the first scrape: a server that nobody scrapes starts
	// faster and has a megabyte less in memory.
	registry func() *prometheus.Registry
}

func newMetricsPage(s *Server) *metricsPage {
	return &metricsPage{sync.OnceValue(func() *prometheus.Registry {
		r := prometheus.NewRegistry()
		r.MustRegister(newCollector(s), collectors.NewGoCollector(),
			collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
		return r
	})}
}

// ServeHTTP is http.Handler's.
func (p *metricsPage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	families, err := p.registry().Gather()
	if err != nil {
		writeText(w, http.StatusInternalServerError, "cannot gather the metrics: "+err.Error()+"\n")
		return
	}
	var text bytes.Buffer
	for _, f := range families {
		if _, err := expfmt.MetricFamilyToText(&text, f); err != nil {
			writeText(w, http.StatusInternalServerError, "cannot write the metrics: "+err.Error()+"\n")
			return
		}
	}
	h := w.Header()
	h.Set("Content-Type", string(expfmt.NewFormat(expfmt.TypeTextPlain)))
	h.Set("Vary", "Accept-Encoding")
	// Histograms are repetitive: a tenth goes over the network.
	if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		_, _ = w.Write(text.Bytes())
		return
	}
	h.Set("Content-Encoding", "gzip")
	// The scraper is gone if these fail.
	z := gzip.NewWriter(w)
	_, _ = z.Write(text.Bytes())
	_ = z.Close()
}
