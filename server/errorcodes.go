package server

// The S3 errors that this server sends, with AWS's codes and statuses.
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html#ErrorCodeList
var (
	errAccessDenied                 = &apiError{Code: "AccessDenied", Status: 403, Message: "Access Denied"}
	errAccessForbidden              = &apiError{Code: "AccessForbidden", Status: 403, Message: "CORSResponse: CORS is not enabled for this bucket."}
	errAuthorizationHeaderMalformed = &apiError{Code: "AuthorizationHeaderMalformed", Status: 400, Message: "The authorization header is malformed."}
	errAuthorizationQueryParameters = &apiError{Code: "AuthorizationQueryParametersError", Status: 400, Message: "The query parameters for authentication are not valid."}
	errBadDigest                    = &apiError{Code: "BadDigest", Status: 400, Message: "The digest you specified did not match the content received."}
	errBadRequest                   = &apiError{Code: "BadRequest", Status: 400, Message: "The request could not be parsed as HTTP."}
	errBucketAlreadyOwnedByYou      = &apiError{Code: "BucketAlreadyOwnedByYou", Status: 409, Message: "The bucket you tried to create already exists, and you own it."}
	errBucketNotEmpty               = &apiError{Code: "BucketNotEmpty", Status: 409, Message: "The bucket you tried to delete is not empty."}
	errEntityTooLarge               = &apiError{Code: "EntityTooLarge", Status: 400, Message: "The proposed upload exceeds the maximum allowed size."}
	errEntityTooSmall               = &apiError{Code: "EntityTooSmall", Status: 400, Message: "The proposed upload is smaller than the minimum allowed size."}
	errIncompleteBody               = &apiError{Code: "IncompleteBody", Status: 400, Message: "The number of bytes received differs from the number the headers declared."}
	errInsufficientStorage          = &apiError{Code: "InsufficientStorage", Status: 507, Message: "The write would exceed the server's memory limit (--memory-limit)."}
	errInternalError                = &apiError{Code: "InternalError", Status: 500, Message: "An internal error occurred. Try again."}
	errInvalidAccessKeyID           = &apiError{Code: "InvalidAccessKeyId", Status: 403, Message: "The access key ID you provided does not exist in the server's records."}
	errInvalidArgument              = &apiError{Code: "InvalidArgument", Status: 400, Message: "Invalid argument."}
	errInvalidBucketName            = &apiError{Code: "InvalidBucketName", Status: 400, Message: "The specified bucket is not valid."}
	errInvalidBucketState           = &apiError{Code: "InvalidBucketState", Status: 409, Message: "The request is not valid for the current state of the bucket."}
	errInvalidDigest                = &apiError{Code: "InvalidDigest", Status: 400, Message: "The Content-MD5 you specified is not valid."}
	errInvalidPart                  = &apiError{Code: "InvalidPart", Status: 400, Message: "One or more of the specified parts could not be found. The part may not have been uploaded, or its entity tag may not have matched."}
	errInvalidPartOrder             = &apiError{Code: "InvalidPartOrder", Status: 400, Message: "The list of parts was not in ascending order. The parts list must be specified in order by part number."}
	errInvalidPolicyDocument        = &apiError{Code: "InvalidPolicyDocument", Status: 400, Message: "The content of the form does not meet the conditions specified in the policy document."}
	errInvalidRange                 = &apiError{Code: "InvalidRange", Status: 416, Message: "The requested range is not satisfiable."}
	errInvalidRequest               = &apiError{Code: "InvalidRequest", Status: 400, Message: "The request is not valid."}
	errInvalidStorageClass          = &apiError{Code: "InvalidStorageClass", Status: 400, Message: "The storage class you specified is not valid."}
	errInvalidTag                   = &apiError{Code: "InvalidTag", Status: 400, Message: "The tag provided was not a valid tag."}
	errInvalidURI                   = &apiError{Code: "InvalidURI", Status: 400, Message: "The specified URI could not be parsed."}
	errKeyTooLong                   = &apiError{Code: "KeyTooLongError", Status: 400, Message: "Your key is too long."}
	errMalformedPOSTRequest         = &apiError{Code: "MalformedPOSTRequest", Status: 400, Message: "The body of your POST request is not well-formed multipart/form-data."}
	errMalformedPolicy              = &apiError{Code: "MalformedPolicy", Status: 400, Message: "Policy has invalid resource"}
	errMalformedTrailer             = &apiError{Code: "MalformedTrailerError", Status: 400, Message: "The request contained trailing data that was not well-formed or did not conform to what the headers announced."}
	errMalformedXML                 = &apiError{Code: "MalformedXML", Status: 400, Message: "The XML you provided was not well-formed or did not validate against the published schema."}
	errMaxPostPreData               = &apiError{Code: "MaxPostPreDataLengthExceededError", Status: 400, Message: "Your POST request fields preceding the upload file were too large."}
	errMetadataTooLarge             = &apiError{Code: "MetadataTooLarge", Status: 400, Message: "Your metadata headers exceed the maximum allowed metadata size."}
	errMethodNotAllowed             = &apiError{Code: "MethodNotAllowed", Status: 405, Message: "The specified method is not allowed against this resource."}
	errMissingContentLength         = &apiError{Code: "MissingContentLength", Status: 411, Message: "You must provide the Content-Length HTTP header."}
	errNoSuchBucket                 = &apiError{Code: "NoSuchBucket", Status: 404, Message: "The specified bucket does not exist."}
	errNoSuchKey                    = &apiError{Code: "NoSuchKey", Status: 404, Message: "The specified key does not exist."}
	errNoSuchUpload                 = &apiError{Code: "NoSuchUpload", Status: 404, Message: "The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed."}
	errNoSuchVersion                = &apiError{Code: "NoSuchVersion", Status: 404, Message: "The specified version does not exist."}
	errNotImplemented               = &apiError{Code: "NotImplemented", Status: 501, Message: "A header or query you provided implies functionality that is not implemented."}
	errNoMinioAdmin                 = &apiError{Code: "NotImplemented", Status: 501, Message: "This server is s3ultra, which has no MinIO admin API: keys, buckets and policies are set by its flags, variables and the S3 API"}
	errNotModified                  = &apiError{Code: "NotModified", Status: 304, Message: "Not Modified"}
	errPreconditionFailed           = &apiError{Code: "PreconditionFailed", Status: 412, Message: "At least one of the preconditions you specified did not hold."}
	errRequestHeaderSectionTooLarge = &apiError{Code: "RequestHeaderSectionTooLarge", Status: 431, Message: "Your request header section exceeds the maximum allowed size."}
	errRequestTimeout               = &apiError{Code: "RequestTimeout", Status: 400, Message: "Your socket connection to the server was not read from or written to within the timeout period."}
	errRequestTimeTooSkewed         = &apiError{Code: "RequestTimeTooSkewed", Status: 403, Message: "The difference between the request time and the server's time is too large."}
	errSignatureDoesNotMatch        = &apiError{Code: "SignatureDoesNotMatch", Status: 403, Message: "The request signature we calculated does not match the signature you provided. Check your key and signing method."}
	errXAmzContentSHA256Mismatch    = &apiError{Code: "XAmzContentSHA256Mismatch", Status: 400, Message: "The provided 'x-amz-content-sha256' header does not match what was computed."}
)

// Replies of a bucket on which the asked configuration was never set. Clients
// probe for these at start and take any other answer for the feature being on.
var (
	errNoSuchBucketPolicy           = &apiError{Code: "NoSuchBucketPolicy", Status: 404, Message: "The bucket policy does not exist."}
	errNoSuchCORSConfiguration      = &apiError{Code: "NoSuchCORSConfiguration", Status: 404, Message: "The CORS configuration does not exist."}
	errNoSuchLifecycleConfiguration = &apiError{Code: "NoSuchLifecycleConfiguration", Status: 404, Message: "The lifecycle configuration does not exist."}
	errNoSuchPublicAccessBlock      = &apiError{Code: "NoSuchPublicAccessBlockConfiguration", Status: 404, Message: "The public access block configuration was not found."}
	errNoSuchTagSet                 = &apiError{Code: "NoSuchTagSet", Status: 404, Message: "The TagSet does not exist."}
	errNoSuchWebsiteConfiguration   = &apiError{Code: "NoSuchWebsiteConfiguration", Status: 404, Message: "The specified bucket does not have a website configuration."}
	errObjectLockConfigNotFound     = &apiError{Code: "ObjectLockConfigurationNotFoundError", Status: 404, Message: "Object Lock configuration does not exist for this bucket."}
	errOwnershipControlsNotFound    = &apiError{Code: "OwnershipControlsNotFoundError", Status: 404, Message: "The bucket ownership controls were not found."}
	errReplicationConfigNotFound    = &apiError{Code: "ReplicationConfigurationNotFoundError", Status: 404, Message: "The replication configuration was not found."}
	errEncryptionConfigNotFound     = &apiError{Code: "ServerSideEncryptionConfigurationNotFoundError", Status: 404, Message: "The server side encryption configuration was not found."}
)
