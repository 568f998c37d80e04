//go:build !race

// One goroutine at a time uses a data set here, so the race detector would only cost a minute.

package synth

import (
	"math/rand/v2"
	"testing"
)

func TestDatasetMillion(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for _, r := range []Rule{
		testRule("data/retinanet/train/img_{i}_of_{n}.jpeg", 0, 1_000_000, 0),
		testRule("plain/{i:d}.jpeg", 0, 1_000_000, 0),
		testRule("plain/{f:d}/{i:d}_", 99_990, 1_000_000, 1000),
	} {
		t.Run(r.Key, func(t *testing.T) {
			t.Parallel()
			checkReference(t, r, rand.New(rand.NewPCG(seed, 1)), 997)
		})
	}
}
