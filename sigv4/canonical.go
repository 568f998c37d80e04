package sigv4

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"slices"
)

// maxSignedHeaders bounds the work of looking each signed name up among all
// headers. SDKs sign about 10; a request with hundreds is an attack on the CPU.
const maxSignedHeaders = 128

// param is one query parameter in canonical encoding: enc[name:eq] is the name,
// enc[eq+1:end] the value.
type param struct{ name, eq, end int32 }

// scratch is the reusable memory of building one signature.
type scratch struct {
	enc    []byte   // recoded query
	params []param  // of enc, sorted
	names  [][]byte // signed header names, slices of the request or of tmp
	tmp    []byte   // decoded query values
	buf    []byte   // canonical request, one block of room, string to sign
	sts    int      // where the string to sign starts in buf
}

func (s *scratch) paramName(p param) []byte  { return s.enc[p.name:p.eq] }
func (s *scratch) paramValue(p param) []byte { return s.enc[p.eq+1 : p.end] }

// setQuery recodes and sorts the query: decode once, encode once, order by
// encoded name, then by encoded value; a bare name gets an empty value.
func (s *scratch) setQuery(query []byte, plusIsSpace bool) {
	s.enc, s.params = s.enc[:0], s.params[:0]
	sorted := true
	for len(query) > 0 {
		var part []byte
		if i := bytes.IndexByte(query, '&'); i >= 0 {
			part, query = query[:i], query[i+1:]
		} else {
			part, query = query, nil
		}
		if len(part) == 0 {
			continue
		}
		name, value := part, []byte(nil)
		if i := bytes.IndexByte(part, '='); i >= 0 {
			name, value = part[:i], part[i+1:]
		}
		p := param{name: int32(len(s.enc))}
		s.enc = appendRecoded(s.enc, name, false, plusIsSpace)
		p.eq = int32(len(s.enc))
		s.enc = append(s.enc, '=')
		s.enc = appendRecoded(s.enc, value, false, plusIsSpace)
		p.end = int32(len(s.enc))
		if n := len(s.params); n > 0 && s.compare(s.params[n-1], p) > 0 {
			sorted = false
		}
		s.params = append(s.params, p)
	}
	if !sorted {
		slices.SortFunc(s.params, s.compare)
	}
}

func (s *scratch) compare(a, b param) int {
	if c := bytes.Compare(s.paramName(a), s.paramName(b)); c != 0 {
		return c
	}
	if c := bytes.Compare(s.paramValue(a), s.paramValue(b)); c != 0 {
		return c
	}
	return cmp.Compare(a.name, b.name)
}

// splitNames sets names from a SignedHeaders value ("host;x-amz-date") and
// reports whether it is well-formed.
func (s *scratch) splitNames(list []byte) bool {
	s.names = s.names[:0]
	for len(list) > 0 {
		i := bytes.IndexByte(list, ';')
		if i < 0 {
			i = len(list)
		}
		if i == 0 || len(s.names) == maxSignedHeaders {
			return false
		}
		s.names = append(s.names, list[:i])
		if i == len(list) {
			return true
		}
		list = list[i+1:]
	}
	return false
}

// signs reports whether the name is among the signed headers.
func (s *scratch) signs(name []byte) bool {
	for _, n := range s.names {
		if equalFold(n, name) {
			return true
		}
	}
	return false
}

// hostForm is the spelling of the Host header a client may have signed: some
// sign "host:80" and send "host", or the other way round (aws-sdk-rust#1244).
type hostForm uint8

const (
	hostAsSent  hostForm = iota
	hostPort80           // ":80" added, or taken away
	hostPort443          // ":443" added, or taken away
	hostForms
)

var defaultPorts = [hostForms]string{hostPort80: ":80", hostPort443: ":443"}

// form is one reading of a request. Clients differ in how they sign what the
// wire does not settle; the zero form is the common one.
type form struct {
	recodePath bool     // path decoded once and encoded once, not as sent
	host       hostForm // spelling of the host
}

// appendHost appends the host in the form. ok is false if the form does not
// differ from the host as sent.
func appendHost(dst, host []byte, f hostForm) (out []byte, ok bool) {
	port := defaultPorts[f]
	if f == hostAsSent {
		return append(dst, host...), true
	}
	if n := len(host) - len(port); n > 0 && string(host[n:]) == port {
		return append(dst, host[:n]...), true
	}
	// A colon means another port, unless it is inside an IPv6 literal.
	if i := bytes.LastIndexByte(host, ':'); i >= 0 && bytes.IndexByte(host[i:], ']') < 0 || len(host) == 0 {
		return dst, false
	}
	return append(append(dst, host...), port...), true
}

// build puts the canonical request and the string to sign into buf. signed is
// the SignedHeaders list as received, split into names before; payload is the
// canonical request's last line; presigned leaves X-Amz-Signature out of the
// query. ok is false if the form does not apply to the request.
func (s *scratch) build(r *Request, f form, signed, payload []byte, presigned bool, date, scope []byte) (ok bool) {
	b := append(s.buf[:0], r.Method...)
	b = append(b, '\n')
	switch {
	case len(r.Path) == 0:
		b = append(b, '/')
	case f.recodePath:
		b = appendRecoded(b, r.Path, true, false)
	default:
		b = append(b, r.Path...)
	}
	b = append(b, '\n')
	first := true
	for _, p := range s.params {
		if presigned && equalFoldString(s.paramName(p), querySignature) {
			continue
		}
		if !first {
			b = append(b, '&')
		}
		first = false
		b = append(b, s.enc[p.name:p.end]...)
	}
	b = append(b, '\n')
	for _, name := range s.names {
		b = appendLower(b, name)
		b = append(b, ':')
		if isHost(name) {
			if b, ok = appendHost(b, r.host(), f.host); !ok {
				s.buf = b
				return false
			}
		} else {
			b = appendValues(b, r.Header, name)
		}
		b = append(b, '\n')
	}
	b = append(b, '\n')
	b = append(b, signed...)
	b = append(b, '\n')
	b = append(b, payload...)

	sum := sha256.Sum256(b)
	s.sts = len(b) + blockSize
	var pad [blockSize]byte
	b = append(b, pad[:]...)
	b = append(b, algorithm+"\n"...)
	b = append(b, date...)
	b = append(b, '\n')
	b = append(b, scope...)
	b = append(b, '\n')
	b = appendHex(b, sum[:])
	s.buf = b
	return true
}

// canonicalRequest and stringToSign are the two texts build made, for reports.
// The block between them is the room pads.sum works in.
func (s *scratch) canonicalRequest() string { return string(s.buf[:s.sts-blockSize]) }
func (s *scratch) stringToSign() string     { return string(s.buf[s.sts:]) }

// signature signs the string to sign.
func (s *scratch) signature(k *pads, out *[64]byte) {
	sum := k.sum(s.buf[s.sts-blockSize:])
	encodeHex(out[:], sum[:])
}

// host returns the host to sign: Host, or the header if that is empty.
func (r *Request) host() []byte {
	if len(r.Host) > 0 {
		return r.Host
	}
	for i := range r.Header {
		if isHost(r.Header[i].Name) {
			return trim(r.Header[i].Value)
		}
	}
	return nil
}

// appendValues appends the values of every header of the name in wire order,
// joined by commas, each trimmed and with runs of spaces folded into one.
func appendValues(dst []byte, header []Field, name []byte) []byte {
	first := true
	for i := range header {
		if !equalFold(header[i].Name, name) {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = appendFolded(dst, trim(header[i].Value))
	}
	return dst
}

func appendFolded(dst, v []byte) []byte {
	for {
		i := bytes.Index(v, twoSpaces)
		if i < 0 {
			return append(dst, v...)
		}
		dst = append(dst, v[:i+1]...)
		v = v[i+2:]
		for len(v) > 0 && v[0] == ' ' {
			v = v[1:]
		}
	}
}

var twoSpaces = []byte("  ")

// trim cuts blanks, the only white space a header value can have at its ends.
func trim(v []byte) []byte {
	for len(v) > 0 && (v[0] == ' ' || v[0] == '\t') {
		v = v[1:]
	}
	for len(v) > 0 && (v[len(v)-1] == ' ' || v[len(v)-1] == '\t') {
		v = v[:len(v)-1]
	}
	return v
}

func lower(c byte) byte {
	if c-'A' < 26 {
		c |= 0x20
	}
	return c
}

func appendLower(dst, s []byte) []byte {
	for _, c := range s {
		dst = append(dst, lower(c))
	}
	return dst
}

// equalFold compares ASCII names without regard to case.
func equalFold(a, b []byte) bool {
	if len(a) != len(b) {
		return false
	}
	for i, c := range a {
		if c != b[i] && lower(c) != lower(b[i]) {
			return false
		}
	}
	return true
}

// equalFoldString is equalFold against a constant.
func equalFoldString(a []byte, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i, c := range a {
		if c != b[i] && lower(c) != lower(b[i]) {
			return false
		}
	}
	return true
}

func isHost(name []byte) bool { return equalFoldString(name, headerHost) }
