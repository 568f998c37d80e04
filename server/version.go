package server

import (
	"errors"

	"github.com/s3ultra/s3ultra/store"
)

// versionID reads the versionId parameter; given is false without one.
func (r *request) versionID() (v store.Version, given bool, err error) {
	text, given := r.target.param("versionId")
	if !given {
		return 0, false, nil
	}
	if len(text) == 0 {
		return 0, true, invalidArgument("versionId", "", "Version id cannot be the empty string")
	}
	v, err = parseVersionID("versionId", text)
	return v, true, err
}

// parseVersionID reads a version id; name is the argument in the error.
func parseVersionID(name string, text []byte) (store.Version, error) {
	v, ok := store.ParseVersion(text)
	if !ok {
		return 0, invalidArgument(name, string(text), "Invalid version id specified")
	}
	return v, nil
}

// lookup fills r.object with the object, or the version of it, that the
// request names. Errors: errNoSuchBucket, errNoSuchKey, errNoSuchVersion, that
// of a delete marker, and those of a versionId.
func (r *request) lookup() error {
	b, err := r.bucket()
	if err != nil {
		return err
	}
	v, given, err := r.versionID()
	if err != nil {
		return err
	}
	r.versioned = b.Versioning() != store.VersioningUnset
	if !given {
		if b.Get(r.target.key, &r.object) {
			return nil
		}
		return r.concealed(b, noCurrentObject(b, r.target.key))
	}
	switch err := b.GetVersion(r.target.key, v, &r.object); {
	case errors.Is(err, store.ErrDeleteMarker):
		return errMethodNotAllowed.because(err).
			with("Method", r.method).
			with("ResourceType", "DeleteMarker").
			withHeader("Allow", "DELETE").
			withHeader(headerDeleteMarker, "true").
			withHeader(headerVersionID, v.String()).
			withHeader("Last-Modified", string(appendHTTPTime(nil, r.object.ModTime)))
	case err != nil:
		return r.concealed(b, noSuchVersion(r.target.key, v))
	}
	return nil
}

// noCurrentObject is the reply for a key without a current object: clients
// tell a deleted one by its marker.
func noCurrentObject(b *store.Bucket, key []byte) error {
	if b.Versioning() == store.VersioningUnset {
		return errNoSuchKey
	}
	v, ok := b.Marker(key)
	if !ok {
		return errNoSuchKey
	}
	return errNoSuchKey.because(store.ErrDeleteMarker).
		withHeader(headerDeleteMarker, "true").
		withHeader(headerVersionID, v.String())
}

func noSuchVersion(key []byte, v store.Version) error {
	return errNoSuchVersion.with("Key", string(key)).with("VersionId", v.String())
}

// setVersionID sets x-amz-version-id of the object that lookup found. Replies
// of a bucket that never had versioning have none.
func (r *request) setVersionID() {
	if r.versioned {
		r.setVersion(nameVersionID, r.object.Version)
	}
}

// setNewVersionID sets x-amz-version-id of a version just written; a null
// version is not announced, as on AWS.
func (r *request) setNewVersionID(v store.Version) {
	if v != 0 {
		r.setVersion(nameVersionID, v)
	}
}

func (r *request) setVersion(header []byte, v store.Version) {
	r.text = v.Append(r.text[:0])
	r.ctx.Response.Header.SetCanonical(header, r.text)
}
