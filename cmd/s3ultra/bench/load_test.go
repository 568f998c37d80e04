package bench

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/s3ultra/s3ultra/server"
	"github.com/s3ultra/s3ultra/sigv4"
	"github.com/s3ultra/s3ultra/store"
)

// testDuration is enough for several of the slowest requests.
const testDuration = 100 * time.Millisecond

// serveTest runs a server in this process and returns a target for each mode,
// with the clock of this process.
func serveTest(t *testing.T) []*target {
	t.Helper()
	pair := sigv4.Credential{AccessKey: "test", SecretKey: "secret"}
	s, err := server.New(server.Config{
		Credentials: []sigv4.Credential{pair}, VerifyPayload: true, MaxSkew: time.Minute, KeepSmall: 512, MinPartSize: 5 << 20,
		// That of the other mode is made, and deleted, by the targets.
		Buckets: []server.BucketSpec{{Name: "bench-memory", Mode: store.Memory}},
	})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ln) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := s.Shutdown(ctx); err != nil {
			t.Errorf("cannot shut down: %v", err)
		}
		<-ended
	})
	var targets []*target
	for _, mode := range []store.Mode{store.Synth, store.Memory} {
		target, err := parseEndpoint(ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		target.name, target.bucket, target.credential, target.region = mode.String(), "bench-"+mode.String(), pair, "us-east-1"
		target.clock = ownCPUClock()
		targets = append(targets, target)
	}
	return targets
}

// Every load runs against both modes without a failure, moves the bytes it
// says, and cleans up after itself.
func TestLoads(t *testing.T) {
	r := &runner{cfg: Config{Duration: testDuration}, block: make([]byte, blockSize)}
	fillRandom(r.block)
	for _, target := range serveTest(t) {
		if err := target.prepare(t.Context(), loads(), r.block); err != nil {
			t.Fatal(err)
		}
		for _, l := range loads() {
			s, err := r.sample(t.Context(), &row{load: &l, target: target, conns: 3})
			if err != nil {
				t.Fatalf("%s, %s: %v", l.name, target.name, err)
			}
			if s.failed > 0 || s.requests < 3 {
				t.Errorf("%s, %s: unexpected requests; got %d and %d failed (%v); want some and none", l.name, target.name, s.requests, s.failed, s.firstFail)
			}
			want := s.requests * l.size
			if l.name == "head" {
				want = 0
			}
			if s.bytes != want {
				t.Errorf("%s, %s: unexpected bytes; got %d; want %d", l.name, target.name, s.bytes, want)
			}
			if s.latency.total != uint64(s.requests) || s.latency.quantile(0.5) <= 0 || s.elapsed < testDuration {
				t.Errorf("%s, %s: unexpected sample: %d latencies, median %v, elapsed %v", l.name, target.name, s.latency.total, s.latency.quantile(0.5), s.elapsed)
			}
			if target.clock != nil && s.serverCPU <= 0 {
				t.Errorf("%s, %s: unexpected CPU time; got %v; want some", l.name, target.name, s.serverCPU)
			}
		}
		if err := target.clean(t.Context()); err != nil {
			t.Fatal(err)
		}
		w := target.newWire()
		defer w.close()
		status := 200
		if target.madeBucket {
			status = 404
		}
		page, err := target.call(t.Context(), w, target.plain(ask{method: "GET", query: "list-type=2"}, status, -1), "list the bucket")
		if err != nil || strings.Contains(string(page), "<Key>") || target.madeBucket != (target.name == "synth") {
			t.Errorf("%s: unexpected rest after cleaning; got %s, %v", target.name, page, err)
		}
	}
}

// Failed requests are counted and named, whatever fails in them.
func TestFailures(t *testing.T) {
	target := serveTest(t)[0]
	if err := target.prepare(t.Context(), nil, nil); err != nil {
		t.Fatal(err)
	}
	f := func(name, want string, x exchange) {
		t.Helper()
		conns := []*connection{{wire: target.newWire(), exchanges: []exchange{x}}}
		s, err := measure(t.Context(), conns, nil, 10*time.Millisecond)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if s.failed == 0 || s.requests != 0 || s.firstFail == nil || !strings.Contains(s.firstFail.Error(), want) {
			t.Errorf("%s: unexpected sample; got %d good, %d failed, %v; want none, some, %q", name, s.requests, s.failed, s.firstFail, want)
		}
	}
	f("missing key", "404 NoSuchKey", target.plain(ask{method: "GET", key: "none"}, 200, 1))
	f("missing key by HEAD", "404", target.plain(ask{method: "HEAD", key: "none"}, 200, 1))
	put := target.withBody(ask{method: "PUT", key: "k", payload: sigv4.PayloadUnsigned.String()}, []byte("12345"), 5)
	f("status", "answered 200", func() exchange { x := put; x.status = 201; return x }())
	f("length", "got 5 bytes, want 6", target.plain(ask{method: "GET", key: "k"}, 200, 6))
	f("length by HEAD", "Content-Length 5, want 6", target.plain(ask{method: "HEAD", key: "k"}, 200, 6))
	f("digest", "400 XAmzContentSHA256Mismatch", target.withBody(ask{method: "PUT", key: "k"}, []byte("1"), 1))
	target.credential.SecretKey = "wrong"
	f("signature", "403 SignatureDoesNotMatch", target.plain(ask{method: "GET", key: "k"}, 200, 5))
	target.address = "127.0.0.1:1"
	f("no server", "cannot connect", target.plain(ask{method: "GET", key: "k"}, 200, 5))
}

// The end of the context ends a measurement whose requests hang.
func TestMeasureEnds(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	conns := []*connection{{wire: &wire{address: ln.Addr().String()}, exchanges: []exchange{staticGet("h", 1)}}}
	begin := time.Now()
	if _, err := measure(ctx, conns, nil, time.Millisecond); err == nil || !strings.Contains(err.Error(), "deadline") {
		t.Errorf("unexpected error; got %v; want that of the deadline", err)
	}
	if d := time.Since(begin); d > 5*time.Second {
		t.Errorf("unexpected time to the end; got %v; want about 50ms", d)
	}
}

func TestSelectLoads(t *testing.T) {
	f := func(want string, names ...string) {
		t.Helper()
		chosen, err := selectLoads(names)
		var got []string
		for _, l := range chosen {
			got = append(got, l.name)
		}
		if text := strings.Join(got, " "); text != want || (err != nil) != (want == "") {
			t.Errorf("unexpected loads of %q; got %q, %v; want %q", names, text, err, want)
		}
	}
	f("get-1m get-8m get-range-1m get-323k put-8m part-32m put-8m-literal put-8m-stream get-4k get-1k head put-4k put-1k list")
	f("get-8m list", "list", "get-8m")
	f("", "put-9k")
	f("put-8m put-8m-trailer put-8m-literal put-8m-stream", "put-8*")
	f("", "nothing-*")
}

// A round measures a floor right before the rows that are compared with it, and
// has no row for uploads that a server with memory would have to hold at once.
func TestPlan(t *testing.T) {
	targets := []*target{{name: "synth", clock: new(cpuClock)}, {name: "memory", clock: new(cpuClock), keepsBytes: true}, {name: "endpoint", keepsBytes: true}}
	f := func(names string, concurrency []int, want ...string) {
		t.Helper()
		chosen, err := selectLoads(strings.Fields(names))
		if err != nil {
			t.Fatal(err)
		}
		r := &runner{cfg: Config{Concurrency: concurrency}, loads: chosen, targets: targets}
		r.plan()
		var got []string
		for _, line := range r.rows {
			got = append(got, fmt.Sprintf("%s x%d", line.title(), line.conns))
		}
		if !slices.Equal(got, want) {
			t.Errorf("unexpected rows of %q; got %q; want %q", names, got, want)
		}
	}
	f("get-1m get-8m", nil, "write loop x8", "GET 1 MiB, synth x8", "GET 1 MiB, memory x8", "GET 1 MiB, endpoint x8",
		"GET 8 MiB, synth x8", "GET 8 MiB, memory x8", "GET 8 MiB, endpoint x8")
	f("head", []int{1, 2048}, "static HEAD x1", "HEAD, synth x1", "HEAD, endpoint x1",
		"static HEAD x2048", "HEAD, synth x2048", "HEAD, endpoint x2048")
	f("part-32m", []int{32, 64}, "read loop x32", "UploadPart 32 MiB unsigned, synth x32", "UploadPart 32 MiB unsigned, memory x32",
		"UploadPart 32 MiB unsigned, endpoint x32", "read loop x64", "UploadPart 32 MiB unsigned, synth x64")
}
