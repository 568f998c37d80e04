package server

import (
	"time"

	"github.com/s3ultra/s3ultra/store"
)

// Bounds of the lists in Stats, so that a server with 100,000 buckets still
// answers each second: what a person can look at.
const (
	maxStatsBuckets = 200
	maxStatsUploads = 100
)

// Stats is the state of the server, as /api/stats answers it and each event of
// /api/events carries it. Sizes are in bytes.
type Stats struct {
	Version    string           `json:"version"`
	Started    time.Time        `json:"started"`
	Uptime     float64          `json:"uptime_seconds"`
	Processors int              `json:"processors"`
	Ready      bool             `json:"ready"`
	Now        Sample           `json:"now"`
	Operations []OperationStats `json:"operations"`
	Memory     MemoryStats      `json:"memory"`
	Buckets    []BucketStats    `json:"buckets"` // by name, the first 200
	BucketsAll int64            `json:"buckets_total"`
	Objects    int64            `json:"objects_total"`
	Bytes      int64            `json:"object_bytes_total"`
	Uploads    []UploadStats    `json:"uploads"` // by bucket and key, the first 100
	UploadsAll int64            `json:"uploads_total"`
	Failures   []Failure        `json:"failures"` // newest first, of those that were logged the last 50 kinds
	LogDropped uint64           `json:"access_log_dropped"`
}

// MemoryStats is where the store's memory is.
type MemoryStats struct {
	Data     int64 `json:"data_bytes"`  // bodies of memory buckets
	Kept     int64 `json:"kept_bytes"`  // true bytes in synthetic buckets
	Index    int64 `json:"index_bytes"` // names and metadata
	Idle     int64 `json:"idle_bytes"`  // freed, held for reuse
	Used     int64 `json:"used_bytes"`  // data, kept and index
	Limit    int64 `json:"limit_bytes"` // for used; 0: none
	GoHeap   int64 `json:"go_heap_bytes"`
	Resident int64 `json:"resident_bytes"` // of the process; 0: not known
}

// BucketStats is one bucket.
type BucketStats struct {
	Name     string `json:"name"`
	Mode     string `json:"mode"`
	Objects  int    `json:"objects"`
	Bytes    int64  `json:"bytes"`    // logical size of the current objects
	Versions int    `json:"versions"` // noncurrent versions and delete markers
}

// UploadStats is one running multipart upload.
type UploadStats struct {
	Bucket    string    `json:"bucket"`
	Key       string    `json:"key"`
	ID        string    `json:"id"`
	Initiated time.Time `json:"initiated"`
}

// stats returns the state of the server.
func (p *sampler) stats() Stats {
	s := p.srv
	st := s.store.Stats()
	now, operations := p.current()
	out := Stats{
		Version: s.cfg.Version, Started: s.started, Uptime: time.Since(s.started).Seconds(),
		Processors: processors(), Ready: s.Ready() == nil, Now: now, Operations: operations,
		Memory: MemoryStats{
			Data: st.MemoryData, Kept: st.MemoryKept, Index: st.MemoryIndex, Idle: st.MemoryIdle,
			Used: s.store.MemoryUsed(), Limit: st.MemoryLimit, GoHeap: goHeap(), Resident: residentMemory(),
		},
		Buckets: []BucketStats{}, BucketsAll: st.Buckets, Objects: st.Objects, Bytes: st.Bytes,
		Uploads: []UploadStats{}, UploadsAll: st.Uploads, Failures: s.log.recent.list(),
	}
	if s.access != nil {
		out.LogDropped = s.access.dropped.Load()
	}
	for _, b := range s.store.Buckets() {
		if len(out.Buckets) < maxStatsBuckets {
			out.Buckets = append(out.Buckets, BucketStats{b.Name(), b.Mode().String(), b.Len(), b.Bytes(), b.Versions()})
		}
		b.UploadsFrom(nil, nil, func(u *store.Upload) bool {
			if len(out.Uploads) == maxStatsUploads {
				return false
			}
			out.Uploads = append(out.Uploads, UploadStats{b.Name(), u.Key, u.ID, time.UnixMilli(u.Initiated).UTC()})
			return true
		})
	}
	return out
}
