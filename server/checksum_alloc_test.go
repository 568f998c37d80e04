//go:build !race

package server

import "testing"

func TestChecksumAllocates(t *testing.T) {
	body := make([]byte, 4096)
	var sum [maxChecksumSize]byte
	var text [64]byte
	for _, a := range allChecksums {
		allocs := testing.AllocsPerRun(100, func() {
			var d digest
			d.Reset(a)
			d.Write(body)
			raw := d.Sum(sum[:0])
			d.Release()
			encoded := appendChecksum(text[:0], raw)
			if _, ok := decodeChecksum(a, encoded); !ok {
				t.Errorf("unexpected refusal of %q", encoded)
			}
		})
		if allocs != 0 {
			t.Errorf("unexpected allocations of %v; got %v; want 0", a, allocs)
		}
	}
}
