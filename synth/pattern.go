package synth

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"
)

// ErrBadPattern means a pattern name that ParsePattern does not know or whose knobs are out of
// range.
var ErrBadPattern = errors.New("bad data pattern")

const (
	// compressBlock is the unit of the compress knob: 4 KiB is the smallest unit that compressing
	// storage works in, so every larger unit that it divides sees the same share of zeros.
	compressBlock = 4 << 10

	// dedupBlock is the unit of the dedup knob: 1 MiB is the largest unit that deduplicating
	// storage commonly compares (a ZFS record goes up to it), and smaller power-of-two units
	// divide it.
	dedupBlock = 1 << 20
)

type kind uint8

const (
	kindRandom kind = iota
	kindZeros
	kindElbencho
)

// Pattern selects the bytes of synthetic objects. It is a value, comparable, and safe for
// concurrent use. The zero Pattern is the random pattern v1 without knobs.
type Pattern struct {
	kind kind

	// zeroTail is how many bytes at the end of each compressBlock are zero.
	zeroTail int64

	// period is the length in bytes after which the random stream repeats; 0 is never.
	period int64

	// salt is what the elbencho pattern adds to each offset.
	salt uint64
}

// ParsePattern reads a pattern's name:
//
//	random                   pattern v1, see Fill
//	random?compress=R        the last share R (0 to 1) of every 4 KiB block is zero
//	random?dedup=N           the stream repeats after N (>= 1) blocks of 1 MiB
//	random?compress=R&dedup=N
//	zeros                    zero bytes
//	elbencho:SALT            each aligned 8 bytes are the little-endian sum of their offset and
//	                         SALT (unsigned, decimal or 0x), as elbencho --verify SALT expects
//
// Anything else is an error that wraps ErrBadPattern.
func ParsePattern(s string) (Pattern, error) {
	name, query, hasQuery := strings.Cut(s, "?")
	salt, isElbencho := strings.CutPrefix(name, "elbencho:")
	switch {
	case name == "random":
		p, err := parseKnobs(query)
		if err != nil {
			return Pattern{}, fmt.Errorf("%w %q: %w", ErrBadPattern, s, err)
		}
		return p, nil
	case hasQuery:
		return Pattern{}, fmt.Errorf("%w %q: only random takes knobs", ErrBadPattern, s)
	case name == "zeros":
		return Pattern{kind: kindZeros}, nil
	case isElbencho:
		n, err := parseUint64(salt)
		if err != nil {
			return Pattern{}, fmt.Errorf("%w %q: the salt must be an unsigned 64-bit number", ErrBadPattern, s)
		}
		return Pattern{kind: kindElbencho, salt: n}, nil
	}
	return Pattern{}, fmt.Errorf("%w %q: want random, random?compress=R&dedup=N, zeros or elbencho:SALT", ErrBadPattern, s)
}

// parseUint64 reads a number, decimal or 0x.
func parseUint64(s string) (uint64, error) {
	base := 10
	if strings.HasPrefix(s, "0x") || strings.HasPrefix(s, "0X") {
		base = 0 // for all numbers it would read 010 as 8
	}
	return strconv.ParseUint(s, base, 64)
}

// parseKnobs reads the part of a random pattern's name after the question mark.
func parseKnobs(query string) (Pattern, error) {
	knobs, err := url.ParseQuery(query)
	if err != nil {
		return Pattern{}, err
	}
	var p Pattern
	for name, values := range knobs {
		if len(values) != 1 {
			return Pattern{}, fmt.Errorf("%s is given %d times", name, len(values))
		}
		switch name {
		case "compress":
			share, err := strconv.ParseFloat(values[0], 64)
			if err != nil || !(share >= 0 && share <= 1) {
				return Pattern{}, errors.New("compress must be a number from 0 to 1")
			}
			p.zeroTail = int64(math.Round(share * compressBlock))
		case "dedup":
			n, err := strconv.ParseInt(values[0], 10, 64)
			if err != nil || n < 1 || n > math.MaxInt64/dedupBlock {
				return Pattern{}, fmt.Errorf("dedup must be a number of 1 MiB blocks from 1 to %d", int64(math.MaxInt64/dedupBlock))
			}
			p.period = n * dedupBlock
		default:
			return Pattern{}, fmt.Errorf("%q is not a knob; want compress or dedup", name)
		}
	}
	return p, nil
}

// String returns a name that ParsePattern reads back as the same Pattern.
func (p Pattern) String() string {
	switch p.kind {
	case kindZeros:
		return "zeros"
	case kindElbencho:
		return "elbencho:" + strconv.FormatUint(p.salt, 10)
	}
	s := "random"
	sep := "?"
	if p.zeroTail != 0 {
		s += sep + "compress=" + strconv.FormatFloat(float64(p.zeroTail)/compressBlock, 'g', -1, 64)
		sep = "&"
	}
	if p.period != 0 {
		s += sep + "dedup=" + strconv.FormatInt(p.period/dedupBlock, 10)
	}
	return s
}

// Fill writes bytes [off, off+len(dst)) of stream h into dst. off is in bytes, need not be aligned
// and must not be negative. Fill does not allocate, keeps no reference to dst and may run
// concurrently.
func (p Pattern) Fill(dst []byte, h uint64, off int64) {
	switch {
	case p.kind == kindZeros:
		clear(dst)
	case p.kind == kindElbencho:
		fillOffsets(dst, p.salt, off)
	case p.period == 0:
		p.fillCompressible(dst, h, off)
	default:
		off %= p.period
		for int64(len(dst)) > p.period-off {
			n := p.period - off
			p.fillCompressible(dst[:n], h, off)
			dst, off = dst[n:], 0
		}
		p.fillCompressible(dst, h, off)
	}
}

// fillCompressible is Fill with the compress knob alone.
func (p Pattern) fillCompressible(dst []byte, h uint64, off int64) {
	if p.zeroTail == 0 {
		Fill(dst, h, off)
		return
	}
	live := compressBlock - p.zeroTail
	for len(dst) > 0 {
		at := off % compressBlock
		n := min(compressBlock-at, int64(len(dst)))
		random := max(0, min(live-at, n))
		Fill(dst[:random], h, off)
		clear(dst[random:n])
		dst, off = dst[n:], off+n
	}
}

// fillOffsets is the elbencho pattern.
func fillOffsets(dst []byte, salt uint64, off int64) {
	w := uint64(off)&^7 + salt
	if r := uint(off) & 7; r != 0 {
		n := putPartial(dst, w>>(8*r), int(8-r))
		dst = dst[n:]
		w += 8
	}
	for len(dst) >= 8 {
		binary.LittleEndian.PutUint64(dst, w)
		w += 8
		dst = dst[8:]
	}
	putPartial(dst, w, 8)
}

// putPartial writes the low bytes of w, at most n of them, to dst and returns how many it wrote.
func putPartial(dst []byte, w uint64, n int) int {
	n = min(n, len(dst))
	for i := range n {
		dst[i] = byte(w)
		w >>= 8
	}
	return n
}
