package sigv4

import (
	"errors"
	"fmt"
	"time"
)

// Causes of a refused request, each named after the S3 error code it calls for
// (Amazon S3 API reference, "Error responses"). Where several causes share one
// code, the special one wraps the general one: errors.Is works with either.
var (
	// ErrAccessDenied: credentials are required and the request has none.
	ErrAccessDenied = errors.New("access denied")
	// ErrNotSigned: the request does not authenticate at all. Whether anybody may
	// do what it asks is for the caller to say. S3 code AccessDenied.
	ErrNotSigned = fmt.Errorf("request is not signed: %w", ErrAccessDenied)
	// ErrInvalidAccessKeyID: no such access key.
	ErrInvalidAccessKeyID = errors.New("unknown access key")
	// ErrSignatureDoesNotMatch: the signature is not that of this request.
	ErrSignatureDoesNotMatch = errors.New("signature does not match")
	// ErrRequestTimeTooSkewed: signed too long ago or too far in the future.
	ErrRequestTimeTooSkewed = errors.New("request time too skewed")
	// ErrRequestExpired: a presigned URL past its life. S3 code AccessDenied.
	ErrRequestExpired = fmt.Errorf("request has expired: %w", ErrAccessDenied)
	// ErrRequestNotYetValid: a presigned URL from the future. S3 code AccessDenied.
	ErrRequestNotYetValid = fmt.Errorf("request is not valid yet: %w", ErrAccessDenied)
	// ErrHeadersNotSigned: host or an x-amz-* header is outside the signature;
	// Failure.HeadersNotSigned lists them. S3 code AccessDenied.
	ErrHeadersNotSigned = fmt.Errorf("headers not signed: %w", ErrAccessDenied)
	// ErrMissingDate: neither x-amz-date nor Date holds a time. S3 code AccessDenied.
	ErrMissingDate = fmt.Errorf("no valid date: %w", ErrAccessDenied)
	// ErrAuthorizationHeaderMalformed: the Authorization header cannot be read.
	ErrAuthorizationHeaderMalformed = errors.New("authorization header malformed")
	// ErrAuthorizationQueryParameters: the X-Amz-* query parameters cannot be
	// read. S3 code AuthorizationQueryParametersError.
	ErrAuthorizationQueryParameters = errors.New("authorization query parameters malformed")
	// ErrInvalidExpires: X-Amz-Expires is no number in 0..604800. AWS answers
	// AuthorizationQueryParametersError (400), Ceph AccessDenied (403).
	ErrInvalidExpires = fmt.Errorf("invalid X-Amz-Expires: %w", ErrAuthorizationQueryParameters)
	// ErrInvalidContentSHA256: x-amz-content-sha256 is neither a digest nor a
	// known mode. S3 code InvalidArgument.
	ErrInvalidContentSHA256 = errors.New("invalid x-amz-content-sha256")
	// ErrSignatureVersion: Signature Version 2, SigV4A or an unknown
	// algorithm. S3 code InvalidRequest.
	ErrSignatureVersion = errors.New("signature version not supported")
	// ErrAuthorizationType: the Authorization header is of no AWS kind at all
	// ("Basic ..."). S3 code InvalidArgument.
	ErrAuthorizationType = fmt.Errorf("unsupported authorization type: %w", ErrSignatureVersion)
	// ErrMultipleAuth: header and query both authenticate. S3 code InvalidArgument.
	ErrMultipleAuth = errors.New("more than one authentication in a request")
)

// Causes of a refused aws-chunked body.
var (
	// ErrMalformedChunk: the chunk framing is broken. S3 code IncompleteBody
	// (what AWS answers) or InvalidRequest.
	ErrMalformedChunk = errors.New("malformed aws-chunked body")
	// ErrChunkSignature: a chunk is not what the client signed. S3 code
	// SignatureDoesNotMatch.
	ErrChunkSignature = errors.New("chunk signature does not match")
	// ErrTrailerMalformed: the trailers cannot be read, or are not those that
	// x-amz-trailer announced. S3 code MalformedTrailerError.
	ErrTrailerMalformed = errors.New("malformed trailer")
	// ErrTrailerSignature: the trailers are not what the client signed. S3 code
	// SignatureDoesNotMatch.
	ErrTrailerSignature = errors.New("trailer signature does not match")
	// ErrDecodedLength: the payload is not x-amz-decoded-content-length bytes
	// long. S3 code IncompleteBody.
	ErrDecodedLength = errors.New("payload length differs from x-amz-decoded-content-length")
)

// Failure is the error of Verifier.Verify: a cause and what the S3 error
// document of that cause reports. Fields that do not belong to the cause are
// zero. Nothing in it refers to the request's memory.
type Failure struct {
	Err    error  // one of the package's sentinels
	Reason string // what exactly is wrong, one sentence, "" if Err says it all

	AccessKey         string
	SignatureProvided string
	CanonicalRequest  string // as the server read the request
	StringToSign      string
	HeadersNotSigned  string // comma separated

	RequestTime time.Time
	ServerTime  time.Time
	MaxSkew     time.Duration
	Expires     time.Time     // end of a presigned URL's life
	Lifetime    time.Duration // X-Amz-Expires
}

// Error implements error.
func (f *Failure) Error() string {
	if f.Reason == "" {
		return f.Err.Error()
	}
	return f.Err.Error() + ": " + f.Reason
}

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Err }

// errAnonymous is the one Failure without details of its request: a public
// bucket's readers all get it, and it costs them no allocation.
var errAnonymous = fail(ErrNotSigned, "")

func fail(cause error, reason string) *Failure {
	return &Failure{Err: cause, Reason: reason}
}
