package e2e

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/feature/s3/manager"
	"github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager"
	tmtypes "github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"
)

func (c *awsClient) more() []check {
	return []check{
		{"multipart: manager", c.checkManager},
		{"ranges: parallel download", c.checkDownload},
		{"list: version 1", c.checkListV1},
		{"checksums: default", c.checkDefaultChecksum},
		{"checksums: each algorithm", c.checkAlgorithms},
		{"checksums: unsigned payload", c.checkUnsigned},
		{"virtual-host", c.checkVirtualHost},
		{"conditions", c.checkConditions},
	}
}

// checkManager uses the transfer manager's first module, deprecated and still in most programs.
func (c *awsClient) checkManager(t *testing.T, s *server, _ client, bucket string) {
	key, data := "multipart/manager", payload("manager", 2*part+5)
	up := manager.NewUploader(c.s3, func(u *manager.Uploader) { u.PartSize, u.Concurrency = part, 3 })
	reply, err := up.Upload(context.Background(), &s3.PutObjectInput{Bucket: &bucket, Key: &key, Body: bytes.NewReader(data)})
	must(t, err)
	s.checkETag(t, aws.ToString(reply.ETag), data, part)
	down := manager.NewDownloader(c.s3, func(d *manager.Downloader) { d.PartSize, d.Concurrency = 5*mib, 3 })
	got := manager.NewWriteAtBuffer(nil)
	_, err = down.Download(context.Background(), got, &s3.GetObjectInput{Bucket: &bucket, Key: &key})
	must(t, err)
	same(t, got.Bytes(), s.expected(bucket, key, data), "download")
}

// checkDownload reads by part number, which the new transfer manager does for multipart objects, and by ranges.
func (c *awsClient) checkDownload(t *testing.T, s *server, _ client, bucket string) {
	key, data := "ranges/download", payload("download", 2*part+777)
	_, err := c.putMultipart(bucket, key, data)
	must(t, err)
	f := func(how tmtypes.GetObjectType) {
		t.Helper()
		got := manager.NewWriteAtBuffer(nil)
		_, err := c.transfer.DownloadObject(context.Background(),
			&transfermanager.DownloadObjectInput{Bucket: &bucket, Key: &key, WriterAt: got},
			func(o *transfermanager.Options) { o.GetObjectType = how })
		must(t, err)
		same(t, got.Bytes(), s.expected(bucket, key, data), fmt.Sprintf("download by %v", how))
	}
	f(tmtypes.GetObjectParts)
	f(tmtypes.GetObjectRanges)
}

func (c *awsClient) checkListV1(t *testing.T, s *server, _ client, _ string) {
	bucket, marker, count := s.bucket("listing"), "", 0
	for {
		page, err := c.s3.ListObjects(context.Background(), &s3.ListObjectsInput{Bucket: &bucket, Marker: &marker})
		must(t, err)
		count += len(page.Contents)
		if !aws.ToBool(page.IsTruncated) {
			break
		}
		marker = *page.Contents[len(page.Contents)-1].Key
	}
	if count != len(listingKeys()) {
		t.Errorf("unexpected count of keys; got %d; want %d", count, len(listingKeys()))
	}
}

// checkDefaultChecksum: SDKs of 2025 and later add a CRC32 to every upload without being asked.
func (c *awsClient) checkDefaultChecksum(t *testing.T, s *server, _ client, bucket string) {
	key, data := "checksums/default", payload("default", 10*kib)
	_, err := c.put(bucket, key, data)
	must(t, err)
	want := base64.StdEncoding.EncodeToString(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(data)))
	if got := c.sent.header("x-amz-checksum-crc32"); got != want {
		t.Errorf("unexpected checksum sent; got %q; want %q", got, want)
	}
	reply, err := c.s3.GetObject(context.Background(), &s3.GetObjectInput{Bucket: &bucket, Key: &key, ChecksumMode: types.ChecksumModeEnabled})
	must(t, err)
	got, err := io.ReadAll(reply.Body) // the SDK checks the body against the checksum here
	must(t, err)
	must(t, reply.Body.Close())
	same(t, got, s.expected(bucket, key, data), key)
	// The checksum of bytes that were dropped must not be sent with bytes that were generated.
	if got := aws.ToString(reply.ChecksumCRC32); s.keeps(len(data)) != (got == want) {
		t.Errorf("unexpected checksum of a GET; got %q", got)
	}
}

func (c *awsClient) checkAlgorithms(t *testing.T, s *server, _ client, bucket string) {
	for _, algorithm := range []types.ChecksumAlgorithm{
		types.ChecksumAlgorithmCrc32, types.ChecksumAlgorithmCrc32c, types.ChecksumAlgorithmCrc64nvme,
		types.ChecksumAlgorithmSha1, types.ChecksumAlgorithmSha256,
	} {
		key, data := "checksums/"+string(algorithm), payload(string(algorithm), 10*kib)
		_, err := c.s3.PutObject(context.Background(), &s3.PutObjectInput{Bucket: &bucket, Key: &key, Body: bytes.NewReader(data), ChecksumAlgorithm: algorithm})
		must(t, err)
		checkRead(t, s, c, bucket, key, data)
		key += " parts"
		data = payload(key, part+mib)
		reply, err := c.transfer.UploadObject(context.Background(), &transfermanager.UploadObjectInput{Bucket: &bucket, Key: &key, Body: bytes.NewReader(data)},
			func(o *transfermanager.Options) { o.ChecksumAlgorithm = tmtypes.ChecksumAlgorithm(algorithm) })
		must(t, err)
		s.checkETag(t, aws.ToString(reply.ETag), data, part)
		whole, err := c.s3.GetObject(context.Background(), &s3.GetObjectInput{Bucket: &bucket, Key: &key, ChecksumMode: types.ChecksumModeEnabled})
		must(t, err)
		got, err := io.ReadAll(whole.Body)
		must(t, err)
		must(t, whole.Body.Close())
		same(t, got, s.expected(bucket, key, data), key)
	}
	key, wrong := "checksums/wrong", "AAAAAA=="
	_, err := c.s3.PutObject(context.Background(), &s3.PutObjectInput{Bucket: &bucket, Key: &key, Body: bytes.NewReader([]byte("hello")), ChecksumCRC32: &wrong})
	var api smithy.APIError
	if !errors.As(err, &api) || api.ErrorCode() != "BadDigest" {
		t.Errorf("unexpected answer to a wrong checksum; got %v; want BadDigest", err)
	}
}

// checkUnsigned sends UNSIGNED-PAYLOAD over http from a reader that cannot be read twice.
func (c *awsClient) checkUnsigned(t *testing.T, s *server, _ client, bucket string) {
	key, data := "checksums/unsigned", payload("unsigned", 100*kib)
	_, err := c.s3.PutObject(context.Background(),
		&s3.PutObjectInput{Bucket: &bucket, Key: &key, Body: io.MultiReader(bytes.NewReader(data)), ContentLength: aws.Int64(int64(len(data)))},
		s3.WithAPIOptions(v4.SwapComputePayloadSHA256ForUnsignedPayloadMiddleware),
		func(o *s3.Options) { o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired })
	must(t, err)
	if got := c.sent.header("x-amz-content-sha256"); got != "UNSIGNED-PAYLOAD" {
		t.Errorf("unexpected payload mode; got %q", got)
	}
	checkRead(t, s, c, bucket, key, data)
}

// checkVirtualHost sends Host: bucket.localhost, without help from the resolver: Go dials what the test says.
func (c *awsClient) checkVirtualHost(t *testing.T, s *server, _ client, bucket string) {
	hosts := &hostRecorder{transport: http.Transport{
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, s.host)
		},
	}}
	defer hosts.transport.CloseIdleConnections()
	client := s3.New(s3.Options{
		Region:       region,
		BaseEndpoint: aws.String(strings.Replace(s.url, "127.0.0.1", "localhost", 1)),
		Credentials:  credentials.NewStaticCredentialsProvider(accessKey, secretKey, ""),
		Retryer:      aws.NopRetryer{},
		HTTPClient:   &http.Client{Transport: hosts},
	})
	key, data := "vhost/a b", payload("vhost", 5000)
	_, err := client.PutObject(context.Background(), &s3.PutObjectInput{Bucket: &bucket, Key: &key, Body: bytes.NewReader(data)})
	must(t, err)
	reply, err := client.GetObject(context.Background(), &s3.GetObjectInput{Bucket: &bucket, Key: &key})
	must(t, err)
	got, err := io.ReadAll(reply.Body)
	must(t, err)
	must(t, reply.Body.Close())
	same(t, got, s.expected(bucket, key, data), "virtual-hosted GET")
	checkRead(t, s, c, bucket, key, data)
	for _, host := range hosts.seen {
		if host != bucket+".localhost" {
			t.Errorf("unexpected host; got %s; want %s.localhost", host, bucket)
		}
	}
}

func (c *awsClient) checkConditions(t *testing.T, s *server, _ client, bucket string) {
	key := "conditions/k"
	etag, err := c.put(bucket, key, []byte("one"))
	must(t, err)
	put := func(input s3.PutObjectInput) string {
		input.Bucket, input.Key, input.Body = &bucket, &key, bytes.NewReader([]byte("two"))
		_, err := c.s3.PutObject(context.Background(), &input)
		var api smithy.APIError
		if errors.As(err, &api) {
			return api.ErrorCode()
		}
		must(t, err)
		return ""
	}
	f := func(what string, input s3.PutObjectInput, want string) {
		t.Helper()
		if got := put(input); got != want {
			t.Errorf("unexpected answer to a PUT with %s; got %q; want %q", what, got, want)
		}
	}
	f("If-None-Match: *", s3.PutObjectInput{IfNoneMatch: aws.String("*")}, "PreconditionFailed")
	f("a wrong If-Match", s3.PutObjectInput{IfMatch: aws.String(`"0123456789abcdef0123456789abcdef"`)}, "PreconditionFailed")
	f("the right If-Match", s3.PutObjectInput{IfMatch: &etag}, "")
	checkRead(t, s, c, bucket, key, []byte("two"))
}

// hostRecorder keeps the host of every request.
type hostRecorder struct {
	transport http.Transport
	seen      []string
}

// RoundTrip sends r on and keeps its host.
func (h *hostRecorder) RoundTrip(r *http.Request) (*http.Response, error) {
	h.seen = append(h.seen, r.URL.Hostname())
	return h.transport.RoundTrip(r)
}
