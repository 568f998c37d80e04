package store

// segment is a piece of a large body. mem has the length that counts against
// the memory limit (whole pages) and the capacity of its slot.
type segment struct {
	mem   []byte
	class uint8 // of segmentAllocator
}

// segmentedCost is the memory a body of size bytes takes in segments: whole
// ones, and a last one rounded up to pages.
func (a *segmentAllocator) segmentedCost(size int64) int64 {
	return size/segmentSize*segmentSize + a.roundUp(size%segmentSize)
}

// roundUp rounds n up to whole pages.
func (a *segmentAllocator) roundUp(n int64) int64 {
	return (n + a.page - 1) &^ (a.page - 1)
}
