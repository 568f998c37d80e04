package synth

import (
	"encoding/hex"
	"fmt"
	"math/bits"
	"os"
	"strings"
	"testing"
)

// vectors are those of docs/data.md. They were computed by a separate implementation, in Python,
// and must never change.
var vectors = []struct {
	seed        uint64
	bucket, key string
	h           uint64
	bytes       [4]string // at vectorOffsets
}{
	{0, "bucket", "key", 0x2a8fc7161cb5ee0a,
		[4]string{"c68b74bbb05bbaf1e3c6fa1eb3e50202", "bbb05bbaf1e3c6fa", "824c9a1bca8aaaff", "b952913aaca2def5"}},
	{1, "bucket", "key", 0x92af7074b28a5f9d,
		[4]string{"d041675c7eb6f3db6908b72f9e3a47ed", "5c7eb6f3db6908b7", "f9e0dca01c389984", "1027575bcf3c63f2"}},
	{1<<64 - 1, "bucket", "key", 0xdb51476ceb7aac6b,
		[4]string{"2d3b291a2705546010feb0bd41a8ca85", "1a2705546010feb0", "3526225d1273b275", "54cfb2eaba76d20d"}},
	{42, "train", "img_0000001.npz", 0xa2b2fb5e9a92f6a0,
		[4]string{"0a93488b052b8dc0783fe3e0d3da2baa", "8b052b8dc0783fe3", "b625c5adb420c3e1", "e0fa40158dda1049"}},
	{42, "train", "img_0000002.npz", 0xe9b004ff1f358c00,
		[4]string{"0cce276d4406e263b3e74acadede1f06", "6d4406e263b3e74a", "3f60b4468a783792", "cee196f190482fe1"}},
	{7, "b", "a b+c/ключ", 0x7047e2494b37dd5a,
		[4]string{"aa2721bc3b18b97d5cf6fac8ce8ee8e4", "bc3b18b97d5cf6fa", "0e5af284eb545cb0", "507cef07e02b8990"}},
}

// vectorOffsets ends with the last eight bytes that an object of 2^63-1 bytes can have.
var vectorOffsets = [4]int64{0, 3, 1<<32 + 5, 1<<63 - 9}

func TestVectors(t *testing.T) {
	for _, v := range vectors {
		h := Hash(v.seed, v.bucket, v.key)
		if h != v.h || Hash(v.seed, []byte(v.bucket), []byte(v.key)) != v.h {
			t.Errorf("unexpected hash of seed %d, %s/%s; got %#x; want %#x", v.seed, v.bucket, v.key, h, v.h)
		}
		for i, want := range v.bytes {
			got := make([]byte, len(want)/2)
			Fill(got, h, vectorOffsets[i])
			if hex.EncodeToString(got) != want {
				t.Errorf("unexpected bytes of %s/%s at %d; got %x; want %s", v.bucket, v.key, vectorOffsets[i], got, want)
			}
		}
		Fill(nil, h, 5)
	}
}

func TestVectorsAreDocumented(t *testing.T) {
	doc, err := os.ReadFile("../docs/data.md")
	if err != nil {
		t.Fatalf("cannot read the description of the formula: %v", err)
	}
	for _, v := range vectors {
		row := fmt.Sprintf("| %d | `%s/%s` | `%016x` | `%s` | `%s` | `%s` | `%s` |",
			v.seed, v.bucket, v.key, v.h, v.bytes[0], v.bytes[1], v.bytes[2], v.bytes[3])
		if !strings.Contains(string(doc), row) {
			t.Errorf("docs/data.md lacks the test vector\n%s", row)
		}
	}
}

// Names that differ in one digit must not give streams that resemble each other.
func TestHashSpreads(t *testing.T) {
	const names = 10_000
	var flips, worst int
	seen := make(map[uint64]bool, names)
	for i := range names {
		a := Hash(0, "bucket", fmt.Sprintf("train/img_%07d", i))
		b := Hash(0, "bucket", fmt.Sprintf("train/img_%07d", i^1))
		n := bits.OnesCount64(a ^ b)
		flips += n
		worst = max(worst, max(n-32, 32-n))
		seen[a] = true
	}
	if len(seen) != names {
		t.Errorf("unexpected equal hashes; got %d of %d names", len(seen), names)
	}
	// The mean of 5,000 pairs has a standard deviation of 4/sqrt(5000) = 0.06 bits, one pair of 4.
	if mean := float64(flips) / names; mean < 31.7 || mean > 32.3 {
		t.Errorf("unexpected number of bits that the last digit changes; got %.2f; want 32", mean)
	}
	if worst > 22 {
		t.Errorf("unexpected pair of hashes %d bits from the expected 32 apart", worst)
	}
}

func BenchmarkHash(b *testing.B) {
	bucket, key := []byte("training-data"), []byte("resnet50/train/img_0000001_of_1000000.tfrecord")
	b.SetBytes(int64(len(bucket) + len(key)))
	b.ReportAllocs()
	for b.Loop() {
		Hash(1, bucket, key)
	}
}
