package server

import (
	"bytes"

	"github.com/s3ultra/s3ultra/store"
)

// listMultipartUploads is ListMultipartUploads.
//
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListMultipartUploads.html
func (r *request) listMultipartUploads() error {
	b, err := r.bucket()
	if err != nil {
		return err
	}
	url, err := r.parseEncoding()
	if err != nil {
		return err
	}
	w := uploadsWalk{r: r}
	w.prefix, _ = r.target.param("prefix")
	w.delimiter, _ = r.target.param("delimiter")
	if w.max, err = r.parseMaxKeys("max-uploads"); err != nil {
		return err
	}
	keyMarker, _ := r.target.param("key-marker")
	idMarker, _ := r.target.param("upload-id-marker")
	if len(keyMarker) == 0 {
		// AWS ignores an id marker without a key marker.
		idMarker = nil
	}
	x := newListXML(url)
	w.x = x
	x.open("ListMultipartUploadsResult")
	x.doc = appendElement(x.doc, "Bucket", r.target.bucket)
	x.name("KeyMarker", keyMarker)
	x.doc = appendElement(x.doc, "UploadIdMarker", idMarker)
	x.name("Prefix", w.prefix)
	if len(w.delimiter) > 0 {
		x.name("Delimiter", w.delimiter)
	}
	x.int("MaxUploads", w.max)
	x.encodingType()
	w.run(b, keyMarker, idMarker)
	x.bool("IsTruncated", w.truncated)
	if w.truncated {
		x.name("NextKeyMarker", w.lastKey)
		x.doc = appendElement(x.doc, "NextUploadIdMarker", w.lastID)
	}
	return r.sendList(x, "ListMultipartUploadsResult")
}

// uploadsWalk writes one page of uploads.
type uploadsWalk struct {
	r                 *request
	x                 *listXML
	prefix, delimiter []byte
	max, entries      int
	truncated         bool
	lastKey           []byte
	lastID            string
	group             []byte // the common prefix that the walk must pass
}

// run walks from behind (key, id), restarting past each common prefix.
func (w *uploadsWalk) run(b *store.Bucket, key, id []byte) {
	if w.max == 0 {
		return
	}
	from, fromID := append([]byte(nil), key...), append([]byte(nil), id...)
	switch {
	case len(key) > 0 && len(id) > 0:
		fromID = append(fromID, 0) // the next id after it
	case len(key) > 0:
		from = append(from, 0) // the next key after it
	}
	if g := commonPrefixOf(key, w.prefix, w.delimiter); g != nil {
		// The marker is, or lies in, a group that was sent.
		if from, fromID = successor(append([]byte(nil), g...)), nil; from == nil {
			return
		}
	}
	if bytes.Compare(from, w.prefix) < 0 {
		from, fromID = w.prefix, nil
	}
	for {
		w.group = nil
		b.UploadsFrom(from, fromID, w.visit)
		if w.group == nil {
			return
		}
		if from, fromID = successor(w.group), nil; from == nil {
			return
		}
	}
}

// visit adds one upload or its group; false ends this walk.
func (w *uploadsWalk) visit(u *store.Upload) bool {
	key := viewBytes(u.Key)
	if !bytes.HasPrefix(key, w.prefix) {
		return false
	}
	group := commonPrefix(key, w.prefix, w.delimiter)
	if w.entries == w.max {
		w.truncated = true
		return false
	}
	w.entries++
	if group != nil {
		w.x.group(group)
		w.lastKey, w.lastID = append(w.lastKey[:0], group...), ""
		w.group = append([]byte(nil), group...)
		return false
	}
	w.lastKey, w.lastID = append(w.lastKey[:0], key...), u.ID
	x := w.x
	x.doc = append(x.doc, "<Upload>"...)
	x.name("Key", key)
	x.text("UploadId", u.ID)
	x.doc = appendOwner(x.doc, "Initiator", w.r.srv.ownerID)
	x.doc = appendOwner(x.doc, "Owner", w.r.srv.ownerID)
	x.text("StorageClass", storageClassOf(u.Meta))
	x.doc = append(x.doc, "<Initiated>"...)
	x.doc = x.appendTime(x.doc, u.Initiated)
	x.doc = append(x.doc, "</Initiated>"...)
	if alg := checksumAlgorithm(u.Checksum.Algorithm); alg != checksumNone {
		x.text("ChecksumAlgorithm", alg.String())
		x.text("ChecksumType", checksumTypeName(u.Checksum.Composite))
	}
	x.doc = append(x.doc, "</Upload>"...)
	return true
}

// commonPrefixOf is commonPrefix for a marker, which need not have the prefix.
func commonPrefixOf(marker, prefix, delimiter []byte) []byte {
	if !bytes.HasPrefix(marker, prefix) {
		return nil
	}
	return commonPrefix(marker, prefix, delimiter)
}
