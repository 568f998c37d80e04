package main

import (
	"context"
	"errors"
	"io"
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

// parse returns the settings of a serve command line without serving.
func parse(t *testing.T, args ...string) (*settings, error) {
	t.Helper()
	dropUnsetVariables()
	p := newProgram(strings.NewReader(""), io.Discard, io.Discard)
	var s *settings
	p.Command("server").Action = func(c *cli.Context) (err error) {
		s, err = readSettings(c)
		return err
	}
	p.Command("serve").Action = func(c *cli.Context) (err error) {
		if err = noArguments(c); err != nil {
			return err
		}
		s, err = readSettings(c)
		return err
	}
	return s, p.Run(context.Background(), withCommand(append([]string{"s3ultra"}, args...)))
}

func mustParse(t *testing.T, args ...string) *settings {
	t.Helper()
	s, err := parse(t, args...)
	if err != nil {
		t.Fatalf("unexpected error for %q: %v", args, err)
	}
	return s
}

func TestDefaults(t *testing.T) {
	s := mustParse(t)
	c := s.config
	if !slices.Equal(s.listen, []string{"127.0.0.1:9000"}) || s.demo || s.shutdownTimeout != 8*time.Second {
		t.Fatalf("unexpected defaults; got %+v", s)
	}
	if len(c.Credentials) != 0 || c.SkipSigVerify || !c.VerifyPayload || c.MaxSkew != 15*time.Minute ||
		c.Mode != store.Synth || c.Seed != 0 || len(c.Buckets) != 0 || c.Region != "us-east-1" ||
		!slices.Equal(c.Domains, []string{"localhost"}) || c.ETag != store.ETagMD5 || c.KeepSmall != 512 || c.MinPartSize != 5<<20 {
		t.Fatalf("unexpected default configuration; got %+v", c)
	}
}

// A flag beats its variable, which beats the secret's file, which beats the default.
func TestPrecedence(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	t.Setenv("S3ULTRA_ACCESS_KEY_FILE", file("access", "file-access\n"))
	t.Setenv("S3ULTRA_SECRET_KEY_FILE", file("secret", "file-secret\r\n"))
	t.Setenv("S3ULTRA_SEED", "7")
	t.Setenv("S3ULTRA_VERIFY_PAYLOAD", "false")
	t.Setenv("S3ULTRA_BUCKET", "env-a,env-b:memory")
	t.Setenv("S3ULTRA_KEEP_SMALL", "")

	want := func(c server.Config, pair sigv4.Credential, seed uint64, verify bool, buckets ...string) {
		t.Helper()
		if !slices.Equal(c.Credentials, []sigv4.Credential{pair}) || c.Seed != seed || c.VerifyPayload != verify ||
			bucketList(c.Buckets) != strings.Join(buckets, ",") || c.KeepSmall != 512 {
			t.Fatalf("unexpected configuration; got %+v; want pair %v seed %d verify %v buckets %v", c, pair, seed, verify, buckets)
		}
	}
	want(mustParse(t).config, sigv4.Credential{AccessKey: "file-access", SecretKey: "file-secret"}, 7, false, "env-a:synth", "env-b:memory")

	t.Setenv("S3ULTRA_SECRET_KEY", "env-secret")
	want(mustParse(t, "--seed", "0x10", "--verify-payload", "--bucket", "flag-a", "--bucket", "flag-b,flag-c", "--mode=memory").config,
		sigv4.Credential{AccessKey: "file-access", SecretKey: "env-secret"}, 16, true, "flag-a:memory", "flag-b:memory", "flag-c:memory")
	want(mustParse(t, "serve", "--secret-key", "flag-secret").config,
		sigv4.Credential{AccessKey: "file-access", SecretKey: "flag-secret"}, 7, false, "env-a:synth", "env-b:memory")
}

func TestListen(t *testing.T) {
	f := func(env, args string, want ...string) {
		t.Helper()
		for _, name := range []string{"S3ULTRA_LISTEN", "S3ULTRA_BIND", "S3ULTRA_PORT"} {
			t.Setenv(name, "")
		}
		for _, pair := range strings.Fields(env) {
			name, value, _ := strings.Cut(pair, "=")
			t.Setenv(name, value)
		}
		s, err := parse(t, strings.Fields(args)...)
		if err != nil && want != nil || err == nil && !slices.Equal(s.listen, want) {
			t.Fatalf("unexpected addresses with %q and %q; got %+v, %v; want %v", env, args, s, err, want)
		}
	}
	f("", "--listen 127.0.0.1:1 --listen [::1]:2", "127.0.0.1:1", "[::1]:2")
	f("", "--listen :80,:81", ":80", ":81")
	f("", "--port 81", "127.0.0.1:81")
	f("", "--bind 0.0.0.0", "0.0.0.0:9000")
	f("", "--bind ::1 --port 0", "[::1]:0")
	f("", "--bind [::1]", "[::1]:9000")
	f("", "--bind *", ":9000")
	f("S3ULTRA_LISTEN=h:1,h:2", "", "h:1", "h:2")
	// An image binds all addresses; its user may still set each of the rest.
	f("S3ULTRA_BIND=0.0.0.0", "--port 81", "0.0.0.0:81")
	f("S3ULTRA_BIND=0.0.0.0 S3ULTRA_PORT=82", "", "0.0.0.0:82")
	f("S3ULTRA_BIND=0.0.0.0 S3ULTRA_LISTEN=h:1", "", "h:1")
	f("S3ULTRA_BIND=0.0.0.0", "--listen h:2", "h:2")
	f("S3ULTRA_LISTEN=h:1", "--port 83", "127.0.0.1:83")
	// Kubernetes sets this beside a service named s3ultra.
	f("S3ULTRA_PORT=tcp://10.0.0.7:9000", "", "127.0.0.1:9000")
	// Contradictions and nonsense.
	f("", "--listen h:1 --port 2")
	f("", "--listen 9000")
	f("", "--listen h:http")
	f("", "--listen h:65536")
	f("", "--listen ,")
	f("", "--port -1")
	f("S3ULTRA_PORT=x", "")
}

func TestUsageErrors(t *testing.T) {
	f := func(args, want string) {
		t.Helper()
		_, err := parse(t, strings.Fields(args)...)
		var usage *cli.UsageError
		if !errors.As(err, &usage) || !strings.Contains(err.Error(), want) {
			t.Fatalf("unexpected error for %q; got %v; want a usage error with %q", args, err, want)
		}
	}
	f("--bogus", "unknown flag --bogus")
	f("--mode", "a value is missing after --mode")
	f("--mode disk", `bad --mode "disk"`)
	f("--verify-payload false", `unexpected argument "false"`)
	f("--demo=perhaps", `bad --demo "perhaps": want true or false`)
	f("--seed -1", `bad --seed "-1": want a number from 0 to 18446744073709551615`)
	f("--max-skew 5", `bad --max-skew "5": want a duration such as 500ms, 15m or 1h30m`)
	f("--max-skew -5s", "bad --max-skew")
	f("--shutdown-timeout -5s", "bad --shutdown-timeout")
	f("--head-timeout -5s", "bad --head-timeout")
	f("--stall-timeout 5", `bad --stall-timeout "5": want a duration`)
	f("--etag sha1", "bad --etag")
	f("--sha256 fast", "bad --sha256")
	f("--pattern lorem", `bad --pattern: bad data pattern "lorem": want random, random?compress=`)
	f("--keep-small 1M", "ambiguous")
	f("--min-part-size x", "bad --min-part-size")
	f("--memory-limit 120%", "bad --memory-limit")
	f("--region a/b", "bad --region")
	f("--domain http://x", "bad --domain")
	f("--log-level loud", "bad --log-level")
	f("--log-format xml", "bad --log-format")
	f("--access-key a", "without a secret key")
	f("--secret-key a", "without an access key")
	f("--access-key a,b --secret-key c", "bad key pair")
	f("--access-key demo --secret-key other --demo", "given twice")
	f("--credentials /nonexistent/keys", "cannot read --credentials")
	// P01: an invalid name stops the start.
	f("--bucket Bad_Name", `bad --bucket "Bad_Name"`)
	f("--bucket good,x", `bad --bucket "x"`)
	f("--bucket good:disk", "the mode must be synth or memory")
	f("--bucket good:memory,good:synth", "is also given with mode memory")
	f("start", `unknown command "start"`)
}

func TestDemoSettings(t *testing.T) {
	c := mustParse(t, "--demo", "--access-key", "k", "--secret-key", "s", "--bucket", "mine", "--bucket", "demo-synth:synth").config
	if got := bucketList(c.Buckets); got != "mine:synth,demo-synth:synth,demo-memory:memory" {
		t.Fatalf("unexpected buckets; got %s", got)
	}
	want := []sigv4.Credential{{AccessKey: "k", SecretKey: "s"}, {AccessKey: demoAccessKey, SecretKey: demoSecretKey}}
	if !slices.Equal(c.Credentials, want) {
		t.Fatalf("unexpected pairs; got %v; want %v", c.Credentials, want)
	}
}

func TestDomains(t *testing.T) {
	c := mustParse(t, "--domain", "S3.Example.com., .lab", "--domain", "localhost").config
	if want := []string{"localhost", "s3.example.com", "lab"}; !slices.Equal(c.Domains, want) {
		t.Fatalf("unexpected domains; got %v; want %v", c.Domains, want)
	}
}

func TestUnknownVariables(t *testing.T) {
	t.Setenv("S3ULTRA_MODEE", "memory")
	t.Setenv("S3ULTRA_MODE_FILE", "x")
	t.Setenv("S3ULTRA_SECRET_KEY_FILE", "x")
	t.Setenv("S3ULTRA_SERVICE_HOST", "x")
	t.Setenv("S3ULTRA_PORT_9000_TCP", "x")
	t.Setenv("S3ULTRA_PORT", "1")
	got := unknownVariables(flagNames(serveFlags()))
	if want := []string{"S3ULTRA_MODEE", "S3ULTRA_MODE_FILE"}; !slices.Equal(got, want) {
		t.Fatalf("unexpected unknown variables; got %v; want %v", got, want)
	}
}

func TestHealthTarget(t *testing.T) {
	f := func(env, arg, want string) {
		t.Helper()
		getenv := func(name string) string {
			for _, pair := range strings.Fields(env) {
				if n, value, _ := strings.Cut(pair, "="); n == name {
					return value
				}
			}
			return ""
		}
		if arg == "" {
			arg = healthTarget(getenv, nil)
		}
		got, err := healthURL(arg)
		if got != want || (err != nil) != (want == "") {
			t.Fatalf("unexpected URL with %q and %q; got %q, %v; want %q", env, arg, got, err, want)
		}
	}
	f("", "", "http://127.0.0.1:9000/_s3ultra/health")
	f("S3ULTRA_LISTEN=0.0.0.0:80,127.0.0.1:81", "", "http://127.0.0.1:80/_s3ultra/health")
	f("S3ULTRA_BIND=0.0.0.0", "", "http://127.0.0.1:9000/_s3ultra/health")
	f("S3ULTRA_BIND=:: S3ULTRA_PORT=7", "", "http://127.0.0.1:7/_s3ultra/health")
	f("S3ULTRA_BIND=*", "", "http://127.0.0.1:9000/_s3ultra/health")
	f("", "http://h:1/", "http://h:1/_s3ultra/health")
	f("", "https://h/probe", "https://h/probe")
	f("", "[::1]:5", "http://[::1]:5/_s3ultra/health")
	f("", "ftp://h", "")
	f("", "http://", "")
	f("", "http://h:x", "")
}

// In a container the server's own command line says where it listens.
func TestHealthTargetOfCommandLine(t *testing.T) {
	f := func(env, args, want string) {
		t.Helper()
		getenv := func(name string) string {
			n, value, _ := strings.Cut(env, "=")
			if n != name {
				return ""
			}
			return value
		}
		if got := healthTarget(getenv, strings.Fields(args)); got != want {
			t.Fatalf("unexpected address with %q and %q; got %q; want %q", env, args, got, want)
		}
	}
	f("S3ULTRA_BIND=*", "/s3ultra serve", ":9000")
	f("S3ULTRA_BIND=*", "/s3ultra serve --port 8000", ":8000")
	f("S3ULTRA_PORT=7000", "/s3ultra --bind=10.0.0.1", "10.0.0.1:7000")
	f("S3ULTRA_LISTEN=:7000", "/s3ultra serve --listen :1,:2 --listen :3", ":1")
	f("S3ULTRA_LISTEN=:7000", "/s3ultra serve -port=1", "127.0.0.1:1")
	f("S3ULTRA_BIND=*", "/s3ultra server /data --address :9090", ":9090")
	f("S3ULTRA_BIND=*", "/s3ultra server -- --address :9090", ":9000")
}

func TestShellQuote(t *testing.T) {
	f := func(s, want string) {
		t.Helper()
		if got := shellQuote(s); got != want {
			t.Fatalf("unexpected quoting of %q; got %s; want %s", s, got, want)
		}
	}
	f("AKIA123/x+y", "AKIA123/x+y")
	f("a'b", `'a'\''b'`)
	f("$(x)", "'$(x)'")
	f("", "''")
}

func TestSendBuffer(t *testing.T) {
	f := func(want int64, args ...string) {
		t.Helper()
		if got := mustParse(t, args...).config.SendBuffer; got != want {
			t.Errorf("unexpected send buffer of %q; got %d; want %d", args, got, want)
		}
	}
	f(server.SendBufferAuto)
	f(server.SendBufferKernel, "--send-buffer", "kernel")
	f(1<<20, "--send-buffer", "1MiB")
	for _, bad := range []string{"0", "4095", "2GiB", "big", "-1"} {
		if s, err := parse(t, "--send-buffer", bad); err == nil {
			t.Errorf("unexpected success of --send-buffer %s; got %d", bad, s.config.SendBuffer)
		}
	}
}
