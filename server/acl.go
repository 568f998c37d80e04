package server

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
