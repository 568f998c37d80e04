package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"
)

// awsClient is aws-sdk-go-v2 with its transfer manager.
type awsClient struct {
	s3       *s3.Client
	transfer *transfermanager.Client
	sent     *recorder
}

// recorder keeps the headers of the last PUT, so that a test can tell what the client really sent.
type recorder struct {
	mu   sync.Mutex
	last http.Header
}

// RoundTrip sends r on and keeps its header if it is a PUT.
func (r *recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Method == http.MethodPut {
		r.mu.Lock()
		r.last = request.Header.Clone()
		r.mu.Unlock()
	}
	return http.DefaultTransport.RoundTrip(request)
}

func (r *recorder) header(name string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last.Get(name)
}

func newAWS(s *server) *awsClient {
	c := &awsClient{sent: &recorder{}}
	c.s3 = s3.New(s3.Options{
		Region:       region,
		BaseEndpoint: aws.String(s.url),
		UsePathStyle: true,
		Credentials:  credentials.NewStaticCredentialsProvider(accessKey, secretKey, ""),
		Retryer:      aws.NopRetryer{}, // a retry would hide a fault of the server
		HTTPClient:   &http.Client{Transport: c.sent, Timeout: time.Minute},
		// What config.LoadDefaultConfig sets.
		RequestChecksumCalculation: aws.RequestChecksumCalculationWhenSupported,
		ResponseChecksumValidation: aws.ResponseChecksumValidationWhenSupported,
	})
	c.transfer = transfermanager.New(c.s3, func(o *transfermanager.Options) {
		o.PartSizeBytes = part
		o.MultipartUploadThreshold = part + 1
		o.Concurrency = 3
	})
	return c
}

func (c *awsClient) name() string    { return "aws-sdk-go-v2" }
func (c *awsClient) version() string { return moduleVersion("github.com/aws/aws-sdk-go-v2/service/s3") }

// plain turns the SDK's errors into the suite's.
func (c *awsClient) plain(err error) error {
	var api smithy.APIError
	if errors.As(err, &api) {
		switch api.ErrorCode() {
		case "NoSuchKey", "NotFound", "NoSuchBucket":
			return errMissing
		case "InvalidRange":
			return errRange
		}
	}
	return err
}

func (c *awsClient) bucketExists(bucket string) (bool, error) {
	_, err := c.s3.HeadBucket(context.Background(), &s3.HeadBucketInput{Bucket: &bucket})
	if err = c.plain(err); errors.Is(err, errMissing) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	all, err := c.s3.ListBuckets(context.Background(), &s3.ListBucketsInput{})
	if err != nil {
		return false, err
	}
	for _, b := range all.Buckets {
		if *b.Name == bucket {
			return true, nil
		}
	}
	return false, errors.New("ListBuckets lacks a bucket that HeadBucket finds")
}

func (c *awsClient) createBucket(bucket string) error {
	_, err := c.s3.CreateBucket(context.Background(), &s3.CreateBucketInput{Bucket: &bucket})
	return err
}

func (c *awsClient) deleteBucket(bucket string) error {
	_, err := c.s3.DeleteBucket(context.Background(), &s3.DeleteBucketInput{Bucket: &bucket})
	return err
}

func (c *awsClient) put(bucket, key string, data []byte) (string, error) {
	reply, err := c.s3.PutObject(context.Background(), &s3.PutObjectInput{Bucket: &bucket, Key: &key, Body: bytes.NewReader(data)})
	if err != nil {
		return "", err
	}
	return aws.ToString(reply.ETag), nil
}

func (c *awsClient) read(input *s3.GetObjectInput) ([]byte, string, error) {
	reply, err := c.s3.GetObject(context.Background(), input)
	if err != nil {
		return nil, "", c.plain(err)
	}
	defer reply.Body.Close()
	data, err := io.ReadAll(reply.Body)
	return data, aws.ToString(reply.ETag), err
}

func (c *awsClient) get(bucket, key string) ([]byte, string, error) {
	return c.read(&s3.GetObjectInput{Bucket: &bucket, Key: &key})
}

func (c *awsClient) getRange(bucket, key string, from, to int) ([]byte, error) {
	spec := fmt.Sprintf("bytes=%d-%d", from, to-1)
	if from < 0 {
		spec = fmt.Sprintf("bytes=%d", from)
	}
	data, _, err := c.read(&s3.GetObjectInput{Bucket: &bucket, Key: &key, Range: &spec})
	return data, err
}

func (c *awsClient) head(bucket, key string) (entry, error) {
	reply, err := c.s3.HeadObject(context.Background(), &s3.HeadObjectInput{Bucket: &bucket, Key: &key})
	if err != nil {
		return entry{}, c.plain(err)
	}
	return entry{key, aws.ToInt64(reply.ContentLength), aws.ToString(reply.ETag)}, nil
}

func (c *awsClient) remove(bucket, key string) error {
	_, err := c.s3.DeleteObject(context.Background(), &s3.DeleteObjectInput{Bucket: &bucket, Key: &key})
	return err
}

func (c *awsClient) list(bucket, prefix, delimiter string) (entries []entry, prefixes []string, err error) {
	input := &s3.ListObjectsV2Input{Bucket: &bucket, Prefix: &prefix}
	if delimiter != "" {
		input.Delimiter = &delimiter
	}
	pages := s3.NewListObjectsV2Paginator(c.s3, input)
	for pages.HasMorePages() {
		page, err := pages.NextPage(context.Background())
		if err != nil {
			return nil, nil, err
		}
		for _, o := range page.Contents {
			entries = append(entries, entry{*o.Key, *o.Size, *o.ETag})
		}
		for _, p := range page.CommonPrefixes {
			prefixes = append(prefixes, *p.Prefix)
		}
	}
	return entries, prefixes, nil
}

func (c *awsClient) copyObject(bucket, source, target string) error {
	// The header is URL-encoded text; PathEscape leaves a plus sign, which S3 reads as a space here.
	from := bucket + "/" + strings.ReplaceAll(url.PathEscape(source), "+", "%2B")
	_, err := c.s3.CopyObject(context.Background(), &s3.CopyObjectInput{Bucket: &bucket, Key: &target, CopySource: &from})
	return err
}

func (c *awsClient) removeMany(bucket string, keys []string) error {
	var objects []types.ObjectIdentifier
	for _, key := range keys {
		objects = append(objects, types.ObjectIdentifier{Key: aws.String(key)})
	}
	reply, err := c.s3.DeleteObjects(context.Background(), &s3.DeleteObjectsInput{Bucket: &bucket, Delete: &types.Delete{Objects: objects}})
	if err != nil {
		return err
	}
	if len(reply.Deleted) != len(keys) || len(reply.Errors) != 0 {
		return fmt.Errorf("unexpected reply: %d deleted of %d and %d errors", len(reply.Deleted), len(keys), len(reply.Errors))
	}
	return nil
}

func (c *awsClient) putMultipart(bucket, key string, data []byte) (string, error) {
	reply, err := c.transfer.UploadObject(context.Background(), &transfermanager.UploadObjectInput{Bucket: &bucket, Key: &key, Body: bytes.NewReader(data)})
	if err != nil {
		return "", err
	}
	return aws.ToString(reply.ETag), nil
}

func (c *awsClient) presign(bucket, key, method string) (string, error) {
	p := s3.NewPresignClient(c.s3)
	var request *v4.PresignedHTTPRequest
	var err error
	if method == http.MethodPut {
		request, err = p.PresignPutObject(context.Background(), &s3.PutObjectInput{Bucket: &bucket, Key: &key})
	} else {
		request, err = p.PresignGetObject(context.Background(), &s3.GetObjectInput{Bucket: &bucket, Key: &key})
	}
	if err != nil {
		return "", err
	}
	return request.URL, nil
}
