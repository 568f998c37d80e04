package server

import (
	"encoding/hex"
	"testing"
)

var allChecksums = []checksumAlgorithm{
	checksumCRC32, checksumCRC32C, checksumCRC64NVME, checksumSHA1, checksumSHA256, checksumMD5,
}

// sumOf returns the raw sum of s.
func sumOf(a checksumAlgorithm, s string) string {
	var d digest
	defer d.Release()
	d.Reset(a)
	d.Write([]byte(s))
	return string(d.Sum(nil))
}

func TestDigestVectors(t *testing.T) {
	f := func(a checksumAlgorithm, body, want string) {
		t.Helper()
		if got := string(appendChecksum(nil, sumOf(a, body))); got != want {
			t.Errorf("unexpected %v of %q; got %q; want %q", a, body, got, want)
		}
	}
	f(checksumMD5, "hello", "XUFAKrxLKna5cZ2REBfFkg==")
	f(checksumSHA256, "hello", "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=")
	f(checksumSHA1, "hello", "qvTGHdzF6KLavt4PO0gs2a6pQ00=")
	f(checksumCRC32, "hello", "NhCmhg==")
	f(checksumCRC32C, "hello", "mnG7TA==")
	f(checksumCRC64NVME, "hello", "M3eFcAZSQlc=")
	f(checksumCRC32, "hello world", "DUoRhQ==")
	f(checksumCRC32C, "hello world", "yZRlqg==")
	f(checksumCRC64NVME, "hello world", "jSnVw/bqjr4=")
	f(checksumCRC32, "", "AAAAAA==")
	f(checksumCRC32C, "", "AAAAAA==")
	f(checksumCRC64NVME, "", "AAAAAAAAAAA=")
	f(checksumNone, "hello", "")
}

// The check values of the CRC catalogue and of the NVM Express command set specification.
func TestDigestCheckValues(t *testing.T) {
	f := func(a checksumAlgorithm, want string) {
		t.Helper()
		if got := hex.EncodeToString([]byte(sumOf(a, "123456789"))); got != want {
			t.Errorf("unexpected check value of %v; got %s; want %s", a, got, want)
		}
	}
	f(checksumCRC32, "cbf43926")
	f(checksumCRC32C, "e3069283")
	f(checksumCRC64NVME, "ae8b14860a799888")
}

func TestDigestReuse(t *testing.T) {
	var d digest
	for range 2 {
		for _, a := range allChecksums {
			d.Reset(a)
			d.Write([]byte("left over"))
			d.Reset(a)
			d.Write([]byte("hel"))
			d.Sum(nil)
			d.Write([]byte("lo"))
			if got, want := string(d.Sum([]byte("x"))), "x"+sumOf(a, "hello"); got != want {
				t.Errorf("unexpected %v of a reused digest; got %x; want %x", a, got, want)
			}
		}
	}
	d.Release()
	d.Release()
	d.Write([]byte("ignored"))
	if got := d.Sum(nil); len(got) != 0 {
		t.Errorf("unexpected sum of a released digest: %x", got)
	}
}

func BenchmarkDigest(b *testing.B) {
	for _, a := range allChecksums {
		b.Run(a.String(), func(b *testing.B) {
			body := make([]byte, 1<<20)
			var d digest
			defer d.Release()
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				d.Reset(a)
				d.Write(body)
			}
		})
	}
}

func BenchmarkDigestSmall(b *testing.B) {
	for _, a := range allChecksums {
		b.Run(a.String(), func(b *testing.B) {
			body := make([]byte, 64)
			var sum [maxChecksumSize]byte
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				var d digest
				d.Reset(a)
				d.Write(body)
				d.Sum(sum[:0])
				d.Release()
			}
		})
	}
}
