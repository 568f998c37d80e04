package server

import (
	"errors"
	"fmt"
)

// ErrStopping is why a server that is shutting down is not ready.
var ErrStopping = errors.New("shutting down")

// Ready returns nil when clients may come: every listener is served and what
// the configuration asks for exists. Otherwise it says what is missing.
// Buckets that clients have deleted since do not count.
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
	s.prepared.Store(true)
	return nil
}
