package server

import (
	"slices"
	"sync"
	"time"
)

// recentFailureCount is how many kinds of failed requests are kept to look at:
// a screenful or two.
const recentFailureCount = 50

// Failure is a refused or failed request, as the log has it. It stands for all
// of the same status, code, operation and cause: a benchmark's thousand missing
// keys must not push out the one fault that matters.
type Failure struct {
	Times     int       `json:"times"` // how many it stands for, this being the last one
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

// alike tells whether one entry can stand for both.
func (f *Failure) alike(other *Failure) bool {
	return f.Status == other.Status && f.Code == other.Code && f.Operation == other.Operation && f.Cause == other.Cause
}

// recentFailures keeps the last failures that were logged, which are few each
// second whatever clients do.
type recentFailures struct {
	mu  sync.Mutex
	all []Failure // oldest first
}

func (f *recentFailures) add(one Failure) {
	f.mu.Lock()
	defer f.mu.Unlock()
	one.Times = 1
	if i := slices.IndexFunc(f.all, func(old Failure) bool { return old.alike(&one) }); i >= 0 {
		one.Times += f.all[i].Times
		f.all = slices.Delete(f.all, i, i+1)
	} else if len(f.all) == recentFailureCount {
		f.all = slices.Delete(f.all, 0, 1)
	}
	f.all = append(f.all, one)
}

// list returns the failures, the newest first.
func (f *recentFailures) list() []Failure {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := append([]Failure{}, f.all...)
	slices.Reverse(all)
	return all
}
