package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/s3ultra/s3ultra/cmd/s3ultra/cli"
	"github.com/s3ultra/s3ultra/server"
	"github.com/s3ultra/s3ultra/sigv4"
	"github.com/s3ultra/s3ultra/store"
)

// s3 sends a signed request with an empty or a small body and returns status
// and answer.
func (p *process) s3(t *testing.T, pair sigv4.Credential, method, path, body string) (int, string) {
	t.Helper()
	r := &sigv4.Request{Method: method, Path: []byte(path), Host: []byte(p.host())}
	var signer sigv4.Signer
	signer.SignHeader(r, pair, "us-east-1", time.Now().UTC(), "UNSIGNED-PAYLOAD")
	req, err := http.NewRequestWithContext(context.Background(), method, p.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range r.Header {
		req.Header.Set(string(h.Name), string(h.Value))
	}
	return answer(t, req)
}

// get sends an anonymous GET.
func (p *process) get(t *testing.T, path string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, p.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return answer(t, req)
}

func answer(t *testing.T, req *http.Request) (int, string) {
	t.Helper()
	client := http.Client{Timeout: patience}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// Drives the real binary as the images' users do. What each sets and waits for
// was read in the sources of testcontainers' MinIO modules: Go and Java wait
// for 200 of /minio/health/live after "server /data" and "server
// --console-address :9001 /data", Python after "server /data --address :9000"
// with the old names of the keys. A GitHub Actions service has no command at
// all.
func TestMinioDropIn(t *testing.T) {
	f := func(env, args string, pair sigv4.Credential, buckets ...string) {
		t.Helper()
		// The image sets the first two; here ports are shared.
		p := startWith(t, append([]string{"S3ULTRA_LISTEN=127.0.0.1:0", "S3ULTRA_ADMIN_LISTEN=127.0.0.1:0"}, strings.Fields(env)...), strings.Fields(args)...)
		for _, path := range []string{"/minio/health/live", "/minio/health/ready", "/minio/health/cluster"} {
			if status, _ := p.get(t, path); status != http.StatusOK {
				t.Fatalf("unexpected status of %s; got %d; want 200", path, status)
			}
		}
		if !strings.Contains(p.ready, " mode=memory ") || !strings.Contains(p.ready, " auth=keys:1 ") {
			t.Fatalf("unexpected ready line; got %q; want memory and one pair", p.ready)
		}
		status, list := p.s3(t, pair, http.MethodGet, "/", "")
		if status != http.StatusOK || strings.Count(list, "<Bucket>") != len(buckets) {
			t.Fatalf("unexpected list of buckets; got %d %s; want %v", status, list, buckets)
		}
		for _, name := range buckets {
			if !strings.Contains(list, "<Name>"+name+"</Name>") {
				t.Fatalf("there is no bucket %s when the server is ready; got %s", name, list)
			}
		}
		if status, _ := p.s3(t, pair, http.MethodPut, "/made-later", ""); status != http.StatusOK {
			t.Fatalf("unexpected status of CreateBucket; got %d; want 200", status)
		}
		// Longer than what synthetic buckets keep.
		body := strings.Repeat("what was written is read ", 100)
		for _, name := range append(buckets, "made-later") {
			if status, text := p.s3(t, pair, http.MethodPut, "/"+name+"/a/key", body); status != http.StatusOK {
				t.Fatalf("unexpected status of PutObject; got %d %s; want 200", status, text)
			}
			if status, text := p.s3(t, pair, http.MethodGet, "/"+name+"/a/key", ""); status != http.StatusOK || text != body {
				t.Fatalf("unexpected object in %s; got %d, %d bytes; want the %d written", name, status, len(text), len(body))
			}
		}
		if status, _ := p.s3(t, sigv4.Credential{AccessKey: pair.AccessKey, SecretKey: "wrong"}, http.MethodGet, "/", ""); status != http.StatusForbidden {
			t.Fatalf("unexpected status with a wrong secret; got %d; want 403", status)
		}
		if status, _ := p.get(t, "/made-later/a/key"); status != http.StatusForbidden {
			t.Fatalf("unexpected status of an anonymous request; got %d; want 403", status)
		}
		p.signal(t)
		if code := p.wait(t); code != 0 || !strings.Contains(p.stderr.String(), "this is s3ultra") {
			t.Fatalf("unexpected end; got %d %q; want 0 and a line that says what this is", code, p.stderr)
		}
	}
	root := sigv4.Credential{AccessKey: "minioadmin", SecretKey: "minioadmin"}
	ci := sigv4.Credential{AccessKey: "ci-user", SecretKey: "ci-password"}
	// testcontainers-go, -java, -python.
	f("MINIO_ROOT_USER=minioadmin MINIO_ROOT_PASSWORD=minioadmin", "server /data", root)
	f("", "server --console-address 127.0.0.1:0 /data", root)
	f("MINIO_ACCESS_KEY=ci-user MINIO_SECRET_KEY=ci-password", "server /data --address 127.0.0.1:0", ci)
	// services: of GitHub Actions and GitLab; Bitnami's image.
	f("MINIO_ROOT_USER=ci-user MINIO_ROOT_PASSWORD=ci-password MINIO_DEFAULT_BUCKETS=one,two:public", "", ci, "one", "two")
	f("MINIO_ROOT_USER=ci-user MINIO_ROOT_PASSWORD=ci-password MINIO_DEFAULT_BUCKETS=one;two MINIO_REGION=us-east-1", "serve", ci, "one", "two")
	// compose files and scripts.
	f("", "minio server /data{1...4} --quiet", root)
	f("MINIO_DEFAULT_BUCKETS=one", "server http://node{1...4}/data /more --json --anonymous", root, "one")
}

func TestMinioSettings(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(dir, "password")
	if err := os.WriteFile(secret, []byte("from-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	names := []string{minioRootUser, minioRootPassword, minioRootPassword + "_FILE", minioOldAccessKey, minioOldSecretKey,
		minioDefaultBuckets, minioDomain, minioAddress, minioConsoleAddress, "MINIO_SITE_REGION", "MINIO_REGION", "MINIO_REGION_NAME",
		"S3ULTRA_BIND", "S3ULTRA_ADMIN_LISTEN", "S3ULTRA_MODE"}
	f := func(env, args string, check func(s *settings, c server.Config) bool) {
		t.Helper()
		for _, name := range names {
			t.Setenv(name, "")
		}
		for _, pair := range strings.Fields(env) {
			name, value, _ := strings.Cut(pair, "=")
			t.Setenv(name, value)
		}
		s := mustParse(t, strings.Fields(args)...)
		if !check(s, s.config) {
			t.Fatalf("unexpected settings with %q and %q; got %+v, listen %v, admin %s", env, args, s.config, s.listen, s.adminListen)
		}
	}
	pair := func(c server.Config, access, secret string) bool {
		return slices.Equal(c.Credentials, []sigv4.Credential{{AccessKey: access, SecretKey: secret}})
	}
	const keys = "MINIO_ROOT_USER=u MINIO_ROOT_PASSWORD=p "

	// The default pair is for the server command only.
	f("", "serve", func(_ *settings, c server.Config) bool { return len(c.Credentials) == 0 && c.Mode == store.Synth })
	f("", "server /data", func(_ *settings, c server.Config) bool {
		return pair(c, "minioadmin", "minioadmin") && c.Mode == store.Memory
	})
	f("MINIO_ROOT_USER=u MINIO_ROOT_PASSWORD_FILE="+secret, "server /data", func(_ *settings, c server.Config) bool { return pair(c, "u", "from-file") })
	f(keys+"MINIO_ACCESS_KEY=old MINIO_SECRET_KEY=old", "", func(_ *settings, c server.Config) bool { return pair(c, "u", "p") })
	// What is s3ultra's own wins.
	f(keys, "serve --access-key a --secret-key s --mode synth", func(_ *settings, c server.Config) bool { return pair(c, "a", "s") && c.Mode == store.Synth })
	f(keys+"S3ULTRA_MODE=synth", "server /data", func(_ *settings, c server.Config) bool { return pair(c, "u", "p") && c.Mode == store.Synth })
	f(keys, "server /data --demo", func(_ *settings, c server.Config) bool { return pair(c, demoAccessKey, demoSecretKey) })
	// Buckets.
	f("MINIO_DEFAULT_BUCKETS=a-1,b-1:download;c-1:none", "serve --bucket d-1:synth", func(s *settings, c server.Config) bool {
		return bucketList(c.Buckets) == "d-1:synth,a-1:memory,b-1:memory,c-1:memory" && strings.Contains(c.Buckets[2].Policy, `"s3:GetObject"`) && c.Buckets[1].Policy+c.Buckets[3].Policy == "" && s.minio.unknown == nil
	})
	// A region alone may be a client's.
	f("MINIO_REGION=eu-west-1", "serve", func(_ *settings, c server.Config) bool { return c.Region == "us-east-1" })
	f("MINIO_REGION=eu-west-1", "server /data", func(_ *settings, c server.Config) bool { return c.Region == "eu-west-1" })
	f("MINIO_REGION_NAME=a MINIO_SITE_REGION=b "+keys, "", func(_ *settings, c server.Config) bool { return c.Region == "b" })
	f("MINIO_DOMAIN=s3.test "+keys, "", func(_ *settings, c server.Config) bool { return slices.Contains(c.Domains, "s3.test") })
	// Addresses.
	const image = "S3ULTRA_BIND=* S3ULTRA_ADMIN_LISTEN=:9001 "
	f(image, "server /data", func(s *settings, _ server.Config) bool {
		return slices.Equal(s.listen, []string{":9000"}) && s.adminListen == ":9001"
	})
	f(image, "server /data --address :9005 --console-address=:9006", func(s *settings, _ server.Config) bool {
		return slices.Equal(s.listen, []string{":9005"}) && s.adminListen == ":9006" && slices.Equal(s.paths, []string{"/data"})
	})
	f("MINIO_ADDRESS=:9007", "server", func(s *settings, _ server.Config) bool { return slices.Equal(s.listen, []string{":9007"}) })
	f(image+"MINIO_ADDRESS=:9007", "server", func(s *settings, _ server.Config) bool { return slices.Equal(s.listen, []string{":9000"}) })
	f("", "server /a --bucket x-1 /b -C /etc/minio -- --c", func(s *settings, c server.Config) bool {
		return slices.Equal(s.paths, []string{"/a", "/b", "--c"}) && bucketList(c.Buckets) == "x-1:memory"
	})
}

func TestMinioUsageErrors(t *testing.T) {
	f := func(env, args, want string) {
		t.Helper()
		name, value, _ := strings.Cut(env, "=")
		if name != "" {
			t.Setenv(name, value)
			defer os.Unsetenv(name)
		}
		_, err := parse(t, strings.Fields(args)...)
		var usage *cli.UsageError
		if !errors.As(err, &usage) || !strings.Contains(err.Error(), want) {
			t.Fatalf("unexpected error with %q and %q; got %v; want a usage error with %q", env, args, err, want)
		}
	}
	f("MINIO_ROOT_USER=u", "server /data", "set MINIO_ROOT_USER and MINIO_ROOT_PASSWORD together")
	f("MINIO_SECRET_KEY=u", "serve", "set MINIO_ACCESS_KEY and MINIO_SECRET_KEY together")
	f("MINIO_ROOT_USER_FILE=/nonexistent", "serve", "cannot read MINIO_ROOT_USER_FILE")
	f("MINIO_DEFAULT_BUCKETS=Bad_Name", "serve", `bad --bucket "Bad_Name"`)
	f("", "server /data --address 9000", "bad --address")
	f("", "server /data --console-address x", "bad --console-address")
	f("", "server /data --address :1 --port 2", "contradict")
	f("", "server /data --certs-dir /certs", "there is no TLS")
	f("", "server /data --sftp x", "unknown flag --sftp")
	f("", "server /data --address", "a value is missing after --address")
}

// The page is complete and troff reads it as one.
func TestManualPage(t *testing.T) {
	code, page, _ := runLine("man")
	if code != exitClean || !strings.Contains(page, "TH s3ultra 1") {
		t.Fatalf("unexpected page; got %d %.200q; want section 1", code, page)
	}
	for _, name := range append(flagNames(serveFlags()), flagNames(minioFlags())...) {
		if !bytes.Contains([]byte(page), []byte(`\fB\-\-`+strings.ReplaceAll(name, "-", `\-`)+`\fR`)) {
			t.Errorf("the manual page lacks --%s", name)
		}
	}
}
