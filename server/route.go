package server

// route picks the operation of a request from its method, whether it names a
// bucket and a key, and its query. Sub-resources are an allow-list: a request
// for one that is not served is NotImplemented and touches nothing, while any
// other query name is ignored (SDKs add x-id, benchmarks metadata=true).
func route(method string, t *target) *operation {
	sub, known := t.subresource()
	switch {
	case !known:
		return opNotImplemented
	case len(t.bucket) == 0:
		return routeService(method, sub)
	case len(t.key) == 0:
		return routeBucket(method, sub, t)
	}
	return routeObject(method, sub, t)
}

func routeService(method, sub string) *operation {
	switch {
	case sub != "":
		return opNotImplemented
	case method == "GET" || method == "HEAD":
		return opListBuckets
	}
	// IAM and STS calls arrive here when a client's one endpoint is ours.
	return opNotAllowed
}

func routeBucket(method, sub string, t *target) *operation {
	if c, ok := configurations[sub]; ok {
		return c.route(method)
	}
	switch method {
	case "HEAD":
		if sub == "" {
			return opHeadBucket
		}
	case "PUT":
		switch sub {
		case "":
			return opCreateBucket
		case "versioning":
			return opPutBucketVersioning
		case "acl":
			return opPutBucketAcl
		}
	case "DELETE":
		if sub == "" {
			return opDeleteBucket
		}
	case "POST":
		if sub == "delete" {
			return opDeleteObjects
		}
		if sub == "" {
			return opPostObject
		}
	case "GET":
		return routeBucketGet(sub, t)
	default:
		return opNotAllowed
	}
	return opNotImplemented
}

// configuration is the operations on a document of a bucket.
type configuration struct{ get, put, remove *operation }

// configurations are those documents that can be set, by sub-resource.
var configurations = map[string]configuration{
	"policy":            {opGetBucketPolicy, opPutBucketPolicy, opDeleteBucketPolicy},
	"policyStatus":      {get: opGetBucketPolicyStatus},
	"tagging":           {opGetBucketTagging, opPutBucketTagging, opDeleteBucketTagging},
	"publicAccessBlock": {opGetPublicAccessBlock, opPutPublicAccessBlock, opDeletePublicAccessBlock},
	"ownershipControls": {opGetOwnershipControls, opPutOwnershipControls, opDeleteOwnershipControls},
}

func (c configuration) route(method string) *operation {
	op := opNotAllowed
	switch method {
	case "GET":
		op = c.get
	case "PUT":
		op = c.put
	case "DELETE":
		op = c.remove
	}
	if op == nil {
		return opNotAllowed
	}
	return op
}

func routeBucketGet(sub string, t *target) *operation {
	switch sub {
	case "":
		if v, ok := t.param("list-type"); ok && string(v) == "2" {
			return opListObjectsV2
		}
		return opListObjects
	case "location":
		return opGetBucketLocation
	case "versioning":
		return opGetBucketVersioning
	case "acl":
		return opGetBucketAcl
	case "versions":
		return opListObjectVersions
	case "uploads":
		return opListMultipartUploads
	}
	if _, ok := bucketDefaults[sub]; ok {
		return opGetBucketDefault
	}
	return opNotImplemented
}

func routeObject(method, sub string, t *target) *operation {
	if sub == "" && strayParameter(method, t) {
		return opStrayParameter
	}
	switch method {
	case "GET":
		switch sub {
		case "":
			return opGetObject
		case "uploadId":
			return opListParts
		case "attributes":
			return opGetObjectAttributes
		case "acl":
			return opGetObjectAcl
		case "tagging":
			return opGetObjectTagging
		}
	case "HEAD":
		if sub == "" {
			return opHeadObject
		}
	case "PUT":
		switch sub {
		case "":
			return opPutObject
		case "uploadId":
			return opUploadPart
		case "acl":
			return opPutObjectAcl
		case "tagging":
			return opPutObjectTagging
		}
	case "POST":
		switch sub {
		case "uploads":
			return opCreateMultipartUpload
		case "uploadId":
			return opCompleteMultipartUpload
		}
	case "DELETE":
		switch sub {
		case "":
			return opDeleteObject
		case "uploadId":
			return opAbortMultipartUpload
		case "tagging":
			return opDeleteObjectTagging
		}
	default:
		return opNotAllowed
	}
	return opNotImplemented
}

// strayParameter tells whether a write carries the parameter of another
// operation: a client that lost its uploadId must not replace the object by
// one part, nor one that names a version overwrite the latest.
func strayParameter(method string, t *target) bool {
	_, part := t.param("partNumber")
	_, version := t.param("versionId")
	return part && (method == "PUT" || method == "DELETE") || version && method == "PUT"
}

// copyVariant replaces an upload operation by its copying form when the
// request names a source.
func copyVariant(op *operation, hasCopySource bool) *operation {
	switch {
	case !hasCopySource:
		return op
	case op == opPutObject:
		return opCopyObject
	case op == opUploadPart:
		return opUploadPartCopy
	}
	return op
}

// subresource returns the sub-resource that the query names ("" for none) and
// whether this server has any operation for it.
func (t *target) subresource() (name string, known bool) {
	for i := range t.params {
		served, is := subresources[string(t.params[i].name)]
		switch {
		case !is:
		case !served:
			return "", false
		case name == "":
			name = string(t.params[i].name)
		case name != string(t.params[i].name):
			// Two sub-resources at once have no meaning in S3.
			return "", false
		}
	}
	return name, true
}

// subresources lists the query names that turn a request into another
// operation, and whether that operation is served for some resource.
// Source: the "Request Syntax" of each operation in the S3 API reference.
var subresources = map[string]bool{
	"acl": true, "attributes": true, "cors": true, "delete": true, "encryption": true,
	"lifecycle": true, "location": true, "logging": true, "notification": true, "object-lock": true,
	"ownershipControls": true, "policy": true, "policyStatus": true, "publicAccessBlock": true,
	"replication": true, "requestPayment": true, "accelerate": true, "tagging": true,
	"uploadId": true, "uploads": true, "versioning": true, "versions": true, "website": true,

	"abac": false, "analytics": false, "append": false, "intelligent-tiering": false, "inventory": false,
	"legal-hold": false, "metadataConfiguration": false, "metadataInventoryTable": false, "metadataJournalTable": false,
	"metadataTable": false, "metrics": false, "renameObject": false, "restore": false,
	"retention": false, "select": false, "session": false, "torrent": false, "encryptionUpdate": false,
	"Action": false,
}
