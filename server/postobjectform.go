package server

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"strings"

	"github.com/s3ultra/s3ultra/sigv4"
)

const (
	// maxFormFields is the most bytes that the names and values of the fields
	// before the file may take together.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/RESTObjectPOST.html
	maxFormFields = 20 << 10
	// maxFormFraming bounds all that is read before the file or, apart from the
	// content of ignored parts, after it: fields, boundaries and part headers.
	// Python's requests spends 150 bytes of framing on a field, so this has room
	// for 300 of them, and mime/multipart, whose own limit for the headers of a
	// part is 10 MiB, cannot take more either.
	maxFormFraming = 64 << 10
	// maxBoundary is the longest boundary. Source: RFC 2046 section 5.1.1.
	maxBoundary = 70
)

// Names of form fields, lower case.
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-HTTPPOSTForms.html
const (
	fieldFile        = "file"
	fieldKey         = "key"
	fieldBucket      = "bucket" // names the bucket in policies only
	fieldPolicy      = "policy"
	fieldAlgorithm   = "x-amz-algorithm"
	fieldCredential  = "x-amz-credential"
	fieldDate        = "x-amz-date"
	fieldSignature   = "x-amz-signature"
	fieldAccessKeyV2 = "awsaccesskeyid"
	fieldSignatureV2 = "signature"
	fieldTagging     = "tagging"
	fieldStatus      = "success_action_status"
	fieldRedirect    = "success_action_redirect"
	fieldRedirectOld = "redirect"

	ignoredFieldPrefix = "x-ignore-"
	// filenameVariable in a field stands for the name of the file.
	filenameVariable = "${filename}"
)

// postForm is a multipart/form-data body that is read up to the content of its
// file: S3 wants the file last and ignores the fields after it.
type postForm struct {
	// fields are those before the file, in order, no name twice; the names are
	// in lower case and filenameVariable is replaced in the values.
	fields []sigv4.Field
	file   *multipart.Part // the file's bytes, to be read to their end before finish

	reader *multipart.Reader
	body   formBody
}

// formBoundary returns the boundary that a Content-Type header declares for a
// form; ok is false when it declares no form or a boundary that cannot be.
func formBoundary(contentType []byte) (boundary string, ok bool) {
	kind, params, err := mime.ParseMediaType(string(contentType))
	boundary = params["boundary"]
	return boundary, err == nil && kind == "multipart/form-data" && boundary != "" && len(boundary) <= maxBoundary
}

// readPostForm reads the fields of the form in src. size is the length of src
// in bytes, -1 if unknown; scratch is in use until the form is no longer.
// Errors: errMalformedPOSTRequest, errIncompleteBody, errMaxPostPreData,
// errInvalidArgument.
func readPostForm(src io.Reader, boundary string, size int64, scratch []byte) (*postForm, error) {
	f := &postForm{body: formBody{src: src, size: size, scratch: scratch, budget: maxFormFraming}}
	f.reader = multipart.NewReader(&f.body, boundary)
	total := 0
	for {
		part, err := f.reader.NextRawPart()
		if err != nil {
			return nil, f.broken(err)
		}
		name, filename, err := partNames(part)
		if err != nil {
			return nil, err
		}
		if name == fieldFile {
			f.file = part
			f.body.budget = unlimited
			return f, f.expand(filename, total)
		}
		total += len(name)
		if total > maxFormFields {
			return nil, errMaxPostPreData
		}
		value, err := io.ReadAll(io.LimitReader(part, int64(maxFormFields-total+1)))
		if err != nil {
			return nil, f.broken(err)
		}
		if total += len(value); total > maxFormFields {
			return nil, errMaxPostPreData
		}
		// Which of two values counts would be a matter of taste, and a policy
		// could be checked against the other one.
		if _, twice := f.get(name); twice && !strings.HasPrefix(name, ignoredFieldPrefix) {
			return nil, invalidArgument(name, string(value), "The form has the field '"+name+"' more than once.")
		}
		f.fields = append(f.fields, sigv4.Field{Name: []byte(name), Value: value})
	}
}

// partNames returns the name of a part in lower case and the file name without
// its path. Clients give every field a file name (Python's requests does), so
// that does not make a part a file.
func partNames(part *multipart.Part) (name, filename string, err error) {
	kind, params, err := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	if err != nil || kind != "form-data" || params["name"] == "" {
		return "", "", errMalformedPOSTRequest.because(fmt.Errorf("part with Content-Disposition %q", part.Header.Get("Content-Disposition")))
	}
	filename = params["filename"]
	// Old browsers send the whole path; S3 cuts at either slash.
	filename = filename[strings.LastIndexAny(filename, `/\`)+1:]
	return string(appendLower(nil, params["name"])), filename, nil
}

// expand replaces filenameVariable in every field but the signed text. total is
// the size of the fields so far, to which maxFormFields applies afterwards too.
func (f *postForm) expand(filename string, total int) error {
	for i := range f.fields {
		field := &f.fields[i]
		if name := string(field.Name); name == fieldPolicy || name == fieldSignature || name == fieldSignatureV2 {
			continue
		}
		n := bytes.Count(field.Value, []byte(filenameVariable))
		if n == 0 {
			continue
		}
		// Checked before any memory is taken: a value of nothing but variables
		// would grow a thousandfold.
		if total += n * (len(filename) - len(filenameVariable)); total > maxFormFields {
			return errMaxPostPreData
		}
		field.Value = bytes.ReplaceAll(field.Value, []byte(filenameVariable), []byte(filename))
	}
	return nil
}

// get returns the value of a field by its lower-case name.
func (f *postForm) get(name string) ([]byte, bool) {
	for i := range f.fields {
		if string(f.fields[i].Name) == name {
			return f.fields[i].Value, true
		}
	}
	return nil, false
}

// value is get for a field that may as well be empty.
func (f *postForm) value(name string) []byte {
	v, _ := f.get(name)
	return v
}

// finish reads what follows the file. It fails unless the form ends with its
// final boundary and the body with its declared size: only then is the file
// known to be whole.
func (f *postForm) finish() error {
	for {
		f.body.budget = maxFormFraming
		part, err := f.reader.NextRawPart()
		// The final boundary, see formBody.
		if err == io.EOF {
			break
		}
		if err != nil {
			return f.broken(err)
		}
		f.body.budget = unlimited
		if name, _, err := partNames(part); err == nil && name == fieldFile {
			return wrongFileCount(2)
		}
		if _, err := io.Copy(io.Discard, part); err != nil {
			return f.broken(err)
		}
	}
	if err := f.body.skip(); err != nil {
		return f.broken(err)
	}
	if f.body.size >= 0 && f.body.count != f.body.size {
		return f.broken(io.ErrUnexpectedEOF)
	}
	return nil
}

// wrongFileCount refuses a form that has not one file but n.
func wrongFileCount(n int) error {
	return invalidArgument(fieldFile, itoa(n), "POST requires exactly one file upload per request.")
}

// broken gives an error of the multipart reader its S3 meaning: a body that is
// shorter than declared or whose connection fails is incomplete, any other is
// not a form, or one without a file.
func (f *postForm) broken(err error) error {
	var api *apiError
	b := &f.body
	switch {
	case errors.As(err, &api):
		return err
	case b.err != nil && b.err != io.EOF, b.err == io.EOF && b.size >= 0 && b.count < b.size:
		return errIncompleteBody.because(fmt.Errorf("cannot read the form after %d bytes: %w", b.count, err))
	case err == io.EOF && f.file == nil:
		return wrongFileCount(0)
	}
	return errMalformedPOSTRequest.because(fmt.Errorf("cannot read the form: %w", err))
}

// unlimited is the budget of a file's content.
const unlimited = -1

// formBody is the body of a form. It reads the connection in large blocks,
// where mime/multipart asks for 4 KiB at a time.
//
// It never reports io.EOF. mime/multipart returns that for a final boundary, but
// also when the body ends after a boundary that opens a part: only with another
// error at the end of the body does io.EOF mean the final boundary. A line break
// is added to the body because without one, too, mime/multipart expects io.EOF.
type formBody struct {
	src     io.Reader
	size    int64 // declared, -1 if unknown
	count   int64 // bytes read from src
	err     error // of src
	ended   bool  // the line break is added
	scratch []byte
	ready   []byte // read and not handed out
	budget  int    // bytes that may still be handed out, or unlimited
}

// Read is io.Reader's; errMaxPostPreData when the budget is spent,
// io.ErrUnexpectedEOF at the end.
func (b *formBody) Read(p []byte) (int, error) {
	if len(b.ready) == 0 {
		if err := b.fill(); err != nil {
			return 0, err
		}
	}
	if b.budget == 0 {
		return 0, errMaxPostPreData
	}
	n := copy(p, b.ready)
	if b.budget != unlimited {
		n = min(n, b.budget)
		b.budget -= n
	}
	b.ready = b.ready[n:]
	return n, nil
}

// fill reads the next block into ready.
func (b *formBody) fill() error {
	if b.err == nil {
		var n int
		n, b.err = b.src.Read(b.scratch)
		b.count += int64(n)
		if b.ready = b.scratch[:n]; n > 0 {
			return nil
		}
		if b.err == nil {
			b.err = io.EOF
		}
	}
	switch {
	case b.err != io.EOF:
		return b.err
	case b.ended:
		return io.ErrUnexpectedEOF
	}
	b.ended = true
	b.ready = []byte("\r\n")
	return nil
}

// skip reads the body to its end.
func (b *formBody) skip() error {
	for !b.ended {
		if err := b.fill(); err != nil {
			return err
		}
	}
	return nil
}
