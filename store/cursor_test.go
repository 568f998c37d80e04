package store

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// TestCursorMoves mixes seeks, near and far, forwards and backwards, with steps,
// over several blocks.
func TestCursorMoves(t *testing.T) {
	source := uint64(time.Now().UnixNano())
	t.Logf("seed %d", source)
	rnd := rand.New(rand.NewPCG(source, 1))
	_, b := newBucketFor(t, Synth, Options{})
	var keys []string
	for i := range 3000 {
		key := fmt.Sprintf("data/%05d/%x", 3*i, rnd.Uint32N(1<<rnd.IntN(32)))
		keys = append(keys, key)
		if err := b.Put([]byte(key), &Object{Size: int64(i)}, nil); err != nil {
			t.Fatalf("cannot put: %v", err)
		}
	}
	slices.Sort(keys)
	c := b.Cursor()
	defer c.Close()
	at, found := 0, false
	for range 20_000 {
		if found && rnd.IntN(2) == 0 {
			at++
			found = c.Next()
		} else {
			to := 3 * max(at+rnd.IntN(400)-50, 0)
			if rnd.IntN(20) == 0 {
				to = rnd.IntN(9100)
			}
			key := fmt.Sprintf("data/%05d", to+rnd.IntN(3))
			at, _ = slices.BinarySearch(keys, key)
			found = c.Seek([]byte(key))
		}
		if found != (at < len(keys)) {
			t.Fatalf("unexpected result of a move to %d of %d: %v", at, len(keys), found)
		}
		if !found {
			at = 0
			continue
		}
		var want Object
		if !b.Get([]byte(keys[at]), &want) {
			t.Fatalf("cannot get %q", keys[at])
		}
		if got := c.Object(); string(c.Key()) != keys[at] || *got != want {
			t.Fatalf("unexpected object at %d; got %q, %+v; want %q, %+v", at, c.Key(), *got, keys[at], want)
		}
	}
}
