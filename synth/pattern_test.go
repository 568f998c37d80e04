package synth

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"
)

func TestParsePattern(t *testing.T) {
	f := func(s, want string) {
		t.Helper()
		p, err := ParsePattern(s)
		if err != nil {
			t.Errorf("unexpected error for %q: %v", s, err)
			return
		}
		if got := p.String(); got != want {
			t.Errorf("unexpected name of %q; got %q; want %q", s, got, want)
		}
		if again, err := ParsePattern(p.String()); err != nil || again != p {
			t.Errorf("unexpected pattern read back from %q; got %v, %v; want %v", p.String(), again, err, p)
		}
	}
	f("random", "random")
	f("zeros", "zeros")
	f("elbencho:0", "elbencho:0")
	f("elbencho:0x10", "elbencho:16")
	f("elbencho:010", "elbencho:10")
	f("elbencho:18446744073709551615", "elbencho:18446744073709551615")
	f("random?compress=0", "random")
	f("random?compress=0.5", "random?compress=0.5")
	f("random?compress=0.3", "random?compress=0.300048828125")
	f("random?compress=1", "random?compress=1")
	f("random?dedup=3", "random?dedup=3")
	f("random?dedup=8&compress=0.25", "random?compress=0.25&dedup=8")
}

func TestParsePatternRefuses(t *testing.T) {
	for _, s := range []string{
		"", "Random", "zero", "zeros?compress=0.5", "elbencho", "elbencho:", "elbencho:-1", "elbencho:x",
		"elbencho:18446744073709551616", "elbencho:1?dedup=2", "random?compress=2", "random?compress=-0.1",
		"random?compress=NaN", "random?compress=", "random?dedup=0", "random?dedup=-1", "random?dedup=1e3",
		"random?dedup=8796093022208", "random?dedup=1&dedup=2", "random?speed=1", "random?%zz",
	} {
		if p, err := ParsePattern(s); !errors.Is(err, ErrBadPattern) {
			t.Errorf("unexpected result for %q; got %v, %v; want ErrBadPattern", s, p, err)
		}
	}
}

func FuzzParsePattern(f *testing.F) {
	f.Add("random?compress=0.3&dedup=7")
	f.Add("elbencho:0b1")
	f.Add("random?compress=1e-9;dedup=1")
	f.Fuzz(func(t *testing.T, s string) {
		p, err := ParsePattern(s)
		if err != nil {
			if !errors.Is(err, ErrBadPattern) || p != (Pattern{}) {
				t.Fatalf("unexpected result for %q; got %v, %v", s, p, err)
			}
			return
		}
		if again, err := ParsePattern(p.String()); err != nil || again != p {
			t.Fatalf("unexpected pattern read back from %q; got %v, %v; want %v", p.String(), again, err, p)
		}
		dst := make([]byte, 5000)
		p.Fill(dst, 1, 1<<40-2500)
	})
}

// wantByte states every pattern a byte at a time.
func wantByte(t *testing.T, name string, h uint64, at int64) byte {
	var word [8]byte
	switch name {
	case "zeros":
		return 0
	case "elbencho:72":
		binary.LittleEndian.PutUint64(word[:], uint64(at/8*8)+72)
		return word[at%8]
	case "random?compress=0.3":
		if at%4096 >= 4096-1229 { // 0.3*4096 = 1228.8
			return 0
		}
	case "random?dedup=2":
		at %= 2 << 20
	case "random?compress=0.75&dedup=3":
		if at%4096 >= 1024 {
			return 0
		}
		at %= 3 << 20
	case "random?compress=1":
		return 0
	case "random":
	default:
		t.Fatalf("BUG: no statement of pattern %q", name)
	}
	return wantFill(1, h, at)[0]
}

func TestPatternFill(t *testing.T) {
	names := []string{
		"random", "zeros", "elbencho:72", "random?compress=0.3", "random?compress=1", "random?dedup=2",
		"random?compress=0.75&dedup=3",
	}
	offsets := []int64{0, 3, 8, 2860, 4090, 1<<20 - 7, 2<<20 - 5000, 3<<20 - 1, 5<<32 + 4093, 1<<63 - 20_000}
	for _, name := range names {
		p, err := ParsePattern(name)
		if err != nil {
			t.Fatalf("unexpected error for %q: %v", name, err)
		}
		for _, off := range offsets {
			for _, n := range []int{0, 1, 7, 13, 4096, 9001} {
				got := bytes.Repeat([]byte{0xA5}, n)
				p.Fill(got, 7, off)
				for j := range got {
					if want := wantByte(t, name, 7, off+int64(j)); got[j] != want {
						t.Fatalf("unexpected byte %d of %q from %d; got %#x; want %#x", j, name, off, got[j], want)
					}
				}
			}
		}
	}
}

func TestPatternFillSpansPeriods(t *testing.T) {
	p, err := ParsePattern("random?dedup=1")
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
	got := make([]byte, 3<<20+100)
	p.Fill(got, 9, 1<<20-50)
	block := wantFill(1<<20, 9, 0)
	want := append(append([]byte{}, block[1<<20-50:]...), bytes.Repeat(block, 3)...)
	want = append(want, block[:50]...)
	if !bytes.Equal(got, want) {
		t.Fatal("unexpected bytes across repeated blocks")
	}
}

func BenchmarkPatternFill(b *testing.B) {
	for _, name := range []string{"random", "zeros", "elbencho:1", "random?compress=0.5", "random?dedup=4"} {
		p, err := ParsePattern(name)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			dst := make([]byte, 128<<10)
			b.SetBytes(int64(len(dst)))
			b.ReportAllocs()
			for b.Loop() {
				p.Fill(dst, 1, 1<<20)
			}
		})
	}
}
