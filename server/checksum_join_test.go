package server

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func joinOf(t *testing.T, a checksumAlgorithm, composite bool, parts []string) string {
	t.Helper()
	var j checksumJoin
	defer j.Release()
	j.Reset(a, composite)
	for _, p := range parts {
		if !j.Add(sumOf(a, p), int64(len(p))) {
			t.Fatalf("unexpected refusal of a part's %v", a)
		}
	}
	return string(j.Sum(nil))
}

// The upload and its checksums are those of the integration tests: 5 MiB of a, 5 MiB of b, c.
func TestJoinVectors(t *testing.T) {
	parts := []string{strings.Repeat("a", 5<<20), strings.Repeat("b", 5<<20), "c"}
	for i, want := range []string{"r/zBbw==", "yG5QvA==", "Brnfbw=="} {
		if got := string(appendChecksum(nil, sumOf(checksumCRC32, parts[i]))); got != want {
			t.Errorf("unexpected CRC32 of part %d; got %q; want %q", i+1, got, want)
		}
	}
	f := func(a checksumAlgorithm, composite bool, want string) {
		t.Helper()
		got := string(appendObjectChecksum(nil, joinOf(t, a, composite, parts), composite, len(parts)))
		if got != want {
			t.Errorf("unexpected %v, composite %v; got %q; want %q", a, composite, got, want)
		}
	}
	f(checksumCRC32, true, "efOKxQ==-3")
	f(checksumCRC32, false, "PADLLA==")
	f(checksumSHA256, true, "1L0WPZtI3+6c2Dv9C9FdeO5+XonN2Op759p9E/VHVzQ=-3")
}

func TestJoinMatchesDirect(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	whole := make([]byte, 1<<18)
	for i := range whole {
		whole[i] = byte(r.Uint32())
	}
	sizes := [][]int{{}, {0}, {0, 0}, {1}, {0, 1, 0}, {7, 7, 7, 3}, {1 << 10, 1 << 10, 1 << 10}, {65535, 65536, 65537}}
	for range 20 {
		var random []int
		for left := len(whole); left > 0; {
			n := min(r.IntN(50_000), left)
			random = append(random, n)
			left -= n
		}
		sizes = append(sizes, random)
	}
	for _, a := range []checksumAlgorithm{checksumCRC32, checksumCRC32C, checksumCRC64NVME} {
		for _, cut := range sizes {
			var parts []string
			at := 0
			for _, n := range cut {
				parts = append(parts, string(whole[at:at+n]))
				at += n
			}
			got, want := joinOf(t, a, false, parts), sumOf(a, string(whole[:at]))
			if got != want {
				t.Errorf("unexpected %v of parts %v; got %x; want %x", a, cut, got, want)
			}
		}
	}
}

// Nothing of terabytes can be summed directly here, but zeros can be appended by halves: joining is
// associative.
func TestJoinHugeParts(t *testing.T) {
	for _, a := range []checksumAlgorithm{checksumCRC32, checksumCRC32C, checksumCRC64NVME} {
		sum := sumOf(a, strings.Repeat("\x00", 1<<10))
		for n := int64(1 << 10); n < 1<<50; n *= 2 {
			var j checksumJoin
			j.Reset(a, false)
			j.Add(sum, n)
			j.Add(sum, n)
			sum = string(j.Sum(nil))
		}
		var left, right checksumJoin
		half := sumOf(a, strings.Repeat("\x00", 1<<10))
		for n := int64(1 << 10); n < 1<<49; n *= 2 {
			var j checksumJoin
			j.Reset(a, false)
			j.Add(half, n)
			j.Add(half, n)
			half = string(j.Sum(nil))
		}
		one := sumOf(a, "\x00")
		left.Reset(a, false)
		left.Add(one, 1)
		left.Add(sum, 1<<50)
		right.Reset(a, false)
		right.Add(half, 1<<49)
		right.Add(half, 1<<49)
		right.Add(one, 1)
		if l, r := string(left.Sum(nil)), string(right.Sum(nil)); l != r {
			t.Errorf("unexpected difference of %v between two ways to join 2^50+1 zeros; got %x and %x", a, l, r)
		}
	}
}

func TestJoinRefusesLength(t *testing.T) {
	var j checksumJoin
	j.Reset(checksumCRC32, false)
	for _, sum := range []string{"", "123", "12345678"} {
		if j.Add(sum, 1) {
			t.Errorf("unexpected acceptance of a %d-byte CRC32", len(sum))
		}
	}
	if got := string(j.Sum(nil)); got != "\x00\x00\x00\x00" {
		t.Errorf("unexpected sum after refused parts; got %x; want zero", got)
	}
}

func FuzzJoin(f *testing.F) {
	f.Add([]byte("hello world"), uint16(5), uint8(0))
	f.Fuzz(func(t *testing.T, body []byte, cut uint16, which uint8) {
		a := []checksumAlgorithm{checksumCRC32, checksumCRC32C, checksumCRC64NVME}[which%3]
		at := min(int(cut), len(body))
		got := joinOf(t, a, false, []string{string(body[:at]), string(body[at:])})
		if want := sumOf(a, string(body)); got != want {
			t.Fatalf("unexpected %v; got %x; want %x", a, got, want)
		}
	})
}

// BenchmarkJoin joins 10,000 parts of one size, S3's most.
func BenchmarkJoin(b *testing.B) {
	b.ReportAllocs()
	sum := "\x01\x02\x03\x04\x05\x06\x07\x08"
	for b.Loop() {
		var j checksumJoin
		j.Reset(checksumCRC64NVME, false)
		for range 10_000 {
			j.Add(sum, 32<<20)
		}
	}
}

// BenchmarkJoinSizes joins 10,000 parts of alternating sizes, which the remembered factor cannot
// help.
func BenchmarkJoinSizes(b *testing.B) {
	b.ReportAllocs()
	sum := "\x01\x02\x03\x04\x05\x06\x07\x08"
	for b.Loop() {
		var j checksumJoin
		j.Reset(checksumCRC64NVME, false)
		for i := range 10_000 {
			j.Add(sum, 32<<20+int64(i&1))
		}
	}
}
