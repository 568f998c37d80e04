package main

import (
	"fmt"
	"math"
	"strconv"
)

// threeDigits returns x with the three digits that tell something.
func threeDigits(x float64) string {
	switch {
	case x >= 100:
		return strconv.FormatFloat(x, 'f', 0, 64)
	case x >= 10:
		return strconv.FormatFloat(x, 'f', 1, 64)
	default:
		return strconv.FormatFloat(x, 'f', 2, 64)
	}
}

// scaledText divides x by base until it is below 1000 and appends the unit.
func scaledText(x, base float64, units []string) string {
	i := 0
	for ; x >= 999.5 && i < len(units)-1; i++ {
		x /= base
	}
	text := threeDigits(x)
	if i == 0 && x == math.Trunc(x) {
		text = strconv.FormatFloat(x, 'f', 0, 64)
	}
	if units[i] == "" {
		return text
	}
	return text + " " + units[i]
}

// byteText returns a number of bytes, as the live page does.
func byteText(n float64) string {
	return scaledText(math.Round(n), 1024, []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"})
}

// countText returns a rate or a number, exact as long as it is short.
func countText(n float64) string {
	switch {
	case n < 10 && n != math.Trunc(n):
		return strconv.FormatFloat(n, 'f', 1, 64)
	case n < 99_999.5:
		return wholeText(int64(math.Round(n)))
	default:
		return scaledText(n, 1000, []string{"", "k", "M", "G", "T"})
	}
}

// wholeText returns all digits of n, with commas.
func wholeText(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// latencyText returns seconds; "-" for none.
func latencyText(s float64) string {
	switch {
	case s <= 0:
		return "-"
	case s < 0.9995e-3:
		return threeDigits(s*1e6) + " µs"
	case s < 0.9995:
		return threeDigits(s*1e3) + " ms"
	default:
		return threeDigits(s) + " s"
	}
}

// spanText returns seconds of a span of life in its two largest units.
func spanText(seconds float64) string {
	s := int64(max(0, seconds))
	switch {
	case s >= 86400:
		return fmt.Sprintf("%d d %d h", s/86400, s/3600%24)
	case s >= 3600:
		return fmt.Sprintf("%d h %d min", s/3600, s/60%60)
	case s >= 60:
		return fmt.Sprintf("%d min %d s", s/60, s%60)
	default:
		return fmt.Sprintf("%d s", s)
	}
}
