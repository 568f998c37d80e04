package server

import (
	"bytes"
	"net"
	"strconv"
	"time"

	"github.com/s3ultra/s3ultra/sigv4"
)

// s3LogTime is the time of a server access log line.
const s3LogTime = "[02/Jan/2006:15:04:05 -0700]"

// s3LogNames are the operations as server access logs call them:
// REST.method.resource. What is not here is made of the method alone.
//
// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/LogFormat.html
var s3LogNames = map[string]string{
	"ListBuckets":                   "REST.GET.SERVICE",
	"CreateBucket":                  "REST.PUT.BUCKET",
	"HeadBucket":                    "REST.HEAD.BUCKET",
	"DeleteBucket":                  "REST.DELETE.BUCKET",
	"GetBucketLocation":             "REST.GET.LOCATION",
	"GetBucketVersioning":           "REST.GET.VERSIONING",
	"PutBucketVersioning":           "REST.PUT.VERSIONING",
	"GetBucketAcl":                  "REST.GET.ACL",
	"GetObjectAcl":                  "REST.GET.ACL",
	"PutBucketAcl":                  "REST.PUT.ACL",
	"PutObjectAcl":                  "REST.PUT.ACL",
	"PutBucketPolicy":               "REST.PUT.BUCKETPOLICY",
	"GetBucketPolicy":               "REST.GET.BUCKETPOLICY",
	"GetBucketPolicyStatus":         "REST.GET.POLICY_STATUS",
	"DeleteBucketPolicy":            "REST.DELETE.BUCKETPOLICY",
	"PutBucketTagging":              "REST.PUT.TAGGING",
	"GetBucketTagging":              "REST.GET.TAGGING",
	"DeleteBucketTagging":           "REST.DELETE.TAGGING",
	"PutPublicAccessBlock":          "REST.PUT.PUBLIC_ACCESS_BLOCK",
	"GetPublicAccessBlock":          "REST.GET.PUBLIC_ACCESS_BLOCK",
	"DeletePublicAccessBlock":       "REST.DELETE.PUBLIC_ACCESS_BLOCK",
	"PutBucketOwnershipControls":    "REST.PUT.OWNERSHIP_CONTROLS",
	"GetBucketOwnershipControls":    "REST.GET.OWNERSHIP_CONTROLS",
	"DeleteBucketOwnershipControls": "REST.DELETE.OWNERSHIP_CONTROLS",
	"PutObjectTagging":              "REST.PUT.OBJECT_TAGGING",
	"GetObjectTagging":              "REST.GET.OBJECT_TAGGING",
	"DeleteObjectTagging":           "REST.DELETE.OBJECT_TAGGING",
	"ListObjects":                   "REST.GET.BUCKET",
	"ListObjectsV2":                 "REST.GET.BUCKET",
	"ListObjectVersions":            "REST.GET.BUCKETVERSIONS",
	"ListMultipartUploads":          "REST.GET.UPLOADS",
	"DeleteObjects":                 "REST.POST.MULTI_OBJECT_DELETE",
	"GetObject":                     "REST.GET.OBJECT",
	"HeadObject":                    "REST.HEAD.OBJECT",
	"PutObject":                     "REST.PUT.OBJECT",
	"PostObject":                    "REST.POST.OBJECT",
	"CopyObject":                    "REST.COPY.OBJECT",
	"DeleteObject":                  "REST.DELETE.OBJECT",
	"GetObjectAttributes":           "REST.GET.ATTRIBUTES",
	"CreateMultipartUpload":         "REST.POST.UPLOADS",
	"UploadPart":                    "REST.PUT.PART",
	"UploadPartCopy":                "REST.COPY.PART",
	"CompleteMultipartUpload":       "REST.POST.UPLOAD",
	"AbortMultipartUpload":          "REST.DELETE.UPLOAD",
	"ListParts":                     "REST.GET.UPLOAD",
}

// appendS3Line appends the account in the layout of AWS's server access log,
// all 27 fields; those that mean nothing here (TLS, access points) are "-".
//
// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/LogFormat.html
func (s *Server) appendS3Line(dst []byte, x *exchange) []byte {
	w := &x.words
	dst = appendLogWord(dst, []byte(s.ownerID))
	dst = appendLogWord(dst, w.of(w.bucket))
	dst = append(x.start.UTC().AppendFormat(dst, s3LogTime), ' ')
	dst = appendLogWord(dst, appendIP(nil, x.remote))
	dst = appendLogWord(dst, w.of(w.who))
	dst = appendLogWord(dst, x.id[:])
	dst = appendLogWord(dst, []byte(s3LogName(x)))
	// Encoded twice, as AWS does: a key may hold what ends a field.
	dst = appendLogWord(dst, sigv4.AppendEncoded(nil, sigv4.AppendEncoded(nil, w.of(w.key), true), true))
	dst = append(dst, '"')
	dst = append(append(dst, x.method...), ' ')
	dst = appendLogText(dst, w.of(w.target))
	dst = append(dst, " HTTP/1.1\" "...)
	dst = append(strconv.AppendInt(dst, int64(x.status), 10), ' ')
	dst = appendLogWord(dst, []byte(x.code))
	dst = appendLogNumber(dst, x.sent, 1)
	dst = appendLogNumber(dst, x.size, 0)
	dst = appendLogNumber(dst, x.duration.Milliseconds(), 0)
	dst = appendLogNumber(dst, x.ttfb.Milliseconds(), 0)
	dst = appendLogQuoted(dst, w.of(w.referer))
	dst = appendLogQuoted(dst, w.of(w.agent))
	dst = appendLogWord(dst, w.of(w.version))
	dst = append(dst, "s3ultra "...) // host id
	switch x.auth {
	case sigv4.HeaderAuth:
		dst = append(dst, "SigV4 - AuthHeader "...)
	case sigv4.PresignedAuth:
		dst = append(dst, "SigV4 - QueryString "...)
	default:
		dst = append(dst, "- - - "...)
	}
	dst = appendLogWord(dst, w.of(w.host))
	return append(dst, "- - - -\n"...) // TLS version, access point, ACL required, source region
}

func s3LogName(x *exchange) string {
	if x.op != nil {
		if name, ok := s3LogNames[x.op.name]; ok {
			return name
		}
	}
	return "REST." + x.method + ".UNKNOWN"
}

// appendLogWord appends a field and a space, "-" for an empty one.
func appendLogWord(dst, field []byte) []byte {
	if len(field) == 0 {
		return append(dst, "- "...)
	}
	for _, c := range field {
		if c <= ' ' || c == '"' || c == 0x7f {
			c = '_'
		}
		dst = append(dst, c)
	}
	return append(dst, ' ')
}

// appendLogNumber appends a number and a space, "-" for one below least.
func appendLogNumber(dst []byte, n, least int64) []byte {
	if n < least {
		return append(dst, "- "...)
	}
	return append(strconv.AppendInt(dst, n, 10), ' ')
}

// appendLogQuoted appends a field in quotes and a space.
func appendLogQuoted(dst, field []byte) []byte {
	dst = append(dst, '"')
	if len(field) == 0 {
		dst = append(dst, '-')
	}
	return append(appendLogText(dst, field), "\" "...)
}

// appendLogText appends text between quotes: what would end it is escaped.
func appendLogText(dst, text []byte) []byte {
	for _, c := range text {
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c < ' ' || c == 0x7f:
			dst = append(dst, '\\', 'x', "0123456789abcdef"[c>>4], "0123456789abcdef"[c&15])
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// appendIP appends the address without its port.
func appendIP(dst []byte, addr net.Addr) []byte {
	tcp, ok := addr.(*net.TCPAddr)
	if !ok {
		return dst
	}
	ip := tcp.AddrPort().Addr().Unmap()
	return ip.AppendTo(dst)
}

// appendLogKey appends bucket/key for a table whose fields end at a tab: only
// bytes that would break it are encoded, so that a key reads, and replays, as
// it is.
func appendLogKey(dst, key []byte) []byte {
	if bytes.IndexFunc(key, func(r rune) bool { return r < ' ' || r == '"' || r == 0x7f }) < 0 {
		return append(dst, key...)
	}
	for _, c := range key {
		if c < ' ' || c == '"' || c == 0x7f {
			dst = append(dst, '%', "0123456789ABCDEF"[c>>4], "0123456789ABCDEF"[c&15])
			continue
		}
		dst = append(dst, c)
	}
	return dst
}

// appendNanoTime appends a time in UTC, RFC 3339 with nanoseconds.
func appendNanoTime(dst []byte, t time.Time) []byte {
	return t.UTC().AppendFormat(dst, time.RFC3339Nano)
}
