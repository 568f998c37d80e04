package synth

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// maxFieldWidth bounds the zero padding of a number in a key: 10^18 is the largest power of ten
// that int64 arithmetic on decimal strings can hold, and no index has more than 13 digits.
const maxFieldWidth = 18

type segmentKind uint8

const (
	segmentLiteral segmentKind = iota
	segmentIndex
	segmentFolder
)

// segment is a piece of a key: text, or a number that depends on the index.
type segment struct {
	kind segmentKind

	// width is the least number of digits of a number; shorter ones get leading zeros.
	width int

	// literal is the text of a segmentLiteral, never empty.
	literal string
}

// parseTemplate splits a key template into segments, with adjacent text joined. A template is
// text with these fields; a brace itself is written twice:
//
//	{i}  {f}  {n}        padded with zeros to the digits of count (i), folders (f), nothing (n)
//	{i:08} {f:03} {n:08} padded with zeros to that many digits, at most 18
//	{i:d} {f:d} {n:d}    not padded
//
// i is the index, n the count, f the index modulo folders. The padding without a format is that
// of DLIO's data generator (add_padding in dlio_benchmark/data_generator/data_generator.py):
// len(str(count)) and len(str(folders)).
func parseTemplate(template string, count, folders int64) ([]segment, error) {
	var segs []segment
	text := func(s string) {
		if s == "" {
			return
		}
		if n := len(segs); n > 0 && segs[n-1].kind == segmentLiteral {
			segs[n-1].literal += s
			return
		}
		segs = append(segs, segment{kind: segmentLiteral, literal: s})
	}
	for rest := template; rest != ""; {
		at := strings.IndexAny(rest, "{}")
		if at < 0 {
			text(rest)
			break
		}
		text(rest[:at])
		brace := rest[at]
		rest = rest[at+1:]
		if rest != "" && rest[0] == brace {
			text(rest[:1])
			rest = rest[1:]
			continue
		}
		end := strings.IndexByte(rest, '}')
		if brace == '}' || end < 0 {
			return nil, fmt.Errorf("key %q has an unpaired %q; write it twice if it belongs to the name", template, brace)
		}
		name, format, formatted := strings.Cut(rest[:end], ":")
		rest = rest[end+1:]
		var natural int
		switch name {
		case "i":
			natural = digitsOf(count)
		case "n":
			natural = 1
		case "f":
			if folders < 1 {
				return nil, fmt.Errorf("key %q has a folder {f}, but folders is not set", template)
			}
			natural = digitsOf(folders)
		default:
			return nil, fmt.Errorf("key %q has the unknown field {%s}; there are {i} the index, {n} the count and {f} the folder", template, name)
		}
		width := natural
		if formatted {
			var err error
			if width, err = parseWidth(format); err != nil {
				return nil, fmt.Errorf("key %q: field {%s:%s}: %w", template, name, format, err)
			}
		}
		switch name {
		case "i":
			segs = append(segs, segment{kind: segmentIndex, width: width})
		case "n":
			text(string(appendPadded(nil, count, width)))
		case "f":
			segs = append(segs, segment{kind: segmentFolder, width: width})
		}
	}
	return segs, nil
}

func parseWidth(format string) (int, error) {
	if format == "d" {
		return 1, nil
	}
	digits, ok := strings.CutPrefix(format, "0")
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n < 1 || digits[0] < '0' || digits[0] > '9' {
		return 0, errors.New("the format is d or a width with a leading zero, such as 08")
	}
	if n > maxFieldWidth {
		return 0, fmt.Errorf("at most %d digits", maxFieldWidth)
	}
	return n, nil
}

// digitsOf returns how many decimal digits n >= 0 has.
func digitsOf(n int64) int {
	d := 1
	for ; n >= 10; n /= 10 {
		d++
	}
	return d
}

// appendPadded appends n >= 0 in decimal with leading zeros up to width.
func appendPadded(dst []byte, n int64, width int) []byte {
	for d := digitsOf(n); d < width; d++ {
		dst = append(dst, '0')
	}
	return strconv.AppendInt(dst, n, 10)
}

// appendSegments appends the text of segs for index i in folder f.
func appendSegments(dst []byte, segs []segment, i, f int64) []byte {
	for k := range segs {
		switch s := &segs[k]; s.kind {
		case segmentLiteral:
			dst = append(dst, s.literal...)
		case segmentIndex:
			dst = appendPadded(dst, i, s.width)
		case segmentFolder:
			dst = appendPadded(dst, f, s.width)
		}
	}
	return dst
}

// compareSegments compares the text of segs for index i in folder f with the start of key. It
// returns 0 and what follows in key if key starts with the text, -1 if the text is less than key,
// and +1 if it is greater, which it also is where key ends inside the text.
func compareSegments(segs []segment, i, f int64, key []byte) (int, []byte) {
	var scratch [maxFieldWidth + 2]byte // an int64 has at most 19 digits
	for k := range segs {
		var c int
		switch s := &segs[k]; s.kind {
		case segmentLiteral:
			c, key = compareText(s.literal, key)
		case segmentIndex:
			c, key = compareText(appendPadded(scratch[:0], i, s.width), key)
		case segmentFolder:
			c, key = compareText(appendPadded(scratch[:0], f, s.width), key)
		}
		if c != 0 {
			return c, nil
		}
	}
	return 0, key
}

// compareText is compareSegments for one piece of text.
func compareText[T string | []byte](text T, key []byte) (int, []byte) {
	n := min(len(text), len(key))
	switch {
	case string(text[:n]) < string(key[:n]):
		return -1, nil
	case string(text[:n]) > string(key[:n]) || n < len(text):
		return 1, nil
	default:
		return 0, key[n:]
	}
}
