package synth

import (
	"bytes"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// wantWord is the published formula for one word of stream h.
func wantWord(h, i uint64) uint64 {
	z := h + (i/64*8+i%8+1)*0x9E3779B97F4A7C15
	y := (z ^ z>>30) * 0xBF58476D1CE4E5B9
	x := (y ^ y>>27) * 0x94D049BB133111EB
	x ^= x >> 31
	y = bits.RotateLeft64(y-x, 27)
	for range i / 8 % 8 {
		x, y = y*0xD3833E804F4C574B, bits.RotateLeft64(y-x, 27)
	}
	return x
}

// wantFill is the published formula, a byte at a time.
func wantFill(n int, h uint64, off int64) []byte {
	b := make([]byte, n)
	for j := range b {
		at := uint64(off) + uint64(j)
		b[j] = byte(wantWord(h, at/8) >> (8 * (at % 8)))
	}
	return b
}

func TestFillMatchesFormula(t *testing.T) {
	for _, off := range []int64{0, 1, 7, 8, 4095, 1<<32 - 3, 5<<32 + 5, math.MaxInt64 - 1200} {
		for n := range 1100 {
			got := make([]byte, n+1)
			got[n] = 0xA5
			Fill(got[:n], 0x0123456789ABCDEF, off)
			if want := wantFill(n, 0x0123456789ABCDEF, off); !bytes.Equal(got[:n], want) {
				t.Fatalf("unexpected bytes [%d, +%d); got %x; want %x", off, n, got[:n], want)
			}
			if got[n] != 0xA5 {
				t.Fatalf("unexpected write past the end of [%d, +%d)", off, n)
			}
		}
	}
}

func FuzzFill(f *testing.F) {
	f.Add(uint64(0), int64(0), uint16(0), uint8(0))
	f.Add(uint64(1), int64(1<<33+5), uint16(4097), uint8(3))
	f.Add(uint64(math.MaxUint64), int64(math.MaxInt64-70000), uint16(65535), uint8(63))
	f.Fuzz(func(t *testing.T, h uint64, off int64, n uint16, align uint8) {
		off = off & math.MaxInt64 &^ 0xFFFF
		off += int64(align % 9)
		room := make([]byte, int(align)+int(n)+1)
		got := room[align : int(align)+int(n)]
		Fill(got, h, off)
		if want := wantFill(int(n), h, off); !bytes.Equal(got, want) {
			t.Fatalf("unexpected bytes of stream %#x at [%d, +%d)", h, off, n)
		}
		if room[len(room)-1] != 0 {
			t.Fatalf("unexpected write past the end of [%d, +%d)", off, n)
		}
	})
}

func TestFillRandomCuts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	whole := wantFill(1<<20, 42, 0)
	got := make([]byte, len(whole))
	for at := 0; at < len(got); {
		n := min(r.IntN(10_000), len(got)-at)
		Fill(got[at:at+n], 42, int64(at))
		at += n
	}
	if !bytes.Equal(got, whole) {
		t.Fatal("unexpected difference between a whole object and its pieces")
	}
}

func BenchmarkFill(b *testing.B) {
	dst := make([]byte, 128<<10)
	b.SetBytes(int64(len(dst)))
	b.ReportAllocs()
	for b.Loop() {
		Fill(dst, 1, 1<<20)
	}
}
