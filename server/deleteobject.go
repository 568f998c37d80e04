package server

import (
	"encoding/xml"
	"errors"
	"fmt"

	"github.com/s3ultra/s3ultra/store"
)

const (
	// maxDeleteKeys is the most keys of one DeleteObjects.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObjects.html
	maxDeleteKeys = 1000
	// maxDeleteDocument fits maxDeleteKeys keys of maxKeyLength characters,
	// each as long as an escaped one gets (&quot;), with their elements.
	maxDeleteDocument = 8 << 20
)

// deleteObject is DeleteObject. Deleting what is not there succeeds. With
// versioning it adds a delete marker, unless a version is named.
//
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObject.html
func (r *request) deleteObject() error {
	b, err := r.bucket()
	if err != nil {
		return err
	}
	v, given, err := r.versionID()
	if err != nil {
		return err
	}
	d, err := r.remove(b, r.target.key, v, given, r.deleteCheck())
	if err != nil {
		return err
	}
	if d.Marker {
		r.ctx.Response.Header.SetCanonical(nameDeleteMarker, valueTrue)
	}
	if b.Versioning() != store.VersioningUnset {
		r.setVersion(nameVersionID, d.Version)
	}
	return r.sendNothing(204)
}

// remove deletes version v if one is given, else the current object.
func (r *request) remove(b *store.Bucket, key []byte, v store.Version, given bool, check func(*store.Object) error) (store.Deleted, error) {
	if given {
		return b.DeleteVersion(key, v, check)
	}
	return b.Delete(key, r.now, check)
}

// deleteCheck is the condition of a delete: If-Match holds for a missing
// object, which there is nothing to protect of.
func (r *request) deleteCheck() func(*store.Object) error {
	ifMatch := r.known[headerIfMatch]
	if ifMatch == nil {
		return nil
	}
	return func(old *store.Object) error {
		if old != nil && !matchETag(ifMatch, old.ETag) {
			return errPreconditionFailed.with("Condition", "If-Match")
		}
		return nil
	}
}

// deleteRequest is the body of DeleteObjects.
type deleteRequest struct {
	XMLName xml.Name `xml:"Delete"`
	Quiet   bool     `xml:"Quiet"`
	Objects []struct {
		Key       string `xml:"Key"`
		VersionID string `xml:"VersionId"`
		ETag      string `xml:"ETag"`
	} `xml:"Object"`
}

// deleteObjects is DeleteObjects. A body without any digest is accepted; one
// that comes with a digest must match it.
//
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObjects.html
func (r *request) deleteObjects() error {
	b, err := r.bucket()
	if err != nil {
		return err
	}
	text, err := r.receiveDocument(maxDeleteDocument)
	if err != nil {
		return err
	}
	var req deleteRequest
	if err := unmarshalXML(text, &req); err != nil {
		return errMalformedXML.because(fmt.Errorf("cannot parse Delete: %w", err))
	}
	if n := len(req.Objects); n == 0 || n > maxDeleteKeys {
		return errMalformedXML.because(fmt.Errorf("%d keys, from 1 to %d are allowed", n, maxDeleteKeys))
	}
	doc := append([]byte(xmlHeader), "<DeleteResult"+xmlNamespace+">"...)
	for i := range req.Objects {
		o := &req.Objects[i]
		d, err := r.deleteOne(b, o.Key, o.VersionID, o.ETag)
		if err != nil {
			e := toAPIError(err)
			r.describeDeleted(o.Key, e.Code)
			doc = appendDeleteError(doc, o.Key, o.VersionID, e)
			continue
		}
		r.describeDeleted(o.Key, "")
		if req.Quiet {
			continue
		}
		doc = append(doc, "<Deleted>"...)
		doc = appendElement(doc, "Key", o.Key)
		if o.VersionID != "" {
			doc = appendElement(doc, "VersionId", o.VersionID)
		}
		if d.Marker {
			doc = appendBoolElement(doc, "DeleteMarker", true)
			doc = append(doc, "<DeleteMarkerVersionId>"...)
			doc = appendEnd(d.Version.Append(doc), "DeleteMarkerVersionId")
		}
		doc = append(doc, "</Deleted>"...)
	}
	return r.sendXML(appendEnd(doc, "DeleteResult"))
}

func (r *request) deleteOne(b *store.Bucket, key, version, etag string) (store.Deleted, error) {
	switch {
	case key == "":
		return store.Deleted{}, errMalformedXML.saying("A key must not be empty.")
	case len(key) > maxKeyLength:
		return store.Deleted{}, errKeyTooLong
	}
	action := actionDeleteObject
	if version != "" {
		action = actionDeleteObjectVersion
	}
	if err := r.authorize(b, action, viewBytes(key)); err != nil {
		return store.Deleted{}, err
	}
	var v store.Version
	if version != "" {
		var ok bool
		if v, ok = store.ParseVersion(viewBytes(version)); !ok {
			// AWS's code here; in DeleteObject the same is InvalidArgument.
			return store.Deleted{}, errNoSuchVersion
		}
	}
	var check func(*store.Object) error
	if etag != "" {
		check = func(old *store.Object) error {
			if old != nil && !matchETag([]byte(etag), old.ETag) {
				return errPreconditionFailed
			}
			return nil
		}
	}
	d, err := r.remove(b, viewBytes(key), v, version != "", check)
	if errors.Is(err, store.ErrNoSuchBucket) {
		err = errNoSuchBucket
	}
	return d, err
}

func appendDeleteError(doc []byte, key, version string, e *apiError) []byte {
	doc = append(doc, "<Error>"...)
	doc = appendElement(doc, "Key", key)
	if version != "" {
		doc = appendElement(doc, "VersionId", version)
	}
	doc = appendElement(doc, "Code", e.Code)
	doc = appendElement(doc, "Message", e.Message)
	return append(doc, "</Error>"...)
}
