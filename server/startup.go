package server

import (
	"fmt"
	"slices"

	"github.com/s3ultra/s3ultra/store"
)

// startBucket makes a bucket that is to exist from the start, if it does not.
func (s *Server) startBucket(b BucketSpec) error {
	if err := ValidBucketName(b.Name); err != nil {
		return err
	}
	if old := s.store.Bucket([]byte(b.Name)); old != nil {
		if old.Mode() != b.Mode {
			return fmt.Errorf("cannot create bucket %q in %v mode: it exists in %v mode", b.Name, b.Mode, old.Mode())
		}
		return nil
	}
	made, err := s.store.CreateBucket(b.Name, b.Mode, s.started)
	if err != nil {
		return fmt.Errorf("cannot create bucket %q: %w", b.Name, err)
	}
	if b.Policy == "" {
		return nil
	}
	if _, err := parsePolicy([]byte(b.Policy), b.Name); err != nil {
		return fmt.Errorf("cannot create bucket %q: its policy is bad: %w", b.Name, err)
	}
	return made.SetDocument(store.DocumentPolicy, b.Policy)
}

// openStore makes the store, with what is in cfg.DBPath.
func openStore(cfg Config) (*store.Store, error) {
	opt := store.Options{
		Seed:        cfg.Seed,
		MemoryLimit: cfg.MemoryLimit,
		KeepSmall:   cfg.KeepSmall,
		MinPartSize: cfg.MinPartSize,
	}
	if cfg.DBPath == "" {
		return store.New(opt), nil
	}
	return store.Open(opt, store.Persistence{
		Dir:     cfg.DBPath,
		Data:    cfg.PersistData,
		Sync:    cfg.SyncInterval,
		Pattern: cfg.Pattern.String(),
		Warn:    func(text string) { cfg.Logger.Warn(text) },
	})
}

// domainList returns the virtual-host domains in lower case, localhost first.
func domainList(configured []string) []string {
	list := []string{"localhost"}
	for _, d := range configured {
		lower := string(appendLower(nil, d))
		if !slices.Contains(list, lower) {
			list = append(list, lower)
		}
	}
	return list
}
