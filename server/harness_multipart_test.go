package server_test

import (
	"encoding/xml"
	"fmt"
	"strings"
	"testing"
)

// newUpload starts a multipart upload and returns its id.
func (f *fixture) newUpload(t testing.TB, target string, header ...string) string {
	t.Helper()
	id := f.do(t, "POST", target+"?uploads", "", header...).want(200).element("UploadId")
	if id == "" {
		t.Fatalf("no upload id")
	}
	return id
}

// putPart uploads a part and returns its ETag.
func (f *fixture) putPart(t testing.TB, target, id string, number int, body string, header ...string) string {
	t.Helper()
	return f.do(t, "PUT", fmt.Sprintf("%s?partNumber=%d&uploadId=%s", target, number, id), body, header...).want(200).etag()
}

// partsResult is ListPartsResult.
type partsResult struct {
	XMLName                         xml.Name `xml:"ListPartsResult"`
	Bucket, Key, UploadId           string
	PartNumberMarker, MaxParts      int
	NextPartNumberMarker            int
	IsTruncated                     bool
	ChecksumAlgorithm, ChecksumType string
	StorageClass                    string
	Part                            []partEntry
}

type partEntry struct {
	PartNumber                                        int
	ETag, LastModified, ChecksumCRC32, ChecksumSHA256 string
	Size                                              int64
}

func (f *fixture) parts(t testing.TB, target, id, query string) partsResult {
	t.Helper()
	var doc partsResult
	f.do(t, "GET", target+"?uploadId="+id+query, "").parse(&doc)
	return doc
}

// listed is one part in the body of Complete.
type listed struct {
	number int
	etag   string
	more   string // further XML elements
}

func completeBody(parts ...listed) string {
	var b strings.Builder
	b.WriteString(`<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">`)
	for _, p := range parts {
		fmt.Fprintf(&b, "<Part><ETag>%s</ETag><PartNumber>%d</PartNumber>%s</Part>", xmlText(p.etag), p.number, p.more)
	}
	b.WriteString("</CompleteMultipartUpload>")
	return b.String()
}

func (f *fixture) complete(t testing.TB, target, id string, parts []listed, header ...string) *reply {
	t.Helper()
	return f.do(t, "POST", target+"?uploadId="+id, completeBody(parts...), header...)
}

// multipart stores an object in parts and returns the reply of Complete.
func (f *fixture) multipart(t testing.TB, target string, bodies []string, header ...string) *reply {
	t.Helper()
	id := f.newUpload(t, target, header...)
	var parts []listed
	for i, body := range bodies {
		parts = append(parts, listed{number: i + 1, etag: f.putPart(t, target, id, i+1, body)})
	}
	return f.complete(t, target, id, parts).want(200)
}

func deleteBody(quiet bool, keys ...string) string {
	var b strings.Builder
	b.WriteString(`<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/">`)
	if quiet {
		b.WriteString("<Quiet>true</Quiet>")
	}
	for _, k := range keys {
		fmt.Fprintf(&b, "<Object><Key>%s</Key></Object>", xmlText(k))
	}
	b.WriteString("</Delete>")
	return b.String()
}

// deleteResult is the reply of DeleteObjects.
type deleteResult struct {
	XMLName xml.Name `xml:"DeleteResult"`
	Deleted []struct{ Key, VersionId string }
	Error   []struct{ Key, VersionId, Code, Message string }
}
