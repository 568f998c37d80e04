package sigv4

import (
	"bytes"
	"strconv"
	"time"
)

// Header names, lower case.
const (
	headerHost          = "host"
	headerAuthorization = "authorization"
	headerDate          = "date"
	headerAmzDate       = "x-amz-date"
	headerContentSHA256 = "x-amz-content-sha256"
	headerTrailer       = "x-amz-trailer"
	amzPrefix           = "x-amz-"
)

// Names of presigned query parameters. None has a byte that needs encoding, so
// they are compared with the recoded names.
const (
	queryAlgorithm     = "X-Amz-Algorithm"
	queryCredential    = "X-Amz-Credential"
	queryDate          = "X-Amz-Date"
	queryExpires       = "X-Amz-Expires"
	querySignedHeaders = "X-Amz-SignedHeaders"
	querySignature     = "X-Amz-Signature"
	queryContentSHA256 = "X-Amz-Content-Sha256"

	// Signature Version 2 in the query.
	queryV2AccessKey = "AWSAccessKeyId"
	queryV2Signature = "Signature"
)

// heads are the headers a verification looks at. Slices of the request.
type heads struct {
	authorization []byte
	date          []byte
	amzDate       []byte
	contentSHA256 []byte
	trailer       []byte
	hasAmzDate    bool
	hasContentSHA bool
	twoAuth       bool // a second Authorization header
}

// scanHeaders collects heads; of a repeated header the first one counts.
func scanHeaders(header []Field, h *heads) {
	for i := range header {
		name := header[i].Name
		// Length first: no other common header has these lengths, so most
		// headers cost one jump.
		switch len(name) {
		case len(headerDate):
			if h.date == nil && equalFoldString(name, headerDate) {
				h.date = trim(header[i].Value)
			}
		case len(headerAmzDate):
			if !h.hasAmzDate && equalFoldString(name, headerAmzDate) {
				h.amzDate, h.hasAmzDate = trim(header[i].Value), true
			}
		case len(headerAuthorization): // = len(headerTrailer)
			if equalFoldString(name, headerAuthorization) {
				v := trim(header[i].Value)
				h.twoAuth = h.twoAuth || len(v) > 0 && len(h.authorization) > 0
				if len(h.authorization) == 0 {
					h.authorization = v
				}
			} else if h.trailer == nil && equalFoldString(name, headerTrailer) {
				h.trailer = trim(header[i].Value)
			}
		case len(headerContentSHA256):
			if !h.hasContentSHA && equalFoldString(name, headerContentSHA256) {
				h.contentSHA256, h.hasContentSHA = trim(header[i].Value), true
			}
		}
	}
}

// claim is what a request says about its own signature. The slices belong to
// the request or to scratch.tmp.
type claim struct {
	accessKey, day, region []byte
	scope                  []byte // day/region/service/terminator
	signed                 []byte // SignedHeaders as received
	signature              []byte
	contentSHA256          []byte // X-Amz-Content-Sha256 of the query, nil if absent
}

// setCredential splits AKID/YYYYMMDD/REGION/s3/aws4_request, from the right
// since access keys may hold slashes. It returns what is wrong, or "".
func (c *claim) setCredential(v []byte) (reason string) {
	const shape = "the Credential must have the form AKID/YYYYMMDD/REGION/s3/aws4_request"
	var part [4][]byte // terminator, service, region, day
	rest := v
	for i := range part {
		j := bytes.LastIndexByte(rest, '/')
		if j < 0 {
			return shape
		}
		rest, part[i] = rest[:j], rest[j+1:]
	}
	if len(rest) == 0 {
		return shape
	}
	if string(part[0]) != terminator {
		return "the Credential must end in aws4_request"
	}
	if string(part[1]) != service {
		return "the Credential names another service, this endpoint is s3"
	}
	if len(part[2]) == 0 {
		return "the Credential names no region"
	}
	if !isDay(part[3]) {
		return "the Credential has a date that is not YYYYMMDD"
	}
	c.accessKey, c.region, c.day = rest, part[2], part[3]
	c.scope = v[len(rest)+1:]
	return ""
}

func isDay(b []byte) bool {
	if len(b) != 8 {
		return false
	}
	for _, c := range b {
		if c-'0' > 9 {
			return false
		}
	}
	return true
}

// parseHeader reads an Authorization header. The error is nil or a *Failure;
// as a concrete type it must not be returned through a nil interface.
func (c *claim) parseHeader(v []byte) *Failure {
	scheme, rest := v, []byte(nil)
	if i := bytes.IndexByte(v, ' '); i >= 0 {
		scheme, rest = v[:i], v[i+1:]
	}
	if string(scheme) != algorithm {
		switch {
		case string(scheme) == "AWS" && bytes.IndexByte(rest, ':') > 0:
			return fail(ErrSignatureVersion, "Signature Version 2 is not accepted, use AWS4-HMAC-SHA256")
		case bytes.HasPrefix(scheme, []byte("AWS4-")):
			return fail(ErrSignatureVersion, "only AWS4-HMAC-SHA256 is accepted")
		}
		return fail(ErrAuthorizationType, "the Authorization header is of an unknown type")
	}
	malformed := func(reason string) *Failure { return fail(ErrAuthorizationHeaderMalformed, reason) }
	var credential []byte
	for len(rest) > 0 {
		part := rest
		if i := bytes.IndexByte(rest, ','); i >= 0 {
			part, rest = rest[:i], rest[i+1:]
		} else {
			rest = nil
		}
		part = trim(part)
		if len(part) == 0 {
			continue
		}
		i := bytes.IndexByte(part, '=')
		if i < 0 {
			return malformed("a component of the Authorization header is not name=value")
		}
		var to *[]byte
		switch string(part[:i]) {
		case "Credential":
			to = &credential
		case "SignedHeaders":
			to = &c.signed
		case "Signature":
			to = &c.signature
		default:
			continue
		}
		if *to != nil {
			return malformed("a component of the Authorization header is repeated")
		}
		*to = part[i+1:]
	}
	switch {
	case len(credential) == 0:
		return malformed("the Authorization header has no Credential")
	case len(c.signed) == 0:
		return malformed("the Authorization header has no SignedHeaders")
	case len(c.signature) == 0:
		return malformed("the Authorization header has no Signature")
	}
	if reason := c.setCredential(credential); reason != "" {
		return malformed(reason)
	}
	return nil
}

// queryAuth are the query parameters of authentication, in canonical encoding,
// nil if absent.
type queryAuth struct {
	algorithm, credential, date, expires, signed, signature []byte
	contentSHA256                                           []byte
	v2Key, v2Signature                                      []byte
	repeated                                                bool
}

// presigned reports whether the query authenticates by Version 4.
func (q *queryAuth) presigned() bool {
	return q.algorithm != nil || q.signature != nil || q.credential != nil
}

// v2 reports whether the query authenticates by Version 2.
func (q *queryAuth) v2() bool { return q.v2Key != nil && q.v2Signature != nil }

// find collects q from the recoded query.
func (q *queryAuth) find(s *scratch) {
	for _, p := range s.params {
		name := s.paramName(p)
		var to *[]byte
		if len(name) > 6 && lower(name[0]) == 'x' {
			switch {
			case equalFoldString(name, queryAlgorithm):
				to = &q.algorithm
			case equalFoldString(name, queryCredential):
				to = &q.credential
			case equalFoldString(name, queryDate):
				to = &q.date
			case equalFoldString(name, queryExpires):
				to = &q.expires
			case equalFoldString(name, querySignedHeaders):
				to = &q.signed
			case equalFoldString(name, querySignature):
				to = &q.signature
			case equalFoldString(name, queryContentSHA256):
				to = &q.contentSHA256
			default:
				continue
			}
		} else if string(name) == queryV2AccessKey {
			to = &q.v2Key
		} else if string(name) == queryV2Signature {
			to = &q.v2Signature
		} else {
			continue
		}
		if *to != nil {
			q.repeated = true
		}
		*to = s.paramValue(p)
	}
}

// parseQuery reads the presigned parameters. lifetime is X-Amz-Expires.
func (c *claim) parseQuery(q *queryAuth, s *scratch) (lifetime time.Duration, f *Failure) {
	malformed := func(reason string) (time.Duration, *Failure) {
		return 0, fail(ErrAuthorizationQueryParameters, reason)
	}
	if q.algorithm != nil && string(q.algorithm) != algorithm {
		return 0, fail(ErrSignatureVersion, "X-Amz-Algorithm must be AWS4-HMAC-SHA256")
	}
	if q.repeated {
		return malformed("an authentication parameter is repeated")
	}
	if len(q.algorithm) == 0 || len(q.credential) == 0 || len(q.date) == 0 || len(q.expires) == 0 ||
		len(q.signed) == 0 || len(q.signature) == 0 {
		return malformed("a presigned URL needs X-Amz-Algorithm, X-Amz-Credential, X-Amz-Date, " +
			"X-Amz-Expires, X-Amz-SignedHeaders and X-Amz-Signature")
	}
	seconds, err := strconv.ParseInt(string(q.expires), 10, 64)
	switch {
	case err != nil:
		return 0, fail(ErrInvalidExpires, "X-Amz-Expires must be a number")
	case seconds < 0:
		return 0, fail(ErrInvalidExpires, "X-Amz-Expires must not be negative")
	case seconds > int64(MaxPresignAge/time.Second):
		return 0, fail(ErrInvalidExpires, "X-Amz-Expires must be at most a week, 604800 seconds")
	}
	// Everything moves to tmp, since enc is overwritten by another reading of
	// the query, and nothing is sliced before all is there: tmp moves as it grows.
	s.tmp = appendDecoded(s.tmp[:0], q.credential)
	i := len(s.tmp)
	s.tmp = appendDecoded(s.tmp, q.signed)
	j := len(s.tmp)
	s.tmp = append(s.tmp, q.signature...)
	k := len(s.tmp)
	s.tmp = append(s.tmp, q.contentSHA256...)
	c.signed, c.signature = s.tmp[i:j], s.tmp[j:k]
	if q.contentSHA256 != nil {
		c.contentSHA256 = s.tmp[k:]
	}
	if reason := c.setCredential(s.tmp[:i]); reason != "" {
		return malformed(reason)
	}
	return time.Duration(seconds) * time.Second, nil
}
