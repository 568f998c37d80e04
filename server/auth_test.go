package server_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/s3ultra/s3ultra/sigv4"
	"github.com/s3ultra/s3ultra/store"
)

// presigned returns the target of a presigned URL.
func presigned(f *fixture, method, target string, at time.Time, expires time.Duration) string {
	path, query, _ := strings.Cut(target, "?")
	r := sigv4.Request{Method: method, Path: []byte(path), Query: []byte(query), Host: []byte(f.addr)}
	var s sigv4.Signer
	return path + "?" + string(s.Presign(nil, &r, testKey, "us-east-1", at, expires))
}

func TestS06QueryCanonicalisation(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		f.put(t, "/bkt/a%20b/%2Bk", "x")
		id := f.do(t, "POST", "/bkt/k?uploads", "").want(200).element("UploadId")
		f.do(t, "POST", "/bkt/k?uploads=", "").want(200)
		got := f.list(t, "bkt", "prefix=a%20b%2F%2B&list-type=2")
		if len(got.Contents) != 1 || got.Contents[0].Key != "a b/+k" || got.Prefix != "a b/+" {
			t.Errorf("unexpected listing %+v", got)
		}
		// Unsorted, as boto3 sends it; empty pieces; a repeated name.
		f.put(t, "/bkt/k?uploadId="+id+"&partNumber=1", "part")
		f.put(t, "/bkt/k?uploadId="+id+"&&partNumber=2&x-id=UploadPart&", "part")
		f.do(t, "GET", "/bkt/k?uploadId="+id+"&max-parts=1", "").want(200)
		f.do(t, "GET", "/bkt?list-type=2&start-after=%2F%2B%3D&z=1&a=2&a=1", "").want(200)
	})
}

func TestS08HostWithPort(t *testing.T) {
	f := start(t, testConfig(store.Memory))
	f.put(t, "/bkt/k", "x")
	for _, host := range []string{f.addr, "localhost", "localhost:80", "myhost:9000", "LOCALHOST:9000", "[::1]:9000"} {
		f.send(t, call{method: "GET", target: "/bkt/k", host: host}).wantBody(200, "x")
	}
	// Signed with the default port, sent without (the Rust SDK).
	w := f.dial(t)
	head, _ := call{method: "GET", target: "/bkt/k", host: "localhost:80"}.bytes(f.addr)
	w.write([]byte(strings.Replace(string(head), "localhost:80", "localhost", 1)))
	r, err := w.read("GET")
	if err != nil {
		t.Fatalf("cannot read the reply: %v", err)
	}
	r.wantBody(200, "x")
}

func TestS10ClockSkew(t *testing.T) {
	f := start(t, testConfig(store.Memory))
	f.put(t, "/bkt/k", "x")
	for _, d := range []time.Duration{-14 * time.Minute, 14 * time.Minute, 0} {
		f.send(t, call{method: "GET", target: "/bkt/k", time: time.Now().Add(d)}).want(200)
	}
	for _, d := range []time.Duration{-16 * time.Minute, 16 * time.Minute, 1000 * time.Hour} {
		r := f.send(t, call{method: "GET", target: "/bkt/k", time: time.Now().Add(d)})
		doc := r.wantError(403, "RequestTimeTooSkewed")
		if doc.MaxAllowedSkewMilliseconds != "900000" || doc.RequestTime == "" || doc.ServerTime == "" {
			t.Errorf("unexpected error document %+v", doc)
		}
		date, err := http.ParseTime(r.header.Get("Date"))
		if err != nil || time.Since(date).Abs() > 5*time.Second {
			t.Errorf("unexpected Date %q (%v)", r.header.Get("Date"), err)
		}
	}
	cfg := testConfig(store.Memory)
	cfg.MaxSkew = 0
	off := start(t, cfg)
	off.send(t, call{method: "GET", target: "/bkt", time: time.Unix(1e9, 0)}).want(200)
}

func TestS12HarmlessQueryParameters(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		f.put(t, "/bkt/k?x-id=PutObject", "hello", "Content-Type: image/png", "Cache-Control: no-cache")
		for _, q := range []string{"x-id=GetObject", "metadata=true", "foo", "foo=&bar", "=x", "X-Amz-Foo=1", "response-content-type=", "list-type=2", "prefix=a"} {
			f.do(t, "GET", "/bkt/k?"+q, "").wantBody(200, "hello")
		}
		overrides := "response-content-type=text%2Fcsv&response-content-disposition=attachment%3B%20filename%3D%22a%20b.csv%22" +
			"&response-cache-control=max-age%3D1&response-content-language=de&response-content-encoding=gzip&response-expires=123"
		want := []string{"Content-Type: text/csv", `Content-Disposition: attachment; filename="a b.csv"`, "Cache-Control: max-age=1",
			"Content-Language: de", "Content-Encoding: gzip", "Expires: 123"}
		f.do(t, "GET", "/bkt/k?"+overrides, "").wantBody(200, "hello").wantHeader(want...)
		f.do(t, "HEAD", "/bkt/k?"+overrides, "").want(200).wantHeader(want...)
		f.do(t, "GET", "/bkt/k?"+overrides, "", "Range: bytes=1-2").wantBody(206, "el").wantHeader(want...)
		f.send(t, call{method: "GET", target: presigned(f, "GET", "/bkt/k?x-id=GetObject&"+overrides, time.Now(), time.Hour), anonymous: true}).
			wantBody(200, "hello").wantHeader(want...)
		// A line break must not start a header of its own.
		r := f.do(t, "GET", "/bkt/k?response-content-type=a%0d%0aX-Injected:%201%0d%0a%0d%0abody", "")
		if r.header.Get("X-Injected") != "" || !strings.HasSuffix(r.body, "hello") && r.status == 200 {
			t.Errorf("a header was injected\n%v", r)
		}
	})
}

func TestS13UnsignedPayload(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		f.send(t, call{method: "PUT", target: "/bkt/k", body: "hello", sha: "UNSIGNED-PAYLOAD"}).want(200)
		f.do(t, "GET", "/bkt/k", "").wantBody(200, "hello")
		for _, method := range []string{"GET", "HEAD", "DELETE"} {
			c := call{method: method, target: "/bkt/k", sha: "UNSIGNED-PAYLOAD"}
			if r := f.send(t, c); r.status >= 300 {
				t.Errorf("unexpected reply %v", r)
			}
		}
		put := presigned(f, "PUT", "/bkt/p", time.Now(), time.Hour)
		f.send(t, call{method: "PUT", target: put, body: "presigned", anonymous: true}).want(200)
		f.do(t, "GET", "/bkt/p", "").wantBody(200, "presigned")
	})
}

func TestS14BodyHashMismatch(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		f.put(t, "/bkt/k", "old")
		flip := func(b []byte) []byte { b[len(b)-1] ^= 0x20; return b }
		f.send(t, call{method: "PUT", target: "/bkt/k", body: "hello", tamper: flip}).wantError(400, "XAmzContentSHA256Mismatch")
		f.send(t, call{method: "PUT", target: "/bkt/k", body: "hello", tamper: flip, chunked: 2}).wantError(400, "XAmzContentSHA256Mismatch")
		f.do(t, "GET", "/bkt/k", "").wantBody(200, "old")
		id := f.newUpload(t, "/bkt/m")
		f.send(t, call{method: "PUT", target: "/bkt/m?partNumber=1&uploadId=" + id, body: "hello", tamper: flip}).wantError(400, "XAmzContentSHA256Mismatch")
		if parts := f.parts(t, "/bkt/m", id, ""); len(parts.Part) != 0 {
			t.Errorf("unexpected parts %+v", parts.Part)
		}
		f.send(t, call{method: "POST", target: "/bkt?delete", body: deleteBody(false, "k"), tamper: flip}).wantError(400, "XAmzContentSHA256Mismatch")
		f.do(t, "GET", "/bkt/k", "").wantBody(200, "old")
		for _, sha := range []string{"garbage", strings.Repeat("g", 64), strings.Repeat("0", 63), "STREAMING-FOO", "UNSIGNED"} {
			f.send(t, call{method: "PUT", target: "/bkt/k", body: "hello", sha: sha}).wantError(400, "InvalidArgument", "InvalidRequest", "XAmzContentSHA256Mismatch")
		}
		f.do(t, "GET", "/bkt/k", "").wantBody(200, "old")
	})
}

func TestS15AnyRegion(t *testing.T) {
	cfg := testConfig(store.Memory)
	cfg.Region = "eu-central-1"
	f := start(t, cfg)
	for _, region := range []string{"us-east-1", "eu-west-1", "auto", "local", "x"} {
		f.send(t, call{method: "HEAD", target: "/bkt", region: region}).want(200).wantHeader("x-amz-bucket-region: eu-central-1")
		f.send(t, call{method: "PUT", target: "/bkt/k", region: region, body: "x"}).want(200)
	}
	w := f.dial(t)
	head, _ := call{method: "GET", target: "/bkt/k"}.bytes(f.addr)
	w.write([]byte(strings.Replace(string(head), "/us-east-1/", "//", 1)))
	r, err := w.read("GET")
	if err != nil {
		t.Fatalf("cannot read the reply: %v", err)
	}
	r.wantError(400, "AuthorizationHeaderMalformed")
}

func TestPresignedExpiry(t *testing.T) {
	f := start(t, testConfig(store.Memory))
	f.put(t, "/bkt/k", "hello")
	get := func(at time.Time, d time.Duration) *reply {
		return f.send(t, call{method: "GET", target: presigned(f, "GET", "/bkt/k", at, d), anonymous: true})
	}
	now := time.Now()
	get(now, time.Hour).wantBody(200, "hello")
	get(now.Add(-time.Hour), 2*time.Hour).wantBody(200, "hello")
	get(now, 604800*time.Second).wantBody(200, "hello")
	get(now.Add(-2*time.Hour), time.Hour).wantError(403, "AccessDenied")
	get(now, 0).wantError(403, "AccessDenied")
	get(now, 604801*time.Second).wantError(400, "AuthorizationQueryParametersError")
	get(now, -7*time.Second).wantError(400, "AuthorizationQueryParametersError")
	good := presigned(f, "GET", "/bkt/k", now, time.Hour)
	f.send(t, call{method: "GET", target: strings.Replace(good, "/bkt/k", "/bkt/l", 1), anonymous: true}).wantError(403, "SignatureDoesNotMatch")
	f.send(t, call{method: "HEAD", target: good, anonymous: true}).wantError(403)
	f.send(t, call{method: "GET", target: good + "&versionId=null", anonymous: true}).wantError(403, "SignatureDoesNotMatch")
	// A preflight without CORS, as ceph/s3-tests asks (test_object_raw_get_x_amz_expires_not_expired).
	f.send(t, call{method: "OPTIONS", target: good, anonymous: true}).wantError(400, "BadRequest")
	f.send(t, call{method: "OPTIONS", target: good, anonymous: true, header: []string{"Origin: http://x", "Access-Control-Request-Method: GET"}}).
		wantError(403, "AccessForbidden")
}

func TestRefusedCredentials(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		f.put(t, "/bkt/k", "old")
		wrong := testKey
		wrong.SecretKey = "wrong"
		unknown := sigv4.Credential{AccessKey: "NOBODY", SecretKey: "x"}
		for _, target := range []string{"/", "/bkt", "/bkt/k", "/none/k"} {
			for _, method := range []string{"GET", "PUT", "DELETE", "POST", "HEAD"} {
				if method == "POST" && target == "/bkt" {
					continue // a form, which carries its signature in its body
				}
				f.send(t, call{method: method, target: target, body: bodyOf(method), cred: &wrong}).wantError(403, "SignatureDoesNotMatch")
				f.send(t, call{method: method, target: target, body: bodyOf(method), cred: &unknown}).wantError(403, "InvalidAccessKeyId")
				f.send(t, call{method: method, target: target, body: bodyOf(method), anonymous: true}).wantError(403, "AccessDenied")
			}
		}
		doc := f.send(t, call{method: "GET", target: "/bkt/k", cred: &wrong}).wantError(403, "SignatureDoesNotMatch")
		if !strings.HasPrefix(doc.StringToSign, "AWS4-HMAC-SHA256\n") || !strings.HasPrefix(doc.CanonicalRequest, "GET\n/bkt/k\n") || len(doc.SignatureProvided) != 64 {
			t.Errorf("unexpected error document %+v", doc)
		}
		f.do(t, "GET", "/bkt/k", "").wantBody(200, "old")
		f.send(t, call{method: "GET", target: "/bkt/k", anonymous: true, header: []string{"Authorization: AWS NOBODY:c2ln"}}).wantError(400, "InvalidRequest")
		f.send(t, call{method: "GET", target: "/bkt/k", anonymous: true, header: []string{"Authorization: AWS4-HMAC-SHA256 garbage"}}).wantError(400, "AuthorizationHeaderMalformed")
	})
}

func bodyOf(method string) string {
	if method == "PUT" || method == "POST" {
		return "body of " + method
	}
	return ""
}

// TestNoCredentials: without key pairs everybody may do everything, and the
// framing of bodies is understood all the same.
func TestNoCredentials(t *testing.T) {
	for _, skip := range []bool{false, true} {
		cfg := testConfig(store.Memory)
		if skip {
			cfg.SkipSigVerify = true
		} else {
			cfg.Credentials = nil
		}
		f := start(t, cfg)
		other := sigv4.Credential{AccessKey: "ANY", SecretKey: "any"}
		f.send(t, call{method: "PUT", target: "/bkt/a", body: "anonymous", anonymous: true}).want(200)
		f.send(t, call{method: "PUT", target: "/bkt/b", body: "other", cred: &other, time: time.Unix(1e9, 0)}).want(200)
		f.send(t, call{method: "PUT", target: "/bkt/c", body: "streamed", cred: &other, stream: sigv4.PayloadStreamingSigned, chunk: 3}).want(200)
		f.send(t, call{method: "GET", target: "/bkt/a", anonymous: true}).wantBody(200, "anonymous")
		f.send(t, call{method: "GET", target: "/bkt/b", anonymous: true}).wantBody(200, "other")
		f.send(t, call{method: "GET", target: "/bkt/c", anonymous: true}).wantBody(200, "streamed").wantHeader("Content-Length: " + strconv.Itoa(8))
	}
}

func TestP02Health(t *testing.T) {
	cfg := testConfig(store.Synth)
	cfg.Buckets = nil
	f := start(t, cfg)
	f.send(t, call{method: "GET", target: "/_s3ultra/health", anonymous: true}).wantBody(200, "ok\n")
	f.send(t, call{method: "HEAD", target: "/_s3ultra/health", anonymous: true}).wantBody(200, "")
	f.send(t, call{method: "GET", target: "/_s3ultra/health?x=1", anonymous: true}).want(200)
	f.do(t, "PUT", "/_s3ultra", "").wantError(400, "InvalidBucketName")
}
