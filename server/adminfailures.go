package server

import (
	"sync"
	"time"
)

// recentFailureCount is how many failed requests are kept to look at: a
// screenful or two.
const recentFailureCount = 50

// Failure is one refused or failed request, as the log has it.
type Failure struct {
	Time      time.Time `json:"time"`
	RequestID string    `json:"request_id"`
	Status    int       `json:"status"`
	Code      string    `json:"code"` // S3 error code
	Operation string    `json:"operation"`
	Method    string    `json:"method"`
	Target    string    `json:"target"` // path as received
	Remote    string    `json:"remote"`
	Cause     string    `json:"cause"`
}

// recentFailures keeps the last failures that were logged, which are few each
// second whatever clients do.
type recentFailures struct {
	mu   sync.Mutex
	ring [recentFailureCount]Failure
	n    int // ever
}

func (f *recentFailures) add(one Failure) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ring[f.n%len(f.ring)] = one
	f.n++
}

// list returns the failures, the newest first.
func (f *recentFailures) list() []Failure {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := make([]Failure, 0, min(f.n, len(f.ring)))
	for i := f.n - 1; i >= 0 && len(all) < len(f.ring); i-- {
		all = append(all, f.ring[i%len(f.ring)])
	}
	return all
}
