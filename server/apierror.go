package server

import (
	"errors"
	"strconv"
	"time"

	"github.com/s3ultra/s3ultra/sigv4"
	"github.com/s3ultra/s3ultra/store"
)

// apiError is an S3 error reply: the code and message of the Error element,
// the HTTP status, and the further elements that AWS adds for that code.
//
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
type apiError struct {
	Code    string
	Status  int
	Message string
	Fields  []errorField
	header  []errorField
	cause   error
}

// errorField is one further child of the Error element.
type errorField struct {
	Name, Value string
}

func (e *apiError) Error() string {
	if e.cause != nil {
		return e.Code + ": " + e.cause.Error()
	}
	return e.Code + ": " + e.Message
}

func (e *apiError) Unwrap() error { return e.cause }

// with returns a copy of e that carries one more element.
func (e *apiError) with(name, value string) *apiError {
	c := *e
	c.Fields = append(append([]errorField(nil), e.Fields...), errorField{name, value})
	return &c
}

// withHeader returns a copy of e whose reply carries one more header.
func (e *apiError) withHeader(name, value string) *apiError {
	c := *e
	c.header = append(append([]errorField(nil), e.header...), errorField{name, value})
	return &c
}

// because returns a copy of e that names its cause in the log line.
func (e *apiError) because(cause error) *apiError {
	c := *e
	c.cause = cause
	return &c
}

// saying returns a copy of e with another message for the client.
func (e *apiError) saying(message string) *apiError {
	c := *e
	c.Message = message
	return &c
}

// invalidArgument is the InvalidArgument reply for one named argument.
func invalidArgument(name, value, message string) *apiError {
	return errInvalidArgument.saying(message).with("ArgumentName", name).with("ArgumentValue", value)
}

// toAPIError maps what the lower layers return to S3's error for it. An error
// nobody foresaw is InternalError, and its text stays in the log.
func toAPIError(err error) *apiError {
	var api *apiError
	if errors.As(err, &api) {
		return api
	}
	var failure *sigv4.Failure
	if errors.As(err, &failure) {
		return signatureError(failure)
	}
	if api := storeError(err); api != nil {
		return api
	}
	if api := chunkError(err); api != nil {
		return api
	}
	return errInternalError.because(err)
}

// storeError maps the sentinels of package store; nil when err is none of them.
func storeError(err error) *apiError {
	var invalidPart *store.InvalidPartError
	var tooSmall *store.EntityTooSmallError
	switch {
	case errors.As(err, &invalidPart):
		return errInvalidPart.because(err).with("PartNumber", strconv.Itoa(invalidPart.Number))
	case errors.As(err, &tooSmall):
		return errEntityTooSmall.because(err).
			with("ProposedSize", strconv.FormatInt(tooSmall.Size, 10)).
			with("MinSizeAllowed", strconv.FormatInt(tooSmall.Min, 10)).
			with("PartNumber", strconv.Itoa(tooSmall.Number))
	case errors.Is(err, store.ErrNoSuchBucket):
		return errNoSuchBucket.because(err)
	case errors.Is(err, store.ErrBucketNotEmpty):
		return errBucketNotEmpty.because(err)
	case errors.Is(err, store.ErrNoSuchUpload):
		return errNoSuchUpload.because(err)
	case errors.Is(err, store.ErrNoParts):
		return errMalformedXML.because(err)
	case errors.Is(err, store.ErrBodyTooLong):
		return errIncompleteBody.because(err)
	case errors.Is(err, store.ErrInvalidPartOrder):
		return errInvalidPartOrder.because(err)
	case errors.Is(err, store.ErrSizeMismatch):
		return errInvalidRequest.saying("The provided x-amz-mp-object-size header does not match what was uploaded.").because(err)
	case errors.Is(err, store.ErrDiskFull):
		return errInsufficientStorage.saying("The disk of the server's database (--db-path) is full.").because(err)
	case errors.Is(err, store.ErrHasDatasets):
		return errInvalidBucketState.saying("The bucket has virtual data sets (--dataset), which have no versions.").because(err)
	case errors.Is(err, store.ErrMemoryLimit):
		return errInsufficientStorage.because(err)
	}
	return nil
}

// chunkError maps the errors of the aws-chunked decoder; nil when err is none
// of them.
func chunkError(err error) *apiError {
	switch {
	case errors.Is(err, sigv4.ErrChunkSignature), errors.Is(err, sigv4.ErrTrailerSignature):
		return errSignatureDoesNotMatch.because(err)
	case errors.Is(err, sigv4.ErrTrailerMalformed):
		return errMalformedTrailer.because(err)
	case errors.Is(err, sigv4.ErrDecodedLength), errors.Is(err, sigv4.ErrMalformedChunk):
		return errIncompleteBody.because(err)
	}
	return nil
}

// signatureError maps a refused signature to S3's error, with the elements
// AWS adds so that a client can find out what it signed differently.
func signatureError(f *sigv4.Failure) *apiError {
	// The sentinel's own reply; Reason is the text for the client.
	pick := func(e *apiError) *apiError {
		e = e.because(f)
		if f.Reason != "" {
			e = e.saying(f.Reason)
		}
		return e
	}
	switch {
	case errors.Is(f, sigv4.ErrSignatureDoesNotMatch):
		return errSignatureDoesNotMatch.because(f).
			with("AWSAccessKeyId", f.AccessKey).
			with("StringToSign", f.StringToSign).
			with("SignatureProvided", f.SignatureProvided).
			with("CanonicalRequest", f.CanonicalRequest)
	case errors.Is(f, sigv4.ErrInvalidAccessKeyID):
		return errInvalidAccessKeyID.because(f).with("AWSAccessKeyId", f.AccessKey)
	case errors.Is(f, sigv4.ErrRequestTimeTooSkewed):
		return errRequestTimeTooSkewed.because(f).
			with("RequestTime", f.RequestTime.UTC().Format("20060102T150405Z")).
			with("ServerTime", f.ServerTime.UTC().Format(time.RFC3339)).
			with("MaxAllowedSkewMilliseconds", strconv.FormatInt(f.MaxSkew.Milliseconds(), 10))
	case errors.Is(f, sigv4.ErrRequestExpired):
		return errAccessDenied.saying("Request has expired").because(f).
			with("Expires", f.Expires.UTC().Format(time.RFC3339)).
			with("ServerTime", f.ServerTime.UTC().Format(time.RFC3339))
	case errors.Is(f, sigv4.ErrHeadersNotSigned):
		return errAccessDenied.saying("There were headers present in the request which were not signed").because(f).
			with("HeadersNotSigned", f.HeadersNotSigned)
	case errors.Is(f, sigv4.ErrMultipleAuth), errors.Is(f, sigv4.ErrAuthorizationType):
		return pick(errInvalidArgument)
	case errors.Is(f, sigv4.ErrAuthorizationHeaderMalformed):
		return pick(errAuthorizationHeaderMalformed)
	case errors.Is(f, sigv4.ErrAuthorizationQueryParameters):
		return pick(errAuthorizationQueryParameters)
	case errors.Is(f, sigv4.ErrInvalidContentSHA256):
		return pick(errInvalidArgument)
	case errors.Is(f, sigv4.ErrSignatureVersion):
		return pick(errInvalidRequest)
	}
	return pick(errAccessDenied)
}
