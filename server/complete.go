package server

import (
	"encoding/xml"
	"fmt"
	"time"

	"github.com/s3ultra/s3ultra/store"
)

// maxCompleteDocument fits 10,000 parts with the longest checksums, about
// 250 bytes each, twice over.
const maxCompleteDocument = 5 << 20

// completeRequest is the body of CompleteMultipartUpload.
type completeRequest struct {
	XMLName xml.Name `xml:"CompleteMultipartUpload"`
	Parts   []struct {
		PartNumber        int    `xml:"PartNumber"`
		ETag              string `xml:"ETag"`
		ChecksumCRC32     string `xml:"ChecksumCRC32"`
		ChecksumCRC32C    string `xml:"ChecksumCRC32C"`
		ChecksumCRC64NVME string `xml:"ChecksumCRC64NVME"`
		ChecksumSHA1      string `xml:"ChecksumSHA1"`
		ChecksumSHA256    string `xml:"ChecksumSHA256"`
	} `xml:"Part"`
}

// completeMultipartUpload is CompleteMultipartUpload. A repeated one gets the
// same answer, as long as the finished upload is remembered.
//
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_CompleteMultipartUpload.html
func (r *request) completeMultipartUpload() error {
	b, u, err := r.upload()
	if b == nil {
		return err
	}
	if err != nil {
		if o, ok := b.Completed(r.uploadID(), r.target.key); ok {
			return r.sendCompleted(&o)
		}
		return err
	}
	plan, err := r.planFraming()
	if err != nil {
		return err
	}
	text, err := r.receiveText(plan, maxCompleteDocument)
	if err != nil {
		return err
	}
	parts, err := parseComplete(text, checksumAlgorithm(u.Checksum.Algorithm))
	if err != nil {
		return err
	}
	size := int64(-1)
	if v := r.header("x-amz-mp-object-size"); len(v) > 0 {
		var ok bool
		if size, ok = parseSize(v); !ok {
			return errInvalidRequest.saying("Value for x-amz-mp-object-size header is invalid.")
		}
	}
	o, err := b.Complete(u, parts, store.CompleteOptions{
		Now:   r.modTime(),
		ETag:  r.srv.cfg.ETag,
		Check: r.writeCheck(),
		Checksum: func(parts []store.Part) (store.Checksum, error) {
			return r.joinChecksums(u, parts)
		},
		Size: size,
	})
	if err != nil {
		return err
	}
	r.account.initiated = time.UnixMilli(u.Initiated)
	return r.sendCompleted(&o)
}

// parseComplete reads the list of parts; alg picks the checksum that is
// compared with what was uploaded.
func parseComplete(text []byte, alg checksumAlgorithm) ([]store.CompletePart, error) {
	var req completeRequest
	if err := unmarshalXML(text, &req); err != nil {
		return nil, errMalformedXML.because(fmt.Errorf("cannot parse CompleteMultipartUpload: %w", err))
	}
	if n := len(req.Parts); n == 0 || n > maxChecksumParts {
		return nil, errMalformedXML.because(fmt.Errorf("%d parts, from 1 to %d are allowed", n, maxChecksumParts))
	}
	parts := make([]store.CompletePart, len(req.Parts))
	for i := range req.Parts {
		p := &req.Parts[i]
		etag, ok := store.ParseETag([]byte(p.ETag))
		if !ok {
			return nil, &store.InvalidPartError{Number: p.PartNumber}
		}
		parts[i] = store.CompletePart{Number: p.PartNumber, ETag: etag}
		value := map[checksumAlgorithm]string{
			checksumCRC32: p.ChecksumCRC32, checksumCRC32C: p.ChecksumCRC32C, checksumCRC64NVME: p.ChecksumCRC64NVME,
			checksumSHA1: p.ChecksumSHA1, checksumSHA256: p.ChecksumSHA256,
		}[alg]
		if value == "" {
			continue
		}
		sum, ok := decodeChecksum(alg, []byte(value))
		if !ok {
			return nil, &store.InvalidPartError{Number: p.PartNumber}
		}
		parts[i].Checksum = string(sum[:alg.size()])
	}
	return parts, nil
}

// joinChecksums computes the object's checksum from its parts' and compares
// it with the one that the request may carry.
func (r *request) joinChecksums(u *store.Upload, parts []store.Part) (store.Checksum, error) {
	alg := checksumAlgorithm(u.Checksum.Algorithm)
	if alg == checksumNone {
		return store.Checksum{}, nil
	}
	var join checksumJoin
	join.Reset(alg, u.Checksum.Composite)
	defer join.Release()
	for i := range parts {
		if !join.Add(parts[i].Checksum.Sum, parts[i].Size) {
			// A part whose checksum nobody computed (--verify-payload=false):
			// the object has none either.
			return store.Checksum{}, nil
		}
	}
	sum := join.Sum(nil)
	if v := r.header(alg.header()); len(v) > 0 {
		want, n, ok := decodeObjectChecksum(alg, v)
		if !ok || n > 0 && !u.Checksum.Composite {
			return store.Checksum{}, errInvalidRequest.saying("Value for " + alg.header() + " header is invalid.")
		}
		if string(want[:alg.size()]) != string(sum) || n > 0 && n != len(parts) {
			return store.Checksum{}, errBadDigest.saying("The " + alg.String() + " you specified did not match the calculated checksum.")
		}
	}
	return store.Checksum{Algorithm: uint8(alg), Composite: u.Checksum.Composite, Named: u.Checksum.Named, Sum: string(sum)}, nil
}

func (r *request) sendCompleted(o *store.Object) error {
	r.account.size = o.Size
	r.setNewVersionID(o.Version)
	doc := append([]byte(xmlHeader), "<CompleteMultipartUploadResult"+xmlNamespace+">"...)
	doc = append(doc, "<Location>http://"...)
	doc = appendEscaped(doc, r.ctx.Request.Header.Host())
	doc = append(doc, '/')
	doc = appendURLEncoded(doc, r.target.bucket)
	doc = append(doc, '/')
	doc = appendURLEncoded(doc, r.target.key)
	doc = append(doc, "</Location>"...)
	doc = appendElement(doc, "Bucket", r.target.bucket)
	doc = appendElement(doc, "Key", r.target.key)
	doc = appendElement(doc, "ETag", appendQuotedETag(nil, o.ETag))
	doc = appendChecksumElements(doc, o.Checksum, int(o.ETag.Parts))
	return r.sendXML(appendEnd(doc, "CompleteMultipartUploadResult"))
}
