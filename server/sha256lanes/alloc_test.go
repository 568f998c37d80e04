//go:build !race

package sha256lanes

import "testing"

func TestHashAllocates(t *testing.T) {
	l := newLanes(func(*[8][Width]uint32, *[Width]*byte, int, int) {}, 1)
	p := make([]byte, 64<<10)
	var sum [32]byte
	allocs := testing.AllocsPerRun(100, func() {
		h := l.Open()
		h.Write(p)
		h.Sum(sum[:0])
		h.Close()
	})
	if allocs != 0 {
		t.Errorf("unexpected allocations of a hash; got %v; want 0", allocs)
	}
	other, done := l.Open(), make(chan struct{})
	stop := make(chan struct{})
	go func() { // So that lanes are used, not only asked for.
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
				other.Write(p)
			}
		}
	}()
	h := l.Open()
	if allocs := testing.AllocsPerRun(500, func() { h.Write(p) }); allocs != 0 {
		t.Errorf("unexpected allocations of a write; got %v; want 0", allocs)
	}
	close(stop)
	<-done
}
