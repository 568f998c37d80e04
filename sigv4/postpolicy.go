package sigv4

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"time"
)

// ErrPolicyFields: the signature fields of a POST form cannot be read. S3 code
// InvalidArgument; Failure.Reason names the field.
var ErrPolicyFields = errors.New("signature fields of the form malformed")

// PolicyForm holds what signs a POST form: the policy and either the fields of
// Signature Version 4 or the two of Version 2. A nil slice is an absent field.
type PolicyForm struct {
	Policy []byte // base64 as received: this text is what is signed

	Algorithm  []byte // x-amz-algorithm
	Credential []byte // x-amz-credential
	Date       []byte // x-amz-date
	Signature  []byte // x-amz-signature

	AccessKeyV2 []byte // AWSAccessKeyId
	SignatureV2 []byte // signature
}

// PolicyVerifier checks the signatures of POST forms. It is immutable and safe
// for concurrent use.
//
// It is apart from Verifier because Version 2 needs the secret itself, and
// because a form is rare: its signing key is derived anew every time (four
// HMACs, a microsecond or two).
type PolicyVerifier struct {
	secrets map[string]string
	open    bool
}

// NewPolicyVerifier returns a PolicyVerifier for credentials that NewVerifier
// has accepted. MaxSkew is not used: a policy is signed long before the form is
// sent, and has its own expiration.
func NewPolicyVerifier(c Config) *PolicyVerifier {
	v := &PolicyVerifier{
		secrets: make(map[string]string, len(c.Credentials)),
		open:    c.SkipVerify || len(c.Credentials) == 0,
	}
	for _, cred := range c.Credentials {
		v.secrets[cred.AccessKey] = cred.SecretKey
	}
	return v
}

// Open reports whether every form is accepted, also one without a policy: no
// credentials are configured or verification is off.
func (v *PolicyVerifier) Open() bool { return v.open }

// Verify checks the signature over the policy of f; what the policy says is for
// the caller to check. An error is a *Failure: ErrNotSigned (nothing is
// signed), ErrPolicyFields, ErrSignatureVersion, ErrInvalidAccessKeyID,
// ErrSignatureDoesNotMatch. It keeps no reference to f.
//
// Sources: the Amazon S3 API reference, "Authenticating Requests: Browser-Based
// Uploads Using POST (AWS Signature Version 4)"; for Version 2 the developer
// guide of API version 2006-03-01, "Browser-Based Uploads Using POST".
func (v *PolicyVerifier) Verify(f *PolicyForm) error {
	if v.open {
		return nil
	}
	v4 := f.Algorithm != nil || f.Credential != nil || f.Signature != nil
	v2 := f.AccessKeyV2 != nil || f.SignatureV2 != nil
	var failure *Failure
	switch {
	case f.Policy == nil && !v4 && !v2:
		failure = errAnonymous
	case f.Policy == nil:
		failure = missingField("policy")
	case v4:
		failure = v.verifyV4(f)
	default:
		failure = v.verifyV2(f)
	}
	if failure != nil {
		return failure
	}
	return nil
}

func missingField(name string) *Failure {
	return fail(ErrPolicyFields, "Bucket POST must contain a field named '"+name+"'.")
}

func (v *PolicyVerifier) verifyV4(f *PolicyForm) *Failure {
	for _, field := range [...]struct {
		name  string
		value []byte
	}{
		{"x-amz-algorithm", f.Algorithm},
		{"x-amz-credential", f.Credential},
		{"x-amz-date", f.Date},
		{"x-amz-signature", f.Signature},
	} {
		if field.value == nil {
			return missingField(field.name)
		}
	}
	if string(f.Algorithm) != algorithm {
		return fail(ErrSignatureVersion, "x-amz-algorithm must be "+algorithm)
	}
	var c claim
	if reason := c.setCredential(f.Credential); reason != "" {
		return fail(ErrPolicyFields, reason)
	}
	if _, ok := parseISO(f.Date); !ok {
		return fail(ErrPolicyFields, "x-amz-date must have the form YYYYMMDDTHHMMSSZ")
	}
	if string(f.Date[:8]) != string(c.day) {
		return fail(ErrPolicyFields, "the date of the Credential is not that of the form")
	}
	secret, ok := v.secrets[string(c.accessKey)]
	if !ok {
		return unknownKey(c.accessKey)
	}
	var want [2 * sha256.Size]byte
	signPolicy(&want, secret, c.day, c.region, f.Policy)
	if !equalHex(f.Signature, &want) {
		return policyMismatch(c.accessKey, f.Signature, f.Policy)
	}
	return nil
}

// signPolicy sets out to the hex signature of a policy's base64 text.
func signPolicy(out *[2 * sha256.Size]byte, secret string, day, region, policy []byte) {
	var root, key pads
	root.set([]byte("AWS4" + secret))
	buf := key.derive(&root, day, region, nil)
	var pad [blockSize]byte
	buf = append(append(buf[:0], pad[:]...), policy...)
	sum := key.sum(buf)
	encodeHex(out[:], sum[:])
}

func (v *PolicyVerifier) verifyV2(f *PolicyForm) *Failure {
	if f.AccessKeyV2 == nil {
		return missingField("AWSAccessKeyId")
	}
	if f.SignatureV2 == nil {
		return missingField("signature")
	}
	secret, ok := v.secrets[string(f.AccessKeyV2)]
	if !ok {
		return unknownKey(f.AccessKeyV2)
	}
	if !hmac.Equal(f.SignatureV2, appendPolicyV2(nil, secret, f.Policy)) {
		return policyMismatch(f.AccessKeyV2, f.SignatureV2, f.Policy)
	}
	return nil
}

// appendPolicyV2 appends the Version 2 signature of a policy's base64 text.
func appendPolicyV2(dst []byte, secret string, policy []byte) []byte {
	mac := hmac.New(sha1.New, []byte(secret))
	mac.Write(policy)
	return base64.StdEncoding.AppendEncode(dst, mac.Sum(nil))
}

func unknownKey(accessKey []byte) *Failure {
	f := fail(ErrInvalidAccessKeyID, "")
	f.AccessKey = string(accessKey)
	return f
}

func policyMismatch(accessKey, signature, policy []byte) *Failure {
	f := fail(ErrSignatureDoesNotMatch, "")
	f.AccessKey = string(accessKey)
	f.SignatureProvided = string(signature)
	f.StringToSign = string(policy)
	return f
}

// SignPolicy returns the fields that sign a policy, given as the JSON text, with
// Signature Version 4. The policy must have conditions for x-amz-algorithm,
// x-amz-credential and x-amz-date. It is for clients and tests.
func SignPolicy(policy []byte, c Credential, region string, t time.Time) PolicyForm {
	date := appendISO(nil, t)
	day := date[:8]
	credential := c.AccessKey + "/" + string(day) + "/" + region + "/" + service + "/" + terminator
	text := base64.StdEncoding.AppendEncode(nil, policy)
	var signature [2 * sha256.Size]byte
	signPolicy(&signature, c.SecretKey, day, []byte(region), text)
	return PolicyForm{
		Policy:     text,
		Algorithm:  []byte(algorithm),
		Credential: []byte(credential),
		Date:       date,
		Signature:  signature[:],
	}
}

// SignPolicyV2 is SignPolicy with Signature Version 2.
func SignPolicyV2(policy []byte, c Credential) PolicyForm {
	text := base64.StdEncoding.AppendEncode(nil, policy)
	return PolicyForm{
		Policy:      text,
		AccessKeyV2: []byte(c.AccessKey),
		SignatureV2: appendPolicyV2(nil, c.SecretKey, text),
	}
}
