package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A database that cannot be opened is one line and exit code 1, a wrong setting
// exit code 2; a clean end leaves nothing to recover.
func TestDatabaseFaults(t *testing.T) {
	dir := t.TempDir()
	f := func(code int, want string, args ...string) {
		t.Helper()
		var stderr bytes.Buffer
		cmd := command(nil, append([]string{"serve", "--listen", "127.0.0.1:0", "--admin-listen", "off", "--log-level", "error"}, args...)...)
		cmd.Stderr = &stderr
		if got := exitCode(t, cmd.Run()); got != code || !strings.Contains(stderr.String(), want) || strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("unexpected exit of %q; got %d %q; want %d with %q", args, got, stderr.String(), code, want)
		}
	}
	f(2, "--persist-data needs --db-path", "--persist-data")
	f(2, "bad --sync-interval", "--db-path", dir, "--sync-interval", "soon")
	f(1, "not a directory", "--db-path", "persist_test.go")
	p := start(t, "--db-path", dir, "--bucket", "abc", "--seed", "3", "--admin-listen", "off")
	f(1, "it is in use by another process", "--db-path", dir, "--seed", "3")
	p.signal(t)
	if code := p.wait(t); code != 0 {
		t.Fatalf("unexpected exit code; got %d; want 0", code)
	}
	if list, err := os.ReadDir(filepath.Join(dir, "wal")); err != nil || len(list) > 0 {
		t.Errorf("unexpected write-ahead log after a clean end; got %v, %v; want none", list, err)
	}
	f(1, "its seed is 3, not 0", "--db-path", dir)
	f(2, `bucket "abc" in memory mode: it exists in synth mode`, "--db-path", dir, "--seed", "3", "--bucket", "abc:memory")
	manifests, err := filepath.Glob(filepath.Join(dir, "index", "MANIFEST-*"))
	if err != nil || len(manifests) == 0 {
		t.Fatalf("no manifest: %v", err)
	}
	for _, path := range manifests {
		if err := os.Truncate(path, 10); err != nil {
			t.Fatal(err)
		}
	}
	f(1, "it is damaged", "--db-path", dir, "--seed", "3")
}
