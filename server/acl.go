package server

import (
	"encoding/xml"
	"fmt"
)

// getBucketAcl is GetBucketAcl.
//
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketAcl.html
func (r *request) getBucketAcl() error {
	if _, err := r.bucket(); err != nil {
		return err
	}
	return r.sendOwnerACL()
}

// getObjectAcl is GetObjectAcl.
//
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObjectAcl.html
func (r *request) getObjectAcl() error {
	if err := r.lookup(); err != nil {
		return err
	}
	return r.sendOwnerACL()
}

// sendOwnerACL replies with the one ACL there is: everything belongs to the
// owner, who has full control.
func (r *request) sendOwnerACL() error {
	doc := append([]byte(xmlHeader), "<AccessControlPolicy"+xmlNamespace+">"...)
	doc = appendOwner(doc, "Owner", r.srv.ownerID)
	doc = append(doc, `<AccessControlList><Grant><Grantee xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="CanonicalUser">`...)
	doc = appendElement(doc, "ID", r.srv.ownerID)
	doc = appendElement(doc, "DisplayName", r.srv.ownerID)
	doc = append(doc, "</Grantee><Permission>FULL_CONTROL</Permission></Grant></AccessControlList>"...)
	return r.sendXML(appendEnd(doc, "AccessControlPolicy"))
}

// accessControlPolicy is the body of PutBucketAcl and PutObjectAcl.
type accessControlPolicy struct {
	XMLName xml.Name `xml:"AccessControlPolicy"`
	Grants  []struct {
		Grantee struct {
			ID string `xml:"ID"`
		} `xml:"Grantee"`
		Permission string `xml:"Permission"`
	} `xml:"AccessControlList>Grant"`
}

// putAcl is PutBucketAcl: it accepts the one ACL there is, which tools set
// without being asked to, and refuses all others.
//
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketAcl.html
func (r *request) putAcl() error {
	refusal := errNotImplemented.saying("ACLs other than private are not implemented: use a bucket policy to let others in.")
	text, err := r.receiveDocument(maxSmallDocument)
	if err != nil {
		return err
	}
	for _, kind := range [...]string{"read", "write", "read-acp", "write-acp", "full-control"} {
		if r.header("x-amz-grant-"+kind) != nil {
			return refusal
		}
	}
	switch canned := string(r.header("x-amz-acl")); {
	case canned == "private" || canned == "bucket-owner-full-control":
		return r.sendNothing(200)
	case canned != "":
		return refusal.with("Header", "x-amz-acl")
	}
	var doc accessControlPolicy
	if err := unmarshalXML(text, &doc); err != nil {
		return errMalformedXML.because(fmt.Errorf("cannot parse AccessControlPolicy: %w", err))
	}
	if len(doc.Grants) != 1 || doc.Grants[0].Grantee.ID != r.srv.ownerID || doc.Grants[0].Permission != "FULL_CONTROL" {
		return refusal
	}
	return r.sendNothing(200)
}

// putObjectAcl is PutObjectAcl.
//
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObjectAcl.html
func (r *request) putObjectAcl() error {
	if err := r.lookup(); err != nil {
		return err
	}
	return r.putAcl()
}
