package server

// maxOperations bounds the operations that are counted apart, number 0 being
// the requests that named none. There are some 50; a test holds the list
// below it.
const maxOperations = 64

// operations are all operations by their numbers, which index the counters.
// Number 0 is for requests that could not be read so far.
var operations = numbered(
	opListBuckets,
	opCreateBucket, opHeadBucket, opDeleteBucket, opGetBucketLocation, opGetBucketVersioning,
	opPutBucketVersioning, opGetBucketAcl, opGetBucketDefault,
	opListObjects, opListObjectsV2, opListObjectVersions, opListMultipartUploads, opDeleteObjects,
	opGetObject, opHeadObject, opPutObject, opPostObject, opCopyObject, opDeleteObject,
	opGetObjectAttributes, opGetObjectAcl,
	opCreateMultipartUpload, opUploadPart, opUploadPartCopy, opCompleteMultipartUpload,
	opAbortMultipartUpload, opListParts,
	opPutBucketPolicy, opGetBucketPolicy, opGetBucketPolicyStatus, opDeleteBucketPolicy,
	opPutBucketTagging, opGetBucketTagging, opDeleteBucketTagging,
	opPutPublicAccessBlock, opGetPublicAccessBlock, opDeletePublicAccessBlock,
	opPutOwnershipControls, opGetOwnershipControls, opDeleteOwnershipControls,
	opPutBucketAcl, opPutObjectAcl, opGetObjectTagging, opPutObjectTagging, opDeleteObjectTagging,
	opHealth, opNotImplemented, opNotAllowed, opStrayParameter,
)

// unknownOperation is what requests are called that name no operation.
const unknownOperation = "Unknown"

// numbered gives the operations their numbers and returns them by these.
func numbered(list ...*operation) []*operation {
	all := append([]*operation{{name: unknownOperation}}, list...)
	for i, op := range all {
		op.number = i
	}
	return all
}

// operationNumber is op's number, 0 for nil.
func operationNumber(op *operation) int {
	if op == nil {
		return 0
	}
	return op.number
}

// statuses are the HTTP statuses this server replies with, the frequent ones
// first (see operationMetrics); the last place counts any other.
var statuses = [...]int{200, 206, 204, 304, 201, 303, 307, 400, 403, 404, 405, 409, 411, 412, 416, 431, 500, 501, 503, 507, 0}

// statusPlaces maps a status to its place in statuses.
var statusPlaces = func() (places [600]uint8) {
	for i := range places {
		places[i] = uint8(len(statuses) - 1)
	}
	for i, status := range statuses {
		if status > 0 {
			places[status] = uint8(i)
		}
	}
	return places
}()

func statusPlace(status int) int {
	if uint(status) >= uint(len(statusPlaces)) {
		return len(statuses) - 1
	}
	return int(statusPlaces[status])
}
