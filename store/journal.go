package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
)

const (
	// journalSegmentSize: what a start after a kill has to apply at most twice
	// over, about 200,000 PUTs or 0.3 s; the index on disk gets one file for
	// each, so smaller ones mean more merging.
	journalSegmentSize = 32 << 20
	// maxBacklog is how many full segments may wait for the index on disk
	// before writers wait for it: 512 MiB, seconds of its work.
	maxBacklog = 16
	// diskReserve is space the journal leaves free, so that the index on disk
	// can take over what is acknowledged already and free the journal.
	diskReserve = 64 << 20
	// bodyReserve is what bodies leave free: that, and two segments, so that a
	// disk full of bodies can be emptied by deletes, half a million of them.
	bodyReserve = diskReserve + 2*journalSegmentSize
)

// journal is the write-ahead log: whatever is acknowledged is in one of its
// segments or in the index on disk. A record is in the page cache, where it
// survives the process, once append has returned; sync puts it on the disk.
//
// Why not the log of the key-value store: that one hands records to another
// goroutine (a commit is in the page cache only once it is synced), ends the
// process when the disk is full, and its commit takes several times longer
// than the 0.3 us of this one, which is a copy to memory shared with the
// system and runs under the bucket's lock, so that nobody sees what is not
// written.
//
// All methods may run concurrently.
type journal struct {
	dir         string
	segmentSize int64
	create      func(path string, number uint64, size int64) (*journalSegment, error) // createSegment but in tests
	// beforeSync makes durable what records refer to.
	beforeSync func() error
	// full wakes whoever applies full segments.
	full chan struct{}

	mu      sync.Mutex // guards all below; taken last
	cond    sync.Cond  // backlog has shrunk, or failed is set
	cur     *journalSegment
	next    *journalSegment   // prepared, or nil
	closed  []*journalSegment // full, oldest first
	number  uint64            // of the newest segment
	failed  error             // all further appends return it
	ended   bool              // closed: no more appends, what is there is good
	backlog atomic.Int32      // len(closed)

	pos    atomic.Uint64 // bytes appended in all
	synced atomic.Uint64 // pos that is on the disk
	syncMu sync.Mutex    // one sync at a time; taken before mu
}

// append writes a record. An error means that it is not there and never will
// be: ErrDiskFull, or what made the journal fail.
func (j *journal) append(record []byte) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.failed != nil {
		return j.failed
	}
	if j.ended {
		return fmt.Errorf("%w: the store is closed", ErrPersist)
	}
	need := int64(recordHeader + len(record))
	if j.cur == nil || j.cur.size-j.cur.used < need {
		if err := j.rotate(need); err != nil {
			return err
		}
	}
	if err := j.cur.write(record); err != nil {
		return diskError("write the write-ahead log", err)
	}
	j.pos.Add(uint64(need))
	if j.next == nil && j.cur.used > j.cur.size/2 {
		j.wake() // to prepare the next one
	}
	return nil
}

// rotate starts a segment that has room for need bytes. j.mu is held.
func (j *journal) rotate(need int64) error {
	seg := j.next
	if seg != nil && seg.size-seg.used < need {
		seg = nil // a record larger than a segment gets one of its own
	}
	if seg == nil {
		if j.next != nil {
			j.next.remove()
			j.next = nil
		}
		var err error
		size := max(j.segmentSize, need+segmentHeader)
		if seg, err = j.create(j.path(j.number+1), j.number+1, size); err != nil {
			return diskError("extend the write-ahead log", err)
		}
	}
	j.next = nil
	j.number = seg.number
	if j.cur != nil {
		j.closed = append(j.closed, j.cur)
		j.backlog.Store(int32(len(j.closed)))
		j.wake()
	}
	j.cur = seg
	return nil
}

func (j *journal) wake() {
	select {
	case j.full <- struct{}{}:
	default:
	}
}

func (j *journal) path(number uint64) string {
	return filepath.Join(j.dir, fmt.Sprintf("%016x%s", number, segmentSuffix))
}

// prepare makes the next segment while the current one is being filled.
func (j *journal) prepare() {
	j.mu.Lock()
	number := j.number + 1
	if j.next != nil || j.cur == nil || j.cur.used <= j.cur.size/2 || j.failed != nil || j.ended {
		j.mu.Unlock()
		return
	}
	j.mu.Unlock()
	seg, err := j.create(j.path(number)+preparedSuffix, number, j.segmentSize)
	if err != nil {
		return // who needs it will try again and get the error
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	// Writers may have outrun this.
	if j.ended || j.next != nil || j.number+1 != number || seg.rename(j.path(number)) != nil {
		seg.remove()
		return
	}
	j.next = seg
}

// admit waits while the index on disk is far behind. It is called before any
// lock is taken.
func (j *journal) admit() {
	if j.backlog.Load() < maxBacklog {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for len(j.closed) >= maxBacklog && j.failed == nil && !j.ended {
		j.cond.Wait()
	}
}

// sync puts everything appended so far on the disk. If that fails the journal
// fails: what the system has done with the pages is not known then, and a
// second attempt may report success for pages that were dropped.
func (j *journal) sync() error { return j.syncTo(j.pos.Load()) }

// syncTo is sync for the records before pos. Callers that come while another
// one syncs share the next sync.
func (j *journal) syncTo(pos uint64) error {
	if j.synced.Load() >= pos {
		return nil
	}
	j.syncMu.Lock()
	defer j.syncMu.Unlock()
	if j.synced.Load() >= pos {
		return nil
	}
	j.mu.Lock()
	pos = j.pos.Load()
	err := j.failed
	list := make([]*journalSegment, 0, len(j.closed)+1)
	for _, seg := range j.closed {
		if !seg.synced {
			list = append(list, seg)
		}
	}
	cur := j.cur
	if cur != nil {
		list = append(list, cur)
	}
	used := make([]int64, len(list))
	for i, seg := range list {
		used[i] = seg.used
	}
	j.mu.Unlock()
	if err != nil {
		return err
	}
	if err := j.beforeSync(); err != nil {
		return j.fail(err)
	}
	for i, seg := range list {
		if err := seg.sync(used[i]); err != nil {
			return j.fail(err)
		}
	}
	j.mu.Lock()
	for _, seg := range list {
		seg.synced = seg != cur
	}
	if cur != nil {
		// Whatever is bad in an earlier segment from now on is damage, not the
		// end of what a power loss left.
		cur.markPredecessors()
	}
	j.mu.Unlock()
	j.synced.Store(pos)
	return nil
}

// fail makes every further write fail.
func (j *journal) fail(cause error) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.failed == nil {
		j.failed = fmt.Errorf("%w, no more writes are taken until a restart: %v", ErrPersist, cause)
		j.cond.Broadcast()
	}
	return j.failed
}

// oldest returns the oldest full segment, or nil.
func (j *journal) oldest() *journalSegment {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.closed) == 0 {
		return nil
	}
	return j.closed[0]
}

// drop removes the oldest full segment, which is in the index on disk.
func (j *journal) drop(seg *journalSegment) {
	j.syncMu.Lock() // nobody is syncing it
	defer j.syncMu.Unlock()
	j.mu.Lock()
	defer j.mu.Unlock()
	j.closed = j.closed[1:]
	j.backlog.Store(int32(len(j.closed)))
	seg.remove()
	j.cond.Broadcast()
}

// finish ends the current segment; appends fail from now on.
func (j *journal) finish() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.ended = true
	if j.cur != nil {
		j.closed = append(j.closed, j.cur)
		j.cur = nil
	}
	if j.next != nil {
		j.next.remove()
		j.next = nil
	}
	j.cond.Broadcast()
}

// diskError wraps an error of the database's file system: ErrDiskFull or
// ErrPersist.
func diskError(doing string, err error) error {
	if errors.Is(err, errNoSpace) {
		return fmt.Errorf("cannot %s (%v): %w", doing, err, ErrDiskFull)
	}
	var path *os.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("cannot %s (%v): %w", doing, err, ErrPersist)
}
