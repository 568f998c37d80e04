package server_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/s3ultra/s3ultra/server"
	"github.com/s3ultra/s3ultra/store"
)

func TestCopyObject(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		header := []string{"Content-Type: image/png", "x-amz-meta-a: 1", "Cache-Control: no-cache", "Content-Encoding: gzip"}
		for _, size := range []int{0, 5, keepSmall, 70_000} {
			body := letters(size)
			etag := f.put(t, "/bkt/src", body, header...).etag()
			want := f.served("bkt", "src", body)
			for _, source := range []string{"bkt/src", "/bkt/src", "bkt%2Fsrc", "/bkt%2Fsrc", "bkt/s%72c", "bkt/src?versionId=null"} {
				r := f.do(t, "PUT", "/other/dst", "", "x-amz-copy-source: "+source).want(200)
				if r.element("ETag") != etag {
					t.Errorf("unexpected ETag %s; want %s", r.element("ETag"), etag)
				}
				f.do(t, "GET", "/other/dst", "").wantBody(200, want).wantHeader(append(header, "ETag: "+etag)...)
				f.do(t, "DELETE", "/other/dst", "").want(204)
			}
			f.do(t, "PUT", "/other/dst", "", "x-amz-copy-source: bkt/src").want(200)
			// The copy stays when its source goes, and a copy of a copy has the bytes too.
			f.do(t, "PUT", "/bkt/again", "", "x-amz-copy-source: other/dst").want(200)
			f.put(t, "/bkt/src", "other bytes")
			f.do(t, "DELETE", "/bkt/src", "").want(204)
			f.do(t, "GET", "/other/dst", "").wantBody(200, want)
			f.do(t, "GET", "/bkt/again", "").wantBody(200, want)
			if size > 10 {
				f.do(t, "GET", "/bkt/again", "", "Range: bytes=5-9").wantBody(206, want[5:10])
			}
		}
	})
}

func TestCopyMetadata(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		f.put(t, "/bkt/src", "hello", "Content-Type: image/png", "x-amz-meta-a: 1", "x-amz-storage-class: STANDARD_IA")
		source := "x-amz-copy-source: bkt/src"
		own := []string{source, "Content-Type: text/plain", "x-amz-meta-b: 2"}
		f.do(t, "PUT", "/bkt/d", "", append(own, "x-amz-metadata-directive: COPY", "x-amz-storage-class: STANDARD")...).want(200)
		f.do(t, "HEAD", "/bkt/d", "").want(200).wantHeader("Content-Type: image/png", "x-amz-meta-a: 1", "x-amz-meta-b:", "x-amz-storage-class:")
		f.do(t, "PUT", "/bkt/d", "", append(own, "x-amz-metadata-directive: REPLACE")...).want(200)
		f.do(t, "HEAD", "/bkt/d", "").want(200).wantHeader("Content-Type: text/plain", "x-amz-meta-a:", "x-amz-meta-b: 2")
		f.do(t, "PUT", "/bkt/d", "", source, "x-amz-metadata-directive: REPLACE").want(200)
		f.do(t, "HEAD", "/bkt/d", "").want(200).wantHeader("Content-Type: binary/octet-stream", "x-amz-meta-a:")
		f.do(t, "PUT", "/bkt/d", "", source, "x-amz-metadata-directive: SOME").wantError(400, "InvalidArgument")
		// Onto itself.
		f.do(t, "PUT", "/bkt/src", "", source).wantError(400, "InvalidRequest")
		f.do(t, "PUT", "/bkt/src", "", source, "x-amz-metadata-directive: COPY").wantError(400, "InvalidRequest")
		f.do(t, "PUT", "/bkt/src", "", source, "x-amz-metadata-directive: REPLACE", "x-amz-meta-c: 3").want(200)
		f.do(t, "GET", "/bkt/src", "").wantBody(200, "hello").wantHeader("x-amz-meta-c: 3", "x-amz-meta-a:")
		f.do(t, "PUT", "/bkt/src", "", source, "x-amz-storage-class: STANDARD_IA").want(200)
		f.do(t, "HEAD", "/bkt/src", "").want(200).wantHeader("x-amz-meta-c: 3", "x-amz-storage-class: STANDARD_IA")
	})
}

func TestCopySources(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		for _, key := range []string{"foo?bar", "?versionId", " ", "a+b c", "100%", "é", "//x", "../k", "a/b/c", "%2F", "x?versionId=null"} {
			f.put(t, "/bkt/"+escape(key), "body of "+key)
			for _, source := range []string{"bkt/" + escape(key), "/bkt/" + escape(key), escapeQuery("bkt/" + key), "bkt/" + escape(key) + "?versionId=null"} {
				f.do(t, "PUT", "/other/d", "", "x-amz-copy-source: "+source).want(200)
				f.do(t, "GET", "/other/d", "").wantBody(200, "body of "+key)
				f.do(t, "DELETE", "/other/d", "").want(204)
			}
		}
		f.put(t, "/bkt/k", "x")
		for _, row := range []struct {
			source string
			status int
			code   string
		}{
			{"bkt/none", 404, "NoSuchKey"},
			{"none/k", 404, "NoSuchBucket"},
			{"bkt", 400, "InvalidArgument"},
			{"bkt/", 400, "InvalidArgument"},
			{"/", 400, "InvalidArgument"},
			{"", 400, "InvalidArgument"},
			{"/bkt/%zz", 400, "InvalidArgument"},
			{"bkt/anyfilename%25.txt", 404, "NoSuchKey"},
		} {
			f.do(t, "PUT", "/other/d", "", "x-amz-copy-source: "+row.source).wantError(row.status, row.code)
			id := f.newUpload(t, "/other/d")
			f.do(t, "PUT", "/other/d?partNumber=1&uploadId="+id, "", "x-amz-copy-source: "+row.source).wantError(row.status, row.code)
		}
		r := f.do(t, "PUT", "/other/d", "", "x-amz-copy-source: bkt/k?versionId=nope")
		r.wantError(r.status, "InvalidArgument", "NoSuchVersion")
		f.do(t, "PUT", "/none/d", "", "x-amz-copy-source: bkt/k").wantError(404, "NoSuchBucket")
		f.wantKeys(t, "other")
	})
}

func TestCopyConditions(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		etag := f.put(t, "/bkt/k", "x").etag()
		plain := strings.Trim(etag, `"`)
		old, future := time.Now().Add(-time.Hour).UTC().Format(time.RFC1123), time.Now().Add(time.Hour).UTC().Format(time.RFC1123)
		old, future = strings.Replace(old, "UTC", "GMT", 1), strings.Replace(future, "UTC", "GMT", 1)
		id := f.newUpload(t, "/other/m")
		for _, row := range []struct {
			header string
			status int
		}{
			{"if-match: " + etag, 200}, {"if-match: " + plain, 200}, {"if-match: abc", 412},
			{"if-none-match: abc", 200}, {"if-none-match: " + etag, 412}, {"if-none-match: " + plain, 412},
			{"if-modified-since: " + old, 200}, {"if-modified-since: " + future, 412},
			{"if-unmodified-since: " + future, 200}, {"if-unmodified-since: " + old, 412},
		} {
			for _, target := range []string{"/other/d", "/other/m?partNumber=1&uploadId=" + id} {
				r := f.do(t, "PUT", target, "", "x-amz-copy-source: bkt/k", "x-amz-copy-source-"+row.header)
				if row.status == 412 {
					r.wantError(412, "PreconditionFailed")
				} else {
					r.want(200)
				}
			}
		}
	})
}

func TestUploadPartCopy(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		for _, size := range []int{300, 5000} {
			body := letters(size)
			f.put(t, "/bkt/src", body)
			want := f.served("bkt", "src", body)
			id := f.newUpload(t, "/bkt/m", "x-amz-checksum-algorithm: CRC32")
			target := func(n int) string { return fmt.Sprintf("/bkt/m?partNumber=%d&uploadId=%s", n, id) }
			source := "x-amz-copy-source: bkt/src"
			var parts []listed
			for i, row := range []struct {
				r    string
				want string
			}{
				{"", want}, {fmt.Sprintf("bytes=0-%d", size-1), want}, {"bytes=0-0", want[:1]}, {"bytes=7-99", want[7:100]},
				{fmt.Sprintf("bytes=%d-%d", size-1, size-1), want[size-1:]},
			} {
				header := []string{source}
				if row.r != "" {
					header = append(header, "x-amz-copy-source-range: "+row.r)
				}
				r := f.do(t, "PUT", target(i+1), "", header...).want(200)
				if r.element("ChecksumCRC32") != sum64(algorithms[0].new(), row.want) {
					t.Errorf("%s: unexpected reply, want the checksum of %d bytes\n%v", row.r, len(row.want), r)
				}
				if f.mode == store.Memory && r.element("ETag") != `"`+md5Hex(row.want)+`"` {
					t.Errorf("unexpected ETag %s", r.element("ETag"))
				}
				parts = append(parts, listed{i + 1, r.element("ETag"), ""})
			}
			for _, bad := range []string{"0-2", "bytes=0", "bytes=hello-world", "bytes=0-bar", "bytes=hello-", "bytes=0-2,3-5", "bytes=-5", "bytes=5-", "bytes=3-2", "bytes=", "bytes=-"} {
				f.do(t, "PUT", target(9), "", source, "x-amz-copy-source-range: "+bad).wantError(400, "InvalidArgument")
			}
			for _, bad := range []string{fmt.Sprintf("bytes=0-%d", size), fmt.Sprintf("bytes=%d-%d", size, size+5), "bytes=0-999999999999", "bytes=0-9223372036854775807"} {
				f.do(t, "PUT", target(9), "", source, "x-amz-copy-source-range: "+bad).wantError(416, "InvalidRange")
			}
			for _, n := range []string{"0", "10001", "x"} {
				f.do(t, "PUT", "/bkt/m?partNumber="+n+"&uploadId="+id, "", source).wantError(400, "InvalidArgument")
			}
			if p := f.parts(t, "/bkt/m", id, ""); len(p.Part) != len(parts) || p.Part[0].Size != int64(size) || p.Part[3].Size != 93 {
				t.Errorf("unexpected parts %+v", p.Part)
			}
			f.complete(t, "/bkt/m", id, parts).want(200)
			whole := want + want + want[:1] + want[7:100] + want[size-1:]
			if f.mode == store.Synth {
				whole = f.served("bkt", "m", letters(len(whole)))
			}
			f.do(t, "GET", "/bkt/m", "").wantBody(200, whole)
		}
	})
}

// TestCopyBetweenModes: memory to memory shares, synthetic to memory has the
// generated bytes, memory to synthetic drops them as a PUT would.
func TestCopyBetweenModes(t *testing.T) {
	cfg := testConfig(store.Synth)
	cfg.Buckets = []server.BucketSpec{{Name: "mem", Mode: store.Memory}, {Name: "syn", Mode: store.Synth}}
	f := start(t, cfg)
	for _, size := range []int{0, 5, keepSmall - 1, keepSmall, 5000} {
		body := letters(size)
		f.put(t, "/syn/k", body)
		f.put(t, "/mem/k", body)
		f.do(t, "PUT", "/mem/copy", "", "x-amz-copy-source: syn/k").want(200)
		f.do(t, "PUT", "/syn/copy", "", "x-amz-copy-source: mem/k").want(200)
		synthetic := f.served("syn", "k", body)
		f.do(t, "GET", "/mem/copy", "").wantBody(200, synthetic)
		dropped := f.served("syn", "copy", body)
		r := f.do(t, "GET", "/syn/copy", "").wantBody(200, dropped)
		if dropped != body && !strings.HasSuffix(r.etag(), `-1"`) {
			t.Errorf("unexpected ETag %s of generated bytes", r.etag())
		}
		// The bytes follow through further copies.
		f.do(t, "PUT", "/syn/back", "", "x-amz-copy-source: mem/copy").want(200)
		f.do(t, "GET", "/syn/back", "").wantBody(200, synthetic)
		// Parts copied from a synthetic source are its bytes, kept.
		id := f.newUpload(t, "/mem/m")
		e1 := f.do(t, "PUT", "/mem/m?partNumber=1&uploadId="+id, "", "x-amz-copy-source: syn/k").want(200).element("ETag")
		e2 := f.do(t, "PUT", "/mem/m?partNumber=2&uploadId="+id, "", "x-amz-copy-source: mem/k").want(200).element("ETag")
		f.complete(t, "/mem/m", id, []listed{{1, e1, ""}, {2, e2, ""}}).want(200)
		f.do(t, "GET", "/mem/m", "").wantBody(200, synthetic+body)
		// A multipart source keeps its parts.
		f.multipart(t, "/mem/parts", []string{body, letters(3)})
		f.do(t, "PUT", "/syn/parts", "", "x-amz-copy-source: mem/parts").want(200)
		want := f.served("syn", "parts", body+letters(3))
		f.do(t, "GET", "/syn/parts", "").wantBody(200, want)
	}
}
