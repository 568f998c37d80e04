package server

import (
	"errors"

	"github.com/s3ultra/s3ultra/sigv4"
	"github.com/s3ultra/s3ultra/store"
)

// Where key pairs are configured, a request that nobody has signed may do what
// the bucket's policy allows everybody. Signed requests are the owner's and ask
// no policy.

// admitAnonymous returns nil if the policy lets the request in, else refusal,
// which is why the verifier did not. What else a request does (the source of a
// copy, the keys of DeleteObjects, tags) is asked for where it is done.
func (r *request) admitAnonymous(refusal error) error {
	b := r.srv.store.Bucket(r.target.bucket)
	action := r.op.action
	if _, versioned := r.target.param("versionId"); versioned && r.op.versionAction != "" {
		action = r.op.versionAction
	}
	if b == nil || action == "" {
		return refusal
	}
	// The chunks of a body cannot be signed where the request is not.
	if p := r.auth.Payload; p == sigv4.PayloadStreamingSigned || p == sigv4.PayloadStreamingSignedTrailer {
		return refusal
	}
	r.anonymous = true
	switch {
	case r.op == opDeleteObjects && b.Document(store.DocumentPolicy) != nil:
		return nil
	case !r.allowed(b, action, r.target.key),
		r.header(taggingHeader) != nil && action == actionPutObject && !r.allowed(b, actionPutObjectTagging, r.target.key):
		return refusal
	}
	return nil
}

// admitAnonymousForm is admitAnonymous for the form of a POST Object that has no
// signature.
func (r *request) admitAnonymousForm(b *store.Bucket, f *postForm, refusal error) error {
	r.anonymous = true
	if !r.allowed(b, actionPutObject, r.target.key) ||
		len(f.value(fieldTagging)) > 0 && !r.allowed(b, actionPutObjectTagging, r.target.key) {
		return refusal
	}
	return nil
}

// authorize returns errAccessDenied if the request may not do that to a key.
func (r *request) authorize(b *store.Bucket, action string, key []byte) error {
	if r.anonymous && !r.allowed(b, action, key) {
		return errAccessDenied.because(errors.New("the bucket's policy does not allow " + action))
	}
	return nil
}

// concealed replaces the error of a missing key for those who may not list what
// there is.
func (r *request) concealed(b *store.Bucket, err error) error {
	if err != nil && r.anonymous && !r.allowed(b, actionListBucket, nil) {
		return errAccessDenied.because(err)
	}
	return err
}

// allowed tells whether the policy of b lets anybody do that; key is empty for
// what is done to the bucket.
func (r *request) allowed(b *store.Bucket, action string, key []byte) bool {
	d := b.Document(store.DocumentPolicy)
	if d == nil {
		return false
	}
	p := policyOf(d, b.Name())
	if p == nil || blocksOf(b).RestrictPublicBuckets && p.isPublic() {
		return false
	}
	var lower [64]byte
	r.text = append(append(r.text[:0], b.Name()...), '/')
	r.text = append(r.text, key...)
	resource := r.text
	if len(key) == 0 {
		resource = resource[:len(resource)-1]
	}
	return p.allows(r, appendLower(lower[:0], action), resource)
}

// policyOf returns what a policy document means, nil if it cannot be read, which
// only one from a later version's database may be.
func policyOf(d *store.Document, bucket string) *accessPolicy {
	return d.Meaning(func(text string) any {
		p, _ := parsePolicy([]byte(text), bucket)
		return p
	}).(*accessPolicy)
}

// allows tells whether the statements allow the action on the resource to an
// anonymous request: one must, and none may deny it.
//
// Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
func (p *accessPolicy) allows(r *request, action, resource []byte) bool {
	allowed := false
	for i := range p.statements {
		s := &p.statements[i]
		if s.allow && (allowed || s.unclear) || !s.applies(r, action, resource) {
			continue
		}
		if !s.allow {
			return false
		}
		allowed = true
	}
	return allowed
}

func (s *accessStatement) applies(r *request, action, resource []byte) bool {
	if !s.anyone || matchAny(s.actions, action) == s.notActions || matchAny(s.resources, resource) == s.notResources {
		return false
	}
	for i := range s.conditions {
		c := &s.conditions[i]
		if c.clear() && !c.holds(r) {
			return false
		}
	}
	return true
}

func matchAny(patterns []string, text []byte) bool {
	for _, p := range patterns {
		if matchWildcard(p, text) {
			return true
		}
	}
	return false
}
