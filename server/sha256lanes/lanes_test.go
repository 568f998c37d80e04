package sha256lanes

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"
	"unsafe"
)

func bytesAt(p *byte, n int) []byte { return unsafe.Slice(p, n) }

func lanesName(n int) string { return fmt.Sprintf("lanes=%d", n) }

// idle waits until the lanes have nothing to do and checks that nothing is left.
func (l *Lanes) idleCheck(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		l.mu.Lock()
		working := l.working
		l.mu.Unlock()
		if working == 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("unexpected workers left; got %d; want 0", working)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.waiting != 0 || l.free != 0 || l.first != nil || l.last != nil || l.open.Load() != 0 {
		t.Errorf("unexpected rest: %d waiting, %d lanes free, %d open", l.waiting, l.free, l.open.Load())
	}
	if n := len(l.idle); n > runtime.GOMAXPROCS(0) {
		t.Errorf("unexpected workers kept; got %d; want %d at most", n, runtime.GOMAXPROCS(0))
	}
	for _, w := range l.idle {
		if w.in != [Width]*Hash{} || w.data != [Width]*byte{} || w.used != 0 {
			t.Error("an idle worker keeps a hash or somebody's buffer")
		}
	}
}

// stream hashes one stream of random writes, whose buffer is overwritten as
// soon as Write returns, and tells whether the sum is right. One in eight is
// given up halfway.
func stream(l *Lanes, rng *rand.Rand, buf []byte) error {
	h, want := l.Open(), sha256.New()
	defer h.Close()
	for range 1 + rng.IntN(6) {
		var p []byte
		switch rng.IntN(4) {
		case 0:
			p = buf[:rng.IntN(200)]
		case 1:
			p = buf[:minShared-1+rng.IntN(130)]
		default:
			at := rng.IntN(64)
			p = buf[at : at+rng.IntN(len(buf)-64)]
		}
		for i := 0; i < len(p); i += 1 + i/16 {
			p[i] = byte(rng.Uint32())
		}
		want.Write(p)
		n, err := h.Write(p)
		if n != len(p) || err != nil {
			return fmt.Errorf("unexpected result of Write; got %d, %v; want %d", n, err, len(p))
		}
		for i := range p {
			p[i] = 0xEE
		}
		if rng.IntN(3) == 0 && string(h.Sum(nil)) != string(want.Sum(nil)) {
			return errors.New("unexpected sum between writes")
		}
		if rng.IntN(16) == 0 {
			return nil
		}
		if rng.IntN(16) == 0 {
			h.Reset()
			want.Reset()
		}
	}
	if got, want := h.Sum(nil), want.Sum(nil); string(got) != string(want) {
		return fmt.Errorf("unexpected sum; got %x; want %x", got, want)
	}
	return nil
}

// TestConcurrentStreams compares 1 to 64 streams at once with crypto/sha256,
// and looks for what they leave behind.
func TestConcurrentStreams(t *testing.T) {
	for name, kernel := range kernels() {
		t.Run(name, func(t *testing.T) {
			before := runtime.NumGoroutine()
			for _, streams := range []int{1, 2, 3, 7, 8, 9, 16, 17, 33, 64} {
				l := newLanes(kernel, 1)
				var wg sync.WaitGroup
				for i := range streams {
					wg.Go(func() {
						rng := rand.New(rand.NewPCG(uint64(streams), uint64(i)))
						buf := make([]byte, 60_000)
						for range 8 {
							if err := stream(l, rng, buf); err != nil {
								t.Errorf("stream %d of %d: %v", i, streams, err)
								return
							}
						}
					})
				}
				wg.Wait()
				l.idleCheck(t)
			}
			for end := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
				if time.Now().After(end) {
					t.Fatalf("unexpected goroutines left; got %d; want %d", runtime.NumGoroutine(), before)
				}
			}
		})
	}
}

// FuzzWrites cuts a text into writes as the fuzzer likes, for as many streams.
func FuzzWrites(f *testing.F) {
	f.Add(uint64(1), uint8(1), uint32(minShared))
	f.Add(uint64(2), uint8(3), uint32(minShared+1))
	f.Add(uint64(3), uint8(20), uint32(100_000))
	f.Fuzz(func(t *testing.T, seed uint64, streams uint8, longest uint32) {
		for name, kernel := range kernels() {
			l := newLanes(kernel, 1)
			var wg sync.WaitGroup
			for i := range 1 + int(streams)%24 {
				wg.Go(func() {
					rng := rand.New(rand.NewPCG(seed, uint64(i)))
					h, want := l.Open(), sha256.New()
					defer h.Close()
					buf := make([]byte, 1+longest%200_000)
					for range 4 {
						p := buf[:rng.IntN(len(buf)+1)]
						for j := 0; j < len(p); j += 61 {
							p[j] = byte(rng.Uint32())
						}
						h.Write(p)
						want.Write(p)
					}
					if string(h.Sum(nil)) != string(want.Sum(nil)) {
						t.Errorf("%s: unexpected sum of stream %d", name, i)
					}
				})
			}
			wg.Wait()
			l.idleCheck(t)
		}
	})
}

// TestAlone has one stream share with nobody: it is sent back to do its work
// itself.
func TestAlone(t *testing.T) {
	l := newLanes(plainBlocks, 1)
	p := make([]byte, 100_001)
	h := l.Open()
	h.Write(p)
	if want := sha256.Sum256(p); string(h.Sum(nil)) != string(want[:]) {
		t.Error("unexpected sum")
	}
	h.Close()
	l.idleCheck(t)
}

// TestLeast checks that too few streams use no lanes.
func TestLeast(t *testing.T) {
	l := newLanes(func(*[8][Width]uint32, *[Width]*byte, int, int) { t.Error("unexpected use of a lane") }, 3)
	a, b := l.Open(), l.Open()
	p := make([]byte, 100_000)
	var wg sync.WaitGroup
	wg.Go(func() { a.Write(p) })
	wg.Go(func() { b.Write(p) })
	wg.Wait()
	if string(a.Sum(nil)) != string(b.Sum(nil)) {
		t.Error("unexpected sums")
	}
	a.Close()
	b.Close()
	l.idleCheck(t)
}

// TestCheck refuses lanes that compute anything else.
func TestCheck(t *testing.T) {
	for name, kernel := range kernels() {
		if err := newLanes(kernel, 1).check(); err != nil {
			t.Errorf("unexpected error of %s; got %v; want nil", name, err)
		}
	}
	wrong := func(state *[8][Width]uint32, data *[Width]*byte, n, used int) {
		plainBlocks(state, data, n, used)
		state[7][used-1]++
	}
	if err := newLanes(wrong, 1).check(); !errors.Is(err, errState) {
		t.Errorf("unexpected error of a wrong kernel; got %v; want %v", err, errState)
	}
}

func TestNew(t *testing.T) {
	_, err := New(1)
	if want := kernel() == nil; errors.Is(err, ErrUnsupported) != want || err != nil && !want {
		t.Errorf("unexpected error; got %v; want unsupported: %v", err, want)
	}
	if Worthwhile() && err != nil {
		t.Error("worthwhile but unsupported")
	}
}

// BenchmarkStreams hashes 128 KiB writes of many streams: single as the
// ordinary path does, and in lanes. GODEBUG=cpu.sha=off takes the CPU's
// instructions for SHA-256 from both.
func BenchmarkStreams(b *testing.B) {
	for _, streams := range []int{1, 2, 4, 8, 16, 32} {
		for name, least := range map[string]int{"single": streams + 1, "lanes": 1} {
			b.Run(fmt.Sprintf("streams=%d/%s", streams, name), func(b *testing.B) {
				l, err := New(least)
				if err != nil {
					b.Skip(err)
				}
				const size = 128 << 10
				b.SetBytes(size)
				b.ReportAllocs()
				var wg sync.WaitGroup
				for i := range streams {
					wg.Go(func() {
						p := make([]byte, size)
						h := l.Open()
						defer h.Close()
						for n := i; n < b.N; n += streams {
							h.Write(p)
						}
					})
				}
				wg.Wait()
			})
		}
	}
}
