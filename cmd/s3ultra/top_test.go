package main

import (
	"bytes"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/s3ultra/s3ultra/server"
)

// Into a pipe, top prints the state once, without a terminal's marks.
func TestTopPrintsOnce(t *testing.T) {
	p := start(t, "--admin-listen", "127.0.0.1:0", "--bucket", "data:memory")
	resp, err := http.Post(p.url+"/data/weights.bin?uploads", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp, err = http.Get(p.url + "/nowhere/%1b%5b31mkey"); err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	admin := p.admin(t)
	var out string
	for deadline := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		var stdout, stderr bytes.Buffer
		cmd := command(nil, "top", strings.TrimPrefix(admin, "http://"))
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Run(); err != nil {
			t.Fatalf("unexpected end of top: %v\n%s", err, &stderr)
		}
		// The server counts by the second.
		if out = stdout.String(); strings.Contains(out, "CreateMultipartUpload") || time.Now().After(deadline) {
			break
		}
	}
	for _, want := range []string{"live", "OPERATION", "CreateMultipartUpload", "ERROR", "404 NoSuchBucket", "GetObject /nowhere/%1b%5b31mkey: ",
		"BUCKET", "memory", "UPLOAD", "data/weights.bin", "connections", "memory stored"} {
		if !strings.Contains(out, want) {
			t.Errorf("top does not print %q:\n%s", want, out)
		}
	}
	if strings.ContainsRune(out, 0x1b) {
		t.Errorf("top prints marks of a terminal into a pipe: %q", out)
	}
}

func TestTopUsage(t *testing.T) {
	f := func(want int, args ...string) {
		t.Helper()
		if code, _, stderr := runLine(append([]string{"top"}, args...)...); code != want || stderr == "" {
			t.Errorf("unexpected end of top %v; got %d, %q; want %d", args, code, stderr, want)
		}
	}
	f(exitUsage, "--interval", "200ms")
	f(exitUsage, "off")
	f(exitUsage, "ftp://127.0.0.1")
	f(exitUsage, "127.0.0.1:1", "127.0.0.1:2")
	// Nobody listens on tcpmux. Flags may follow the URL.
	f(exitRuntime, "--once", "127.0.0.1:1")
	f(exitRuntime, "127.0.0.1:1", "--once")
}

// fullView is a state in which every list is longer than a screen.
func fullView() *topView {
	v := &topView{host: "127.0.0.1:9001"}
	evil := "\x1b]0;title\a\r\n\u202e" + strings.Repeat("長", 300)
	for i := range 60 {
		v.stats.Operations = append(v.stats.Operations, server.OperationStats{Name: "GetObject", Requests: uint64(math.MaxInt64), Rate: 1e9})
		v.stats.Buckets = append(v.stats.Buckets, server.BucketStats{Name: evil, Mode: "synth", Objects: 1 << 40, Bytes: math.MaxInt64})
		v.stats.Uploads = append(v.stats.Uploads, server.UploadStats{Bucket: "b", Key: evil})
		v.stats.Failures = append(v.stats.Failures, server.Failure{Status: 404, Code: "NoSuchKey", Target: evil, Cause: evil, Times: 3})
		v.samples = append(v.samples, server.Sample{Number: uint64(i + 1), Sent: float64(i)})
	}
	v.stats.BucketsAll, v.stats.UploadsAll = 100_000, 60
	return v
}

// Whatever the server holds fits the terminal, and a name moves no cursor.
func TestTopFitsTheTerminal(t *testing.T) {
	v := fullView()
	for _, width := range []int{1, 20, 40, 80, 133, 500} {
		for _, height := range []int{1, 5, 24, 60} {
			lines := v.lines(width, height, false)
			if len(lines) > height {
				t.Errorf("unexpected number of lines at %dx%d; got %d", width, height, len(lines))
			}
			for _, line := range lines {
				if n := utf8.RuneCountInString(line); n > width || printable(line) != line {
					t.Errorf("unexpected line at %dx%d; got %d characters: %q", width, height, n, line)
				}
			}
		}
	}
	styled := strings.Join(v.lines(120, 60, true), "\n")
	if rest := regexp.MustCompile(`\x1b\[\d*m`).ReplaceAllString(styled, ""); strings.ContainsAny(rest, "\x1b\a\r") {
		t.Errorf("a name reaches the terminal: %q", rest)
	}
	for _, want := range []string{"OPERATION", "ERROR", "BUCKET", "UPLOAD", "more", "█"} {
		if !strings.Contains(styled, want) {
			t.Errorf("the screen lacks %q", want)
		}
	}
}

// A column that does not fit is left out, and a list has a row or is.
func TestTopLeavesOut(t *testing.T) {
	v := &topView{}
	v.stats.Operations = []server.OperationStats{{Name: "CreateMultipartUpload", Requests: 123_456_789, Sent: 1 << 30}, {Name: "GetObject"}, {Name: "PutObject"}}
	v.stats.Buckets = []server.BucketStats{{Name: "a"}, {Name: "b"}, {Name: "c"}}
	v.stats.BucketsAll = 3
	f := func(width, height int, want, lacks string) {
		t.Helper()
		text := strings.Join(v.lines(width, height, false), "\n")
		if !strings.Contains(text, want) || strings.Contains(text, lacks) {
			t.Errorf("unexpected lines at %dx%d; want %q and no %q:\n%s", width, height, want, lacks, text)
		}
	}
	f(102, 40, "1.00 GiB         0 B", "…")
	f(91, 40, "123,456,789    1.00 GiB", "IN")
	f(80, 40, "REQUESTS", "OUT")
	f(70, 40, "ERRORS", "REQUESTS")
	// 11 lines are above the lists, and each is of 4 at least.
	f(80, 19, "  and 2 more\n\nBUCKET", "and 3 more")
	f(80, 18, "PutObject", "BUCKET")
	f(80, 14, "", "OPERATION")
}

func TestTopNumbers(t *testing.T) {
	f := func(got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("unexpected text; got %q; want %q", got, want)
		}
	}
	f(byteText(0), "0 B")
	f(byteText(999), "999 B")
	f(byteText(1000), "0.98 KiB")
	f(byteText(1.5*(1<<30)), "1.50 GiB")
	f(byteText(math.MaxInt64), "8.00 EiB")
	f(countText(0), "0")
	f(countText(1.25), "1.2")
	f(countText(12_345.6), "12,346")
	f(countText(1_234_567), "1.23 M")
	f(latencyText(0), "-")
	f(latencyText(0.000_024), "24.0 µs")
	f(latencyText(0.999_9e-3), "1.00 ms")
	f(latencyText(2.5), "2.50 s")
	f(wholeText(-1_234), "-1,234")
	f(spanText(59.9), "59 s")
	f(spanText(7_385), "2 h 3 min")
	f(cut("abcdef", 4), "abc…")
}

func TestTopSharesLines(t *testing.T) {
	f := func(room int, needs, want []int) {
		t.Helper()
		if got := share(room, needs); !slices.Equal(got, want) {
			t.Errorf("unexpected parts of %d for %v; got %v; want %v", room, needs, got, want)
		}
	}
	f(20, []int{3, 4, 5}, []int{3, 4, 5})
	f(20, []int{30, 2, 30}, []int{9, 2, 9})
	f(3, []int{5, 5, 5}, []int{1, 1, 1})
	f(0, nil, nil)
}

// What arrives between two questions is asked for, once.
func TestTopFillsGaps(t *testing.T) {
	p := start(t, "--admin-listen", "127.0.0.1:0")
	one, err := newTop(p.admin(t))
	if err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(patience)
	for len(one.view.samples) < 3 && time.Now().Before(deadline) {
		time.Sleep(1500 * time.Millisecond)
		if err := one.update(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for i, s := range one.view.samples {
		if s.Number != uint64(i+1) {
			t.Fatalf("unexpected number of sample %d; got %d", i, s.Number)
		}
	}
	if len(one.view.samples) < 3 {
		t.Fatalf("unexpected number of samples; got %d; want 3 or more", len(one.view.samples))
	}
}
