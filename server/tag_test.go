package server_test

import (
	"encoding/xml"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/s3ultra/s3ultra/store"
	"github.com/s3ultra/s3ultra/synth"
)

// tagDocument is the document of tags given as key=value.
func tagDocument(tags ...string) string {
	doc := `<Tagging xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><TagSet>`
	for _, t := range tags {
		key, value, _ := strings.Cut(t, "=")
		doc += "<Tag><Key>" + xmlText(key) + "</Key><Value>" + xmlText(value) + "</Value></Tag>"
	}
	return doc + "</TagSet></Tagging>"
}

// wantTags requires the tags that target?tagging answers, as key=value.
func (f *fixture) wantTags(t testing.TB, target string, want ...string) *reply {
	t.Helper()
	query := "?tagging"
	if path, rest, ok := strings.Cut(target, "?"); ok {
		target, query = path, "?tagging&"+rest
	}
	r := f.do(t, "GET", target+query, "").want(200)
	var doc struct {
		XMLName xml.Name                      `xml:"Tagging"`
		Tags    []struct{ Key, Value string } `xml:"TagSet>Tag"`
	}
	r.parse(&doc)
	var got []string
	for _, tag := range doc.Tags {
		got = append(got, tag.Key+"="+tag.Value)
	}
	if strings.Join(got, "|") != strings.Join(want, "|") || !strings.Contains(r.body, "<TagSet>") {
		t.Errorf("unexpected tags of %s; got %q; want %q", target, got, want)
	}
	return r
}

// wantTagCount requires x-amz-tagging-count on GET and HEAD; 0 is none.
func (f *fixture) wantTagCount(t testing.TB, target string, want int) {
	t.Helper()
	text := ""
	if want > 0 {
		text = fmt.Sprint(want)
	}
	for _, method := range []string{"GET", "HEAD"} {
		r := f.do(t, method, target, "").want(200)
		if got := r.header.Get("X-Amz-Tagging-Count"); got != text || r.header.Get("X-Amz-Tagging") != "" {
			t.Errorf("unexpected count of %s %s; got %q; want %q", method, target, got, text)
		}
	}
}

func TestObjectTagging(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		f.put(t, "/bkt/k", letters(2000), "Content-Type: text/x", "x-amz-meta-a: b", "x-amz-storage-class: GLACIER")
		before := f.do(t, "HEAD", "/bkt/k", "").header
		f.wantTags(t, "/bkt/k")
		f.wantTagCount(t, "/bkt/k", 0)
		time.Sleep(1100 * time.Millisecond) // Last-Modified counts seconds
		f.do(t, "PUT", "/bkt/k?tagging", tagDocument("b=2", "a=1 <&>")).wantError(400, "InvalidTag")
		f.do(t, "PUT", "/bkt/k?tagging", tagDocument("b=2", "a=1 + - = . _ : / @", "é=", "c")).want(200)
		f.wantTags(t, "/bkt/k", "a=1 + - = . _ : / @", "b=2", "c=", "é=")
		f.wantTagCount(t, "/bkt/k", 4)
		after := f.do(t, "HEAD", "/bkt/k", "").header
		for _, name := range []string{"Etag", "Last-Modified", "Content-Type", "X-Amz-Meta-A", "X-Amz-Storage-Class", "Content-Length"} {
			if after.Get(name) != before.Get(name) || after.Get(name) == "" {
				t.Errorf("unexpected %s after tagging; got %q; want %q", name, after.Get(name), before.Get(name))
			}
		}
		if got := f.list(t, "bkt", "list-type=2").Contents[0]; got.StorageClass != "GLACIER" {
			t.Errorf("unexpected listing %+v", got)
		}
		f.do(t, "PUT", "/bkt/k?tagging", tagDocument("only=1")).want(200)
		f.wantTags(t, "/bkt/k", "only=1")
		f.do(t, "DELETE", "/bkt/k?tagging", "").want(204)
		f.wantTags(t, "/bkt/k")
		f.do(t, "PUT", "/bkt/k?tagging", tagDocument("x=y")).want(200)
		f.do(t, "PUT", "/bkt/k?tagging", tagDocument()).want(200)
		f.wantTagCount(t, "/bkt/k", 0)
		f.do(t, "GET", "/bkt/k", "").wantBody(200, f.served("bkt", "k", letters(2000)))
		// An object without any other metadata.
		f.put(t, "/bkt/bare", "x")
		f.do(t, "PUT", "/bkt/bare?tagging", tagDocument("a=b")).want(200)
		f.wantTags(t, "/bkt/bare", "a=b")
		f.put(t, "/bkt/bare", "x") // another object
		f.wantTags(t, "/bkt/bare")
		for _, method := range []string{"GET", "PUT", "DELETE"} {
			body := ""
			if method == "PUT" {
				body = tagDocument("a=b")
			}
			f.do(t, method, "/bkt/none?tagging", body).wantError(404, "NoSuchKey")
			f.do(t, method, "/none/k?tagging", body).wantError(404, "NoSuchBucket")
		}
	})
}

func TestTagRules(t *testing.T) {
	f := start(t, testConfig(store.Memory))
	f.put(t, "/bkt/k", "x")
	numbered := func(n int) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprintf("%02d=%d", i, i))
		}
		return list
	}
	row := func(body, code string) {
		t.Helper()
		f.do(t, "PUT", "/bkt/k?tagging", body).wantError(400, code)
		f.wantTags(t, "/bkt/k")
	}
	row(tagDocument(numbered(11)...), "BadRequest")
	row(tagDocument("a=1", "a=2"), "InvalidTag")
	row(tagDocument("=1"), "InvalidTag")
	row(tagDocument(strings.Repeat("é", 129)+"=1"), "InvalidTag")
	row(tagDocument("a="+strings.Repeat("é", 257)), "InvalidTag")
	row(tagDocument("a*=1"), "InvalidTag")
	row(tagDocument("a=1\n"), "InvalidTag")
	row(tagDocument("aws:a=1"), "InvalidTag")
	row("", "MalformedXML")
	row("<Tagging/>", "MalformedXML")
	row("<TagSet/>", "MalformedXML")
	row("<Tagging><TagSet><Tag><Key>a</Key></Tag></TagSet></Tagging>", "MalformedXML")
	row("<Tagging><TagSet><Tag><Value>a</Value></Tag></TagSet></Tagging>", "MalformedXML")
	row(tagDocument("a=b")+"x", "MalformedXML")
	longest := strings.Repeat("\U00020000", 128) + "=" + strings.Repeat("\U00020000", 256)
	f.do(t, "PUT", "/bkt/k?tagging", tagDocument(append(numbered(9), longest)...)).want(200)
	f.wantTags(t, "/bkt/k", append(numbered(9), longest)...)
}

func TestTagsOfWrites(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		f.put(t, "/bkt/k", "x", "x-amz-tagging: foo=b%20a+r&b%C3%A9", "x-amz-meta-a: b")
		f.wantTags(t, "/bkt/k", "bé=", "foo=b a r")
		f.wantTagCount(t, "/bkt/k", 2)
		for value, code := range map[string]string{
			"a=1&a=2": "InvalidArgument", "%zz=1": "InvalidArgument", "=1": "InvalidTag", "aws:x=1": "InvalidTag",
			"a=%00": "InvalidTag", "0&1&2&3&4&5&6&7&8&9&10": "BadRequest",
		} {
			f.do(t, "PUT", "/bkt/bad", "x", "x-amz-tagging: "+value).wantError(400, code)
			f.do(t, "POST", "/bkt/bad?uploads", "", "x-amz-tagging: "+value).wantError(400, code)
		}
		f.do(t, "HEAD", "/bkt/bad", "").want(404)
		f.put(t, "/bkt/empty", "x", "x-amz-tagging:")
		f.wantTagCount(t, "/bkt/empty", 0)
		// Multipart.
		id := f.do(t, "POST", "/bkt/m?uploads", "", "x-amz-tagging: a=1&b=2").want(200).element("UploadId")
		etag := f.put(t, "/bkt/m?partNumber=1&uploadId="+id, "part").header.Get("ETag")
		f.do(t, "POST", "/bkt/m?uploadId="+id, "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>"+etag+"</ETag></Part></CompleteMultipartUpload>").want(200)
		f.wantTags(t, "/bkt/m", "a=1", "b=2")
		// Copies.
		copied := func(target string, header ...string) *reply {
			t.Helper()
			return f.do(t, "PUT", target, "", append(header, "x-amz-copy-source: bkt/k")...)
		}
		copied("/other/c").want(200)
		f.wantTags(t, "/other/c", "bé=", "foo=b a r")
		copied("/other/c", "x-amz-tagging: ignored=1", "x-amz-tagging-directive: COPY", "x-amz-metadata-directive: REPLACE").want(200)
		f.wantTags(t, "/other/c", "bé=", "foo=b a r")
		if got := f.do(t, "HEAD", "/other/c", "").header.Get("X-Amz-Meta-A"); got != "" {
			t.Errorf("unexpected metadata of a copy that replaces it; got %q", got)
		}
		copied("/other/c", "x-amz-tagging: new=1", "x-amz-tagging-directive: REPLACE").want(200).header.Get("ETag")
		f.wantTags(t, "/other/c", "new=1")
		if got := f.do(t, "HEAD", "/other/c", "").header.Get("X-Amz-Meta-A"); got != "b" {
			t.Errorf("unexpected metadata of a copy; got %q; want b", got)
		}
		copied("/other/c", "x-amz-tagging-directive: REPLACE").want(200)
		f.wantTags(t, "/other/c")
		copied("/other/c", "x-amz-tagging-directive: KEEP").wantError(400, "InvalidArgument")
		// Forms.
		postSigned(t, f, []any{[]any{"starts-with", "$tagging", ""}}, field{"key", "p", ""}, field{"tagging", tagDocument("a=1"), ""}, field{"file", "x", ""}).want(204)
		f.wantTags(t, "/bkt/p", "a=1")
		postSigned(t, f, []any{[]any{"starts-with", "$tagging", ""}}, field{"key", "q", ""}, field{"tagging", "a=1", ""}, field{"file", "x", ""}).wantError(400, "MalformedXML")
	})
}

func TestTagsOfVersions(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		f.versioning(t, "Enabled")
		v1 := f.putVersion(t, "/bkt/k", letters(700))
		v2 := f.putVersion(t, "/bkt/k", letters(800))
		f.do(t, "PUT", "/bkt/k?tagging&versionId="+v1, tagDocument("v=1")).want(200).wantHeader("x-amz-version-id: " + v1)
		f.do(t, "PUT", "/bkt/k?tagging", tagDocument("v=2", "w=2")).want(200).wantHeader("x-amz-version-id: " + v2)
		f.wantTags(t, "/bkt/k?versionId="+v1, "v=1").wantHeader("x-amz-version-id: " + v1)
		f.wantTags(t, "/bkt/k", "v=2", "w=2").wantHeader("x-amz-version-id: " + v2)
		f.wantTagCount(t, "/bkt/k?versionId="+v1, 1)
		f.do(t, "DELETE", "/bkt/k?tagging&versionId="+v2, "").want(204).wantHeader("x-amz-version-id: " + v2)
		f.wantTags(t, "/bkt/k")
		f.wantTags(t, "/bkt/k?versionId="+v1, "v=1")
		f.wantVersions(t, "", "v* k "+v2, "v k "+v1)
		marker := f.deleteMarker(t, "/bkt/k")
		f.do(t, "PUT", "/bkt/k?tagging", tagDocument("a=b")).wantError(404, "NoSuchKey")
		f.do(t, "GET", "/bkt/k?tagging", "").wantError(404, "NoSuchKey")
		f.do(t, "PUT", "/bkt/k?tagging&versionId="+marker, tagDocument("a=b")).wantError(405, "MethodNotAllowed")
		f.do(t, "GET", "/bkt/k?tagging&versionId=null", "").wantError(404, "NoSuchVersion")
	})
}

func TestBucketTagging(t *testing.T) {
	f := start(t, testConfig(store.Synth))
	f.do(t, "PUT", "/bkt?tagging", tagDocument("b=2", "a=1")).want(204)
	f.wantTags(t, "/bkt", "a=1", "b=2")
	var many []string
	for i := range 51 {
		many = append(many, fmt.Sprint(i, "=x"))
	}
	f.do(t, "PUT", "/bkt?tagging", tagDocument(many...)).wantError(400, "BadRequest")
	f.do(t, "PUT", "/bkt?tagging", tagDocument(many[:50]...)).want(204)
	f.do(t, "PUT", "/bkt?tagging", tagDocument("a=1", "a=1")).wantError(400, "InvalidTag")
	f.do(t, "DELETE", "/bkt?tagging", "").want(204)
	f.do(t, "GET", "/bkt?tagging", "").wantError(404, "NoSuchTagSet")
	f.do(t, "PUT", "/none?tagging", tagDocument("a=1")).wantError(404, "NoSuchBucket")
}

// An object of a data set takes tags and keeps its bytes.
func TestTagsOfDatasets(t *testing.T) {
	cfg := testConfig(store.Synth)
	cfg.Datasets = []synth.Rule{{Bucket: "data", Key: "o/{i}", Count: 3, Size: synth.Size{Mean: 1000}}}
	f := start(t, cfg)
	before := f.do(t, "GET", "/data/o/1", "").want(200)
	f.do(t, "PUT", "/data/o/1?tagging", tagDocument("a=b")).want(200)
	f.wantTags(t, "/data/o/1", "a=b")
	after := f.do(t, "GET", "/data/o/1", "").wantBody(200, before.body)
	if after.header.Get("ETag") != before.header.Get("ETag") || after.header.Get("Last-Modified") != before.header.Get("Last-Modified") {
		t.Errorf("unexpected object after tagging; got %v; want %v", after.header, before.header)
	}
	if got := len(f.list(t, "data", "list-type=2").Contents); got != 3 {
		t.Errorf("unexpected number of objects; got %d; want 3", got)
	}
}
