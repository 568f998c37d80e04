package server

import "github.com/s3ultra/s3ultra/store"

// listObjectsV2 is ListObjectsV2.
//
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html
func (r *request) listObjectsV2() error {
	b, page, url, err := r.listParams()
	if err != nil {
		return err
	}
	token, hasToken := r.target.param("continuation-token")
	startAfter, hasStart := r.target.param("start-after")
	// The token wins: minio-py sends both from the second page on.
	page.after = startAfter
	if len(token) > 0 {
		var ok bool
		if page.after, ok = parseToken(token); !ok {
			return invalidArgument("continuation-token", string(token), "The continuation token provided is incorrect")
		}
	}
	x := newListXML(url)
	if v, _ := r.target.param("fetch-owner"); string(v) == "true" {
		x.setOwner(r.srv.ownerID)
	}
	x.open("ListBucketResult")
	r.listCommon(x, page)
	if hasToken {
		x.doc = appendElement(x.doc, "ContinuationToken", token)
	}
	if hasStart {
		x.name("StartAfter", startAfter)
	}
	walkObjects(b, page, x)
	x.int("KeyCount", page.entries)
	x.bool("IsTruncated", page.truncated)
	if page.truncated {
		x.doc = append(x.doc, "<NextContinuationToken>"...)
		x.doc = appendToken(x.doc, page.last)
		x.doc = append(x.doc, "</NextContinuationToken>"...)
	}
	return r.sendList(x, "ListBucketResult")
}

// listObjects is ListObjects, version 1.
//
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjects.html
func (r *request) listObjects() error {
	b, page, url, err := r.listParams()
	if err != nil {
		return err
	}
	page.after, _ = r.target.param("marker")
	x := newListXML(url)
	x.setOwner(r.srv.ownerID)
	x.open("ListBucketResult")
	x.plainControls = true
	r.listCommon(x, page)
	x.plainControls = false
	x.name("Marker", page.after)
	walkObjects(b, page, x)
	x.bool("IsTruncated", page.truncated)
	if page.truncated {
		// AWS sends it with a delimiter only; clients that trust it loop for
		// ever where it is missing.
		x.name("NextMarker", page.last)
	}
	return r.sendList(x, "ListBucketResult")
}

// listParams reads the parameters that both versions share.
func (r *request) listParams() (b *store.Bucket, page *listPage, url bool, err error) {
	page = &r.page
	*page = listPage{last: page.last[:0], seek: page.seek[:0]}
	if b, err = r.bucket(); err != nil {
		return
	}
	if url, err = r.parseEncoding(); err != nil {
		return
	}
	page.prefix, _ = r.target.param("prefix")
	page.delimiter, _ = r.target.param("delimiter")
	page.max, err = r.parseMaxKeys("max-keys")
	return
}

// listCommon writes the elements that both versions start with.
func (r *request) listCommon(x *listXML, page *listPage) {
	x.doc = appendElement(x.doc, "Name", r.target.bucket)
	x.name("Prefix", page.prefix)
	x.int("MaxKeys", page.max)
	if len(page.delimiter) > 0 {
		x.name("Delimiter", page.delimiter)
	}
	x.encodingType()
}

// walkObjects writes the entries of the page.
func walkObjects(b *store.Bucket, page *listPage, x *listXML) {
	if page.max == 0 {
		return
	}
	c := b.Cursor()
	defer c.Close()
	found := page.start(c)
	for {
		e, ok := page.next(c, found)
		if !ok {
			return
		}
		page.keepLast(e.name)
		if e.group {
			x.group(e.name)
			found = page.skip(c, e.name)
			continue
		}
		shape := c.Shape()
		x.contents(e.name, shape, c.Object())
		for found = c.Next(); found && page.nextAlike(shape, c.Shape()); found = c.Next() {
			key := c.Key()
			page.keepLast(key)
			x.contents(key, shape, c.Object())
		}
	}
}
