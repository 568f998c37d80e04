package store

import (
	"encoding/binary"
	"fmt"
)

// decoder reads what the append functions write. After a fault everything is
// zero and end returns the error.
type decoder struct {
	src []byte
	bad bool
}

func (d *decoder) end() error {
	if d.bad || len(d.src) > 0 {
		return fmt.Errorf("a row is malformed: %w", ErrDamaged)
	}
	return nil
}

// take returns the next n bytes.
func (d *decoder) take(n uint64) []byte {
	if d.bad || n > uint64(len(d.src)) {
		d.bad, d.src = true, nil
		return nil
	}
	b := d.src[:n:n]
	d.src = d.src[n:]
	return b
}

func (d *decoder) byte() byte {
	if b := d.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (d *decoder) uint64() uint64 {
	if b := d.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (d *decoder) uvarint() uint64 {
	v, n := binary.Uvarint(d.src)
	if n <= 0 {
		d.bad, d.src = true, nil
		return 0
	}
	d.src = d.src[n:]
	return v
}

func (d *decoder) varint() int64 {
	v, n := binary.Varint(d.src)
	if n <= 0 {
		d.bad, d.src = true, nil
		return 0
	}
	d.src = d.src[n:]
	return v
}

func (d *decoder) text() []byte { return d.take(d.uvarint()) }

func (d *decoder) etag() (e ETag) {
	copy(e.Sum[:], d.take(16))
	e.Parts = uint16(d.uvarint())
	return e
}

func (d *decoder) checksum() Checksum {
	c := Checksum{Algorithm: d.byte()}
	kind := d.byte()
	c.Composite, c.Named = kind&checksumComposite != 0, kind&checksumNamed != 0
	c.Sum = string(d.text())
	return c
}

func (d *decoder) parts() *Parts {
	n := d.uvarint()
	// A run takes at least two bytes.
	if n > uint64(len(d.src)) {
		d.bad = true
		return nil
	}
	p := &Parts{runs: make([]partRun, n)}
	for i := range p.runs {
		r := partRun{first: p.count + 1, n: int(d.uvarint()), off: p.size, size: int64(d.uvarint())}
		p.runs[i] = r
		p.count += r.n
		p.size += int64(r.n) * r.size
	}
	p.sums = string(d.text())
	if p.count > 0 {
		p.sumWidth = len(p.sums) / p.count
	}
	return p
}

func (d *decoder) body() []bodyPiece {
	n := d.uvarint()
	if n > uint64(len(d.src)) {
		d.bad = true
		return nil
	}
	pieces := make([]bodyPiece, n)
	for i := range pieces {
		kind := d.byte()
		p := &pieces[i]
		p.size = int64(d.uvarint())
		if kind == pieceInline {
			p.inline = d.take(uint64(p.size))
			continue
		}
		p.file = &bodyFile{id: d.uint64(), size: p.size}
		if crc := d.take(4); crc != nil {
			p.file.crc = binary.LittleEndian.Uint32(crc)
		}
	}
	return pieces
}
