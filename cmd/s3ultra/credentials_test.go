package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/s3ultra/s3ultra/cmd/s3ultra/cli"
	"github.com/s3ultra/s3ultra/sigv4"
)

func TestParseCredentials(t *testing.T) {
	f := func(text string, want ...sigv4.Credential) {
		t.Helper()
		got, err := parseCredentials(text)
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("unexpected pairs in %q; got %v, %v; want %v", text, got, err, want)
		}
	}
	ab := sigv4.Credential{AccessKey: "a", SecretKey: "b"}
	f("a b", ab)
	f("a:b\n", ab)
	f("\ufeff# comment\r\n\r\n  a \t b\r\n", ab)
	f("a:b:c/d+e=", sigv4.Credential{AccessKey: "a", SecretKey: "b:c/d+e="})
	f("a b\nc:d\n", ab, sigv4.Credential{AccessKey: "c", SecretKey: "d"})
	f("[default]\naws_access_key_id = a\naws_secret_access_key=b\nregion = eu-west-1\n", ab)
	f("[x]\nrole_arn = r\n[y]\nAWS_ACCESS_KEY_ID=a\n; c\naws_secret_access_key = b=c\naws_session_token = t",
		sigv4.Credential{AccessKey: "a", SecretKey: "b=c"})
}

func TestParseCredentialsFails(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		_, err := parseCredentials(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Fatalf("unexpected error for %q; got %v; want one with %q", text, err, want)
		}
		if strings.Contains(err.Error(), "TOPSECRET") {
			t.Fatalf("the error shows the secret: %v", err)
		}
	}
	f("", "no key pair")
	f("# only a comment\n", "no key pair")
	f("a TOPSECRET c", "line 1: want ACCESS SECRET")
	f("a b\nTOPSECRET", "line 2: want ACCESS SECRET")
	f("a:", "without a secret key")
	f(":TOPSECRET", "without an access key")
	f("a,b TOPSECRET", "holds a space, a comma")
	f("[p]\naws_access_key_id = a", "profile [p]: there is an access key (a) without a secret key")
	f("[p]\naws_secret_access_key = TOPSECRET\n[q]\n", "without an access key")
	f("[p]\nTOPSECRET", "line 2: want name = value")
}

func TestReadCredentials(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(path, []byte("a b\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := readCredentials(path, nil); err != nil || len(got) != 1 {
		t.Fatalf("unexpected pairs; got %v, %v; want one", got, err)
	}
	if got, err := readCredentials("-", strings.NewReader("a b\nc d")); err != nil || len(got) != 2 {
		t.Fatalf("unexpected pairs from stdin; got %v, %v; want two", got, err)
	}
	for _, bad := range []string{filepath.Join(t.TempDir(), "missing"), t.TempDir()} {
		var usage *cli.UsageError
		if _, err := readCredentials(bad, nil); !errors.As(err, &usage) {
			t.Fatalf("unexpected error for %s; got %v; want a usage error", bad, err)
		}
	}
}

func TestMergePairs(t *testing.T) {
	a, b := sigv4.Credential{AccessKey: "a", SecretKey: "1"}, sigv4.Credential{AccessKey: "b", SecretKey: "1"}
	if got, err := mergePairs([]sigv4.Credential{a, b, a}); err != nil || !slices.Equal(got, []sigv4.Credential{a, b}) {
		t.Fatalf("unexpected pairs; got %v, %v; want %v", got, err, []sigv4.Credential{a, b})
	}
	if _, err := mergePairs([]sigv4.Credential{a, {AccessKey: "a", SecretKey: "2"}}); err == nil {
		t.Fatal("one access key with two secrets was accepted")
	}
}
