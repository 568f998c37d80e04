package server

import (
	"sync"
	"sync/atomic"

	md5simd "github.com/minio/md5-simd"
)

const (
	// laneBody is the smallest body in bytes that is worth a lane: below, the
	// hand-over to the lanes' goroutine costs what they save.
	laneBody = 1 << 20
	// laneUploads is how many uploads at once make lanes cheaper than one
	// scalar MD5 each. Measured with AVX-512, cpu-s/GiB of lanes against
	// scalar: 2.6 : 2.0 alone, 2.3 : 2.0 for two, 1.2 : 2.1 for four,
	// 0.6 : 2.1 for eight, 0.4 : 2.0 for sixteen.
	laneUploads = 4
)

// md5Lanes computes the MD5s of concurrent uploads side by side in the lanes
// of vector registers. MD5 is a chain that no instruction speeds up; only
// several at once do.
type md5Lanes struct {
	uploads atomic.Int32 // bodies being hashed, in lanes or not
	once    sync.Once
	lanes   md5simd.Server
}

// start makes d the MD5 of a body of size bytes; end must follow.
func (l *md5Lanes) start(d *digest, size int64) {
	if size < laneBody {
		d.Reset(checksumMD5)
		return
	}
	d.lanes = l
	if l.uploads.Add(1) < laneUploads {
		d.Reset(checksumMD5)
		return
	}
	// Its 1.5 MiB of buffers are made when first needed.
	l.once.Do(func() { l.lanes = md5simd.NewServer() })
	d.lane = l.lanes.NewHash()
	d.hash, d.algorithm = d.lane, checksumMD5
}

// end gives back what start took.
func (l *md5Lanes) end(d *digest) {
	l.uploads.Add(-1)
	if d.lane != nil {
		d.lane.Close()
		d.hash = nil
	}
}
