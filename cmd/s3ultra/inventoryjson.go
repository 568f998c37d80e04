package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// jsonScanner goes through the members of one flat JSON object. It is here
// because encoding/json takes 2 us for a line of a listing and this 0.2.
type jsonScanner struct {
	rest     []byte
	name     []byte
	value    []byte // of a string without quotes and escapes; else as it stands
	isString bool
	err      error
	started  bool
	plain    [32]byte
	nameBuf  []byte
	valueBuf []byte
}

var errJSON = errors.New("it is not a JSON object; want one in each line, as `jq -c '.Contents[]'` prints")

func (s *jsonScanner) reset(line []byte) {
	s.rest, s.err, s.started = line, nil, false
}

// next moves to the next member; false at the end or with s.err.
func (s *jsonScanner) next() bool {
	s.blank()
	switch {
	case !s.started && s.take('{'):
		s.started = true
		s.blank()
		if s.take('}') {
			return s.end()
		}
	case s.started && s.take('}'):
		return s.end()
	case !s.started || !s.take(','):
		return s.fail()
	}
	s.blank()
	var ok bool
	if s.name, ok = s.text(&s.nameBuf); !ok {
		return s.fail()
	}
	s.blank()
	if !s.take(':') {
		return s.fail()
	}
	s.blank()
	if s.isString = len(s.rest) > 0 && s.rest[0] == '"'; s.isString {
		if s.value, ok = s.text(&s.valueBuf); !ok {
			return s.fail()
		}
		return true
	}
	return s.other()
}

func (s *jsonScanner) fail() bool {
	s.err = errJSON
	return false
}

// end is after the last brace.
func (s *jsonScanner) end() bool {
	s.blank()
	if len(s.rest) > 0 {
		return s.fail()
	}
	return false
}

func (s *jsonScanner) blank() {
	for len(s.rest) > 0 && (s.rest[0] == ' ' || s.rest[0] == '\t' || s.rest[0] == '\r' || s.rest[0] == '\n') {
		s.rest = s.rest[1:]
	}
}

func (s *jsonScanner) take(c byte) bool {
	if len(s.rest) == 0 || s.rest[0] != c {
		return false
	}
	s.rest = s.rest[1:]
	return true
}

// text reads a string; buf takes it if it has escapes.
func (s *jsonScanner) text(buf *[]byte) ([]byte, bool) {
	if !s.take('"') {
		return nil, false
	}
	end, escaped := 0, false
	for {
		if end >= len(s.rest) {
			return nil, false
		}
		if s.rest[end] == '"' {
			break
		}
		if s.rest[end] == '\\' {
			escaped = true
			end++
		}
		end++
	}
	raw := s.rest[:end]
	s.rest = s.rest[end+1:]
	if !escaped {
		return raw, true
	}
	*buf = (*buf)[:0]
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		if c == '\\' {
			i++
			n := strings.IndexByte(jsonEscapes, raw[i])
			if n < 0 {
				return s.unquote(raw, buf)
			}
			c = jsonEscaped[n]
		}
		*buf = append(*buf, c)
	}
	return *buf, true
}

// What follows a backslash, and what that stands for; the quotes of ETags are
// in every line.
const (
	jsonEscapes = `"\/bfnrt`
	jsonEscaped = "\"\\/\b\f\n\r\t"
)

// unquote decodes a string with \u in it.
func (s *jsonScanner) unquote(raw []byte, buf *[]byte) ([]byte, bool) {
	var decoded string
	if json.Unmarshal(append(append([]byte{'"'}, raw...), '"'), &decoded) != nil {
		return nil, false
	}
	*buf = append((*buf)[:0], decoded...)
	return *buf, true
}

// other reads a number, a literal, or an object or list, which is only skipped.
func (s *jsonScanner) other() bool {
	if len(s.rest) > 0 && (s.rest[0] == '{' || s.rest[0] == '[') {
		d := json.NewDecoder(bytes.NewReader(s.rest))
		var skipped json.RawMessage
		if d.Decode(&skipped) != nil {
			return s.fail()
		}
		s.value, s.rest = nil, s.rest[d.InputOffset():]
		return true
	}
	n := bytes.IndexAny(s.rest, ",} \t")
	if n <= 0 {
		return s.fail()
	}
	s.value, s.rest = s.rest[:n], s.rest[n:]
	return true
}

// plainName is the member's name in lower case and letters only, as in
// columnNames; "" for a long one.
func (s *jsonScanner) plainName() string {
	n := 0
	for _, c := range s.name {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c < 'a' || c > 'z' {
			continue
		}
		if n == len(s.plain) {
			return ""
		}
		s.plain[n] = c
		n++
	}
	return viewText(s.plain[:n])
}
