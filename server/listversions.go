package server

import (
	"bytes"

	"github.com/s3ultra/s3ultra/store"
)

// listObjectVersions is ListObjectVersions: the versions and delete markers of
// each key, newest first. In a bucket that never had versioning every object
// is its own latest version, with the id "null".
//
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectVersions.html
func (r *request) listObjectVersions() error {
	b, page, url, err := r.listParams()
	if err != nil {
		return err
	}
	page.after, _ = r.target.param("key-marker")
	versionMarker, _ := r.target.param("version-id-marker")
	var behind store.Version
	if len(versionMarker) > 0 {
		if len(page.after) == 0 {
			return invalidArgument("version-id-marker", string(versionMarker), "A version-id marker cannot be specified without a key marker.")
		}
		if behind, err = parseVersionID("version-id-marker", versionMarker); err != nil {
			return err
		}
		page.amid = true
	}
	x := newListXML(url)
	x.setOwner(r.srv.ownerID)
	x.entries.element = "Version"
	x.open("ListVersionsResult")
	r.listCommon(x, page)
	x.name("KeyMarker", page.after)
	x.doc = appendElement(x.doc, "VersionIdMarker", versionMarker)
	last := walkVersions(b, page, behind, x)
	x.bool("IsTruncated", page.truncated)
	if page.truncated {
		x.name("NextKeyMarker", page.last)
		x.version("NextVersionIdMarker", last)
	}
	return r.sendList(x, "ListVersionsResult")
}

// walkVersions writes the entries of the page, which starts behind a version
// of its first key if page.amid. It returns where the next page goes on within
// the last key.
func walkVersions(b *store.Bucket, page *listPage, behind store.Version, x *listXML) (last store.Version) {
	if page.max == 0 {
		return 0
	}
	c := b.VersionCursor()
	defer c.Close()
	found := page.startVersions(c, behind)
	for {
		e, ok := page.next(c, found)
		if !ok {
			return last
		}
		page.keepLast(e.name)
		if e.group {
			x.group(e.name)
			last = 0
			found = page.skip(c, e.name)
			continue
		}
		last = c.Place()
		x.objectVersion(e.name, c)
		found = c.Next()
	}
}

// startVersions is start for a listing of versions.
func (p *listPage) startVersions(c *store.VersionCursor, behind store.Version) bool {
	switch {
	case len(p.after) == 0 || bytes.Compare(p.after, p.prefix) < 0:
		return c.Seek(p.prefix)
	case p.amid:
		return c.SeekBehind(p.after, behind)
	}
	// The next key there can be: the versions of the marker's own key, which
	// may be many, are not walked.
	p.seek = append(append(p.seek[:0], p.after...), 0)
	return c.Seek(p.seek)
}

// objectVersion adds the entry that c stands on.
func (x *listXML) objectVersion(key []byte, c *store.VersionCursor) {
	o := c.Object()
	if c.IsMarker() {
		x.deleteMarker(key, o, c.IsLatest())
		return
	}
	x.setObject(o)
	doc := append(x.grow(key), "<Version><Key>"...)
	doc, _ = x.appendKey(doc, key)
	doc = append(doc, "</Key><VersionId>"...)
	doc = o.Version.Append(doc)
	if c.IsLatest() {
		doc = append(doc, "</VersionId><IsLatest>true</IsLatest>"...)
	} else {
		doc = append(doc, "</VersionId><IsLatest>false</IsLatest>"...)
	}
	doc = append(doc, x.entries.middle[len("</Key>"):]...)
	doc = appendETagDigits(doc, &o.ETag)
	x.doc = append(doc, x.entries.end...)
}

func (x *listXML) deleteMarker(key []byte, o *store.Object, latest bool) {
	x.doc = append(x.doc, "<DeleteMarker>"...)
	x.name("Key", key)
	x.version("VersionId", o.Version)
	x.bool("IsLatest", latest)
	x.doc = append(x.doc, "<LastModified>"...)
	x.doc = x.appendTime(x.doc, o.ModTime)
	x.doc = append(x.doc, "</LastModified>"...)
	x.doc = append(x.doc, x.owner...)
	x.doc = append(x.doc, "</DeleteMarker>"...)
}

func (x *listXML) version(element string, v store.Version) {
	x.doc = append(append(append(x.doc, '<'), element...), '>')
	x.doc = appendEnd(v.Append(x.doc), element)
}
