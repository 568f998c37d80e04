package server

import (
	"bytes"
	"encoding/base64"

	"github.com/s3ultra/s3ultra/store"
)

// maxListKeys is the most entries of one page, whatever max-keys says.
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html
const maxListKeys = 1000

// listPage is one page of a listing: the entries (keys, and common prefixes
// when there is a delimiter) that come after a point, in byte order, at most
// max of them.
type listPage struct {
	prefix, delimiter []byte
	// after is where the page starts: entries must be greater. When it is a
	// common prefix already sent, keys below it are no entries of their own.
	after []byte
	// amid: the walk was started behind a version of the key after, and other
	// versions of that key belong to the page.
	amid bool
	max  int

	entries   int
	truncated bool
	last      []byte // the last entry of a full page; valid until the next walk
	seek      []byte // scratch
}

// entry is what a walk finds.
type entry struct {
	name  []byte // key or common prefix
	group bool
}

// walker is what a page walks: the keys of a bucket, or their versions.
type walker interface {
	Seek(key []byte) bool
	Next() bool
	Key() []byte
}

// start positions c on the first key that can belong to the page.
func (p *listPage) start(c *store.Cursor) bool {
	from := p.prefix
	if bytes.Compare(p.after, from) > 0 {
		from = p.after
	}
	return c.Seek(from)
}

// next returns the next entry of the page and leaves c on the key after it; ok
// is false at the end of the page, when truncated tells whether more follow. A
// common prefix is passed by one seek, however many keys it holds.
//
// found is whether c stands on a key (the result of start, then of next).
func (p *listPage) next(c walker, found bool) (e entry, ok bool) {
	for found {
		key := c.Key()
		if !bytes.HasPrefix(key, p.prefix) {
			return entry{}, false
		}
		group := commonPrefix(key, p.prefix, p.delimiter)
		name := key
		if group != nil {
			name = group
		}
		// Behind an entry of the page all others are.
		if p.entries > 0 || p.isBehind(name, group != nil) {
			if p.entries == p.max {
				p.truncated = true
				return entry{}, false
			}
			p.entries++
			return entry{name: name, group: group != nil}, true
		}
		found = p.skip(c, group)
	}
	return entry{}, false
}

// isBehind tells whether a name comes after the point where the page starts.
func (p *listPage) isBehind(name []byte, group bool) bool {
	order := bytes.Compare(name, p.after)
	return order > 0 || order == 0 && p.amid && !group
}

// keepLast remembers the last entry of the page, if it may be needed.
func (p *listPage) keepLast(name []byte) {
	if p.entries == p.max {
		p.last = append(p.last[:0], name...)
	}
}

// nextAlike tells whether a key is the next entry by its shape alone, which is
// that of the entry before, and counts it.
func (p *listPage) nextAlike(before, shape store.Shape) bool {
	if shape.ID != before.ID || shape.From < len(p.prefix) || len(p.delimiter) > 0 || p.entries == p.max {
		return false
	}
	p.entries++
	return true
}

// skip moves c past the key it stands on, or past the whole group.
func (p *listPage) skip(c walker, group []byte) bool {
	if group == nil {
		return c.Next()
	}
	p.seek = append(p.seek[:0], group...)
	if p.seek = successor(p.seek); p.seek == nil {
		return false
	}
	return c.Seek(p.seek)
}

// commonPrefix returns the part of key up to and with the first delimiter
// after prefix, nil if there is none.
func commonPrefix(key, prefix, delimiter []byte) []byte {
	if len(delimiter) == 0 {
		return nil
	}
	i := bytes.Index(key[len(prefix):], delimiter)
	if i < 0 {
		return nil
	}
	return key[:len(prefix)+i+len(delimiter)]
}

// successor turns b into the smallest string that is greater than every
// string that starts with b; nil if there is none.
func successor(b []byte) []byte {
	for len(b) > 0 {
		if last := len(b) - 1; b[last] < 0xff {
			b[last]++
			return b
		}
		b = b[:len(b)-1]
	}
	return nil
}

// Continuation tokens are the last entry of the page before, in URL-safe
// base64 after a byte that gives the format: they hold no state of a server,
// so every replica takes every other's.
const tokenFormat = '1'

func appendToken(dst, last []byte) []byte {
	dst = append(dst, tokenFormat)
	return base64.RawURLEncoding.AppendEncode(dst, last)
}

func parseToken(token []byte) ([]byte, bool) {
	if len(token) == 0 || token[0] != tokenFormat {
		return nil, false
	}
	last, err := base64.RawURLEncoding.AppendDecode(nil, token[1:])
	return last, err == nil && len(last) > 0
}

// parseMaxKeys reads max-keys and its relatives: at most maxListKeys, which is
// also the default.
func (r *request) parseMaxKeys(name string) (int, error) {
	text, ok := r.target.param(name)
	if !ok || len(text) == 0 {
		return maxListKeys, nil
	}
	n, ok := parseSize(text)
	if !ok || n > 1<<31-1 {
		return 0, invalidArgument(name, string(text), "Provided "+name+" not an integer or within integer range")
	}
	return int(min(n, maxListKeys)), nil
}

// parseEncoding reads encoding-type: url or nothing.
func (r *request) parseEncoding() (url bool, err error) {
	v, ok := r.target.param("encoding-type")
	switch {
	case !ok || len(v) == 0:
		return false, nil
	case string(v) == "url":
		return true, nil
	}
	return false, invalidArgument("encoding-type", string(v), "Invalid Encoding Method specified in Request")
}
