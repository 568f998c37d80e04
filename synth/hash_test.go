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
	{0, "bucket", "key", 0x926b233410d0840e,
		[4]string{"30d8aee36eb00889100c6e5361d543f8", "ec3f11c9dd97a343", "d7f93f36b2872199", "add0fb687787f960"}},
	{1, "bucket", "key", 0x32f180fee41b9022,
		[4]string{"7ebc5aadaa35135ebf40e67c1cdf91b2", "58c7b790954a38d1", "5a66abb9e5429469", "478d8b5cc202c35c"}},
	{1<<64 - 1, "bucket", "key", 0x70739d51aa229fea,
		[4]string{"f60ed0ecb49bd225e0cfd07a742d73c2", "ee6a264eaa6d7de8", "a20330973b9dd0b8", "979a4ac766f0581f"}},
	{42, "train", "img_0000001.npz", 0xf12899aa283b2bca,
		[4]string{"cda55aeaf0b580c6802bb0b1f2f55e32", "bc5e6687e7c0a952", "8412febf7ffab436", "d30e045aba558fa3"}},
	{42, "train", "img_0000002.npz", 0x2b48f3b96efafb52,
		[4]string{"6bbb8edb1159e4fc88ebf40f1ae447cd", "5daf33e35fec5177", "8867235bfe5c6948", "c62875bf69eefa46"}},
	{7, "b", "a b+c/ключ", 0x3542587d02d87250,
		[4]string{"5a2e1057fed89b9e67564b265806676f", "47394aad33ccdfe2", "4f8dec25fc881c3b", "5df2ffe9ffba18c6"}},
}

// vectorOffsets has one across the end of a block, and ends with the last eight bytes that an object
// of 2^63-1 bytes can have.
var vectorOffsets = [4]int64{0, 509, 1<<32 + 5, 1<<63 - 9}

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

// TestStem cuts names in all ways, around the ends of words.
func TestStem(t *testing.T) {
	key := []byte("resnet50/train/img_0000001_of_1000000.tfrecord")
	for bucket := range 17 {
		names := NewNames(7, strings.Repeat("b", bucket))
		for n := range len(key) + 1 {
			want := Hash(7, strings.Repeat("b", bucket), key[:n])
			for cut := range n + 1 {
				stem := names.Stem(key[:cut])
				if got := stem.Hash(key[:n]); got != want {
					t.Fatalf("unexpected hash of %d bytes behind a bucket of %d, cut at %d; got %#x; want %#x", n, bucket, cut, got, want)
				}
			}
		}
	}
}

// BenchmarkStem is the hash of a key whose beginning is known, as in a listing.
func BenchmarkStem(b *testing.B) {
	const prefix = "resnet50/train/img_"
	stem := NewNames(1, "training-data").Stem([]byte(prefix))
	for _, rest := range []string{"001", "0001.jpg", "0000001_of_1000000.tfrecord"} {
		key := []byte(prefix + rest)
		b.Run(rest, func(b *testing.B) {
			b.SetBytes(int64(len(rest)))
			b.ReportAllocs()
			var sum uint64
			for b.Loop() {
				sum += stem.Hash(key)
			}
			if sum == 0 {
				b.Fatal("unexpected sum of hashes: 0")
			}
		})
	}
}
