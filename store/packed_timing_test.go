package store

import (
	"fmt"
	"testing"
)

// BenchmarkPackedRewrite is what a write holds the bucket's lock for at most,
// per level of the tree that it splits: a full leaf is written anew.
func BenchmarkPackedRewrite(b *testing.B) {
	_, bucket := newBucketFor(b, Synth, Options{})
	tr := &bucket.index.tree
	for i := 0; tr.height < 2; i++ {
		key := fmt.Appendf(nil, "data/retinanet/train/img_%08d_of_50203282.jpg", i)
		r := record{size: 100_000, modTime: int64(i)}
		r.derive(&rawRecord{}, bucket.index.names.Hash(key))
		var o Object
		r.fill(&o)
		if err := bucket.Put(key, &o, nil); err != nil {
			b.Fatalf("cannot put: %v", err)
		}
	}
	p := tr.page(tr.page(tr.root).child(0))
	b.ReportAllocs()
	for b.Loop() {
		g := newBuilder(0)
		g.add(p, 0, p.count())
		g.packSplit(tr.size, len(g.items)/2, 0)
		g.free()
	}
	b.ReportMetric(float64(p.count()), "entries")
}
