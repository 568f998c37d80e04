package server

import (
	"bytes"
	"time"

	"github.com/s3ultra/s3ultra/store"
)

// conditions are the conditional headers of a read, of a write (only the
// first two) or of a copy's source.
//
// Source: RFC 9110 section 13 and
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-requests.html
type conditions struct {
	ifMatch, ifNoneMatch               []byte
	ifModifiedSince, ifUnmodifiedSince []byte
}

func (r *request) readConditions() conditions {
	return conditions{
		ifMatch:           r.known[headerIfMatch],
		ifNoneMatch:       r.known[headerIfNoneMatch],
		ifModifiedSince:   r.known[headerIfModifiedSince],
		ifUnmodifiedSince: r.known[headerIfUnmodifiedSince],
	}
}

func (r *request) writeConditions() conditions {
	return conditions{ifMatch: r.known[headerIfMatch], ifNoneMatch: r.known[headerIfNoneMatch]}
}

// sourceConditions are the conditions on the source of a copy.
func (r *request) sourceConditions() conditions {
	return conditions{
		ifMatch:           r.header("x-amz-copy-source-if-match"),
		ifNoneMatch:       r.header("x-amz-copy-source-if-none-match"),
		ifModifiedSince:   r.header("x-amz-copy-source-if-modified-since"),
		ifUnmodifiedSince: r.header("x-amz-copy-source-if-unmodified-since"),
	}
}

func (c conditions) set() bool {
	return c.ifMatch != nil || c.ifNoneMatch != nil || c.ifModifiedSince != nil || c.ifUnmodifiedSince != nil
}

// check tells whether a write may replace old (nil: there is no object):
// If-Match on a missing object is NoSuchKey, every other refusal is
// PreconditionFailed.
func (c conditions) check(old *store.Object) error {
	if c.ifMatch != nil {
		if old == nil {
			return errNoSuchKey
		}
		if !matchETag(c.ifMatch, old.ETag) {
			return errPreconditionFailed.with("Condition", "If-Match")
		}
	}
	if c.ifNoneMatch != nil && old != nil && matchETag(c.ifNoneMatch, old.ETag) {
		return errPreconditionFailed.with("Condition", "If-None-Match")
	}
	return nil
}

// evaluate tells whether a read of o goes ahead: nil, errPreconditionFailed
// or errNotModified, in the order of RFC 9110 section 13.2.2.
func (c conditions) evaluate(o *store.Object) error {
	switch {
	case c.ifMatch != nil:
		if !matchETag(c.ifMatch, o.ETag) {
			return errPreconditionFailed.with("Condition", "If-Match")
		}
	case c.ifUnmodifiedSince != nil:
		if t, ok := parseHTTPTime(c.ifUnmodifiedSince); ok && o.ModTime/1000 > t.Unix() {
			return errPreconditionFailed.with("Condition", "If-Unmodified-Since")
		}
	}
	switch {
	case c.ifNoneMatch != nil:
		if matchETag(c.ifNoneMatch, o.ETag) {
			return errNotModified
		}
	case c.ifModifiedSince != nil:
		if t, ok := parseHTTPTime(c.ifModifiedSince); ok && o.ModTime/1000 <= t.Unix() {
			return errNotModified
		}
	}
	return nil
}

// evaluateSource is evaluate for the source of a copy, where "not modified"
// is a failed precondition too.
func (c conditions) evaluateSource(o *store.Object) error {
	err := c.evaluate(o)
	if err == errNotModified {
		return errPreconditionFailed.with("Condition", "x-amz-copy-source-If-None-Match")
	}
	return err
}

// writeCheck returns the write conditions as the store's check, nil if the
// request has none.
func (r *request) writeCheck() func(*store.Object) error {
	c := r.writeConditions()
	if !c.set() {
		return nil
	}
	return c.check
}

// matchETag reports whether a list of entity tags, quoted or not, weak or
// not, or "*", holds e.
func matchETag(list []byte, e store.ETag) bool {
	for len(list) > 0 {
		var item []byte
		if i := bytes.IndexByte(list, ','); i >= 0 {
			item, list = list[:i], list[i+1:]
		} else {
			item, list = list, nil
		}
		item = trimSpace(item)
		if len(item) == 1 && item[0] == '*' {
			return true
		}
		item = bytes.TrimPrefix(item, []byte("W/"))
		if tag, ok := store.ParseETag(item); ok && tag == e {
			return true
		}
	}
	return false
}

// parseHTTPTime reads the date forms of RFC 9110 section 5.6.7, and the XML
// form some SDKs send.
func parseHTTPTime(b []byte) (time.Time, bool) {
	for _, layout := range [...]string{httpTime, time.RFC850, time.ANSIC, time.RFC1123Z, time.RFC3339} {
		if t, err := time.Parse(layout, string(b)); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}
