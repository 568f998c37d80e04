package server_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/s3ultra/s3ultra/server"
	"github.com/s3ultra/s3ultra/store"
)

// TestW01UnknownSubresource: a sub-resource that is not served touches nothing.
func TestW01UnknownSubresource(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		f.put(t, "/bkt/k", "precious")
		xml := "<X/>"
		for _, sub := range []string{"retention", "legal-hold", "torrent", "restore", "select&select-type=2", "renameObject",
			"encryption", "policy", "website", "lifecycle", "cors", "logging", "notification", "replication", "inventory&id=1",
			"metrics", "analytics&id=1", "intelligent-tiering", "object-lock", "requestPayment", "accelerate", "ownershipControls",
			"publicAccessBlock", "policyStatus", "versioning", "versions", "location", "delete", "metadataTable", "session"} {
			for _, method := range []string{"PUT", "POST", "DELETE", "HEAD"} {
				body := xml
				if method == "DELETE" || method == "HEAD" {
					body = ""
				}
				for _, target := range []string{"/bkt/k?" + sub, "/bkt/k?x-id=x&" + sub + "&partNumber=1"} {
					r := f.do(t, method, target, body)
					if r.status < 400 {
						t.Errorf("unexpected reply %v", r)
						continue
					}
					r.wantError(r.status, "NotImplemented", "MethodNotAllowed", "InvalidRequest", "InvalidArgument",
						"MalformedXML", "InvalidBucketState", "AccessDenied", "NoSuchVersion")
				}
			}
		}
		f.do(t, "PUT", "/bkt/k?uploadId=x&uploads", xml).wantError(501, "NotImplemented")
		f.do(t, "GET", "/bkt/k", "").wantBody(200, "precious")
		f.wantKeys(t, "bkt", "k")
		for _, header := range []string{
			"x-amz-server-side-encryption: AES256", "x-amz-server-side-encryption-customer-algorithm: AES256", "x-amz-write-offset-bytes: 5",
		} {
			f.do(t, "PUT", "/bkt/k", "new", header).wantError(501, "NotImplemented")
			f.do(t, "POST", "/bkt/k?uploads", "", header)
		}
		f.do(t, "GET", "/bkt/k", "").wantBody(200, "precious")
	})
}

// TestW02Probes: what clients ask of a new bucket.
func TestW02Probes(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		f.do(t, "HEAD", "/bkt", "").want(200).wantHeader("x-amz-bucket-region: us-east-1")
		f.do(t, "HEAD", "/bkt/", "").want(200)
		f.do(t, "HEAD", "/none", "").wantError(404)
		for _, eq := range []string{"", "="} {
			r := f.do(t, "GET", "/bkt?location"+eq, "").want(200)
			if r.element("LocationConstraint") != "" || !strings.Contains(r.body, "<LocationConstraint") {
				t.Errorf("unexpected reply %v", r)
			}
			r = f.do(t, "GET", "/bkt?versioning"+eq, "").want(200)
			if !strings.Contains(r.body, "<VersioningConfiguration") || strings.Contains(r.body, "Status") {
				t.Errorf("unexpected reply %v", r)
			}
			for sub, code := range map[string]string{
				"object-lock": "ObjectLockConfigurationNotFoundError", "policy": "NoSuchBucketPolicy", "tagging": "NoSuchTagSet",
				"cors": "NoSuchCORSConfiguration", "lifecycle": "NoSuchLifecycleConfiguration", "website": "NoSuchWebsiteConfiguration",
				"replication": "ReplicationConfigurationNotFoundError", "encryption": "ServerSideEncryptionConfigurationNotFoundError",
				"publicAccessBlock": "NoSuchPublicAccessBlockConfiguration", "ownershipControls": "OwnershipControlsNotFoundError",
			} {
				f.do(t, "GET", "/bkt?"+sub+eq, "").wantError(404, code)
				f.do(t, "GET", "/bkt/?"+sub+eq, "").wantError(404, code)
				f.do(t, "GET", "/none?"+sub+eq, "").wantError(404, "NoSuchBucket")
			}
			for _, target := range []string{"/bkt?acl" + eq, "/bkt/k?acl" + eq} {
				f.put(t, "/bkt/k", "x")
				r := f.do(t, "GET", target, "").want(200)
				if r.element("Permission") != "FULL_CONTROL" || !strings.Contains(r.body, "<AccessControlPolicy") {
					t.Errorf("unexpected reply %v", r)
				}
			}
		}
		f.do(t, "GET", "/bkt?inventory&id=1", "").wantError(501, "NotImplemented")
		f.do(t, "GET", "/none?location", "").wantError(404, "NoSuchBucket")
		f.do(t, "GET", "/none?versioning", "").wantError(404, "NoSuchBucket")
		f.do(t, "GET", "/none?acl", "").wantError(404, "NoSuchBucket")
		f.do(t, "GET", "/bkt/none?acl", "").wantError(404, "NoSuchKey")
	})
}

func TestW03CreateBucket(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		f.put(t, "/bkt/k", "kept")
		constraint := func(region string) string {
			return `<CreateBucketConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><LocationConstraint>` + region + `</LocationConstraint></CreateBucketConfiguration>`
		}
		for i, body := range []string{"", constraint("us-east-1"), constraint("eu-west-1"), constraint(""), "<CreateBucketConfiguration/>"} {
			for range 2 {
				f.do(t, "PUT", fmt.Sprintf("/new-%d", i), body).want(200).wantHeader(fmt.Sprintf("Location: /new-%d", i))
			}
			f.do(t, "HEAD", fmt.Sprintf("/new-%d", i), "").want(200)
			f.do(t, "PUT", "/bkt", body).want(200)
		}
		f.do(t, "GET", "/bkt/k", "").wantBody(200, "kept")
		for _, body := range []string{"garbage", "<a>", "<Other/>", "<CreateBucketConfiguration>"} {
			f.do(t, "PUT", "/garbage", body).wantError(400, "MalformedXML")
		}
		f.do(t, "HEAD", "/garbage", "").wantError(404)
		for _, header := range []string{"x-amz-acl: public-read", "x-amz-bucket-object-lock-enabled: false", "x-amz-object-ownership: ObjectWriter"} {
			f.do(t, "PUT", "/new-headers", "", header).want(200)
		}
		f.send(t, call{method: "PUT", target: "/unframed", noLength: true}).want(200)
		f.send(t, call{method: "PUT", target: "/chunked", body: constraint("x"), chunked: 5}).want(200)
		f.do(t, "PUT", "/slash/", "").want(200)
		for _, name := range []string{"_x", "a", "aa", "192.168.5.123", "foo_bar", "foo-", "foo..bar", "foo.-bar", "foo-.bar", "-foo", ".foo", "foo.",
			"Foo", strings.Repeat("a", 64), "foo%20bar", "foo%2fbar", "%2e%2e", "foo%00"} {
			f.do(t, "PUT", "/"+name, "").wantError(400, "InvalidBucketName")
			if err := server.ValidBucketName(name); err == nil {
				t.Errorf("ValidBucketName accepts %q", name)
			}
		}
		for _, name := range []string{"aaa", strings.Repeat("a", 63), "0a0", "foo.bar", "foo-bar.baz", "1.2.3", "192.168.5.1234"} {
			f.do(t, "PUT", "/"+name, "").want(200)
		}
	})
	cfg := testConfig(store.Memory)
	cfg.Region = "eu-west-1"
	f := start(t, cfg)
	f.do(t, "PUT", "/bkt", "").wantError(409, "BucketAlreadyOwnedByYou")
	f.do(t, "PUT", "/new", "").want(200)
	r := f.do(t, "GET", "/new?location", "")
	if r.want(200).element("LocationConstraint") != "eu-west-1" {
		t.Errorf("unexpected reply %v", r)
	}
}

// TestW03ConcurrentCreates: many ranks create one bucket, and delete it, at once.
func TestW03ConcurrentCreates(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		var wg sync.WaitGroup
		for i := range 32 {
			w := f.dial(t)
			wg.Go(func() {
				for range 10 {
					w.do(call{method: "PUT", target: "/shared"}).check(200)
					if i%4 == 0 {
						if r := w.do(call{method: "DELETE", target: "/shared"}); r.status != 204 && r.status != 404 {
							t.Errorf("unexpected reply %v", r)
						}
					}
				}
			})
		}
		wg.Wait()
	})
}

func TestW04ConditionalWrites(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		// write writes by PUT, Complete or Copy under one condition.
		f.put(t, "/other/src", "copied")
		writes := map[string]func(key, body string, header ...string) *reply{
			"put": func(key, body string, header ...string) *reply { return f.do(t, "PUT", "/bkt/"+key, body, header...) },
			"complete": func(key, body string, header ...string) *reply {
				id := f.newUpload(t, "/bkt/"+key)
				etag := f.putPart(t, "/bkt/"+key, id, 1, body)
				r := f.complete(t, "/bkt/"+key, id, []listed{{1, etag, ""}}, header...)
				if r.status != 200 {
					// The upload stays open.
					f.do(t, "DELETE", "/bkt/"+key+"?uploadId="+id, "").want(204)
				}
				return r
			},
			"copy": func(key, _ string, header ...string) *reply {
				return f.do(t, "PUT", "/bkt/"+key, "", append(header, "x-amz-copy-source: other/src")...)
			},
			"streamed": func(key, body string, header ...string) *reply {
				return f.send(t, call{method: "PUT", target: "/bkt/" + key, body: body, header: header, chunked: 2})
			},
		}
		for name, write := range writes {
			for _, condition := range []string{"If-Match: *", `If-Match: "00000000000000000000000000000000"`, "If-Match: abc"} {
				write(name, "new", condition).wantError(404, "NoSuchKey")
			}
			f.do(t, "HEAD", "/bkt/"+name, "").wantError(404)
			for _, condition := range []string{"If-None-Match: *", "If-None-Match: abc", `If-None-Match: "00000000000000000000000000000000"`} {
				write(name, "first", condition).want(200)
				f.do(t, "DELETE", "/bkt/"+name, "").want(204)
			}
			etag := f.put(t, "/bkt/"+name, "old").etag()
			for _, condition := range []string{
				"If-None-Match: *", "If-None-Match: " + etag, "If-None-Match: " + strings.Trim(etag, `"`),
				`If-Match: "00000000000000000000000000000000"`, "If-Match: abc",
			} {
				write(name, "new", condition).wantError(412, "PreconditionFailed")
				f.do(t, "GET", "/bkt/"+name, "").wantBody(200, "old").wantHeader("ETag: " + etag)
			}
			for _, condition := range []string{"If-Match: " + etag, "If-Match: " + strings.Trim(etag, `"`), "If-Match: *",
				`If-None-Match: "00000000000000000000000000000000"`} {
				f.put(t, "/bkt/"+name, "old")
				write(name, "new!!", condition).want(200)
				if r := f.do(t, "GET", "/bkt/"+name, "").want(200); r.body == "old" {
					t.Errorf("%s with %s wrote nothing", name, condition)
				}
			}
		}
		f.do(t, "PUT", "/none/k", "x", "If-None-Match: *").wantError(404, "NoSuchBucket")
	})
}

// TestW04ConcurrentCreateOnce: of 50 writers with If-None-Match: * one wins,
// by PUT and by Complete; its bytes stay.
func TestW04ConcurrentCreateOnce(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		const writers = 50
		for round := range 3 {
			key := fmt.Sprintf("k%d", round)
			var calls [writers]call
			var bodies [writers]string
			for i := range calls {
				bodies[i] = fmt.Sprintf("body of writer %d", i)
				calls[i] = call{method: "PUT", target: "/bkt/" + key, body: bodies[i], header: []string{"If-None-Match: *"}}
				if round == 1 || round == 2 && i%2 == 0 {
					id := f.newUpload(t, "/bkt/"+key)
					etag := f.putPart(t, "/bkt/"+key, id, 1, bodies[i])
					calls[i].method, calls[i].target = "POST", "/bkt/"+key+"?uploadId="+id
					calls[i].body = completeBody(listed{1, etag, ""})
				}
			}
			var won atomic.Int32
			winner := atomic.Int32{}
			var wg sync.WaitGroup
			for i := range calls {
				w := f.dial(t)
				wg.Go(func() {
					switch r := w.do(calls[i]); r.status {
					case 200:
						won.Add(1)
						winner.Store(int32(i))
					case 412:
					default:
						t.Errorf("unexpected reply %v", r)
					}
				})
			}
			wg.Wait()
			if won.Load() != 1 {
				t.Errorf("unexpected number of successful writers; got %d; want 1", won.Load())
			}
			f.do(t, "GET", "/bkt/"+key, "").wantBody(200, bodies[winner.Load()])
		}
		// A chain of compare-and-swap: each success replaces exactly what it read.
		f.put(t, "/bkt/n", "0")
		var sum atomic.Int32
		var wg sync.WaitGroup
		for range 8 {
			w := f.dial(t)
			wg.Go(func() {
				for range 20 {
					r := w.do(call{method: "GET", target: "/bkt/n"}).want(200)
					var n int
					fmt.Sscan(r.body, &n)
					if w.do(call{method: "PUT", target: "/bkt/n", body: fmt.Sprint(n + 1), header: []string{"If-Match: " + r.etag()}}).status == 200 {
						sum.Add(1)
					}
				}
			})
		}
		wg.Wait()
		f.do(t, "GET", "/bkt/n", "").wantBody(200, fmt.Sprint(sum.Load()))
	})
}

func TestW05ZeroLength(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		const empty = `"d41d8cd98f00b204e9800998ecf8427e"`
		check := func(target string) {
			t.Helper()
			f.do(t, "GET", target, "").wantBody(200, "").wantHeader("Content-Length: 0", "Content-Range:", "Accept-Ranges: bytes")
			f.do(t, "HEAD", target, "").want(200).wantHeader("Content-Length: 0")
		}
		for _, c := range []call{
			{}, {header: []string{"Expect: 100-continue"}}, {chunked: 1}, {sha: "UNSIGNED-PAYLOAD"},
			streamed(streamingKinds[0], "", "", 1), streamed(streamingKinds[1], "", "", 1), streamed(streamingKinds[2], "", "", 1),
		} {
			c.method, c.target = "PUT", "/bkt/k"
			f.send(t, c).want(200).wantHeader("ETag: " + empty)
			check("/bkt/k")
		}
		f.do(t, "PUT", "/bkt/c", "", "x-amz-copy-source: bkt/k").want(200)
		check("/bkt/c")
		f.multipart(t, "/bkt/m", []string{""})
		check("/bkt/m")
		if err := f.srv.AddSynthetic("bkt", "s", 0); err != nil {
			t.Errorf("cannot add an empty object: %v", err)
		}
		check("/bkt/s")
	})
}

func TestW08DeleteObjects(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		odd := []string{"plain", "a&b<c>d\"e'f", "cr\rlf\ntab\t", "é€", " space ", "//", "../x", "%41", "+"}
		body := deleteBody(false, append([]string{"missing"}, odd...)...)
		for name, header := range map[string][]string{
			"none": nil, "md5": {"Content-MD5: " + md5Base64(body)},
			"crc32":  {"x-amz-checksum-crc32: " + sum64(algorithms[0].new(), body), "x-amz-sdk-checksum-algorithm: CRC32"},
			"sha256": {"x-amz-checksum-sha256: " + sum64(algorithms[4].new(), body)},
			"bypass": {"x-amz-bypass-governance-retention: true"},
		} {
			for _, k := range odd {
				f.put(t, "/bkt/"+escape(k), "x")
			}
			var doc deleteResult
			f.do(t, "POST", "/bkt?delete", body, header...).parse(&doc)
			if len(doc.Deleted) != len(odd)+1 || len(doc.Error) != 0 || doc.Deleted[2].Key != odd[1] || doc.Deleted[3].Key != odd[2] {
				t.Errorf("%s: unexpected result %+v", name, doc)
			}
			f.wantKeys(t, "bkt")
		}
		f.put(t, "/bkt/k", "x")
		var doc deleteResult
		f.do(t, "POST", "/bkt?delete=", deleteBody(true, "k", "missing")).parse(&doc)
		if len(doc.Deleted)+len(doc.Error) != 0 {
			t.Errorf("unexpected result %+v", doc)
		}
		f.wantKeys(t, "bkt")
		// Only errors in a quiet reply.
		f.put(t, "/bkt/k", "x")
		doc = deleteResult{}
		f.do(t, "POST", "/bkt?delete", `<Delete><Quiet>true</Quiet><Object><Key>k</Key><VersionId>null</VersionId></Object>`+
			`<Object><Key>`+strings.Repeat("k", 1025)+`</Key></Object></Delete>`).parse(&doc)
		if len(doc.Deleted) != 0 || len(doc.Error) != 1 || doc.Error[0].Code != "KeyTooLongError" {
			t.Errorf("unexpected result %+v", doc)
		}
		f.wantKeys(t, "bkt")
		f.put(t, "/bkt/k", "x")
		for _, header := range []string{"Content-MD5: " + md5Base64("x"), "x-amz-checksum-crc32: AAAAAA=="} {
			f.do(t, "POST", "/bkt?delete", deleteBody(false, "k"), header).wantError(400, "BadDigest")
		}
		for _, body := range []string{"", "<Delete/>", "<Delete>", "<Other/>", "<Delete><Quiet>maybe</Quiet><Object><Key>k</Key></Object></Delete>"} {
			f.do(t, "POST", "/bkt?delete", body).wantError(400, "MalformedXML")
		}
		f.do(t, "POST", "/none?delete", deleteBody(false, "k")).wantError(404, "NoSuchBucket")
		f.wantKeys(t, "bkt", "k")
	})
}

// TestH17DeleteDocuments: 1000 keys of 1 KiB are accepted, 1001 keys are not.
func TestH17DeleteDocuments(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		var keys []string
		for i := range 1001 {
			keys = append(keys, fmt.Sprintf("%04d", i)+strings.Repeat("&", 1020))
		}
		for _, k := range keys[:3] {
			f.put(t, "/bkt/"+escape(k), "x")
		}
		f.do(t, "POST", "/bkt?delete", deleteBody(false, keys...)).wantError(400, "MalformedXML")
		f.wantKeys(t, "bkt", keys[:3]...)
		var doc deleteResult
		f.do(t, "POST", "/bkt?delete", deleteBody(false, keys[:1000]...)).parse(&doc)
		if len(doc.Deleted) != 1000 {
			t.Errorf("unexpected number of deleted keys %d", len(doc.Deleted))
		}
		f.wantKeys(t, "bkt")
	})
}

func TestW09Delete(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		f.put(t, "/bkt/some/path/x", "child")
		for range 2 {
			f.do(t, "DELETE", "/bkt/some/path", "").want(204).wantHeader("x-amz-delete-marker:", "x-amz-version-id:")
			f.do(t, "DELETE", "/bkt/some/path/", "").want(204)
			f.do(t, "DELETE", "/bkt/some", "").want(204)
		}
		f.do(t, "GET", "/bkt/some/path/x", "").wantBody(200, "child")
		f.do(t, "DELETE", "/bkt", "").wantError(409, "BucketNotEmpty")
		f.do(t, "DELETE", "/none", "").wantError(404, "NoSuchBucket")
		f.do(t, "DELETE", "/none/k", "").wantError(404, "NoSuchBucket")
		f.do(t, "DELETE", "/bkt/some/path/x", "").want(204)
		// Pending uploads do not keep a bucket.
		id := f.newUpload(t, "/bkt/m")
		f.putPart(t, "/bkt/m", id, 1, "x")
		f.do(t, "DELETE", "/bkt", "").want(204)
		f.do(t, "GET", "/bkt/k", "").wantError(404, "NoSuchBucket")
		f.do(t, "PUT", "/bkt/k", "x").wantError(404, "NoSuchBucket")
		f.do(t, "PUT", "/bkt", "").want(200)
		f.do(t, "PUT", "/bkt/m?partNumber=2&uploadId="+id, "x").wantError(404, "NoSuchUpload")
		f.wantKeys(t, "bkt")
	})
}

func TestL11SlashMarkers(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		f.put(t, "/bkt/dir/", "")
		f.do(t, "HEAD", "/bkt/dir", "").wantError(404)
		f.do(t, "HEAD", "/bkt/dir/", "").want(200).wantHeader("Content-Length: 0")
		f.put(t, "/bkt/dir/x", "x")
		f.put(t, "/bkt/dir", "file")
		f.put(t, "/bkt/dir/", "directories may have bytes")
		f.do(t, "GET", "/bkt/dir/", "").wantBody(200, "directories may have bytes")
		f.do(t, "GET", "/bkt/dir", "").wantBody(200, "file")
		f.do(t, "DELETE", "/bkt/dir", "").want(204)
		f.wantKeys(t, "bkt", "dir/", "dir/x")
		page := f.list(t, "bkt", "list-type=2&delimiter=%2F&prefix=dir%2F")
		if len(page.Contents) != 2 || len(page.CommonPrefixes) != 0 {
			t.Errorf("unexpected page %+v", page)
		}
	})
}

// TestP05MissingBucket: 64 workers writing to no bucket are told so at once.
func TestP05MissingBucket(t *testing.T) {
	f := start(t, testConfig(store.Synth))
	var wg sync.WaitGroup
	for range 64 {
		w := f.dial(t)
		wg.Go(func() {
			for range 3 {
				w.do(call{method: "PUT", target: "/s3://data/k", body: letters(20_000)}).wantError(404, "NoSuchBucket")
				w.do(call{method: "PUT", target: "/none/k", body: letters(20_000)}).wantError(404, "NoSuchBucket")
			}
		})
	}
	wg.Wait()
}

// TestP01BucketsAtStart: buckets and their modes come from the configuration.
func TestP01BucketsAtStart(t *testing.T) {
	cfg := testConfig(store.Synth)
	cfg.Buckets = []server.BucketSpec{{Name: "mem", Mode: store.Memory}, {Name: "syn", Mode: store.Synth}, {Name: "mem", Mode: store.Memory}}
	f := start(t, cfg)
	body := letters(2000)
	for bucket, want := range map[string]string{"mem": body, "syn": generated("syn", "k", 2000)} {
		f.put(t, "/"+bucket+"/k", body)
		f.do(t, "GET", "/"+bucket+"/k", "").wantBody(200, want)
	}
	for _, name := range []string{"", "x", "Bad_Name", "10.0.0.1"} {
		cfg.Buckets = []server.BucketSpec{{Name: name}}
		if _, err := server.New(cfg); err == nil {
			t.Errorf("a server with the bucket %q starts", name)
		}
	}
}

// TestMemoryLimit: what does not fit is refused before its body, and what is
// freed can be used again.
func TestMemoryLimit(t *testing.T) {
	cfg := testConfig(store.Memory)
	cfg.MemoryLimit = 4 << 20
	f := start(t, cfg)
	mib := strings.Repeat("m", 1<<20)
	for i := range 3 {
		f.put(t, fmt.Sprintf("/bkt/k%d", i), mib)
	}
	big := mib + mib
	// Before the body: no byte of it is sent.
	w := f.dial(t)
	head, _ := call{method: "PUT", target: "/bkt/big", body: big, header: []string{"Expect: 100-continue"}}.bytes(f.addr)
	w.write(head)
	r, err := w.read("PUT")
	if err != nil {
		t.Fatalf("cannot read the reply: %v", err)
	}
	r.wantError(507, "InsufficientStorage")
	f.do(t, "PUT", "/bkt/big", big).wantError(507, "InsufficientStorage")
	f.send(t, call{method: "PUT", target: "/bkt/big", body: big, chunked: 65536}).wantError(507, "InsufficientStorage")
	for _, kind := range streamingKinds {
		f.send(t, streamed(kind, "/bkt/big", big, 65536)).wantError(507, "InsufficientStorage")
	}
	id := f.newUpload(t, "/bkt/m")
	f.do(t, "PUT", "/bkt/m?partNumber=1&uploadId="+id, big).wantError(507, "InsufficientStorage")
	f.wantKeys(t, "bkt", "k0", "k1", "k2")
	// Copies share memory; overwritten, deleted and aborted bytes are given back.
	for i := range 10 {
		f.do(t, "PUT", fmt.Sprintf("/bkt/copy%d", i), "", "x-amz-copy-source: bkt/k0").want(200)
	}
	for range 10 {
		f.put(t, "/bkt/k1", mib[:1000])
		f.do(t, "DELETE", "/bkt/k2", "").want(204)
		f.put(t, "/bkt/k2", mib)
		id := f.newUpload(t, "/bkt/m")
		f.putPart(t, "/bkt/m", id, 1, mib)
		f.putPart(t, "/bkt/m", id, 1, mib[:1000])
		f.putPart(t, "/bkt/m", id, 2, mib)
		f.do(t, "DELETE", "/bkt/m?uploadId="+id, "").want(204)
		f.put(t, "/bkt/k1", mib)
	}
	f.do(t, "GET", "/bkt/copy3", "").wantBody(200, mib)
	// A synthetic bucket drops bodies and takes any size.
	cfg.Buckets[0].Mode, cfg.Mode = store.Synth, store.Synth
	s := start(t, cfg)
	s.put(t, "/bkt/big", mib+mib+mib+mib+mib)
	s.do(t, "HEAD", "/bkt/big", "").want(200).wantHeader(fmt.Sprintf("Content-Length: %d", 5<<20))
}

// TestW08TrailingGarbage: a document that goes on after its root is not well-formed.
func TestW08TrailingGarbage(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		f.put(t, "/bkt/k", "x")
		for _, end := range []string{"<x>", "garbage", "<Delete/>", "</Delete>"} {
			f.do(t, "POST", "/bkt?delete", deleteBody(false, "k")+end).wantError(400, "MalformedXML")
		}
		f.wantKeys(t, "bkt", "k")
		f.do(t, "POST", "/bkt?delete", deleteBody(false, "k")+"\r\n<!-- end -->\n").want(200)
	})
}

// TestW01StrayParameters: PUT with half of what UploadPart needs, or with a
// version, is no PutObject (AWS: "This operation does not accept a
// version-id").
func TestW01StrayParameters(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		f.put(t, "/bkt/k", "precious")
		f.do(t, "PUT", "/bkt/k?partNumber=1", "x").wantError(400, "InvalidArgument", "InvalidRequest")
		f.do(t, "PUT", "/bkt/k?versionId=x", "x").wantError(400, "InvalidArgument", "InvalidRequest")
		f.do(t, "PUT", "/bkt/k?versionId=null", "x").wantError(400, "InvalidArgument", "InvalidRequest")
		f.do(t, "DELETE", "/bkt/k?partNumber=1", "").wantError(400, "InvalidArgument", "InvalidRequest")
		f.do(t, "GET", "/bkt/k", "").wantBody(200, "precious")
	})
}
