package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/s3ultra/s3ultra/server"
	"github.com/s3ultra/s3ultra/store"
	"github.com/s3ultra/s3ultra/synth"
)

// operator is an admin server beside a fixture.
type operator struct {
	t   *testing.T
	url string
}

// operate starts the admin server of f.
func operate(t *testing.T, f *fixture) *operator {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	a := server.NewAdmin(f.srv)
	served := make(chan error, 1)
	go func() { served <- a.Serve(ln) }()
	t.Cleanup(func() {
		a.Close()
		if err := <-served; err != nil {
			t.Errorf("unexpected end of the admin server: %v", err)
		}
	})
	return &operator{t, "http://" + ln.Addr().String()}
}

// ask returns the status and the body of a reply.
func (o *operator) ask(method, path string) (int, string) {
	o.t.Helper()
	req, err := http.NewRequest(method, o.url+path, nil)
	if err != nil {
		o.t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		o.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		o.t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// get is ask for what must be there.
func (o *operator) get(path string) string {
	o.t.Helper()
	status, body := o.ask("GET", path)
	if status != 200 {
		o.t.Fatalf("unexpected status of %s; got %d %q; want 200", path, status, body)
	}
	return body
}

func (o *operator) decode(path string, doc any) {
	o.t.Helper()
	if err := json.Unmarshal([]byte(o.get(path)), doc); err != nil {
		o.t.Fatalf("cannot parse %s: %v", path, err)
	}
}

// scrape reads /metrics as Prometheus does.
func (o *operator) scrape() map[string]*dto.MetricFamily {
	o.t.Helper()
	p := expfmt.NewTextParser(model.UTF8Validation)
	families, err := p.TextToMetricFamilies(strings.NewReader(o.get("/metrics")))
	if err != nil {
		o.t.Fatalf("cannot parse the metrics: %v", err)
	}
	return families
}

// metric returns the one series of a family with these "name=value" labels.
func metric(t *testing.T, families map[string]*dto.MetricFamily, name string, labels ...string) *dto.Metric {
	t.Helper()
	f := families[name]
	if f == nil {
		t.Fatalf("the metric %s is missing", name)
	}
	for _, m := range f.Metric {
		found := 0
		for _, l := range m.Label {
			for _, want := range labels {
				if l.GetName()+"="+l.GetValue() == want {
					found++
				}
			}
		}
		if found == len(labels) {
			return m
		}
	}
	t.Fatalf("%s has no series with %v: %v", name, labels, f)
	return nil
}

func value(m *dto.Metric) float64 {
	return m.GetCounter().GetValue() + m.GetGauge().GetValue()
}

// until waits for what happens after a client has its reply.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s did not happen", what)
		}
	}
}

// One run of S3 requests is in every metric.
func TestMetrics(t *testing.T) {
	cfg := testConfig(store.Synth)
	cfg.Buckets = append(cfg.Buckets, server.BucketSpec{Name: "mem", Mode: store.Memory})
	cfg.Version, cfg.Commit, cfg.MemoryLimit = "v9", "abc", 1<<30
	f := start(t, cfg)
	o := operate(t, f)
	f.put(t, "/bkt/large", letters(10_000))
	f.put(t, "/bkt/small", letters(100))
	f.put(t, "/mem/kept", letters(5_000))
	f.do(t, "GET", "/bkt/large", "").want(200)
	f.do(t, "GET", "/bkt/large", "", "Range: bytes=0-999").want(206)
	f.do(t, "GET", "/mem/kept", "").want(200)
	f.do(t, "HEAD", "/bkt/large", "").want(200)
	f.do(t, "GET", "/bkt/missing", "").want(404)
	f.do(t, "GET", "/none/missing", "").want(404)
	f.do(t, "GET", "/bkt?list-type=2", "").want(200)
	f.do(t, "POST", "/bkt/upload?uploads", "").want(200)
	f.send(t, call{method: "GET", target: "/bkt/%zz", anonymous: true}).want(400)

	var m map[string]*dto.MetricFamily
	until(t, "the end of every reply", func() bool {
		m = o.scrape()
		return value(metric(t, m, "s3ultra_inflight")) == 0
	})
	f2 := func(want float64, name string, labels ...string) {
		t.Helper()
		if got := value(metric(t, m, name, labels...)); got != want {
			t.Errorf("unexpected %s%v; got %v; want %v", name, labels, got, want)
		}
	}
	f2(1, "s3ultra_build_info", "version=v9", "commit=abc")
	f2(3, "s3ultra_requests_total", "operation=PutObject", "code=200")
	f2(2, "s3ultra_requests_total", "operation=GetObject", "code=200")
	f2(1, "s3ultra_requests_total", "operation=GetObject", "code=206")
	f2(2, "s3ultra_requests_total", "operation=GetObject", "code=404")
	f2(1, "s3ultra_requests_total", "operation=HeadObject", "code=200")
	f2(1, "s3ultra_requests_total", "operation=ListObjectsV2", "code=200")
	f2(1, "s3ultra_requests_total", "operation=CreateMultipartUpload", "code=200")
	f2(1, "s3ultra_requests_total", "operation=Unknown", "code=400")
	f2(15_100, "s3ultra_received_bytes_total", "operation=PutObject")
	f2(0, "s3ultra_sent_bytes_total", "operation=HeadObject")
	f2(11_000, "s3ultra_generated_bytes_total")
	f2(10_000, "s3ultra_dropped_bytes_total")
	f2(1, "s3ultra_rejected_total", "reason=NoSuchKey")
	f2(1, "s3ultra_rejected_total", "reason=NoSuchBucket")
	f2(1, "s3ultra_rejected_total", "reason=InvalidURI")
	f2(0, "s3ultra_aborted_replies_total", "operation=GetObject")
	f2(1, "s3ultra_connections")
	f2(3, "s3ultra_buckets")
	f2(3, "s3ultra_objects")
	f2(0, "s3ultra_object_versions")
	f2(10_100, "s3ultra_object_bytes", "mode=synth")
	f2(5_000, "s3ultra_object_bytes", "mode=memory")
	f2(1, "s3ultra_multipart_uploads")
	f2(1<<30, "s3ultra_memory_limit_bytes")
	if got := value(metric(t, m, "s3ultra_sent_bytes_total", "operation=GetObject")); got < 16_000 || got > 18_000 {
		t.Errorf("unexpected bytes sent; got %v; want 16,000 and two error documents", got)
	}
	if got := value(metric(t, m, "s3ultra_memory_bytes", "kind=data")); got < 5_000 {
		t.Errorf("unexpected memory of data; got %v; want 5,000 or more", got)
	}
	f2(100, "s3ultra_memory_bytes", "kind=kept")
	for _, kind := range []string{"index", "idle"} {
		metric(t, m, "s3ultra_memory_bytes", "kind="+kind)
	}
	if got := value(metric(t, m, "s3ultra_connections_accepted_total")); got < 1 {
		t.Errorf("unexpected accepted connections; got %v; want 1 or more", got)
	}
	for _, name := range []string{"s3ultra_request_duration_seconds", "s3ultra_ttfb_seconds"} {
		h := metric(t, m, name, "operation=GetObject").GetHistogram()
		if h.GetSampleCount() != 5 || h.GetSampleSum() <= 0 || len(h.Bucket) < 20 {
			t.Errorf("unexpected %s; got %v; want 5 samples in 20 buckets or more", name, h)
		}
		last := h.Bucket[len(h.Bucket)-1]
		if last.GetCumulativeCount() != 5 {
			t.Errorf("unexpected last bucket of %s; got %v; want 5", name, last)
		}
	}
	for _, name := range []string{"go_goroutines", "process_cpu_seconds_total"} {
		metric(t, m, name)
	}
}

// A client that leaves in the middle of a body is counted, with what it got.
func TestMetricsOfAbortedReply(t *testing.T) {
	f := start(t, testConfig(store.Synth))
	o := operate(t, f)
	if err := f.srv.AddSynthetic("bkt", "huge", 1<<40); err != nil {
		t.Fatal(err)
	}
	w := f.dial(t)
	head, _ := call{method: "GET", target: "/bkt/huge"}.bytes(f.addr)
	w.write(head)
	if _, err := io.CopyN(io.Discard, w.conn, 1<<20); err != nil {
		t.Fatal(err)
	}
	m := o.scrape()
	if got := value(metric(t, m, "s3ultra_inflight")); got != 1 {
		t.Errorf("unexpected requests in flight; got %v; want 1", got)
	}
	if got := value(metric(t, m, "s3ultra_requests_total", "operation=GetObject", "code=200")); got != 1 {
		t.Errorf("unexpected replies begun; got %v; want 1", got)
	}
	w.close()
	until(t, "the end of the reply", func() bool {
		m = o.scrape()
		return value(metric(t, m, "s3ultra_inflight")) == 0 && value(metric(t, m, "s3ultra_connections")) == 0
	})
	if got := value(metric(t, m, "s3ultra_aborted_replies_total", "operation=GetObject")); got != 1 {
		t.Errorf("unexpected aborted replies; got %v; want 1", got)
	}
	if got := value(metric(t, m, "s3ultra_generated_bytes_total")); got < 1<<19 || got > 1<<34 {
		t.Errorf("unexpected bytes generated; got %v; want about a megabyte", got)
	}
}

// Bodies refused before they were read, by Expect or not, leave nothing in
// flight.
func TestMetricsOfRefusedBodies(t *testing.T) {
	f := start(t, testConfig(store.Synth))
	o := operate(t, f)
	for range 3 {
		f.send(t, call{method: "PUT", target: "/none/key", body: letters(100), header: []string{"Expect: 100-continue"}}).want(404)
		f.send(t, call{method: "PUT", target: "/none/key", body: letters(100)}).want(404)
		f.send(t, call{method: "PUT", target: "/bkt/key", body: letters(100), header: []string{"Expect: 100-continue"}}).want(200)
	}
	w := f.dial(t)
	w.write([]byte("no HTTP\r\n\r\n"))
	io.Copy(io.Discard, w.conn)
	var m map[string]*dto.MetricFamily
	until(t, "the end of every reply", func() bool {
		m = o.scrape()
		return value(metric(t, m, "s3ultra_inflight")) == 0
	})
	if got := value(metric(t, m, "s3ultra_requests_total", "operation=PutObject", "code=404")); got != 6 {
		t.Errorf("unexpected refused uploads; got %v; want 6", got)
	}
	if got := value(metric(t, m, "s3ultra_requests_total", "operation=PutObject", "code=200")); got != 3 {
		t.Errorf("unexpected uploads; got %v; want 3", got)
	}
}

func TestJournal(t *testing.T) {
	cfg := testConfig(store.Synth)
	cfg.Journal = 10
	f := start(t, cfg)
	o := operate(t, f)
	f.put(t, "/bkt/a/1", "x")
	f.put(t, "/bkt/a/2", letters(1000))
	f.put(t, "/other/a/3", "x")
	for range 3 {
		// A streamed reply is there as soon as its client has it.
		f.do(t, "GET", "/bkt/a/2", "").want(200)
	}
	f.do(t, "GET", "/bkt/b", "").want(404)
	f.do(t, "GET", "/_s3ultra/health", "").want(200)
	check := func(query string, matched int, counts string) server.JournalPage {
		t.Helper()
		var p server.JournalPage
		o.decode("/_s3ultra/requests"+query, &p)
		if got := fmt.Sprint(p.Counts); p.Matched != uint64(matched) || got != "map["+counts+"]" {
			t.Errorf("unexpected journal of %q; got %d %v; want %d map[%s]", query, p.Matched, got, matched, counts)
		}
		return p
	}
	p := check("", 7, "GetObject:4 PutObject:3")
	if p.Recorded != 7 || p.Lost != 0 || p.Size != 10 || fmt.Sprint(p.Totals) != "map[GetObject:4 PutObject:3]" {
		t.Errorf("unexpected page; got %+v; want 7 recorded of 10, none lost", p)
	}
	r := p.Requests[1]
	if r.Operation != "PutObject" || r.Method != "PUT" || r.Bucket != "bkt" || r.Key != "a/2" || r.Status != 200 ||
		r.Received != 1000 || !r.Done || len(r.RequestID) != 16 || time.Since(r.Time) > patience || r.Duration <= 0 {
		t.Errorf("unexpected entry; got %+v", r)
	}
	if r := p.Requests[6]; r.Code != "NoSuchKey" || r.Status != 404 || r.Sent == 0 {
		t.Errorf("unexpected entry; got %+v; want NoSuchKey", r)
	}
	check("?operation=GetObject", 4, "GetObject:4")
	check("?operation=GetObject,PutObject&bucket=bkt", 6, "GetObject:4 PutObject:2")
	check("?bucket=bkt&prefix=a/", 5, "GetObject:3 PutObject:2")
	check("?status=404", 1, "GetObject:1")
	check("?status=2xx&operation=GetObject", 3, "GetObject:3")
	check("?status=404&status=200", 7, "GetObject:4 PutObject:3")
	check("?after=5", 2, "GetObject:2")
	if p := check("?limit=2", 7, "GetObject:4 PutObject:3"); len(p.Requests) != 2 || p.Requests[1].Number != 7 {
		t.Errorf("unexpected requests with a limit; got %+v; want the last 2", p.Requests)
	}
	until(t, "the end of a streamed reply", func() bool {
		r := check("?operation=GetObject&status=200&limit=1", 3, "GetObject:3").Requests[0]
		return r.Done && r.Sent == 1000 && r.Duration >= r.TTFB
	})
	for _, bad := range []string{"?operation=Get", "?status=9", "?status=xx", "?key=a", "?limit=-1", "?after=x"} {
		if status, _ := o.ask("GET", "/_s3ultra/requests"+bad); status != 400 {
			t.Errorf("unexpected status of %s; got %d; want 400", bad, status)
		}
	}

	for _, method := range []string{"DELETE", "POST"} {
		if status, body := o.ask(method, "/_s3ultra/requests"); status != 204 || body != "" {
			t.Errorf("unexpected reply to %s; got %d %q; want 204", method, status, body)
		}
		if p := check("", 0, ""); p.Recorded != 0 || len(p.Totals) != 0 {
			t.Errorf("unexpected journal after %s; got %+v; want none", method, p)
		}
		long := strings.Repeat("k", 500)
		for range 25 {
			f.put(t, "/bkt/"+long, "x")
		}
		// The ring has gone round; the totals have not.
		p := check("?prefix="+long, 10, "PutObject:10")
		if p.Recorded != 25 || p.Lost != 15 || fmt.Sprint(p.Totals) != "map[PutObject:25]" || p.Requests[0].Key != long {
			t.Errorf("unexpected journal; got %d recorded, %d lost, %v; want 25, 15, 25 in total", p.Recorded, p.Lost, p.Totals)
		}
	}
}

func TestJournalOff(t *testing.T) {
	f := start(t, testConfig(store.Synth))
	f.put(t, "/bkt/a", "x")
	if status, body := operate(t, f).ask("GET", "/_s3ultra/requests"); status != 404 || body != "the journal is off\n" {
		t.Errorf("unexpected reply; got %d %q; want 404", status, body)
	}
}

func TestAdminHealthAndConfig(t *testing.T) {
	cfg := testConfig(store.Synth)
	cfg.Listeners = 2
	cfg.Datasets = []synth.Rule{{Bucket: "data", Key: "o/{i}", Count: 3, Size: synth.Size{Mean: 10}}}
	f := start(t, cfg)
	o := operate(t, f)
	o.get("/healthz")
	if status, body := o.ask("GET", "/readyz"); status != 503 || body != "1 of 2 listeners are up\n" {
		t.Errorf("unexpected readiness with one listener of two; got %d %q", status, body)
	}
	f.send(t, call{method: "GET", target: "/minio/health/ready", anonymous: true}).want(503)
	f.send(t, call{method: "GET", target: "/minio/health/live", anonymous: true}).want(200)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	second := serve(t, f.srv, ln, f.mode)
	until(t, "readiness", func() bool { status, _ := o.ask("GET", "/readyz"); return status == 200 })
	for _, path := range []string{"/_s3ultra/health", "/minio/health/live", "/minio/health/ready", "/minio/health/cluster", "/minio/health/cluster/read"} {
		f.send(t, call{method: "GET", target: path, anonymous: true}).want(200)
		second.send(t, call{method: "HEAD", target: path, anonymous: true}).wantBody(200, "")
	}
	// They hide no other key, and none of a virtual-host bucket.
	f.do(t, "PUT", "/minio", "").want(200)
	f.put(t, "/minio/health/other", "mine")
	f.do(t, "GET", "/minio/health/other", "").wantBody(200, "mine")
	f.send(t, call{method: "PUT", target: "/minio/health/live", host: "bkt.localhost", body: "mine"}).want(200)
	f.send(t, call{method: "GET", target: "/minio/health/live", host: "bkt.localhost"}).wantBody(200, "mine")
	f.send(t, call{method: "PUT", target: "/minio/health/live", body: "mine", anonymous: true}).want(403)

	config := o.get("/config")
	for _, want := range []string{
		`"key_pairs":1`, `"mode":"synth"`, `"seed":42`, `"name":"bkt"`, f.addr, second.addr, `"db_path":""`, `"persist_data":false`,
		`"sha256":"`, `"sync_interval":"always"`, `"datasets":[{"name":"o/{i}","bucket":"data","objects":3,"bytes":30}]`, `"journal":`,
		`"access_log_format":"s3"`, `"head_timeout":"0s"`, `"stall_timeout":"0s"`, `"shutdown_timeout":"0s"`,
	} {
		if !strings.Contains(config, want) {
			t.Errorf("the configuration lacks %s: %s", want, config)
		}
	}
	for _, path := range []string{"/config", "/metrics", "/api/stats", "/", "/debug/pprof/cmdline", "/debug/pprof/goroutine?debug=1"} {
		if body := o.get(path); strings.Contains(body, testKey.SecretKey) || strings.Contains(body, testKey.AccessKey) {
			t.Errorf("%s shows a key", path)
		}
	}
}

func TestStatsAndEvents(t *testing.T) {
	f := start(t, testConfig(store.Synth))
	o := operate(t, f)
	resp, err := http.Get(o.url + "/api/events")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if ct := resp.Header.Get("Content-Type"); ct != "text/event-stream" {
		t.Errorf("unexpected Content-Type; got %q; want text/event-stream", ct)
	}
	f.put(t, "/bkt/a", letters(2000))
	f.do(t, "GET", "/bkt/a", "").want(200)
	f.do(t, "GET", "/bkt/b", "").want(404)
	f.do(t, "POST", "/bkt/upload?uploads", "").want(200)
	seen := map[string]float64{}
	buf := make([]byte, 64<<10)
	var text bytes.Buffer
	for end := time.Now().Add(patience); seen["GetObject"] < 1.9 && time.Now().Before(end); {
		n, err := resp.Body.Read(buf)
		if err != nil {
			t.Fatalf("the events ended: %v", err)
		}
		text.Write(buf[:n])
		for {
			event, rest, ok := bytes.Cut(text.Bytes(), []byte("\n\n"))
			if !ok {
				break
			}
			_, data, _ := bytes.Cut(event, []byte("data: "))
			var s server.Stats
			if err := json.Unmarshal(data, &s); err != nil {
				t.Fatalf("cannot parse the event %q: %v", event, err)
			}
			for name, rate := range s.Now.Operations {
				seen[name] += rate
			}
			text = *bytes.NewBuffer(append([]byte(nil), rest...))
		}
	}
	// Rates over seconds that may be a little longer than one.
	for name, want := range map[string]float64{"PutObject": 0.5, "GetObject": 1, "CreateMultipartUpload": 0.5} {
		if seen[name] < want {
			t.Errorf("unexpected sum of the rates of %s; got %v; want %v or more", name, seen[name], want)
		}
	}
	var s server.Stats
	o.decode("/api/stats", &s)
	if len(s.Buckets) != 2 || s.Buckets[0].Name != "bkt" || s.Buckets[0].Objects != 1 || s.Buckets[0].Bytes != 2000 {
		t.Errorf("unexpected buckets; got %+v", s.Buckets)
	}
	if len(s.Uploads) != 1 || s.Uploads[0].Key != "upload" || time.Since(s.Uploads[0].Initiated) > patience {
		t.Errorf("unexpected uploads; got %+v", s.Uploads)
	}
	if len(s.Failures) != 1 || s.Failures[0].Code != "NoSuchKey" || s.Failures[0].Target != "/bkt/b" || s.Failures[0].Cause == "" {
		t.Errorf("unexpected failures; got %+v", s.Failures)
	}
	if !s.Ready || s.Uptime <= 0 || s.Processors < 1 || s.Memory.GoHeap <= 0 || s.Now.Connections != 1 {
		t.Errorf("unexpected statistics; got %+v", s)
	}
	for _, op := range s.Operations {
		if op.Name == "GetObject" && (op.Requests != 2 || op.Errors != 1 || op.Total.P50 <= 0 || op.Total.P99 < op.Total.P50) {
			t.Errorf("unexpected statistics of GetObject; got %+v", op)
		}
	}
	var h struct{ Samples []server.Sample }
	o.decode("/api/history", &h)
	if len(h.Samples) == 0 || h.Samples[0].Number != 1 {
		t.Errorf("unexpected history; got %+v; want the samples from the first", h.Samples)
	}
}
