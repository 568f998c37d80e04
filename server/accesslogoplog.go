package server

import "strconv"

// opLogHeader names the columns of the operation log that warp, s3dlio and
// sai3-bench write and replay, separated by tabs.
//
// Sources: https://github.com/minio/warp (pkg/bench, Operations.CSV),
// https://github.com/russfellows/s3dlio (Operation Logging)
const opLogHeader = "idx\tthread\top\tclient_id\tn_objects\tbytes\tendpoint\tfile\terror\tstart\tfirst_byte\tend\tduration_ns\n"

// opLogEndpoint is what s3dlio writes for S3; with the file after it, it is
// the object's URI.
const opLogEndpoint = "s3://"

// opLogNames are the operations that such a log can hold. Readers stop at any
// other name.
var opLogNames = map[string]string{
	"GetObject":               "GET",
	"HeadObject":              "STAT",
	"PutObject":               "PUT",
	"PostObject":              "PUT",
	"CompleteMultipartUpload": "PUT",
	"DeleteObject":            "DELETE",
	"ListObjects":             "LIST",
	"ListObjectsV2":           "LIST",
	"ListObjectVersions":      "LIST",
}

// opLog numbers the lines of an operation log.
type opLog struct {
	index uint64
}

// appendLine appends the account as a line, nothing if it has none. A
// multipart upload is one line, as in the log of its client: a PUT of the whole
// object from its creation to its completion.
func (o *opLog) appendLine(dst []byte, x *exchange) []byte {
	if x.op == nil {
		return dst
	}
	name, ok := opLogNames[x.op.name]
	if !ok {
		return dst
	}
	start, bytes := x.start, x.received
	switch {
	case name == "GET":
		bytes = x.sent
	case name == "LIST" || name == "DELETE" || name == "STAT":
		bytes = 0
	case !x.initiated.IsZero():
		start, bytes = x.initiated, max(x.size, 0)
	}
	end := x.start.Add(x.duration)
	w := &x.words
	dst = append(strconv.AppendUint(dst, o.index, 10), '\t')
	o.index++
	// A connection is what a client's thread is; warp reads 16 bits.
	dst = append(strconv.AppendUint(dst, uint64(uint16(x.conn)), 10), '\t')
	dst = append(append(dst, name...), '\t')
	dst = append(appendIP(dst, x.remote), '\t')
	dst = append(dst, "1\t"...)
	dst = append(strconv.AppendInt(dst, bytes, 10), '\t')
	dst = append(dst, opLogEndpoint+"\t"...)
	dst = appendLogKey(dst, w.of(w.bucket))
	dst = append(dst, '/')
	dst = append(appendLogKey(dst, w.of(w.key)), '\t')
	dst = append(dst, x.code...)
	if x.aborted {
		dst = append(dst, "aborted"...)
	}
	dst = append(dst, '\t')
	dst = append(appendNanoTime(dst, start), '\t')
	if name == "GET" && x.code == "" {
		dst = appendNanoTime(dst, x.start.Add(x.ttfb))
	}
	dst = append(dst, '\t')
	dst = append(appendNanoTime(dst, end), '\t')
	return append(strconv.AppendInt(dst, end.Sub(start).Nanoseconds(), 10), '\n')
}
