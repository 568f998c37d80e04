package main

import (
	"fmt"
	"math"
	"math/big"
	"strings"
)

// sizeUnits are the accepted suffixes, lower case, in bytes.
var sizeUnits = map[string]int64{
	"":    1,
	"b":   1,
	"kb":  1e3,
	"mb":  1e6,
	"gb":  1e9,
	"tb":  1e12,
	"pb":  1e15,
	"kib": 1 << 10,
	"mib": 1 << 20,
	"gib": 1 << 30,
	"tib": 1 << 40,
	"pib": 1 << 50,
}

// parseSize returns the bytes that s names: plain digits, or a number with a
// unit (64MiB = 64 x 2^20, 64MB = 64 x 10^6, 1.5GiB). Units are not
// case-sensitive. K, M, G, T alone are refused, as half of the tools take them
// for powers of two and half for powers of ten.
func parseSize(s string) (int64, error) {
	text := strings.TrimSpace(s)
	end := strings.IndexFunc(text, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
	if end < 0 {
		end = len(text)
	}
	number, unit := text[:end], strings.TrimSpace(text[end:])
	if number == "" {
		return 0, fmt.Errorf("%q is not a size; write bytes or a number with a unit, such as 64MiB", s)
	}
	factor, ok := sizeUnits[strings.ToLower(unit)]
	if !ok {
		if len(unit) == 1 && strings.Contains("kmgtp", strings.ToLower(unit)) {
			u := strings.ToUpper(unit)
			return 0, fmt.Errorf("%q is ambiguous; write %s%siB (powers of 1024) or %s%sB (powers of 1000)", s, number, u, number, u)
		}
		return 0, fmt.Errorf("%q has the unknown unit %q; use B, KiB, MiB, GiB, TiB, KB, MB, GB or TB", s, unit)
	}
	value, ok := new(big.Rat).SetString(number)
	if !ok {
		return 0, fmt.Errorf("%q is not a size: %q is not a number", s, number)
	}
	value.Mul(value, new(big.Rat).SetInt64(factor))
	if !value.IsInt() {
		return 0, fmt.Errorf("%q is not a whole number of bytes", s)
	}
	if !value.Num().IsInt64() {
		return 0, fmt.Errorf("%q is too large; the most is %d bytes", s, int64(math.MaxInt64))
	}
	return value.Num().Int64(), nil
}

// formatSize returns n bytes for people: exact when a binary unit divides it
// (5MiB), else with one decimal (19.2GiB).
func formatSize(n int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB"}
	i, unit := 0, int64(1)
	for i+1 < len(units) && n >= unit<<10 {
		i, unit = i+1, unit<<10
	}
	if n%unit == 0 {
		return fmt.Sprintf("%d%s", n/unit, units[i])
	}
	return fmt.Sprintf("%.1f%s", float64(n)/float64(unit), units[i])
}
