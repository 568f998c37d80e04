package server

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/s3ultra/s3ultra/sigv4"
	"github.com/s3ultra/s3ultra/store"
)

// checkPostObject decides what the headers of POST Object, the upload from a
// browser's form, can decide. All else is in the body, the signature included.
//
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/RESTObjectPOST.html
func (r *request) checkPostObject() error {
	if _, ok := formBoundary(r.header("content-type")); !ok {
		if bytes.HasPrefix(appendLower(nil, string(r.header("content-type"))), []byte("multipart/form-data")) {
			return errMalformedPOSTRequest.because(errors.New("no usable boundary"))
		}
		return errPreconditionFailed.with("Condition", "Bucket POST must be of the enclosure-type multipart/form-data")
	}
	size, err := r.formSize()
	if err != nil {
		return err
	}
	if size > maxPutSize+2*maxFormFraming {
		return errEntityTooLarge.with("ProposedSize", fmt.Sprint(size)).with("MaxSizeAllowed", fmt.Sprint(int64(maxPutSize)))
	}
	_, err = r.bucket()
	return err
}

// formSize returns the length of the body in bytes, -1 if it is chunked.
func (r *request) formSize() (int64, error) {
	n := r.ctx.Request.Header.ContentLength()
	if n != -1 && r.known[headerContentLength] == nil {
		return 0, errMissingContentLength
	}
	return int64(n), nil
}

// postObject is POST Object.
func (r *request) postObject() error {
	b, err := r.bucket()
	if err != nil {
		return err
	}
	body := r.ctx.RequestBodyStream()
	if body == nil {
		return errMalformedPOSTRequest.because(errors.New("no body"))
	}
	boundary, _ := formBoundary(r.header("content-type"))
	size, err := r.formSize()
	if err != nil {
		return err
	}
	scratch := receiveBuffers.get()
	defer receiveBuffers.put(scratch)
	form, err := readPostForm(body, boundary, size, *scratch)
	if err != nil {
		return err
	}
	policy, err := r.admitForm(b, form)
	if err != nil {
		return err
	}
	plan, err := r.planForm(form)
	if err != nil {
		return err
	}
	w, err := r.srv.store.NewWriter(b.Mode(), plan.size)
	if err != nil {
		return err
	}
	got, err := r.receiveFile(form, policy, &plan, w, r.wantsMD5(b, plan.size))
	if err != nil {
		w.Abort()
		return err
	}
	o, err := r.publish(b, got, w, nil)
	if err != nil {
		return err
	}
	return r.sendPosted(form, &o)
}

// admitForm checks the form's key, signature and policy and returns the policy.
// A server that lets anybody write takes no notice of a form's policy either.
func (r *request) admitForm(b *store.Bucket, f *postForm) (*postPolicy, error) {
	key, ok := f.get(fieldKey)
	switch {
	case !ok:
		return nil, invalidArgument(fieldKey, "", "Bucket POST must contain a field named 'key'. If it is specified, please check the order of the fields.")
	case len(key) == 0:
		return nil, invalidArgument(fieldKey, "", "User key must have a length greater than 0.")
	case len(key) > maxKeyLength:
		return nil, errKeyTooLong.with("Size", itoa(len(key))).with("MaxSizeAllowed", itoa(maxKeyLength))
	}
	r.target.key = key
	if r.srv.policies.Open() {
		return &postPolicy{maxSize: maxPutSize}, nil
	}
	field := func(name string) []byte {
		v, ok := f.get(name)
		if ok && v == nil {
			v = []byte{}
		}
		return v
	}
	err := r.srv.policies.Verify(&sigv4.PolicyForm{
		Policy:      field(fieldPolicy),
		Algorithm:   field(fieldAlgorithm),
		Credential:  field(fieldCredential),
		Date:        field(fieldDate),
		Signature:   field(fieldSignature),
		AccessKeyV2: field(fieldAccessKeyV2),
		SignatureV2: field(fieldSignatureV2),
	})
	if errors.Is(err, sigv4.ErrNotSigned) {
		return &postPolicy{maxSize: maxPutSize}, r.admitAnonymousForm(b, f, err)
	}
	var failure *sigv4.Failure
	if errors.As(err, &failure) && errors.Is(failure, sigv4.ErrPolicyFields) {
		return nil, errInvalidArgument.saying(failure.Reason).because(failure)
	}
	if err != nil {
		return nil, err
	}
	policy, err := parsePostPolicy(f.value(fieldPolicy))
	if err != nil {
		return nil, err
	}
	return policy, policy.check(f, string(r.target.bucket), r.now)
}

// planForm reads what the form says of the object. From here on its fields
// stand for the request's headers, as in a PUT.
func (r *request) planForm(f *postForm) (bodyPlan, error) {
	p := bodyPlan{size: -1}
	r.fields = r.fields[:0]
	for _, field := range f.fields {
		if err := checkHeaderField(field); err != nil {
			return p, err
		}
		r.fields = append(r.fields, sigv4.Field{Name: field.Name, Value: trimSpace(field.Value)})
	}
	if err := r.checkWriteHeaders(); err != nil {
		return p, err
	}
	var err error
	if r.meta, err = appendMetadata(r.meta[:0], r.fields); err != nil {
		return p, err
	}
	if text := f.value(fieldTagging); len(text) > 0 {
		tags, err := parseObjectTagging(text)
		if err != nil {
			return p, err
		}
		r.meta = appendMetaTags(r.meta, tags)
	}
	if v := r.header("content-md5"); v != nil {
		sum, ok := decodeChecksum(checksumMD5, v)
		if !ok {
			return p, errInvalidDigest
		}
		p.hasMD5 = true
		copy(p.md5[:], sum[:])
	}
	return p, r.planChecksum(&p)
}

// checkHeaderField refuses a field that would become a header of the object and
// cannot be one: a form's fields, unlike headers, may hold any bytes.
func checkHeaderField(f sigv4.Field) error {
	name := string(f.Name)
	if _, kept := keptHeaders[name]; !kept && !strings.HasPrefix(name, userMetadataPrefix) {
		return nil
	}
	for i := 0; i < len(name); i++ {
		// Token characters, RFC 9110 section 5.6.2.
		if c := name[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return invalidArgument(name, string(f.Value), "The name of the field cannot be that of a header.")
		}
	}
	for _, c := range f.Value {
		if c < ' ' && c != '\t' || c == 0x7f {
			return invalidArgument(name, string(f.Value), "The value of the field cannot be that of a header.")
		}
	}
	return nil
}

// receiveFile reads the file into w, checks it and the rest of the form. On any
// error nothing may be published: the caller aborts w.
func (r *request) receiveFile(f *postForm, policy *postPolicy, plan *bodyPlan, w *store.Writer, wantMD5 bool) (received, error) {
	rx := r.newReceiver(plan, wantMD5)
	defer rx.release()
	scratch := receiveBuffers.get()
	defer receiveBuffers.put(scratch)
	for {
		space := w.Next(replyBlock)
		if len(space) == 0 {
			space = *scratch
		}
		n, err := f.file.Read(space)
		rx.take(space[:n])
		if err := policy.checkMax(rx.count); err != nil {
			return received{}, err
		}
		if err := w.Advance(n); err != nil {
			return received{}, err
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return received{}, f.broken(err)
		}
	}
	if err := f.finish(); err != nil {
		return received{}, err
	}
	if err := policy.checkMin(rx.count); err != nil {
		return received{}, err
	}
	return rx.finish()
}

// sendPosted replies as the form asks: with a redirect, or with a status of 200,
// 201 (which has a document) or 204, the default and what any other value means.
func (r *request) sendPosted(f *postForm, o *store.Object) error {
	if to := redirectTarget(f, string(r.target.bucket), string(r.target.key), o.ETag); to != "" {
		r.ctx.Response.Header.SetCanonical(nameLocation, []byte(to))
		return r.sendNothing(303)
	}
	// The path of the request is that of the bucket, whichever style it has.
	location := append([]byte("http://"), r.ctx.Request.Header.Host()...)
	location = append(location, bytes.TrimSuffix(r.target.path, []byte{'/'})...)
	location = appendURLEncoded(append(location, '/'), r.target.key)
	r.ctx.Response.Header.SetCanonical(nameLocation, location)
	switch string(f.value(fieldStatus)) {
	case "200":
		return r.sendNothing(200)
	case "201":
		// Unlike S3's other documents this one has no namespace.
		doc := append([]byte(xmlHeader), "<PostResponse>"...)
		doc = appendElement(doc, "Location", location)
		doc = appendElement(doc, "Bucket", r.target.bucket)
		doc = appendElement(doc, "Key", r.target.key)
		doc = appendElement(doc, "ETag", appendQuotedETag(nil, o.ETag))
		r.ctx.Response.SetStatusCode(201)
		return r.sendXML(appendEnd(doc, "PostResponse"))
	}
	return r.sendNothing(204)
}

// redirectTarget returns the address that the form asks to go on to, with what
// was stored added to its query; "" if it asks for none or not for a URL, which
// S3 takes for none.
func redirectTarget(f *postForm, bucket, key string, tag store.ETag) string {
	to := f.value(fieldRedirect)
	if len(to) == 0 {
		to = f.value(fieldRedirectOld)
	}
	u, err := url.Parse(string(to))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return ""
	}
	query := []byte(u.RawQuery)
	if len(query) > 0 {
		query = append(query, '&')
	}
	query = appendURLEncoded(append(query, "bucket="...), bucket)
	query = appendURLEncoded(append(query, "&key="...), key)
	query = appendURLEncoded(append(query, "&etag="...), appendQuotedETag(nil, tag))
	u.RawQuery = string(query)
	return u.String()
}
