package server_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/s3ultra/s3ultra/server"
	"github.com/s3ultra/s3ultra/store"
)

// logged is a fixture with an access log.
func logged(t *testing.T, name string, format server.AccessLogFormat) (*fixture, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	cfg := testConfig(store.Synth)
	cfg.AccessLog = server.AccessLogConfig{Path: path, Format: format}
	return start(t, cfg), path
}

// ends shuts the server down, after which the log is complete.
func ends(t *testing.T, f *fixture) {
	t.Helper()
	f.wire.close()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := f.srv.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestAccessLogOfRequests(t *testing.T) {
	f, path := logged(t, "access.log", server.AccessLogJSON)
	f.do(t, "PUT", "/bkt?versioning", "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>").want(200)
	version := f.put(t, "/bkt/a%20b", letters(2000)).header.Get("X-Amz-Version-Id")
	f.do(t, "GET", "/bkt/a%20b", "", "Range: bytes=0-99", "User-Agent: tester", "Referer: there").want(206)
	f.do(t, "GET", "/_s3ultra/health", "").want(200)
	f.send(t, call{method: "GET", target: "/minio/health/live", anonymous: true}).want(200)
	f.send(t, call{method: "GET", target: "/bkt/none", anonymous: true}).want(403)
	ends(t, f)
	type line struct {
		Operation, Bucket, Key, Target, Code, Auth, Remote, Referer string
		Access_Key, User_Agent, Version_ID, Request_ID              string
		Status                                                      int
		Received_Bytes, Sent_Bytes, TTFB_ns, Duration_ns            int64
		Object_Bytes                                                *int64
	}
	var lines []line
	for d := json.NewDecoder(strings.NewReader(readFile(t, path))); d.More(); {
		var l line
		if err := d.Decode(&l); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, l)
	}
	if len(lines) != 4 {
		t.Fatalf("unexpected lines; got %+v; want 4, none of health checks", lines)
	}
	put, get, refused := lines[1], lines[2], lines[3]
	if put.Operation != "PutObject" || put.Key != "a b" || put.Received_Bytes != 2000 || *put.Object_Bytes != 2000 ||
		put.Version_ID != version || put.Access_Key != testKey.AccessKey || put.Auth != "header" {
		t.Errorf("unexpected line of the PUT; got %+v", put)
	}
	if get.Operation != "GetObject" || get.Status != 206 || get.Sent_Bytes != 100 || *get.Object_Bytes != 2000 || get.Target != "/bkt/a%20b" ||
		get.User_Agent != "tester" || get.Referer != "there" || get.TTFB_ns <= 0 || get.Duration_ns < get.TTFB_ns || len(get.Request_ID) != 16 {
		t.Errorf("unexpected line of the GET; got %+v", get)
	}
	if refused.Code != "AccessDenied" || refused.Status != 403 || refused.Access_Key != "" || refused.Auth != "none" || refused.Object_Bytes != nil {
		t.Errorf("unexpected line of a refused request; got %+v", refused)
	}
}

// A rotation: the file is moved away, the rest goes to a new one, and no line
// is lost or doubled.
func TestAccessLogReopen(t *testing.T) {
	f, path := logged(t, "access.log", server.AccessLogS3)
	f.put(t, "/bkt/one", "1")
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	f.put(t, "/bkt/two", "2")
	if err := f.srv.ReopenLogs(); err != nil {
		t.Fatal(err)
	}
	f.put(t, "/bkt/three", "3")
	// One that cannot be opened leaves the old file in use.
	if err := os.Rename(path, path+".2"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := f.srv.ReopenLogs(); err == nil {
		t.Error("unexpected success of opening a directory")
	}
	f.put(t, "/bkt/four", "4")
	ends(t, f)
	check := func(name string, keys ...string) {
		t.Helper()
		lines := strings.Split(strings.TrimSpace(readFile(t, name)), "\n")
		if len(lines) != len(keys) {
			t.Fatalf("unexpected lines in %s; got %q; want %v", filepath.Base(name), lines, keys)
		}
		for i, key := range keys {
			if !strings.Contains(lines[i], " REST.PUT.OBJECT "+key+" ") {
				t.Errorf("unexpected line in %s; got %q; want %s", filepath.Base(name), lines[i], key)
			}
		}
	}
	check(path+".1", "one", "two")
	check(path+".2", "three", "four")
}

// The compressed operation log of a run, over two starts, is one table.
func TestOpLogFile(t *testing.T) {
	f, path := logged(t, "ops.tsv.zst", server.AccessLogOpLog)
	f.put(t, "/bkt/a", letters(1000))
	f.do(t, "GET", "/bkt/a", "").want(200)
	id := f.do(t, "POST", "/bkt/big?uploads", "").want(200).element("UploadId")
	etag := f.do(t, "PUT", "/bkt/big?partNumber=1&uploadId="+id, letters(5000)).want(200).etag()
	time.Sleep(20 * time.Millisecond)
	f.do(t, "POST", "/bkt/big?uploadId="+id, "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>"+etag+"</ETag></Part></CompleteMultipartUpload>").want(200)
	ends(t, f)
	cfg := testConfig(store.Synth)
	cfg.AccessLog = server.AccessLogConfig{Path: path, Format: server.AccessLogOpLog}
	f = start(t, cfg)
	f.do(t, "HEAD", "/bkt/a", "").want(404)
	f.do(t, "DELETE", "/bkt/a", "").want(204)
	f.put(t, "/bkt/dir/1", "1")
	f.put(t, "/bkt/dir/2", "2")
	// Each listing in two pages.
	token := f.do(t, "GET", "/bkt?list-type=2&prefix=dir%2F&max-keys=1&continuation-token=", "").want(200).element("NextContinuationToken")
	f.do(t, "GET", "/bkt?list-type=2&prefix=dir%2F&continuation-token="+token, "").want(200)
	f.do(t, "GET", "/bkt?prefix=dir%2F&max-keys=1", "").want(200)
	f.do(t, "GET", "/bkt?prefix=dir%2F&marker=dir%2F1", "").want(200)
	f.do(t, "GET", "/bkt?versions&max-keys=1", "").want(200)
	f.do(t, "GET", "/bkt?versions&key-marker=dir%2F1", "").want(200)
	f.do(t, "GET", "/none?list-type=2&prefix=dir%2F", "").want(404)
	f.do(t, "GET", "/bkt/none", "").want(404)
	f.do(t, "POST", "/bkt?delete", "<Delete><Object><Key>dir/1</Key></Object><Object><Key>dir/2</Key><VersionId>odd</VersionId></Object></Delete>").want(200)
	f.do(t, "POST", "/bkt?delete", "<Delete></Delete>").want(400)
	ends(t, f)

	zip, err := zstd.NewReader(strings.NewReader(readFile(t, path)))
	if err != nil {
		t.Fatal(err)
	}
	defer zip.Close()
	text, err := io.ReadAll(zip)
	if err != nil {
		t.Fatal(err)
	}
	r := csv.NewReader(bytes.NewReader(text))
	r.Comma = '\t'
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatalf("cannot read the table: %v\n%s", err, text)
	}
	if rows[0][0] != "idx" || rows[0][12] != "duration_ns" {
		t.Errorf("unexpected header; got %v", rows[0])
	}
	want := [][]string{ // op, bytes, endpoint, file, error
		{"PUT", "1000", "s3://bkt/", "a", ""}, {"GET", "1000", "s3://bkt/", "a", ""}, {"PUT", "5000", "s3://bkt/", "big", ""},
		{"STAT", "0", "s3://bkt/", "a", "NoSuchKey"}, {"DELETE", "0", "s3://bkt/", "a", ""},
		{"PUT", "1", "s3://bkt/", "dir/1", ""}, {"PUT", "1", "s3://bkt/", "dir/2", ""},
		{"LIST", "0", "s3://bkt/", "dir/", ""}, {"LIST", "0", "s3://bkt/", "dir/", ""}, {"LIST", "0", "s3://bkt/", "", ""},
		{"LIST", "0", "s3://none/", "dir/", "NoSuchBucket"}, {"GET", "0", "s3://bkt/", "none", "NoSuchKey"},
		{"DELETE", "0", "s3://bkt/", "dir/1", ""}, {"DELETE", "0", "s3://bkt/", "dir/2", "NoSuchVersion"},
	}
	if len(rows) != len(want)+1 {
		t.Fatalf("unexpected rows; got %v; want %v", rows, want)
	}
	for i, w := range want {
		row := rows[i+1]
		if got := []string{row[2], row[5], row[6], row[7], row[8]}; !slices.Equal(got, w) || row[3] != "127.0.0.1" {
			t.Errorf("unexpected row; got %v; want %v", row, w)
		}
		begin, err := time.Parse(time.RFC3339Nano, row[9])
		if err != nil || time.Since(begin) > patience {
			t.Errorf("unexpected start; got %q, %v", row[9], err)
		}
	}
	if d, err := time.ParseDuration(rows[3][12] + "ns"); err != nil || d < 19*time.Millisecond {
		t.Errorf("unexpected duration of the multipart upload; got %v, %v; want that of all of it", d, err)
	}
}

// What cannot be opened stops the start.
func TestAccessLogMissingFolder(t *testing.T) {
	cfg := testConfig(store.Synth)
	cfg.AccessLog.Path = filepath.Join(t.TempDir(), "none", "access.log")
	if _, err := server.New(cfg); err == nil || !strings.Contains(err.Error(), "cannot open the access log") {
		t.Errorf("unexpected error; got %v", err)
	}
}
