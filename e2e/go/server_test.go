package e2e

import (
	"bufio"
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	accessKey = "e2e-access-key"
	secretKey = "e2e-secret/key+with=signs" // "/ + =" are what clients get wrong in a secret
	region    = "us-east-1"
	seed      = 20260731 // any number but the default, so that a server ignoring --seed is noticed
	keepSmall = 512      // the server's default: below it a synthetic object keeps its true bytes

	// A start takes milliseconds; the rest is for a machine busy with other work.
	startTimeout = 30 * time.Second
	stopTimeout  = 15 * time.Second
)

// server is a running server and what the tests must know of it.
type server struct {
	mode   string
	url    string // without a trailing slash
	host   string // 127.0.0.1:port
	suffix string // buckets of two runs against one external server must not meet
}

// startServer starts the binary named by E2E_BINARY (default bin/s3ultra) on port 0 and stops it when t ends. E2E_ENDPOINT
// names another S3 server to use for memory mode, which tells a fault of ours from one of the client.
func startServer(t *testing.T, mode string) *server {
	t.Helper()
	s := &server{mode: mode, suffix: fmt.Sprintf("%06x", rand.Uint32N(1<<24))}
	if external := os.Getenv("E2E_ENDPOINT"); external != "" {
		s.url = external
		s.host = strings.TrimPrefix(external, "http://")
		return s
	}
	binary := os.Getenv("E2E_BINARY")
	if binary == "" {
		binary = filepath.Join("..", "..", "bin", "s3ultra")
	}
	cmd := exec.Command(binary, "serve", "--mode", mode, "--seed", fmt.Sprint(seed), "--listen", "127.0.0.1:0",
		"--access-key", accessKey, "--secret-key", secretKey)
	var log bytes.Buffer
	cmd.Stderr = &log
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatalf("cannot make a pipe: %v", err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatalf("cannot start the server (make build makes it): %v", err)
	}
	ready := make(chan string, 1)
	go func() {
		lines := bufio.NewScanner(stdout)
		for lines.Scan() {
			if url := readyURL.FindStringSubmatch(lines.Text()); url != nil {
				ready <- url[1]
			}
		}
		close(ready)
	}()
	t.Cleanup(func() { stopServer(t, cmd, &log) })
	select {
	case s.url = <-ready:
	case <-time.After(startTimeout):
	}
	if s.url == "" {
		t.Fatal("the server printed no ready line")
	}
	s.host = strings.TrimPrefix(s.url, "http://")
	return s
}

var readyURL = regexp.MustCompile(`^s3ultra ready: (http://[0-9.]+:[0-9]+)`)

// stopServer sends SIGTERM, which must end the server with code 0, and shows its log if the test failed.
func stopServer(t *testing.T, cmd *exec.Cmd, log *bytes.Buffer) {
	_ = cmd.Process.Signal(syscall.SIGTERM)
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("unexpected end of the server; got %v; want exit code 0", err)
		}
	case <-time.After(stopTimeout):
		_ = cmd.Process.Kill()
		t.Errorf("the server did not stop within %v of SIGTERM", stopTimeout)
	}
	if t.Failed() {
		t.Logf("the server's log:\n%s", log)
	}
}

func (s *server) bucket(name string) string {
	return "e2e-" + name + "-" + s.suffix
}

// keeps tells whether an object of that size is served as it was written.
func (s *server) keeps(size int) bool {
	return s.mode == "memory" || size < keepSmall
}

// expected is what reading bucket/key must give after data was written to it.
func (s *server) expected(bucket, key string, data []byte) []byte {
	if s.keeps(len(data)) {
		return data
	}
	return content(seed, bucket, key, len(data))
}

var synthETag = regexp.MustCompile(`^[0-9a-f]{32}-([0-9]+)$`)

// checkETag checks the form of an ETag: the true MD5 where bytes are kept, else one that no client takes for an MD5.
// partSize is 0 for a single PUT.
func (s *server) checkETag(t *testing.T, etag string, data []byte, partSize int) {
	t.Helper()
	etag = strings.Trim(etag, `"`)
	parts := 1
	if partSize > 0 {
		parts = (len(data) + partSize - 1) / partSize
	}
	if want := md5ETag(data, partSize); s.keeps(len(data)) && etag == want {
		return
	} else if s.mode == "memory" {
		t.Errorf("unexpected ETag; got %s; want %s", etag, want)
		return
	}
	if m := synthETag.FindStringSubmatch(etag); m == nil || m[1] != fmt.Sprint(parts) {
		t.Errorf("unexpected ETag of a synthetic object; got %s; want 32 hex digits and -%d", etag, parts)
	}
}

func md5ETag(data []byte, partSize int) string {
	if partSize == 0 {
		sum := md5.Sum(data)
		return hex.EncodeToString(sum[:])
	}
	var sums []byte
	n := 0
	for ; n*partSize < len(data); n++ {
		sum := md5.Sum(data[n*partSize : min((n+1)*partSize, len(data))])
		sums = append(sums, sum[:]...)
	}
	sum := md5.Sum(sums)
	return fmt.Sprintf("%x-%d", sum, n)
}

// payload returns size bytes that differ from name to name and repeat from run to run.
func payload(name string, size int) []byte {
	key := md5.Sum([]byte(name))
	var chacha [32]byte
	copy(chacha[:], key[:])
	out := make([]byte, size)
	_, _ = rand.NewChaCha8(chacha).Read(out) // never fails
	return out
}

// same checks two byte strings and names the first differing offset instead of printing megabytes.
func same(t *testing.T, got, want []byte, what string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("unexpected length of %s; got %d; want %d", what, len(got), len(want))
		return
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("unexpected bytes of %s at offset %d; got %x; want %x", what, i, got[i:min(i+16, len(got))], want[i:min(i+16, len(want))])
			return
		}
	}
}
