package sigv4

import (
	"strconv"
	"time"
)

// Signer makes signatures: for tests, load generators and command lines. It
// reuses its memory; the fields it appends to a request are valid until its next
// call. The zero value is ready to use. Not safe for concurrent use.
type Signer struct {
	s      scratch
	date   [16]byte
	scope  []byte
	names  []byte // SignedHeaders
	out    []byte // Authorization
	seed   [64]byte
	key    signingKey
	secret string // of key
	order  []int  // header indexes to sign, sorted
	sha    []byte // x-amz-content-sha256
}

// neverSigned are headers that proxies and HTTP libraries change on the way
// (the list botocore and the Go SDK leave out).
var neverSigned = [...]string{
	headerAuthorization, "user-agent", "connection", "expect", "accept-encoding",
	"transfer-encoding", "x-amzn-trace-id",
}

// prepare sets date, scope and key.
func (g *Signer) prepare(c Credential, region string, t time.Time) {
	appendISO(g.date[:0], t)
	day := g.date[:8]
	g.scope = append(g.scope[:0], day...)
	g.scope = append(append(g.scope, '/'), region...)
	g.scope = append(g.scope, "/"+service+"/"+terminator...)
	if g.secret == c.SecretKey && g.secret != "" && g.key.region == region && string(g.key.day[:]) == string(day) {
		return
	}
	var secret pads
	secret.set([]byte("AWS4" + c.SecretKey))
	g.s.buf = g.key.pads.derive(&secret, day, []byte(region), g.s.buf)
	copy(g.key.day[:], day)
	g.key.region, g.secret = region, c.SecretKey
}

// setNames lists the headers of r to sign, sorted, repeats once, as SignedHeaders.
func (g *Signer) setNames(header []Field) {
	g.order = g.order[:0]
next:
	for i := range header {
		for _, name := range neverSigned {
			if equalFoldString(header[i].Name, name) {
				continue next
			}
		}
		j := len(g.order)
		for j > 0 {
			c := compareFold(header[i].Name, header[g.order[j-1]].Name)
			if c == 0 {
				continue next
			}
			if c > 0 {
				break
			}
			j--
		}
		g.order = append(g.order, 0)
		copy(g.order[j+1:], g.order[j:])
		g.order[j] = i
	}
	g.names = g.names[:0]
	for n, i := range g.order {
		if n > 0 {
			g.names = append(g.names, ';')
		}
		g.names = appendLower(g.names, header[i].Name)
	}
	g.s.splitNames(g.names)
}

// compareFold orders names by their lower-case form.
func compareFold(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if x, y := lower(a[i]), lower(b[i]); x != y {
			return int(x) - int(y)
		}
	}
	return len(a) - len(b)
}

func (g *Signer) sign(r *Request, payload []byte, presigned bool) {
	g.s.build(r, form{}, g.names, payload, presigned, g.date[:], g.scope)
	g.s.signature(&g.key.pads, &g.seed)
}

var (
	nameAmzDate       = []byte(headerAmzDate)
	nameContentSHA256 = []byte(headerContentSHA256)
	nameAuthorization = []byte(headerAuthorization)
	nameHost          = []byte(headerHost)
)

// SignHeader appends x-amz-date, x-amz-content-sha256 and authorization to
// r.Header (and host, if it is missing), signing every header but those in
// neverSigned. r.Path and r.Query must be encoded as they will go over the wire,
// see AppendEncoded. payload is the value of x-amz-content-sha256: 64 hex digits
// or Payload.String().
func (g *Signer) SignHeader(r *Request, c Credential, region string, t time.Time, payload string) {
	g.prepare(c, region, t)
	g.sha = append(g.sha[:0], payload...)
	g.addHost(r)
	r.Header = append(r.Header,
		Field{nameAmzDate, g.date[:]},
		Field{nameContentSHA256, g.sha})
	g.setNames(r.Header)
	g.s.setQuery(r.Query, true)
	g.sign(r, g.sha, false)

	b := append(g.out[:0], algorithm+" Credential="...)
	b = append(append(b, c.AccessKey...), '/')
	b = append(b, g.scope...)
	b = append(b, ", SignedHeaders="...)
	b = append(b, g.names...)
	b = append(b, ", Signature="...)
	b = append(b, g.seed[:]...)
	g.out = b
	r.Header = append(r.Header, Field{nameAuthorization, b})
}

func (g *Signer) addHost(r *Request) {
	for i := range r.Header {
		if isHost(r.Header[i].Name) {
			return
		}
	}
	r.Header = append(r.Header, Field{nameHost, r.Host})
}

// Presign appends to dst the query of a presigned URL for r: r.Query and the
// X-Amz-* parameters, without '?'. Headers in r.Header other than those of
// neverSigned become part of the signature and must be sent with the request.
// expires is rounded down to seconds; values outside 1 s..MaxPresignAge are
// signed all the same (tests want them).
func (g *Signer) Presign(dst []byte, r *Request, c Credential, region string, t time.Time, expires time.Duration) []byte {
	g.prepare(c, region, t)
	g.addHost(r)
	g.setNames(r.Header)
	start := len(dst)
	if len(r.Query) > 0 {
		dst = append(append(dst, r.Query...), '&')
	}
	dst = append(dst, queryAlgorithm+"="+algorithm+"&"+queryCredential+"="...)
	dst = AppendEncoded(dst, c.AccessKey, false)
	dst = AppendEncoded(append(dst, "%2F"...), g.scope, false)
	dst = append(append(dst, "&"+queryDate+"="...), g.date[:]...)
	dst = append(dst, "&"+queryExpires+"="...)
	dst = strconv.AppendInt(dst, int64(expires/time.Second), 10)
	dst = append(dst, "&"+querySignedHeaders+"="...)
	dst = AppendEncoded(dst, g.names, false)
	full := *r
	full.Query = dst[start:]
	g.s.setQuery(full.Query, true)
	g.sign(&full, unsignedPayload, true)
	dst = append(dst, "&"+querySignature+"="...)
	return append(dst, g.seed[:]...)
}

// Signature returns the hex signature of the last call. Valid until the next.
func (g *Signer) Signature() []byte { return g.seed[:] }
