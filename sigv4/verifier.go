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
// check. An error is a *Failure; of a request that is not signed (ErrNotSigned) a
// tells the payload nevertheless, for a caller that lets some of those in. No allocation for an accepted request once a's
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
		if f != errAnonymous {
			a.reset()
		}
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
	q.find(s)
	var c claim
	lifetime, f := a.readClaim(&c, h, &q)
	if f != nil {
		return f
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
	if !a.match(r, h, &c, cred) {
		return a.mismatch(r, h, &c)
	}
	a.AccessKey = cred.accessKey
	copy(a.seed[:], c.signature)
	return nil
}

// readClaim finds out how the request authenticates and reads what it claims,
// without believing it: Kind, time and claim are set.
func (a *Auth) readClaim(c *claim, h *heads, q *queryAuth) (lifetime time.Duration, f *Failure) {
	malformed := ErrAuthorizationHeaderMalformed
	switch {
	case h.twoAuth, len(h.authorization) > 0 && (q.presigned() || q.v2()):
		f = fail(ErrMultipleAuth, "a request must authenticate once, in the Authorization header or in the query")
	case len(h.authorization) > 0:
		a.Kind = HeaderAuth
		f = c.parseHeader(h.authorization)
	case q.presigned():
		a.Kind = PresignedAuth
		malformed = ErrAuthorizationQueryParameters
		lifetime, f = c.parseQuery(q, &a.scratch)
	case q.v2():
		f = fail(ErrSignatureVersion, "Signature Version 2 is not accepted, use AWS4-HMAC-SHA256")
	default:
		f = errAnonymous
	}
	if f != nil {
		return 0, f
	}
	if !a.scratch.splitNames(c.signed) {
		return 0, fail(malformed, "SignedHeaders must be header names separated by semicolons")
	}
	if !a.readTime(h, q) {
		if a.Kind == PresignedAuth {
			return 0, fail(malformed, "X-Amz-Date must have the form YYYYMMDDTHHMMSSZ")
		}
		return 0, fail(ErrMissingDate, "signing needs a valid x-amz-date or Date header")
	}
	if string(c.day) != string(a.date[:8]) {
		return 0, fail(malformed, "the date of the Credential is not that of the request")
	}
	return lifetime, nil
}

// readTime sets the time of signing: X-Amz-Date of a presigned URL, else
// x-amz-date, else Date.
func (a *Auth) readTime(h *heads, q *queryAuth) (ok bool) {
	var value []byte
	switch {
	case a.Kind == PresignedAuth:
		value = q.date
	case h.hasAmzDate:
		value = h.amzDate
	default:
		if a.Time, ok = parseDate(h.date); ok {
			appendISO(a.date[:0], a.Time)
		}
		return ok
	}
	copy(a.date[:], value)
	a.Time, ok = parseISO(value)
	return ok
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
