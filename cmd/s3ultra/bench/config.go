package bench

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/s3ultra/s3ultra/sigv4"
)

const (
	// DefaultRounds and DefaultDuration make a whole run of all loads take
	// about a minute: 37 rows of half a second, three times. A median needs
	// three; more rounds gain more than longer ones on a shared machine.
	DefaultRounds   = 3
	DefaultDuration = 400 * time.Millisecond

	// DefaultLarge and DefaultSmall are the connections of loads that count by
	// the byte and by the request: what loaders and checkpoint writers keep in
	// flight for a process, and what a busy client of small objects does.
	DefaultLarge = 8
	DefaultSmall = 32

	// DefaultBucket is the bucket of another server.
	DefaultBucket = "s3ultra-bench"

	// The most that can be asked for, so that a run ends: within the 15
	// minutes that signatures are valid, and what one machine's ports allow.
	maxRounds      = 100
	maxDuration    = 5 * time.Minute
	maxConcurrency = 16384

	// maxInFlight bounds what the uploads of a row make a server hold that
	// keeps bytes; there is no row for more connections.
	maxInFlight = 1 << 30
)

// Config is what a run is told. The zero values of numbers stand for the
// defaults.
type Config struct {
	// Loads are names, see LoadNames; none means all.
	Loads    []string
	Rounds   int
	Duration time.Duration // of one measurement of one row
	// Concurrency are numbers of connections; each load is measured with every
	// one. None means DefaultLarge or DefaultSmall.
	Concurrency []int

	// Endpoint is the URL of another S3 server to measure; "" measures s3ultra.
	Endpoint string
	// Compare measures s3ultra as well, interleaved with Endpoint.
	Compare    bool
	Credential sigv4.Credential // of Endpoint; zero: anonymous
	Region     string           // of Endpoint, for signatures
	Bucket     string           // of Endpoint; made if it does not exist
	PID        int              // of Endpoint's process, 0: unknown

	// Executable is this program, which runs again as server and as floors:
	// as ServeArgs..., and as FloorArgs... KIND.
	Executable string
	ServeArgs  []string
	FloorArgs  []string
	Version    string

	// Progress gets a line that is written over and over; nil for none.
	Progress io.Writer
}

// complete sets the defaults and returns why a value is wrong.
func (c *Config) complete() error {
	if c.Rounds == 0 {
		c.Rounds = DefaultRounds
	}
	if c.Duration == 0 {
		c.Duration = DefaultDuration
	}
	if c.Bucket == "" {
		c.Bucket = DefaultBucket
	}
	if c.Region == "" {
		c.Region = "us-east-1"
	}
	switch {
	case c.Rounds < 1 || c.Rounds > maxRounds:
		return fmt.Errorf("%d rounds: want 1 to %d", c.Rounds, maxRounds)
	case c.Duration < time.Millisecond || c.Duration > maxDuration:
		return fmt.Errorf("a duration of %v: want 1ms to %v", c.Duration, maxDuration)
	case c.Endpoint == "" && (c.Compare || c.PID != 0):
		return fmt.Errorf("a comparison or a process id without an endpoint")
	}
	for i, n := range c.Concurrency {
		if n < 1 || n > maxConcurrency {
			return fmt.Errorf("%d connections: want 1 to %d", n, maxConcurrency)
		}
		if slices.Contains(c.Concurrency[:i], n) {
			return fmt.Errorf("%d connections are asked for twice", n)
		}
	}
	return nil
}

// Check returns why the run cannot be done as it is configured, before
// anything is started.
func (c Config) Check() error {
	if err := c.complete(); err != nil {
		return err
	}
	if _, err := selectLoads(c.Loads); err != nil {
		return err
	}
	if c.Endpoint != "" {
		if _, err := parseEndpoint(c.Endpoint); err != nil {
			return err
		}
	}
	return nil
}

// connections returns the numbers of connections of a load.
func (c *Config) connections(l *load) []int {
	switch {
	case len(c.Concurrency) > 0:
		return c.Concurrency
	case l.perOp:
		return []int{DefaultSmall}
	default:
		return []int{DefaultLarge}
	}
}

// bound returns the most connections that a load may have.
func (l *load) bound(keepsBytes bool) int {
	if l.upload && keepsBytes {
		return int(min(maxInFlight/l.size, maxConcurrency))
	}
	return maxConcurrency
}
