package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/s3ultra/s3ultra/cmd/s3ultra/cli"
	"github.com/s3ultra/s3ultra/server"
	"github.com/s3ultra/s3ultra/sigv4"
	"github.com/s3ultra/s3ultra/store"
)

// What MinIO's image and the images made of it read from the environment.
// Sources: MinIO's "Core Settings" and "Root Access Settings" reference pages;
// the README of Bitnami's minio image for the default buckets and the region's
// third name.
const (
	minioPrefix         = "MINIO_"
	minioRootUser       = "MINIO_ROOT_USER"
	minioRootPassword   = "MINIO_ROOT_PASSWORD"
	minioOldAccessKey   = "MINIO_ACCESS_KEY" // before RELEASE.2021-04-22; Python's testcontainers still sets it
	minioOldSecretKey   = "MINIO_SECRET_KEY"
	minioDefaultBuckets = "MINIO_DEFAULT_BUCKETS"
	minioDomain         = "MINIO_DOMAIN"
	minioAddress        = "MINIO_ADDRESS"
	minioConsoleAddress = "MINIO_CONSOLE_ADDRESS"

	// A relative name in a _FILE variable is a container secret's.
	minioSecretsDir = "/run/secrets"

	// What MinIO takes when no keys are set; whoever swaps the image relies on
	// them. They are public.
	minioDefaultKey = "minioadmin"
)

// minioRegions are the names of the region's variable, the newest first.
var minioRegions = []string{"MINIO_SITE_REGION", "MINIO_REGION", "MINIO_REGION_NAME"}

// minioSettings is what was meant for MinIO and is taken over. A setting of
// s3ultra's own beats it.
type minioSettings struct {
	server   bool // started as MinIO is: s3ultra server PATH...
	keys     sigv4.Credential
	buckets  []string
	policies map[string]string // documents, by bucket
	unknown  []string          // name:policy of buckets whose policy has no meaning here
	region   string
	domains  []string
	taken    []string // variables that were read, sorted
	ignored  []string // MINIO_ variables without a meaning here, sorted
}

// readMinio reads MinIO's variables. Every error is a cli.UsageError.
func readMinio(server bool) (*minioSettings, error) {
	m := &minioSettings{server: server}
	if err := m.readKeys(); err != nil {
		return nil, err
	}
	m.readBuckets(m.env(minioDefaultBuckets))
	if !m.active() {
		// A region alone may be meant for a client in the same environment.
		return m, nil
	}
	for _, name := range minioRegions {
		if value := m.env(name); m.region == "" {
			m.region = value
		}
	}
	m.domains = strings.FieldsFunc(m.env(minioDomain), func(r rune) bool { return r == ',' })
	if server {
		// The flags read them.
		m.env(minioAddress)
		m.env(minioConsoleAddress)
	}
	for _, pair := range os.Environ() {
		name, value, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, minioPrefix) && value != "" && !slices.Contains(m.taken, name) {
			m.ignored = append(m.ignored, name)
		}
	}
	slices.Sort(m.taken)
	slices.Sort(m.ignored)
	return m, nil
}

// active tells whether MinIO is what this process stands in for.
func (m *minioSettings) active() bool {
	return m.server || m.keys != sigv4.Credential{} || len(m.buckets) > 0
}

// env returns a variable's value and notes that it was taken.
func (m *minioSettings) env(name string) string {
	value := os.Getenv(name)
	if value != "" {
		m.taken = append(m.taken, name)
	}
	return value
}

// secret returns the value of a variable or the content of the file that its
// _FILE form names.
func (m *minioSettings) secret(name string) (string, error) {
	if value := m.env(name); value != "" {
		return value, nil
	}
	path := m.env(name + "_FILE")
	if path == "" {
		return "", nil
	}
	if inSecrets := filepath.Join(minioSecretsDir, path); !filepath.IsAbs(path) {
		if _, err := os.Stat(inSecrets); err == nil {
			path = inSecrets
		}
	}
	return readSecret(name+"_FILE", path)
}

// readKeys reads the key pair: the new names, and if neither is set the old
// ones, as MinIO does.
func (m *minioSettings) readKeys() error {
	for _, names := range [][2]string{{minioRootUser, minioRootPassword}, {minioOldAccessKey, minioOldSecretKey}} {
		access, err := m.secret(names[0])
		if err != nil {
			return err
		}
		secret, err := m.secret(names[1])
		if err != nil {
			return err
		}
		pair := sigv4.Credential{AccessKey: access, SecretKey: secret}
		if pair == (sigv4.Credential{}) {
			continue
		}
		if err := checkPair(pair); err != nil {
			return usagef("bad key pair: %w; set %s and %s together, or neither", err, names[0], names[1])
		}
		m.keys = pair
		return nil
	}
	return nil
}

// readBuckets reads a list as Bitnami's image takes it: names separated by
// commas, semicolons or spaces, each perhaps with an anonymous access policy
// after a colon.
func (m *minioSettings) readBuckets(list string) {
	for _, spec := range strings.FieldsFunc(list, func(r rune) bool { return strings.ContainsRune(",; \t\n", r) }) {
		name, policy, _ := strings.Cut(spec, ":")
		m.buckets = append(m.buckets, name)
		if policy == "" {
			continue
		}
		document, ok := server.AnonymousPolicy(name, policy)
		if !ok {
			m.unknown = append(m.unknown, spec)
			continue
		}
		if m.policies == nil {
			m.policies = make(map[string]string)
		}
		m.policies[name] = document
	}
}

// mode is the default mode: tests written for MinIO read back what they wrote.
func (m *minioSettings) mode(c *cli.Context) string {
	if m.active() && !c.IsSet("mode") {
		return store.Memory.String()
	}
	return c.String("mode")
}

// pairs returns the key pairs to use when s3ultra's own settings have none.
func (m *minioSettings) pairs() []sigv4.Credential {
	switch {
	case m.keys != sigv4.Credential{}:
		return []sigv4.Credential{m.keys}
	case m.server:
		return []sigv4.Credential{minioDefaultPair()}
	}
	return nil
}

func minioDefaultPair() sigv4.Credential {
	return sigv4.Credential{AccessKey: minioDefaultKey, SecretKey: minioDefaultKey}
}

// log says what was taken over and what is different from MinIO.
func (s *settings) logMinio() {
	m := s.minio
	if !m.active() {
		return
	}
	text := "MinIO's variables are set: this is s3ultra in MinIO's place"
	if m.server {
		text = "started as MinIO is, but this is s3ultra: no path is read or written"
		if s.config.DBPath == "" {
			text += ", and nothing outlives the process"
		}
	}
	s.logger.Warn(text, "mode", s.config.Mode.String(), "variables", strings.Join(m.taken, " "), "ignored", strings.Join(m.ignored, " "),
		"paths", strings.Join(s.paths, " "))
	if len(m.unknown) > 0 && len(s.config.Credentials) > 0 {
		s.logger.Warn("these policies are not known and anonymous requests are refused; want download, upload, public or none", "buckets", strings.Join(m.unknown, " "))
	}
}
