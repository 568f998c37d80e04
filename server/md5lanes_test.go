package server

import (
	"crypto/md5"
	"math/rand/v2"
	"sync"
	"testing"
)

// TestMD5Lanes compares many bodies hashed at once, with and without a lane,
// with the plain MD5 of each; block sizes are odd and buffers are reused, as
// a receiver's are.
func TestMD5Lanes(t *testing.T) {
	var lanes md5Lanes
	var wg sync.WaitGroup
	for i := range 24 {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(1, uint64(i)))
			size := laneBody + rng.IntN(laneBody)
			want := md5.New()
			var d digest
			lanes.start(&d, int64(size))
			buf := make([]byte, 100_000)
			for left := size; left > 0; {
				block := buf[:min(left, 1+rng.IntN(len(buf)))]
				for j := range block {
					block[j] = byte(rng.Uint32())
				}
				d.Write(block)
				want.Write(block)
				left -= len(block)
			}
			var got [md5.Size]byte
			d.Sum(got[:0])
			if string(want.Sum(nil)) != string(got[:]) {
				t.Errorf("body %d: unexpected MD5", i)
			}
			d.Release()
		})
	}
	wg.Wait()
	if n := lanes.uploads.Load(); n != 0 {
		t.Errorf("unexpected uploads left; got %d; want 0", n)
	}
}
