package server

// listObjectVersions is ListObjectVersions of a bucket that never had
// versioning: every object is its own latest version, with the id "null".
//
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectVersions.html
func (r *request) listObjectVersions() error {
	b, page, url, err := r.listParams()
	if err != nil {
		return err
	}
	page.after, _ = r.target.param("key-marker")
	versionMarker, _ := r.target.param("version-id-marker")
	x := newListXML(url)
	x.setOwner(r.srv.ownerID)
	x.open("ListVersionsResult")
	r.listCommon(x, page)
	x.name("KeyMarker", page.after)
	x.doc = appendElement(x.doc, "VersionIdMarker", versionMarker)
	if page.max > 0 {
		c := b.Cursor()
		defer c.Close()
		found := page.start(c)
		for {
			e, ok := page.next(c, found)
			if !ok {
				break
			}
			page.last = append(page.last[:0], e.name...)
			if e.group {
				x.group(e.name)
				found = page.skip(c, e.name)
				continue
			}
			x.doc = append(x.doc, "<Version>"...)
			x.name("Key", e.name)
			x.text("VersionId", nullVersion)
			x.bool("IsLatest", true)
			x.object(c.Object())
			x.doc = append(x.doc, "</Version>"...)
			found = c.Next()
		}
	}
	x.bool("IsTruncated", page.truncated)
	if page.truncated {
		x.name("NextKeyMarker", page.last)
		x.text("NextVersionIdMarker", nullVersion)
	}
	return r.sendList(x, "ListVersionsResult")
}
