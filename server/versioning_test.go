package server_test

import (
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
	"testing"
)

const versioningBody = `<VersioningConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Status>%s</Status></VersioningConfiguration>`

// versioning sets the versioning of bkt.
func (f *fixture) versioning(t testing.TB, status string) {
	t.Helper()
	f.do(t, "PUT", "/bkt?versioning", fmt.Sprintf(versioningBody, status)).want(200)
	if got := f.do(t, "GET", "/bkt?versioning", "").want(200).element("Status"); got != status {
		t.Fatalf("unexpected versioning status; got %q; want %q", got, status)
	}
}

// putVersion stores an object in a bucket with versioning and returns its id.
func (f *fixture) putVersion(t testing.TB, target, body string) string {
	t.Helper()
	id := f.put(t, target, body).header.Get("X-Amz-Version-Id")
	if len(id) != 32 {
		t.Fatalf("unexpected version id of PUT %s; got %q; want 32 characters", target, id)
	}
	return id
}

// deleteMarker deletes an object and returns the id of the marker.
func (f *fixture) deleteMarker(t testing.TB, target string) string {
	t.Helper()
	return f.do(t, "DELETE", target, "").want(204).wantHeader("x-amz-delete-marker: true").header.Get("X-Amz-Version-Id")
}

// versionsPage is ListVersionsResult with its entries in the order sent.
type versionsPage struct {
	XMLName                            xml.Name `xml:"ListVersionsResult"`
	IsTruncated                        bool
	NextKeyMarker, NextVersionIdMarker string
	Entries                            []versionEntry `xml:",any"`
}

type versionEntry struct {
	XMLName                      xml.Name
	Key, VersionId, LastModified string
	IsLatest                     bool
	Size                         *int64
	ETag                         string
	Owner                        *struct{ ID string }
	Prefix                       string
}

// line is an entry as a test writes it: v for a version, d for a delete
// marker, p for a common prefix; an asterisk marks the latest version.
func (e *versionEntry) line() string {
	latest := ""
	if e.IsLatest {
		latest = "*"
	}
	switch e.XMLName.Local {
	case "Version":
		return "v" + latest + " " + e.Key + " " + e.VersionId
	case "DeleteMarker":
		return "d" + latest + " " + e.Key + " " + e.VersionId
	case "CommonPrefixes":
		return "p " + e.Prefix
	}
	return ""
}

// versions returns the entries of one page of bkt's versions.
func (f *fixture) versions(t testing.TB, query string) (lines []string, page versionsPage) {
	t.Helper()
	f.do(t, "GET", "/bkt?versions"+query, "").parse(&page)
	for i := range page.Entries {
		e := &page.Entries[i]
		line := e.line()
		switch {
		case line == "":
			continue
		case e.XMLName.Local == "Version" && (e.Size == nil || e.ETag == "" || e.Owner == nil || e.LastModified == ""),
			e.XMLName.Local == "DeleteMarker" && (e.Size != nil || e.ETag != "" || e.Owner == nil || e.LastModified == ""):
			t.Errorf("unexpected elements of %q; got %+v", line, e)
		}
		lines = append(lines, line)
	}
	return lines, page
}

// wantVersions requires the whole listing, in one page and by pages of each
// size.
func (f *fixture) wantVersions(t testing.TB, query string, want ...string) {
	t.Helper()
	if got, _ := f.versions(t, query); !slices.Equal(got, want) {
		t.Errorf("unexpected versions; got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for size := 1; size <= len(want); size++ {
		var all []string
		markers := ""
		for {
			got, page := f.versions(t, fmt.Sprintf("%s&max-keys=%d%s", query, size, markers))
			all = append(all, got...)
			if !page.IsTruncated {
				break
			}
			if len(got) == 0 || page.NextKeyMarker == "" || page.NextVersionIdMarker == "" {
				t.Fatalf("unexpected truncated page; got %+v", page)
			}
			markers = "&key-marker=" + escapeQuery(page.NextKeyMarker) + "&version-id-marker=" + page.NextVersionIdMarker
		}
		slices.SortStableFunc(all, func(a, b string) int { return prefixLast(a) - prefixLast(b) })
		if !slices.Equal(all, want) {
			t.Errorf("unexpected versions by %d a page; got\n%s\nwant\n%s", size, strings.Join(all, "\n"), strings.Join(want, "\n"))
		}
	}
}

// prefixLast sorts common prefixes behind versions, as each page has them.
func prefixLast(line string) int {
	if line[0] == 'p' {
		return 1
	}
	return 0
}

func TestVersioningConfiguration(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		if r := f.do(t, "GET", "/bkt?versioning", "").want(200); strings.Contains(r.body, "Status") {
			t.Errorf("unexpected Status of a new bucket\n%v", r)
		}
		for _, body := range []string{"", "<x/>", "<VersioningConfiguration/>", "<VersioningConfiguration>", fmt.Sprintf(versioningBody, "enabled"), fmt.Sprintf(versioningBody, ""),
			"<VersioningConfiguration><Status>Enabled</Status><MfaDelete>maybe</MfaDelete></VersioningConfiguration>"} {
			f.do(t, "PUT", "/bkt?versioning", body).wantError(400, "MalformedXML")
		}
		f.do(t, "PUT", "/bkt?versioning", "<VersioningConfiguration><Status>Enabled</Status><MfaDelete>Enabled</MfaDelete></VersioningConfiguration>").wantError(501, "NotImplemented")
		f.do(t, "PUT", "/none?versioning", fmt.Sprintf(versioningBody, "Enabled")).wantError(404, "NoSuchBucket")
		if r := f.do(t, "GET", "/bkt?versioning", "").want(200); strings.Contains(r.body, "Status") {
			t.Errorf("unexpected Status after refused changes\n%v", r)
		}
		f.versioning(t, "Suspended")
		f.versioning(t, "Enabled")
		f.do(t, "PUT", "/bkt?versioning", "<VersioningConfiguration><MfaDelete>Disabled</MfaDelete><Status>Suspended</Status></VersioningConfiguration>").want(200)
	})
}

// A bucket without versioning says nothing of versions but the id null.
func TestUnversioned(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		f.put(t, "/bkt/k", "one").wantHeader("x-amz-version-id:")
		f.do(t, "GET", "/bkt/k", "").wantBody(200, "one").wantHeader("x-amz-version-id:")
		f.do(t, "GET", "/bkt/k?versionId=null", "").wantBody(200, "one").wantHeader("x-amz-version-id:")
		f.do(t, "GET", "/bkt/k?versionId=x", "").wantError(400, "InvalidArgument")
		f.do(t, "GET", "/bkt/k?versionId=", "").wantError(400, "InvalidArgument")
		f.do(t, "GET", "/bkt/k?versionId=00000000000000015692161d100b05e5", "").wantError(404, "NoSuchVersion")
		f.do(t, "DELETE", "/bkt/k?versionId=x", "").wantError(400, "InvalidArgument")
		f.wantVersions(t, "", "v* k null")
		f.do(t, "DELETE", "/bkt/k?versionId=null", "").want(204).wantHeader("x-amz-version-id:", "x-amz-delete-marker:")
		f.do(t, "GET", "/bkt/k", "").wantError(404, "NoSuchKey")
		f.put(t, "/bkt/k", "two")
		f.do(t, "DELETE", "/bkt/k", "").want(204).wantHeader("x-amz-version-id:", "x-amz-delete-marker:")
		f.do(t, "GET", "/bkt/k", "").wantHeader("x-amz-version-id:", "x-amz-delete-marker:").wantError(404, "NoSuchKey")
		f.wantVersions(t, "")
	})
}

func TestVersionsOfAnObject(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		f.put(t, "/bkt/k", "zero", "x-amz-meta-n: 0")
		f.versioning(t, "Enabled")
		f.do(t, "GET", "/bkt/k", "").wantBody(200, "zero").wantHeader("x-amz-version-id: null")
		v1 := f.putVersion(t, "/bkt/k", "one")
		v2 := f.putVersion(t, "/bkt/k", "second")
		f.do(t, "GET", "/bkt/k", "").wantBody(200, "second").wantHeader("x-amz-version-id: " + v2)
		f.do(t, "HEAD", "/bkt/k?versionId="+v1, "").want(200).wantHeader("x-amz-version-id: "+v1, "content-length: 3")
		f.do(t, "GET", "/bkt/k?versionId="+v1, "").wantBody(200, "one").wantHeader("x-amz-version-id: " + v1)
		f.do(t, "GET", "/bkt/k?versionId="+v1, "", "Range: bytes=1-").wantBody(206, "ne")
		f.do(t, "GET", "/bkt/k?versionId=null", "").wantBody(200, "zero").wantHeader("x-amz-version-id: null", "x-amz-meta-n: 0")
		f.do(t, "GET", "/bkt/k?attributes&versionId="+v1, "", "x-amz-object-attributes: ObjectSize").want(200).wantHeader("x-amz-version-id: " + v1)
		f.do(t, "GET", "/bkt/k?acl&versionId="+v1, "").want(200)
		f.do(t, "GET", "/bkt/k?versionId="+v1, "", "If-None-Match: *").want(304).wantHeader("x-amz-version-id: " + v1)
		f.do(t, "GET", "/bkt/other?versionId="+v1, "").wantError(404, "NoSuchVersion")

		m := f.deleteMarker(t, "/bkt/k")
		f.wantKeys(t, "bkt")
		for _, method := range []string{"GET", "HEAD"} {
			f.do(t, method, "/bkt/k", "").wantHeader("x-amz-delete-marker: true", "x-amz-version-id: "+m).wantError(404, "NoSuchKey")
			r := f.do(t, method, "/bkt/k?versionId="+m, "").wantHeader("x-amz-delete-marker: true", "x-amz-version-id: "+m, "Allow: DELETE")
			r.wantError(405, "MethodNotAllowed")
			if r.header.Get("Last-Modified") == "" {
				t.Errorf("Last-Modified of a delete marker is missing\n%v", r)
			}
		}
		f.do(t, "GET", "/bkt/k?versionId="+v2, "").wantBody(200, "second")
		f.do(t, "GET", "/bkt/k?attributes", "", "x-amz-object-attributes: ETag").wantHeader("x-amz-delete-marker: true").wantError(404, "NoSuchKey")
		f.put(t, "/bkt/j", "j")
		f.do(t, "DELETE", "/bkt/j?versionId="+v1, "").want(204)
		m2 := f.deleteMarker(t, "/bkt/k")
		lines, _ := f.versions(t, "&prefix=k")
		if want := []string{"d* k " + m2, "d k " + m, "v k " + v2, "v k " + v1, "v k null"}; !slices.Equal(lines, want) {
			t.Errorf("unexpected versions; got %q; want %q", lines, want)
		}
		// Without its markers the object is back; without the newest version,
		// the one before is.
		f.do(t, "DELETE", "/bkt/k?versionId="+m2, "").want(204).wantHeader("x-amz-delete-marker: true", "x-amz-version-id: "+m2)
		f.do(t, "DELETE", "/bkt/k?versionId="+m, "").want(204).wantHeader("x-amz-delete-marker: true", "x-amz-version-id: "+m)
		f.do(t, "GET", "/bkt/k", "").wantBody(200, "second")
		f.do(t, "DELETE", "/bkt/k?versionId="+v2, "").want(204).wantHeader("x-amz-delete-marker:", "x-amz-version-id: "+v2)
		f.do(t, "GET", "/bkt/k", "").wantBody(200, "one")
		f.do(t, "GET", "/bkt/k?versionId="+v2, "").wantError(404, "NoSuchVersion")
		f.do(t, "DELETE", "/bkt/k?versionId="+v2, "").want(204)
		f.do(t, "DELETE", "/bkt", "").wantError(409, "BucketNotEmpty")
	})
}

func TestVersioningSuspended(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		f.versioning(t, "Enabled")
		v1 := f.putVersion(t, "/bkt/k", "one")
		f.versioning(t, "Suspended")
		f.put(t, "/bkt/k", "null 1").wantHeader("x-amz-version-id:")
		f.put(t, "/bkt/k", "null 2")
		f.wantVersions(t, "", "v* k null", "v k "+v1)
		f.do(t, "GET", "/bkt/k", "").wantBody(200, "null 2").wantHeader("x-amz-version-id: null")
		for range 2 {
			if id := f.deleteMarker(t, "/bkt/k"); id != "null" {
				t.Errorf("unexpected version id of a marker; got %q; want null", id)
			}
			f.wantVersions(t, "", "d* k null", "v k "+v1)
		}
		f.do(t, "HEAD", "/bkt/k", "").want(404).wantHeader("x-amz-delete-marker: true", "x-amz-version-id: null")
		f.versioning(t, "Enabled")
		v2 := f.putVersion(t, "/bkt/k", "two")
		f.wantVersions(t, "", "v* k "+v2, "d k null", "v k "+v1)
		f.versioning(t, "Suspended")
		f.put(t, "/bkt/k", "null 3")
		f.wantVersions(t, "", "v* k null", "v k "+v2, "v k "+v1)
		// Deleted by id, the null version leaves no marker.
		f.do(t, "DELETE", "/bkt/k?versionId=null", "").want(204).wantHeader("x-amz-delete-marker:", "x-amz-version-id: null")
		f.wantVersions(t, "", "v* k "+v2, "v k "+v1)
		for _, id := range []string{v1, v2} {
			f.do(t, "DELETE", "/bkt/k?versionId="+id, "").want(204)
		}
		f.do(t, "GET", "/bkt/k", "").wantHeader("x-amz-delete-marker:", "x-amz-version-id:").wantError(404, "NoSuchKey")
		f.do(t, "DELETE", "/bkt", "").want(204)
	})
}

func TestListObjectVersions(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		f.put(t, "/bkt/a", "0")
		f.versioning(t, "Enabled")
		a1, a2 := f.putVersion(t, "/bkt/a", "1"), f.putVersion(t, "/bkt/a", "22")
		d := f.deleteMarker(t, "/bkt/dir/gone")
		x := f.putVersion(t, "/bkt/dir/x", "x")
		z := f.putVersion(t, "/bkt/z", "z")
		zd := f.deleteMarker(t, "/bkt/z")
		f.wantVersions(t, "", "v* a "+a2, "v a "+a1, "v a null", "d* dir/gone "+d, "v* dir/x "+x, "d* z "+zd, "v z "+z)
		f.wantVersions(t, "&delimiter=/", "v* a "+a2, "v a "+a1, "v a null", "d* z "+zd, "v z "+z, "p dir/")
		f.wantVersions(t, "&prefix=dir/", "d* dir/gone "+d, "v* dir/x "+x)
		f.wantVersions(t, "&prefix=d&delimiter=/", "p dir/")
		// A key marker alone passes all versions of its key.
		lines, _ := f.versions(t, "&key-marker=a&max-keys=1")
		if want := []string{"d* dir/gone " + d}; !slices.Equal(lines, want) {
			t.Errorf("unexpected versions after a key; got %q; want %q", lines, want)
		}
		// A marker goes on behind a version that is gone.
		f.do(t, "DELETE", "/bkt/a?versionId="+a1, "").want(204)
		lines, _ = f.versions(t, "&key-marker=a&version-id-marker="+a1+"&prefix=a")
		if want := []string{"v a null"}; !slices.Equal(lines, want) {
			t.Errorf("unexpected versions behind one that is gone; got %q; want %q", lines, want)
		}
		lines, _ = f.versions(t, "&max-keys=0")
		if len(lines) != 0 {
			t.Errorf("unexpected versions with max-keys=0; got %q", lines)
		}
		f.do(t, "GET", "/bkt?versions&version-id-marker="+a2, "").wantError(400, "InvalidArgument")
		f.do(t, "GET", "/bkt?versions&key-marker=a&version-id-marker=x", "").wantError(400, "InvalidArgument")
	})
}

// Pages go on behind a null version between others that was deleted with its
// page, as clients do that empty a bucket.
func TestListVersionsWhileDeleting(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		f.versioning(t, "Enabled")
		f.putVersion(t, "/bkt/k", "1")
		f.putVersion(t, "/bkt/k", "2")
		f.versioning(t, "Suspended")
		f.put(t, "/bkt/k", "null")
		f.versioning(t, "Enabled")
		f.putVersion(t, "/bkt/k", "3")
		f.deleteMarker(t, "/bkt/k")
		markers, pages := "", 0
		for {
			pages++
			_, page := f.versions(t, "&max-keys=1"+markers)
			for i := range page.Entries {
				if e := &page.Entries[i]; e.line() != "" {
					f.do(t, "DELETE", "/bkt/k?versionId="+e.VersionId, "").want(204)
				}
			}
			if !page.IsTruncated {
				break
			}
			markers = "&key-marker=" + page.NextKeyMarker + "&version-id-marker=" + page.NextVersionIdMarker
		}
		if pages != 5 {
			t.Errorf("unexpected pages; got %d; want 5", pages)
		}
		f.do(t, "DELETE", "/bkt", "").want(204)
	})
}

// deletedVersions is the reply of DeleteObjects with all that is said of
// versions.
type deletedVersions struct {
	XMLName xml.Name `xml:"DeleteResult"`
	Deleted []struct {
		Key, VersionId        string
		DeleteMarker          bool
		DeleteMarkerVersionId string
	}
	Error []struct{ Key, VersionId, Code string }
}

func TestDeleteObjectsVersions(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		f.versioning(t, "Enabled")
		a := f.putVersion(t, "/bkt/a", "a")
		b := f.putVersion(t, "/bkt/b", "b")
		remove := func(objects string) (doc deletedVersions) {
			t.Helper()
			f.do(t, "POST", "/bkt?delete", "<Delete>"+objects+"</Delete>").parse(&doc)
			return doc
		}
		object := func(key, id string) string {
			return "<Object><Key>" + key + "</Key><VersionId>" + id + "</VersionId></Object>"
		}
		doc := remove("<Object><Key>a</Key></Object>" + object("b", b) + object("b", "nonsense"))
		if len(doc.Deleted) != 2 || len(doc.Error) != 1 {
			t.Fatalf("unexpected result; got %+v", doc)
		}
		marker := doc.Deleted[0]
		if marker.Key != "a" || marker.VersionId != "" || !marker.DeleteMarker || len(marker.DeleteMarkerVersionId) != 32 {
			t.Errorf("unexpected result of a marker; got %+v", marker)
		}
		if d := doc.Deleted[1]; d.Key != "b" || d.VersionId != b || d.DeleteMarker || d.DeleteMarkerVersionId != "" {
			t.Errorf("unexpected result of a version; got %+v", d)
		}
		if e := doc.Error[0]; e.Key != "b" || e.VersionId != "nonsense" || e.Code != "NoSuchVersion" {
			t.Errorf("unexpected error; got %+v", e)
		}
		f.wantVersions(t, "", "d* a "+marker.DeleteMarkerVersionId, "v a "+a)
		doc = remove(object("a", marker.DeleteMarkerVersionId) + object("a", marker.DeleteMarkerVersionId))
		if len(doc.Deleted) != 2 || len(doc.Error) != 0 {
			t.Fatalf("unexpected result; got %+v", doc)
		}
		if d := doc.Deleted[0]; !d.DeleteMarker || d.DeleteMarkerVersionId != marker.DeleteMarkerVersionId || d.VersionId != d.DeleteMarkerVersionId {
			t.Errorf("unexpected result of removing a marker; got %+v", d)
		}
		if d := doc.Deleted[1]; d.DeleteMarker {
			t.Errorf("unexpected marker, which was gone; got %+v", d)
		}
		f.do(t, "GET", "/bkt/a", "").wantBody(200, "a")
	})
}

func TestCopyVersions(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		f.versioning(t, "Enabled")
		v1 := f.putVersion(t, "/bkt/k", "one")
		v2 := f.putVersion(t, "/bkt/k", "second")
		f.do(t, "PUT", "/other/c", "", "x-amz-copy-source: bkt/k").want(200).wantHeader("x-amz-copy-source-version-id: "+v2, "x-amz-version-id:")
		f.do(t, "PUT", "/other/c", "", "x-amz-copy-source: bkt/k?versionId="+v1).want(200).wantHeader("x-amz-copy-source-version-id: " + v1)
		f.do(t, "GET", "/other/c", "").wantBody(200, "one")
		// The documented way to restore a version.
		restored := f.do(t, "PUT", "/bkt/k", "", "x-amz-copy-source: bkt/k?versionId="+v1).want(200).header.Get("X-Amz-Version-Id")
		f.do(t, "GET", "/bkt/k", "").wantBody(200, "one").wantHeader("x-amz-version-id: " + restored)
		f.do(t, "PUT", "/bkt/k", "", "x-amz-copy-source: bkt/k").wantError(400, "InvalidRequest")
		f.do(t, "PUT", "/bkt/back", "", "x-amz-copy-source: other/c").want(200).wantHeader("x-amz-copy-source-version-id:")
		id := f.newUpload(t, "/other/parts")
		f.do(t, "PUT", "/other/parts?uploadId="+id+"&partNumber=1", "", "x-amz-copy-source: bkt/k?versionId="+v2).want(200).wantHeader("x-amz-copy-source-version-id: " + v2)
		m := f.deleteMarker(t, "/bkt/k")
		f.do(t, "PUT", "/other/c", "", "x-amz-copy-source: bkt/k").wantError(404, "NoSuchKey")
		f.do(t, "PUT", "/other/c", "", "x-amz-copy-source: bkt/k?versionId="+m).wantError(400, "InvalidRequest")
		f.do(t, "DELETE", "/bkt/k?versionId="+v1, "").want(204)
		f.do(t, "PUT", "/other/c", "", "x-amz-copy-source: bkt/k?versionId="+v1).wantError(404, "NoSuchVersion")
		f.do(t, "PUT", "/other/c", "", "x-amz-copy-source: bkt/k?versionId=x").wantError(400, "InvalidArgument")
	})
}

// Conditions of writes speak of the current version: a delete marker is none.
func TestVersionsConditions(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		f.versioning(t, "Enabled")
		r := f.put(t, "/bkt/k", "one")
		f.put(t, "/bkt/k", "second")
		f.do(t, "PUT", "/bkt/k", "x", "If-Match: "+r.etag()).wantError(412, "PreconditionFailed")
		f.deleteMarker(t, "/bkt/k")
		f.do(t, "PUT", "/bkt/k", "x", "If-Match: *").wantError(404, "NoSuchKey")
		f.put(t, "/bkt/k", "third", "If-None-Match: *")
		done := f.multipart(t, "/bkt/k", []string{"part"})
		if id := done.header.Get("X-Amz-Version-Id"); len(id) != 32 {
			t.Errorf("unexpected version id of Complete; got %q", id)
		}
		if lines, _ := f.versions(t, ""); len(lines) != 5 {
			t.Errorf("unexpected versions; got %q; want 5", lines)
		}
	})
}
