package store

import "sync/atomic"

// memoryKind is what a reserved byte is used for; Stats reports them apart.
type memoryKind uint8

const (
	memoryData  memoryKind = iota // bodies of memory-mode objects and parts
	memoryKept                    // bodies kept in synth mode
	memoryIndex                   // objects' metadata, and uploads', estimated
	memoryKinds
)

// memory is the account of one Store. Bytes are reserved before they are
// used, so that writers running at once cannot overshoot together. All methods
// may run concurrently.
type memory struct {
	limit int64 // bytes, 0 = none
	used  atomic.Int64
	kinds [memoryKinds]atomic.Int64
}

// reserve takes n >= 0 bytes or returns ErrMemoryLimit and takes none.
func (m *memory) reserve(kind memoryKind, n int64) error {
	if n == 0 {
		return nil
	}
	if m.limit == 0 {
		m.used.Add(n)
		m.kinds[kind].Add(n)
		return nil
	}
	// Compare-and-swap: an Add that is taken back on failure would make a
	// smaller writer next to it fail for no reason.
	for {
		used := m.used.Load()
		if n > m.limit-used {
			return ErrMemoryLimit
		}
		if m.used.CompareAndSwap(used, used+n) {
			m.kinds[kind].Add(n)
			return nil
		}
	}
}

// force takes n >= 0 bytes even beyond the limit.
func (m *memory) force(kind memoryKind, n int64) {
	m.used.Add(n)
	m.kinds[kind].Add(n)
}

// resize is reserve for n > 0 and release for n < 0.
func (m *memory) resize(kind memoryKind, n int64) error {
	if n > 0 {
		return m.reserve(kind, n)
	}
	m.release(kind, -n)
	return nil
}

// release gives n >= 0 reserved bytes back.
func (m *memory) release(kind memoryKind, n int64) {
	if n == 0 {
		return
	}
	m.used.Add(-n)
	m.kinds[kind].Add(-n)
}
