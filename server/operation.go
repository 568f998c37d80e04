package server

import "github.com/s3ultra/s3ultra/store"

// operation is an S3 operation: its AWS name and its handler.
type operation struct {
	name   string
	number int // its place in the list of operations
	// precheck decides everything that the headers alone can decide, before a
	// byte of the body is read; nil for operations without a body. It may run
	// twice (once before a 100 Continue), so it changes nothing.
	precheck func(*request) error
	run      func(*request) error
	// action is what a bucket's policy must allow everybody for an anonymous
	// request to be let in, versionAction that for one which names a version
	// (empty: the same). Without an action none ever is.
	action, versionAction string
}

// The operations, by AWS's names.
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations_Amazon_Simple_Storage_Service.html
var (
	opListBuckets = &operation{name: "ListBuckets", run: (*request).listBuckets}

	opCreateBucket        = &operation{name: "CreateBucket", precheck: (*request).checkBucketName, run: (*request).createBucket}
	opHeadBucket          = &operation{name: "HeadBucket", run: (*request).headBucket, action: "s3:ListBucket"}
	opDeleteBucket        = &operation{name: "DeleteBucket", run: (*request).deleteBucket, action: "s3:DeleteBucket"}
	opGetBucketLocation   = &operation{name: "GetBucketLocation", run: (*request).getBucketLocation, action: "s3:GetBucketLocation"}
	opGetBucketVersioning = &operation{name: "GetBucketVersioning", run: (*request).getBucketVersioning, action: "s3:GetBucketVersioning"}
	opPutBucketVersioning = &operation{name: "PutBucketVersioning", run: (*request).putBucketVersioning, action: "s3:PutBucketVersioning"}
	opGetBucketAcl        = &operation{name: "GetBucketAcl", run: (*request).getBucketAcl, action: "s3:GetBucketAcl"}
	opPutBucketAcl        = &operation{name: "PutBucketAcl", precheck: (*request).checkBucket, run: (*request).putAcl, action: "s3:PutBucketAcl"}
	opGetBucketDefault    = &operation{name: "GetBucketConfiguration", run: (*request).getBucketConfiguration}

	opPutBucketPolicy       = &operation{name: "PutBucketPolicy", precheck: (*request).checkBucket, run: (*request).putBucketPolicy}
	opGetBucketPolicy       = &operation{name: "GetBucketPolicy", run: (*request).getBucketPolicy}
	opGetBucketPolicyStatus = &operation{name: "GetBucketPolicyStatus", run: (*request).getBucketPolicyStatus, action: "s3:GetBucketPolicyStatus"}
	opDeleteBucketPolicy    = &operation{name: "DeleteBucketPolicy", run: (*request).deleteBucketPolicy}

	opPutBucketTagging        = bucketDocuments[store.DocumentTagging].put("PutBucketTagging")
	opGetBucketTagging        = bucketDocuments[store.DocumentTagging].get("GetBucketTagging")
	opDeleteBucketTagging     = bucketDocuments[store.DocumentTagging].remove("DeleteBucketTagging")
	opPutPublicAccessBlock    = bucketDocuments[store.DocumentPublicAccessBlock].put("PutPublicAccessBlock")
	opGetPublicAccessBlock    = bucketDocuments[store.DocumentPublicAccessBlock].get("GetPublicAccessBlock")
	opDeletePublicAccessBlock = bucketDocuments[store.DocumentPublicAccessBlock].remove("DeletePublicAccessBlock")
	opPutOwnershipControls    = bucketDocuments[store.DocumentOwnershipControls].put("PutBucketOwnershipControls")
	opGetOwnershipControls    = bucketDocuments[store.DocumentOwnershipControls].get("GetBucketOwnershipControls")
	opDeleteOwnershipControls = bucketDocuments[store.DocumentOwnershipControls].remove("DeleteBucketOwnershipControls")

	opListObjects          = &operation{name: "ListObjects", run: (*request).listObjects, action: "s3:ListBucket"}
	opListObjectsV2        = &operation{name: "ListObjectsV2", run: (*request).listObjectsV2, action: "s3:ListBucket"}
	opListObjectVersions   = &operation{name: "ListObjectVersions", run: (*request).listObjectVersions, action: "s3:ListBucketVersions"}
	opListMultipartUploads = &operation{name: "ListMultipartUploads", run: (*request).listMultipartUploads, action: "s3:ListBucketMultipartUploads"}
	opDeleteObjects        = &operation{name: "DeleteObjects", precheck: (*request).checkBucket, run: (*request).deleteObjects, action: "s3:DeleteObject"}

	opGetObject           = &operation{name: "GetObject", run: (*request).getObject, action: "s3:GetObject", versionAction: "s3:GetObjectVersion"}
	opHeadObject          = &operation{name: "HeadObject", run: (*request).getObject, action: "s3:GetObject", versionAction: "s3:GetObjectVersion"}
	opPutObject           = &operation{name: "PutObject", precheck: (*request).checkPutObject, run: (*request).putObject, action: "s3:PutObject"}
	opPostObject          = &operation{name: "PostObject", precheck: (*request).checkPostObject, run: (*request).postObject}
	opCopyObject          = &operation{name: "CopyObject", precheck: (*request).checkBucket, run: (*request).copyObject, action: "s3:PutObject"}
	opDeleteObject        = &operation{name: "DeleteObject", run: (*request).deleteObject, action: "s3:DeleteObject", versionAction: "s3:DeleteObjectVersion"}
	opGetObjectAttributes = &operation{name: "GetObjectAttributes", run: (*request).getObjectAttributes, action: "s3:GetObjectAttributes", versionAction: "s3:GetObjectVersionAttributes"}
	opGetObjectAcl        = &operation{name: "GetObjectAcl", run: (*request).getObjectAcl, action: "s3:GetObjectAcl", versionAction: "s3:GetObjectVersionAcl"}

	opPutObjectAcl        = &operation{name: "PutObjectAcl", precheck: (*request).checkBucket, run: (*request).putObjectAcl, action: "s3:PutObjectAcl", versionAction: "s3:PutObjectVersionAcl"}
	opGetObjectTagging    = &operation{name: "GetObjectTagging", run: (*request).getObjectTagging, action: "s3:GetObjectTagging", versionAction: "s3:GetObjectVersionTagging"}
	opPutObjectTagging    = &operation{name: "PutObjectTagging", precheck: (*request).checkBucket, run: (*request).putObjectTagging, action: "s3:PutObjectTagging", versionAction: "s3:PutObjectVersionTagging"}
	opDeleteObjectTagging = &operation{name: "DeleteObjectTagging", run: (*request).deleteObjectTagging, action: "s3:DeleteObjectTagging", versionAction: "s3:DeleteObjectVersionTagging"}

	opCreateMultipartUpload   = &operation{name: "CreateMultipartUpload", precheck: (*request).checkBucket, run: (*request).createMultipartUpload, action: "s3:PutObject"}
	opUploadPart              = &operation{name: "UploadPart", precheck: (*request).checkUploadPart, run: (*request).uploadPart, action: "s3:PutObject"}
	opUploadPartCopy          = &operation{name: "UploadPartCopy", run: (*request).uploadPartCopy, action: "s3:PutObject"}
	opCompleteMultipartUpload = &operation{name: "CompleteMultipartUpload", precheck: (*request).checkBucket, run: (*request).completeMultipartUpload, action: "s3:PutObject"}
	opAbortMultipartUpload    = &operation{name: "AbortMultipartUpload", run: (*request).abortMultipartUpload, action: "s3:AbortMultipartUpload"}
	opListParts               = &operation{name: "ListParts", run: (*request).listParts, action: "s3:ListMultipartUploadParts"}

	opHealth         = &operation{name: "Health", run: (*request).health}
	opNotImplemented = refusal("NotImplemented", errNotImplemented)
	opNotAllowed     = refusal("MethodNotAllowed", errMethodNotAllowed)
	opStrayParameter = refusal("InvalidArgument", errInvalidArgument.saying("This operation does not accept the query parameter partNumber or versionId."))
)

// refusal is an operation that is refused whatever its headers say.
func refusal(name string, err *apiError) *operation {
	refuse := func(*request) error { return err }
	return &operation{name: name, precheck: refuse, run: refuse}
}

// checkBucket is the precheck of operations that need the bucket above all.
func (r *request) checkBucket() error {
	_, err := r.bucket()
	return err
}
