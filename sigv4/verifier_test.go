package sigv4

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"
)

var strictConfig = Config{MaxSkew: 15 * time.Minute}

// signed returns a request signed for the example credential at exampleTime.
func signed(method, target, payload string, kv ...string) *Request {
	r := request(method, target, "127.0.0.1:9000", kv...)
	var g Signer
	g.SignHeader(r, exampleCredential, "us-east-1", exampleTime, payload)
	return r
}

// set replaces or appends a header.
func set(r *Request, name, value string) {
	for i := range r.Header {
		if equalFoldString(r.Header[i].Name, name) {
			r.Header[i].Value = []byte(value)
			return
		}
	}
	r.Header = append(r.Header, fields(name, value)...)
}

func get(r *Request, name string) string {
	for _, f := range r.Header {
		if equalFoldString(f.Name, name) {
			return string(f.Value)
		}
	}
	return ""
}

func drop(r *Request, name string) {
	for i, f := range r.Header {
		if equalFoldString(f.Name, name) {
			r.Header = append(r.Header[:i:i], r.Header[i+1:]...)
			return
		}
	}
}

func verifyAt(t *testing.T, c Config, r *Request, now time.Time) (*Auth, error) {
	t.Helper()
	a := new(Auth)
	err := newVerifier(t, c).Verify(a, r, now)
	return a, err
}

// Covers S01, S02, S03, S04, S06, S12: the wire bytes are what is signed, the
// key and the query may hold anything.
func TestVerifyPathsAndQueries(t *testing.T) {
	f := func(target string) {
		t.Helper()
		r := signed("GET", target, emptySHA256)
		if _, err := verifyAt(t, strictConfig, r, exampleTime); err != nil {
			t.Errorf("%s: unexpected error: %v", target, err)
		}
	}
	f("/b/a%2Bb%20c")
	f("/b/100%25")
	f("/b/%252F")
	f("/b/a%2Fb")
	f("/b/a%2fb")
	f("/b//x")
	f("//b/x")
	f("/b/../c/k")
	f("/b/%2e%2e/c/k")
	f("/bucket/s3%3A//bucket/path")
	f("/bucket/s3://bucket/path")
	f("/b/a+b:c=d*e(f)'g!")
	f("/b/\xc3\xa9\xff")
	f("/b/%zz%")
	f("/")
	f("/b?uploads")
	f("/b?uploads=")
	f("/b?list-type=2&prefix=a%20b%2F%2B&continuation-token=%2F%2B%3D&delimiter=&max-keys=10")
	f("/b/k?uploadId=abc&partNumber=2")
	f("/b/k?x-id=GetObject&response-content-type=text%2Fcsv")
	f("/b?a=2&a=1&a&A=3&aa=0")
	f("/b?prefix=a/b:c&&marker=%zz")
	f("/b?prefix=a+b")
}

// Clients that sign another spelling than they send.
func TestVerifyOtherForms(t *testing.T) {
	f := func(name, signedTarget, signedHost, sentTarget, sentHost string) {
		t.Helper()
		r := request("GET", signedTarget, signedHost)
		var g Signer
		g.SignHeader(r, exampleCredential, "us-east-1", exampleTime, emptySHA256)
		path, query, _ := strings.Cut(sentTarget, "?")
		r.Path, r.Query, r.Host = []byte(path), []byte(query), []byte(sentHost)
		set(r, "host", sentHost)
		if _, err := verifyAt(t, strictConfig, r, exampleTime); err != nil {
			t.Errorf("%s: unexpected error: %v", name, err)
		}
	}
	f("path encoded only in the signature", "/b/a%2Bb%3A%3D%2A", "h", "/b/a+b:=*", "h")
	f("lower-case escapes on the wire", "/b/a%3Ab", "h", "/b/a%3ab", "h")
	f("slash escaped on the wire", "/b/a/b", "h", "/b/a%2Fb", "h")
	f("plus is a space", "/b?prefix=a%20b", "h", "/b?prefix=a+b", "h")
	f("plus is a plus", "/b?prefix=a%2Bb", "h", "/b?prefix=a+b", "h")
	f("plus in the path and in the query", "/b/x%2By?prefix=a%2Bb", "h:80", "/b/x+y?prefix=a+b", "h")
	f("query encoded on the wire only", "/b?prefix=a%2Fb", "h", "/b?prefix=a/b", "h")
	f("unreserved bytes escaped on the wire", "/b?prefix=a-b", "h", "/b?%70refix=a%2Db", "h")
	f("port 80 signed, not sent (S08)", "/b", "localhost:80", "/b", "localhost")
	f("port 80 sent, not signed (S08)", "/b", "localhost", "/b", "localhost:80")
	f("port 443 signed, not sent", "/b", "localhost:443", "/b", "localhost")
	f("port 443 sent, not signed", "/b", "localhost", "/b", "localhost:443")
	f("IPv6 literal", "/b", "[::1]:80", "/b", "[::1]")
	f("empty path", "/", "h", "", "h")
}

func TestVerifyHostMustMatch(t *testing.T) {
	f := func(signedHost, sentHost string) {
		t.Helper()
		r := request("GET", "/b", signedHost)
		var g Signer
		g.SignHeader(r, exampleCredential, "us-east-1", exampleTime, emptySHA256)
		r.Host = []byte(sentHost)
		if _, err := verifyAt(t, strictConfig, r, exampleTime); !errors.Is(err, ErrSignatureDoesNotMatch) {
			t.Errorf("%s sent as %s: unexpected error; got %v; want %v", signedHost, sentHost, err, ErrSignatureDoesNotMatch)
		}
	}
	f("localhost:9000", "localhost")
	f("localhost", "localhost:9000")
	f("localhost:80", "localhost:443")
}

// Covers S13 and S15 and the values of x-amz-content-sha256.
func TestVerifyPayloadsAndRegions(t *testing.T) {
	for _, region := range []string{"us-east-1", "eu-west-1", "auto", "local", strings.Repeat("r", 100)} {
		for _, want := range []Payload{PayloadUnsigned, PayloadLiteral, PayloadStreamingSigned,
			PayloadStreamingSignedTrailer, PayloadStreamingUnsignedTrailer} {
			value := want.String()
			if want == PayloadLiteral {
				value = emptySHA256
			}
			r := request("PUT", "/b/k", "127.0.0.1:9000", "X-Amz-Trailer", " X-Amz-Checksum-CRC32 ")
			var g Signer
			g.SignHeader(r, exampleCredential, region, exampleTime, value)
			a, err := verifyAt(t, strictConfig, r, exampleTime)
			if err != nil {
				t.Fatalf("%s %s: unexpected error: %v", region, value, err)
			}
			if a.Payload != want {
				t.Errorf("%s: unexpected payload; got %v; want %v", value, a.Payload, want)
			}
			if want.Streaming() != strings.HasPrefix(value, "STREAMING-") {
				t.Errorf("%s: unexpected Streaming; got %v", value, want.Streaming())
			}
			if string(a.trailers) != "x-amz-checksum-crc32" {
				t.Errorf("unexpected trailer names; got %q", a.trailers)
			}
			if !a.Time.Equal(exampleTime) {
				t.Errorf("unexpected time; got %v; want %v", a.Time, exampleTime)
			}
		}
	}
}

func TestVerifyInvalidContentSHA256(t *testing.T) {
	for _, value := range []string{"", "x", "unsigned-payload", "STREAMING-", emptySHA256[1:], "g" + emptySHA256[1:]} {
		for _, c := range []Config{strictConfig, {SkipVerify: true}} {
			r := signed("PUT", "/b/k", value)
			if _, err := verifyAt(t, c, r, exampleTime); !errors.Is(err, ErrInvalidContentSHA256) {
				t.Errorf("%q: unexpected error; got %v; want %v", value, err, ErrInvalidContentSHA256)
			}
		}
	}
}

// Signers that know nothing of S3 send no x-amz-content-sha256.
func TestVerifyWithoutContentSHA256(t *testing.T) {
	f := func(line string, want Payload) {
		t.Helper()
		r := request("GET", "/b/k", "h", "X-Amz-Date", "20130524T000000Z")
		var g Signer
		g.prepare(exampleCredential, "us-east-1", exampleTime)
		g.setNames(r.Header)
		g.s.setQuery(nil, true)
		g.sign(r, []byte(line), false)
		r.Header = append(r.Header, authorization(exampleScope, string(g.names), string(g.Signature()))...)
		a, err := verifyAt(t, strictConfig, r, exampleTime)
		if err != nil {
			t.Fatalf("%s: unexpected error: %v", line, err)
		}
		if a.Payload != want {
			t.Errorf("%s: unexpected payload; got %v; want %v", line, a.Payload, want)
		}
	}
	f(emptySHA256, PayloadLiteral)
	f(nameUnsigned, PayloadUnsigned)
}

func TestVerifyHeaderValues(t *testing.T) {
	r := request("PUT", "/b/k", "h", "X-Amz-Meta-A", "a  b   c", "x-amz-meta-b", "\t padded  ",
		"X-Amz-Meta-C", "one", "x-amz-meta-c", "two")
	var g Signer
	g.SignHeader(r, exampleCredential, "us-east-1", exampleTime, nameUnsigned)
	want := "\nx-amz-meta-a:a b c\nx-amz-meta-b:padded\nx-amz-meta-c:one,two\n"
	if got := g.s.canonicalRequest(); !strings.Contains(got, want) {
		t.Fatalf("unexpected canonical request; got %q; want %q in it", got, want)
	}
	if _, err := verifyAt(t, strictConfig, r, exampleTime); err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
	// A signed header that is absent counts as empty, so it cannot be dropped.
	drop(r, "x-amz-meta-a")
	if _, err := verifyAt(t, strictConfig, r, exampleTime); !errors.Is(err, ErrSignatureDoesNotMatch) {
		t.Fatalf("unexpected error; got %v; want %v", err, ErrSignatureDoesNotMatch)
	}
}

// Covers S10.
func TestVerifySkew(t *testing.T) {
	f := func(maxSkew, age time.Duration, want error) {
		t.Helper()
		_, err := verifyAt(t, Config{MaxSkew: maxSkew}, signed("GET", "/b", emptySHA256), exampleTime.Add(age))
		if !errors.Is(err, want) {
			t.Errorf("skew %v of %v: unexpected error; got %v; want %v", age, maxSkew, err, want)
		}
		var fail *Failure
		if want != nil && errors.As(err, &fail) {
			if !fail.RequestTime.Equal(exampleTime) || !fail.ServerTime.Equal(exampleTime.Add(age)) || fail.MaxSkew != maxSkew {
				t.Errorf("unexpected times in %+v", fail)
			}
		}
	}
	f(15*time.Minute, 15*time.Minute, nil)
	f(15*time.Minute, -15*time.Minute, nil)
	f(15*time.Minute, 16*time.Minute, ErrRequestTimeTooSkewed)
	f(15*time.Minute, -16*time.Minute, ErrRequestTimeTooSkewed)
	f(0, 10000*time.Hour, nil)
	f(0, -10000*time.Hour, nil)
}

func TestVerifyDateHeader(t *testing.T) {
	f := func(value string, want error) {
		t.Helper()
		r := request("GET", "/b/k", "h", "Date", value, "x-amz-content-sha256", emptySHA256)
		var g Signer
		g.prepare(exampleCredential, "us-east-1", exampleTime)
		g.setNames(r.Header)
		g.s.setQuery(nil, true)
		g.sign(r, []byte(emptySHA256), false)
		r.Header = append(r.Header, authorization(exampleScope, string(g.names), string(g.Signature()))...)
		if _, err := verifyAt(t, strictConfig, r, exampleTime); !errors.Is(err, want) {
			t.Errorf("%q: unexpected error; got %v; want %v", value, err, want)
		}
	}
	f("Fri, 24 May 2013 00:00:00 GMT", nil)
	f("Fri, 24 May 2013 00:00:00 UTC", nil)
	f("Fri, 24 May 2013 00:00:00 -0000", nil)
	f("Fri, 24 May 2013 02:00:00 +0200", nil)
	f("Friday, 24-May-13 00:00:00 GMT", nil)
	f("Fri May 24 00:00:00 2013", nil)
	f("20130524T000000Z", nil)
	f("2013-05-24T00:00:00Z", nil)
	f("Fri, 24 May 2013 00:00:00 CET", ErrMissingDate)
	f("Bad Date", ErrMissingDate)
	f("", ErrMissingDate)

	r := signed("GET", "/b", emptySHA256)
	drop(r, "x-amz-date")
	if _, err := verifyAt(t, strictConfig, r, exampleTime); !errors.Is(err, ErrMissingDate) {
		t.Errorf("no date: unexpected error; got %v; want %v", err, ErrMissingDate)
	}
	for _, bad := range []string{"20130524T000000", "20130524t000000Z", "20130532T000000Z", "20130231T000000Z", "20130524T250000Z", "2013052aT000000Z"} {
		r := signed("GET", "/b", emptySHA256)
		set(r, "x-amz-date", bad)
		if _, err := verifyAt(t, strictConfig, r, exampleTime); !errors.Is(err, ErrMissingDate) {
			t.Errorf("%q: unexpected error; got %v; want %v", bad, err, ErrMissingDate)
		}
	}
}

func TestVerifyAuthorizationHeader(t *testing.T) {
	r := signed("GET", "/b", emptySHA256)
	good := get(r, "authorization")
	v := newVerifier(t, strictConfig)
	var a Auth
	f := func(value string, want error) {
		t.Helper()
		set(r, "authorization", value)
		err := v.Verify(&a, r, exampleTime)
		if !errors.Is(err, want) {
			t.Errorf("%q: unexpected error; got %v; want %v", value, err, want)
		}
		if err != nil && (a.Kind != Anonymous || a.AccessKey != "") {
			t.Errorf("%q: unexpected identity after a failure; got %v %q", value, a.Kind, a.AccessKey)
		}
	}
	change := func(old, new string) string {
		t.Helper()
		if !strings.Contains(good, old) {
			t.Fatalf("no %q in %q", old, good)
		}
		return strings.Replace(good, old, new, 1)
	}
	f(good, nil)
	f("  "+good+" ", nil)
	f(change(", SignedHeaders", ",SignedHeaders"), nil)
	f(change(", Signature", " ,  Signature"), nil)
	f(good+", ", nil)
	i := strings.Index(good, "Credential=")
	j := strings.Index(good, ", SignedHeaders=")
	f(algorithm+" "+good[j+2:]+", "+good[i:j], nil)

	malformed := ErrAuthorizationHeaderMalformed
	f(algorithm, malformed)
	f(algorithm+" ", malformed)
	f(algorithm+" x", malformed)
	f(good+", x", malformed)
	f(good+", Signature=x", malformed)
	f(change("Credential=", "Credentials="), malformed)
	f(change("Signature=", "Sig="), malformed)
	f(change("SignedHeaders=host;", "SignedHeaders=;host;"), malformed)
	f(change("x-amz-date,", "x-amz-date;,"), malformed)
	f(change("Credential="+exampleCredential.AccessKey, "Credential="), malformed)
	f(change("/us-east-1/", "//"), malformed)
	f(change("/us-east-1/", "/"), malformed)
	f(change("/s3/", "/ec2/"), malformed)
	f(change("/s3/", "/s3express/"), malformed)
	f(change("aws4_request", "aws4_requesT"), malformed)
	f(change("/20130524/", "/20130525/"), malformed)
	f(change("/20130524/", "/2013524/"), malformed)
	f(change("/20130524/", "/2013-5-4/"), malformed)
	f(algorithm+" Credential=a, SignedHeaders=, Signature=x", malformed)
	f(change("SignedHeaders=", "SignedHeaders="+strings.Repeat("a;", maxSignedHeaders)), malformed)

	f(change(exampleCredential.AccessKey, "AKIA/nobody"), ErrInvalidAccessKeyID)
	f(change("/us-east-1/", "/us-east-2/"), ErrSignatureDoesNotMatch)
	f(good[:len(good)-1], ErrSignatureDoesNotMatch)
	f(good+"0", ErrSignatureDoesNotMatch)
	f(good[:len(good)-64]+strings.ToUpper(good[len(good)-64:]), ErrSignatureDoesNotMatch)
	f(change("SignedHeaders=host;", "SignedHeaders="), ErrHeadersNotSigned)
	f(change(";x-amz-date", ""), ErrHeadersNotSigned)

	f("AWS AKID:c2lnbmF0dXJl", ErrSignatureVersion)
	f(change("AWS4-HMAC-SHA256", "AWS4-ECDSA-P256-SHA256"), ErrSignatureVersion)
	f(change("AWS4-HMAC-SHA256", "AWS4-HMAC-SHA512"), ErrSignatureVersion)
	f("AWS HAHAHA", ErrAuthorizationType)
	f("Basic dTpw", ErrAuthorizationType)
	f("Bearer", ErrAuthorizationType)
	f("", ErrAccessDenied)
	f(" ", ErrAccessDenied)
}

func TestVerifyMultipleAuth(t *testing.T) {
	f := func(change func(r *Request)) {
		t.Helper()
		r := signed("GET", "/b", emptySHA256)
		change(r)
		if _, err := verifyAt(t, strictConfig, r, exampleTime); !errors.Is(err, ErrMultipleAuth) {
			t.Errorf("unexpected error; got %v; want %v", err, ErrMultipleAuth)
		}
	}
	f(func(r *Request) { r.Query = []byte(examplePresignedQuery) })
	f(func(r *Request) { r.Query = []byte("AWSAccessKeyId=a&Signature=b&Expires=1") })
	f(func(r *Request) { r.Header = append(r.Header, fields("Authorization", "Basic dTpw")...) })
}

func TestVerifyHeadersNotSigned(t *testing.T) {
	f := func(name, value, want string) {
		t.Helper()
		r := signed("PUT", "/b/k", nameUnsigned)
		r.Header = append(r.Header, fields(name, value)...)
		_, err := verifyAt(t, strictConfig, r, exampleTime)
		var fail *Failure
		if !errors.As(err, &fail) {
			if want != "" {
				t.Errorf("%s: unexpected success", name)
			}
			return
		}
		if !errors.Is(err, ErrHeadersNotSigned) || !errors.Is(err, ErrAccessDenied) || fail.HeadersNotSigned != want {
			t.Errorf("%s: unexpected failure; got %v, %q; want %q", name, err, fail.HeadersNotSigned, want)
		}
	}
	f("X-Amz-ACL", "public-read", "x-amz-acl")
	f("x-amz-security-token", "t", "x-amz-security-token")
	f("X-Amzn-Trace-Id", "Root=1", "")
	f("Content-Type", "text/plain", "")
	f("Connection", "keep-alive", "")
}

func TestVerifySessionToken(t *testing.T) {
	r := signed("GET", "/b", emptySHA256, "X-Amz-Security-Token", "FwoGZXIvYXdzE//token==")
	if _, err := verifyAt(t, strictConfig, r, exampleTime); err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
}

func TestVerifySeveralCredentials(t *testing.T) {
	other := Credential{AccessKey: "with/slash", SecretKey: strings.Repeat("long secret ", 20)}
	c := Config{Credentials: []Credential{exampleCredential, other}}
	for _, cred := range c.Credentials {
		r := request("GET", "/b", "h")
		var g Signer
		g.SignHeader(r, cred, "us-east-1", exampleTime, emptySHA256)
		a, err := verifyAt(t, c, r, exampleTime)
		if err != nil || a.AccessKey != cred.AccessKey {
			t.Errorf("unexpected outcome for %q: %q, %v", cred.AccessKey, a.AccessKey, err)
		}
		cred.SecretKey += "x"
		g.SignHeader(r, cred, "us-east-1", exampleTime, emptySHA256)
		r.Header = r.Header[len(r.Header)-4:]
		if _, err := verifyAt(t, c, r, exampleTime); err == nil {
			t.Errorf("unexpected success with a wrong secret")
		}
	}
}

func TestVerifyOpen(t *testing.T) {
	presigned := request("GET", "/b/k", "h")
	var g Signer
	presigned.Query = g.Presign(nil, presigned, Credential{"nobody", "nothing"}, "x", exampleTime, time.Second)
	wrong := signed("PUT", "/b/k", nameStreamingSigned)
	wrong.Path = []byte("/other")
	ecdsa := signed("PUT", "/b/k", nameStreamingECDSATrailer)
	f := func(name string, r *Request, kind Kind, key string, payload Payload) {
		t.Helper()
		for _, c := range []Config{{SkipVerify: true}, {Credentials: []Credential{}}, {SkipVerify: true, Credentials: []Credential{{"a", "b"}}}} {
			v, err := NewVerifier(c)
			if err != nil {
				t.Fatalf("unexpected error: %v", err)
			}
			var a Auth
			for range 2 { // the second time the access key is remembered
				if err := v.Verify(&a, r, exampleTime.Add(time.Hour)); err != nil {
					t.Fatalf("%s: unexpected error: %v", name, err)
				}
				if a.Kind != kind || a.AccessKey != key || a.Payload != payload {
					t.Errorf("%s: unexpected auth; got %v %q %v", name, a.Kind, a.AccessKey, a.Payload)
				}
			}
		}
	}
	f("anonymous", request("GET", "/b", "h"), Anonymous, "", PayloadUnspecified)
	f("not this request's signature", wrong, HeaderAuth, exampleCredential.AccessKey, PayloadStreamingSigned)
	f("expired", presigned, PresignedAuth, "nobody", PayloadUnsigned)
	f("SigV4A body", ecdsa, HeaderAuth, exampleCredential.AccessKey, PayloadStreamingSignedTrailer)
	f("no AWS authorization", request("GET", "/b", "h", "Authorization", "Basic x"), Anonymous, "", PayloadUnspecified)
}

func TestVerifyAnonymous(t *testing.T) {
	_, err := verifyAt(t, strictConfig, request("GET", "/b?prefix=a", "h"), exampleTime)
	if !errors.Is(err, ErrAccessDenied) || !errors.Is(err, ErrNotSigned) {
		t.Errorf("unexpected error; got %v; want %v", err, ErrNotSigned)
	}
	// Its body can be read all the same.
	a, err := verifyAt(t, strictConfig, request("PUT", "/b/k", "h", "X-Amz-Content-Sha256", nameStreamingUnsignedTrailer), exampleTime)
	if !errors.Is(err, ErrNotSigned) || a.Kind != Anonymous || a.Payload != PayloadStreamingUnsignedTrailer {
		t.Errorf("unexpected auth of an unsigned upload; got %v, %v, %v", a.Kind, a.Payload, err)
	}
}

func TestVerifyFailureReport(t *testing.T) {
	r := signed("GET", "/b/k+x?prefix=a+b", emptySHA256)
	want := *r
	r.Method = "DELETE"
	_, err := verifyAt(t, strictConfig, r, exampleTime)
	var f *Failure
	if !errors.As(err, &f) || !errors.Is(err, ErrSignatureDoesNotMatch) {
		t.Fatalf("unexpected error; got %v", err)
	}
	canonical := "DELETE\n/b/k+x\nprefix=a%20b\nhost:127.0.0.1:9000\nx-amz-content-sha256:" + emptySHA256 +
		"\nx-amz-date:20130524T000000Z\n\nhost;x-amz-content-sha256;x-amz-date\n" + emptySHA256
	if f.CanonicalRequest != canonical {
		t.Errorf("unexpected canonical request; got %q; want %q", f.CanonicalRequest, canonical)
	}
	if !strings.HasPrefix(f.StringToSign, "AWS4-HMAC-SHA256\n20130524T000000Z\n"+exampleScope+"\n") {
		t.Errorf("unexpected string to sign; got %q", f.StringToSign)
	}
	if auth := get(&want, "authorization"); f.AccessKey != exampleCredential.AccessKey || !strings.HasSuffix(auth, f.SignatureProvided) {
		t.Errorf("unexpected %q %q", f.AccessKey, f.SignatureProvided)
	}
}

func TestNewVerifierErrors(t *testing.T) {
	f := func(c Config) {
		t.Helper()
		if _, err := NewVerifier(c); err == nil {
			t.Errorf("unexpected success of NewVerifier(%+v)", c)
		}
	}
	f(Config{MaxSkew: -1})
	f(Config{Credentials: []Credential{{"", "s"}}})
	f(Config{Credentials: []Credential{{"a", ""}}})
	f(Config{Credentials: []Credential{{"a b", "s"}}})
	f(Config{Credentials: []Credential{{"a,b", "s"}}})
	f(Config{Credentials: []Credential{{"a", "s"}, {"a", "t"}}})
}

// Verify must not write into the request: the server's headers are shared.
func TestVerifyLeavesRequestAlone(t *testing.T) {
	r := signed("GET", "/b/K%2b?Prefix=%2F", emptySHA256, "X-Amz-Trailer", "UPPER")
	var before []byte
	for _, f := range r.Header {
		before = append(append(before, f.Name...), f.Value...)
	}
	if _, err := verifyAt(t, strictConfig, r, exampleTime); err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
	var after []byte
	for _, f := range r.Header {
		after = append(append(after, f.Name...), f.Value...)
	}
	if !bytes.Equal(before, after) || string(r.Path) != "/b/K%2b" || string(r.Query) != "Prefix=%2F" {
		t.Errorf("unexpected change of the request")
	}
}

// Request.Host may be left out if the header is there.
func TestVerifyHostFromHeader(t *testing.T) {
	r := signed("GET", "/b", emptySHA256)
	r.Host = nil
	if _, err := verifyAt(t, strictConfig, r, exampleTime); err != nil {
		t.Errorf("unexpected error: %v", err)
	}
	drop(r, "host")
	if _, err := verifyAt(t, strictConfig, r, exampleTime); !errors.Is(err, ErrSignatureDoesNotMatch) {
		t.Errorf("no host: unexpected error; got %v; want %v", err, ErrSignatureDoesNotMatch)
	}
}
