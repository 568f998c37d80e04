package server

import (
	"encoding/xml"
	"errors"
	"fmt"

	"github.com/s3ultra/s3ultra/store"
)

// putBucketPolicy is PutBucketPolicy.
//
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketPolicy.html
func (r *request) putBucketPolicy() error {
	b, err := r.bucket()
	if err != nil {
		return err
	}
	text, err := r.receiveDocument(maxSmallDocument)
	if err != nil {
		return err
	}
	p, err := parsePolicy(text, b.Name())
	if err != nil {
		return err
	}
	if blocksOf(b).BlockPublicPolicy && p.isPublic() {
		return errAccessDenied.because(errors.New("the bucket blocks public policies"))
	}
	if err := b.SetDocument(store.DocumentPolicy, string(text)); err != nil {
		return err
	}
	return r.sendNothing(204)
}

// policyDocument returns the bucket's policy.
func (r *request) policyDocument() (*store.Bucket, *store.Document, error) {
	b, err := r.bucket()
	if err != nil {
		return nil, nil, err
	}
	d := b.Document(store.DocumentPolicy)
	if d == nil {
		return nil, nil, errNoSuchBucketPolicy.with("BucketName", b.Name())
	}
	return b, d, nil
}

// getBucketPolicy is GetBucketPolicy: the text that was put, byte for byte.
//
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketPolicy.html
func (r *request) getBucketPolicy() error {
	_, d, err := r.policyDocument()
	if err != nil {
		return err
	}
	r.setRequestID()
	r.ctx.Response.Header.SetContentType("application/json")
	r.ctx.Response.SetBodyString(d.Text)
	return nil
}

// getBucketPolicyStatus is GetBucketPolicyStatus.
//
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketPolicyStatus.html
func (r *request) getBucketPolicyStatus() error {
	b, d, err := r.policyDocument()
	if err != nil {
		return err
	}
	p := policyOf(d, b.Name())
	doc := append([]byte(xmlHeader), "<PolicyStatus"+xmlNamespace+">"...)
	doc = appendBoolElement(doc, "IsPublic", p != nil && p.isPublic())
	return r.sendXML(appendEnd(doc, "PolicyStatus"))
}

// deleteBucketPolicy is DeleteBucketPolicy.
//
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteBucketPolicy.html
func (r *request) deleteBucketPolicy() error { return r.removeDocument(store.DocumentPolicy) }

// accessBlock is the body of PutPublicAccessBlock. Those of ACLs have nothing to
// block here.
//
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_PublicAccessBlockConfiguration.html
type accessBlock struct {
	XMLName               xml.Name `xml:"PublicAccessBlockConfiguration"`
	BlockPublicAcls       bool     `xml:"BlockPublicAcls"`
	IgnorePublicAcls      bool     `xml:"IgnorePublicAcls"`
	BlockPublicPolicy     bool     `xml:"BlockPublicPolicy"`
	RestrictPublicBuckets bool     `xml:"RestrictPublicBuckets"`
}

func normalizeAccessBlock(text []byte) (string, error) {
	var a accessBlock
	if err := unmarshalXML(text, &a); err != nil {
		return "", errMalformedXML.because(fmt.Errorf("cannot parse PublicAccessBlockConfiguration: %w", err))
	}
	doc := []byte("<PublicAccessBlockConfiguration" + xmlNamespace + ">")
	doc = appendBoolElement(doc, "BlockPublicAcls", a.BlockPublicAcls)
	doc = appendBoolElement(doc, "IgnorePublicAcls", a.IgnorePublicAcls)
	doc = appendBoolElement(doc, "BlockPublicPolicy", a.BlockPublicPolicy)
	doc = appendBoolElement(doc, "RestrictPublicBuckets", a.RestrictPublicBuckets)
	return string(appendEnd(doc, "PublicAccessBlockConfiguration")), nil
}

// blocksOf returns what the bucket blocks: nothing where it was never told.
func blocksOf(b *store.Bucket) *accessBlock {
	d := b.Document(store.DocumentPublicAccessBlock)
	if d == nil {
		return &noBlocks
	}
	return d.Meaning(func(text string) any {
		a := new(accessBlock)
		_ = unmarshalXML([]byte(text), a) // it was made by normalizeAccessBlock
		return a
	}).(*accessBlock)
}

var noBlocks accessBlock

// AnonymousPolicy returns the policy by which a bucket lets everybody do what
// one of MinIO's words says: download, upload, public (both), or none and private,
// for which there is no policy (""). ok is false for another word.
//
// Source: https://min.io/docs/minio/linux/reference/minio-mc/mc-anonymous-set.html
func AnonymousPolicy(bucket, access string) (policy string, ok bool) {
	onBucket, onObjects := `"s3:GetBucketLocation"`, ""
	switch access {
	case "none", "private":
		return "", true
	case "download":
		onBucket += `,"s3:ListBucket"`
		onObjects = `"s3:GetObject"`
	case "upload":
		onBucket += `,"s3:ListBucketMultipartUploads"`
		onObjects = `"s3:AbortMultipartUpload","s3:DeleteObject","s3:ListMultipartUploadParts","s3:PutObject"`
	case "public":
		onBucket += `,"s3:ListBucket","s3:ListBucketMultipartUploads"`
		onObjects = `"s3:AbortMultipartUpload","s3:DeleteObject","s3:GetObject","s3:ListMultipartUploadParts","s3:PutObject"`
	default:
		return "", false
	}
	statement := `{"Effect":"Allow","Principal":{"AWS":["*"]},"Action":[%s],"Resource":["arn:aws:s3:::%s"]}`
	return fmt.Sprintf(`{"Version":"2012-10-17","Statement":[`+statement+`,`+statement+`]}`, onBucket, bucket, onObjects, bucket+"/*"), true
}
