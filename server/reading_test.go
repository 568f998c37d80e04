package server_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/s3ultra/s3ultra/store"
)

// rangeRow is what a Range header asks of an object of some size, and what
// comes: first and last byte, or all of it as 200, or 416.
type rangeRow struct {
	header      string
	status      int
	first, last int
}

// TestO01O02O03O05Ranges: every form, on generated, kept and stored objects.
func TestO01O02O03O05Ranges(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		for _, size := range []int{1, 10, keepSmall - 1, keepSmall, 600, 70_001} {
			body := letters(size)
			f.put(t, "/bkt/k", body)
			f.checkRanges(t, "/bkt/k", f.served("bkt", "k", body))
		}
		bodies := []string{letters(300), letters(70_000), letters(7)}
		f.multipart(t, "/bkt/m", bodies)
		f.checkRanges(t, "/bkt/m", f.served("bkt", "m", strings.Join(bodies, "")))
	})
}

func (f *fixture) checkRanges(t *testing.T, target, want string) {
	t.Helper()
	size := len(want)
	last := size - 1
	rows := []rangeRow{
		{"bytes=0-", 206, 0, last},
		{fmt.Sprintf("bytes=0-%d", last), 206, 0, last},
		{fmt.Sprintf("bytes=0-%d", size), 206, 0, last},
		{"bytes=0-0", 206, 0, 0},
		{fmt.Sprintf("bytes=%d-", last), 206, last, last},
		{fmt.Sprintf("bytes=%d-%d", last, last), 206, last, last},
		{fmt.Sprintf("bytes=%d-%d", size/2, size+1000), 206, size / 2, last},
		{"bytes=-1", 206, last, last},
		{fmt.Sprintf("bytes=-%d", size), 206, 0, last},
		{"bytes=-99999", 206, max(0, size-99999), last},
		{"bytes=0-999999999999999999", 206, 0, last},
		{"bytes=-0", 416, 0, 0},
		{fmt.Sprintf("bytes=%d-", size), 416, 0, 0},
		{fmt.Sprintf("bytes=%d-%d", size, size), 416, 0, 0},
		{fmt.Sprintf("bytes=%d-", size+1000), 416, 0, 0},
		{"bytes=999999999999999999-", 416, 0, 0},
		// What is no single range of bytes is ignored (RFC 9110, 14.2).
		{"bytes=1-0", 200, 0, last},
		{"bytes=0-0,2-3", 200, 0, last},
		{"bytes=", 200, 0, last},
		{"bytes=-", 200, 0, last},
		{"bytes=a-b", 200, 0, last},
		{"bytes=0x1-2", 200, 0, last},
		{"bytes=--1", 200, 0, last},
		{"bytes=1", 200, 0, last},
		{"items=0-1", 200, 0, last},
		{"0-1", 200, 0, last},
		{"", 200, 0, last},
	}
	for _, row := range rows {
		for _, method := range []string{"GET", "HEAD"} {
			r := f.do(t, method, target, "", "Range: "+row.header)
			f.checkRange(t, r, row, want)
		}
	}
	f.do(t, "GET", target, "").wantBody(200, want).wantHeader("Content-Range:", "Accept-Ranges: bytes")
	f.do(t, "HEAD", target, "").wantBody(200, "").wantHeader("Content-Range:", "Accept-Ranges: bytes", "Content-Length: "+strconv.Itoa(size))
}

func (f *fixture) checkRange(t *testing.T, r *reply, row rangeRow, want string) {
	t.Helper()
	r.target += " " + row.header
	switch row.status {
	case 416:
		doc := r.wantError(416, "InvalidRange")
		r.wantHeader(fmt.Sprintf("Content-Range: bytes */%d", len(want)))
		if r.method == "GET" && doc.ActualObjectSize != strconv.Itoa(len(want)) {
			t.Errorf("unexpected ActualObjectSize %q of %s", doc.ActualObjectSize, row.header)
		}
		return
	case 200:
		r.wantHeader("Content-Range:")
	case 206:
		r.wantHeader(fmt.Sprintf("Content-Range: bytes %d-%d/%d", row.first, row.last, len(want)))
	}
	part := want[row.first : row.last+1]
	r.wantHeader("Accept-Ranges: bytes", "Content-Length: "+strconv.Itoa(len(part)))
	if r.method == "HEAD" {
		part = ""
	}
	r.wantBody(row.status, part)
}

func TestO04EmptyObjectRanges(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		f.put(t, "/bkt/k", "")
		for _, header := range []string{"bytes=0-", "bytes=0-0", "bytes=40-50", "bytes=-1", "bytes=-0", "bytes=-8"} {
			for _, method := range []string{"GET", "HEAD"} {
				r := f.do(t, method, "/bkt/k", "", "Range: "+header)
				f.checkRange(t, r, rangeRow{header: header, status: 416}, "")
			}
		}
		f.do(t, "GET", "/bkt/k", "", "Range: bytes=a-").wantBody(200, "").wantHeader("Content-Length: 0")
	})
}

// TestO15RandomRanges: advertised length and bytes of random ranges, and of
// ranges that overlap.
func TestO15RandomRanges(t *testing.T) {
	source := uint64(time.Now().UnixNano())
	t.Logf("seed %d", source)
	conformance(t, func(t *testing.T, f *fixture) {
		rnd := rand.New(rand.NewPCG(source, 1))
		for _, size := range []int{3, 511, 513, 4097, 99_991, 524_287, 600_001} {
			key := "k" + strconv.Itoa(size)
			body := letters(size)
			f.put(t, "/bkt/"+key, body)
			want := f.served("bkt", key, body)
			for range 40 {
				first := rnd.IntN(size)
				last := first + rnd.IntN(size)
				r := f.do(t, "GET", "/bkt/"+key, "", fmt.Sprintf("Range: bytes=%d-%d", first, last))
				f.checkRange(t, r, rangeRow{status: 206, first: first, last: min(last, size-1)}, want)
			}
		}
	})
}

// TestO08Conditions: the matrix of conditional headers on GET and HEAD, whole
// and ranged.
func TestO08Conditions(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		body := letters(2000)
		etag := f.put(t, "/bkt/k", body).etag()
		plain := strings.Trim(etag, `"`)
		const other = `"00000000000000000000000000000000"`
		modified, err := http.ParseTime(f.do(t, "HEAD", "/bkt/k", "").want(200).header.Get("Last-Modified"))
		if err != nil {
			t.Fatalf("cannot parse Last-Modified: %v", err)
		}
		at := func(d time.Duration) string { return modified.Add(d).UTC().Format(http.TimeFormat) }
		for _, row := range []struct {
			header string
			status int // 0: goes ahead
		}{
			{"If-Match: " + etag, 0},
			{"If-Match: " + plain, 0},
			{"If-Match: *", 0},
			{"If-Match: " + other + ", " + etag, 0},
			{"If-Match: " + strings.ToUpper(plain), 0},
			{"If-Match: " + other, 412},
			{"If-Match: abc", 412},
			{`If-Match: "ABCORZ"`, 412},
			{`If-Match: ""`, 412},
			{"If-None-Match: " + other, 0},
			{"If-None-Match: abc", 0},
			{"If-None-Match: " + etag, 304},
			{"If-None-Match: " + plain, 304},
			{"If-None-Match: W/" + etag, 304},
			{"If-None-Match: *", 304},
			{"If-None-Match: " + other + "," + etag, 304},
			{"If-Modified-Since: " + at(-time.Hour), 0},
			{"If-Modified-Since: " + at(-time.Second), 0},
			{"If-Modified-Since: " + at(0), 304},
			{"If-Modified-Since: " + at(time.Second), 304},
			{"If-Modified-Since: garbage", 0},
			{"If-Unmodified-Since: " + at(time.Hour), 0},
			{"If-Unmodified-Since: " + at(0), 0},
			{"If-Unmodified-Since: " + at(-time.Second), 412},
			{"If-Unmodified-Since: garbage", 0},
			// Entity tags win over dates (RFC 9110, 13.2.2).
			{"If-Match: " + etag + "\nIf-Unmodified-Since: " + at(-time.Hour), 0},
			{"If-None-Match: " + other + "\nIf-Modified-Since: " + at(time.Hour), 0},
			{"If-None-Match: " + etag + "\nIf-Modified-Since: " + at(-time.Hour), 304},
			{"If-Match: " + other + "\nIf-None-Match: " + etag, 412},
			{"If-Match: " + etag + "\nIf-None-Match: " + etag, 304},
			{"If-Unmodified-Since: " + at(-time.Hour) + "\nIf-None-Match: " + etag, 412},
		} {
			lines := strings.Split(row.header, "\n")
			for _, method := range []string{"GET", "HEAD"} {
				for _, ranged := range []bool{false, true} {
					header, status, want := lines, 200, f.served("bkt", "k", body)
					if ranged {
						header, status, want = append([]string{"Range: bytes=5-9"}, lines...), 206, want[5:10]
					}
					if method == "HEAD" {
						want = ""
					}
					r := f.do(t, method, "/bkt/k", "", header...)
					r.target += fmt.Sprintf(" %q", header)
					switch row.status {
					case 0:
						r.wantBody(status, want).wantHeader("ETag: " + etag)
					case 304:
						r.wantError(304)
						r.wantHeader("ETag: " + etag)
					case 412:
						r.wantError(412, "PreconditionFailed")
					}
				}
			}
		}
		f.do(t, "GET", "/bkt/none", "", "If-None-Match: *").wantError(404, "NoSuchKey")
		f.do(t, "GET", "/bkt/none", "", "If-Match: *").wantError(404, "NoSuchKey")
		f.put(t, "/bkt/k", body+"more")
		f.do(t, "GET", "/bkt/k", "", "Range: bytes=0-1", "If-Match: "+etag).wantError(412, "PreconditionFailed")
	})
}

func TestO12ContentTypeAndMetadata(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		f.put(t, "/bkt/k", "x")
		for _, method := range []string{"GET", "HEAD"} {
			f.do(t, method, "/bkt/k", "").want(200).wantHeader("Content-Type: binary/octet-stream")
		}
		f.put(t, "/bkt/k", "x", "Content-Type: ")
		f.do(t, "HEAD", "/bkt/k", "").want(200).wantHeader("Content-Type: binary/octet-stream")
		header := []string{
			"Content-Type: image/jpeg", "Cache-Control: max-age=3,  no-store", "Content-Disposition: attachment; filename=\"x\"",
			"Content-Encoding: br", "Content-Language: de, en", "Expires: Thu, 01 Dec 1994 16:00:00 GMT",
			"x-amz-meta-foo: bar", "x-amz-meta-empty: ", "x-amz-meta-two: a  b", "x-amz-storage-class: STANDARD_IA",
			"x-amz-meta-utf8: =?UTF-8?B?w6k=?=",
		}
		f.put(t, "/bkt/k", "x", append([]string{"X-Amz-Meta-MiXed: Value"}, header...)...)
		want := append([]string{"x-amz-meta-mixed: Value"}, header...)
		for _, method := range []string{"GET", "HEAD"} {
			f.do(t, method, "/bkt/k", "").want(200).wantHeader(want...)
			f.do(t, method, "/bkt/k", "", "Range: bytes=0-0").want(206).wantHeader(want...)
		}
		// On the wire the names are lower case: SDKs keep the case of what follows the prefix.
		w := f.dial(t)
		head, _ := call{method: "HEAD", target: "/bkt/k"}.bytes(f.addr)
		w.write(head)
		raw := make([]byte, 4096)
		n, err := w.conn.Read(raw)
		if err != nil || !strings.Contains(string(raw[:n]), "\r\nx-amz-meta-mixed: Value\r\n") {
			t.Errorf("unexpected spelling of metadata (%v):\n%s", err, raw[:n])
		}
		f.put(t, "/bkt/k", "x")
		f.do(t, "HEAD", "/bkt/k", "").want(200).wantHeader("x-amz-meta-foo:", "Cache-Control:", "x-amz-storage-class:", "Content-Type: binary/octet-stream")
		f.put(t, "/bkt/k", "x", "x-amz-meta-big: "+strings.Repeat("v", 2048-3))
		f.do(t, "PUT", "/bkt/k", "x", "x-amz-meta-big: "+strings.Repeat("v", 2048-2)).wantError(400, "MetadataTooLarge")
		f.do(t, "PUT", "/bkt/k", "x", "x-amz-storage-class: FROZEN").wantError(400, "InvalidStorageClass")
	})
}

// TestO11ETags: what the ETag of each kind of object looks like.
func TestO11L16ETags(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		for _, size := range []int{0, 5, keepSmall - 1, keepSmall, 100_000} {
			body := letters(size)
			etag := f.put(t, "/bkt/k", body).etag()
			if f.served("bkt", "k", body) == body {
				if etag != `"`+md5Hex(body)+`"` {
					t.Errorf("unexpected ETag of %d bytes; got %s; want their MD5", size, etag)
				}
			} else if !strings.HasSuffix(etag, `-1"`) {
				t.Errorf("unexpected ETag of %d generated bytes; got %s; want …-1", size, etag)
			}
			again := f.put(t, "/bkt/k", body).etag()
			if again != etag {
				t.Errorf("the ETag of %d equal bytes changed from %s to %s", size, etag, again)
			}
			for _, got := range []string{
				f.do(t, "HEAD", "/bkt/k", "").etag(),
				f.do(t, "GET", "/bkt/k", "").etag(),
				f.list(t, "bkt", "list-type=2&prefix=k").Contents[0].ETag,
				f.list(t, "bkt", "prefix=k").Contents[0].ETag,
				f.list(t, "bkt", "versions&prefix=k").Version[0].ETag,
				f.do(t, "PUT", "/bkt/copy", "", "x-amz-copy-source: bkt/k").want(200).element("ETag"),
				f.do(t, "HEAD", "/bkt/copy", "").etag(),
				`"` + f.do(t, "GET", "/bkt/k?attributes", "", "x-amz-object-attributes: ETag").want(200).element("ETag") + `"`,
			} {
				if got != etag {
					t.Errorf("unexpected ETag; got %s; want %s", got, etag)
				}
			}
		}
		id := f.newUpload(t, "/bkt/m")
		etag := f.putPart(t, "/bkt/m", id, 1, "part")
		if p := f.parts(t, "/bkt/m", id, "").Part; len(p) != 1 || p[0].ETag != etag {
			t.Errorf("unexpected parts; got %+v; want ETag %s", p, etag)
		}
	})
}

func TestL13Timestamps(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		// Times follow the Date header, which may be a second late.
		before := time.Now().Truncate(time.Second).Add(-time.Second)
		f.put(t, "/bkt/k", "x")
		copied := f.do(t, "PUT", "/bkt/c", "", "x-amz-copy-source: bkt/k").want(200).element("LastModified")
		after := time.Now()
		for key, xmlTime := range map[string]string{
			"k": f.list(t, "bkt", "list-type=2&prefix=k").Contents[0].LastModified,
			"c": copied,
		} {
			header, err := time.Parse("Mon, 02 Jan 2006 15:04:05 GMT", f.do(t, "HEAD", "/bkt/"+key, "").header.Get("Last-Modified"))
			if err != nil {
				t.Errorf("cannot parse Last-Modified: %v", err)
			}
			listed, err := time.Parse("2006-01-02T15:04:05.000Z", xmlTime)
			if err != nil || !listed.Equal(header) || listed.Before(before) || listed.After(after) {
				t.Errorf("unexpected times of %s; got %v and %v (%v); want one between %v and %v", key, listed, header, err, before, after)
			}
		}
		var buckets struct {
			Buckets struct {
				Bucket []struct{ Name, CreationDate string }
			}
		}
		f.do(t, "GET", "/", "").parse(&buckets)
		for _, b := range buckets.Buckets.Bucket {
			if _, err := time.Parse("2006-01-02T15:04:05.000Z", b.CreationDate); err != nil {
				t.Errorf("unexpected CreationDate: %v", err)
			}
		}
		if len(buckets.Buckets.Bucket) != 2 {
			t.Errorf("unexpected buckets %+v", buckets)
		}
	})
}

func TestVersionIDNull(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		f.put(t, "/bkt/k", "x")
		f.do(t, "GET", "/bkt/k?versionId=null", "").wantBody(200, "x").wantHeader("x-amz-version-id:")
		f.do(t, "HEAD", "/bkt/k?versionId=null", "").want(200)
		for _, id := range []string{"", "x", "3HL4kqtJlcpXroDTDmJ.rmSpXd3dIbrHY"} {
			r := f.do(t, "GET", "/bkt/k?versionId="+id, "")
			r.wantError(r.status, "InvalidArgument", "NoSuchVersion")
			r = f.do(t, "DELETE", "/bkt/k?versionId="+id, "")
			r.wantError(r.status, "InvalidArgument", "NoSuchVersion")
		}
		f.do(t, "GET", "/bkt/k", "").wantBody(200, "x")
		f.do(t, "DELETE", "/bkt/k?versionId=null", "").want(204)
		f.do(t, "GET", "/bkt/k", "").wantError(404, "NoSuchKey")
	})
}

// TestO01RangeBeyondInt64: the AWS SDK for Java 1 asks for "the rest" with
// Long.MAX_VALUE - 1 as the last position, which has 19 digits.
func TestO01RangeBeyondInt64(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		body := letters(600)
		f.put(t, "/bkt/k", body)
		want := f.served("bkt", "k", body)
		for _, row := range []rangeRow{
			{"bytes=5-9223372036854775806", 206, 5, 599},
			{"bytes=5-9223372036854775807", 206, 5, 599},
			{"bytes=0-99999999999999999999999999", 206, 0, 599},
			{"bytes=-9223372036854775807", 206, 0, 599},
			{"bytes=-99999999999999999999999999", 206, 0, 599},
			{"bytes=9223372036854775807-", 416, 0, 0},
			{"bytes=99999999999999999999999999-", 416, 0, 0},
			{"bytes=000000000000000000005-9", 206, 5, 9},
		} {
			f.checkRange(t, f.do(t, "GET", "/bkt/k", "", "Range: "+row.header), row, want)
		}
		// Range units are case-insensitive (RFC 9110, 14.1).
		f.checkRange(t, f.do(t, "GET", "/bkt/k", "", "Range: Bytes=5-9"), rangeRow{"Bytes=5-9", 206, 5, 9}, want)
	})
}

// TestL13NoFutureLastModified: no reply's Last-Modified lies after its Date
// (RFC 9110, 8.8.2.1): clients that compare drop such objects.
func TestL13NoFutureLastModified(t *testing.T) {
	f := start(t, testConfig(store.Memory))
	for began := time.Now(); time.Since(began) < 1200*time.Millisecond; time.Sleep(5 * time.Millisecond) {
		f.put(t, "/bkt/k", "x")
		r := f.do(t, "HEAD", "/bkt/k", "").want(200)
		date, err := http.ParseTime(r.header.Get("Date"))
		modified, err2 := http.ParseTime(r.header.Get("Last-Modified"))
		if err != nil || err2 != nil || modified.After(date) {
			t.Fatalf("unexpected times; Last-Modified %v is after Date %v (%v, %v)", modified, date, err, err2)
		}
	}
}
