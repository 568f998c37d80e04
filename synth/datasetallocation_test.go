//go:build !race

package synth

import "testing"

func TestDatasetAllocations(t *testing.T) {
	f := func(name string, run func()) {
		t.Helper()
		if n := testing.AllocsPerRun(100, run); n != 0 {
			t.Errorf("unexpected allocations of %s; got %v; want 0", name, n)
		}
	}
	for _, template := range []string{
		"data/a-long-folder-name-that-fits-no-32-bytes/train/img_{i}_of_{n}.npz", "data/a-long-folder-name-that-fits-no-32-bytes/{f:d}/{i:d}-long-ending-that-fits-no-32-bytes.npz",
	} {
		r := testRule(template, 0, 50_203_282, 1000)
		var err error
		if r.Size, err = ParseSize("lognormal(1MiB, 3MiB)"); err != nil {
			t.Fatalf("unexpected error: %v", err)
		}
		d := mustDataset(t, r)
		one := testRule("manifest", 0, 1, 0)
		s := mustSet(t, r, one)
		key := d.KeyAt(make([]byte, 0, maxKeyBytes), 12_345_678)
		other := append([]byte(nil), key...)
		other[10]++
		buf := make([]byte, 0, maxKeyBytes)
		var c SetCursor
		c.Reset(s)
		c.Seek(key)
		c.SeekPastPrefix(key)

		f("KeyAt", func() { buf = d.KeyAt(buf[:0], 7_654_321) })
		f("Find", func() { d.Find(key); d.Find(other) })
		f("Seek", func() { d.Seek(key); d.Seek(other); d.Seek(key[:20]) })
		f("Size", func() { d.Size(7_654_321) })
		f("Position", func() { d.Position(7_654_321) })
		f("Set.Find", func() { s.Find(key); s.Find(other) })
		f("Set.Seek", func() { s.Seek(key) })
		f("SetCursor", func() {
			c.Reset(s)
			c.Seek(key)
			for range 10 {
				c.Next()
			}
			c.SeekPastPrefix(key[:50])
		})
	}
}
