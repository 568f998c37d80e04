package server

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/s3ultra/s3ultra/sigv4"
)

// sampleExchange is the account of a range read.
func sampleExchange() *exchange {
	x := &exchange{
		op: opGetObject, method: "GET", status: 206, sent: 1000, size: 4096, auth: sigv4.HeaderAuth, conn: 65537,
		start: time.Date(2026, 2, 6, 0, 0, 38, 123456789, time.UTC),
		ttfb:  1500 * time.Microsecond, duration: 12 * time.Millisecond,
		remote: &net.TCPAddr{IP: net.IPv4(192, 0, 2, 3), Port: 40000},
	}
	copy(x.id[:], "3E57427F3E57427F")
	w := &x.words
	w.bucket, w.key = w.put([]byte("bkt")), w.put([]byte(`dir/a b"1`))
	w.target, w.host = w.put([]byte(`/bkt/dir/a%20b%221?partNumber=1`)), w.put([]byte("127.0.0.1:9000"))
	w.agent, w.who = w.put([]byte(`agent "one" \1`)), w.put([]byte("AKID"))
	return x
}

// refusedExchange is a request that says nothing about itself.
func refusedExchange() *exchange {
	return &exchange{method: "BREW", status: 400, code: "InvalidURI", sent: 200, size: -1, start: time.Date(2026, 2, 6, 0, 0, 38, 0, time.UTC)}
}

func TestS3Line(t *testing.T) {
	s, err := New(Config{Credentials: []sigv4.Credential{{AccessKey: "AKID", SecretKey: "secret"}}})
	if err != nil {
		t.Fatal(err)
	}
	f := func(x *exchange, want string) {
		t.Helper()
		got := string(s.appendS3Line(nil, x))
		if got != want+"\n" {
			t.Errorf("unexpected line; got\n%swant\n%s", got, want)
		}
		// 27 fields, those in quotes and brackets being one each.
		plain := strings.NewReplacer(`\"`, "", `\\`, "").Replace(got)
		for _, pair := range []string{`""`, "[]"} {
			for i := strings.IndexByte(plain, pair[0]); i >= 0; i = strings.IndexByte(plain, pair[0]) {
				j := i + 1 + strings.IndexByte(plain[i+1:], pair[1])
				plain = plain[:i] + "q" + plain[j+1:]
			}
		}
		if n := len(strings.Fields(plain)); n != 27 {
			t.Errorf("unexpected number of fields; got %d; want 27: %s", n, plain)
		}
	}
	f(sampleExchange(), `AKID bkt [06/Feb/2026:00:00:38 +0000] 192.0.2.3 AKID 3E57427F3E57427F REST.GET.OBJECT dir/a%2520b%25221 `+
		`"GET /bkt/dir/a%20b%221?partNumber=1 HTTP/1.1" 206 - 1000 4096 12 1 "-" "agent \"one\" \\1" - s3ultra SigV4 - AuthHeader 127.0.0.1:9000 - - - -`)
	x := refusedExchange()
	copy(x.id[:], "0000000000000001")
	f(x, `AKID - [06/Feb/2026:00:00:38 +0000] - - 0000000000000001 REST.BREW.UNKNOWN - `+
		`"BREW  HTTP/1.1" 400 InvalidURI 200 - 0 0 "-" "-" - s3ultra - - - - - - - -`)
}

func TestJSONLine(t *testing.T) {
	got := string(appendJSONLine(nil, sampleExchange()))
	want := `{"time":"2026-02-06T00:00:38.123456789Z","request_id":"3E57427F3E57427F","remote":"192.0.2.3:40000","access_key":"AKID","auth":"header",` +
		`"operation":"GetObject","method":"GET","target":"/bkt/dir/a%20b%221?partNumber=1","host":"127.0.0.1:9000","bucket":"bkt","key":"dir/a b\"1",` +
		`"status":206,"received_bytes":0,"sent_bytes":1000,"object_bytes":4096,"ttfb_ns":1500000,"duration_ns":12000000,"user_agent":"agent \"one\" \\1"}` + "\n"
	if got != want {
		t.Errorf("unexpected line; got\n%swant\n%s", got, want)
	}
	if line := appendJSONLine(nil, refusedExchange()); !json.Valid(line) {
		t.Errorf("unexpected line; got %s; want JSON", line)
	}
}

func TestOpLogLine(t *testing.T) {
	var o opLog
	text := []byte(opLogHeader)
	text = o.appendLine(text, sampleExchange())
	complete := sampleExchange()
	complete.op, complete.sent, complete.initiated = opCompleteMultipartUpload, 300, complete.start.Add(-time.Second)
	text = o.appendLine(text, complete)
	list := sampleExchange()
	list.op, list.aborted = opListObjectsV2, true
	list.words.prefix = list.words.put([]byte("dir/"))
	text = o.appendLine(text, list)
	put := sampleExchange()
	put.op, put.code, put.received, put.sent = opPutObject, "BadDigest", 77, 300
	text = o.appendLine(text, put)
	for _, x := range []*exchange{refusedExchange(), {op: opUploadPart}, {op: opCreateBucket}, {op: opListObjectsV2, continued: true}} {
		if line := o.appendLine(nil, x); len(line) != 0 {
			t.Errorf("unexpected line; got %q; want none", line)
		}
	}
	want := opLogHeader +
		"0\t1\tGET\t192.0.2.3\t1\t1000\ts3://bkt/\tdir/a b%221\t\t2026-02-06T00:00:38.123456789Z\t2026-02-06T00:00:38.124956789Z\t2026-02-06T00:00:38.135456789Z\t12000000\n" +
		"1\t1\tPUT\t192.0.2.3\t1\t4096\ts3://bkt/\tdir/a b%221\t\t2026-02-06T00:00:37.123456789Z\t\t2026-02-06T00:00:38.135456789Z\t1012000000\n" +
		"2\t1\tLIST\t192.0.2.3\t1\t0\ts3://bkt/\tdir/\taborted\t2026-02-06T00:00:38.123456789Z\t\t2026-02-06T00:00:38.135456789Z\t12000000\n" +
		"3\t1\tPUT\t192.0.2.3\t1\t77\ts3://bkt/\tdir/a b%221\tBadDigest\t2026-02-06T00:00:38.123456789Z\t\t2026-02-06T00:00:38.135456789Z\t12000000\n"
	if string(text) != want {
		t.Errorf("unexpected log; got\n%swant\n%s", text, want)
	}
	// As warp reads it.
	r := csv.NewReader(bytes.NewReader(text))
	r.Comma = '\t'
	rows, err := r.ReadAll()
	if err != nil || len(rows) != 5 || len(rows[1]) != 13 {
		t.Errorf("unexpected table; got %d rows, %v; want 5 of 13 columns", len(rows), err)
	}
}

// blocked is a file that takes nothing until it is let go.
type blocked struct{ free chan struct{} }

func (b blocked) Write(p []byte) (int, error) {
	<-b.free
	return len(p), nil
}

// A writer that is stuck costs lines, never time.
func TestAccessLogNeverBlocks(t *testing.T) {
	s := &Server{cfg: Config{Logger: slog.New(slog.DiscardHandler)}}
	stuck := blocked{make(chan struct{})}
	a, err := newAccessLog(s, AccessLogConfig{Path: "-", Format: AccessLogJSON, Output: stuck})
	if err != nil {
		t.Fatal(err)
	}
	const count = 3 * accessLogQueue
	began := time.Now()
	for range count {
		a.submit(sampleExchange())
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("submitting took %v", took)
	}
	if a.dropped.Load() == 0 {
		t.Error("unexpected dropped lines; got none; want some")
	}
	close(stuck.free)
	a.close()
	if n := a.dropped.Load() + a.written.Load(); n != count {
		t.Errorf("unexpected lines; got %d written and %d dropped; want %d together", a.written.Load(), a.dropped.Load(), count)
	}
	if err := a.reopen(); err != nil {
		t.Errorf("unexpected error: %v", err)
	}
	a.close()
}

// full is a file that fails once.
type full struct {
	bytes.Buffer
	failures int
}

func (f *full) Write(p []byte) (int, error) {
	if f.failures > 0 {
		f.failures--
		return 0, fmt.Errorf("no space left")
	}
	return f.Buffer.Write(p)
}

// The log goes on after the disk was full.
func TestAccessLogRecovers(t *testing.T) {
	var said bytes.Buffer
	s := &Server{cfg: Config{Logger: slog.New(slog.NewTextHandler(&said, nil))}}
	out := &full{failures: 1}
	a := &accessLog{cfg: AccessLogConfig{Path: "-", Output: out}, log: s.cfg.Logger, format: appendJSONLine}
	if err := a.open(); err != nil {
		t.Fatal(err)
	}
	a.write(sampleExchange())
	a.flush()
	a.write(sampleExchange())
	a.flush()
	if got := strings.Count(out.String(), "\n"); got != 1 {
		t.Errorf("unexpected lines; got %d; want the second one", got)
	}
	if got := strings.Count(said.String(), "no space left"); got != 1 {
		t.Errorf("unexpected messages; got %d; want 1: %s", got, &said)
	}
}
