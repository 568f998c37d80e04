package store

import (
	"sync"
	"time"
)

const (
	// completedMax and completedAge bound the memory of completed uploads
	// (design.md, section 6): clients retry within minutes, and 100,000
	// entries take about 30 MB, which does not count against the memory limit
	// because it is bounded by itself.
	completedMax = 100_000
	completedAge = time.Hour
)

// completedTable remembers the results of completed uploads, so that a Complete
// whose answer was lost can be repeated. Entries go in order of completion.
type completedTable struct {
	mu   sync.Mutex // guards all below
	m    map[string]*completedUpload
	head *completedUpload // oldest
	tail *completedUpload
	// forget is told of what is dropped, under the lock; may be nil.
	forget func(bucket uint64, id string)
}

type completedUpload struct {
	id, key string
	bucket  uint64 // Bucket.no: a new bucket of the same name is another one
	at      time.Time
	result  Object
	next    *completedUpload
}

// add remembers the result of u at time now.
func (t *completedTable) add(bucket uint64, u *Upload, now time.Time) {
	e := &completedUpload{id: u.ID, key: u.Key, bucket: bucket, at: now, result: u.result}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.append(e)
	t.drop(now)
}

// append adds the latest entry. t.mu is held.
func (t *completedTable) append(e *completedUpload) {
	if t.m == nil {
		t.m = make(map[string]*completedUpload)
	}
	t.m[e.id] = e
	if t.tail == nil {
		t.head = e
	} else {
		t.tail.next = e
	}
	t.tail = e
}

// expire forgets what is too old at time now.
func (t *completedTable) expire(now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.drop(now)
}

// drop forgets what is too old or too much. t.mu is held.
func (t *completedTable) drop(now time.Time) {
	for t.head != nil && (len(t.m) > completedMax || now.Sub(t.head.at) > completedAge) {
		delete(t.m, t.head.id)
		if t.forget != nil {
			t.forget(t.head.bucket, t.head.id)
		}
		t.head = t.head.next
	}
	if t.head == nil {
		t.tail = nil
	}
}

// get returns the result of an upload.
func (t *completedTable) get(bucket uint64, id, key []byte) (Object, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.m[string(id)]
	if e == nil || e.bucket != bucket || e.key != string(key) {
		return Object{}, false
	}
	return e.result, true
}
