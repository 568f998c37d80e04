//go:build !race

package store

import (
	"fmt"
	"testing"
	"time"
)

// A persistent write allocates no more than one in memory.
func TestPersistAllocations(t *testing.T) {
	count := func(s *Store) float64 {
		b, err := s.CreateBucket("abc", Synth, testNow)
		if err != nil {
			t.Fatal(err)
		}
		keys := make([][]byte, 2000)
		for i := range keys {
			keys[i] = fmt.Appendf(nil, "key-%06d", i)
			mustPut(t, b, string(keys[i]), Object{Size: 1})
		}
		i := 0
		return testing.AllocsPerRun(len(keys)-1, func() {
			o := Object{Size: int64(i), Meta: "meta", ETag: ETag{Parts: 3}, Content: 7}
			if err := b.Put(keys[i], &o, nil); err != nil {
				t.Fatal(err)
			}
			i++
		})
	}
	memory := count(New(Options{}))
	disk := count(openFor(t, t.TempDir(), Options{}, Persistence{Sync: time.Hour}))
	if disk > memory {
		t.Errorf("unexpected allocations of a persistent write; got %v; want %v as in memory", disk, memory)
	}
}
