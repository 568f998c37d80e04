package sigv4

import (
	"bytes"
	"encoding/base64"
	"errors"
	"testing"
	"time"
)

// The published example: "Example: Browser-Based Upload using HTTP POST (Using
// AWS Signature Version 4)". Lines end in CR LF, as its base64 shows.
const (
	examplePolicy = "{ \"expiration\": \"2015-12-30T12:00:00.000Z\",\r\n" +
		"  \"conditions\": [\r\n" +
		"    {\"bucket\": \"sigv4examplebucket\"},\r\n" +
		"    [\"starts-with\", \"$key\", \"user/user1/\"],\r\n" +
		"    {\"acl\": \"public-read\"},\r\n" +
		"    {\"success_action_redirect\": \"http://sigv4examplebucket.s3.amazonaws.com/successful_upload.html\"},\r\n" +
		"    [\"starts-with\", \"$Content-Type\", \"image/\"],\r\n" +
		"    {\"x-amz-meta-uuid\": \"14365123651274\"},\r\n" +
		"    {\"x-amz-server-side-encryption\": \"AES256\"},\r\n" +
		"    [\"starts-with\", \"$x-amz-meta-tag\", \"\"],\r\n" +
		"\r\n" +
		"    {\"x-amz-credential\": \"AKIAIOSFODNN7EXAMPLE/20151229/us-east-1/s3/aws4_request\"},\r\n" +
		"    {\"x-amz-algorithm\": \"AWS4-HMAC-SHA256\"},\r\n" +
		"    {\"x-amz-date\": \"20151229T000000Z\" }\r\n" +
		"  ]\r\n" +
		"}"
	examplePolicySignature = "8afdbf4008c03f22c2cd3cdb72e4afbb1f6a588f3255ac628749a66d7f09699e"
)

var policyCredential = Credential{"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"}

func TestSignPolicyPublishedExample(t *testing.T) {
	at := time.Date(2015, 12, 29, 0, 0, 0, 0, time.UTC)
	f := SignPolicy([]byte(examplePolicy), policyCredential, "us-east-1", at)
	if string(f.Signature) != examplePolicySignature {
		t.Errorf("unexpected signature; got %s; want %s", f.Signature, examplePolicySignature)
	}
	if want := "AKIAIOSFODNN7EXAMPLE/20151229/us-east-1/s3/aws4_request"; string(f.Credential) != want {
		t.Errorf("unexpected credential; got %s; want %s", f.Credential, want)
	}
	if err := NewPolicyVerifier(Config{Credentials: []Credential{policyCredential}}).Verify(&f); err != nil {
		t.Errorf("unexpected error; got %v; want nil", err)
	}
}

// The vector is RFC 2202's test case 2 for HMAC-SHA1, in base64.
func TestPolicyV2Vector(t *testing.T) {
	sum := []byte{0xef, 0xfc, 0xdf, 0x6a, 0xe5, 0xeb, 0x2f, 0xa2, 0xd2, 0x74, 0x16, 0xd5, 0xf1, 0x84, 0xdf, 0x9c, 0x25, 0x9a, 0x7c, 0x79}
	want := base64.StdEncoding.EncodeToString(sum)
	if got := appendPolicyV2(nil, "Jefe", []byte("what do ya want for nothing?")); string(got) != want {
		t.Errorf("unexpected signature; got %s; want %s", got, want)
	}
}

func TestPolicyVerifier(t *testing.T) {
	v4 := func(edit func(*PolicyForm)) PolicyForm {
		f := SignPolicy([]byte(`{}`), policyCredential, "eu-west-1", time.Unix(1700000000, 0))
		edit(&f)
		return f
	}
	v2 := func(edit func(*PolicyForm)) PolicyForm {
		f := SignPolicyV2([]byte(`{}`), policyCredential)
		edit(&f)
		return f
	}
	same := func(*PolicyForm) {}
	rows := []struct {
		name string
		form PolicyForm
		want error
	}{
		{"v4", v4(same), nil},
		{"v2", v2(same), nil},
		{"nothing", PolicyForm{}, ErrAccessDenied},
		{"v4 no policy", v4(func(f *PolicyForm) { f.Policy = nil }), ErrPolicyFields},
		{"v4 policy changed", v4(func(f *PolicyForm) { f.Policy = []byte("e30K") }), ErrSignatureDoesNotMatch},
		{"v4 no signature", v4(func(f *PolicyForm) { f.Signature = nil }), ErrPolicyFields},
		{"v4 no date", v4(func(f *PolicyForm) { f.Date = nil }), ErrPolicyFields},
		{"v4 no credential", v4(func(f *PolicyForm) { f.Credential = nil }), ErrPolicyFields},
		{"v4 no algorithm", v4(func(f *PolicyForm) { f.Algorithm = nil }), ErrPolicyFields},
		{"v4 empty signature", v4(func(f *PolicyForm) { f.Signature = []byte{} }), ErrSignatureDoesNotMatch},
		{"v4 signature cut", v4(func(f *PolicyForm) { f.Signature = f.Signature[:63] }), ErrSignatureDoesNotMatch},
		{"v4 signature flipped", v4(func(f *PolicyForm) { f.Signature[0] ^= 1 }), ErrSignatureDoesNotMatch},
		{"v4 other algorithm", v4(func(f *PolicyForm) { f.Algorithm = []byte("AWS4-ECDSA-P256-SHA256") }), ErrSignatureVersion},
		{"v4 bad credential", v4(func(f *PolicyForm) { f.Credential = []byte("ak/20231114/s3") }), ErrPolicyFields},
		{"v4 other region", v4(func(f *PolicyForm) {
			f.Credential = bytes.Replace(f.Credential, []byte("eu-west-1"), []byte("eu-west-2"), 1)
		}), ErrSignatureDoesNotMatch},
		{"v4 unknown key", v4(func(f *PolicyForm) { f.Credential = append([]byte("X"), f.Credential...) }), ErrInvalidAccessKeyID},
		{"v4 bad date", v4(func(f *PolicyForm) { f.Date = []byte("2023-11-14") }), ErrPolicyFields},
		{"v4 other day", v4(func(f *PolicyForm) { f.Date = []byte("20231115T000000Z") }), ErrPolicyFields},
		{"v2 policy changed", v2(func(f *PolicyForm) { f.Policy = []byte("e30K") }), ErrSignatureDoesNotMatch},
		{"v2 no signature", v2(func(f *PolicyForm) { f.SignatureV2 = nil }), ErrPolicyFields},
		{"v2 no key", v2(func(f *PolicyForm) { f.AccessKeyV2 = nil }), ErrPolicyFields},
		{"v2 unknown key", v2(func(f *PolicyForm) { f.AccessKeyV2 = []byte("X") }), ErrInvalidAccessKeyID},
		{"v2 empty signature", v2(func(f *PolicyForm) { f.SignatureV2 = []byte{} }), ErrSignatureDoesNotMatch},
		{"policy only", PolicyForm{Policy: []byte("e30=")}, ErrPolicyFields},
	}
	v := NewPolicyVerifier(Config{Credentials: []Credential{policyCredential}})
	for _, row := range rows {
		if err := v.Verify(&row.form); !errors.Is(err, row.want) {
			t.Errorf("%s: unexpected error; got %v; want %v", row.name, err, row.want)
		}
	}
	for _, c := range []Config{{}, {Credentials: []Credential{policyCredential}, SkipVerify: true}} {
		if v := NewPolicyVerifier(c); !v.Open() || v.Verify(&PolicyForm{}) != nil {
			t.Errorf("unexpected refusal by an open verifier of %+v", c)
		}
	}
	if v.Open() {
		t.Error("unexpected open verifier with credentials")
	}
}
