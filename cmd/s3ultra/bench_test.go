package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/s3ultra/s3ultra/cmd/s3ultra/bench"
)

// Every flag of bench --help has a row in the bench section of docs/cli.md,
// and every load is explained there.
func TestBenchIsDocumented(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "cli.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := bytes.Cut(doc, []byte("\n## bench\n"))
	if !ok {
		t.Fatal("docs/cli.md has no section on bench")
	}
	section, _, _ = bytes.Cut(section, []byte("\n## "))
	code, help, stderr := runLine("bench", "--help")
	if code != exitClean || stderr != "" {
		t.Fatalf("unexpected exit of bench --help; got %d, %q; want 0", code, stderr)
	}
	flags := regexp.MustCompile(`(?m)^   --([a-z-]+)`).FindAllStringSubmatch(help, -1)
	if len(flags) < 12 {
		t.Fatalf("unexpected number of flags in the help; got %d; want all", len(flags))
	}
	for _, f := range flags {
		if f[1] != "help" && !regexp.MustCompile("(?m)^\\| `--"+f[1]+"[` ]").Match(section) {
			t.Errorf("docs/cli.md has no row for bench --%s", f[1])
		}
	}
	for _, name := range bench.LoadNames() {
		if !bytes.Contains(section, []byte("`"+name+"`")) {
			t.Errorf("docs/cli.md does not explain the load %s", name)
		}
	}
}

func TestBenchUsage(t *testing.T) {
	f := func(want string, args ...string) {
		t.Helper()
		code, _, stderr := runLine(append([]string{"bench"}, args...)...)
		if code != exitUsage || !strings.Contains(stderr, want) {
			t.Errorf("unexpected end of bench %v; got %d, %q; want 2 and %q", args, code, stderr, want)
		}
	}
	f("unknown load", "--loads", "get-9m")
	f("rounds", "--rounds", "101")
	f("duration", "--duration", "1h")
	f("connections", "--concurrency", "0")
	f("without an endpoint", "--compare")
	f("is not http", "--endpoint", "ftp://127.0.0.1")
	f("together", "--endpoint", "http://127.0.0.1:1", "--access-key", "only")
	f("unexpected argument", "get-8m")
}

// The real binary, its server and its floors.
func TestBench(t *testing.T) {
	cmd := command(nil, "bench", "--json", "--rounds", "2", "--duration", "40ms",
		"--loads", "get-1m,put-1k,list", "--concurrency", "1,4", "--", "--seed", "7")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("cannot measure: %v\n%s", err, &stderr)
	}
	var report bench.Report
	if err := json.Unmarshal(out, &report); err != nil {
		t.Fatalf("unexpected output: %v\n%s", err, out)
	}
	// For each of two concurrencies three floors, and loads against both
	// modes, the list against one.
	if len(report.Rows) != 2*(3+5) {
		t.Fatalf("unexpected number of rows; got %d; want 16", len(report.Rows))
	}
	for _, row := range report.Rows {
		if row.Failed != 0 || len(row.Samples) != 2 || row.Median.RequestsPerSecond <= 0 || row.Median.P50 <= 0 {
			t.Errorf("unexpected row %s, %s: %+v", row.Title, row.Target, row.Median)
		}
	}
}

// Another server is measured, and left as it was.
func TestBenchEndpoint(t *testing.T) {
	p := start(t, "--access-key", "a", "--secret-key", "s", "--mode", "memory")
	args := []string{"bench", "--endpoint", p.url, "--rounds", "1", "--duration", "20ms", "--access-key", "a",
		"--loads", "get-323k,put-4k,part-32m,head,list", "--concurrency", "2"}
	out, err := command([]string{"S3ULTRA_SECRET_KEY=s"}, args...).CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("endpoint")) {
		t.Fatalf("unexpected end: %v\n%s", err, out)
	}
	out, err = command([]string{"S3ULTRA_SECRET_KEY=wrong"}, args...).CombinedOutput()
	if exitCode(t, err) != exitRuntime || !bytes.Contains(out, []byte("403 SignatureDoesNotMatch")) {
		t.Fatalf("unexpected end with a wrong key: %v\n%s", err, out)
	}
}
