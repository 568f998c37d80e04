//go:build !race

package server

import "testing"

// TestRequestsAllocateNothing holds the operations that benchmarks repeat
// millions of times to zero allocations, from the parsed header block to the
// written reply, signature verification included.
func TestRequestsAllocateNothing(t *testing.T) {
	for _, row := range append(hotRequests(t), hotListings(t)...) {
		t.Run(row.name, func(t *testing.T) {
			row.run(t) // warm the pools
			if n := testing.AllocsPerRun(200, func() { row.run(t) }); n > row.allocs {
				t.Errorf("unexpected allocations a request; got %v; want %v", n, row.allocs)
			}
		})
	}
}
