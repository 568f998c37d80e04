package server_test

import (
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/s3ultra/s3ultra/store"
)

// withPartSize runs fn in both modes with AWS's minimum part size.
func withPartSize(t *testing.T, fn func(t *testing.T, f *fixture)) {
	t.Helper()
	for _, mode := range []store.Mode{store.Memory, store.Synth} {
		t.Run(mode.String(), func(t *testing.T) {
			cfg := testConfig(mode)
			cfg.MinPartSize = 5 << 20
			fn(t, start(t, cfg))
		})
	}
}

func TestM01PartOrder(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		id := f.newUpload(t, "/bkt/m")
		one, two := f.putPart(t, "/bkt/m", id, 1, "one"), f.putPart(t, "/bkt/m", id, 2, "two")
		f.complete(t, "/bkt/m", id, []listed{{2, two, ""}, {1, one, ""}}).wantError(400, "InvalidPartOrder")
		f.complete(t, "/bkt/m", id, []listed{{1, one, ""}, {1, one, ""}}).wantError(400, "InvalidPartOrder")
		f.do(t, "HEAD", "/bkt/m", "").wantError(404)
		f.complete(t, "/bkt/m", id, []listed{{1, one, ""}, {2, two, ""}}).want(200)
		f.do(t, "GET", "/bkt/m", "").wantBody(200, f.served("bkt", "m", "onetwo"))
	})
}

func TestM02MissingPartAndETags(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		id := f.newUpload(t, "/bkt/m")
		one, two := f.putPart(t, "/bkt/m", id, 1, letters(700)), f.putPart(t, "/bkt/m", id, 2, letters(900))
		if one == two {
			t.Errorf("two parts have one ETag %s", one)
		}
		for _, parts := range [][]listed{
			{{1, one, ""}, {2, two, ""}, {3, two, ""}},
			{{1, two, ""}, {2, two, ""}},
			{{1, one, ""}, {2, `"00000000000000000000000000000000"`, ""}},
			{{1, "garbage", ""}},
			{{1, "", ""}},
			{{3, one, ""}},
		} {
			f.complete(t, "/bkt/m", id, parts).wantError(400, "InvalidPart")
		}
		f.do(t, "HEAD", "/bkt/m", "").wantError(404)
		// Unquoted; only what is listed counts.
		f.complete(t, "/bkt/m", id, []listed{{2, strings.Trim(two, `"`), ""}}).want(200)
		f.do(t, "HEAD", "/bkt/m", "").want(200).wantHeader("Content-Length: 900")
		f.do(t, "GET", "/bkt/m", "").wantBody(200, f.served("bkt", "m", letters(900)))
	})
}

func TestM03GapsAndArrivalOrder(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		id := f.newUpload(t, "/bkt/m")
		bodies := map[int]string{7: letters(600), 2: letters(800), 10000: letters(3)}
		etags := map[int]string{}
		var mu sync.Mutex
		var wg sync.WaitGroup
		for _, n := range []int{7, 2, 10000} {
			wg.Go(func() {
				r := f.dial(t).do(call{method: "PUT", target: fmt.Sprintf("/bkt/m?partNumber=%d&uploadId=%s", n, id), body: bodies[n]})
				mu.Lock()
				defer mu.Unlock()
				etags[n] = r.etag()
			})
		}
		wg.Wait()
		for _, n := range []string{"0", "10001", "-1", "x", "", "1.5", "99999999999999999999", "%201"} {
			f.do(t, "PUT", "/bkt/m?partNumber="+n+"&uploadId="+id, "x").wantError(400, "InvalidArgument")
		}
		f.do(t, "PUT", "/bkt/m?uploadId="+id, "x").wantError(400, "InvalidArgument", "InvalidRequest")
		f.complete(t, "/bkt/m", id, []listed{{2, etags[2], ""}, {7, etags[7], ""}, {10000, etags[10000], ""}}).want(200)
		f.do(t, "GET", "/bkt/m", "").wantBody(200, f.served("bkt", "m", bodies[2]+bodies[7]+bodies[10000]))
	})
}

func TestM04EntityTooSmall(t *testing.T) {
	withPartSize(t, func(t *testing.T, f *fixture) {
		id := f.newUpload(t, "/bkt/m")
		big := strings.Repeat("b", 5<<20)
		put := func(n int, body string) listed {
			c := call{method: "PUT", target: fmt.Sprintf("/bkt/m?partNumber=%d&uploadId=%s", n, id), body: body, sha: "UNSIGNED-PAYLOAD"}
			return listed{n, f.send(t, c).want(200).etag(), ""}
		}
		small, large, last := put(1, big[:5_000_000]), put(2, big), put(3, "c")
		doc := f.complete(t, "/bkt/m", id, []listed{small, large, last}).wantError(400, "EntityTooSmall")
		if doc.ProposedSize != "5000000" || doc.MinSizeAllowed != "5242880" || doc.PartNumber != "1" {
			t.Errorf("unexpected error document %+v", doc)
		}
		doc = f.complete(t, "/bkt/m", id, []listed{large, {1, small.etag, ""}}).wantError(400, "InvalidPartOrder", "EntityTooSmall")
		f.do(t, "HEAD", "/bkt/m", "").wantError(404)
		f.complete(t, "/bkt/m", id, []listed{large, last}).want(200)
		f.do(t, "HEAD", "/bkt/m", "").want(200).wantHeader(fmt.Sprintf("Content-Length: %d", 5<<20+1))
	})
}

func TestM06CompleteRetried(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		id := f.newUpload(t, "/bkt/m")
		parts := []listed{{1, f.putPart(t, "/bkt/m", id, 1, letters(800)), ""}, {2, f.putPart(t, "/bkt/m", id, 2, "two"), ""}}
		var replies [8]*reply
		var wg sync.WaitGroup
		for i := range replies {
			wg.Go(func() {
				replies[i] = f.dial(t).do(call{method: "POST", target: "/bkt/m?uploadId=" + id, body: completeBody(parts...)})
			})
		}
		wg.Wait()
		want := f.do(t, "HEAD", "/bkt/m", "").etag()
		for _, r := range append(replies[:], f.complete(t, "/bkt/m", id, parts)) {
			r.want(200)
			if got := r.element("ETag"); got != want {
				t.Errorf("unexpected ETag; got %s; want %s", got, want)
			}
			if r.element("Bucket") != "bkt" || r.element("Key") != "m" || !strings.HasSuffix(r.element("Location"), "/bkt/m") {
				t.Errorf("unexpected reply %v", r)
			}
		}
		// The retry does nothing, also after the object has gone.
		f.do(t, "DELETE", "/bkt/m", "").want(204)
		f.complete(t, "/bkt/m", id, parts).want(200)
		f.do(t, "HEAD", "/bkt/m", "").wantError(404)
		// Another key never had this upload.
		f.complete(t, "/bkt/other", id, parts).wantError(404, "NoSuchUpload")
	})
}

func TestM07UnknownUpload(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		aborted := f.newUpload(t, "/bkt/m")
		etag := f.putPart(t, "/bkt/m", aborted, 1, "x")
		f.do(t, "DELETE", "/bkt/m?uploadId="+aborted, "").want(204)
		open := f.newUpload(t, "/bkt/m")
		for _, row := range []struct{ target, id string }{
			{"/bkt/m", "nope"}, {"/bkt/m", ""}, {"/bkt/m", aborted}, {"/bkt/other", open}, {"/other/m", open},
			{"/bkt/m", open[:len(open)-1]}, {"/bkt/m", open + "0"},
		} {
			f.complete(t, row.target, row.id, []listed{{1, etag, ""}}).wantError(404, "NoSuchUpload")
			f.do(t, "PUT", row.target+"?partNumber=1&uploadId="+row.id, "x").wantError(404, "NoSuchUpload")
			f.do(t, "PUT", row.target+"?partNumber=1&uploadId="+row.id, "", "x-amz-copy-source: bkt/k").wantError(404, "NoSuchUpload")
			f.do(t, "GET", row.target+"?uploadId="+row.id, "").wantError(404, "NoSuchUpload")
			f.do(t, "DELETE", row.target+"?uploadId="+row.id, "").wantError(404, "NoSuchUpload")
		}
		f.complete(t, "/none/m", open, []listed{{1, etag, ""}}).wantError(404, "NoSuchBucket")
		f.wantKeys(t, "bkt")
	})
}

// TestM08MultipartETag checks the vectors of the field cases.
func TestM08MultipartETag(t *testing.T) {
	withPartSize(t, func(t *testing.T, f *fixture) {
		bodies := []string{strings.Repeat("a", 5<<20), strings.Repeat("b", 5<<20), "c"}
		md5s := []string{"79b281060d337b9b2b84ccf390adcf74", "74843a3ab193a389bced899402d99d5f", "4a8a08f09d37b73795649038408b5f33"}
		upload := func(numbers []int, header, partHeader []string) (*reply, []string) {
			id := f.newUpload(t, "/bkt/m", header...)
			var parts []listed
			var etags []string
			for _, n := range numbers {
				c := call{method: "PUT", target: fmt.Sprintf("/bkt/m?partNumber=%d&uploadId=%s", n, id), body: bodies[n-1], sha: "UNSIGNED-PAYLOAD"}
				if partHeader != nil {
					c.header = []string{partHeader[n-1]}
				}
				r := f.send(t, c).want(200)
				etags = append(etags, r.etag())
				parts = append(parts, listed{n, r.etag(), ""})
			}
			return f.complete(t, "/bkt/m", id, parts).want(200), etags
		}
		for _, row := range []struct {
			numbers []int
			etag    string
		}{
			{[]int{1, 2, 3}, "0a97f1336a2298a6c3e9adaa562a9eec-3"},
			{[]int{1, 3}, "27ff6eb1837e1e912e886ffe1b4db342-2"},
			{[]int{1}, "65d79814053817eae59f7c7cee98d3f8-1"},
		} {
			r, etags := upload(row.numbers, nil, nil)
			got := r.element("ETag")
			if head := f.do(t, "HEAD", "/bkt/m", "").etag(); head != got {
				t.Errorf("unexpected ETag of HEAD; got %s; want %s", head, got)
			}
			if f.mode == store.Memory {
				if got != `"`+row.etag+`"` {
					t.Errorf("unexpected ETag of parts %v; got %s; want %s", row.numbers, got, row.etag)
				}
				for i, n := range row.numbers {
					if etags[i] != `"`+md5s[n-1]+`"` {
						t.Errorf("unexpected ETag of part %d; got %s; want %s", n, etags[i], md5s[n-1])
					}
				}
			} else if !strings.HasSuffix(got, fmt.Sprintf(`-%d"`, len(row.numbers))) {
				t.Errorf("unexpected ETag of parts %v: %s", row.numbers, got)
			}
		}
		all := []int{1, 2, 3}
		crcs := []string{"x-amz-checksum-crc32: r/zBbw==", "x-amz-checksum-crc32: yG5QvA==", "x-amz-checksum-crc32: Brnfbw=="}
		for _, partHeader := range [][]string{crcs, nil} {
			r, _ := upload(all, []string{"x-amz-checksum-algorithm: CRC32"}, partHeader)
			if r.element("ChecksumCRC32") != "efOKxQ==-3" || r.element("ChecksumType") != "COMPOSITE" {
				t.Errorf("unexpected composite checksum %v", r)
			}
			r, _ = upload(all, []string{"x-amz-checksum-algorithm: CRC32", "x-amz-checksum-type: FULL_OBJECT"}, partHeader)
			if r.element("ChecksumCRC32") != "PADLLA==" || r.element("ChecksumType") != "FULL_OBJECT" {
				t.Errorf("unexpected full object checksum %v", r)
			}
		}
		r, _ := upload(all, []string{"x-amz-checksum-algorithm: SHA256"}, nil)
		if r.element("ChecksumSHA256") != "1L0WPZtI3+6c2Dv9C9FdeO5+XonN2Op759p9E/VHVzQ=-3" || r.element("ETag") != `"0a97f1336a2298a6c3e9adaa562a9eec-3"` {
			t.Errorf("unexpected composite checksum %v", r)
		}
		// Wrong values at Complete.
		id := f.newUpload(t, "/bkt/w", "x-amz-checksum-algorithm: CRC32")
		etag := f.putPart(t, "/bkt/w", id, 1, "hello", "x-amz-checksum-crc32: NhCmhg==")
		f.do(t, "PUT", "/bkt/w?partNumber=1&uploadId="+id, "hello", "x-amz-checksum-crc32c: mnG7TA==").wantError(400, "InvalidRequest")
		f.complete(t, "/bkt/w", id, []listed{{1, etag, "<ChecksumCRC32>AAAAAA==</ChecksumCRC32>"}}).wantError(400, "InvalidPart")
		f.complete(t, "/bkt/w", id, []listed{{1, etag, ""}}, "x-amz-checksum-crc32: AAAAAA==-1").wantError(400, "BadDigest")
		f.complete(t, "/bkt/w", id, []listed{{1, etag, "<ChecksumCRC32>NhCmhg==</ChecksumCRC32>"}}).want(200)
		for _, header := range [][]string{
			{"x-amz-checksum-algorithm: MD4"},
			{"x-amz-checksum-algorithm: SHA256", "x-amz-checksum-type: FULL_OBJECT"},
			{"x-amz-checksum-algorithm: CRC64NVME", "x-amz-checksum-type: COMPOSITE"},
			{"x-amz-checksum-type: FULL_OBJECT"},
			{"x-amz-checksum-algorithm: CRC32", "x-amz-checksum-type: HALF"},
		} {
			f.do(t, "POST", "/bkt/w?uploads", "", header...).wantError(400, "InvalidRequest")
		}
	})
}

func TestM09PartNumber(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		bodies := []string{letters(600), letters(1000), letters(7)}
		f.multipart(t, "/bkt/m", bodies)
		whole := f.served("bkt", "m", strings.Join(bodies, ""))
		etag := f.do(t, "HEAD", "/bkt/m", "").etag()
		off := 0
		for i, body := range bodies {
			part := whole[off : off+len(body)]
			for _, method := range []string{"GET", "HEAD"} {
				r := f.do(t, method, fmt.Sprintf("/bkt/m?partNumber=%d", i+1), "")
				if method == "GET" {
					r.wantBody(206, part)
				} else {
					r.wantBody(206, "")
				}
				r.wantHeader("ETag: "+etag, "x-amz-mp-parts-count: 3", fmt.Sprintf("Content-Length: %d", len(part)),
					fmt.Sprintf("Content-Range: bytes %d-%d/%d", off, off+len(part)-1, len(whole)))
			}
			off += len(body)
		}
		f.put(t, "/bkt/k", letters(900))
		f.do(t, "GET", "/bkt/k?partNumber=1", "").wantBody(206, f.served("bkt", "k", letters(900))).
			wantHeader("Content-Range: bytes 0-899/900")
		for _, target := range []string{"/bkt/m?partNumber=4", "/bkt/m?partNumber=99", "/bkt/k?partNumber=2"} {
			r := f.do(t, "GET", target, "")
			if r.status != 400 && r.status != 416 {
				t.Errorf("unexpected reply %v", r)
			}
			r.wantError(r.status, "InvalidPart", "InvalidPartNumber")
		}
		for _, n := range []string{"0", "10001", "x", "-1", ""} {
			f.do(t, "GET", "/bkt/m?partNumber="+n, "").wantError(400, "InvalidArgument")
		}
		f.do(t, "GET", "/bkt/m?partNumber=1", "", "Range: bytes=0-1").wantError(400, "InvalidRequest")
		f.put(t, "/bkt/e", "")
		if r := f.do(t, "GET", "/bkt/e?partNumber=1", ""); r.status != 200 && r.status != 206 || r.body != "" || strings.Contains(r.header.Get("Content-Range"), "--") {
			t.Errorf("unexpected reply %v", r)
		}
	})
}

func TestM14EmptyComplete(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		id := f.newUpload(t, "/bkt/m")
		etag := f.putPart(t, "/bkt/m", id, 1, "x")
		for _, body := range []string{
			"", "<CompleteMultipartUpload/>", completeBody(), "<CompleteMultipartUpload>", "garbage", "<Delete/>",
			"<CompleteMultipartUpload><Part><PartNumber>x</PartNumber><ETag>" + xmlText(etag) + "</ETag></Part></CompleteMultipartUpload>",
			"\x00", "{}",
		} {
			f.do(t, "POST", "/bkt/m?uploadId="+id, body).wantError(400, "MalformedXML")
		}
		for _, n := range []int{0, -1, 10001} {
			r := f.complete(t, "/bkt/m", id, []listed{{n, etag, ""}})
			r.wantError(400, "InvalidPart", "MalformedXML", "InvalidArgument")
		}
		f.do(t, "HEAD", "/bkt/m", "").wantError(404)
		// Without a namespace, with another element order and unknown elements.
		f.do(t, "POST", "/bkt/m?uploadId="+id, "<?xml version=\"1.0\"?>\n<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><New>x</New><ETag>"+
			etag+"</ETag></Part></CompleteMultipartUpload>").want(200)
	})
}

func TestM15CreateCarriesMetadata(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		header := []string{"Content-Type: text/x-test", "Content-Encoding: gzip", "x-amz-meta-a: b", "Cache-Control: no-cache", "x-amz-storage-class: GLACIER_IR"}
		id := f.newUpload(t, "/bkt/m", header...)
		etag := f.putPart(t, "/bkt/m", id, 1, "x", "x-amz-meta-part: no", "Content-Type: text/part")
		f.complete(t, "/bkt/m", id, []listed{{1, etag, ""}}, "x-amz-meta-complete: no", "Content-Type: application/xml").want(200)
		f.do(t, "HEAD", "/bkt/m", "").want(200).wantHeader(append(header, "x-amz-meta-part:", "x-amz-meta-complete:")...)
	})
}

func TestReuploadedPartAndEmptyPart(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		id := f.newUpload(t, "/bkt/m")
		first := f.putPart(t, "/bkt/m", id, 1, letters(5000))
		second := f.putPart(t, "/bkt/m", id, 1, letters(700))
		if first != second {
			f.complete(t, "/bkt/m", id, []listed{{1, first, ""}}).wantError(400, "InvalidPart")
		}
		f.complete(t, "/bkt/m", id, []listed{{1, second, ""}}).want(200)
		f.do(t, "GET", "/bkt/m", "").wantBody(200, f.served("bkt", "m", letters(700)))

		r := f.multipart(t, "/bkt/e", []string{""})
		if !strings.HasSuffix(r.element("ETag"), `-1"`) {
			t.Errorf("unexpected ETag %s", r.element("ETag"))
		}
		f.do(t, "GET", "/bkt/e", "").wantBody(200, "")
		f.do(t, "GET", "/bkt/e", "", "Range: bytes=0-").wantError(416, "InvalidRange")
		f.multipart(t, "/bkt/e", []string{letters(600), "", letters(1)})
		f.do(t, "HEAD", "/bkt/e", "").want(200).wantHeader("Content-Length: 601")
		// Announced size.
		id = f.newUpload(t, "/bkt/s")
		etag := f.putPart(t, "/bkt/s", id, 1, "hello")
		f.complete(t, "/bkt/s", id, []listed{{1, etag, ""}}, "x-amz-mp-object-size: 6").wantError(400, "InvalidRequest")
		f.complete(t, "/bkt/s", id, []listed{{1, etag, ""}}, "x-amz-mp-object-size: 5").want(200)
	})
}

// TestH17TenThousandParts completes an upload of 10,000 parts with a document
// of a megabyte, and pages through its parts.
func TestH17TenThousandParts(t *testing.T) {
	f := start(t, testConfig(store.Synth))
	id := f.newUpload(t, "/bkt/m")
	etags := make([]string, 10_000)
	const workers = 4
	var wg sync.WaitGroup
	for i := range workers {
		w := f.dial(t)
		wg.Go(func() {
			for n := i; n < len(etags); n += workers {
				etags[n] = w.do(call{method: "PUT", target: fmt.Sprintf("/bkt/m?partNumber=%d&uploadId=%s", n+1, id), body: "12345", sha: "UNSIGNED-PAYLOAD"}).etag()
			}
		})
	}
	wg.Wait()
	var numbers []int
	for marker := 0; ; {
		page := f.parts(t, "/bkt/m", id, fmt.Sprintf("&part-number-marker=%d&max-parts=5000", marker))
		if page.MaxParts != 1000 || len(page.Part) != 1000 || page.PartNumberMarker != marker {
			t.Fatalf("unexpected page: %d parts, MaxParts %d, PartNumberMarker %d", len(page.Part), page.MaxParts, page.PartNumberMarker)
		}
		for _, p := range page.Part {
			numbers = append(numbers, p.PartNumber)
			if p.ETag != etags[p.PartNumber-1] || p.Size != 5 {
				t.Fatalf("unexpected part %+v", p)
			}
		}
		if !page.IsTruncated {
			break
		}
		marker = page.NextPartNumberMarker
	}
	if len(numbers) != 10_000 || !slices.IsSorted(numbers) {
		t.Errorf("unexpected part numbers: %d", len(numbers))
	}
	parts := make([]listed, len(etags))
	for i, e := range etags {
		parts[i] = listed{i + 1, e, ""}
	}
	body := completeBody(parts...)
	if len(body) < 900_000 {
		t.Errorf("unexpected document of %d bytes; want about a megabyte", len(body))
	}
	f.do(t, "POST", "/bkt/m?uploadId="+id, completeBody(append(parts, listed{10_001, etags[0], ""})...)).wantError(400, "MalformedXML", "InvalidPart", "InvalidArgument")
	r := f.do(t, "POST", "/bkt/m?uploadId="+id, body).want(200)
	if !strings.HasSuffix(r.element("ETag"), `-10000"`) {
		t.Errorf("unexpected ETag %s", r.element("ETag"))
	}
	f.do(t, "GET", "/bkt/m?partNumber=10000", "").want(206).wantHeader("Content-Range: bytes 49995-49999/50000", "x-amz-mp-parts-count: 10000")
}

func TestListPartsPaging(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		id := f.newUpload(t, "/bkt/a%20b%2B", "x-amz-checksum-algorithm: SHA256")
		want := []int{1, 3, 4, 9, 10000}
		for _, n := range want {
			f.putPart(t, "/bkt/a%20b%2B", id, n, letters(n))
		}
		for size := 1; size <= 6; size++ {
			var got []int
			for marker := 0; ; {
				page := f.parts(t, "/bkt/a%20b%2B", id, fmt.Sprintf("&max-parts=%d&part-number-marker=%d", size, marker))
				if page.Key != "a b+" || page.Bucket != "bkt" || page.UploadId != id || page.MaxParts != size || len(page.Part) > size || page.ChecksumAlgorithm != "SHA256" {
					t.Errorf("unexpected page %+v", page)
				}
				for _, p := range page.Part {
					got = append(got, p.PartNumber)
					if p.Size != int64(p.PartNumber) || p.ChecksumSHA256 != sum64(algorithms[4].new(), letters(p.PartNumber)) {
						t.Errorf("unexpected part %+v", p)
					}
				}
				if !page.IsTruncated {
					break
				}
				if page.NextPartNumberMarker <= marker {
					t.Fatalf("the listing does not move on from %d", marker)
				}
				marker = page.NextPartNumberMarker
			}
			if !slices.Equal(got, want) {
				t.Errorf("unexpected parts by %d; got %v; want %v", size, got, want)
			}
		}
		for _, q := range []string{"&max-parts=x", "&max-parts=-1", "&part-number-marker=x", "&part-number-marker=-1"} {
			f.do(t, "GET", "/bkt/a%20b%2B?uploadId="+id+q, "").wantError(400, "InvalidArgument")
		}
	})
}

// attributesResult is GetObjectAttributesResponse.
type attributesResult struct {
	XMLName      xml.Name `xml:"GetObjectAttributesResponse"`
	ETag         string
	ObjectSize   int64
	StorageClass string
	Checksum     *struct{ ChecksumSHA256, ChecksumType string }
	ObjectParts  *struct {
		PartsCount, PartNumberMarker, NextPartNumberMarker, MaxParts int
		IsTruncated                                                  bool
		Part                                                         []struct {
			PartNumber     int
			Size           int64
			ChecksumSHA256 string
		}
	}
}

func TestGetObjectAttributes(t *testing.T) {
	conformance(t, func(t *testing.T, f *fixture) {
		const all = "x-amz-object-attributes: ETag,Checksum, ObjectParts,StorageClass,ObjectSize"
		get := func(target string, header ...string) (doc attributesResult) {
			t.Helper()
			f.do(t, "GET", target, "", header...).wantHeader().parse(&doc)
			return doc
		}
		etag := strings.Trim(f.put(t, "/bkt/k", "hello", "x-amz-checksum-sha256: "+algorithms[4].hello).etag(), `"`)
		doc := get("/bkt/k?attributes", all)
		if doc.ETag != etag || doc.ObjectSize != 5 || doc.StorageClass != "STANDARD" || doc.ObjectParts != nil ||
			doc.Checksum == nil || doc.Checksum.ChecksumSHA256 != algorithms[4].hello || doc.Checksum.ChecksumType != "FULL_OBJECT" {
			t.Errorf("unexpected attributes %+v", doc)
		}
		if doc := get("/bkt/k?attributes", "x-amz-object-attributes: ObjectSize"); doc.ETag != "" || doc.ObjectSize != 5 || doc.StorageClass != "" || doc.Checksum != nil {
			t.Errorf("unexpected attributes %+v", doc)
		}
		bodies := []string{letters(600), letters(700), letters(3)}
		f.multipart(t, "/bkt/m", bodies)
		doc = get("/bkt/m?attributes", all, "x-amz-max-parts: 1", "x-amz-part-number-marker: 1")
		if p := doc.ObjectParts; p == nil || p.PartsCount != 3 || p.MaxParts != 1 || p.PartNumberMarker != 1 || p.NextPartNumberMarker != 2 || !p.IsTruncated ||
			len(p.Part) != 1 || p.Part[0].PartNumber != 2 || p.Part[0].Size != 700 || p.Part[0].ChecksumSHA256 != "" {
			t.Errorf("unexpected parts %+v", doc.ObjectParts)
		}
		doc = get("/bkt/m?attributes", all)
		if p := doc.ObjectParts; p == nil || len(p.Part) != 3 || p.IsTruncated || p.Part[2].Size != 3 {
			t.Errorf("unexpected parts %+v", doc.ObjectParts)
		}
		for _, header := range []string{"x-amz-object-attributes: ", "x-amz-object-attributes: Foo", "X: y"} {
			f.do(t, "GET", "/bkt/k?attributes", "", header).wantError(400, "InvalidRequest", "InvalidArgument")
		}
		for _, marker := range []string{"3", "4", "10000"} {
			doc = get("/bkt/m?attributes", all, "x-amz-part-number-marker: "+marker)
			if p := doc.ObjectParts; p == nil || len(p.Part) != 0 || p.IsTruncated {
				t.Errorf("unexpected parts after %s: %+v", marker, doc.ObjectParts)
			}
		}
		f.do(t, "GET", "/bkt/none?attributes", "", all).wantError(404, "NoSuchKey")
	})
}
