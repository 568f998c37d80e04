package server

import "strconv"

// opLogHeader names the columns of the operation log that warp, s3dlio and
// sai3-bench write and replay, separated by tabs.
//
// Sources: https://github.com/minio/warp (pkg/bench, Operations.CSV),
// https://github.com/russfellows/s3dlio (Operation Logging)
const opLogHeader = "idx\tthread\top\tclient_id\tn_objects\tbytes\tendpoint\tfile\terror\tstart\tfirst_byte\tend\tduration_ns\n"

// opLogScheme begins the endpoint, which is the bucket as a URI: s3://bucket/.
// With the file after it, it is the object's URI, which sai3-bench asks for;
// the file alone is the key, which warp-replay and a replay to another bucket
// ask for.
//
// Source: https://github.com/russfellows/sai3-bench (src/replay_streaming.rs),
// https://github.com/russfellows/warp-replay (cli/replay.go)
const opLogScheme = "s3://"

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

// appendLine appends the account's lines. What is several requests but one
// operation in the log of its client is one line: a multipart upload, as a PUT
// of the whole object from its creation to its completion, and a listing, by
// its first page. DeleteObjects is a line for each key, as replaying it is a
// request for each. Requests that the log has no name for have no line.
func (o *opLog) appendLine(dst []byte, x *exchange) []byte {
	switch {
	case x.op == nil || x.continued:
		return dst
	case x.op == opDeleteObjects:
		for _, d := range x.deleted {
			dst = o.appendOperation(dst, x, "DELETE", d.key, d.code)
		}
		return dst
	}
	name, ok := opLogNames[x.op.name]
	switch {
	case !ok:
		return dst
	case name == "LIST":
		return o.appendOperation(dst, x, name, x.words.prefix, x.code)
	}
	return o.appendOperation(dst, x, name, x.words.key, x.code)
}

// appendOperation appends the line of one operation. The file is the key, or
// the prefix of a listing.
func (o *opLog) appendOperation(dst []byte, x *exchange, name string, file word, code string) []byte {
	start, bytes := x.start, int64(0)
	switch {
	case name == "GET" && code == "":
		bytes = x.sent
	case name == "PUT" && !x.initiated.IsZero():
		start, bytes = x.initiated, max(x.size, 0)
	case name == "PUT":
		bytes = x.received
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
	dst = append(dst, opLogScheme...)
	dst = append(appendLogKey(dst, w.of(w.bucket)), "/\t"...)
	dst = append(appendLogKey(dst, w.of(file)), '\t')
	dst = append(dst, code...)
	if x.aborted {
		dst = append(dst, "aborted"...)
	}
	dst = append(dst, '\t')
	dst = append(appendNanoTime(dst, start), '\t')
	if name == "GET" && code == "" {
		dst = appendNanoTime(dst, x.start.Add(x.ttfb))
	}
	dst = append(dst, '\t')
	dst = append(appendNanoTime(dst, end), '\t')
	return append(strconv.AppendInt(dst, end.Sub(start).Nanoseconds(), 10), '\n')
}
