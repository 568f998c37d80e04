package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/s3ultra/s3ultra/sigv4"
)

// maxCredentialsFile bounds what is read of a credentials file: 1 MiB holds
// some ten thousand key pairs, and a directory of images named by mistake
// fails at once.
const maxCredentialsFile = 1 << 20

// readCredentials returns the key pairs of the file at path, "-" for stdin.
func readCredentials(path string, stdin io.Reader) ([]sigv4.Credential, error) {
	src, name := stdin, "standard input"
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return nil, usagef("cannot read --credentials: %w", err)
		}
		defer file.Close()
		src, name = file, path
	}
	text, err := io.ReadAll(io.LimitReader(src, maxCredentialsFile+1))
	if err != nil {
		return nil, usagef("cannot read --credentials: %w", err)
	}
	if len(text) > maxCredentialsFile {
		return nil, usagef("cannot read --credentials: %s is larger than %s", name, formatSize(maxCredentialsFile))
	}
	pairs, err := parseCredentials(string(text))
	if err != nil {
		return nil, usagef("cannot read --credentials: %s: %w", name, err)
	}
	return pairs, nil
}

// parseCredentials reads key pairs in one of two forms: an AWS credentials
// file (profiles in brackets, as the AWS CLI writes ~/.aws/credentials), or
// one pair a line, ACCESS SECRET or ACCESS:SECRET. Blank lines and lines that
// begin with # or ; are skipped. Errors name the line and never the secret.
func parseCredentials(text string) ([]sigv4.Credential, error) {
	var (
		pairs   []sigv4.Credential
		profile string // the one being read; "" before the first
		current sigv4.Credential
		number  int
	)
	endProfile := func() error {
		if profile == "" {
			return nil
		}
		// A profile may hold only a role or a region: not ours.
		if current == (sigv4.Credential{}) {
			return nil
		}
		if err := checkPair(current); err != nil {
			return fmt.Errorf("profile %s: %w", profile, err)
		}
		pairs = append(pairs, current)
		return nil
	}
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		if line[0] == '[' {
			if err := endProfile(); err != nil {
				return nil, err
			}
			profile, current = line, sigv4.Credential{}
			continue
		}
		if profile != "" {
			name, value, ok := strings.Cut(line, "=")
			if !ok {
				return nil, fmt.Errorf("line %d: want name = value in profile %s", number, profile)
			}
			switch strings.ToLower(strings.TrimSpace(name)) {
			case "aws_access_key_id":
				current.AccessKey = strings.TrimSpace(value)
			case "aws_secret_access_key":
				current.SecretKey = strings.TrimSpace(value)
			}
			continue
		}
		pair, ok := splitPair(line)
		if !ok {
			return nil, fmt.Errorf("line %d: want ACCESS SECRET or ACCESS:SECRET", number)
		}
		if err := checkPair(pair); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		pairs = append(pairs, pair)
	}
	if err := endProfile(); err != nil {
		return nil, err
	}
	if len(pairs) == 0 {
		return nil, fmt.Errorf("there is no key pair in it")
	}
	return pairs, nil
}

// splitPair reads ACCESS SECRET or ACCESS:SECRET.
func splitPair(line string) (sigv4.Credential, bool) {
	switch fields := strings.Fields(line); len(fields) {
	case 1:
		access, secret, ok := strings.Cut(line, ":")
		return sigv4.Credential{AccessKey: access, SecretKey: secret}, ok
	case 2:
		return sigv4.Credential{AccessKey: fields[0], SecretKey: fields[1]}, true
	default:
		return sigv4.Credential{}, false
	}
}

// checkPair returns why c cannot be used. A comma ends the credential in an
// Authorization header, and a space is none of its letters, so no client could
// sign with such an access key.
func checkPair(c sigv4.Credential) error {
	switch {
	case c.AccessKey == "" && c.SecretKey == "":
		return fmt.Errorf("the access key and the secret key are empty")
	case c.AccessKey == "":
		return fmt.Errorf("there is a secret key without an access key")
	case c.SecretKey == "":
		return fmt.Errorf("there is an access key (%s) without a secret key", c.AccessKey)
	case strings.ContainsFunc(c.AccessKey, func(r rune) bool {
		return r <= ' ' || r > '~' || r == ','
	}):
		return fmt.Errorf("the access key %q holds a space, a comma or a letter outside ASCII", c.AccessKey)
	}
	return nil
}

// mergePairs drops repeated pairs and refuses one access key with two secrets.
func mergePairs(pairs []sigv4.Credential) ([]sigv4.Credential, error) {
	secrets := make(map[string]string, len(pairs))
	merged := make([]sigv4.Credential, 0, len(pairs))
	for _, p := range pairs {
		secret, seen := secrets[p.AccessKey]
		if seen && secret != p.SecretKey {
			return nil, usagef("bad key pair: the access key %s is given twice with different secret keys", p.AccessKey)
		}
		if !seen {
			secrets[p.AccessKey] = p.SecretKey
			merged = append(merged, p)
		}
	}
	return merged, nil
}
