package server

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// postPolicy is the policy document of a POST form: what its signer lets the
// form's holder upload.
//
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-HTTPPOSTConstructPolicy.html
type postPolicy struct {
	expiration time.Time
	conditions []policyCondition
	// The file's size in bytes, both ends included.
	minSize, maxSize int64
}

// policyCondition is one condition on a form field.
type policyCondition struct {
	field  string // lower case, without the dollar sign
	value  string
	prefix bool // starts-with instead of eq
}

// Members of the document. Unlike field names they are case-sensitive, which is
// why the document is decoded into maps: Go's struct decoding folds case.
const (
	policyExpiration = "expiration"
	policyConditions = "conditions"
)

// parsePostPolicy reads the base64 text of a policy. The error is
// errInvalidPolicyDocument with what is wrong.
func parsePostPolicy(text []byte) (*postPolicy, error) {
	doc, err := base64.StdEncoding.AppendDecode(nil, text)
	if err != nil {
		return nil, invalidPolicy("not base64").because(err)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(doc, &members); err != nil {
		return nil, invalidPolicy("invalid JSON").because(err)
	}
	p := &postPolicy{maxSize: maxPutSize}
	var expiration string
	switch raw, ok := members[policyExpiration]; {
	case !ok:
		return nil, invalidPolicy("it has no expiration")
	case json.Unmarshal(raw, &expiration) != nil:
		return nil, invalidPolicy("expiration must be a string")
	}
	if p.expiration, err = time.Parse(time.RFC3339, expiration); err != nil {
		return nil, invalidPolicy("expiration must be an ISO 8601 time such as 2030-12-01T12:00:00.000Z").because(err)
	}
	var list []json.RawMessage
	switch raw, ok := members[policyConditions]; {
	case !ok:
		return nil, invalidPolicy("it has no conditions")
	case json.Unmarshal(raw, &list) != nil || list == nil:
		return nil, invalidPolicy("conditions must be a list")
	}
	for _, raw := range list {
		if err := p.addCondition(raw); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func invalidPolicy(what string) *apiError {
	return errInvalidPolicyDocument.saying("Invalid Policy: " + what + ".")
}

// addCondition adds an element of the list: {"field": "value"} or an array that
// begins with the operator.
func (p *postPolicy) addCondition(raw json.RawMessage) error {
	var simple map[string]any
	if json.Unmarshal(raw, &simple) == nil && simple != nil {
		if len(simple) != 1 {
			return invalidPolicy("a condition in braces must have exactly one member")
		}
		for field, v := range simple {
			value, ok := v.(string)
			if !ok {
				return invalidPolicy("the value of a condition must be a string")
			}
			p.conditions = append(p.conditions, policyCondition{field: strings.ToLower(field), value: value})
		}
		return nil
	}
	var args []any
	// Numbers as they are written: a float64 would round large sizes.
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if d.Decode(&args) != nil || len(args) != 3 {
		return invalidPolicy("a condition must be an object of one member or an array of three")
	}
	operator, _ := args[0].(string)
	switch operator = strings.ToLower(operator); operator {
	case "eq", "starts-with":
		field, okField := args[1].(string)
		value, okValue := args[2].(string)
		field, okDollar := strings.CutPrefix(field, "$")
		if !okField || !okValue || !okDollar || field == "" {
			return invalidPolicy(operator + ` takes a field name that begins with "$" and a value, both strings`)
		}
		p.conditions = append(p.conditions, policyCondition{strings.ToLower(field), value, operator == "starts-with"})
	case "content-length-range":
		least, okLeast := policySize(args[1])
		most, okMost := policySize(args[2])
		if !okLeast || !okMost {
			return invalidPolicy("content-length-range takes two sizes in bytes")
		}
		p.minSize, p.maxSize = max(p.minSize, least), min(p.maxSize, most)
	default:
		return invalidPolicy("the operators are eq, starts-with and content-length-range")
	}
	return nil
}

// policySize reads a size, which may be written as a number or a string.
func policySize(v any) (int64, bool) {
	var text string
	switch v := v.(type) {
	case json.Number:
		text = v.String()
	case string:
		text = v
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil && n >= 0
}

// check tells whether a form sent to bucket is one that the policy allows: it
// has not expired, every condition holds and every field is under one. The
// error is errAccessDenied with the reason. The file's size is checked while it
// arrives, by checkMax and checkMin.
func (p *postPolicy) check(f *postForm, bucket string, now time.Time) error {
	if !now.Before(p.expiration) {
		return againstPolicy("Policy expired.")
	}
	covered := make(map[string]bool, len(p.conditions))
	for _, c := range p.conditions {
		covered[c.field] = true
		if !c.holds(f, bucket) {
			return againstPolicy("Policy Condition failed: " + c.String())
		}
	}
	// The bucket counts as a field, else a policy without it would open all
	// the signer's buckets.
	if !covered[fieldBucket] {
		return againstPolicy("Extra input fields: " + fieldBucket)
	}
	for _, field := range f.fields {
		name := string(field.Name)
		if !covered[name] && !exemptFromPolicy(name) {
			return againstPolicy("Extra input fields: " + name)
		}
	}
	return nil
}

func againstPolicy(what string) *apiError {
	return errAccessDenied.saying("Invalid according to Policy: " + what).because(errors.New(what))
}

// exemptFromPolicy reports fields that need no condition: the signature itself,
// what the server ignores, and checksums, which a signer cannot know.
func exemptFromPolicy(name string) bool {
	switch name {
	case fieldPolicy, fieldSignature, fieldAccessKeyV2, fieldSignatureV2, "x-amz-sdk-checksum-algorithm":
		return true
	}
	return strings.HasPrefix(name, ignoredFieldPrefix) || strings.HasPrefix(name, checksumHeaderPrefix)
}

// holds evaluates a condition. One on a field that the form lacks fails, also
// when it would hold for an empty value.
func (c *policyCondition) holds(f *postForm, bucket string) bool {
	value, ok := f.get(c.field)
	text := string(value)
	if c.field == fieldBucket {
		// What counts is the bucket that is written to.
		text, ok = bucket, true
	}
	switch {
	case !ok:
		return false
	case !c.prefix:
		return text == c.value
	case c.field == "content-type":
		// A list of types must satisfy the condition in every item (section
		// "Condition Matching" of the source above).
		for item := range strings.SplitSeq(text, ",") {
			if !strings.HasPrefix(strings.TrimSpace(item), c.value) {
				return false
			}
		}
		return true
	}
	return strings.HasPrefix(text, c.value)
}

// String returns the condition as the array that means it.
func (c *policyCondition) String() string {
	operator := "eq"
	if c.prefix {
		operator = "starts-with"
	}
	return fmt.Sprintf(`[%q, %q, %q]`, operator, "$"+c.field, c.value)
}

// checkMax refuses a file that has grown to size bytes so far.
func (p *postPolicy) checkMax(size int64) error {
	if size > p.maxSize {
		return errEntityTooLarge.
			with("ProposedSize", strconv.FormatInt(size, 10)).
			with("MaxSizeAllowed", strconv.FormatInt(p.maxSize, 10))
	}
	return nil
}

// checkMin refuses a whole file of size bytes.
func (p *postPolicy) checkMin(size int64) error {
	if size < p.minSize {
		return errEntityTooSmall.
			with("ProposedSize", strconv.FormatInt(size, 10)).
			with("MinSizeAllowed", strconv.FormatInt(p.minSize, 10))
	}
	return nil
}
