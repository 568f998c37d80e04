package server

import (
	"bytes"
	"net/netip"
)

// target is a request target split and decoded once. Path and query keep the
// bytes of the wire (they are what was signed); bucket and key are decoded
// into buffers that the target owns and reuses, so they live until the next
// parse.
type target struct {
	path, query []byte // raw; query without '?'
	bucket, key []byte // percent-decoded exactly once
	params      []param
	buf         []byte
}

// param is one decoded query parameter.
type param struct {
	name, value []byte
}

// parse splits uri, the request target as received, for a request to host.
// It returns errInvalidURI when the percent-encoding is broken.
//
// Keys are opaque: no slash is merged and no dot segment is resolved, so the
// bucket is always the first segment of the wire path (or the host's label
// for a virtual-hosted request, see
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/VirtualHosting.html).
func (t *target) parse(uri, host []byte, domains []string) error {
	t.bucket, t.key, t.query, t.params = nil, nil, nil, t.params[:0]
	uri = originForm(uri)
	t.path = uri
	if i := bytes.IndexByte(uri, '?'); i >= 0 {
		t.path, t.query = uri[:i], uri[i+1:]
	}
	// One buffer holds every decoded piece: decoding never grows a string.
	if need := len(uri) + len(host); cap(t.buf) < need {
		t.buf = make([]byte, 0, need+256)
	}
	t.buf = t.buf[:0]

	rest := t.path
	if len(rest) > 0 && rest[0] == '/' {
		rest = rest[1:]
	}
	var ok bool
	if label := virtualHostBucket(host, domains); label != nil {
		t.bucket = t.lower(label)
		if t.key, ok = t.decode(rest, false); !ok {
			return errInvalidURI
		}
		return t.parseQuery()
	}
	bucket, key := rest, []byte(nil)
	if i := bytes.IndexByte(rest, '/'); i >= 0 {
		bucket, key = rest[:i], rest[i+1:]
	}
	if t.bucket, ok = t.decode(bucket, false); !ok {
		return errInvalidURI
	}
	if t.key, ok = t.decode(key, false); !ok {
		return errInvalidURI
	}
	if len(t.bucket) == 0 && len(key) > 0 {
		return errInvalidBucketName
	}
	return t.parseQuery()
}

func (t *target) parseQuery() error {
	q := t.query
	for len(q) > 0 {
		var piece []byte
		if i := bytes.IndexByte(q, '&'); i >= 0 {
			piece, q = q[:i], q[i+1:]
		} else {
			piece, q = q, nil
		}
		if len(piece) == 0 {
			continue
		}
		name, value := piece, []byte(nil)
		if i := bytes.IndexByte(piece, '='); i >= 0 {
			name, value = piece[:i], piece[i+1:]
		}
		var p param
		var ok bool
		if p.name, ok = t.decode(name, true); !ok {
			return errInvalidURI
		}
		if p.value, ok = t.decode(value, true); !ok {
			return errInvalidURI
		}
		t.params = append(t.params, p)
	}
	return nil
}

// param returns the first value of a query parameter and whether it is there.
func (t *target) param(name string) ([]byte, bool) {
	for i := range t.params {
		if string(t.params[i].name) == name {
			return t.params[i].value, true
		}
	}
	return nil, false
}

// decode percent-decodes src into the target's buffer; a slice without
// escapes is returned as it is. A plus is a space in a query only: in a path
// it is the character (design: "literal + in a path: as received").
func (t *target) decode(src []byte, query bool) ([]byte, bool) {
	if bytes.IndexByte(src, '%') < 0 && (!query || bytes.IndexByte(src, '+') < 0) {
		return src, true
	}
	start := len(t.buf)
	for i := 0; i < len(src); i++ {
		c := src[i]
		switch {
		case c == '%':
			if i+2 >= len(src) {
				return nil, false
			}
			hi, lo := unhex(src[i+1]), unhex(src[i+2])
			if hi > 15 || lo > 15 {
				return nil, false
			}
			c = hi<<4 | lo
			i += 2
		case c == '+' && query:
			c = ' '
		}
		t.buf = append(t.buf, c)
	}
	return t.buf[start:len(t.buf):len(t.buf)], true
}

func (t *target) lower(src []byte) []byte {
	start := len(t.buf)
	for _, c := range src {
		t.buf = append(t.buf, lowerByte(c))
	}
	return t.buf[start:len(t.buf):len(t.buf)]
}

// originForm cuts "http://authority" off an absolute-form target (RFC 9112
// section 3.2.2), which proxies send; any other target is returned as it is.
func originForm(uri []byte) []byte {
	if len(uri) == 0 || uri[0] == '/' {
		return uri
	}
	i := bytes.Index(uri, []byte("://"))
	if i < 0 {
		return uri
	}
	rest := uri[i+3:]
	if j := bytes.IndexAny(rest, "/?"); j >= 0 {
		return rest[j:]
	}
	return nil
}

// virtualHostBucket returns the bucket label of host when it is a name below
// one of the domains, else nil (path style). An IP address is never virtual.
func virtualHostBucket(host []byte, domains []string) []byte {
	name := host
	if i := bytes.LastIndexByte(host, ':'); i >= 0 && bytes.IndexByte(host[i:], ']') < 0 {
		name = host[:i]
	}
	for _, d := range domains {
		label := len(name) - len(d) - 1
		if label <= 0 || name[label] != '.' || !equalFold(name[label+1:], d) {
			continue
		}
		// A numeric domain could otherwise claim part of an address.
		if _, err := netip.ParseAddr(string(name)); err == nil {
			return nil
		}
		return name[:label]
	}
	return nil
}

func unhex(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10
	}
	return 255
}

func lowerByte(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// equalFold compares ASCII case-insensitively; lower is already lower-case.
func equalFold(b []byte, lower string) bool {
	if len(b) != len(lower) {
		return false
	}
	for i := range b {
		if lowerByte(b[i]) != lower[i] {
			return false
		}
	}
	return true
}
