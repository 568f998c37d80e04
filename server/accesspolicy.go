package server

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// accessPolicy is a bucket's policy, as parsePolicy reads it.
//
// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucket-policies.html
type accessPolicy struct {
	statements []accessStatement
}

// accessStatement is one statement of a policy, as far as it concerns an
// anonymous request. The patterns may hold the wildcards * and ?.
type accessStatement struct {
	allow bool
	// anyone: the statement is for everybody, or, of NotPrincipal, for everybody
	// but some.
	anyone       bool
	actions      []string // lower case
	notActions   bool     // the actions are those it is not for
	resources    []string // "bucket", "bucket/key"
	notResources bool
	conditions   []accessCondition
	// unclear: something in it is beyond this server. Such a statement never
	// allows, and denies whatever the rest of it fits.
	unclear bool
}

// maxPolicySize is the most bytes that a policy may have.
// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/add-bucket-policy.html
const maxPolicySize = 20 << 10

// The members of a policy and of a statement. They are case-sensitive, which is
// why documents are decoded into maps.
var (
	policyMembers    = []string{"Version", "Id", "Statement"}
	statementMembers = []string{
		"Sid", "Effect", "Principal", "NotPrincipal", "Action", "NotAction", "Resource", "NotResource", "Condition",
	}
)

// variable is a policy variable such as ${aws:username}.
var variable = regexp.MustCompile(`\$\{[^}]*\}`)

func malformedPolicy(format string, args ...any) *apiError {
	return errMalformedPolicy.saying(fmt.Sprintf(format, args...))
}

// parsePolicy reads and checks the policy of a bucket. The error is
// errMalformedPolicy with what is wrong.
func parsePolicy(text []byte, bucket string) (*accessPolicy, error) {
	if len(text) > maxPolicySize {
		return nil, malformedPolicy("Policy exceeds the maximum allowed document size of %d bytes.", maxPolicySize)
	}
	members, err := parseMembers(text, policyMembers)
	if err != nil {
		return nil, err
	}
	if raw, ok := members["Version"]; ok {
		switch string(raw) {
		case `"2012-10-17"`, `"2008-10-17"`:
		default:
			return nil, malformedPolicy("The policy must contain a valid version string")
		}
	}
	raw, ok := members["Statement"]
	if !ok {
		return nil, malformedPolicy("Missing required field Statement")
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		list = []json.RawMessage{raw}
	}
	if len(list) == 0 {
		return nil, malformedPolicy("Could not parse the policy: Statement is empty!")
	}
	p := new(accessPolicy)
	for _, raw := range list {
		s, err := parseStatement(raw, bucket)
		if err != nil {
			return nil, err
		}
		p.statements = append(p.statements, s)
	}
	return p, nil
}

// parseMembers reads an object that may have these members only.
func parseMembers(text []byte, known []string) (map[string]json.RawMessage, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil || members == nil {
		return nil, malformedPolicy("Policies must be valid JSON and the first byte must be '{'").because(err)
	}
	for name := range members {
		if !slices.Contains(known, name) {
			return nil, malformedPolicy("Unknown field %s", name)
		}
	}
	return members, nil
}

func parseStatement(text []byte, bucket string) (s accessStatement, err error) {
	members, err := parseMembers(text, statementMembers)
	if err != nil {
		return s, err
	}
	switch raw := members["Effect"]; string(raw) {
	case `"Allow"`:
		s.allow = true
	case `"Deny"`:
	case "":
		return s, malformedPolicy("Missing required field Effect")
	default:
		return s, malformedPolicy("Invalid effect: %s", raw)
	}
	if err := s.parsePrincipal(members); err != nil {
		return s, err
	}
	var raw json.RawMessage
	if raw, s.notActions, err = oneOf(members, "Action", "NotAction"); err != nil {
		return s, err
	}
	if s.actions, err = parseStrings(raw, "Action"); err != nil {
		return s, err
	}
	if raw, s.notResources, err = oneOf(members, "Resource", "NotResource"); err != nil {
		return s, err
	}
	if s.resources, err = parseStrings(raw, "Resource"); err != nil {
		return s, err
	}
	if err := s.checkResources(bucket); err != nil {
		return s, err
	}
	if err := s.checkActions(); err != nil {
		return s, err
	}
	if raw, ok := members["Condition"]; ok {
		return s, s.parseConditions(raw)
	}
	return s, nil
}

// oneOf returns the one of two members that a statement has.
func oneOf(members map[string]json.RawMessage, name, negated string) (raw json.RawMessage, not bool, err error) {
	raw, ok := members[name]
	notRaw, not := members[negated]
	switch {
	case ok && not:
		return nil, false, malformedPolicy("Statement has both %s and %s", name, negated)
	case not:
		return notRaw, true, nil
	case !ok:
		return nil, false, malformedPolicy("Missing required field %s", name)
	}
	return raw, false, nil
}

// parseStrings reads a string or a list of at least one.
func parseStrings(raw json.RawMessage, what string) (list []string, err error) {
	var one string
	if json.Unmarshal(raw, &one) == nil && string(raw) != "null" {
		return []string{one}, nil
	}
	if json.Unmarshal(raw, &list) != nil || len(list) == 0 {
		return nil, malformedPolicy("%s must be a string or a list of strings", what)
	}
	return list, nil
}

// parsePrincipal finds out whether the statement is for everybody. Other
// principals are believed to exist; no anonymous request is theirs.
func (s *accessStatement) parsePrincipal(members map[string]json.RawMessage) error {
	raw, not, err := oneOf(members, "Principal", "NotPrincipal")
	if err != nil {
		return err
	}
	everyone := false
	var star string
	if json.Unmarshal(raw, &star) == nil {
		if star != "*" {
			return malformedPolicy("Invalid principal in policy")
		}
		everyone = true
	} else {
		kinds, err := parseMembers(raw, []string{"AWS", "CanonicalUser", "Federated", "Service"})
		if err != nil || len(kinds) == 0 {
			return malformedPolicy("Invalid principal in policy")
		}
		for kind, raw := range kinds {
			names, err := parseStrings(raw, "Principal")
			if err != nil {
				return err
			}
			everyone = everyone || kind == "AWS" && slices.Contains(names, "*")
		}
	}
	if not && s.allow {
		return malformedPolicy("Allow with NotPrincipal is not allowed.")
	}
	// Everybody but everybody is nobody; everybody but others is also the
	// anonymous.
	s.anyone = everyone != not
	return nil
}

// checkResources strips the resources of their ARN prefix and refuses those of
// other buckets.
func (s *accessStatement) checkResources(bucket string) error {
	for i, arn := range s.resources {
		fields := strings.SplitN(arn, ":", 6)
		if len(fields) != 6 || fields[0] != "arn" || !slices.Contains([]string{"aws", "aws-cn", "aws-us-gov"}, fields[1]) ||
			fields[2] != "s3" || fields[3] != "" || fields[4] != "" {
			return malformedPolicy("Policy has invalid resource").with("Detail", arn)
		}
		name, _, _ := strings.Cut(fields[5], "/")
		if !matchWildcard(name, []byte(bucket)) {
			return malformedPolicy("Policy has invalid resource").with("Detail", arn)
		}
		s.resources[i] = fields[5]
		if variable.MatchString(fields[5]) {
			// Policy variables speak of the caller, whom nobody knows: what may be
			// meant is denied, and nothing is excepted from that.
			s.unclear = true
			s.resources[i] = variable.ReplaceAllString(fields[5], "*")
			if s.notResources {
				s.resources[i] = ""
			}
		}
	}
	return nil
}

// checkActions refuses actions that S3 does not have, and a statement of which
// an action has no resource that it could be done to.
func (s *accessStatement) checkActions() error {
	buckets := slices.ContainsFunc(s.resources, func(r string) bool { return !strings.Contains(r, "/") })
	objects := slices.ContainsFunc(s.resources, func(r string) bool { return strings.ContainsAny(r, "/*") })
	for i, action := range s.actions {
		pattern := string(appendLower(nil, action))
		s.actions[i] = pattern
		if pattern == "*" {
			continue
		}
		known, fits := false, false
		for _, a := range bucketActions {
			if matchWildcard(pattern, []byte(a)) {
				known, fits = true, fits || buckets
			}
		}
		for _, a := range objectActions {
			if matchWildcard(pattern, []byte(a)) {
				known, fits = true, fits || objects
			}
		}
		if !known {
			return malformedPolicy("Policy has invalid action").with("Detail", action)
		}
		if !fits && !s.notActions && !s.notResources {
			return malformedPolicy("Action does not apply to any resource(s) in statement").with("Detail", action)
		}
	}
	return nil
}

// isPublic tells whether the policy lets anybody in, as far as AWS's own
// measure goes: a condition on where a request comes from makes it private.
//
// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/access-control-block-public-access.html
func (p *accessPolicy) isPublic() bool {
	return slices.ContainsFunc(p.statements, func(s accessStatement) bool {
		return s.allow && s.anyone && !slices.ContainsFunc(s.conditions, accessCondition.restricts)
	})
}
