package server

import (
	"encoding/json"
	"net/netip"
	"slices"
	"strings"
)

// accessCondition is one condition of a policy's statement: a key of the
// request compared with some values, of which one must fit.
//
// Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html
type accessCondition struct {
	test     conditionTest
	key      string // lower case
	values   []string
	networks []netip.Prefix // of conditionAddress
	negated  bool           // no value may fit
	ifExists bool           // a request without the key passes
}

type conditionTest uint8

const (
	conditionEquals conditionTest = iota
	conditionEqualsFold
	conditionLike
	conditionBool
	conditionAddress
	conditionNull // whether the key is missing
	conditionOther
)

// conditionOperators are the operators by name, without "Not" and "IfExists".
// Those of conditionOther are real ones that this server does not evaluate.
var conditionOperators = map[string]conditionTest{
	"StringEquals": conditionEquals, "StringEqualsIgnoreCase": conditionEqualsFold, "StringLike": conditionLike,
	"Bool": conditionBool, "IpAddress": conditionAddress, "Null": conditionNull,
	"ArnEquals": conditionOther, "ArnLike": conditionOther, "BinaryEquals": conditionOther,
	"NumericEquals": conditionOther, "NumericLessThan": conditionOther, "NumericLessThanEquals": conditionOther,
	"NumericGreaterThan": conditionOther, "NumericGreaterThanEquals": conditionOther,
	"DateEquals": conditionOther, "DateLessThan": conditionOther, "DateLessThanEquals": conditionOther,
	"DateGreaterThan": conditionOther, "DateGreaterThanEquals": conditionOther,
}

// The keys that conditions are evaluated on, in lower case.
const (
	keyPrefix          = "s3:prefix"
	keyDelimiter       = "s3:delimiter"
	keySourceIP        = "aws:sourceip"
	keySecureTransport = "aws:securetransport"
	keyReferer         = "aws:referer"
	keyUserAgent       = "aws:useragent"
)

// restrictingKeys are those that make a statement for everybody private.
// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/access-control-block-public-access.html
var restrictingKeys = []string{
	keySourceIP, "aws:sourcearn", "aws:sourcevpc", "aws:sourcevpce", "aws:sourceowner", "aws:sourceaccount",
	"aws:userid", "aws:principalorgid", "aws:principalorgpaths", "aws:principalaccount", "aws:principalarn",
	"s3:x-amz-server-side-encryption-aws-kms-key-id", "s3:dataaccesspointarn", "s3:dataaccesspointaccount",
}

func (s *accessStatement) parseConditions(raw json.RawMessage) error {
	var operators map[string]map[string]json.RawMessage
	if err := json.Unmarshal(raw, &operators); err != nil {
		return malformedPolicy("Condition must be an object of objects").because(err)
	}
	for name, keys := range operators {
		test, negated, ifExists, ok := parseOperator(name)
		if !ok {
			return malformedPolicy("Invalid Condition type : %s", name)
		}
		for key, raw := range keys {
			c := accessCondition{test: test, negated: negated, ifExists: ifExists, key: string(appendLower(nil, key))}
			if !strings.HasPrefix(c.key, "s3:") && !strings.HasPrefix(c.key, "aws:") {
				return malformedPolicy("Policy has an invalid condition key").with("Detail", key)
			}
			if err := c.parseValues(raw); err != nil {
				return err
			}
			s.unclear = s.unclear || !c.clear()
			s.conditions = append(s.conditions, c)
		}
	}
	return nil
}

// parseOperator splits the name of an operator.
func parseOperator(name string) (test conditionTest, negated, ifExists, ok bool) {
	if set, rest, found := strings.Cut(name, ":"); found {
		// A set of values has no meaning for the keys that are known here.
		_, _, _, ok := parseOperator(rest)
		return conditionOther, false, false, ok && (set == "ForAnyValue" || set == "ForAllValues")
	}
	name, ifExists = strings.CutSuffix(name, "IfExists")
	if test, ok = conditionOperators[name]; ok {
		return test, false, ifExists, !ifExists || test != conditionNull
	}
	for _, kind := range [...]string{"String", "Ip", "Arn", "Numeric", "Date"} {
		rest, found := strings.CutPrefix(name, kind+"Not")
		if !found {
			continue
		}
		test, ok = conditionOperators[kind+rest]
		return test, true, ifExists, ok
	}
	if name == "NotIpAddress" {
		return conditionAddress, true, ifExists, true
	}
	return 0, false, false, false
}

// parseValues reads strings, numbers or truth values, one or a list.
func (c *accessCondition) parseValues(raw json.RawMessage) error {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil || string(raw) == "null" {
		list = []json.RawMessage{raw}
	}
	for _, raw := range list {
		var text string
		if json.Unmarshal(raw, &text) != nil || string(raw) == "null" {
			text = string(raw)
			if text == "" || strings.ContainsAny(text[:1], "{[n") {
				return malformedPolicy("Condition values must be strings").with("Detail", c.key)
			}
		}
		c.values = append(c.values, text)
	}
	if c.test != conditionAddress {
		return nil
	}
	for _, text := range c.values {
		network, err := parseNetwork(text)
		if err != nil {
			return malformedPolicy("Invalid IP address in Conditions").with("Detail", text)
		}
		c.networks = append(c.networks, network)
	}
	return nil
}

// parseNetwork reads a network, or an address, which is one of its own.
func parseNetwork(text string) (netip.Prefix, error) {
	if strings.Contains(text, "/") {
		return netip.ParsePrefix(text)
	}
	a, err := netip.ParseAddr(text)
	if err != nil {
		return netip.Prefix{}, err
	}
	return a.Prefix(a.BitLen())
}

// clear tells whether this server can evaluate the condition.
func (c *accessCondition) clear() bool {
	variable := slices.ContainsFunc(c.values, func(v string) bool { return strings.Contains(v, "${") })
	switch c.key {
	case keySourceIP:
		return c.test == conditionAddress || c.test == conditionNull
	case keySecureTransport:
		return c.test == conditionBool || c.test == conditionNull
	case keyPrefix, keyDelimiter, keyReferer, keyUserAgent:
		return !variable && (c.test <= conditionLike || c.test == conditionNull)
	}
	return false
}

// restricts tells whether the condition makes a statement for everybody private.
func (c accessCondition) restricts() bool {
	if c.negated || c.ifExists || c.test == conditionNull || !slices.Contains(restrictingKeys, c.key) {
		return false
	}
	if c.test == conditionAddress {
		// As AWS: a network of more than an eighth of the addresses is public.
		return !slices.ContainsFunc(c.networks, func(n netip.Prefix) bool { return n.Bits() < 8 })
	}
	return !slices.ContainsFunc(c.values, func(v string) bool { return strings.ContainsAny(v, "*?") })
}

// holds evaluates the condition for r.
func (c *accessCondition) holds(r *request) bool {
	if c.key == keySourceIP {
		if c.test == conditionNull {
			return c.wantsNull(true)
		}
		ip := r.remoteAddr()
		return slices.ContainsFunc(c.networks, func(n netip.Prefix) bool { return n.Contains(ip) }) != c.negated
	}
	value, ok := r.conditionValue(c.key)
	switch {
	case c.test == conditionNull:
		return c.wantsNull(ok)
	case !ok:
		return c.negated || c.ifExists
	}
	return slices.ContainsFunc(c.values, func(v string) bool {
		switch c.test {
		case conditionEquals:
			return v == string(value)
		case conditionLike:
			return matchWildcard(v, value)
		}
		return strings.EqualFold(v, string(value))
	}) != c.negated
}

// wantsNull evaluates the operator Null.
func (c *accessCondition) wantsNull(exists bool) bool {
	want := "true"
	if exists {
		want = "false"
	}
	return slices.Contains(c.values, want)
}

// conditionValue is the request's value of a condition key.
func (r *request) conditionValue(key string) (value []byte, ok bool) {
	switch key {
	case keyPrefix:
		return r.target.param("prefix")
	case keyDelimiter:
		return r.target.param("delimiter")
	case keySecureTransport:
		return []byte("false"), true // there is no TLS here
	case keyReferer:
		value = r.header("referer")
	case keyUserAgent:
		value = r.header("user-agent")
	}
	return value, value != nil
}

// remoteAddr is the address of the client, or of the proxy in front of it.
func (r *request) remoteAddr() netip.Addr {
	a, _ := netip.ParseAddrPort(r.ctx.RemoteAddr().String())
	return a.Addr().Unmap()
}
