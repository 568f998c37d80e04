package server_test

import (
	"io"
	"net"
	"testing"
	"time"

	"github.com/s3ultra/s3ultra/server"
	"github.com/s3ultra/s3ultra/store"
)

const (
	// stallLimit is far above the pauses of a loaded machine, and short enough
	// for a test.
	stallLimit = 800 * time.Millisecond
	// slowStep is how often a slow client moves.
	slowStep = stallLimit / 8
)

// watched starts a server that cuts stalled clients.
func watched(t *testing.T) *fixture {
	t.Helper()
	cfg := testConfig(store.Synth)
	cfg.HeadTimeout, cfg.StallTimeout = stallLimit, stallLimit
	// Large ones, of which the kernel tells least.
	cfg.SendBuffer = server.SendBufferKernel
	return start(t, cfg)
}

// wantCut requires that the client gets a RequestTimeout and loses its
// connection, not before the limit.
func (w *wire) wantCut(since time.Time) {
	w.t.Helper()
	r, err := w.read("PUT")
	if err != nil {
		w.t.Fatalf("cannot read the reply: %v", err)
	}
	r.wantError(400, "RequestTimeout")
	if _, err := w.in.ReadByte(); err == nil {
		w.t.Error("unexpected byte after the reply; want the end of the connection")
	}
	if took := time.Since(since); took < stallLimit || took > stallLimit+patience {
		w.t.Errorf("unexpected time of the cut; got %v; want %v or a little more", took, stallLimit)
	}
}

func TestStalledHead(t *testing.T) {
	t.Parallel()
	f := watched(t)
	head, _ := call{method: "GET", target: "/bkt"}.bytes(f.addr)
	for _, n := range []int{1, 3, len(head) - 2} {
		w := f.dial(t)
		began := time.Now()
		w.write(head[:n])
		w.wantCut(began)
	}
	// Moving does not help: a head is short.
	w := f.dial(t)
	began := time.Now()
	for i := 0; i < 20 && time.Since(began) < 2*stallLimit; i++ {
		w.write(head[i : i+1])
		time.Sleep(slowStep)
	}
	w.wantCut(began)
	for i := 0; ; i++ {
		if _, err := w.conn.Write(head[:1]); err != nil {
			break
		}
		if i == 10 {
			t.Fatal("the server still takes bytes of a connection that it has cut")
		}
		time.Sleep(slowStep)
	}
}

func TestIdleIsNotStalled(t *testing.T) {
	t.Parallel()
	f := watched(t)
	w := f.dial(t)
	for range 3 {
		time.Sleep(2 * stallLimit)
		w.do(call{method: "PUT", target: "/bkt/k", body: letters(20_000)}).want(200)
		w.do(call{method: "GET", target: "/bkt/k"}).want(200)
		w.do(call{method: "GET", target: "/bkt/none"}).want(404)
		c := call{method: "PUT", target: "/none/k", body: "x", header: []string{"Expect: 100-continue"}}
		w.do(c).want(404)
	}
	// Two requests at once, and half of a third.
	head, _ := call{method: "HEAD", target: "/bkt/k"}.bytes(f.addr)
	w.write(append(append(append([]byte{}, head...), head...), head[:20]...))
	for range 2 {
		if r, err := w.read("HEAD"); err != nil || r.status != 200 {
			t.Fatalf("unexpected reply %v (%v)", r, err)
		}
	}
	w.write(head[20:])
	if r, err := w.read("HEAD"); err != nil || r.status != 200 {
		t.Fatalf("unexpected reply %v (%v)", r, err)
	}
}

func TestStalledUpload(t *testing.T) {
	t.Parallel()
	f := watched(t)
	for _, n := range []int{0, 1, 5000, 50_000} {
		for _, chunked := range []int{0, 1000} {
			w := f.dial(t)
			head, body := call{method: "PUT", target: "/bkt/k", body: letters(60_000), chunked: chunked}.bytes(f.addr)
			began := time.Now()
			w.write(head, body[:n])
			w.wantCut(began)
		}
	}
	f.do(t, "HEAD", "/bkt/k", "").want(404)
}

// A client that moves is never cut, however slow it is, also in the part of
// the body that is read with the head.
func TestSlowUpload(t *testing.T) {
	t.Parallel()
	f := watched(t)
	text := letters(10_000)
	w := f.dial(t)
	head, body := call{method: "PUT", target: "/bkt/slow", body: text}.bytes(f.addr)
	// Cut in the blank line that ends the head.
	w.write(head[:len(head)-3])
	time.Sleep(slowStep)
	w.write(head[len(head)-3:], body[:1])
	for i := 1; i < 30; i++ {
		time.Sleep(slowStep)
		w.write(body[i : i+1])
	}
	w.write(body[30:9000])
	for i := 9000; i < 9010; i++ {
		time.Sleep(slowStep)
		w.write(body[i : i+1])
	}
	w.write(body[9010:])
	r, err := w.read("PUT")
	if err != nil || r.status != 200 {
		t.Fatalf("unexpected reply %v (%v)", r, err)
	}
	f.do(t, "HEAD", "/bkt/slow", "").want(200).wantHeader("Content-Length: 10000")
}

// dialSmall connects with a small receive buffer and asks for an object.
func dialSmall(t *testing.T, f *fixture, target string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", f.addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.(*net.TCPConn).SetReadBuffer(64 << 10); err != nil {
		t.Fatal(err)
	}
	head, _ := call{method: "GET", target: target}.bytes(f.addr)
	if _, err := conn.Write(head); err != nil {
		t.Fatal(err)
	}
	return conn
}

func TestStalledDownload(t *testing.T) {
	t.Parallel()
	f := watched(t)
	const size = 256 << 20
	if err := f.srv.AddSynthetic("bkt", "big", size); err != nil {
		t.Fatal(err)
	}
	stalled, slow := dialSmall(t, f, "/bkt/big"), dialSmall(t, f, "/bkt/big")
	// Slow enough that the kernel wakes the writer less often than the limit:
	// it does so for a third of a send buffer of some megabytes.
	buf := make([]byte, 32<<10)
	total := 0
	for began := time.Now(); time.Since(began) < 6*stallLimit; time.Sleep(20 * time.Millisecond) {
		slow.SetReadDeadline(time.Now().Add(patience))
		n, err := io.ReadFull(slow, buf)
		if err != nil {
			t.Fatalf("a slow reader was cut after %d bytes and %v: %v", total+n, time.Since(began), err)
		}
		total += n
	}
	stalled.SetReadDeadline(time.Now().Add(patience))
	n, err := io.Copy(io.Discard, stalled)
	if n >= size {
		t.Errorf("unexpected end of a stalled reader; got %d bytes, %v; want fewer than %d", n, err, size)
	}
	if got := f.do(t, "GET", "/bkt/big", "", "Range: bytes=0-9").want(206).body; len(got) != 10 {
		t.Errorf("unexpected reply after a cut; got %d bytes; want 10", len(got))
	}
}

// The limits are independent of each other and off by default.
func TestStallLimitsOff(t *testing.T) {
	t.Parallel()
	cfg := testConfig(store.Memory)
	cfg.HeadTimeout = stallLimit / 4
	f := start(t, cfg)
	w := f.dial(t)
	head, body := call{method: "PUT", target: "/bkt/k", body: letters(20_000)}.bytes(f.addr)
	w.write(head, body[:100])
	time.Sleep(stallLimit)
	w.write(body[100:])
	if r, err := w.read("PUT"); err != nil || r.status != 200 {
		t.Fatalf("unexpected reply %v (%v)", r, err)
	}
	plain := start(t, testConfig(store.Memory))
	w = plain.dial(t)
	head, _ = call{method: "GET", target: "/bkt"}.bytes(plain.addr)
	w.write(head[:10])
	time.Sleep(stallLimit)
	w.write(head[10:])
	if r, err := w.read("GET"); err != nil || r.status != 200 {
		t.Fatalf("unexpected reply %v (%v)", r, err)
	}
}
