package store

import (
	"fmt"
	"testing"
)

func TestParts(t *testing.T) {
	f := func(runs int, sizes ...int64) {
		t.Helper()
		listed := make([]Part, len(sizes))
		for i, n := range sizes {
			listed[i] = Part{Size: n, Checksum: Checksum{Sum: fmt.Sprintf("%04d", i)}}
		}
		p := newParts(listed)
		if len(p.runs) != runs {
			t.Fatalf("unexpected runs of %v; got %d; want %d", sizes, len(p.runs), runs)
		}
		if p.Count() != len(sizes) {
			t.Fatalf("unexpected count; got %d; want %d", p.Count(), len(sizes))
		}
		wantOff := int64(0)
		for i, want := range sizes {
			off, size := p.Part(i + 1)
			if off != wantOff || size != want {
				t.Fatalf("unexpected part %d of %v; got (%d, %d); want (%d, %d)", i+1, sizes, off, size, wantOff, want)
			}
			if got, want := string(p.Checksum(i+1)), fmt.Sprintf("%04d", i); got != want {
				t.Fatalf("unexpected checksum of part %d; got %q; want %q", i+1, got, want)
			}
			wantOff += want
		}
		for _, n := range []int{-1, 0, len(sizes) + 1} {
			if _, size := p.Part(n); size != -1 {
				t.Fatalf("unexpected size of part %d; got %d; want -1", n, size)
			}
			if sum := p.Checksum(n); sum != nil {
				t.Fatalf("unexpected checksum of part %d; got %q", n, sum)
			}
		}
	}
	f(1, 0)
	f(1, 7)
	f(2, 7, 3)
	f(1, 7, 7, 7)
	f(2, 7, 7, 7, 1)
	f(3, 7, 7, 0, 7, 7)
	f(5, 1, 2, 3, 2, 1)
	many := make([]int64, 10000)
	for i := range many {
		many[i] = int64(5<<20 + i/100)
	}
	f(100, many...)
}

func TestPartsNil(t *testing.T) {
	var p *Parts
	if p.Count() != 0 || p.Checksum(1) != nil || p.memory() != 0 {
		t.Fatalf("unexpected content of nil parts")
	}
}

// Checksums are kept only if every part has one.
func TestPartsChecksumGap(t *testing.T) {
	p := newParts([]Part{{Size: 1, Checksum: Checksum{Sum: "aaaa"}}, {Size: 1}})
	if got := p.Checksum(1); got != nil {
		t.Fatalf("unexpected checksum; got %q; want none", got)
	}
}
