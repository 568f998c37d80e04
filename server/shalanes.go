package server

import (
	"errors"
	"fmt"

	"github.com/s3ultra/s3ultra/server/sha256lanes"
)

// SHA256Mode is how the SHA-256 of bodies and chunks are computed.
type SHA256Mode uint8

const (
	// SHA256Auto is SHA256Lanes on CPUs where that costs less, else SHA256Single.
	SHA256Auto SHA256Mode = iota
	// SHA256Single hashes each body by itself, by what instructions the CPU has.
	SHA256Single
	// SHA256Lanes hashes concurrent bodies side by side, see sha256lanes.
	SHA256Lanes
)

// errSHA256Mode is wrapped by ParseSHA256Mode.
var errSHA256Mode = errors.New("want auto, single or lanes")

// ParseSHA256Mode reads "auto", "single" or "lanes".
func ParseSHA256Mode(name string) (SHA256Mode, error) {
	switch name {
	case "auto":
		return SHA256Auto, nil
	case "single":
		return SHA256Single, nil
	case "lanes":
		return SHA256Lanes, nil
	}
	return SHA256Auto, errSHA256Mode
}

const (
	// shaLaneBody is the smallest body in bytes that is worth a lane: half of
	// what is read at a time, and an aws-chunk of most clients.
	shaLaneBody = 64 << 10
	// shaLaneUploads is how many uploads at once make lanes cheaper than one
	// SHA-256 each. Measured cpu-s/GiB of 8 MiB PUTs, lanes against AVX2, nine
	// rounds: 3.2 : 4.9 for four, 1.5 : 4.9 for eight, 1.0 : 5.0 for sixteen. Of
	// four uploads one is often between two bodies, so with a 4 here four
	// gained little; with a 2 two gained nothing.
	shaLaneUploads = 3
)

// shaLanes computes the SHA-256 of concurrent uploads side by side on CPUs that
// have no instructions for it. The zero shaLanes computes each by itself.
type shaLanes struct {
	lanes *sha256lanes.Lanes
}

func newSHALanes(mode SHA256Mode) (shaLanes, error) {
	if mode == SHA256Single || mode == SHA256Auto && !sha256lanes.Worthwhile() {
		return shaLanes{}, nil
	}
	l, err := sha256lanes.New(shaLaneUploads)
	if err != nil && mode == SHA256Lanes {
		return shaLanes{}, fmt.Errorf("cannot hash bodies in lanes: %w", err)
	}
	return shaLanes{l}, nil
}

// name returns the mode in use, as ParseSHA256Mode reads it.
func (l *shaLanes) name() string {
	if l.lanes == nil {
		return "single"
	}
	return "lanes"
}

// start makes d the SHA-256 of a body of size bytes, -1 if unknown, or of its
// chunks, one after the other. d.Release must follow.
func (l *shaLanes) start(d *digest, size int64) {
	if l.lanes == nil || size < shaLaneBody {
		d.Reset(checksumSHA256)
		return
	}
	d.sha = l.lanes.Open()
	d.hash, d.algorithm = d.sha, checksumSHA256
}
