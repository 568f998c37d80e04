package server

import (
	"encoding/binary"
	"testing"
)

// TestPlainWords tries all pairs of bytes at all places of a word: what one
// byte does to the next in the arithmetic would show.
func TestPlainWords(t *testing.T) {
	for c := range 256 {
		for d := range 256 {
			for at := range wordBytes - 1 {
				text := []byte("abcdefgh")
				text[at], text[at+1] = byte(c), byte(d)
				word := binary.LittleEndian.Uint64(text)
				if got, want := plainWordInXML(word), plainBytes(text, false); got != want {
					t.Fatalf("unexpected answer for XML of %q; got %v; want %v", text, got, want)
				}
				if got, want := plainWordInURL(word), plainBytes(text, true); got != want {
					t.Fatalf("unexpected answer for URLs of %q; got %v; want %v", text, got, want)
				}
			}
		}
	}
}

func TestPlainBehind(t *testing.T) {
	f := func(before, key string, want bool) {
		t.Helper()
		if got := plainBehind([]byte(before), []byte(key), false); got != want {
			t.Errorf("unexpected answer for %q behind %q; got %v; want %v", key, before, got, want)
		}
	}
	f("", "", true)
	f("", "abc", true)
	f("", "a&c", false)
	f("", "abcdefgh", true)
	f("", "abcdefg<", false)
	f("abcdefgh", "abcdefgh", true)
	f("abcdefgh", "abcdefgh1234567", true)
	f("abcdefgh", "abcdefgh123456>", false)
	f("abcdefgh1", "abcdefgh&", false)
	f("abcdefgh12345678", "&bcdefgh12345678", false)
	f("abcdefgh12345678", "abcdefgh1234567", true)
	f("abcdefgh12345678", "abcdefgh12345\x80", false)
	f("abcdefgh12345678", "abcdefgh123456789abcdef\n", false)
}
