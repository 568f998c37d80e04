package server

import (
	"strings"
	"testing"
)

func TestChecksumNames(t *testing.T) {
	f := func(a checksumAlgorithm, code int, name, header, element string, size int) {
		t.Helper()
		if int(a) != code {
			t.Errorf("unexpected code of %s, which stores have written; got %d; want %d", name, a, code)
		}
		if a.String() != name || a.header() != header || a.element() != element || a.size() != size {
			t.Errorf("unexpected names of %s; got %q %q %q %d", name, a, a.header(), a.element(), a.size())
		}
		for _, text := range []string{name, strings.ToLower(name)} {
			if got, ok := parseChecksumAlgorithm([]byte(text)); !ok || got != a {
				t.Errorf("unexpected algorithm %q; got %v, %v; want %v", text, got, ok, a)
			}
		}
		for _, text := range []string{header, strings.ToUpper(header)} {
			if got, ok := algorithmOfHeader([]byte(text)); !ok || got != a {
				t.Errorf("unexpected algorithm of header %q; got %v, %v; want %v", text, got, ok, a)
			}
		}
	}
	f(checksumCRC32, 1, "CRC32", "x-amz-checksum-crc32", "ChecksumCRC32", 4)
	f(checksumCRC32C, 2, "CRC32C", "x-amz-checksum-crc32c", "ChecksumCRC32C", 4)
	f(checksumCRC64NVME, 3, "CRC64NVME", "x-amz-checksum-crc64nvme", "ChecksumCRC64NVME", 8)
	f(checksumSHA1, 4, "SHA1", "x-amz-checksum-sha1", "ChecksumSHA1", 20)
	f(checksumSHA256, 5, "SHA256", "x-amz-checksum-sha256", "ChecksumSHA256", 32)

	for _, text := range []string{"", "CRC", "CRC32D", "MD5", "CRC64", "SHA-256", "CRC3\x12"} {
		if a, ok := parseChecksumAlgorithm([]byte(text)); ok {
			t.Errorf("unexpected algorithm for %q: %v", text, a)
		}
	}
	for _, text := range []string{
		"", "x-amz-checksum-", "x-amz-checksum-type", "x-amz-checksum-algorithm", "x-amz-checksum-mode",
		"x-amz-checksum-md5", "x-amz-meta-crc32", "crc32",
	} {
		if a, ok := algorithmOfHeader([]byte(text)); ok {
			t.Errorf("unexpected algorithm of header %q: %v", text, a)
		}
	}
}

func TestChecksumTypes(t *testing.T) {
	f := func(a checksumAlgorithm, full, composite, defaultComposite bool) {
		t.Helper()
		if got := checksumTypeAllowed(a, false); got != full {
			t.Errorf("unexpected answer for %v FULL_OBJECT; got %v; want %v", a, got, full)
		}
		if got := checksumTypeAllowed(a, true); got != composite {
			t.Errorf("unexpected answer for %v COMPOSITE; got %v; want %v", a, got, composite)
		}
		if got := a.defaultComposite(); got != defaultComposite {
			t.Errorf("unexpected default of %v; got %v; want %v", a, got, defaultComposite)
		}
	}
	f(checksumNone, false, false, false)
	f(checksumCRC32, true, true, true)
	f(checksumCRC32C, true, true, true)
	f(checksumCRC64NVME, true, false, false)
	f(checksumSHA1, false, true, true)
	f(checksumSHA256, false, true, true)

	for _, composite := range []bool{true, false} {
		if got, ok := parseChecksumType([]byte(checksumTypeName(composite))); !ok || got != composite {
			t.Errorf("unexpected type read back from %q; got %v, %v", checksumTypeName(composite), got, ok)
		}
	}
	if _, ok := parseChecksumType([]byte("FULL")); ok {
		t.Error("unexpected checksum type FULL")
	}
}

func TestDecodeChecksum(t *testing.T) {
	accept := func(a checksumAlgorithm, text string) {
		t.Helper()
		sum, ok := decodeChecksum(a, []byte(text))
		if !ok {
			t.Errorf("unexpected refusal of %v %q", a, text)
		}
		if got := string(appendChecksum(nil, sum[:a.size()])); got != text {
			t.Errorf("unexpected text written back; got %q; want %q", got, text)
		}
	}
	accept(checksumCRC32, "NhCmhg==")
	accept(checksumCRC64NVME, "M3eFcAZSQlc=")
	accept(checksumSHA1, "qvTGHdzF6KLavt4PO0gs2a6pQ00=")
	accept(checksumSHA256, "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=")
	accept(checksumMD5, "XUFAKrxLKna5cZ2REBfFkg==")

	refuse := func(a checksumAlgorithm, text string) {
		t.Helper()
		if _, ok := decodeChecksum(a, []byte(text)); ok {
			t.Errorf("unexpected acceptance of %v %q", a, text)
		}
	}
	refuse(checksumCRC32, "")
	refuse(checksumCRC32, "NhCmhg=")
	refuse(checksumCRC32, "NhCmhg")
	refuse(checksumCRC32, "NhCmhh==") // spare bits set
	refuse(checksumCRC32, "NhCmhg==\n")
	refuse(checksumCRC32, "NhCmh\n==")
	refuse(checksumCRC32, "NhCmhgAA") // six bytes
	refuse(checksumCRC32, "Nh-mhg==") // URL alphabet
	refuse(checksumCRC32, "3610a686")
	refuse(checksumCRC64NVME, "NhCmhg==")
	refuse(checksumNone, "")
	refuse(checksumSHA256, strings.Repeat("A", 44))
	refuse(checksumSHA256, strings.Repeat("A", 400))
}

func TestDecodeObjectChecksum(t *testing.T) {
	accept := func(text string, parts int) {
		t.Helper()
		sum, got, ok := decodeObjectChecksum(checksumCRC32, []byte(text))
		if !ok || got != parts {
			t.Errorf("unexpected result for %q; got %d parts, %v; want %d", text, got, ok, parts)
		}
		if back := string(appendObjectChecksum(nil, string(sum[:4]), parts > 0, parts)); back != text {
			t.Errorf("unexpected text written back; got %q; want %q", back, text)
		}
	}
	accept("PADLLA==", 0)
	accept("efOKxQ==-3", 3)
	accept("efOKxQ==-10000", 10_000)

	for _, text := range []string{
		"efOKxQ==-", "efOKxQ==-0", "efOKxQ==-03", "efOKxQ==-10001", "efOKxQ==--3", "efOKxQ==-3 ", "-3", "efOKxQ==3",
		"efOKxQ==-99999999999999999999999999",
	} {
		if _, _, ok := decodeObjectChecksum(checksumCRC32, []byte(text)); ok {
			t.Errorf("unexpected acceptance of %q", text)
		}
	}
}
