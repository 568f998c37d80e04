package server

import (
	"math"
	"testing"
)

func TestParseOffset(t *testing.T) {
	f := func(text string, want int64, wantOK bool) {
		t.Helper()
		if got, ok := parseOffset([]byte(text)); ok != wantOK || ok && got != want {
			t.Errorf("unexpected offset of %q; got %d, %v; want %d, %v", text, got, ok, want, wantOK)
		}
	}
	f("", 0, false)
	f("-1", 0, false)
	f("1x", 0, false)
	f("0", 0, true)
	f("00000000000000000000000000000000012", 12, true)
	f("922337203685477579", 922337203685477579, true)
	f("9223372036854775799", 9223372036854775799, true)
	// All that are larger are as good as the largest.
	for _, text := range []string{"9223372036854775807", "9223372036854775808", "9223372036854775809", "18446744073709551616",
		"18446744073709551619", "99999999999999999999", "99999999999999999999999999999999999999999"} {
		if got, ok := parseOffset([]byte(text)); !ok || got < math.MaxInt64-9 {
			t.Errorf("unexpected offset of %q; got %d, %v", text, got, ok)
		}
	}
}
