package server

import (
	"runtime"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/s3ultra/s3ultra/store"
)

// The latency bounds that are exported: every power of two from 16 µs, less
// than which no request over a network takes, to 134 s, above every client's
// time-out. They are bounds of the counters' own buckets.
const (
	firstExportedPower = 4 // 2^4 µs
	lastExportedPower  = 27
)

// collector shows a server's counters to Prometheus. Everything is read at the
// scrape: requests know nothing of it.
type collector struct {
	srv *Server

	build, requests, duration, ttfb, inflight, received, sent, aborted *prometheus.Desc
	generated, dropped, rejected, connections, accepted                *prometheus.Desc
	buckets, objects, versions, objectBytes, uploads                   *prometheus.Desc
	memory, memoryLimit, logWritten, logDropped                        *prometheus.Desc
}

func newCollector(s *Server) *collector {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("s3ultra_"+name, help, labels, nil)
	}
	return &collector{
		srv:         s,
		build:       desc("build_info", "Always 1; the labels tell the build.", "version", "commit", "goversion"),
		requests:    desc("requests_total", "Replies begun, by S3 operation and HTTP status.", "operation", "code"),
		duration:    desc("request_duration_seconds", "Time from the request's headers to the end of its reply.", "operation"),
		ttfb:        desc("ttfb_seconds", "Time from the request's headers to the start of its reply; uploads have been read by then.", "operation"),
		inflight:    desc("inflight", "Requests whose reply is not finished."),
		received:    desc("received_bytes_total", "Payload bytes of requests.", "operation"),
		sent:        desc("sent_bytes_total", "Body bytes of replies.", "operation"),
		aborted:     desc("aborted_replies_total", "Replies that were cut off, nearly always by the client.", "operation"),
		generated:   desc("generated_bytes_total", "Bytes sent that were generated."),
		dropped:     desc("dropped_bytes_total", "Bytes received for objects of synthetic buckets that were dropped."),
		rejected:    desc("rejected_total", "Refused requests, by S3 error code.", "reason"),
		connections: desc("connections", "Open connections."),
		accepted:    desc("connections_accepted_total", "Connections accepted."),
		buckets:     desc("buckets", "Buckets."),
		objects:     desc("objects", "Current objects."),
		versions:    desc("object_versions", "Noncurrent versions and delete markers."),
		objectBytes: desc("object_bytes", "Logical size of the current objects, by the bucket's mode.", "mode"),
		uploads:     desc("multipart_uploads", "Multipart uploads that are neither completed nor aborted."),
		memory:      desc("memory_bytes", "Memory of the store: data (bodies of memory buckets), kept (true bytes in synthetic buckets), index (names and metadata), idle (freed, held for reuse).", "kind"),
		memoryLimit: desc("memory_limit_bytes", "What data, kept and index may take together; 0 is no limit."),
		logWritten:  desc("access_log_lines_total", "Lines written to the access log."),
		logDropped:  desc("access_log_dropped_total", "Lines left out of the access log because the writer was behind or failed."),
	}
}

// Describe is prometheus.Collector's.
func (c *collector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		c.build, c.requests, c.duration, c.ttfb, c.inflight, c.received, c.sent, c.aborted,
		c.generated, c.dropped, c.rejected, c.connections, c.accepted,
		c.buckets, c.objects, c.versions, c.objectBytes, c.uploads,
		c.memory, c.memoryLimit, c.logWritten, c.logDropped,
	} {
		to <- d
	}
}

// Collect is prometheus.Collector's.
func (c *collector) Collect(to chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	counter := func(d *prometheus.Desc, v uint64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(v), labels...)
	}
	m := c.srv.metrics
	totals := new(metricsTotals)
	m.collect(totals)

	gauge(c.build, 1, c.srv.cfg.Version, c.srv.cfg.Commit, runtime.Version())
	for i, op := range operations {
		c.collectOperation(to, op.name, &totals.operations[i])
	}
	gauge(c.inflight, float64(totals.inflight()))
	counter(c.generated, totals.generated)
	counter(c.dropped, totals.dropped)
	for code, n := range m.rejections() {
		counter(c.rejected, n, code)
	}
	gauge(c.connections, float64(m.connections.Load()))
	counter(c.accepted, m.accepted.Load())

	st := c.srv.store.Stats()
	gauge(c.buckets, float64(st.Buckets))
	gauge(c.objects, float64(st.Objects))
	gauge(c.versions, float64(st.Versions))
	bytes := map[store.Mode]int64{store.Synth: 0, store.Memory: 0}
	for _, b := range c.srv.store.Buckets() {
		bytes[b.Mode()] += b.Bytes()
	}
	for mode, n := range bytes {
		gauge(c.objectBytes, float64(n), mode.String())
	}
	gauge(c.uploads, float64(st.Uploads))
	gauge(c.memory, float64(st.MemoryData), "data")
	gauge(c.memory, float64(st.MemoryKept), "kept")
	gauge(c.memory, float64(st.MemoryIndex), "index")
	gauge(c.memory, float64(st.MemoryIdle), "idle")
	gauge(c.memoryLimit, float64(st.MemoryLimit))
	if a := c.srv.access; a != nil {
		counter(c.logWritten, a.written.Load())
		counter(c.logDropped, a.dropped.Load())
	}
}

// collectOperation shows one operation, unless it was never asked for: a
// series that is always 0 tells nothing and there are a thousand of them.
func (c *collector) collectOperation(to chan<- prometheus.Metric, name string, o *operationTotals) {
	if o.requests() == 0 {
		return
	}
	for i, n := range o.replies {
		if n == 0 {
			continue
		}
		code := "other"
		if statuses[i] > 0 {
			code = strconv.Itoa(statuses[i])
		}
		to <- prometheus.MustNewConstMetric(c.requests, prometheus.CounterValue, float64(n), name, code)
	}
	to <- prometheus.MustNewConstMetric(c.received, prometheus.CounterValue, float64(o.received), name)
	to <- prometheus.MustNewConstMetric(c.sent, prometheus.CounterValue, float64(o.sent), name)
	to <- prometheus.MustNewConstMetric(c.aborted, prometheus.CounterValue, float64(o.aborted), name)
	to <- o.duration.export(c.duration, name)
	to <- o.ttfb.export(c.ttfb, name)
}

// export returns l as a Prometheus histogram.
func (l *latencies) export(d *prometheus.Desc, labels ...string) prometheus.Metric {
	bounds := make(map[float64]uint64, lastExportedPower-firstExportedPower+1)
	seen, next := uint64(0), 0
	for power := firstExportedPower; power <= lastExportedPower; power++ {
		// The bucket that begins at 2^power µs; see latencyBucket.
		for end := (power + 1) * latencySteps; next < end; next++ {
			seen += l.buckets[next]
		}
		bounds[float64(int64(1)<<power)/1e6] = seen
	}
	return prometheus.MustNewConstHistogram(d, l.count(), float64(l.sum)/1e9, bounds, labels...)
}
