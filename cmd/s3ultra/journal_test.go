package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/s3ultra/s3ultra/server"
)

// admin returns the URL of the process's admin server.
func (p *process) admin(t *testing.T) string {
	t.Helper()
	_, url, ok := strings.Cut(strings.TrimSpace(p.ready), " admin=")
	if !ok {
		t.Fatalf("the ready line has no admin word: %q", p.ready)
	}
	return url
}

// request sends one anonymous request and returns the status.
func (p *process) request(t *testing.T, method, target, body string) int {
	t.Helper()
	req, err := http.NewRequest(method, p.url+target, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode
}

func TestJournalCommand(t *testing.T) {
	p := start(t, "--admin-listen", "127.0.0.1:0", "--bucket", "bkt")
	p.request(t, "PUT", "/bkt/a", "body")
	p.request(t, "GET", "/bkt/a", "")
	p.request(t, "GET", "/bkt/b%09", "")
	f := func(want []string, args ...string) {
		t.Helper()
		out, err := command(nil, append(append([]string{"journal"}, args...), p.admin(t))...).CombinedOutput()
		if err != nil {
			t.Fatalf("journal %v failed: %v %s", args, err, out)
		}
		for _, w := range want {
			if !strings.Contains(string(out), w) {
				t.Errorf("unexpected output of journal %v; got\n%s\nwant %q in it", args, out, w)
			}
		}
	}
	f([]string{"PutObject", "bkt/a", "in 4", "out 4", "404", "NoSuchKey", `"bkt/b\t"`, "2 GetObject\n", "3 of 3 requests"})
	f([]string{"1 of 3 requests"}, "--status", "4xx")
	f([]string{"2 of 3 requests"}, "--bucket", "bkt", "--prefix", "a", "--operation", "GetObject,PutObject")
	out, err := command(nil, "journal", "--json", "--limit", "1", p.admin(t)).Output()
	var page server.JournalPage
	if err != nil || json.Unmarshal(out, &page) != nil || len(page.Requests) != 1 || page.Matched != 3 {
		t.Errorf("unexpected JSON; got %s, %v", out, err)
	}
	f(nil, "--reset")
	out, err = command([]string{"S3ULTRA_ADMIN_LISTEN=" + strings.TrimPrefix(p.admin(t), "http://")}, "journal").Output()
	if err != nil || string(out) != "0 of 0 requests since the last reset\n" {
		t.Errorf("unexpected journal after a reset; got %q, %v", out, err)
	}
	bad, err := command(nil, "journal", "--operation", "Get", p.admin(t)).CombinedOutput()
	if code := exitCode(t, err); code != exitRuntime || !strings.Contains(string(bad), "unknown operation") {
		t.Errorf("unexpected end with a misspelt operation; got %d %q; want 1", code, bad)
	}
}

// Several servers share the default address of the admin server; one that was
// asked for must be free.
func TestAdminListen(t *testing.T) {
	// Whoever has it, this test or another program: the server cannot.
	if taken, err := net.Listen("tcp", defaultAdminListen); err == nil {
		defer taken.Close()
	}
	second := start(t)
	if second.admin(t) != "off" {
		t.Errorf("unexpected admin server where the address is taken; got %q", second.ready)
	}
	// The log comes through another pipe than the ready line.
	for range 100 {
		if strings.Contains(second.stderr.String(), "there is no admin server") {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if !strings.Contains(second.stderr.String(), "there is no admin server") {
		t.Errorf("unexpected log without an admin server; got %q", second.stderr.String())
	}
	if code := second.request(t, "GET", "/", ""); code != 200 {
		t.Errorf("unexpected status of a server without an admin server; got %d; want 200", code)
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	var stderr bytes.Buffer
	cmd := command(nil, "--log-level", "error", "--listen", "127.0.0.1:0", "--admin-listen", taken.Addr().String())
	cmd.Stderr = &stderr
	if code := exitCode(t, cmd.Run()); code != exitRuntime || !strings.Contains(stderr.String(), "--admin-listen: address already in use") {
		t.Errorf("unexpected end with a busy admin address; got %d %q; want 1", code, &stderr)
	}
	if p := start(t, "--admin-listen", "off"); p.admin(t) != "off" || strings.Contains(p.stderr.String(), "admin") {
		t.Errorf("unexpected admin server; got %q %q; want none", p.ready, p.stderr)
	}
	p := start(t, "--admin-listen", "127.0.0.1:0", "--listen", "127.0.0.1:0")
	resp, err := http.Get(p.admin(t) + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 200 {
		t.Errorf("unexpected readiness after the ready line; got %d; want 200", resp.StatusCode)
	}
	p.signal(t)
	if code := p.wait(t); code != exitClean {
		t.Errorf("unexpected exit code; got %d; want 0\n%s", code, p.stderr)
	}
}

// SIGHUP after a rotation: what comes next is in the new file.
func TestAccessLogHangup(t *testing.T) {
	path := filepath.Join(t.TempDir(), "access.log")
	p := start(t, "--bucket", "bkt", "--access-log", path, "--access-log-format", "json")
	p.request(t, "PUT", "/bkt/before", "x")
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(path); err == nil {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the log was not reopened\n%s", p.stderr)
		}
	}
	p.request(t, "PUT", "/bkt/after", "x")
	p.signal(t)
	if code := p.wait(t); code != exitClean {
		t.Errorf("unexpected exit code; got %d; want 0\n%s", code, p.stderr)
	}
	for name, key := range map[string]string{path + ".1": "before", path: "after"} {
		text, err := os.ReadFile(name)
		if err != nil || strings.Count(string(text), "\n") != 1 || !strings.Contains(string(text), `"key":"`+key+`"`) {
			t.Errorf("unexpected %s; got %q, %v; want the line of %s", filepath.Base(name), text, err, key)
		}
	}
	// On standard output the lines follow the ready block.
	p = start(t, "--bucket", "bkt", "--access-log", "-", "--access-log-format", "oplog")
	p.request(t, "PUT", "/bkt/out", "x")
	p.signal(t)
	p.wait(t)
	rest, _ := io.ReadAll(p.stdout)
	if !strings.Contains(string(rest), "idx\tthread\top\t") || !strings.Contains(string(rest), "\ts3://bkt/\tout\t") {
		t.Errorf("unexpected output; got %q; want the log's lines", rest)
	}
}
