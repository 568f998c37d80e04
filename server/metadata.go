package server

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/s3ultra/s3ultra/sigv4"
)

// Object metadata is kept as one string that the store does not look into: a
// byte of flags, then for each header its name and its value, each after its
// length in two bytes, in the order received. The empty string is an object
// without any.

const (
	// metaHasStorageClass tells lists, which read nothing else, to look for
	// x-amz-storage-class.
	metaHasStorageClass = 1 << iota
)

// maxUserMetadata is the most bytes that the names and values of x-amz-meta-
// headers may take together.
// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/UsingMetadata.html
const maxUserMetadata = 2 << 10

const (
	userMetadataPrefix = "x-amz-meta-"
	storageClassHeader = "x-amz-storage-class"
	defaultClass       = "STANDARD"
)

// storageClasses are the classes that a write may name.
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObject.html
var storageClasses = map[string]bool{
	"STANDARD": true, "REDUCED_REDUNDANCY": true, "STANDARD_IA": true, "ONEZONE_IA": true,
	"INTELLIGENT_TIERING": true, "GLACIER": true, "DEEP_ARCHIVE": true, "OUTPOSTS": true,
	"GLACIER_IR": true, "SNOW": true, "EXPRESS_ONEZONE": true,
}

// keptHeaders are the system-defined headers that an object keeps from its
// write and returns on reads, by lower-case name, with their names on the wire.
var keptHeaders = map[string]string{
	"cache-control":                   "Cache-Control",
	"content-disposition":             "Content-Disposition",
	"content-encoding":                "Content-Encoding",
	"content-language":                "Content-Language",
	"content-type":                    "Content-Type",
	"expires":                         "Expires",
	"x-amz-website-redirect-location": "x-amz-website-redirect-location",
}

// appendMetadata appends the metadata that the headers of a write carry.
// Errors: errMetadataTooLarge, errInvalidStorageClass.
func appendMetadata(dst []byte, fields []sigv4.Field) ([]byte, error) {
	start := len(dst)
	dst = append(dst, 0)
	var lower [64]byte
	user := 0
	for i := range fields {
		f, repeated := joinRepeats(fields, i)
		if repeated {
			continue
		}
		if len(f.Name) > len(userMetadataPrefix) && equalFold(f.Name[:len(userMetadataPrefix)], userMetadataPrefix) {
			// The prefix is not counted, as AWS does.
			user += len(f.Name) - len(userMetadataPrefix) + len(f.Value)
			if user > maxUserMetadata {
				return dst, errMetadataTooLarge.
					with("Size", itoa(user)).with("MaxSizeAllowed", itoa(maxUserMetadata))
			}
			dst = appendMetaHeader(dst, appendLower(nil, string(f.Name)), f.Value)
			continue
		}
		if len(f.Name) > len(lower) {
			continue
		}
		name := lower[:0]
		for _, c := range f.Name {
			name = append(name, lowerByte(c))
		}
		if string(name) == storageClassHeader && string(f.Value) != defaultClass {
			if !storageClasses[string(f.Value)] {
				return dst, errInvalidStorageClass.with("StorageClassRequested", string(f.Value))
			}
			dst[start] |= metaHasStorageClass
			dst = appendMetaHeader(dst, name, f.Value)
			continue
		}
		wire, kept := keptHeaders[string(name)]
		value := f.Value
		if !kept || len(value) == 0 || len(value) > readBufferSize {
			continue
		}
		if wire == "Content-Encoding" {
			if value = withoutAWSChunked(value); len(value) == 0 {
				continue
			}
		}
		dst = appendMetaHeader(dst, []byte(wire), value)
	}
	if len(dst) == start+1 {
		return dst[:start], nil
	}
	return dst, nil
}

// joinRepeats returns field i with the values of later fields of its name
// joined to its own (RFC 9110 section 5.3), or repeated if it is a later one.
func joinRepeats(fields []sigv4.Field, i int) (f sigv4.Field, repeated bool) {
	f = fields[i]
	for j := range fields {
		if j == i || len(fields[j].Name) != len(f.Name) || !bytes.EqualFold(fields[j].Name, f.Name) {
			continue
		}
		if j < i {
			return f, true
		}
		f.Value = bytes.Join([][]byte{f.Value, fields[j].Value}, []byte{','})
	}
	return f, false
}

func appendMetaHeader(dst, name, value []byte) []byte {
	dst = binary.LittleEndian.AppendUint16(dst, uint16(len(name)))
	dst = append(dst, name...)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(len(value)))
	return append(dst, value...)
}

// withoutAWSChunked removes the aws-chunked token from a Content-Encoding: it
// describes the upload's framing, not the object.
func withoutAWSChunked(value []byte) []byte {
	var kept [][]byte
	for _, token := range bytes.Split(value, []byte{','}) {
		token = bytes.TrimSpace(token)
		if len(token) > 0 && !equalFold(token, "aws-chunked") {
			kept = append(kept, token)
		}
	}
	if len(kept) == bytes.Count(value, []byte{','})+1 {
		return value
	}
	return bytes.Join(kept, []byte{','})
}

// metadata walks the headers of a Meta string.
type metadata struct {
	rest []byte
}

// readMetadata starts a walk. The slices it yields are views of meta.
func readMetadata(meta string) metadata {
	if meta == "" {
		return metadata{}
	}
	return metadata{rest: viewBytes(meta)[1:]}
}

// next returns the next header; name is nil at the end.
func (m *metadata) next() (name, value []byte) {
	if len(m.rest) == 0 {
		return nil, nil
	}
	name, m.rest = cutField(m.rest)
	value, m.rest = cutField(m.rest)
	return name, value
}

func cutField(b []byte) (field, rest []byte) {
	n := 2 + int(binary.LittleEndian.Uint16(b))
	return b[2:n:n], b[n:]
}

// hasStorageClass tells whether a Meta string names a storage class.
func hasStorageClass(meta string) bool { return meta != "" && meta[0]&metaHasStorageClass != 0 }

// storageClassOf returns the storage class in a Meta string.
func storageClassOf(meta string) string {
	if !hasStorageClass(meta) {
		return defaultClass
	}
	m := readMetadata(meta)
	for name, value := m.next(); name != nil; name, value = m.next() {
		if string(name) == storageClassHeader {
			return string(value)
		}
	}
	return defaultClass
}

// checkWriteHeaders refuses a write that asks for what this server does not
// do. A header ignored in silence would be a promise broken later.
func (r *request) checkWriteHeaders() error {
	for i := range r.fields {
		name := r.fields[i].Name
		if len(name) < len("x-amz-") || !equalFold(name[:len("x-amz-")], "x-amz-") {
			continue
		}
		switch rest := name[len("x-amz-"):]; {
		case len(rest) >= 22 && equalFold(rest[:22], "server-side-encryption"):
			return errNotImplemented.with("Header", string(name)).because(fmt.Errorf("header %s", name))
		case len(rest) >= 11 && equalFold(rest[:11], "object-lock"):
			return errInvalidRequest.saying("Bucket is missing Object Lock Configuration")
		case equalFold(rest, "write-offset-bytes"):
			return errNotImplemented.with("Header", string(name)).because(fmt.Errorf("header %s", name))
		}
	}
	return nil
}

// viewBytes is s without a copy; the bytes must not be changed.
func viewBytes(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// viewString is b without a copy, for a callee that does not keep it.
func viewString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
