package server_test

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/s3ultra/s3ultra/server"
	"github.com/s3ultra/s3ultra/server/sha256lanes"
	"github.com/s3ultra/s3ultra/sigv4"
	"github.com/s3ultra/s3ultra/store"
)

// laneConfig is testConfig with SHA-256 in lanes where the CPU can; elsewhere
// the tests hold for single hashes.
func laneConfig(mode store.Mode) server.Config {
	cfg := testConfig(mode)
	if _, err := sha256lanes.New(1); err == nil {
		cfg.SHA256 = server.SHA256Lanes
	}
	return cfg
}

// laneUpload is one upload of each kind that hashes, and what a flipped byte of
// its payload is answered with.
func laneUpload(kind int, target, body string) (c call, refusal string) {
	switch kind % 4 {
	case 0:
		return call{method: "PUT", target: target, body: body}, "XAmzContentSHA256Mismatch"
	case 1:
		return streamed(sigv4.PayloadStreamingSigned, target, body, 64<<10), "SignatureDoesNotMatch"
	case 2:
		return streamed(sigv4.PayloadStreamingSignedTrailer, target, body, 100_001), "SignatureDoesNotMatch"
	}
	return call{method: "PUT", target: target, body: body, sha: "UNSIGNED-PAYLOAD",
		header: []string{"x-amz-checksum-sha256: " + sum64(sha256.New(), body)}}, "BadDigest"
}

// TestSHALanes has uploads of all kinds at once, of which some are damaged and
// some end early.
func TestSHALanes(t *testing.T) {
	for _, mode := range []store.Mode{store.Memory, store.Synth} {
		t.Run(mode.String(), func(t *testing.T) {
			f := start(t, laneConfig(mode))
			var wg sync.WaitGroup
			for i := range 12 {
				w := f.dial(t)
				wg.Go(func() {
					rng := rand.New(rand.NewPCG(uint64(i), 1))
					target := fmt.Sprintf("/bkt/k%d", i)
					for round := range 12 {
						body := letters(100_000 + rng.IntN(400_000))
						c, refusal := laneUpload(i+round, target, body)
						switch rng.IntN(4) {
						case 0:
							at := 90_000 + rng.IntN(5000)
							c.tamper = func(b []byte) []byte { b[at] ^= 1; return b }
							if r := w.do(c); !strings.Contains(r.body, "<Code>"+refusal+"</Code>") {
								t.Errorf("unexpected reply to a damaged body; got %d %s; want %s", r.status, r.body, refusal)
							}
						case 1:
							head, framed := c.bytes(f.addr)
							w.write(head, framed[:rng.IntN(len(framed))])
							w.close()
							w.open()
						default:
							if r := w.do(c); r.status != 200 {
								t.Errorf("unexpected reply to upload %d of kind %d; got %d %s; want 200", round, (i+round)%4, r.status, r.body)
							}
						}
					}
				})
			}
			wg.Wait()
			for end := time.Now().Add(patience); f.srv.LaneHashes() > 0; time.Sleep(time.Millisecond) {
				if time.Now().After(end) {
					t.Fatalf("unexpected hashes in use after all uploads; got %d; want 0", f.srv.LaneHashes())
				}
			}
		})
	}
}

func TestParseSHA256Mode(t *testing.T) {
	for name, want := range map[string]server.SHA256Mode{"auto": server.SHA256Auto, "single": server.SHA256Single, "lanes": server.SHA256Lanes} {
		if got, err := server.ParseSHA256Mode(name); got != want || err != nil {
			t.Errorf("unexpected mode of %q; got %v, %v; want %v", name, got, err, want)
		}
	}
	if _, err := server.ParseSHA256Mode("fast"); err == nil {
		t.Error("unexpected success of an unknown mode")
	}
}
