package store

import "unsafe"

// reserve charges n pages. The error is ErrMemoryLimit, unless force is set.
func (t *packed) reserve(n int, force bool) error {
	if force {
		t.force(n)
		return nil
	}
	return t.mem.reserve(memoryIndex, int64(n)*t.pageCost())
}

// force charges n pages above the leaves whatever the limit is: they are one
// in hundreds, and a split that has begun must end.
func (t *packed) force(n int) {
	t.mem.force(memoryIndex, int64(n)*t.pageCost())
}

// newPage returns the number of a fresh page, which must be reserved.
func (t *packed) newPage() uint32 {
	var id uint32
	if n := len(t.vacant); n > 0 {
		id = t.vacant[n-1]
		t.vacant = t.vacant[:n-1]
	} else {
		t.last++
		id = t.last // numbers start at 1
	}
	chunk := int(id) / len(pageChunk{})
	for chunk >= len(t.chunks) {
		t.chunks = append(t.chunks, new(pageChunk))
	}
	s, err := t.alloc.alloc(t.size)
	mem := s.mem
	if err != nil {
		// No address space. The limit did not object, so the Go heap serves.
		mem = make([]byte, t.size)
		if t.foreign == nil {
			t.foreign = make(map[uint32][]byte)
		}
		t.foreign[id] = mem
	}
	t.chunks[chunk][int(id)%len(pageChunk{})] = unsafe.Pointer(unsafe.SliceData(mem))
	return id
}

// freePage gives a page back.
func (t *packed) freePage(id uint32) {
	p := t.page(id)
	t.chunks[int(id)/len(pageChunk{})][int(id)%len(pageChunk{})] = nil
	t.vacant = append(t.vacant, id)
	if _, ok := t.foreign[id]; ok {
		delete(t.foreign, id)
	} else {
		t.alloc.free(t.alloc.segmentAt(unsafe.Pointer(unsafe.SliceData(p)), t.size))
	}
	t.mem.release(memoryIndex, t.pageCost())
}
