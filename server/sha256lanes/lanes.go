// Package sha256lanes computes the SHA-256 of concurrent streams side by side, one in each lane of
// the CPU's vector registers. SHA-256 is a chain within one stream: a CPU without instructions for
// it gains from vectors only across streams.
package sha256lanes

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
)

const (
	// Width is the number of lanes: 32-bit words in a register of AVX-512.
	Width = 16

	// company is the fewest lanes in use that are cheaper than one hash after
	// the other: two take 0.75 of the time of two.
	company = 2
)

// ErrUnsupported says that there is no code for lanes on this CPU.
var ErrUnsupported = errors.New("no SHA-256 in lanes on this CPU")

// errState says that hashes of crypto/sha256 cannot be gone on with.
var errState = errors.New("cannot read the state of a hash of crypto/sha256")

// A blocksFunc takes n blocks of 64 bytes, n > 0, of the data of each of the
// first used lanes into its state; word w of lane i is state[w][i]. It may do
// so in the other lanes too, and keeps no reference.
type blocksFunc func(state *[8][Width]uint32, data *[Width]*byte, n, used int)

// Lanes is what streams share that are hashed side by side. All methods may be
// called concurrently. While nothing is hashed it has no goroutine, so it need
// not be closed.
type Lanes struct {
	blocks blocksFunc
	least  int32
	open   atomic.Int32
	hashes sync.Pool // *Hash

	mu      sync.Mutex
	first   *Hash // of those that wait for a lane, in order of arrival
	last    *Hash
	waiting int
	working int // workers that run
	free    int // their lanes that are not in use
	idle    []*worker
}

// Worthwhile tells whether lanes cost less on this CPU than hashes by
// themselves: it has AVX-512 and no instructions for SHA-256.
func Worthwhile() bool { return kernel() != nil && !hasSHA() }

// New returns lanes that are used while at least least hashes are open.
//
// Errors: ErrUnsupported, or sums that differ from crypto/sha256's.
func New(least int) (*Lanes, error) {
	blocks := kernel()
	if blocks == nil {
		return nil, ErrUnsupported
	}
	l := newLanes(blocks, least)
	if err := l.check(); err != nil {
		return nil, err
	}
	return l, nil
}

func newLanes(blocks blocksFunc, least int) *Lanes {
	l := &Lanes{blocks: blocks, least: int32(least)}
	l.hashes.New = func() any { return newHash(l) }
	return l
}

// check computes a sum in every lane: the form of crypto/sha256's states, which
// Hash moves to lanes and back, may change with any Go.
func (l *Lanes) check() error {
	text := bytes.Repeat([]byte("0123456789abcdef"), (Width+2)*blockSize/16)
	w := newWorker(l)
	var h [Width]*Hash
	for i := range h {
		h[i] = newHash(l)
		h[i].one.Write(text[:blockSize])
		if err := h[i].load(); err != nil {
			return err
		}
		h[i].todo = text[blockSize:][:(i+1)*blockSize]
		w.seat(h[i])
	}
	for w.used > 0 {
		w.step()
	}
	for i := range h {
		whole := (i + 2) * blockSize
		if err := h[i].store(whole - blockSize); err != nil {
			return err
		}
		h[i].one.Write(text[whole : whole+i])
		if [sha256.Size]byte(h[i].one.Sum(nil)) != sha256.Sum256(text[:whole+i]) {
			return errState
		}
	}
	return nil
}

// Open starts a hash; Close must follow.
func (l *Lanes) Open() *Hash {
	l.open.Add(1)
	h := l.hashes.Get().(*Hash)
	h.Reset()
	return h
}

// InUse returns how many hashes are open.
func (l *Lanes) InUse() int { return int(l.open.Load()) }

// shared tells whether enough hashes are open to share lanes.
func (l *Lanes) shared() bool { return l.open.Load() >= l.least }

// join has h.todo hashed in a lane and returns when that is done, or when h is
// to go on by itself.
func (l *Lanes) join(h *Hash) {
	l.mu.Lock()
	if l.last == nil {
		l.first = h
	} else {
		l.last.next = h
	}
	l.last = h
	l.waiting++
	var w *worker
	// A second worker needs company too, and more than there are cores only
	// take turns.
	if l.working == 0 || l.waiting-l.free >= company && l.working < runtime.GOMAXPROCS(0) {
		if n := len(l.idle); n > 0 {
			w, l.idle = l.idle[n-1], l.idle[:n-1]
		} else {
			w = newWorker(l)
		}
		l.working++
		l.free += Width
	}
	l.mu.Unlock()
	if w != nil {
		go w.run()
	}
	<-h.done
}

// next takes the first hash off the queue; l.mu is held.
func (l *Lanes) next() *Hash {
	h := l.first
	if h == nil {
		return nil
	}
	l.first, h.next = h.next, nil
	if l.first == nil {
		l.last = nil
	}
	l.waiting--
	return h
}
