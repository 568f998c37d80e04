package server

import (
	"errors"
	"fmt"
	"slices"

	"github.com/s3ultra/s3ultra/store"
	"github.com/s3ultra/s3ultra/synth"
)

// ErrStopping is why a server that is shutting down is not ready.
var ErrStopping = errors.New("shutting down")

// Ready returns nil when clients may come: every listener is served and what
// the configuration asks for exists. Otherwise it says what is missing.
// Buckets and objects that clients have deleted since do not count.
func (s *Server) Ready() error {
	if s.stopping.Load() {
		return ErrStopping
	}
	want := max(s.cfg.Listeners, 1)
	if n := int(s.serving.Load()); n < want {
		return fmt.Errorf("%d of %d listeners are up", n, want)
	}
	if s.prepared.Load() {
		return nil
	}
	for _, b := range s.cfg.Buckets {
		if s.store.Bucket([]byte(b.Name)) == nil {
			return fmt.Errorf("the bucket %s does not exist yet", b.Name)
		}
	}
	for i := range s.cfg.Datasets {
		if rule := &s.cfg.Datasets[i]; !s.hasDataset(rule) {
			return fmt.Errorf("the data set %s of bucket %s does not exist yet", rule.Key, rule.Bucket)
		}
	}
	s.prepared.Store(true)
	return nil
}

// hasDataset tells whether the bucket of a rule has its data set.
func (s *Server) hasDataset(rule *synth.Rule) bool {
	b := s.store.Bucket([]byte(rule.Bucket))
	return b != nil && slices.ContainsFunc(b.Datasets(), func(d store.DatasetStats) bool { return d.Rule().Key == rule.Key })
}
