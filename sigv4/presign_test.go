package sigv4

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"
)

// presignedRequest returns a presigned request of the example credential.
func presignedRequest(method, target string, expires time.Duration, kv ...string) *Request {
	r := request(method, target, "127.0.0.1:9000", kv...)
	var g Signer
	r.Query = g.Presign(nil, r, exampleCredential, "us-east-1", exampleTime, expires)
	return r
}

// Covers S12 and S13 for presigned URLs.
func TestPresigned(t *testing.T) {
	f := func(r *Request, want Payload) {
		t.Helper()
		a, err := verifyAt(t, strictConfig, r, exampleTime.Add(time.Minute))
		if err != nil {
			t.Errorf("%s: unexpected error: %v", r.Query, err)
			return
		}
		if a.Kind != PresignedAuth || a.AccessKey != exampleCredential.AccessKey || a.Payload != want {
			t.Errorf("%s: unexpected auth; got %v %q %v", r.Query, a.Kind, a.AccessKey, a.Payload)
		}
	}
	f(presignedRequest("GET", "/b/k", time.Hour), PayloadUnsigned)
	f(presignedRequest("GET", "/b/k?x-id=GetObject&response-content-type=text%2Fcsv", time.Hour), PayloadUnsigned)
	f(presignedRequest("GET", "/b/k?response-content-disposition=a+b", time.Hour), PayloadUnsigned)
	f(presignedRequest("PUT", "/b/k?X-Amz-Security-Token=t%2F%3D", time.Hour, "Content-Type", "text/plain", "x-amz-acl", "private"), PayloadUnsigned)
	f(presignedRequest("PUT", "/b/k?X-Amz-Content-Sha256=UNSIGNED-PAYLOAD", time.Hour), PayloadUnsigned)
	f(presignedRequest("GET", "/b/k", MaxPresignAge), PayloadUnsigned)

	// An unsigned digest header is tolerated, and then is a promise to check.
	r := presignedRequest("PUT", "/b/k", time.Hour)
	r.Header = append(r.Header, fields("x-amz-content-sha256", emptySHA256)...)
	f(r, PayloadLiteral)
	r = presignedRequest("PUT", "/b/k", time.Hour)
	r.Header = append(r.Header, fields("x-amz-content-sha256", nameUnsigned)...)
	f(r, PayloadUnsigned)

	// A '+' is the query's own: some clients write it for a space and sign %20.
	r = presignedRequest("GET", "/b/k?response-content-disposition=a%20b", time.Hour)
	r.Query = bytes.Replace(r.Query, []byte("a%20b"), []byte("a+b"), 1)
	f(r, PayloadUnsigned)
	r = presignedRequest("GET", "/b/k?response-content-disposition=a%2Bb", time.Hour)
	r.Query = bytes.Replace(r.Query, []byte("a%2Bb"), []byte("a+b"), 1)
	f(r, PayloadUnsigned)
	// Everything may come in any order and lower-case escapes.
	r = presignedRequest("GET", "/b/k", time.Hour)
	parts := strings.Split(string(r.Query), "&")
	for i, j := 0, len(parts)-1; i < j; i, j = i+1, j-1 {
		parts[i], parts[j] = parts[j], parts[i]
	}
	r.Query = []byte(strings.ReplaceAll(strings.Join(parts, "&"), "%2F", "%2f"))
	f(r, PayloadUnsigned)
}

func TestPresignedErrors(t *testing.T) {
	good := string(presignedRequest("GET", "/b/k", time.Hour).Query)
	f := func(old, new string, want error) {
		t.Helper()
		if !strings.Contains(good, old) {
			t.Fatalf("no %q in %q", old, good)
		}
		r := request("GET", "/b/k?"+strings.Replace(good, old, new, 1), "127.0.0.1:9000")
		if _, err := verifyAt(t, strictConfig, r, exampleTime); !errors.Is(err, want) {
			t.Errorf("%s for %s: unexpected error; got %v; want %v", new, old, err, want)
		}
	}
	f("", "", nil)
	malformed := ErrAuthorizationQueryParameters
	f("X-Amz-Expires=3600", "X-Amz-Expires=x", ErrInvalidExpires)
	f("X-Amz-Expires=3600", "X-Amz-Expires=1.5", ErrInvalidExpires)
	f("X-Amz-Expires=3600", "X-Amz-Expires=-7", ErrInvalidExpires)
	f("X-Amz-Expires=3600", "X-Amz-Expires=604801", ErrInvalidExpires)
	f("X-Amz-Expires=3600", "X-Amz-Expires=99999999999999999999", ErrInvalidExpires)
	f("X-Amz-Expires=3600", "X-Amz-Expires=604801", malformed)
	f("X-Amz-Expires=3600", "X-Amz-Expires=", malformed)
	f("X-Amz-Expires=3600", "X-Amz-Expires=3601", ErrSignatureDoesNotMatch)
	f("X-Amz-Expires=3600&", "", malformed)
	f("X-Amz-Date=20130524T000000Z&", "", malformed)
	f("X-Amz-Algorithm=AWS4-HMAC-SHA256&", "", malformed)
	f("&X-Amz-SignedHeaders=host", "", malformed)
	f("X-Amz-Signature", "X-Amz-Sig", malformed)
	f("X-Amz-Credential", "X-Amz-Cred", malformed)
	f("X-Amz-Date=20130524T000000Z", "X-Amz-Date=2013-05-24", malformed)
	f("X-Amz-Date=20130524T000000Z", "X-Amz-Date=20130525T000000Z", malformed)
	f("X-Amz-Date=20130524T000000Z", "X-Amz-Date=20130524T000000Z&X-Amz-Date=20130524T000000Z", malformed)
	f("us-east-1%2F", "%2F", malformed)
	f("s3%2Faws4_request", "iam%2Faws4_request", malformed)
	f("SignedHeaders=host", "SignedHeaders=host%3B", malformed)
	f("SignedHeaders=host", "SignedHeaders=range", ErrHeadersNotSigned)
	f("AKIAIOSFODNN7EXAMPLE", "NOBODY", ErrInvalidAccessKeyID)
	f("us-east-1", "us-east-2", ErrSignatureDoesNotMatch)
	f("X-Amz-Algorithm=AWS4-HMAC-SHA256", "X-Amz-Algorithm=AWS4-ECDSA-P256-SHA256", ErrSignatureVersion)

	r := request("GET", "/b/k?AWSAccessKeyId=a&Expires=1141889120&Signature=x%3D", "127.0.0.1:9000")
	if _, err := verifyAt(t, strictConfig, r, exampleTime); !errors.Is(err, ErrSignatureVersion) {
		t.Errorf("unexpected error; got %v; want %v", err, ErrSignatureVersion)
	}
	// An x-amz-* header outside the signature would be obeyed unsigned.
	r = presignedRequest("PUT", "/b/k", time.Hour)
	r.Header = append(r.Header, fields("x-amz-acl", "public-read")...)
	if _, err := verifyAt(t, strictConfig, r, exampleTime); !errors.Is(err, ErrHeadersNotSigned) {
		t.Errorf("unexpected error; got %v; want %v", err, ErrHeadersNotSigned)
	}
}

func TestPresignedLifetime(t *testing.T) {
	f := func(maxSkew, lifetime, age time.Duration, want error) {
		t.Helper()
		r := presignedRequest("GET", "/b/k", lifetime)
		_, err := verifyAt(t, Config{MaxSkew: maxSkew}, r, exampleTime.Add(age))
		if !errors.Is(err, want) {
			t.Errorf("life %v at age %v: unexpected error; got %v; want %v", lifetime, age, err, want)
		}
		var fail *Failure
		if errors.As(err, &fail) && (fail.Lifetime != lifetime || !fail.Expires.Equal(exampleTime.Add(lifetime))) {
			t.Errorf("unexpected life in %+v", fail)
		}
	}
	f(time.Minute, time.Second, time.Second, nil)
	f(time.Minute, time.Second, 2*time.Second, ErrRequestExpired)
	f(time.Minute, 0, 0, ErrRequestExpired)
	f(time.Minute, time.Hour, 30*time.Minute, nil)
	f(time.Minute, time.Hour, -time.Minute, nil)
	f(time.Minute, time.Hour, -2*time.Minute, ErrRequestNotYetValid)
	f(0, time.Hour, -100*time.Hour, nil)
	f(0, time.Hour, 2*time.Hour, ErrRequestExpired)
}
