package server

import "bytes"

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
	spec, ok := bytes.CutPrefix(trimSpace(header), []byte("bytes="))
	if !ok {
		return byteRange{}, false, nil
	}
	first, last, ok := bytes.Cut(trimSpace(spec), []byte{'-'})
	if !ok {
		return byteRange{}, false, nil
	}
	first, last = trimSpace(first), trimSpace(last)
	if len(first) == 0 {
		n, ok := parseSize(last)
		if !ok {
			return byteRange{}, false, nil
		}
		n = min(n, size)
		if n == 0 {
			return byteRange{}, true, rangeError(header, size)
		}
		return byteRange{size - n, n}, true, nil
	}
	off, ok := parseSize(first)
	if !ok {
		return byteRange{}, false, nil
	}
	end := size
	if len(last) > 0 {
		to, ok := parseSize(last)
		if !ok || to < off {
			return byteRange{}, false, nil
		}
		end = min(to+1, size)
	}
	if off >= size {
		return byteRange{}, true, rangeError(header, size)
	}
	return byteRange{off, end - off}, true, nil
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
	off, ok1 := parseSize(first)
	to, ok2 := parseSize(last)
	if !ok1 || !ok2 || to < off {
		return byteRange{}, bad
	}
	if to >= size {
		return byteRange{}, rangeError(header, size)
	}
	return byteRange{off, to + 1 - off}, nil
}
