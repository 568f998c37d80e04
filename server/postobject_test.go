package server_test

import (
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/s3ultra/s3ultra/server"
	"github.com/s3ultra/s3ultra/sigv4"
	"github.com/s3ultra/s3ultra/store"
)

// field is one part of a form; with a file name if that is not "".
type field struct{ name, value, filename string }

const boundary = "------------------------d74496d66958873e"

// form returns a form's body as browsers write it.
func form(fields ...field) string {
	var b strings.Builder
	for _, f := range fields {
		fmt.Fprintf(&b, "--%s\r\nContent-Disposition: form-data; name=\"%s\"", boundary, f.name)
		if f.filename != "" {
			fmt.Fprintf(&b, "; filename=\"%s\"\r\nContent-Type: image/gif", f.filename)
		}
		fmt.Fprintf(&b, "\r\n\r\n%s\r\n", f.value)
	}
	fmt.Fprintf(&b, "--%s--\r\n", boundary)
	return b.String()
}

// post is the call that sends a form's body, without any header signature.
func post(target, body string) call {
	return call{method: "POST", target: target, body: body, anonymous: true,
		header: []string{"Content-Type: multipart/form-data; boundary=" + boundary}}
}

// policy returns a policy for bkt with the conditions given besides those that
// every signed form needs.
func policy(expires time.Time, conditions ...any) []byte {
	all := []any{
		map[string]string{"bucket": "bkt"},
		[]any{"starts-with", "$key", ""},
		[]any{"starts-with", "$x-amz-algorithm", ""},
		[]any{"starts-with", "$x-amz-credential", ""},
		[]any{"starts-with", "$x-amz-date", ""},
	}
	doc, err := json.Marshal(map[string]any{
		"expiration": expires.UTC().Format("2006-01-02T15:04:05.000Z"),
		"conditions": append(all, conditions...),
	})
	if err != nil {
		panic(err)
	}
	return doc
}

// signedV4 returns the fields that sign a policy.
func signedV4(doc []byte) []field {
	p := sigv4.SignPolicy(doc, testKey, "us-east-1", time.Now())
	return []field{
		{"Policy", string(p.Policy), ""}, {"X-Amz-Algorithm", string(p.Algorithm), ""},
		{"X-Amz-Credential", string(p.Credential), ""}, {"X-Amz-Date", string(p.Date), ""},
		{"X-Amz-Signature", string(p.Signature), ""},
	}
}

// signedV2 is signedV4 with the older signature; the policy must not have
// conditions for fields that are not there.
func signedV2(doc []byte) []field {
	p := sigv4.SignPolicyV2(doc, testKey)
	return []field{{"policy", string(p.Policy), ""}, {"AWSAccessKeyId", string(p.AccessKeyV2), ""}, {"signature", string(p.SignatureV2), ""}}
}

// postSigned posts to bkt the fields that sign the conditions, then fields.
func postSigned(t *testing.T, f *fixture, conditions []any, fields ...field) *reply {
	t.Helper()
	return f.send(t, post("/bkt", form(append(signedV4(policy(time.Now().Add(time.Hour), conditions...)), fields...)...)))
}

func TestPostObject(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		for _, n := range []int{0, 1, keepSmall - 1, keepSmall, 4095, 4096, 4097, 300_000, 5 << 20} {
			body, key := letters(n), fmt.Sprintf("dir/%d", n)
			r := postSigned(t, f, nil, field{"key", key, ""}, field{"file", body, "x.gif"}).want(204)
			if r.body != "" {
				t.Errorf("unexpected body %q", r.body)
			}
			r.wantHeader("Location: http://" + f.addr + "/bkt/" + key)
			f.do(t, "GET", "/bkt/"+key, "").wantBody(200, f.served("bkt", key, body)).wantHeader("Etag: " + r.etag())
			if f.served("bkt", key, body) == body {
				if want := fmt.Sprintf("\"%x\"", md5.Sum([]byte(body))); r.etag() != want {
					t.Errorf("unexpected ETag of %d bytes; got %s; want %s", n, r.etag(), want)
				}
			}
		}
	})
}

// Lines that begin like the boundary belong to the file, at any place of the
// reader's buffers.
func TestPostObjectBoundaryLookalikes(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		for shift := range 80 {
			body := letters(4096-shift) + "\r\n--" + boundary + "x\r\n--" + boundary[:10] + "\r\n" + letters(4000) + "\r\n--" + boundary[:len(boundary)-1]
			postSigned(t, f, nil, field{"key", "k", ""}, field{"file", body, ""}).want(204)
			f.do(t, "GET", "/bkt/k", "").wantBody(200, f.served("bkt", "k", body))
		}
	})
}

func TestPostObjectV2(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		doc := []byte(`{"expiration": "2099-01-01T00:00:00Z", "conditions": [{"bUcKeT": "bkt"}, ["StArTs-WiTh", "$KeY", "foo"], {"acl": "private"}]}`)
		fields := append(signedV2(doc), field{"kEy", "foo.txt", "kEy"}, field{"acl", "private", "acl"}, field{"file", "bar", "file"})
		f.send(t, post("/bkt/", form(fields...))).want(204)
		f.do(t, "GET", "/bkt/foo.txt", "").wantBody(200, "bar")
		fields[2].value = "AAAAAAAAAAAAAAAAAAAAAAAAAAA="
		f.send(t, post("/bkt", form(fields...))).wantError(403, "SignatureDoesNotMatch")
	})
}

func TestPostObjectFilename(t *testing.T) {
	f := start(t, testConfig(store.Synth))
	row := func(key, filename, want string) {
		t.Helper()
		postSigned(t, f, nil, field{"key", key, ""}, field{"file", "bar", filename}).want(204)
		f.do(t, "DELETE", "/bkt/"+escape(want), "").want(204)
		if list := f.do(t, "GET", "/bkt?list-type=2", ""); list.element("KeyCount") != "0" {
			t.Errorf("unexpected key of %q with file %q; want %q\n%v", key, filename, want, list)
		}
	}
	row("u/${filename}", "a b.txt", "u/a b.txt")
	row("u/${filename}", `C:\\dir\\a.txt`, "u/a.txt")
	row("u/${filename}", `C:\dir\a.txt`, "u/a.txt")
	row("u/${filename}", "/home/me/a.txt", "u/a.txt")
	row("${filename}/${filename}", "ä.txt", "ä.txt/ä.txt")
	row("u/${filename}", "", "u/")
	row(`\$filename ${file`, "a", `\$filename ${file`)
}

func TestPostObjectMetadata(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		any := func(names ...string) (list []any) {
			for _, n := range names {
				list = append(list, []any{"starts-with", "$" + n, ""})
			}
			return list
		}
		postSigned(t, f, any("Content-Type", "Cache-Control", "x-amz-meta-Foo"),
			field{"key", "k", ""}, field{"Content-Type", "text/plain", ""}, field{"Cache-Control", "no-cache", ""},
			field{"X-Amz-Meta-Foo", "bar", ""}, field{"x-ignore-a", "1", ""}, field{"x-ignore-a", "2", ""},
			field{"file", "x", "x.gif"}, field{"submit", "Upload", ""}).want(204)
		f.do(t, "HEAD", "/bkt/k", "").wantHeader("Content-Type: text/plain", "Cache-Control: no-cache", "X-Amz-Meta-Foo: bar")

		refused := func(code string, fields ...field) {
			t.Helper()
			status := 400
			if code == "NotImplemented" {
				status = 501
			}
			var names []string
			for _, x := range fields {
				names = append(names, x.name)
			}
			postSigned(t, f, any(names...), append(append([]field{{"key", "bad", ""}}, fields...), field{"file", "x", ""})...).wantError(status, code)
		}
		refused("InvalidArgument", field{"x-amz-meta-a", "1\r\nSet-Cookie: a", ""})
		refused("InvalidArgument", field{"content-type", "a\nb", ""})
		refused("InvalidArgument", field{"x-amz-meta-a: b", "1", ""})
		refused("InvalidArgument", field{"x-amz-meta-a", "1", ""}, field{"X-Amz-Meta-A", "2", ""})
		refused("InvalidStorageClass", field{"x-amz-storage-class", "FAST", ""})
		refused("MetadataTooLarge", field{"x-amz-meta-a", letters(3000), ""})
		refused("NotImplemented", field{"x-amz-server-side-encryption", "AES256", ""})
		f.do(t, "HEAD", "/bkt/bad", "").want(404)
	})
}

func TestPostObjectChecksums(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		body := letters(3000)
		sum, sum5 := sha256.Sum256([]byte(body)), md5.Sum([]byte(body))
		right, right5 := base64.StdEncoding.EncodeToString(sum[:]), base64.StdEncoding.EncodeToString(sum5[:])
		cover := []any{[]any{"starts-with", "$content-md5", ""}}
		// Checksums need no condition.
		postSigned(t, f, nil, field{"key", "k", ""}, field{"x-amz-checksum-sha256", right, ""},
			field{"x-amz-sdk-checksum-algorithm", "SHA256", ""}, field{"file", body, ""}).want(204).wantHeader("X-Amz-Checksum-Sha256: " + right)
		if f.served("bkt", "k", body) == body {
			f.do(t, "HEAD", "/bkt/k", "", "x-amz-checksum-mode: ENABLED").wantHeader("X-Amz-Checksum-Sha256: " + right)
		}
		postSigned(t, f, cover, field{"key", "k", ""}, field{"content-md5", right5, ""}, field{"file", body, ""}).want(204)

		postSigned(t, f, nil, field{"key", "bad", ""}, field{"x-amz-checksum-sha256", right, ""}, field{"file", body + "x", ""}).wantError(400, "BadDigest")
		postSigned(t, f, cover, field{"key", "bad", ""}, field{"content-md5", right5, ""}, field{"file", body + "x", ""}).wantError(400, "BadDigest")
		postSigned(t, f, nil, field{"key", "bad", ""}, field{"x-amz-checksum-sha256", "sailorjerry", ""}, field{"file", body, ""}).wantError(400, "InvalidRequest")
		postSigned(t, f, cover, field{"key", "bad", ""}, field{"content-md5", "x", ""}, field{"file", body, ""}).wantError(400, "InvalidDigest")
		f.do(t, "HEAD", "/bkt/bad", "").want(404)
	})
}

func TestPostObjectReply(t *testing.T) {
	f := start(t, testConfig(store.Synth))
	send := func(name, value string) *reply {
		t.Helper()
		return postSigned(t, f, []any{[]any{"starts-with", "$" + name, ""}}, field{"key", "a&b", ""}, field{name, value, ""}, field{"file", "x", ""})
	}
	send("success_action_status", "200").want(200)
	send("success_action_status", "204").want(204)
	send("success_action_status", "404").want(204)
	r := send("success_action_status", "201").want(201).wantHeader("Content-Type: application/xml", "Location: http://"+f.addr+"/bkt/a%26b")
	for name, want := range map[string]string{"Bucket": "bkt", "Key": "a&b", "ETag": r.etag(), "Location": "http://" + f.addr + "/bkt/a%26b"} {
		if got := r.element(name); got != want {
			t.Errorf("unexpected %s; got %q; want %q", name, got, want)
		}
	}
	added := "bucket=bkt&key=a%26b&etag=%22" + strings.Trim(r.etag(), `"`) + "%22"
	for _, name := range []string{"success_action_redirect", "redirect"} {
		r := send(name, "http://example.com/done").want(303)
		// Synthetic ETags of equal content are equal, so is the address.
		r.wantHeader("Location: http://example.com/done?" + added)
		send(name, "https://example.com/?a=b#c").want(303).wantHeader("Location: https://example.com/?a=b&" + added + "#c")
		send(name, "javascript:alert(1)").want(204)
		send(name, "http://a\r\nb/").want(204)
	}
}

func TestPostObjectPolicy(t *testing.T) {
	f := start(t, testConfig(store.Synth))
	hour := time.Now().Add(time.Hour)
	send := func(doc []byte, fields ...field) *reply {
		t.Helper()
		return f.send(t, post("/bkt", form(append(append(signedV4(doc), fields...), field{"file", "body", ""})...)))
	}
	key := field{"key", "k", ""}
	eq := func(name, value string) any { return []any{"eq", "$" + name, value} }
	with := func(conditions ...any) []byte { return policy(hour, conditions...) }
	rows := []struct {
		name   string
		doc    []byte
		fields []field
		status int
		code   string
	}{
		{"expired", policy(time.Now().Add(-time.Second)), []field{key}, 403, "AccessDenied"},
		{"eq holds", with(eq("acl", "private")), []field{key, {"acl", "private", ""}}, 204, ""},
		{"eq fails", with(eq("acl", "private")), []field{key, {"acl", "public-read", ""}}, 403, "AccessDenied"},
		{"eq is case-sensitive", with(eq("acl", "private")), []field{key, {"acl", "Private", ""}}, 403, "AccessDenied"},
		{"no such field", with(eq("acl", "")), []field{key}, 403, "AccessDenied"},
		{"starts-with fails", with([]any{"starts-with", "$key", "x"}), []field{key}, 403, "AccessDenied"},
		{"field not covered", with(), []field{key, {"acl", "private", ""}}, 403, "AccessDenied"},
		{"types hold", with([]any{"starts-with", "$Content-Type", "image/"}), []field{key, {"Content-Type", "image/gif, image/png", ""}}, 204, ""},
		{"types fail", with([]any{"starts-with", "$Content-Type", "image/"}), []field{key, {"Content-Type", "image/gif,text/html", ""}}, 403, "AccessDenied"},
		{"other bucket", with(map[string]string{"bucket": "other"}), []field{key, {"bucket", "other", ""}}, 403, "AccessDenied"},
		{"size fits", with([]any{"content-length-range", 4, 4}), []field{key}, 204, ""},
		{"size in strings", with([]any{"content-length-range", "0", "10"}), []field{key}, 204, ""},
		{"too large", with([]any{"content-length-range", 0, 3}), []field{key}, 400, "EntityTooLarge"},
		{"too small", with([]any{"content-length-range", 5, 10}), []field{key}, 400, "EntityTooSmall"},
		{"two ranges", with([]any{"content-length-range", 0, 10}, []any{"content-length-range", 0, 3}), []field{key}, 400, "EntityTooLarge"},
		{"range of one", with([]any{"content-length-range", 0}), []field{key}, 400, "InvalidPolicyDocument"},
		{"negative range", with([]any{"content-length-range", -1, 10}), []field{key}, 400, "InvalidPolicyDocument"},
		{"empty condition", with(map[string]string{}), []field{key}, 400, "InvalidPolicyDocument"},
		{"not JSON", []byte("{"), []field{key}, 400, "InvalidPolicyDocument"},
		{"no bucket", []byte(`{"expiration":"2099-01-01T00:00:00Z","conditions":[["starts-with","$key",""],["starts-with","$x-amz-algorithm",""],["starts-with","$x-amz-credential",""],["starts-with","$x-amz-date",""]]}`),
			[]field{key}, 403, "AccessDenied"},
		{"no key", with(), nil, 400, "InvalidArgument"},
		{"empty key", with(), []field{{"key", "", ""}}, 400, "InvalidArgument"},
		{"long key", with(), []field{{"key", letters(1025), ""}}, 400, "KeyTooLongError"},
		{"two keys", with(), []field{key, {"Key", "l", ""}}, 400, "InvalidArgument"},
		{"two policies", with(), []field{key, {"policy", "e30=", ""}}, 400, "InvalidArgument"},
	}
	for _, row := range rows {
		r := send(row.doc, row.fields...)
		if row.code != "" {
			r.wantError(row.status, row.code)
			f.do(t, "HEAD", "/bkt/k", "").check(404)
		} else if r.check(row.status) {
			f.do(t, "DELETE", "/bkt/k", "").want(204)
		}
		if t.Failed() {
			t.Fatalf("in row %q", row.name)
		}
	}
}

func TestPostObjectAuthentication(t *testing.T) {
	f := start(t, testConfig(store.Synth))
	upload := []field{{"key", "k", ""}, {"file", "x", ""}}
	f.send(t, post("/bkt", form(upload...))).wantError(403, "AccessDenied")
	// A signature in the header does not stand in for the form's.
	c := post("/bkt", form(upload...))
	c.anonymous = false
	f.send(t, c).wantError(403, "AccessDenied")
	signed := signedV4(policy(time.Now().Add(time.Hour)))
	for i := range signed {
		fields := append(append([]field(nil), signed[:i]...), signed[i+1:]...)
		f.send(t, post("/bkt", form(append(fields, upload...)...))).wantError(400, "InvalidArgument")
	}
	// The operation that needs no header signature is this one only.
	for _, target := range []string{"/bkt?delete", "/bkt?uploads", "/bkt/k", "/bkt/k?uploads"} {
		f.send(t, post(target, form(append(signed, upload...)...))).wantError(403, "AccessDenied")
	}
	f.send(t, call{method: "POST", target: "/bkt", body: "x", anonymous: true, header: []string{"Content-Type: text/plain"}}).wantError(412, "PreconditionFailed")
	f.send(t, post("/nowhere", form(append(signed, upload...)...))).wantError(404, "NoSuchBucket")
	f.do(t, "HEAD", "/bkt/k", "").want(404)

	for name, edit := range map[string]func(cfg *server.Config){
		"no keys":         func(cfg *server.Config) { cfg.Credentials = nil },
		"skip sig verify": func(cfg *server.Config) { cfg.SkipSigVerify = true },
	} {
		cfg := testConfig(store.Synth)
		edit(&cfg)
		open := start(t, cfg)
		open.send(t, post("/bkt", form(upload...))).want(204)
		open.send(t, post("/bkt", form(append([]field{{"policy", "junk", ""}, {"acl", "x", ""}}, upload...)...))).want(204)
		if got := open.do(t, "GET", "/bkt/k", ""); got.body != "x" {
			t.Errorf("%s: unexpected object %q", name, got.body)
		}
	}
}

func TestPostObjectMalformed(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		signed := signedV4(policy(time.Now().Add(time.Hour)))
		whole := form(append(signed, field{"key", "k", ""}, field{"file", letters(9000), ""})...)
		row := func(name, body string, codes ...string) {
			t.Helper()
			if f.send(t, post("/bkt", body)).wantError(400, codes...); t.Failed() {
				t.Fatalf("in row %q", name)
			}
		}
		row("empty", "", "MalformedPOSTRequest", "InvalidArgument")
		row("no form", "hello", "MalformedPOSTRequest")
		row("no parts", form(), "InvalidArgument")
		row("no file", form(append(signed, field{"key", "k", ""})...), "InvalidArgument")
		row("two files", form(append(signed, field{"key", "k", ""}, field{"file", "a", ""}, field{"file", "b", ""})...), "InvalidArgument")
		row("key after the file", form(append(signed, field{"file", "a", ""}, field{"key", "k", ""})...), "InvalidArgument")
		row("no name", strings.Replace(whole, `form-data; name="key"`, "form-data", 1), "MalformedPOSTRequest")
		end := strings.LastIndex(whole, "\r\n--"+boundary)
		row("no final boundary", whole[:end], "MalformedPOSTRequest")
		row("half a boundary", whole[:end+20], "MalformedPOSTRequest")
		row("boundary without its dashes", whole[:end+4+len(boundary)], "MalformedPOSTRequest")
		row("boundary of a part that does not come", whole[:end+4+len(boundary)]+"\r\n", "MalformedPOSTRequest")
		row("headers of a part that does not come", whole[:end+4+len(boundary)]+"\r\nX: y\r\n\r\n", "MalformedPOSTRequest")
		row("final boundary of another form", strings.Replace(whole, boundary+"--", boundary+"x--", 1), "MalformedPOSTRequest")
		row("fields too large", form(append(signed, field{"key", "k", ""}, field{"x-ignore-a", letters(20 << 10), ""}, field{"file", "x", ""})...), "MaxPostPreDataLengthExceededError")
		row("variables too large", form(append(signed, field{"key", "k", ""}, field{"x-ignore-a", strings.Repeat("${filename}", 1000), ""}, field{"file", "x", letters(2000)})...), "MaxPostPreDataLengthExceededError")
		row("part header too large", "--"+boundary+"\r\nX: "+letters(100_000)+"\r\n"+whole, "MaxPostPreDataLengthExceededError")
		row("preamble too large", strings.Repeat("line\r\n", 20_000)+whole, "MaxPostPreDataLengthExceededError")
		row("header after the file too large", whole[:end]+"\r\n--"+boundary+"\r\nX: "+letters(100_000)+"\r\n\r\nx\r\n--"+boundary+"--\r\n", "MaxPostPreDataLengthExceededError")
		for _, header := range []string{"multipart/form-data", "multipart/form-data; boundary=" + letters(71), "multipart/form-data; boundary="} {
			c := post("/bkt", whole)
			c.header = []string{"Content-Type: " + header}
			f.send(t, c).wantError(400, "MalformedPOSTRequest")
		}
		f.do(t, "HEAD", "/bkt/k", "").want(404)
		// Without a line break at the end.
		f.send(t, post("/bkt", strings.TrimSpace(whole))).want(204)
		f.do(t, "DELETE", "/bkt/k", "").want(204)
		// What surrounds the form, and large ignored fields after the file.
		f.send(t, post("/bkt", "preamble\r\n"+form(append(signed, field{"key", "k", ""}, field{"file", "x", ""}, field{"late", letters(200_000), ""})...)+letters(100_000))).want(204)
		f.do(t, "GET", "/bkt/k", "").wantBody(200, "x")
	})
}

// A body that ends early publishes nothing, wherever it ends.
func TestPostObjectTruncated(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		whole := form(append(signedV4(policy(time.Now().Add(time.Hour))), field{"key", "k", ""}, field{"file", letters(9000), ""})...)
		head, _ := post("/bkt", whole).bytes(f.addr)
		for _, n := range []int{1, 50, 500, 2000, len(whole) - 9000, len(whole) - len(boundary) - 8, len(whole) - len(boundary), len(whole) - 4, len(whole) - 2, len(whole) - 1} {
			w := f.dial(t)
			w.write(head, []byte(whole[:n]))
			if err := w.conn.(*net.TCPConn).CloseWrite(); err != nil {
				t.Fatal(err)
			}
			r, err := w.read("POST")
			if err != nil {
				t.Fatalf("cannot read the reply after %d of %d bytes: %v", n, len(whole), err)
			}
			r.t = t
			// fasthttp itself refuses a body that ends within its first read.
			r.wantError(400, "IncompleteBody", "BadRequest")
			f.do(t, "HEAD", "/bkt/k", "").want(404)
		}
		c := post("/bkt", whole)
		c.chunked = 1000
		f.send(t, c).want(204)
		f.do(t, "GET", "/bkt/k", "").wantBody(200, f.served("bkt", "k", letters(9000)))
	})
}

func TestPostObjectVirtualHost(t *testing.T) {
	f := start(t, testConfig(store.Synth))
	c := post("/", form(append(signedV4(policy(time.Now().Add(time.Hour))), field{"key", "a b", ""}, field{"file", "x", ""})...))
	c.host = "bkt.localhost:9000"
	f.send(t, c).want(204).wantHeader("Location: http://bkt.localhost:9000/a%20b")
	f.do(t, "GET", "/bkt/a%20b", "").wantBody(200, "x")
}

func TestPostObjectMemoryLimit(t *testing.T) {
	cfg := testConfig(store.Memory)
	cfg.MemoryLimit = 8 << 20
	f := start(t, cfg)
	postSigned(t, f, nil, field{"key", "k", ""}, field{"file", letters(16 << 20), ""}).wantError(507, "InsufficientStorage")
	f.do(t, "HEAD", "/bkt/k", "").want(404)
	postSigned(t, f, nil, field{"key", "k", ""}, field{"file", letters(1 << 20), ""}).want(204)
}
