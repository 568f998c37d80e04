package server

// operation is an S3 operation: its AWS name and its handler.
type operation struct {
	name   string
	number int // its place in the list of operations
	// precheck decides everything that the headers alone can decide, before a
	// byte of the body is read; nil for operations without a body. It may run
	// twice (once before a 100 Continue), so it changes nothing.
	precheck func(*request) error
	run      func(*request) error
}

// The operations, by AWS's names.
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations_Amazon_Simple_Storage_Service.html
var (
	opListBuckets = &operation{name: "ListBuckets", run: (*request).listBuckets}

	opCreateBucket        = &operation{name: "CreateBucket", precheck: (*request).checkBucketName, run: (*request).createBucket}
	opHeadBucket          = &operation{name: "HeadBucket", run: (*request).headBucket}
	opDeleteBucket        = &operation{name: "DeleteBucket", run: (*request).deleteBucket}
	opGetBucketLocation   = &operation{name: "GetBucketLocation", run: (*request).getBucketLocation}
	opGetBucketVersioning = &operation{name: "GetBucketVersioning", run: (*request).getBucketVersioning}
	opPutBucketVersioning = &operation{name: "PutBucketVersioning", run: (*request).putBucketVersioning}
	opGetBucketAcl        = &operation{name: "GetBucketAcl", run: (*request).getBucketAcl}
	opGetBucketDefault    = &operation{name: "GetBucketConfiguration", run: (*request).getBucketConfiguration}

	opListObjects          = &operation{name: "ListObjects", run: (*request).listObjects}
	opListObjectsV2        = &operation{name: "ListObjectsV2", run: (*request).listObjectsV2}
	opListObjectVersions   = &operation{name: "ListObjectVersions", run: (*request).listObjectVersions}
	opListMultipartUploads = &operation{name: "ListMultipartUploads", run: (*request).listMultipartUploads}
	opDeleteObjects        = &operation{name: "DeleteObjects", precheck: (*request).checkBucket, run: (*request).deleteObjects}

	opGetObject           = &operation{name: "GetObject", run: (*request).getObject}
	opHeadObject          = &operation{name: "HeadObject", run: (*request).getObject}
	opPutObject           = &operation{name: "PutObject", precheck: (*request).checkPutObject, run: (*request).putObject}
	opPostObject          = &operation{name: "PostObject", precheck: (*request).checkPostObject, run: (*request).postObject}
	opCopyObject          = &operation{name: "CopyObject", precheck: (*request).checkBucket, run: (*request).copyObject}
	opDeleteObject        = &operation{name: "DeleteObject", run: (*request).deleteObject}
	opGetObjectAttributes = &operation{name: "GetObjectAttributes", run: (*request).getObjectAttributes}
	opGetObjectAcl        = &operation{name: "GetObjectAcl", run: (*request).getObjectAcl}

	opCreateMultipartUpload   = &operation{name: "CreateMultipartUpload", precheck: (*request).checkBucket, run: (*request).createMultipartUpload}
	opUploadPart              = &operation{name: "UploadPart", precheck: (*request).checkUploadPart, run: (*request).uploadPart}
	opUploadPartCopy          = &operation{name: "UploadPartCopy", run: (*request).uploadPartCopy}
	opCompleteMultipartUpload = &operation{name: "CompleteMultipartUpload", precheck: (*request).checkBucket, run: (*request).completeMultipartUpload}
	opAbortMultipartUpload    = &operation{name: "AbortMultipartUpload", run: (*request).abortMultipartUpload}
	opListParts               = &operation{name: "ListParts", run: (*request).listParts}

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
