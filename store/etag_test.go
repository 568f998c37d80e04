package store

import (
	"bytes"
	"crypto/md5"
	"math/bits"
	"testing"
)

func TestETagText(t *testing.T) {
	f := func(text string, parts uint16) {
		t.Helper()
		e, ok := ParseETag([]byte(text))
		if !ok {
			t.Fatalf("cannot parse %q", text)
		}
		if e.Parts != parts {
			t.Fatalf("unexpected parts of %q; got %d; want %d", text, e.Parts, parts)
		}
		want := bytes.ToLower(bytes.Trim([]byte(text), `"`))
		if got := e.Append([]byte("x")); string(got) != "x"+string(want) {
			t.Fatalf("unexpected text; got %q; want %q", got, want)
		}
	}
	f("5d41402abc4b2a76b9719d911017c592", 0)
	f(`"5d41402abc4b2a76b9719d911017c592"`, 0)
	f("5D41402ABC4B2A76B9719D911017C592", 0)
	f("5d41402abc4b2a76b9719d911017c592-1", 1)
	f(`"0a97f1336a2298a6c3e9adaa562a9eec-3"`, 3)
	f("0a97f1336a2298a6c3e9adaa562a9eec-10000", 10000)
	f("0a97f1336a2298a6c3e9adaa562a9eec-65535", 65535)
}

func TestETagTextBad(t *testing.T) {
	f := func(text string) {
		t.Helper()
		if e, ok := ParseETag([]byte(text)); ok {
			t.Fatalf("unexpected success for %q; got %v", text, e)
		}
	}
	f("")
	f("*")
	f(`"`)
	f(`""`)
	f("5d41402abc4b2a76b9719d911017c59")
	f("5d41402abc4b2a76b9719d911017c5921")
	f("5d41402abc4b2a76b9719d911017c59g")
	f(`W/"5d41402abc4b2a76b9719d911017c592"`)
	f(`"5d41402abc4b2a76b9719d911017c592`)
	f("5d41402abc4b2a76b9719d911017c592-")
	f("5d41402abc4b2a76b9719d911017c592-0")
	f("5d41402abc4b2a76b9719d911017c592-01")
	f("5d41402abc4b2a76b9719d911017c592-x")
	f("5d41402abc4b2a76b9719d911017c592-65536")
	f("5d41402abc4b2a76b9719d911017c592-100000")
}

// The vectors were computed by a separate program in Python; replicas in any
// language must agree on them.
func TestDeriveETagVectors(t *testing.T) {
	f := func(content uint64, size int64, parts int, want string) {
		t.Helper()
		if got := DeriveETag(content, size, parts).String(); got != want {
			t.Fatalf("unexpected ETag of (%#x, %d, %d); got %s; want %s", content, size, parts, got, want)
		}
	}
	f(0, 0, 1, "23d80993e597a24a6aedc7510d7bc556-1")
	f(0, 0, 0, "23d80993e597a24a6aedc7510d7bc556-1")
	f(1, 0, 1, "37806aad28e7808485c4ca03d900af39-1")
	f(0x0123456789abcdef, 1<<20, 1, "dae0d74b9c0ad00a79943b4007dddd75-1")
	f(0x0123456789abcdef, 1<<20, 2, "d63d3d934be8ea01c35567bc3854b79e-2")
	f(0x0123456789abcdef, 1<<20+1, 1, "ad06122f51e25d467457924db94a7bbb-1")
	f(1<<64-1, 5<<40, 10000, "64879753ce0473edfe994ea4face0237-10000")
}

// Every input bit must flip each output bit with probability one half.
func TestDeriveETagAvalanche(t *testing.T) {
	const rounds = 2000
	for bit := range 64 + 48 + 13 {
		flips := 0
		for i := range rounds {
			content, size, parts := mix(uint64(i)), int64(mix(uint64(i)+1)>>17), 1+i%8000
			a := DeriveETag(content, size, parts)
			switch {
			case bit < 64:
				content ^= 1 << bit
			case bit < 64+48:
				size ^= 1 << (bit - 64)
			default:
				parts ^= 1 << (bit - 64 - 48)
				if parts == 0 {
					continue
				}
			}
			b := DeriveETag(content, size, parts)
			for j := range a.Sum {
				flips += bits.OnesCount8(a.Sum[j] ^ b.Sum[j])
			}
		}
		if mean := float64(flips) / rounds; mean < 62 || mean > 66 {
			t.Fatalf("unexpected mean of flipped bits for input bit %d; got %.1f of 128; want 64", bit, mean)
		}
	}
}

// Case M08 and the vectors of the field cases.
func TestMultipartETagVectors(t *testing.T) {
	p1 := md5.Sum(bytes.Repeat([]byte("a"), 5<<20))
	p2 := md5.Sum(bytes.Repeat([]byte("b"), 5<<20))
	p3 := md5.Sum([]byte("c"))
	f := func(want string, sums ...[16]byte) {
		t.Helper()
		if got := MultipartETag(sums).String(); got != want {
			t.Fatalf("unexpected ETag; got %s; want %s", got, want)
		}
	}
	f("0a97f1336a2298a6c3e9adaa562a9eec-3", p1, p2, p3)
	f("27ff6eb1837e1e912e886ffe1b4db342-2", p1, p3)
	f("65d79814053817eae59f7c7cee98d3f8-1", p1)
}

func TestUniqueETag(t *testing.T) {
	s, s2 := New(Options{}), New(Options{})
	seen := make(map[ETag]bool)
	for i := range 1000 {
		for _, e := range []ETag{s.UniqueETag(0), s.UniqueETag(1 + i%3), s2.UniqueETag(1)} {
			if e.Parts == 0 || seen[e] {
				t.Fatalf("unexpected ETag %v; want an unseen one with parts", e)
			}
			seen[e] = true
		}
	}
}
