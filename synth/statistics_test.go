package synth

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"testing"
)

// The pattern went through PractRand before it was frozen; these are the same questions on a
// budget, so that no later implementation can answer them otherwise unnoticed.

// checkRandom tests b against chance: bytes, pairs of bits that are 64 apart, and ones in each
// position of a word.
func checkRandom(t *testing.T, name string, b []byte) {
	t.Helper()
	var count [256]float64
	for _, c := range b {
		count[c]++
	}
	var chi float64
	want := float64(len(b)) / 256
	for _, n := range count {
		chi += (n - want) * (n - want) / want
	}
	// 255 degrees of freedom: mean 255, standard deviation 22.6; six of those are one in 10^9.
	if chi < 120 || chi > 390 {
		t.Errorf("unexpected distribution of bytes of %s; got chi-square %.0f; want about 255", name, chi)
	}

	words := len(b) / 8
	var ones [64]int
	equal := 0
	for i := range words {
		w := binary.LittleEndian.Uint64(b[8*i:])
		for j := range ones {
			ones[j] += int(w >> j & 1)
		}
		if i > 0 {
			equal += bits.OnesCount64(^(w ^ binary.LittleEndian.Uint64(b[8*(i-1):])))
		}
	}
	// Six standard deviations, squared: 36 times n/4.
	if d := float64(equal) - 32*float64(words-1); d*d > 36*16*float64(words) {
		t.Errorf("unexpected likeness of neighbouring words of %s; got %d equal bits of %d", name, equal, 64*(words-1))
	}
	for j, n := range ones {
		if d := float64(n) - float64(words)/2; d*d > 36*float64(words)/4 {
			t.Errorf("unexpected bias of bit %d of %s; got %d ones of %d", j, name, n, words)
		}
	}
}

func TestStatistics(t *testing.T) {
	const size = 1 << 20
	one := make([]byte, size)
	Fill(one, Hash(0, "bucket", "train/img_0000001"), 0)
	checkRandom(t, "one object", one)

	two := make([]byte, size)
	Fill(two, Hash(0, "bucket", "train/img_0000002"), 0)
	var interleaved, heads []byte
	for i := 0; i < size/2; i += 8 {
		interleaved = append(append(interleaved, one[i:i+8]...), two[i:i+8]...)
	}
	checkRandom(t, "two objects interleaved", interleaved)

	var head [8]byte
	for i := range size / 8 {
		Fill(head[:], Hash(0, "bucket", fmt.Sprintf("train/img_%07d", i)), 0)
		heads = append(heads, head[:]...)
	}
	checkRandom(t, "the first words of successive objects", heads)
}
