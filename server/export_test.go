package server

import (
	"fmt"

	"github.com/s3ultra/s3ultra/store"
	"github.com/s3ultra/s3ultra/synth"
)

// LaneHashes returns how many bodies are being hashed that may take a lane.
func (s *Server) LaneHashes() int {
	if s.sha.lanes == nil {
		return 0
	}
	return s.sha.lanes.InUse()
}

// AddSynthetic makes an object of size bytes exist in a bucket without an
// upload: its bytes are the synthetic ones of its name. Error: store.ErrNoSuchBucket.
func (s *Server) AddSynthetic(bucket, key string, size int64) error {
	b := s.store.Bucket([]byte(bucket))
	if b == nil {
		return fmt.Errorf("cannot add %s/%s: %w", bucket, key, store.ErrNoSuchBucket)
	}
	content := synth.Hash(s.cfg.Seed, []byte(bucket), []byte(key))
	o := store.Object{
		Size:    size,
		ModTime: s.started.UnixMilli(),
		Content: content,
		ETag:    store.DeriveETag(content, size, 1),
	}
	if err := b.Put([]byte(key), &o, nil); err != nil {
		return fmt.Errorf("cannot add %s/%s: %w", bucket, key, err)
	}
	return nil
}
