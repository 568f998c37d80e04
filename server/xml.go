package server

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	xmlHeader = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"
	// xmlNamespace is the namespace of every S3 reply but Error.
	xmlNamespace = ` xmlns="http://s3.amazonaws.com/doc/2006-03-01/"`
	// xmlTime is the time format of S3's XML: three digits of a second, UTC.
	// minio-py refuses nine, and a LIST must agree with HEAD's whole seconds.
	xmlTime = "2006-01-02T15:04:05.000Z"
)

// appendElement appends <name>text</name> with text escaped.
func appendElement[T string | []byte](dst []byte, name string, text T) []byte {
	dst = append(dst, '<')
	dst = append(dst, name...)
	dst = append(dst, '>')
	dst = appendEscaped(dst, text)
	return appendEnd(dst, name)
}

func appendEnd(dst []byte, name string) []byte {
	dst = append(dst, '<', '/')
	dst = append(dst, name...)
	return append(dst, '>')
}

func appendIntElement(dst []byte, name string, n int64) []byte {
	dst = append(dst, '<')
	dst = append(dst, name...)
	dst = append(dst, '>')
	dst = strconv.AppendInt(dst, n, 10)
	return appendEnd(dst, name)
}

func appendBoolElement(dst []byte, name string, b bool) []byte {
	return appendElement(dst, name, strconv.FormatBool(b))
}

// appendTimeElement appends a time given in Unix milliseconds, cut to its
// second so that lists agree with the Last-Modified header.
func appendTimeElement(dst []byte, name string, ms int64) []byte {
	dst = append(dst, '<')
	dst = append(dst, name...)
	dst = append(dst, '>')
	dst = appendXMLTime(dst, ms)
	return appendEnd(dst, name)
}

func appendXMLTime(dst []byte, ms int64) []byte {
	return time.Unix(ms/1000, 0).UTC().AppendFormat(dst, xmlTime)
}

// appendEscaped appends text as XML character data. Characters that XML 1.0
// allows only as references, or not at all, become numeric references as
// AWS's do; bytes that are not UTF-8 become U+FFFD (clients that may hold such
// keys ask for encoding-type=url).
//
// Source: https://www.w3.org/TR/xml/#charsets
func appendEscaped[T string | []byte](dst []byte, text T) []byte {
	start := 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		if charClasses[c]&plainInXML != 0 {
			continue
		}
		dst = append(dst, text[start:i]...)
		switch {
		case c >= utf8.RuneSelf:
			// Decoding from a window avoids converting the whole text.
			var window [utf8.UTFMax]byte
			n := copy(window[:], text[i:])
			r, size := utf8.DecodeRune(window[:n])
			if r == 0xfffe || r == 0xffff {
				r = utf8.RuneError
			}
			dst = utf8.AppendRune(dst, r)
			i += size - 1
		case c == '&':
			dst = append(dst, "&amp;"...)
		case c == '<':
			dst = append(dst, "&lt;"...)
		case c == '>':
			dst = append(dst, "&gt;"...)
		case c == '"':
			dst = append(dst, "&quot;"...)
		case c == '\'':
			dst = append(dst, "&#39;"...)
		default:
			dst = append(dst, "&#x"...)
			dst = strconv.AppendUint(dst, uint64(c), 16)
			dst = append(dst, ';')
		}
		start = i + 1
	}
	return append(dst, text[start:]...)
}

// xmlSafe replaces what no XML 1.0 document can hold by U+FFFD. An error
// document must parse whatever the key was, or the client sees a nameless
// error.
func xmlSafe(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r == 0xfffe || r == 0xffff {
			return utf8.RuneError
		}
		return r
	}, s)
}

// unmarshalXML reads a document that is nothing but v: a request that goes on
// behind it is malformed as a whole.
func unmarshalXML(text []byte, v any) error {
	d := xml.NewDecoder(bytes.NewReader(text))
	if err := d.Decode(v); err != nil {
		return err
	}
	for {
		token, err := d.Token()
		switch t := token.(type) {
		case nil:
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		case xml.CharData:
			if len(bytes.TrimSpace(t)) > 0 {
				return errors.New("text after the document")
			}
		case xml.Comment, xml.ProcInst:
		default:
			return errors.New("element after the document")
		}
	}
}

// appendURLEncoded appends text in the encoding of encoding-type=url: all but
// unreserved characters and the slash as %XX.
func appendURLEncoded[T string | []byte](dst []byte, text T) []byte {
	const digits = "0123456789ABCDEF"
	start := 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		if charClasses[c]&plainInURL != 0 {
			continue
		}
		dst = append(dst, text[start:i]...)
		dst = append(dst, '%', digits[c>>4], digits[c&15])
		start = i + 1
	}
	return append(dst, text[start:]...)
}

const (
	plainInXML = 1 << iota
	plainInURL
)

// charClasses tells of each byte where it stands for itself.
var charClasses = newCharClasses()

func newCharClasses() (classes [256]uint8) {
	for i := range classes {
		c := byte(i)
		special := c == '&' || c == '<' || c == '>' || c == '"' || c == '\''
		if c >= 0x20 && c < 0x7f && !special {
			classes[i] |= plainInXML
		}
		if isUnreserved(c) || c == '/' {
			classes[i] |= plainInURL
		}
	}
	return classes
}

// isUnreserved reports RFC 3986 section 2.3's unreserved characters.
func isUnreserved(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
		c == '-' || c == '_' || c == '.' || c == '~'
}

func appendLower(dst []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		dst = append(dst, lowerByte(s[i]))
	}
	return dst
}

func itoa(n int) string { return strconv.Itoa(n) }
