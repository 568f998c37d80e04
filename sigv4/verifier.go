package sigv4

import (
	"bytes"
	"errors"
	"fmt"
	"time"
)

// Config configures a Verifier. With no Credentials, or with SkipVerify,
// every request is accepted: only its payload mode is read.
type Config struct {
	Credentials []Credential
	SkipVerify  bool
	MaxSkew     time.Duration // allowed distance of the client's clock, both ways; 0 = any
}

// Verifier checks signatures. It is immutable but for a cache of signing keys,
// and safe for concurrent use.
type Verifier struct {
	credentials map[string]*credential
	open        bool // accept everything
	maxSkew     time.Duration
}

// NewVerifier returns a Verifier, or an error if a key pair is incomplete,
// repeated, or has bytes no client could send.
func NewVerifier(c Config) (*Verifier, error) {
	if c.MaxSkew < 0 {
		return nil, errors.New("cannot use a negative clock skew")
	}
	v := &Verifier{
		credentials: make(map[string]*credential, len(c.Credentials)),
		open:        c.SkipVerify || len(c.Credentials) == 0,
		maxSkew:     c.MaxSkew,
	}
	for i, cred := range c.Credentials {
		if cred.AccessKey == "" || cred.SecretKey == "" {
			return nil, fmt.Errorf("cannot use credential %d: access key or secret key is empty", i+1)
		}
		for _, b := range []byte(cred.AccessKey) {
			// A comma ends the Credential component of the header.
			if b <= ' ' || b >= 0x7f || b == ',' {
				return nil, fmt.Errorf("cannot use access key %q: byte %q is not allowed", cred.AccessKey, b)
			}
		}
		if v.credentials[cred.AccessKey] != nil {
			return nil, fmt.Errorf("cannot use access key %q twice", cred.AccessKey)
		}
		v.credentials[cred.AccessKey] = newCredential(cred)
	}
	return v, nil
}

// Verify checks the authentication of r as of now and fills a, which is reset
// first. It needs only the headers, so it runs before the body is read; whether
// the body is what was promised is for the caller (Auth.SHA256) or a Decoder to
// check. An error is a *Failure. No allocation for an accepted request once a's
// scratch has grown to the size of the requests.
//
// Where clients are known to differ, the bytes as received are tried first, then
// the other readings: the path decoded and encoded once, '+' in the query as a
// literal plus, the host with or without its default port.
func (v *Verifier) Verify(a *Auth, r *Request, now time.Time) error {
	last := a.AccessKey
	a.reset()
	var h heads
	scanHeaders(r.Header, &h)
	if h.hasContentSHA {
		p, ok := parsePayload(h.contentSHA256, &a.SHA256)
		if !ok {
			return fail(ErrInvalidContentSHA256, "x-amz-content-sha256 must be UNSIGNED-PAYLOAD, "+
				"a STREAMING- mode or the 64 hex digits of a SHA-256")
		}
		a.Payload = p
	}
	a.trailers = appendLower(a.trailers, h.trailer)
	if v.open {
		a.accept(r, &h, last)
		return nil
	}
	if f := v.verify(a, r, &h, now); f != nil {
		a.reset()
		return f
	}
	return nil
}

// accept notes who the request claims to be without checking it. last is the
// access key of the request before: mostly the same, then nothing is allocated.
func (a *Auth) accept(r *Request, h *heads, last string) {
	var c claim
	if len(h.authorization) > 0 {
		if c.parseHeader(h.authorization) != nil {
			return
		}
		a.Kind = HeaderAuth
	} else {
		if !bytes.Contains(r.Query, []byte("X-Amz-Credential=")) {
			return
		}
		var q queryAuth
		a.scratch.setQuery(r.Query, true)
		q.find(&a.scratch)
		if _, f := c.parseQuery(&q, &a.scratch); f != nil {
			return
		}
		a.Kind = PresignedAuth
		if a.Payload == PayloadUnspecified {
			a.Payload = PayloadUnsigned
		}
	}
	if string(c.accessKey) != last {
		last = string(c.accessKey)
	}
	a.AccessKey = last
}

func (v *Verifier) verify(a *Auth, r *Request, h *heads, now time.Time) *Failure {
	s := &a.scratch
	var q queryAuth
	s.setQuery(r.Query, true)
	if len(s.params) > 0 {
		q.find(s)
	}
	var (
		c        claim
		lifetime time.Duration
		f        *Failure
	)
	switch {
	case h.twoAuth, len(h.authorization) > 0 && (q.presigned() || q.v2()):
		return fail(ErrMultipleAuth, "a request must authenticate once, in the Authorization header or in the query")
	case len(h.authorization) > 0:
		a.Kind = HeaderAuth
		f = c.parseHeader(h.authorization)
	case q.presigned():
		a.Kind = PresignedAuth
		lifetime, f = c.parseQuery(&q, s)
	case q.v2():
		return fail(ErrSignatureVersion, "Signature Version 2 is not accepted, use AWS4-HMAC-SHA256")
	default:
		return fail(ErrAccessDenied, "the request is not signed")
	}
	if f != nil {
		return f
	}
	malformed := ErrAuthorizationHeaderMalformed
	if a.Kind == PresignedAuth {
		malformed = ErrAuthorizationQueryParameters
	}
	if !s.splitNames(c.signed) {
		return fail(malformed, "SignedHeaders must be header names separated by semicolons")
	}

	var ok bool
	switch {
	case a.Kind == PresignedAuth:
		if a.Time, ok = parseISO(q.date); !ok {
			return fail(malformed, "X-Amz-Date must have the form YYYYMMDDTHHMMSSZ")
		}
		copy(a.date[:], q.date)
	case h.hasAmzDate:
		a.Time, ok = parseISO(h.amzDate)
		copy(a.date[:], h.amzDate)
	default:
		a.Time, ok = parseDate(h.date)
		appendISO(a.date[:0], a.Time)
	}
	if !ok {
		return fail(ErrMissingDate, "signing needs a valid x-amz-date or Date header")
	}
	if string(c.day) != string(a.date[:8]) {
		return fail(malformed, "the date of the Credential is not that of the request")
	}

	cred := v.credentials[string(c.accessKey)]
	if cred == nil {
		f := fail(ErrInvalidAccessKeyID, "")
		f.AccessKey = string(c.accessKey)
		return f
	}
	if f := v.checkTime(a, now, lifetime); f != nil {
		return f
	}
	if f := checkSigned(s, r.Header); f != nil {
		return f
	}
	a.scope = append(a.scope, c.scope...)
	if !v.match(a, r, h, &q, &c, cred) {
		return mismatch(a, r, h, &q, &c)
	}
	a.AccessKey = cred.accessKey
	copy(a.seed[:], c.signature)
	return nil
}

// checkTime compares the time of signing with the clock.
func (v *Verifier) checkTime(a *Auth, now time.Time, lifetime time.Duration) *Failure {
	age := now.Sub(a.Time)
	var cause error
	switch {
	case a.Kind == HeaderAuth:
		if v.maxSkew > 0 && (age > v.maxSkew || age < -v.maxSkew) {
			cause = ErrRequestTimeTooSkewed
		}
	// A life of 0 seconds is over at once, even within the second of signing.
	case age > lifetime || lifetime == 0:
		cause = ErrRequestExpired
	case v.maxSkew > 0 && age < -v.maxSkew:
		cause = ErrRequestNotYetValid
	}
	if cause == nil {
		return nil
	}
	f := &Failure{Err: cause, RequestTime: a.Time, ServerTime: now, MaxSkew: v.maxSkew}
	if a.Kind == PresignedAuth {
		f.Lifetime = lifetime
		f.Expires = a.Time.Add(lifetime)
	}
	return f
}

// checkSigned refuses a request whose signature leaves out host or an x-amz-*
// header. x-amz-content-sha256 may be left out, as in AWS: its value is the last
// line of the canonical request anyway.
func checkSigned(s *scratch, header []Field) *Failure {
	missing := ""
	if !s.signs([]byte(headerHost)) {
		missing = headerHost
	}
	for i := range header {
		name := header[i].Name
		if len(name) <= len(amzPrefix) || lower(name[0]) != 'x' || !equalFoldString(name[:len(amzPrefix)], amzPrefix) ||
			s.signs(name) || equalFoldString(name, headerContentSHA256) {
			continue
		}
		if missing != "" {
			missing += ", "
		}
		missing += string(appendLower(nil, name))
	}
	if missing == "" {
		return nil
	}
	f := fail(ErrHeadersNotSigned, "there are headers in the request that are not signed")
	f.HeadersNotSigned = missing
	return f
}

var (
	unsignedPayload = []byte(nameUnsigned)
	emptyPayload    = []byte(emptySHA256)
)

// payloadLines returns the values that may stand in the canonical request's last
// line, the likelier first; the second is nil if there is no doubt.
func payloadLines(a *Auth, h *heads, q *queryAuth) (first, second []byte) {
	switch {
	case a.Kind == PresignedAuth && q.contentSHA256 != nil:
		return q.contentSHA256, unsignedPayload
	case a.Kind == PresignedAuth && h.hasContentSHA:
		return h.contentSHA256, unsignedPayload
	case a.Kind == PresignedAuth:
		return unsignedPayload, nil
	case h.hasContentSHA:
		return h.contentSHA256, nil
	}
	// Generic SigV4 signers send no x-amz-content-sha256 and sign the digest of
	// the (absent) body.
	return emptyPayload, unsignedPayload
}

// match tries the forms of the request until one has the claimed signature, and
// sets a.key.
func (v *Verifier) match(a *Auth, r *Request, h *heads, q *queryAuth, c *claim, cred *credential) bool {
	s := &a.scratch
	key := cred.lookup(c.day, c.region)
	var fresh pads
	p := &fresh
	if key != nil {
		p = &key.pads
	} else {
		s.buf = fresh.derive(&cred.secret, c.day, c.region, s.buf)
	}
	first, second := payloadLines(a, h, q)
	try := func(f form, payload []byte) bool {
		if !s.build(r, f, c.signed, payload, a.Kind == PresignedAuth, a.date[:], a.scope) {
			return false
		}
		var want [64]byte
		s.signature(p, &want)
		return equalHex(c.signature, &want)
	}
	tryAll := func() bool {
		for recode := range 2 {
			if recode == 1 && canonicalPath(r.Path) {
				break
			}
			for host := range hostForms {
				f := form{recodePath: recode == 1, host: host}
				if try(f, first) {
					return true
				}
				if second != nil && try(f, second) {
					first = second
					return true
				}
			}
		}
		return false
	}
	matched := tryAll()
	if !matched && bytes.IndexByte(r.Query, '+') >= 0 {
		// The claim of a presigned URL lives in the recoded query: parse the
		// other reading apart from it.
		sig := append([]byte(nil), c.signature...)
		c.signature = sig
		first, second = append([]byte(nil), first...), append([]byte(nil), second...)
		if len(second) == 0 {
			second = nil
		}
		s.setQuery(r.Query, false)
		matched = tryAll()
	}
	if !matched {
		return false
	}
	if !h.hasContentSHA {
		a.settlePayload(first)
	}
	if key == nil {
		key = cred.remember(c.day, c.region, p)
	}
	a.key = key
	return true
}

// settlePayload sets the payload kind of a request without the header from the
// line its signature was found to hold.
func (a *Auth) settlePayload(line []byte) {
	if p, ok := parsePayload(line, &a.SHA256); ok {
		a.Payload = p
	}
}

// mismatch reports a signature that fits no form, with the texts of the first.
func mismatch(a *Auth, r *Request, h *heads, q *queryAuth, c *claim) *Failure {
	s := &a.scratch
	f := fail(ErrSignatureDoesNotMatch, "")
	f.AccessKey = string(c.accessKey)
	f.SignatureProvided = string(c.signature)
	f.RequestTime = a.Time
	// The query may be in its second reading and q may lie in its memory.
	presigned := a.Kind == PresignedAuth
	s.setQuery(r.Query, true)
	*q = queryAuth{}
	q.find(s)
	first, _ := payloadLines(a, h, q)
	s.build(r, form{}, c.signed, first, presigned, a.date[:], a.scope)
	f.CanonicalRequest = s.canonicalRequest()
	f.StringToSign = s.stringToSign()
	return f
}
