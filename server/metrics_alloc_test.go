//go:build !race

package server

import "testing"

// The journal costs no allocation either: hotRequests has none.
func TestJournalAllocatesNothing(t *testing.T) {
	for _, row := range hotRequests(t) {
		row.server.journal = newJournal(100)
		row.run(t)
		// What other tests left running allocates too, now and then.
		n := testing.AllocsPerRun(200, func() { row.run(t) })
		for try := 0; try < 5 && n > row.allocs; try++ {
			n = min(n, testing.AllocsPerRun(200, func() { row.run(t) }))
		}
		if n > row.allocs {
			t.Errorf("unexpected allocations of %s; got %v; want %v", row.name, n, row.allocs)
		}
	}
}
