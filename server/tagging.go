package server

import (
	"errors"

	"github.com/s3ultra/s3ultra/store"
)

// getObjectTagging is GetObjectTagging.
//
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObjectTagging.html
func (r *request) getObjectTagging() error {
	if err := r.lookup(); err != nil {
		return err
	}
	r.setVersionID()
	return r.sendXML(appendTagging([]byte(xmlHeader), metaTags(r.object.Meta)))
}

// putObjectTagging is PutObjectTagging.
//
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObjectTagging.html
func (r *request) putObjectTagging() error {
	text, err := r.receiveDocument(maxTagDocument)
	if err != nil {
		return err
	}
	tags, err := parseObjectTagging(text)
	if err != nil {
		return err
	}
	return r.setTags(tags, 200)
}

// deleteObjectTagging is DeleteObjectTagging.
//
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObjectTagging.html
func (r *request) deleteObjectTagging() error { return r.setTags(nil, 204) }

// setTags gives the object, or the version that the request names, other tags.
// Nothing else of it changes.
func (r *request) setTags(tags []tag, status int) error {
	// What is missing, and how, is told as of a read.
	if err := r.lookup(); err != nil {
		return err
	}
	b, err := r.bucket()
	if err != nil {
		return err
	}
	v, named, err := r.versionID()
	if err != nil {
		return err
	}
	err = b.ChangeMeta(r.target.key, v, named, func(o *store.Object) (string, error) {
		r.object.Version = o.Version
		r.meta = withTags(r.meta[:0], o.Meta, tags)
		return viewString(r.meta), nil
	})
	switch {
	case errors.Is(err, store.ErrNoSuchVersion), errors.Is(err, store.ErrDeleteMarker):
		return errNoSuchKey.because(err) // it went between the two
	case err != nil:
		return err
	}
	r.setVersionID()
	return r.sendNothing(status)
}

// writeMetadata encodes the metadata of a write, tags included, into r.meta.
func (r *request) writeMetadata() (err error) {
	if r.meta, err = appendMetadata(r.meta[:0], r.fields); err != nil {
		return err
	}
	value := r.header(taggingHeader)
	if len(value) == 0 {
		return nil
	}
	tags, err := parseTagHeader(value)
	if err == nil {
		r.meta = appendMetaTags(r.meta, tags)
	}
	return err
}
