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
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// minioClient is minio-go, under warp and many servers' own tools. Over http it signs every chunk of an upload.
type minioClient struct {
	s3   *minio.Client
	sent *recorder
}

func newMinio(t *testing.T, s *server) *minioClient {
	c := &minioClient{sent: &recorder{}}
	c.s3 = c.dial(t, s, minio.Options{})
	return c
}

// dial returns a client that does not retry.
func (c *minioClient) dial(t *testing.T, s *server, o minio.Options) *minio.Client {
	t.Helper()
	o.Creds = credentials.NewStaticV4(accessKey, secretKey, "")
	o.Transport = c.sent
	o.MaxRetries = 1
	s3, err := minio.New(s.host, &o)
	must(t, err)
	return s3
}

func (c *minioClient) name() string    { return "minio-go" }
func (c *minioClient) version() string { return moduleVersion("github.com/minio/minio-go/v7") }

// plain turns the client's errors into the suite's.
func (c *minioClient) plain(err error) error {
	switch minio.ToErrorResponse(err).Code {
	case minio.NoSuchKey, minio.NoSuchBucket:
		return errMissing
	case "InvalidRange":
		return errRange
	}
	return err
}

func (c *minioClient) bucketExists(bucket string) (bool, error) {
	exists, err := c.s3.BucketExists(context.Background(), bucket)
	if err != nil || !exists {
		return false, err
	}
	all, err := c.s3.ListBuckets(context.Background())
	if err != nil {
		return false, err
	}
	for _, b := range all {
		if b.Name == bucket {
			return true, nil
		}
	}
	return false, errors.New("ListBuckets lacks a bucket that BucketExists finds")
}

func (c *minioClient) createBucket(bucket string) error {
	return c.s3.MakeBucket(context.Background(), bucket, minio.MakeBucketOptions{})
}

func (c *minioClient) deleteBucket(bucket string) error {
	return c.s3.RemoveBucket(context.Background(), bucket)
}

func (c *minioClient) put(bucket, key string, data []byte) (string, error) {
	info, err := c.s3.PutObject(context.Background(), bucket, key, bytes.NewReader(data), int64(len(data)), minio.PutObjectOptions{})
	return info.ETag, err
}

func (c *minioClient) get(bucket, key string) ([]byte, string, error) {
	return c.read(bucket, key, minio.GetObjectOptions{})
}

func (c *minioClient) read(bucket, key string, o minio.GetObjectOptions) ([]byte, string, error) {
	core := minio.Core{Client: c.s3}
	body, info, _, err := core.GetObject(context.Background(), bucket, key, o)
	if err != nil {
		return nil, "", c.plain(err)
	}
	defer body.Close()
	data, err := io.ReadAll(body)
	return data, info.ETag, err
}

func (c *minioClient) getRange(bucket, key string, from, to int) ([]byte, error) {
	var o minio.GetObjectOptions
	var err error
	if from < 0 {
		err = o.SetRange(0, int64(from))
	} else {
		err = o.SetRange(int64(from), int64(to-1))
	}
	if err != nil {
		return nil, err
	}
	data, _, err := c.read(bucket, key, o)
	return data, err
}

func (c *minioClient) head(bucket, key string) (entry, error) {
	info, err := c.s3.StatObject(context.Background(), bucket, key, minio.StatObjectOptions{})
	if err != nil {
		return entry{}, c.plain(err)
	}
	return entry{key, info.Size, info.ETag}, nil
}

func (c *minioClient) remove(bucket, key string) error {
	return c.s3.RemoveObject(context.Background(), bucket, key, minio.RemoveObjectOptions{})
}

func (c *minioClient) list(bucket, prefix, delimiter string) (entries []entry, prefixes []string, err error) {
	// minio-go knows one delimiter, "/", and calls its absence recursive. It lists what ends in "/" as a prefix.
	o := minio.ListObjectsOptions{Prefix: prefix, Recursive: delimiter == ""}
	for info := range c.s3.ListObjects(context.Background(), bucket, o) {
		if info.Err != nil {
			return nil, nil, info.Err
		}
		if strings.HasSuffix(info.Key, "/") {
			prefixes = append(prefixes, info.Key)
			continue
		}
		entries = append(entries, entry{info.Key, info.Size, info.ETag})
	}
	return entries, prefixes, nil
}

func (c *minioClient) copyObject(bucket, source, target string) error {
	_, err := c.s3.CopyObject(context.Background(),
		minio.CopyDestOptions{Bucket: bucket, Object: target}, minio.CopySrcOptions{Bucket: bucket, Object: source})
	return err
}

func (c *minioClient) removeMany(bucket string, keys []string) error {
	objects := make(chan minio.ObjectInfo, len(keys))
	for _, key := range keys {
		objects <- minio.ObjectInfo{Key: key}
	}
	close(objects)
	for failed := range c.s3.RemoveObjects(context.Background(), bucket, objects, minio.RemoveObjectsOptions{}) {
		return fmt.Errorf("cannot remove %s: %w", failed.ObjectName, failed.Err)
	}
	return nil
}

func (c *minioClient) putMultipart(bucket, key string, data []byte) (string, error) {
	info, err := c.s3.PutObject(context.Background(), bucket, key, bytes.NewReader(data), int64(len(data)),
		minio.PutObjectOptions{PartSize: part, NumThreads: 3})
	return info.ETag, err
}

func (c *minioClient) presign(bucket, key, method string) (string, error) {
	var link *url.URL
	var err error
	if method == http.MethodPut {
		link, err = c.s3.PresignedPutObject(context.Background(), bucket, key, time.Minute)
	} else {
		link, err = c.s3.PresignedGetObject(context.Background(), bucket, key, time.Minute, nil)
	}
	if err != nil {
		return "", err
	}
	return link.String(), nil
}

func (c *minioClient) more() []check {
	return []check{
		{"multipart: unknown length", c.checkUnknownLength},
		{"copy: compose", c.checkCompose},
		{"list: version 1", c.checkListV1},
		{"checksums: default", c.checkDefault},
		{"checksums: each algorithm", c.checkAlgorithms},
		{"checksums: unsigned payload", c.checkUnsigned},
		{"bucket: warp's probes", c.checkProbes},
	}
}

func (c *minioClient) checkUnknownLength(t *testing.T, s *server, _ client, bucket string) {
	key, data := "multipart/stream", payload("stream", part+5)
	_, err := c.s3.PutObject(context.Background(), bucket, key, io.MultiReader(bytes.NewReader(data)), -1, minio.PutObjectOptions{PartSize: part})
	must(t, err)
	checkRead(t, s, c, bucket, key, data)
}

// checkCompose joins two objects by UploadPartCopy.
func (c *minioClient) checkCompose(t *testing.T, s *server, _ client, bucket string) {
	first, second := payload("first", big), payload("second", 1000)
	_, err := c.put(bucket, "compose/1", first)
	must(t, err)
	_, err = c.put(bucket, "compose/2", second)
	must(t, err)
	_, err = c.s3.ComposeObject(context.Background(), minio.CopyDestOptions{Bucket: bucket, Object: "compose/both"},
		minio.CopySrcOptions{Bucket: bucket, Object: "compose/1"}, minio.CopySrcOptions{Bucket: bucket, Object: "compose/2"})
	must(t, err)
	got, _, err := c.get(bucket, "compose/both")
	must(t, err)
	if len(got) != big+1000 {
		t.Errorf("unexpected size of the joined object; got %d; want %d", len(got), big+1000)
	}
	if s.mode == "memory" {
		same(t, got, append(first, second...), "joined object")
	}
}

func (c *minioClient) checkListV1(t *testing.T, s *server, _ client, _ string) {
	count := 0
	for info := range c.s3.ListObjects(context.Background(), s.bucket("listing"), minio.ListObjectsOptions{Recursive: true, UseV1: true, MaxKeys: 300}) {
		must(t, info.Err)
		count++
	}
	if count != len(listingKeys()) {
		t.Errorf("unexpected count of keys; got %d; want %d", count, len(listingKeys()))
	}
}

// checkDefault: signed chunks of 64 KiB, which must not end up in the object.
func (c *minioClient) checkDefault(t *testing.T, s *server, _ client, bucket string) {
	key, data := "checksums/default", payload("default", 1*mib)
	_, err := c.put(bucket, key, data)
	must(t, err)
	if got := c.sent.header("x-amz-content-sha256"); got != "STREAMING-AWS4-HMAC-SHA256-PAYLOAD" {
		t.Errorf("unexpected payload mode; got %q", got)
	}
	checkRead(t, s, c, bucket, key, data)
}

// checkAlgorithms: a checksum in a signed trailer, by part and whole.
func (c *minioClient) checkAlgorithms(t *testing.T, s *server, _ client, bucket string) {
	s3 := c.dial(t, s, minio.Options{TrailingHeaders: true})
	for _, sum := range []minio.ChecksumType{
		minio.ChecksumCRC32, minio.ChecksumCRC32C, minio.ChecksumSHA1, minio.ChecksumSHA256, minio.ChecksumCRC64NVME,
		minio.ChecksumFullObjectCRC32, minio.ChecksumFullObjectCRC32C,
	} {
		f := func(size int) {
			t.Helper()
			key := fmt.Sprintf("checksums/%v %d", sum, size)
			data := payload(key, size)
			info, err := s3.PutObject(context.Background(), bucket, key, bytes.NewReader(data), int64(size),
				minio.PutObjectOptions{Checksum: sum, PartSize: part})
			if err != nil {
				t.Errorf("cannot put %s: %v", key, err)
				return
			}
			if size <= part {
				if got := c.sent.header("x-amz-content-sha256"); got != "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER" {
					t.Errorf("unexpected payload mode; got %q", got)
				}
				s.checkETag(t, info.ETag, data, 0)
			} else {
				s.checkETag(t, info.ETag, data, part)
			}
			checkRead(t, s, c, bucket, key, data)
		}
		f(200 * kib)
		f(part + mib)
	}
}

// checkUnsigned: UNSIGNED-PAYLOAD over http with a Content-MD5.
func (c *minioClient) checkUnsigned(t *testing.T, s *server, _ client, bucket string) {
	key, data := "checksums/unsigned", payload("unsigned", 100*kib)
	_, err := c.s3.PutObject(context.Background(), bucket, key, bytes.NewReader(data), int64(len(data)),
		minio.PutObjectOptions{DisableContentSha256: true, SendContentMd5: true})
	must(t, err)
	if got := c.sent.header("x-amz-content-sha256"); got != "UNSIGNED-PAYLOAD" {
		t.Errorf("unexpected payload mode; got %q", got)
	}
	checkRead(t, s, c, bucket, key, data)
}

// checkProbes are the calls that warp makes at its start.
func (c *minioClient) checkProbes(t *testing.T, _ *server, _ client, bucket string) {
	if _, _, _, err := c.s3.GetBucketObjectLockConfig(context.Background(), bucket); minio.ToErrorResponse(err).Code != "ObjectLockConfigurationNotFoundError" {
		t.Errorf("unexpected answer to ?object-lock; got %v; want ObjectLockConfigurationNotFoundError", err)
	}
	versioning, err := c.s3.GetBucketVersioning(context.Background(), bucket)
	must(t, err)
	if versioning.Status != "" {
		t.Errorf("unexpected versioning status; got %q; want none", versioning.Status)
	}
	location, err := c.s3.GetBucketLocation(context.Background(), bucket)
	must(t, err)
	if location != region {
		t.Errorf("unexpected location; got %q; want %q", location, region)
	}
}
