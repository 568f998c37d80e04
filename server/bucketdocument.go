package server

import (
	"encoding/xml"
	"fmt"

	"github.com/s3ultra/s3ultra/store"
)

// bucketDocument is a configuration of a bucket that is set, read and removed as
// a document.
type bucketDocument struct {
	kind     store.DocumentKind
	resource string    // as in the name of its actions
	missing  *apiError // the reply where it was never set
	set      int       // the status of having set it
	// normalize checks a document and returns the one that is read.
	normalize func(text []byte) (string, error)
}

// bucketDocuments are those in XML, by kind.
var bucketDocuments = map[store.DocumentKind]bucketDocument{
	store.DocumentTagging: {
		kind: store.DocumentTagging, resource: "BucketTagging", missing: errNoSuchTagSet, set: 204, normalize: normalizeTagging,
	},
	store.DocumentPublicAccessBlock: {
		kind: store.DocumentPublicAccessBlock, resource: "BucketPublicAccessBlock", missing: errNoSuchPublicAccessBlock, set: 200,
		normalize: normalizeAccessBlock,
	},
	store.DocumentOwnershipControls: {
		kind: store.DocumentOwnershipControls, resource: "BucketOwnershipControls", missing: errOwnershipControlsNotFound, set: 200,
		normalize: normalizeOwnership,
	},
}

// put returns the operation that sets the document.
func (d bucketDocument) put(name string) *operation {
	return &operation{name: name, precheck: (*request).checkBucket, run: func(r *request) error {
		b, err := r.bucket()
		if err != nil {
			return err
		}
		text, err := r.receiveDocument(maxTagDocument)
		if err != nil {
			return err
		}
		doc, err := d.normalize(text)
		if err != nil {
			return err
		}
		if err := b.SetDocument(d.kind, doc); err != nil {
			return err
		}
		return r.sendNothing(d.set)
	}}
}

// get returns the operation that reads the document.
func (d bucketDocument) get(name string) *operation {
	return &operation{name: name, action: "s3:Get" + d.resource, run: func(r *request) error {
		b, err := r.bucket()
		if err != nil {
			return err
		}
		doc := b.Document(d.kind)
		if doc == nil {
			return d.missing.with("BucketName", b.Name())
		}
		return r.sendXML([]byte(xmlHeader + doc.Text))
	}}
}

// remove returns the operation that removes the document.
func (d bucketDocument) remove(name string) *operation {
	return &operation{name: name, run: func(r *request) error { return r.removeDocument(d.kind) }}
}

// removeDocument replies 204, whether or not there was one.
func (r *request) removeDocument(kind store.DocumentKind) error {
	b, err := r.bucket()
	if err != nil {
		return err
	}
	if err := b.SetDocument(kind, ""); err != nil {
		return err
	}
	return r.sendNothing(204)
}

// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketTagging.html
func normalizeTagging(text []byte) (string, error) {
	tags, err := parseTagging(text, maxBucketTags, "Bucket tag count cannot be greater than 50")
	if err != nil {
		return "", err
	}
	return string(appendTagging(nil, tags)), nil
}

// ownershipControls is the body of PutBucketOwnershipControls. It decides what
// ACLs mean, which here is nothing, so it is only kept.
type ownershipControls struct {
	XMLName xml.Name `xml:"OwnershipControls"`
	Rules   []struct {
		ObjectOwnership string `xml:"ObjectOwnership"`
	} `xml:"Rule"`
}

// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketOwnershipControls.html
func normalizeOwnership(text []byte) (string, error) {
	var doc ownershipControls
	if err := unmarshalXML(text, &doc); err != nil {
		return "", errMalformedXML.because(fmt.Errorf("cannot parse OwnershipControls: %w", err))
	}
	if len(doc.Rules) != 1 {
		return "", errMalformedXML.because(fmt.Errorf("%d rules, there must be one", len(doc.Rules)))
	}
	switch ownership := doc.Rules[0].ObjectOwnership; ownership {
	case "BucketOwnerPreferred", "ObjectWriter", "BucketOwnerEnforced":
		return "<OwnershipControls" + xmlNamespace + "><Rule><ObjectOwnership>" + ownership + "</ObjectOwnership></Rule></OwnershipControls>", nil
	default:
		return "", errMalformedXML.because(fmt.Errorf("unknown ObjectOwnership %q", ownership))
	}
}
