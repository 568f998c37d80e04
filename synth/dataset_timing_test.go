package synth

import (
	"math/rand/v2"
	"testing"
)

// benchmarkRules are 50,203,282 objects in the layouts that cost differently.
func benchmarkRules() map[string]Rule {
	const n = 50_203_282
	return map[string]Rule{
		"padded": testRule("data/retinanet/train/img_{i}_of_{n}.jpeg", 0, n, 0),
		"plain":  testRule("data/retinanet/train/img_{i:d}_of_{n}.jpeg", 0, n, 0),
		"folder": testRule("data/retinanet/train/{f}/img_{i}_of_{n}.jpeg", 0, n, 1000),
		"both":   testRule("data/retinanet/train/{f:d}/img_{i:d}.jpeg", 0, n, 1000),
	}
}

func benchmarkDatasets(b *testing.B, run func(b *testing.B, d *Dataset, positions []int64)) {
	for _, name := range []string{"padded", "plain", "folder", "both"} {
		b.Run(name, func(b *testing.B) {
			d := mustDataset(b, benchmarkRules()[name])
			rnd := rand.New(rand.NewPCG(1, 1))
			positions := make([]int64, 1024)
			for k := range positions {
				positions[k] = rnd.Int64N(d.Len())
			}
			b.ReportAllocs()
			b.ResetTimer()
			run(b, d, positions)
		})
	}
}

func BenchmarkDatasetKeyAt(b *testing.B) {
	benchmarkDatasets(b, func(b *testing.B, d *Dataset, positions []int64) {
		var buf []byte
		for k := range b.N {
			buf = d.KeyAt(buf[:0], positions[k%1024])
		}
	})
}

func benchmarkKeys(b *testing.B, run func(d *Dataset, key []byte)) {
	benchmarkDatasets(b, func(b *testing.B, d *Dataset, positions []int64) {
		keys := make([][]byte, len(positions))
		for k, pos := range positions {
			keys[k] = d.KeyAt(nil, pos)
		}
		b.ResetTimer()
		for k := range b.N {
			run(d, keys[k%1024])
		}
	})
}

func BenchmarkDatasetFind(b *testing.B) {
	benchmarkKeys(b, func(d *Dataset, key []byte) { d.Find(key) })
}

func BenchmarkDatasetSeek(b *testing.B) {
	benchmarkKeys(b, func(d *Dataset, key []byte) { d.Seek(key) })
}

// BenchmarkSetCursor is a listing: one key a step.
func BenchmarkSetCursor(b *testing.B) {
	benchmarkDatasets(b, func(b *testing.B, d *Dataset, positions []int64) {
		s := mustSet(b, d.Rule())
		var c SetCursor
		c.Reset(s)
		c.Seek(nil)
		b.ResetTimer()
		for range b.N {
			if !c.Next() {
				c.Seek(nil)
			}
		}
	})
}

// BenchmarkSetPage is one page of a listing from a random key: a seek and 1,000 keys.
func BenchmarkSetPage(b *testing.B) {
	benchmarkDatasets(b, func(b *testing.B, d *Dataset, positions []int64) {
		s := mustSet(b, d.Rule())
		var c SetCursor
		c.Reset(s)
		var key []byte
		b.ResetTimer()
		for k := range b.N {
			key = d.KeyAt(key[:0], positions[k%1024])
			c.Seek(key)
			for range 999 {
				c.Next()
			}
		}
	})
}

func BenchmarkDatasetSize(b *testing.B) {
	for _, size := range []string{"1000", "uniform(1,1000000)", "normal(1000000,100000)", "lognormal(1000000,3000000)"} {
		b.Run(size, func(b *testing.B) {
			r := testRule("{i}", 0, maxCount, 0)
			r.Size, _ = ParseSize(size)
			d := mustDataset(b, r)
			b.ReportAllocs()
			b.ResetTimer()
			for k := range b.N {
				d.Size(int64(k))
			}
		})
	}
}

// BenchmarkNewSets is what starting with a data set costs.
func BenchmarkNewSets(b *testing.B) {
	for _, flag := range []string{"retinanet?count=50203282", "llama3-1t?steps=10"} {
		b.Run(flag, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				rules, err := ParseFlag(flag)
				if err != nil {
					b.Fatalf("unexpected error: %v", err)
				}
				mustSet(b, rules...)
			}
		})
	}
}
