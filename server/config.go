package server

import (
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"strings"
	"time"

	"github.com/s3ultra/s3ultra/sigv4"
	"github.com/s3ultra/s3ultra/store"
	"github.com/s3ultra/s3ultra/synth"
)

// Config is everything a Server is told. The zero value serves synthetic
// objects to anybody, without a bucket.
type Config struct {
	// Credentials are the key pairs that may sign requests. Without any, every
	// signature and anonymous requests are accepted.
	Credentials []sigv4.Credential
	// SkipSigVerify parses signatures (payload framing needs them) and checks none.
	SkipSigVerify bool
	// VerifyPayload compares bodies with x-amz-content-sha256, chunk
	// signatures, checksums and Content-MD5; false trusts them.
	VerifyPayload bool
	// MaxSkew bounds the difference between a request's time and the server's;
	// 0 means no bound.
	MaxSkew time.Duration

	// SHA256 chooses how bodies are hashed; the results are the same.
	SHA256 SHA256Mode

	// Mode is the mode of buckets that name none.
	Mode store.Mode
	// Seed and Pattern select the synthetic bytes.
	Seed    uint64
	Pattern synth.Pattern
	// Buckets exist from the start.
	Buckets []BucketSpec
	// Datasets describe objects that exist from the start without having been
	// written. Their buckets are made, in synth mode.
	Datasets []synth.Rule
	// Region is what HeadBucket and GetBucketLocation answer; empty means
	// us-east-1. Any region is accepted in signatures.
	Region string
	// Domains are the names below which hosts are virtual-hosted buckets.
	// localhost is always one of them.
	Domains []string
	// ETag chooses how memory buckets derive ETags.
	ETag store.ETagMode
	// KeepSmall is the size in bytes below which synthetic buckets keep an
	// object's real bytes.
	KeepSmall int64
	// MinPartSize is the smallest size in bytes of a part that is not the
	// last one; 0 turns the rule off.
	MinPartSize int64
	// MemoryLimit bounds in bytes what the store holds; 0 means no bound.
	MemoryLimit int64

	// SendBuffer bounds in bytes what the kernel holds of replies that a
	// client has not read, a connection; or SendBufferAuto, SendBufferKernel.
	SendBuffer int64

	// DBPath is the directory in which the state outlives the server; empty
	// means in memory only. See docs/persistence.md.
	DBPath string
	// PersistData keeps the bodies of memory buckets there too.
	PersistData bool
	// SyncInterval is what a power failure may lose at most: see
	// store.Persistence.Sync. The zero value is store.SyncAlways.
	SyncInterval time.Duration

	// HeadTimeout is how long a request's head may take from its first byte to
	// its last, StallTimeout how long a body may stand still in either direction
	// before the connection is cut; 0 means for ever.
	HeadTimeout, StallTimeout time.Duration
	// ShutdownTimeout is what the caller gives Shutdown; here it is only shown.
	ShutdownTimeout time.Duration

	// Version and Commit are in the metrics.
	Version string
	Commit  string
	// Listeners is how many calls of Serve make the server ready; 0 means one.
	Listeners int
	// Journal is how many requests the journal of the admin server holds; 0
	// switches it off.
	Journal int
	// AccessLog takes a line for each request.
	AccessLog AccessLogConfig
	// Logger takes one line for each refused or failed request; nil discards.
	Logger *slog.Logger
}

// BucketSpec names a bucket that exists from the start, and its mode.
type BucketSpec struct {
	Name string
	Mode store.Mode
	// Policy is the policy of a bucket that is made; one that is there keeps its
	// own. Empty means none.
	Policy string
}

// defaultRegion is the region AWS calls by an empty LocationConstraint.
const defaultRegion = "us-east-1"

// ErrBucketName is wrapped by every refusal of a bucket name.
var ErrBucketName = errors.New("invalid bucket name")

// ValidBucketName returns nil when name follows the naming rules of general
// purpose buckets: 3 to 63 characters of a-z, 0-9, '.' and '-', beginning and
// ending with a letter or digit, no two adjacent periods, no period beside a
// hyphen, not formatted as an IP address.
//
// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html
func ValidBucketName(name string) error {
	if len(name) < 3 || len(name) > 63 {
		return fmt.Errorf("%w %q: must be 3 to 63 characters long", ErrBucketName, name)
	}
	for i := 0; i < len(name); i++ {
		c := name[i]
		if !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '.') {
			return fmt.Errorf("%w %q: only a-z, 0-9, '.' and '-' are allowed", ErrBucketName, name)
		}
	}
	first, last := name[0], name[len(name)-1]
	if first == '-' || first == '.' || last == '-' || last == '.' {
		return fmt.Errorf("%w %q: must begin and end with a letter or digit", ErrBucketName, name)
	}
	for _, pair := range [...]string{"..", ".-", "-."} {
		if strings.Contains(name, pair) {
			return fmt.Errorf("%w %q: must not contain %q", ErrBucketName, name, pair)
		}
	}
	if _, err := netip.ParseAddr(name); err == nil {
		return fmt.Errorf("%w %q: must not be formatted as an IP address", ErrBucketName, name)
	}
	return nil
}
