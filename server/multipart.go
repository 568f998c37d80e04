package server

import (
	"errors"
	"fmt"

	"github.com/s3ultra/s3ultra/store"
	"github.com/s3ultra/s3ultra/synth"
)

// createMultipartUpload is CreateMultipartUpload.
//
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateMultipartUpload.html
func (r *request) createMultipartUpload() error {
	b, err := r.bucket()
	if err != nil {
		return err
	}
	if err := r.checkWriteHeaders(); err != nil {
		return err
	}
	if err := r.writeMetadata(); err != nil {
		return err
	}
	sum, err := r.uploadChecksum()
	if err != nil {
		return err
	}
	u, err := b.CreateUpload(r.target.key, viewString(r.meta), sum, r.now)
	if err != nil {
		return err
	}
	if alg := checksumAlgorithm(sum.Algorithm); alg != checksumNone {
		h := &r.ctx.Response.Header
		h.SetCanonical(nameChecksumAlgoName, []byte(alg.String()))
		h.SetCanonical(nameChecksumType, []byte(checksumTypeName(sum.Composite)))
	}
	doc := append([]byte(xmlHeader), "<InitiateMultipartUploadResult"+xmlNamespace+">"...)
	doc = appendElement(doc, "Bucket", r.target.bucket)
	doc = appendElement(doc, "Key", r.target.key)
	doc = appendElement(doc, "UploadId", u.ID)
	return r.sendXML(appendEnd(doc, "InitiateMultipartUploadResult"))
}

// uploadChecksum reads the checksum algorithm and type of a new upload.
func (r *request) uploadChecksum() (store.Checksum, error) {
	name, kind := r.header("x-amz-checksum-algorithm"), r.header("x-amz-checksum-type")
	if len(name) == 0 {
		if len(kind) > 0 {
			return store.Checksum{}, errInvalidRequest.saying("The x-amz-checksum-type header can only be used with the x-amz-checksum-algorithm header.")
		}
		return store.Checksum{}, nil
	}
	alg, ok := parseChecksumAlgorithm(name)
	if !ok {
		return store.Checksum{}, errInvalidRequest.saying(unknownChecksum)
	}
	sum := store.Checksum{Algorithm: uint8(alg), Composite: alg.defaultComposite()}
	if len(kind) == 0 {
		return sum, nil
	}
	sum.Named = true
	if sum.Composite, ok = parseChecksumType(kind); !ok {
		return sum, errInvalidRequest.saying("Value for x-amz-checksum-type header is invalid.")
	}
	if !checksumTypeAllowed(alg, sum.Composite) {
		return sum, errInvalidRequest.saying(fmt.Sprintf("The %s checksum type cannot be used with the %s checksum algorithm.", checksumTypeName(sum.Composite), alg))
	}
	return sum, nil
}

// upload returns the bucket and the open upload that the request names.
func (r *request) upload() (*store.Bucket, *store.Upload, error) {
	b, err := r.bucket()
	if err != nil {
		return nil, nil, err
	}
	u, err := b.Upload(r.uploadID(), r.target.key)
	if err != nil {
		return b, nil, errNoSuchUpload.with("UploadId", string(r.uploadID())).because(err)
	}
	return b, u, nil
}

// checkUploadPart decides from the headers whether UploadPart may go ahead.
//
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_UploadPart.html
func (r *request) checkUploadPart() error {
	b, u, err := r.upload()
	if err != nil {
		return err
	}
	number, _ := r.target.param("partNumber")
	if r.part, err = parsePartNumber(number); err != nil {
		return err
	}
	if err := r.checkUpload(b); err != nil {
		return err
	}
	p := &r.plan
	alg := checksumAlgorithm(u.Checksum.Algorithm)
	switch {
	case alg == checksumNone || p.algorithm == alg:
	case p.algorithm == checksumNone:
		p.algorithm, p.compute = alg, true
	default:
		return errInvalidRequest.saying(fmt.Sprintf("Checksum Type mismatch occurred, expected checksum Type: %s, actual checksum Type: %s", alg, p.algorithm))
	}
	return nil
}

// uploadPart is UploadPart.
func (r *request) uploadPart() error {
	b, u, err := r.upload()
	if err != nil {
		return err
	}
	w, err := r.srv.store.NewWriter(b.Mode(), r.plan.size)
	if err != nil {
		return err
	}
	got, err := r.receive(&r.plan, w, r.wantsMD5(b, r.plan.size) || needsPartMD5(u))
	if err == nil && got.size > maxPutSize {
		err = errEntityTooLarge
	}
	if err != nil {
		w.Abort()
		return err
	}
	p := r.newPart(u, r.part, got, w)
	if err := putPart(b, u, p); err != nil {
		return err
	}
	r.setETag(p.ETag)
	r.setChecksum(got.checksum, 0)
	return r.sendNothing(200)
}

// needsPartMD5 tells whether parts are hashed although their bytes are not
// kept: an upload that asked for a SHA digest pays for one already, and gets
// AWS's own ETag for it.
func needsPartMD5(u *store.Upload) bool {
	alg := checksumAlgorithm(u.Checksum.Algorithm)
	return alg == checksumSHA1 || alg == checksumSHA256
}

// newPart makes the part that a finished body is.
func (r *request) newPart(u *store.Upload, number int, got received, w *store.Writer) store.Part {
	p := store.Part{
		Number:   number,
		Size:     got.size,
		ModTime:  r.modTime().UnixMilli(),
		Checksum: got.checksum,
		Data:     w.Finish(),
	}
	switch {
	case got.hasMD5:
		p.ETag, p.TrueMD5 = store.ETag{Sum: got.md5}, true
	case p.Data != nil:
		p.ETag = store.ETag{Sum: r.srv.store.UniqueETag(1).Sum}
	default:
		// Parts of one upload differ by number, so that a list of parts that
		// confuses two is noticed. No client compares it with an MD5.
		content := synth.Hash(uint64(number), r.target.bucket, r.target.key)
		p.ETag = store.ETag{Sum: store.DeriveETag(content, got.size, 1).Sum}
	}
	return p
}

func putPart(b *store.Bucket, u *store.Upload, p store.Part) error {
	if err := b.PutPart(u, p); err != nil {
		if p.Data != nil {
			p.Data.Release()
		}
		return err
	}
	return nil
}

// uploadPartCopy is UploadPartCopy.
//
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_UploadPartCopy.html
func (r *request) uploadPartCopy() error {
	b, u, err := r.upload()
	if err != nil {
		return err
	}
	text, _ := r.target.param("partNumber")
	number, err := parsePartNumber(text)
	if err != nil {
		return err
	}
	o := &r.object
	if _, err := r.openSource(o); err != nil {
		return err
	}
	br := byteRange{0, o.Size}
	if v := r.header("x-amz-copy-source-range"); len(v) > 0 {
		if br, err = parseCopyRange(v, o.Size); err != nil {
			return err
		}
	}
	if br.n > maxPutSize {
		return errInvalidRequest.saying("The specified copy source is larger than the maximum allowable size for a copy source: 5368709120")
	}
	got, w, err := r.copyBytes(b, u, o, br)
	if err != nil {
		return err
	}
	p := r.newPart(u, number, got, w)
	if o.Data == nil {
		p.Copied, p.Content, p.Offset = true, o.Content, br.off
	}
	if err := putPart(b, u, p); err != nil {
		return err
	}
	doc := append([]byte(xmlHeader), "<CopyPartResult"+xmlNamespace+">"...)
	doc = appendTimeElement(doc, "LastModified", p.ModTime)
	doc = appendElement(doc, "ETag", appendQuotedETag(nil, p.ETag))
	if alg := checksumAlgorithm(p.Checksum.Algorithm); alg != checksumNone {
		doc = appendElement(doc, alg.element(), appendChecksum(nil, p.Checksum.Sum))
	}
	return r.sendXML(appendEnd(doc, "CopyPartResult"))
}

// copyBytes brings a range of o into a writer of b, with the digests that a
// part of u has. Bytes that b would drop are not even generated, unless u
// asked for a digest of them.
func (r *request) copyBytes(b *store.Bucket, u *store.Upload, o *store.Object, br byteRange) (received, *store.Writer, error) {
	w, err := r.srv.store.NewWriter(b.Mode(), br.n)
	if err != nil {
		return received{}, nil, err
	}
	got := received{size: br.n}
	wantMD5 := r.wantsMD5(b, br.n) || needsPartMD5(u)
	alg := checksumAlgorithm(u.Checksum.Algorithm)
	var md5, sum digest
	defer md5.Release()
	defer sum.Release()
	if wantMD5 {
		md5.Reset(checksumMD5)
	}
	sum.Reset(alg)
	if o.Data != nil {
		o.Data.Retain()
	}
	body := newObjectBody(r.srv, *o, br)
	defer body.close()
	if !wantMD5 && alg == checksumNone && b.Mode() == store.Synth && br.n >= r.srv.cfg.KeepSmall {
		// One Advance per block keeps the count an int on 32-bit machines.
		for left := br.n; left > 0 && err == nil; left -= min(left, replyBlock) {
			err = w.Advance(int(min(left, replyBlock)))
		}
	} else {
		err = body.each(func(block []byte) error {
			md5.Write(block)
			sum.Write(block)
			_, err := w.Write(block)
			return err
		})
	}
	if err != nil {
		w.Abort()
		return received{}, nil, err
	}
	if wantMD5 {
		got.hasMD5 = true
		md5.Sum(got.md5[:0])
	}
	if alg != checksumNone {
		got.checksum = store.Checksum{Algorithm: uint8(alg), Sum: string(sum.Sum(nil))}
	}
	return got, w, nil
}

// abortMultipartUpload is AbortMultipartUpload.
//
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_AbortMultipartUpload.html
func (r *request) abortMultipartUpload() error {
	b, u, err := r.upload()
	if err != nil {
		return err
	}
	if err := b.Abort(u); err != nil && !errors.Is(err, store.ErrNoSuchUpload) {
		return err
	}
	return r.sendNothing(204)
}
