package sigv4

import "bytes"

var (
	unsignedPayload = []byte(nameUnsigned)
	emptyPayload    = []byte(emptySHA256)
)

// payloadLines returns the values that may stand in the canonical request's last
// line, the likelier first; the second is nil if there is no doubt.
func (a *Auth) payloadLines(h *heads, c *claim) (first, second []byte) {
	switch {
	case c.contentSHA256 != nil:
		return c.contentSHA256, unsignedPayload
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

// match looks for a reading of the request that has the claimed signature, and
// sets what follows from it.
func (a *Auth) match(r *Request, h *heads, c *claim, cred *credential) bool {
	s := &a.scratch
	key := cred.lookup(c.day, c.region)
	var fresh pads
	p := &fresh
	if key != nil {
		p = &key.pads
	} else {
		s.buf = fresh.derive(&cred.secret, c.day, c.region, s.buf)
	}
	line := a.tryForms(r, h, c, p)
	if line == nil && bytes.IndexByte(r.Query, '+') >= 0 {
		s.setQuery(r.Query, false)
		line = a.tryForms(r, h, c, p)
	}
	if line == nil {
		return false
	}
	if !h.hasContentSHA {
		if kind, ok := parsePayload(line, &a.SHA256); ok {
			a.Payload = kind
		}
	}
	if key == nil {
		key = cred.remember(c.day, c.region, p)
	}
	a.key = key
	return true
}

// tryForms compares the claimed signature with that of every form of the request
// and returns the payload line of the one that has it, or nil.
func (a *Auth) tryForms(r *Request, h *heads, c *claim, p *pads) []byte {
	s := &a.scratch
	var lines [2][]byte
	lines[0], lines[1] = a.payloadLines(h, c)
	var f form
	for {
		for f.host = hostAsSent; f.host < hostForms; f.host++ {
			for _, line := range lines {
				if line == nil || !s.build(r, f, c.signed, line, a.Kind == PresignedAuth, a.date[:], a.scope) {
					continue
				}
				var want [64]byte
				s.signature(p, &want)
				if equalHex(c.signature, &want) {
					return line
				}
			}
		}
		if f.recodePath || canonicalPath(r.Path) {
			return nil
		}
		f.recodePath = true
	}
}

// mismatch reports a signature that fits no form, with the texts of the first.
func (a *Auth) mismatch(r *Request, h *heads, c *claim) *Failure {
	s := &a.scratch
	f := fail(ErrSignatureDoesNotMatch, "")
	f.AccessKey = string(c.accessKey)
	f.SignatureProvided = string(c.signature)
	f.RequestTime = a.Time
	line, _ := a.payloadLines(h, c)
	s.setQuery(r.Query, true)
	s.build(r, form{}, c.signed, line, a.Kind == PresignedAuth, a.date[:], a.scope)
	f.CanonicalRequest = s.canonicalRequest()
	f.StringToSign = s.stringToSign()
	return f
}
