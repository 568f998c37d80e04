//go:build !race

package synth

import "testing"

func TestAllocations(t *testing.T) {
	f := func(name string, run func()) {
		t.Helper()
		if n := testing.AllocsPerRun(100, run); n != 0 {
			t.Errorf("unexpected allocations of %s; got %v; want 0", name, n)
		}
	}
	key := []byte("train/img_0000001")
	f("Hash", func() { Hash(1, "bucket", key) })
	f("Fill into the stack", func() {
		var dst [1000]byte
		Fill(dst[:], 1, 3)
	})
	for _, name := range []string{"zeros", "elbencho:7", "random?compress=0.3&dedup=2"} {
		p, err := ParsePattern(name)
		if err != nil {
			t.Fatalf("unexpected error: %v", err)
		}
		f(name, func() {
			var dst [1000]byte
			p.Fill(dst[:], 1, 3)
		})
	}
}
