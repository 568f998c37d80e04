package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/s3ultra/s3ultra/store"
)

// maxInventoryLine bounds a line: a key of 1,024 bytes percent-encoded is 3 KiB,
// and inventories with access control lists have some more.
const maxInventoryLine = 1 << 20

// inventoryReader reads the objects of an inventory one after another.
type inventoryReader struct {
	lines   *bufio.Reader
	close   func()
	format  inventoryFormat
	columns []column // nil: a header is to come
	encoded bool     // keys are URL-encoded
	line    int      // the current one, from 1
	joined  []byte   // a line with a line end in quotes
	key     []byte
	fields  [][]byte
	json    jsonScanner
}

// newInventoryReader reads src. columns is for inventoryCSV.
func newInventoryReader(src io.Reader, f inventoryFormat, c compression, columns []column) (*inventoryReader, error) {
	r := &inventoryReader{format: f, close: func() {}, encoded: f == inventoryCSV}
	if f == inventoryCSV {
		r.columns = columns
	}
	switch c {
	case compressedZstd:
		z, err := zstd.NewReader(src)
		if err != nil {
			return nil, err
		}
		src, r.close = z, z.Close
	case compressedGzip:
		z, err := gzip.NewReader(src)
		if err != nil {
			return nil, err
		}
		src = z
	}
	r.lines = bufio.NewReaderSize(src, maxInventoryLine)
	return r, nil
}

// next reads the next current object into e; io.EOF after the last one.
func (r *inventoryReader) next(e *inventoryEntry) error {
	for {
		line, err := r.readLine()
		if err != nil {
			return err
		}
		ok := false
		switch {
		case len(line) == 0:
			continue
		case r.format == inventoryJSON:
			ok, err = r.parseJSON(line, e)
		case r.columns == nil:
			r.columns, err = parseColumns(strings.Split(string(line), "\t"))
		default:
			ok, err = r.parseFields(line, e)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", r.line, err)
		}
		if ok {
			return nil
		}
	}
}

// readLine returns the next line without its end, valid until the next call.
func (r *inventoryReader) readLine() ([]byte, error) {
	line, err := r.rawLine()
	if r.format != inventoryCSV || err != nil || bytes.Count(line, []byte{'"'})%2 == 0 {
		return line, err
	}
	// A line end inside of quotes.
	r.joined = append(r.joined[:0], line...)
	for bytes.Count(r.joined, []byte{'"'})%2 != 0 {
		if line, err = r.rawLine(); err == io.EOF || len(r.joined) > maxInventoryLine {
			return nil, fmt.Errorf("line %d: a quote is not closed", r.line)
		} else if err != nil {
			return nil, err
		}
		r.joined = append(append(r.joined, '\n'), line...)
	}
	return r.joined, nil
}

func (r *inventoryReader) rawLine() ([]byte, error) {
	line, err := r.lines.ReadSlice('\n')
	if len(line) == 0 && err == io.EOF {
		return nil, io.EOF
	}
	r.line++
	switch {
	case err == bufio.ErrBufferFull:
		return nil, fmt.Errorf("line %d: it is longer than %d bytes", r.line, maxInventoryLine)
	case err != nil && err != io.EOF:
		return nil, fmt.Errorf("line %d: %w", r.line, err)
	}
	line = bytes.TrimSuffix(line, []byte{'\n'})
	return bytes.TrimSuffix(line, []byte{'\r'}), nil
}

var errNotObject = errors.New("it is no object of a listing: want Key and Size in each line")

// parseFields reads a line of fields; ok is false for one that is no current
// object.
func (r *inventoryReader) parseFields(line []byte, e *inventoryEntry) (ok bool, err error) {
	if r.fields, err = r.split(line); err != nil {
		return false, err
	}
	if len(r.fields) < len(r.columns) {
		// Fields at the end may be missing, if they are not needed.
		for _, c := range r.columns[len(r.fields):] {
			if c == columnKey || c == columnSize {
				return false, fmt.Errorf("it has %d fields, want %d", len(r.fields), len(r.columns))
			}
		}
	}
	*e = inventoryEntry{}
	for i, f := range r.fields[:min(len(r.fields), len(r.columns))] {
		switch r.columns[i] {
		case columnKey:
			err = r.setKey(e, f)
		case columnSize:
			if len(f) == 0 {
				return false, nil // a delete marker
			}
			e.Size, err = parseCount(f)
		case columnModified:
			e.ModTime, err = parseTime(f)
		case columnETag:
			err = setETag(e, f)
		case columnLatest:
			if bytes.EqualFold(f, []byte("false")) {
				return false, nil
			}
		case columnMarker:
			if bytes.EqualFold(f, []byte("true")) {
				return false, nil
			}
		}
		if err != nil {
			return false, err
		}
	}
	return true, nil
}

// split cuts a line into fields, without quotes.
func (r *inventoryReader) split(line []byte) ([][]byte, error) {
	fields := r.fields[:0]
	separator := byte(',')
	if r.format == inventoryTSV {
		separator = '\t'
	}
	for {
		var f []byte
		if separator == ',' && len(line) > 0 && line[0] == '"' {
			end := 1
			for {
				n := bytes.IndexByte(line[end:], '"')
				if n < 0 {
					return nil, errors.New("a quote is not closed")
				}
				end += n + 1
				if end == len(line) || line[end] != '"' {
					break
				}
				end++ // "" is a quote
			}
			f, line = line[1:end-1], line[end:]
			if bytes.IndexByte(f, '"') >= 0 {
				f = bytes.ReplaceAll(f, []byte(`""`), []byte(`"`))
			}
			if len(line) > 0 && line[0] != separator {
				return nil, errors.New("there is something between a quote and the comma")
			}
		} else if n := bytes.IndexByte(line, separator); n >= 0 {
			f, line = line[:n], line[n:]
		} else {
			f, line = line, nil
		}
		fields = append(fields, f)
		if len(line) == 0 {
			return fields, nil
		}
		line = line[1:]
	}
}

// setKey decodes a key.
func (r *inventoryReader) setKey(e *inventoryEntry, f []byte) error {
	switch {
	case len(f) == 0:
		return errors.New("the key is empty")
	case r.encoded && bytes.ContainsAny(f, "%+"):
		key, err := appendURLDecoded(r.key[:0], f)
		if err != nil {
			return err
		}
		r.key = key
	case r.format == inventoryTSV && bytes.IndexByte(f, '\\') >= 0:
		r.key = appendUnescaped(r.key[:0], f)
	default:
		e.key = f
		return nil
	}
	e.key = r.key
	return nil
}

// appendURLDecoded decodes what AWS encodes in inventories: a blank is +.
func appendURLDecoded(dst, f []byte) ([]byte, error) {
	digit := func(c byte) int {
		switch {
		case c >= '0' && c <= '9':
			return int(c - '0')
		case c >= 'a' && c <= 'f':
			return int(c-'a') + 10
		case c >= 'A' && c <= 'F':
			return int(c-'A') + 10
		}
		return -1
	}
	for i := 0; i < len(f); i++ {
		switch c := f[i]; {
		case c == '+':
			dst = append(dst, ' ')
		case c != '%':
			dst = append(dst, c)
		case i+2 < len(f) && digit(f[i+1]) >= 0 && digit(f[i+2]) >= 0:
			dst = append(dst, byte(digit(f[i+1])<<4|digit(f[i+2])))
			i += 2
		default:
			return nil, fmt.Errorf("the key %q has a %% without two hexadecimal digits; is it not URL-encoded? (--encoding none)", f)
		}
	}
	return dst, nil
}

// appendUnescaped decodes what inventoryWriter escapes in a key.
func appendUnescaped(dst, f []byte) []byte {
	for i := 0; i < len(f); i++ {
		c := f[i]
		if c == '\\' && i+1 < len(f) {
			if n := strings.IndexByte(`tnr\`, f[i+1]); n >= 0 {
				c = "\t\n\r\\"[n]
				i++
			}
		}
		dst = append(dst, c)
	}
	return dst
}

// parseCount reads a size in bytes.
func parseCount(f []byte) (int64, error) {
	n := int64(0)
	for _, c := range f {
		if c < '0' || c > '9' || n > (1<<63-1-9)/10 {
			return 0, fmt.Errorf("the size %q is not a number of bytes", f)
		}
		n = n*10 + int64(c-'0')
	}
	if len(f) == 0 {
		return 0, errors.New("the size is empty")
	}
	return n, nil
}

// timeForms are the times of inventories, and those of the AWS CLI, which is
// without milliseconds. 0 is in UTC's offset.
var timeForms = [...]string{"dddd-dd-ddTdd:dd:dd.dddZ", "dddd-dd-ddTdd:dd:dd+00:00", "dddd-dd-ddTdd:dd:ddZ"}

// parseTime reads a time of RFC 3339 as Unix milliseconds; an empty one is 0.
func parseTime(f []byte) (int64, error) {
	if len(f) == 0 {
		return 0, nil
	}
	// The forms that AWS writes, without allocation.
	for _, form := range timeForms {
		if len(f) != len(form) {
			continue
		}
		var v [9]int
		at, ok := 0, true
		for i, c := range f {
			switch {
			case form[i] == 'd' && c >= '0' && c <= '9':
				v[at] = v[at]*10 + int(c-'0')
			case form[i] == c:
				at++
			default:
				ok = false
			}
		}
		if ok && v[1] >= 1 && v[1] <= 12 && v[2] >= 1 && v[2] <= 31 && v[3] < 24 && v[4] < 60 && v[5] < 60 {
			return time.Date(v[0], time.Month(v[1]), v[2], v[3], v[4], v[5], v[6]*1e6, time.UTC).UnixMilli(), nil
		}
	}
	t, err := time.Parse(time.RFC3339, string(f))
	if err != nil {
		return 0, fmt.Errorf("the time %q is not like 2024-12-31T23:59:59.000Z", f)
	}
	return t.UnixMilli(), nil
}

// setETag reads an ETag, quoted or not; an empty one is none.
func setETag(e *inventoryEntry, f []byte) error {
	if len(f) == 0 {
		return nil
	}
	var ok bool
	if e.ETag, ok = store.ParseETag(f); !ok {
		return fmt.Errorf("the ETag %q is not of 32 hexadecimal digits", f)
	}
	return nil
}

// parseJSON reads an object of a listing; ok is false for one that is not
// current.
func (r *inventoryReader) parseJSON(line []byte, e *inventoryEntry) (ok bool, err error) {
	*e = inventoryEntry{}
	s := &r.json
	s.reset(line)
	size, current := false, true
	for s.next() {
		switch columnNames[s.plainName()] {
		case columnKey:
			if e.key = s.value; !s.isString || len(s.value) == 0 {
				return false, errNotObject
			}
			// Values are in scratch of the scanner until the next one.
			if r.key = append(r.key[:0], s.value...); r.encoded {
				r.key, err = appendURLDecoded(r.key[:0], s.value)
			}
			e.key = r.key
		case columnSize:
			size = true
			e.Size, err = parseCount(s.value)
		case columnModified:
			e.ModTime, err = parseTime(s.value)
		case columnETag:
			err = setETag(e, s.value)
		case columnLatest:
			current = current && string(s.value) != "false"
		case columnMarker:
			current = current && string(s.value) != "true"
		}
		if err != nil {
			return false, err
		}
	}
	if s.err != nil {
		return false, s.err
	}
	if e.key == nil || !size {
		return false, errNotObject
	}
	return current, nil
}
