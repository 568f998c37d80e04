package main

import (
	"fmt"
	"log/slog"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/s3ultra/s3ultra/cmd/s3ultra/cli"
	"github.com/s3ultra/s3ultra/server"
	"github.com/s3ultra/s3ultra/sigv4"
	"github.com/s3ultra/s3ultra/store"
	"github.com/s3ultra/s3ultra/synth"
)

// settings is a checked serve command line.
type settings struct {
	config          server.Config
	listen          []string // HOST:PORT
	demo            bool
	shutdownTimeout time.Duration
	logger          *slog.Logger
	adminListen     string // HOST:PORT, "" for off
	adminAsked      bool   // adminListen is not just the default
	minio           *minioSettings
	paths           []string // of the server command, not used
}

// readSettings reads the serve command's flags and variables. Every error is a
// cli.UsageError.
func readSettings(c *cli.Context) (*settings, error) {
	logger, err := readLogger(c)
	if err != nil {
		return nil, err
	}
	s := &settings{
		demo:            c.Bool("demo"),
		shutdownTimeout: c.Duration("shutdown-timeout"),
		logger:          logger,
	}
	for _, name := range []string{"shutdown-timeout", "head-timeout", "stall-timeout"} {
		if d := c.Duration(name); d < 0 {
			return nil, usagef("bad --%s %v: it is negative", name, d)
		}
	}
	if s.listen, err = readListen(c); err != nil {
		return nil, err
	}
	if s.minio, err = readMinio(c.Command.Name == "server"); err != nil {
		return nil, err
	}
	if s.config, err = readConfig(c, s.minio); err != nil {
		return nil, err
	}
	if s.config.Datasets, err = readDatasets(c); err != nil {
		return nil, err
	}
	if s.demo {
		s.config.Datasets = append(s.config.Datasets, demoDataset())
	}
	s.config.Buckets = withDatasetBuckets(s.config.Buckets, s.config.Datasets)
	s.config.HeadTimeout, s.config.StallTimeout = c.Duration("head-timeout"), c.Duration("stall-timeout")
	s.config.ShutdownTimeout = s.shutdownTimeout
	s.config.Logger = logger
	s.config.Listeners = len(s.listen)
	if err := s.readOperation(c); err != nil {
		return nil, err
	}
	if err := s.readMinioFlags(c); err != nil {
		return nil, err
	}
	return s, nil
}

// readLogger makes the log of --log-level and --log-format, for which MinIO's
// command line has other names.
func readLogger(c *cli.Context) (*slog.Logger, error) {
	level, format := c.String("log-level"), c.String("log-format")
	if c.Bool("quiet") && !c.IsSet("log-level") {
		level = "warn"
	}
	if c.Bool("json") && !c.IsSet("log-format") {
		format = "json"
	}
	return newLogger(c.Stderr, format, level)
}

// readOperation reads what the operator looks at: admin listener, journal and
// access log.
func (s *settings) readOperation(c *cli.Context) error {
	s.adminListen, s.adminAsked = c.String("admin-listen"), c.IsSet("admin-listen")
	if s.adminListen == "off" {
		s.adminListen = ""
	} else if err := checkAddress(s.adminListen); err != nil {
		return usagef("bad --admin-listen: %w, nor off", err)
	}
	if s.config.Journal = c.Int("journal"); s.config.Journal < 0 || s.config.Journal > maxJournal {
		return usagef("bad --journal %d: want 0 to %d", s.config.Journal, maxJournal)
	}
	format, err := server.ParseAccessLogFormat(c.String("access-log-format"))
	if err != nil {
		return usagef("bad --access-log-format %q: %w", c.String("access-log-format"), err)
	}
	s.config.AccessLog = server.AccessLogConfig{Path: c.String("access-log"), Format: format, Output: c.Stdout}
	return nil
}

// maxJournal bounds the journal's memory to some hundred megabytes.
const maxJournal = 1_000_000

// readConfig reads what is the server's own. Where it has no setting, m's are
// taken.
func readConfig(c *cli.Context, m *minioSettings) (server.Config, error) {
	config := server.Config{
		SkipSigVerify: c.Bool("skip-sig-verify"),
		VerifyPayload: c.Bool("verify-payload"),
		MaxSkew:       c.Duration("max-skew"),
		Seed:          c.Uint64("seed"),
		Region:        c.String("region"),
		Version:       currentVersion().Version,
		Commit:        currentVersion().Commit,
	}
	if m.region != "" && !c.IsSet("region") {
		config.Region = m.region
	}
	if config.MaxSkew < 0 {
		return config, usagef("bad --max-skew %v: it is negative", config.MaxSkew)
	}
	if strings.ContainsFunc(config.Region, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("/,<>&", r) }) {
		return config, usagef("bad --region %q: want a name such as %s", config.Region, defaultRegion)
	}
	var err error
	if config.Credentials, err = readPairs(c, m); err != nil {
		return config, err
	}
	if config.Mode, err = store.ParseMode(m.mode(c)); err != nil {
		return config, usagef("bad --mode %q: want synth or memory", c.String("mode"))
	}
	if config.SHA256, err = server.ParseSHA256Mode(c.String("sha256")); err != nil {
		return config, usagef("bad --sha256 %q: %w", c.String("sha256"), err)
	}
	if config.Pattern, err = synth.ParsePattern(c.String("pattern")); err != nil {
		return config, usagef("bad --pattern: %w", err)
	}
	specs := append(c.Strings("bucket"), m.buckets...)
	if c.Bool("demo") {
		specs = append(specs, demoBuckets()...)
	}
	if config.Buckets, err = parseBuckets(specs, config.Mode); err != nil {
		return config, err
	}
	for i := range config.Buckets {
		config.Buckets[i].Policy = m.policies[config.Buckets[i].Name]
	}
	if config.Domains, err = readDomains(append(c.Strings("domain"), m.domains...)); err != nil {
		return config, err
	}
	if config.ETag, err = store.ParseETagMode(c.String("etag")); err != nil {
		return config, usagef("bad --etag %q: want md5 or fast", c.String("etag"))
	}
	if config.KeepSmall, err = parseSize(c.String("keep-small")); err != nil {
		return config, usagef("bad --keep-small: %w", err)
	}
	if config.MinPartSize, err = parseSize(c.String("min-part-size")); err != nil {
		return config, usagef("bad --min-part-size: %w", err)
	}
	if config.SendBuffer, err = parseSendBuffer(c.String("send-buffer")); err != nil {
		return config, err
	}
	if config.SyncInterval, err = parseSyncInterval(c.String("sync-interval")); err != nil {
		return config, err
	}
	config.DBPath, config.PersistData = c.String("db-path"), c.Bool("persist-data")
	if config.PersistData && config.DBPath == "" {
		return config, usagef("--persist-data needs --db-path")
	}
	config.MemoryLimit, err = parseMemoryLimit(c.String("memory-limit"), availableMemory(os.DirFS("/")))
	return config, err
}

// parseSendBuffer reads --send-buffer.
func parseSendBuffer(s string) (int64, error) {
	switch s {
	case "auto":
		return server.SendBufferAuto, nil
	case "kernel":
		return server.SendBufferKernel, nil
	}
	n, err := parseSize(s)
	if err != nil || n < minSendBuffer || n > maxSendBuffer {
		return 0, usagef("bad --send-buffer %q: want auto, kernel, or a size from 4KiB to 1GiB", s)
	}
	return n, nil
}

// parseSyncInterval reads --sync-interval.
func parseSyncInterval(s string) (time.Duration, error) {
	switch s {
	case "always":
		return store.SyncAlways, nil
	case "none":
		return store.SyncNone, nil
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < minSyncInterval {
		return 0, usagef("bad --sync-interval %q: want always, none, or a duration of at least %v", s, minSyncInterval)
	}
	return d, nil
}

// readPairs collects the key pairs of --access-key and --secret-key (flag,
// else variable, else the file named by the _FILE variable), --credentials and
// --demo; if there is none, m's.
func readPairs(c *cli.Context, m *minioSettings) ([]sigv4.Credential, error) {
	var one sigv4.Credential
	for flag, value := range map[string]*string{"access-key": &one.AccessKey, "secret-key": &one.SecretKey} {
		*value = c.String(flag)
		if *value != "" {
			continue
		}
		var err error
		if *value, err = secretFromFile(flag); err != nil {
			return nil, err
		}
	}
	var pairs []sigv4.Credential
	if one != (sigv4.Credential{}) {
		if err := checkPair(one); err != nil {
			return nil, usagef("bad key pair: %w; set --access-key and --secret-key together", err)
		}
		pairs = append(pairs, one)
	}
	if path := c.String("credentials"); path != "" {
		more, err := readCredentials(path, c.Stdin)
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, more...)
	}
	if c.Bool("demo") {
		pairs = append(pairs, sigv4.Credential{AccessKey: demoAccessKey, SecretKey: demoSecretKey})
	}
	if len(pairs) == 0 {
		pairs = m.pairs()
	}
	return mergePairs(pairs)
}

// readDomains checks the host names under which a bucket may be a sub-domain;
// localhost always is one, as *.localhost needs no DNS on most systems.
func readDomains(domains []string) ([]string, error) {
	all := []string{"localhost"}
	for _, d := range domains {
		name := strings.ToLower(strings.Trim(d, "."))
		switch {
		case d == "" || name == "localhost":
			continue
		case name == "" || strings.ContainsAny(name, "/:@*?# \t"):
			return nil, usagef("bad --domain %q: want a host name such as s3.example.com", d)
		}
		all = append(all, name)
	}
	return all, nil
}

// readListen returns the addresses to listen on. --bind and --port make one
// address. The command line beats the environment also across the two forms;
// both forms on the command line contradict each other, both in the
// environment (an image sets S3ULTRA_BIND, its user S3ULTRA_LISTEN) leave
// --listen the winner, as the complete one.
func readListen(c *cli.Context) ([]string, error) {
	pairFlag := c.OnCommandLine("bind") || c.OnCommandLine("port")
	listenFlag := c.OnCommandLine("listen")
	if pairFlag && listenFlag {
		return nil, usagef("--listen and --bind/--port contradict each other; give only one of them")
	}
	pairSet := c.IsSet("bind") || c.IsSet("port")
	if pairFlag || pairSet && !c.IsSet("listen") {
		addr := joinPair(c.String("bind"), c.String("port"))
		if err := checkAddress(addr); err != nil {
			return nil, usagef("bad --bind or --port: %w", err)
		}
		return []string{addr}, nil
	}
	var addrs []string
	for _, addr := range c.Strings("listen") {
		if addr == "" {
			continue
		}
		if err := checkAddress(addr); err != nil {
			return nil, usagef("bad --listen: %w", err)
		}
		addrs = append(addrs, addr)
	}
	if len(addrs) == 0 {
		return nil, usagef("bad --listen: there is no address in it")
	}
	return addrs, nil
}

// joinPair makes an address of --bind and --port. The host * is every address
// of the machine, of IPv4 and, where there is one, of IPv6.
func joinPair(bind, port string) string {
	host := strings.Trim(orDefault(bind, defaultHost), "[]")
	if host == "*" {
		host = ""
	}
	return net.JoinHostPort(host, orDefault(port, defaultPort))
}

// checkAddress returns why addr is not HOST:PORT. Service names are no ports:
// a typing error should not become a look-up.
func checkAddress(addr string) error {
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("%q is not HOST:PORT", addr)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return fmt.Errorf("%q has no port number from 0 to 65535", addr)
	}
	return nil
}
