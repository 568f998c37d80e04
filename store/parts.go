package store

// Parts are the sizes of the parts a multipart object was completed from, in
// order, and their checksums if the upload had any. Immutable; parts count
// from 1 in the order listed at Complete, whatever their upload numbers were.
// Equal sizes in a row take one run, and nearly every upload is one run and a
// last part.
type Parts struct {
	runs     []partRun
	count    int
	size     int64
	sums     string // the raw checksums one after another, or ""
	sumWidth int    // bytes of each
}

// partRun is n parts of equal size.
type partRun struct {
	first int   // number of the first part, from 1
	n     int   // parts in the run
	off   int64 // offset of the first part in the object
	size  int64 // of each
}

// Count is the number of parts; 0 for nil.
func (p *Parts) Count() int {
	if p == nil {
		return 0
	}
	return p.count
}

// Part returns the offset and size in bytes of part n, 1 <= n <= Count().
// Outside of that the size is -1.
func (p *Parts) Part(n int) (off, size int64) {
	if p == nil || n < 1 || n > p.count {
		return 0, -1
	}
	lo, hi := 0, len(p.runs)
	for hi-lo > 1 {
		mid := (lo + hi) / 2
		if p.runs[mid].first <= n {
			lo = mid
		} else {
			hi = mid
		}
	}
	r := &p.runs[lo]
	return r.off + int64(n-r.first)*r.size, r.size
}

// Checksum returns the raw checksum of part n, or nil if the upload had none.
func (p *Parts) Checksum(n int) []byte {
	if p == nil || p.sumWidth == 0 || n < 1 || n > p.count {
		return nil
	}
	return []byte(p.sums[(n-1)*p.sumWidth : n*p.sumWidth])
}

// memory is the estimate of what p holds, in bytes.
func (p *Parts) memory() int64 {
	if p == nil {
		return 0
	}
	const partsCost, runCost = 72, 32 // unsafe.Sizeof of Parts and of partRun
	return int64(partsCost + runCost*len(p.runs) + len(p.sums))
}

// newParts packs the listed parts. Their checksums are kept if all have one of
// equal length.
func newParts(listed []Part) *Parts {
	p := &Parts{count: len(listed)}
	width := len(listed[0].Checksum.Sum)
	runs := 0
	for i := range listed {
		if i == 0 || listed[i].Size != listed[i-1].Size {
			runs++
		}
		if len(listed[i].Checksum.Sum) != width {
			width = 0
		}
	}
	p.runs = make([]partRun, 0, runs)
	sums := make([]byte, 0, width*len(listed))
	for i := range listed {
		size := listed[i].Size
		if i == 0 || size != listed[i-1].Size {
			p.runs = append(p.runs, partRun{first: i + 1, off: p.size, size: size})
		}
		p.runs[len(p.runs)-1].n++
		p.size += size
		if width > 0 {
			sums = append(sums, listed[i].Checksum.Sum...)
		}
	}
	p.sums, p.sumWidth = string(sums), width
	return p
}
