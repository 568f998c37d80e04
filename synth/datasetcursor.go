package synth

// Cursor walks a Dataset in key order. It is the fast way to list: a step is a few divisions
// where KeyAt would search the position again. A Cursor allocates only to grow its key buffer, can
// be reset to another Dataset, and belongs to one goroutine. The zero Cursor is at the end of
// nothing.
type Cursor struct {
	d     *Dataset
	pos   int64
	index int64

	// folder and its digits are of the current object if the Dataset is grouped; inner is the
	// order of the indexes in that folder, indexDigits those of the index.
	folder       int64
	folderDigits int
	inner        digitOrder
	indexDigits  int

	key runningKey
}

// Reset puts the cursor before the first key of d, keeping its buffer. Seek or SeekPosition must
// follow. A nil d lets go of the last Dataset.
func (c *Cursor) Reset(d *Dataset) {
	c.key.reset(d)
	*c = Cursor{d: d, key: c.key}
}

// Seek moves to the first key that is not less than key and returns whether there is one.
func (c *Cursor) Seek(key []byte) bool { return c.SeekPosition(c.d.Seek(key)) }

// SeekPosition moves to a position, 0 or more, and returns whether it is less than Len().
func (c *Cursor) SeekPosition(pos int64) bool {
	c.pos = pos
	if pos >= c.d.Len() {
		return false
	}
	if c.d.single {
		c.index = c.d.rule.First
		return true
	}
	c.inner = c.d.index
	if c.d.grouped {
		c.folder, c.folderDigits, pos = c.d.folder.at(pos)
		c.inner.set.residue = c.folder
	}
	c.index, c.indexDigits, _ = c.inner.at(pos)
	return true
}

// Next moves to the next key and returns whether there is one.
func (c *Cursor) Next() bool {
	c.pos++
	if c.pos >= c.d.Len() {
		return false
	}
	var ok bool
	if c.index, c.indexDigits, ok = c.inner.next(c.index, c.indexDigits); !ok {
		c.folder, c.folderDigits, _ = c.d.folder.next(c.folder, c.folderDigits)
		c.inner.set.residue = c.folder
		c.index, c.indexDigits, _ = c.inner.at(0)
	}
	return true
}

// Key returns the current key, valid until the next call.
func (c *Cursor) Key() []byte {
	folder := c.folder
	if !c.d.grouped {
		folder = c.d.folderOf(c.index)
	}
	c.key.set(c.index, folder)
	return c.key.key
}

// Position returns the current position; Len() or more after the end.
func (c *Cursor) Position() int64 { return c.pos }

// Index returns the current index.
func (c *Cursor) Index() int64 { return c.index }

// Size returns the size of the current object.
func (c *Cursor) Size() int64 { return c.d.Size(c.index) }
