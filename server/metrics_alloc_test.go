//go:build !race

package server

import (
	"math"
	"testing"
)

// The journal costs no allocation either: hotRequests has none.
func TestJournalAllocatesNothing(t *testing.T) {
	for _, row := range hotRequests(t) {
		row.server.journal = newJournal(100)
		row.run(t)
		// A PUT allocates for the part of each second in which Date lags behind
		// the clock, journal or not.
		row.server.times.date.Store(math.MaxInt64)
		if n := testing.AllocsPerRun(200, func() { row.run(t) }); n > row.allocs {
			t.Errorf("unexpected allocations of %s; got %v; want %v", row.name, n, row.allocs)
		}
	}
}
