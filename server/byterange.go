package server

import (
	"bytes"
	"math"
)

// byteRange is the part [off, off+n) of an object.
type byteRange struct {
	off, n int64
}

// parseRange reads a Range header for an object of size bytes. partial is
// false when the header is to be ignored: another unit, several ranges or bad
// syntax, for which S3 sends the whole object. The error is errInvalidRange.
//
// Source: RFC 9110 section 14.2 and
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html
func parseRange(header []byte, size int64) (br byteRange, partial bool, err error) {
	spec := trimSpace(header)
	const unit = "bytes="
	// Range units are case-insensitive (RFC 9110 section 14.1).
	if len(spec) < len(unit) || !equalFold(spec[:len(unit)], unit) {
		return byteRange{}, false, nil
	}
	spec = spec[len(unit):]
	first, last, ok := bytes.Cut(trimSpace(spec), []byte{'-'})
	if !ok {
		return byteRange{}, false, nil
	}
	first, last = trimSpace(first), trimSpace(last)
	if len(first) == 0 {
		n, ok := parseOffset(last)
		if !ok {
			return byteRange{}, false, nil
		}
		n = min(n, size)
		if n == 0 {
			return byteRange{}, true, rangeError(header, size)
		}
		return byteRange{size - n, n}, true, nil
	}
	off, ok := parseOffset(first)
	if !ok {
		return byteRange{}, false, nil
	}
	end := size
	if len(last) > 0 {
		to, ok := parseOffset(last)
		if !ok || to < off {
			return byteRange{}, false, nil
		}
		end = min(to, size-1) + 1
	}
	if off >= size {
		return byteRange{}, true, rangeError(header, size)
	}
	return byteRange{off, end - off}, true, nil
}

// parseOffset reads a decimal offset of any length; one that no object reaches
// is as good as the largest.
func parseOffset(b []byte) (int64, bool) {
	var n int64
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		if n > (math.MaxInt64-9)/10 {
			n = math.MaxInt64
			continue
		}
		n = n*10 + int64(c-'0')
	}
	return n, len(b) > 0
}

// rangeError is the 416 reply, with the elements that download managers read.
func rangeError(header []byte, size int64) error {
	return errInvalidRange.
		with("RangeRequested", string(header)).
		with("ActualObjectSize", int64String(size))
}

// parseCopyRange reads x-amz-copy-source-range, which has one form only and
// may not go past the source's end.
//
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_UploadPartCopy.html
func parseCopyRange(header []byte, size int64) (byteRange, error) {
	bad := invalidArgument("x-amz-copy-source-range", string(header),
		"The x-amz-copy-source-range value must be of the form bytes=first-last where first and last are the zero-based offsets of the first and last bytes to copy")
	spec, ok := bytes.CutPrefix(header, []byte("bytes="))
	if !ok {
		return byteRange{}, bad
	}
	first, last, ok := bytes.Cut(spec, []byte{'-'})
	if !ok {
		return byteRange{}, bad
	}
	off, ok1 := parseOffset(first)
	to, ok2 := parseOffset(last)
	if !ok1 || !ok2 || to < off {
		return byteRange{}, bad
	}
	if to >= size {
		return byteRange{}, rangeError(header, size)
	}
	return byteRange{off, to + 1 - off}, nil
}
