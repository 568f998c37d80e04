package server

import (
	"encoding/xml"
	"errors"
	"fmt"

	"github.com/s3ultra/s3ultra/store"
)

// maxSmallDocument bounds the XML body of requests that need a few elements.
const maxSmallDocument = 64 << 10

// listBuckets is ListBuckets.
//
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListBuckets.html
func (r *request) listBuckets() error {
	prefix, _ := r.target.param("prefix")
	after := ""
	if token, ok := r.target.param("continuation-token"); ok && len(token) > 0 {
		last, ok := parseToken(token)
		if !ok {
			return invalidArgument("continuation-token", string(token), "The continuation token provided is incorrect")
		}
		after = string(last)
	}
	// Without max-buckets the reply is not paged.
	limit := 1 << 31
	if text, ok := r.target.param("max-buckets"); ok {
		n, ok := parseSize(text)
		if !ok || n < 1 || n > 10000 {
			return invalidArgument("max-buckets", string(text), "Argument max-buckets must be an integer between 1 and 10000")
		}
		limit = int(n)
	}
	doc := append([]byte(xmlHeader), "<ListAllMyBucketsResult"+xmlNamespace+">"...)
	doc = appendOwner(doc, "Owner", r.srv.ownerID)
	doc = append(doc, "<Buckets>"...)
	listed, last, more := 0, "", false
	for _, b := range r.srv.store.Buckets() {
		name := b.Name()
		if name <= after || len(name) < len(prefix) || name[:len(prefix)] != string(prefix) {
			continue
		}
		if listed == limit {
			more = true
			break
		}
		listed++
		last = name
		doc = append(doc, "<Bucket>"...)
		doc = appendElement(doc, "Name", name)
		doc = appendTimeElement(doc, "CreationDate", b.Created().UnixMilli())
		doc = appendElement(doc, "BucketRegion", r.srv.cfg.Region)
		doc = append(doc, "</Bucket>"...)
	}
	doc = append(doc, "</Buckets>"...)
	if len(prefix) > 0 {
		doc = appendElement(doc, "Prefix", prefix)
	}
	if more {
		doc = append(doc, "<ContinuationToken>"...)
		doc = appendToken(doc, []byte(last))
		doc = append(doc, "</ContinuationToken>"...)
	}
	return r.sendXML(appendEnd(doc, "ListAllMyBucketsResult"))
}

// createBucketConfiguration is the body of CreateBucket. Any region is
// accepted: a benchmark's configuration names whichever its users have.
type createBucketConfiguration struct {
	XMLName            xml.Name `xml:"CreateBucketConfiguration"`
	LocationConstraint string   `xml:"LocationConstraint"`
}

// checkBucketName refuses a name that no bucket can have.
func (r *request) checkBucketName() error {
	name := string(r.target.bucket)
	if err := ValidBucketName(name); err != nil {
		return errInvalidBucketName.because(err).with("BucketName", name)
	}
	return nil
}

// createBucket is CreateBucket.
//
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateBucket.html
func (r *request) createBucket() error {
	name := string(r.target.bucket)
	if v := r.header("x-amz-bucket-object-lock-enabled"); equalFold(v, "true") {
		return errNotImplemented.because(errors.New("object lock"))
	}
	if r.ctx.RequestBodyStream() != nil && string(r.known[headerContentLength]) != "0" {
		text, err := r.receiveDocument(maxSmallDocument)
		if err != nil {
			return err
		}
		if len(text) > 0 {
			var conf createBucketConfiguration
			if err := unmarshalXML(text, &conf); err != nil {
				return errMalformedXML.because(fmt.Errorf("cannot parse CreateBucketConfiguration: %w", err))
			}
		}
	}
	_, err := r.srv.store.CreateBucket(name, r.srv.cfg.Mode, r.now)
	if errors.Is(err, store.ErrBucketExists) {
		// us-east-1 answers the owner's repeat with 200, every other region
		// with a conflict.
		if r.srv.cfg.Region != defaultRegion {
			return errBucketAlreadyOwnedByYou.with("BucketName", name)
		}
		err = nil
	}
	if err != nil {
		return err
	}
	r.ctx.Response.Header.SetCanonical(nameLocation, append([]byte{'/'}, name...))
	return r.sendNothing(200)
}

// headBucket is HeadBucket.
//
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadBucket.html
func (r *request) headBucket() error {
	if _, err := r.bucket(); err != nil {
		return err
	}
	r.ctx.Response.Header.SetCanonical(nameBucketRegion, []byte(r.srv.cfg.Region))
	r.ctx.Response.Header.SetCanonical(nameContentType, nameContentTypeXML)
	return r.sendNothing(200)
}

// deleteBucket is DeleteBucket. Unfinished uploads do not keep a bucket alive,
// as on AWS.
//
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteBucket.html
func (r *request) deleteBucket() error {
	if err := r.srv.store.DeleteBucket(r.target.bucket); err != nil {
		return err
	}
	return r.sendNothing(204)
}

// getBucketLocation is GetBucketLocation; us-east-1 is the empty constraint.
//
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketLocation.html
func (r *request) getBucketLocation() error {
	if _, err := r.bucket(); err != nil {
		return err
	}
	region := r.srv.cfg.Region
	if region == defaultRegion {
		region = ""
	}
	doc := append([]byte(xmlHeader), "<LocationConstraint"+xmlNamespace+">"...)
	doc = appendEscaped(doc, region)
	return r.sendXML(appendEnd(doc, "LocationConstraint"))
}

// bucketDefault is what a bucket answers about a configuration that was never
// set: a document, or an error.
type bucketDefault struct {
	document string
	err      *apiError
}

// bucketDefaults holds the answers by sub-resource: those AWS gives for a new
// bucket.
var bucketDefaults = map[string]bucketDefault{
	"accelerate":     {document: "<AccelerateConfiguration" + xmlNamespace + "/>"},
	"cors":           {err: errNoSuchCORSConfiguration},
	"encryption":     {err: errEncryptionConfigNotFound},
	"lifecycle":      {err: errNoSuchLifecycleConfiguration},
	"logging":        {document: "<BucketLoggingStatus" + xmlNamespace + "/>"},
	"notification":   {document: "<NotificationConfiguration" + xmlNamespace + "/>"},
	"object-lock":    {err: errObjectLockConfigNotFound},
	"replication":    {err: errReplicationConfigNotFound},
	"requestPayment": {document: "<RequestPaymentConfiguration" + xmlNamespace + "><Payer>BucketOwner</Payer></RequestPaymentConfiguration>"},
	"website":        {err: errNoSuchWebsiteConfiguration},
}

// getBucketConfiguration answers the probes that clients make at start for
// configurations which this server does not have.
func (r *request) getBucketConfiguration() error {
	if _, err := r.bucket(); err != nil {
		return err
	}
	sub, _ := r.target.subresource()
	d := bucketDefaults[sub]
	if d.err != nil {
		return d.err.with("BucketName", string(r.target.bucket))
	}
	return r.sendXML([]byte(xmlHeader + d.document))
}
