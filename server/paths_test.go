package server_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/s3ultra/s3ultra/server"
	"github.com/s3ultra/s3ultra/store"
)

func TestS01PlusSpaceAndPercentInKeys(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		for i, row := range []struct{ wire, key string }{
			{"a%2Bb%20c", "a+b c"},
			{"100%25", "100%"},
			{"a+b", "a+b"}, // literal: as received
			{"a%20b", "a b"},
			{"%20", " "},
			{"%C3%A9%E2%82%AC", "é€"},
			{"%c3%a9", "é"}, // lower-case hex
			{"d/%28x%29", "d/(x)"},
			{"d/(y)'!*", "d/(y)'!*"},
			{"%3FversionId", "?versionId"},
			{"a%3Db%26c", "a=b&c"},
			{"a=b&c;d:e@f,g$h", "a=b&c;d:e@f,g$h"},
			{"%7Etilde", "~tilde"},
			{"~t", "~t"},
		} {
			body := fmt.Sprintf("body %d", i)
			f.put(t, "/bkt/"+row.wire, body)
			f.do(t, "GET", "/bkt/"+row.wire, "").wantBody(200, body)
			f.do(t, "GET", "/bkt/"+escape(row.key), "").wantBody(200, body)
			f.do(t, "HEAD", "/bkt/"+escape(row.key), "").want(200)
			got := f.list(t, "bkt", "list-type=2&prefix="+escapeQuery(row.key))
			if len(got.Contents) == 0 || got.Contents[0].Key != row.key {
				t.Errorf("unexpected listing of %q; got %+v", row.key, got.Contents)
			}
			f.do(t, "DELETE", "/bkt/"+row.wire, "").want(204)
			f.do(t, "GET", "/bkt/"+row.wire, "").wantError(404, "NoSuchKey")
		}
	})
}

func TestS02EncodedSlash(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		f.put(t, "/bkt/%252F", "text")
		f.put(t, "/bkt/a%2Fb", "slash")
		f.do(t, "GET", "/bkt/a/b", "").wantBody(200, "slash")
		f.do(t, "GET", "/bkt/a%2fb", "").wantBody(200, "slash")
		f.do(t, "GET", "/bkt/%252F", "").wantBody(200, "text")
		f.wantKeys(t, "bkt", "%2F", "a/b")
		// An encoded slash is part of the bucket's segment: no bucket has it.
		f.do(t, "GET", "/bkt%2Fa/b", "").wantError(404, "NoSuchBucket")
	})
}

func TestS03DoubleSlashes(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		keys := []string{"/x", "x", "a//b", "a/b", "//x", "x//", "/", "//", "s3://bkt/data//file", "a/"}
		for _, k := range keys {
			f.put(t, "/bkt/"+k, "body of "+k)
		}
		for _, k := range keys {
			f.do(t, "GET", "/bkt/"+k, "").wantBody(200, "body of "+k)
			f.do(t, "HEAD", "/bkt/"+k, "").want(200)
		}
		f.wantKeys(t, "bkt", keys...)
		// A key that is a full URI, encoded as the SDKs do.
		f.put(t, "/bkt/s3%3A//bkt/data//file", "again")
		f.do(t, "GET", "/bkt/s3://bkt/data//file", "").wantBody(200, "again")
		got := f.list(t, "bkt", "list-type=2&prefix=s3%3A%2F%2F&delimiter=%2F")
		if len(got.CommonPrefixes) != 1 || got.CommonPrefixes[0].Prefix != "s3://bkt/" {
			t.Errorf("unexpected common prefixes %+v", got.CommonPrefixes)
		}
		f.do(t, "DELETE", "/bkt//x", "").want(204)
		f.do(t, "GET", "/bkt/x", "").wantBody(200, "body of x")
		// Two slashes before the bucket name no bucket.
		f.do(t, "GET", "//bkt/x", "").wantError(400, "InvalidBucketName")
	})
}

func TestS04DotSegments(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		for _, wire := range []string{
			"../other/k", "%2e%2e/other/k", "%2E%2e%2Fother%2Fk", "../a/./b", ".", "..", "./k", "k/..", "k/../../other/k",
			"..%2fother/k", "...", "a/.", "..%5Cother%5Ck",
		} {
			f.put(t, "/bkt/"+wire, wire)
			f.do(t, "GET", "/bkt/"+wire, "").wantBody(200, wire)
			f.do(t, "DELETE", "/bkt/"+wire, "").want(204)
		}
		f.wantKeys(t, "other")
		f.wantKeys(t, "bkt")
		// The first segment is the bucket, whatever it is.
		for _, target := range []string{"/../other/k", "/./bkt/k", "/%2e%2e/other/k"} {
			r := f.do(t, "PUT", target, "x")
			r.wantError(r.status, "NoSuchBucket", "InvalidBucketName")
		}
		f.wantKeys(t, "other")
	})
}

// TestKeysOfAnyByte puts every byte value into a key, alone and between others.
func TestKeysOfAnyByte(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		var keys []string
		for c := 0; c < 256; c++ {
			keys = append(keys, string([]byte{byte(c)}), "p"+string([]byte{byte(c)})+"s")
		}
		for _, k := range keys {
			f.put(t, "/bkt/"+escape(k), k)
		}
		for _, k := range keys {
			r := f.do(t, "GET", "/bkt/"+escape(k), "").wantBody(200, k)
			r.wantHeader("Content-Length: " + fmt.Sprint(len(k)))
		}
		f.wantKeys(t, "bkt", keys...)
		for _, k := range keys {
			f.do(t, "DELETE", "/bkt/"+escape(k), "").want(204)
		}
		f.wantKeys(t, "bkt")
	})
}

func TestKeyLength(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		for _, row := range []struct {
			key string
			ok  bool
		}{
			{strings.Repeat("k", 1024), true},
			{strings.Repeat("k", 1025), false},
			{strings.Repeat("é", 512), true},
			{strings.Repeat("é", 512) + "k", false},
			{strings.Repeat("€", 341) + "k", true},
			{strings.Repeat("\xff", 1024), true},
			{strings.Repeat("/", 1024), true},
			{strings.Repeat("/", 1025), false},
		} {
			target := "/bkt/" + escape(row.key)
			if row.ok {
				f.put(t, target, "x")
				f.do(t, "GET", target, "").wantBody(200, "x")
				f.do(t, "PUT", "/bkt/copy", "", "x-amz-copy-source: bkt/"+escape(row.key)).want(200)
				f.do(t, "DELETE", target, "").want(204)
				continue
			}
			f.do(t, "PUT", target, "x").wantError(400, "KeyTooLongError")
			f.do(t, "GET", target, "").wantError(400, "KeyTooLongError")
			f.do(t, "POST", target+"?uploads", "").wantError(400, "KeyTooLongError")
			f.do(t, "HEAD", target, "").wantError(400)
		}
	})
}

// TestLongTarget sends targets and header blocks of the sizes presigned URLs
// with session tokens reach.
func TestLongTarget(t *testing.T) {
	f := start(t, testConfig(store.Memory))
	key := strings.Repeat("%E2%82%AC", 341) // 3 KiB on the wire
	target := "/bkt/" + key + "?x-id=PutObject&token=" + strings.Repeat("t", 1000)
	f.put(t, target, "long", "x-amz-security-token: "+strings.Repeat("T", 2000))
	f.do(t, "GET", target, "").wantBody(200, "long")
}

func TestBrokenPercentEncoding(t *testing.T) {
	f := start(t, testConfig(store.Memory))
	for _, target := range []string{"/bkt/100%", "/bkt/%", "/bkt/%2", "/bkt/%zz", "/bkt/a%2gb", "/b%kt/a"} {
		f.do(t, "PUT", target, "x").wantError(400, "InvalidURI")
		f.do(t, "GET", target, "").wantError(400, "InvalidURI")
	}
	f.wantKeys(t, "bkt")
}

// TestBodyOnGet: bytes that came as the body of a request without one are
// neither an error nor the next request.
func TestBodyOnGet(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		f.put(t, "/bkt/k", "hello")
		smuggled := "GET /other/x HTTP/1.1\r\nHost: " + f.addr + "\r\n\r\n"
		for _, method := range []string{"GET", "HEAD", "DELETE"} {
			for _, chunked := range []int{0, 7} {
				w := f.dial(t)
				w.do(call{method: method, target: "/bkt/k2?x-id=1", body: smuggled, chunked: chunked,
					header: bodyLength(chunked, len(smuggled))})
				w.do(call{method: "GET", target: "/bkt/k"}).wantBody(200, "hello")
			}
		}
	})
}

func bodyLength(chunked, n int) []string {
	if chunked > 0 {
		return nil
	}
	return []string{fmt.Sprintf("Content-Length: %d", n)}
}

func TestH15VirtualHosts(t *testing.T) {
	cfg := testConfig(store.Memory)
	cfg.Domains = []string{"S3.example.com", "127.0.0.9"}
	cfg.Buckets = append(cfg.Buckets, server.BucketSpec{Name: "my.dotted", Mode: store.Memory})
	f := start(t, cfg)
	f.put(t, "/bkt/k", "in bkt")
	f.put(t, "/bkt/bkt/k", "in bkt/bkt")
	f.put(t, "/my.dotted/k", "in dotted")
	for _, row := range []struct{ host, target, want string }{
		{"bkt.localhost:9000", "/k", "in bkt"},
		{"bkt.localhost", "/k", "in bkt"},
		{"BKT.LocalHost", "/k", "in bkt"},
		{"bkt.s3.example.com", "/k", "in bkt"},
		{"bkt.S3.EXAMPLE.COM:443", "/k", "in bkt"},
		{"bkt.localhost", "/bkt/k", "in bkt/bkt"},
		{"my.dotted.localhost", "/k", "in dotted"},
		{"localhost:9000", "/bkt/k", "in bkt"},
		{"s3.example.com", "/bkt/k", "in bkt"},
		{"127.0.0.1:9000", "/bkt/k", "in bkt"},
		{"127.0.0.9", "/bkt/k", "in bkt"},
		{"[::1]:9000", "/bkt/k", "in bkt"},
		{"myhost.lan:9000", "/bkt/k", "in bkt"},
		{"notlocalhost", "/bkt/k", "in bkt"},
	} {
		f.send(t, call{method: "GET", target: row.target, host: row.host}).wantBody(200, row.want)
	}
	f.send(t, call{method: "GET", target: "/?list-type=2", host: "bkt.localhost"}).want(200)
	f.send(t, call{method: "HEAD", target: "/", host: "bkt.localhost"}).want(200)
	f.send(t, call{method: "PUT", target: "/", host: "born.localhost"}).want(200)
	f.do(t, "HEAD", "/born", "").want(200)
	f.send(t, call{method: "GET", target: "/k", host: "none.localhost"}).wantError(404, "NoSuchBucket")
	f.send(t, call{method: "GET", target: "/k", host: "bkt.unknown.lan"}).wantError(404, "NoSuchBucket")
	f.send(t, call{method: "PUT", target: "//k", host: "bkt.localhost", body: "slash"}).want(200)
	f.do(t, "GET", "/bkt//k", "").wantBody(200, "slash")
}

// TestAbsoluteFormTarget: proxies send the whole URI (RFC 9112, 3.2.2).
func TestAbsoluteFormTarget(t *testing.T) {
	cfg := testConfig(store.Memory)
	cfg.Credentials = nil
	f := start(t, cfg)
	f.put(t, "/bkt/a//b", "x")
	f.send(t, call{method: "GET", target: "http://" + f.addr + "/bkt/a//b", anonymous: true}).wantBody(200, "x")
	f.put(t, "/bkt/http://z/k", "uri")
	f.do(t, "GET", "/bkt/http://z/k", "").wantBody(200, "uri")
}
