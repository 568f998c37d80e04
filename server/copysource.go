package server

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/s3ultra/s3ultra/store"
)

// copySource names the object that a copy reads.
type copySource struct {
	bucket, key []byte
	versionID   []byte
	hasVersion  bool
}

// parseCopySource reads x-amz-copy-source: [/]bucket/key[?versionId=id], the
// path percent-encoded once. The query is cut at the first literal '?', so an
// encoded one stays in the key.
//
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_CopyObject.html
func parseCopySource(header []byte) (copySource, error) {
	bad := invalidArgument("x-amz-copy-source", string(header), "Copy Source must mention the source bucket and key: sourcebucket/sourcekey")
	var src copySource
	path, query, _ := bytes.Cut(header, []byte{'?'})
	if v, ok := bytes.CutPrefix(query, []byte("versionId=")); ok {
		src.versionID, src.hasVersion = v, true
	}
	// Some SDKs encode the separator too, so decode before the split.
	t := target{buf: make([]byte, 0, len(path))}
	path, ok := t.decode(bytes.TrimPrefix(path, []byte{'/'}), false)
	if !ok {
		return src, bad
	}
	src.bucket, src.key, ok = bytes.Cut(path, []byte{'/'})
	if !ok || len(src.bucket) == 0 || len(src.key) == 0 {
		return src, bad
	}
	return src, nil
}

// openSource fills o with the source of a copy, whose conditions hold; the
// caller releases it.
func (r *request) openSource(o *store.Object) (copySource, error) {
	src, err := parseCopySource(r.known[headerCopySource])
	if err != nil {
		return src, err
	}
	b := r.srv.store.Bucket(src.bucket)
	action := actionGetObject
	if src.hasVersion {
		action = actionGetObjectVersion
	}
	if r.anonymous && (b == nil || !r.allowed(b, action, src.key)) {
		return src, errAccessDenied.because(errors.New("the policy of the source's bucket does not allow " + action))
	}
	if b == nil {
		return src, errNoSuchBucket.with("BucketName", string(src.bucket)).because(fmt.Errorf("copy source %s", src.bucket))
	}
	if err := src.open(b, o); err != nil {
		if toAPIError(err).Status == 404 {
			err = r.concealed(b, err)
		}
		return src, err
	}
	if b.Versioning() != store.VersioningUnset {
		r.setVersion(nameSourceVersionID, o.Version)
	}
	if c := r.sourceConditions(); c.set() {
		if err := c.evaluateSource(o); err != nil {
			o.Release()
			return src, err
		}
	}
	return src, nil
}

// open fills o with the version that src names, or with the current one.
func (src *copySource) open(b *store.Bucket, o *store.Object) error {
	if !src.hasVersion {
		if b.Get(src.key, o) {
			return nil
		}
		return errNoSuchKey.with("Key", string(src.key)).because(fmt.Errorf("copy source %s/%s", src.bucket, src.key))
	}
	v, err := parseVersionID("versionId", src.versionID)
	if err != nil {
		return err
	}
	switch err := b.GetVersion(src.key, v, o); {
	case errors.Is(err, store.ErrDeleteMarker):
		return errInvalidRequest.saying("The source of a copy request may not specifically refer to a delete marker by version id.").because(err)
	case err != nil:
		return noSuchVersion(src.key, v)
	}
	return nil
}
