package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"

	"github.com/s3ultra/s3ultra/store"
)

// inventoryWriter writes what inventoryReader reads.
type inventoryWriter struct {
	out    *bufio.Writer
	packed io.Closer // nil: not compressed
	format inventoryFormat
	bucket string
	count  int64
	buf    []byte
}

// newInventoryWriter writes to dst the objects of bucket.
func newInventoryWriter(dst io.Writer, f inventoryFormat, c compression, bucket string) (*inventoryWriter, error) {
	w := &inventoryWriter{format: f, bucket: bucket}
	switch c {
	case compressedZstd:
		z, err := zstd.NewWriter(dst)
		if err != nil {
			return nil, err
		}
		dst, w.packed = z, z
	case compressedGzip:
		z := gzip.NewWriter(dst)
		dst, w.packed = z, z
	}
	w.out = bufio.NewWriterSize(dst, 1<<20)
	if f == inventoryTSV {
		_, err := w.out.WriteString("key\tsize\tlast-modified\tetag\n")
		return w, err
	}
	return w, nil
}

// add writes an object.
func (w *inventoryWriter) add(key []byte, o *store.Object) error {
	b := w.buf[:0]
	modified := func() {
		b = time.UnixMilli(o.ModTime).UTC().AppendFormat(b, "2006-01-02T15:04:05.000Z")
	}
	switch w.format {
	case inventoryCSV:
		b = append(append(append(b, '"'), w.bucket...), `","`...)
		b = append(appendURLEncoded(b, key), `","`...)
		b = append(strconv.AppendInt(b, o.Size, 10), `","`...)
		modified()
		b = append(o.ETag.Append(append(b, `","`...)), '"', '\n')
	case inventoryTSV:
		b = append(appendEscaped(b, key), '\t')
		b = append(strconv.AppendInt(b, o.Size, 10), '\t')
		modified()
		b = append(o.ETag.Append(append(b, '\t')), '\n')
	case inventoryJSON:
		if !utf8.Valid(key) {
			return fmt.Errorf("the key %q is not UTF-8, which JSON cannot hold; write a .csv or .tsv", key)
		}
		text, err := json.Marshal(string(key))
		if err != nil {
			return err
		}
		b = append(append(b, `{"Key":`...), text...)
		b = append(b, `,"LastModified":"`...)
		modified()
		b = append(o.ETag.Append(append(b, `","ETag":"\"`...)), `\"","Size":`...)
		b = append(strconv.AppendInt(b, o.Size, 10), `,"StorageClass":"STANDARD"}`+"\n"...)
	}
	w.buf = b
	w.count++
	_, err := w.out.Write(b)
	return err
}

// close ends the file's content, not the file.
func (w *inventoryWriter) close() error {
	if err := w.out.Flush(); err != nil {
		return err
	}
	if w.packed != nil {
		return w.packed.Close()
	}
	return nil
}

// appendURLEncoded is the reverse of appendURLDecoded.
func appendURLEncoded(dst, key []byte) []byte {
	const digits = "0123456789ABCDEF"
	for _, c := range key {
		switch {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '/' || c == '-' || c == '_' || c == '.' || c == '*':
			dst = append(dst, c)
		case c == ' ':
			dst = append(dst, '+')
		default:
			dst = append(dst, '%', digits[c>>4], digits[c&15])
		}
	}
	return dst
}

// appendEscaped is the reverse of appendUnescaped.
func appendEscaped(dst, key []byte) []byte {
	for _, c := range key {
		switch c {
		case '\t':
			dst = append(dst, `\t`...)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\\':
			dst = append(dst, `\\`...)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}
