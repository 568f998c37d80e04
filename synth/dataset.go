package synth

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// Dataset is a compiled Rule: objects that exist by arithmetic. Its memory does not depend on
// their number. Objects are named in two ways: by their index, which the key holds and the size is
// drawn from, and by their position, 0 to Len()-1, in the order of the keys as bytes. The two
// agree where all indexes have the same number of digits. A Dataset does not change, and all its
// methods can run together. Unless said otherwise they do not allocate and take O(digits) time.
type Dataset struct {
	rule Rule

	// key is the whole template; head, middle and tail are what stands before, between and
	// after the two numbers that decide the order: the folder, if grouped, and the index.
	key          []segment
	head         string
	middle, tail []segment

	// single is whether there is one object, named head.
	single bool

	// grouped is whether a folder stands before the index.
	grouped bool
	folder  digitOrder
	index   digitOrder

	sizes   sizer
	modTime int64
}

// NewDataset checks a rule and compiles it. Errors wrap ErrBadRule and say why.
func NewDataset(r Rule) (*Dataset, error) {
	d, err := newDataset(r)
	if err != nil {
		return nil, fmt.Errorf("%w %s: %w", ErrBadRule, r.describe(), err)
	}
	return d, nil
}

func newDataset(r Rule) (*Dataset, error) {
	if err := r.validate(); err != nil {
		return nil, err
	}
	if r.LastModified.IsZero() {
		r.LastModified = DefaultLastModified()
	}
	segs, err := parseTemplate(r.Key, r.Count, r.Folders)
	if err != nil {
		return nil, err
	}
	d := &Dataset{
		rule:    r,
		key:     segs,
		sizes:   newSizer(r.Size, Hash(r.Seed, "sizes", r.Key)),
		modTime: r.LastModified.UnixMilli(),
	}
	last := r.First + r.Count - 1
	if longest := appendSegments(nil, segs, last, max(r.Folders-1, 0)); len(longest) > maxKeyBytes {
		return nil, fmt.Errorf("a key has %d bytes; S3 allows %d", len(longest), maxKeyBytes)
	}
	if r.Count == 1 {
		d.single = true
		d.head = string(appendSegments(nil, segs, r.First, d.folderOf(r.First)))
		return d, nil
	}

	if segs[0].kind == segmentLiteral {
		d.head, segs = segs[0].literal, segs[1:]
	}
	at := slices.IndexFunc(segs, func(s segment) bool { return s.kind == segmentIndex })
	if at < 0 {
		return nil, fmt.Errorf("key %q has no {i}, so all %d objects would have one name", r.Key, r.Count)
	}
	all := members{kind: membersAll, first: r.First, end: last + 1}
	if at > 0 {
		d.grouped = true
		groups := members{kind: membersFolder, first: r.First, end: last + 1, modulus: r.Folders}
		if d.folder, err = newDigitOrder(segs, r.Folders-1, groups); err != nil {
			return nil, err
		}
		d.middle = segs[1:at]
		all.kind, all.modulus = membersResidue, r.Folders
	}
	d.index, err = newDigitOrder(segs[at:], last, all)
	d.tail = segs[at+1:]
	return d, err
}

// newDigitOrder returns the order of the number segs[0], which is at most largest, before segs[1:].
func newDigitOrder(segs []segment, largest int64, set members) (digitOrder, error) {
	o := digitOrder{set: set, width: segs[0].width}
	o.longest = max(o.width, digitsOf(largest))
	if o.width == o.longest || len(segs) == 1 {
		return o, nil
	}
	// Otherwise 1 before "0x" and 10 before "x" would be one key.
	following := segs[1].literal
	if following == "" || following[0] >= '0' && following[0] <= '9' {
		return o, errors.New("a number whose digits vary is followed by another digit; pad it, as in {i:08}, or put a separator")
	}
	o.post = following[0] > '9'
	return o, nil
}

// Rule returns the rule with its defaults filled in.
func (d *Dataset) Rule() Rule { return d.rule }

// Name returns the rule's name.
func (d *Dataset) Name() string { return d.rule.Name }

// Bucket returns the bucket's name.
func (d *Dataset) Bucket() string { return d.rule.Bucket }

// ContentType returns the media type of the objects, or "" for the server's default.
func (d *Dataset) ContentType() string { return d.rule.ContentType }

// ModTime returns the last-modified time of the objects in Unix milliseconds.
func (d *Dataset) ModTime() int64 { return d.modTime }

// Len returns how many objects there are.
func (d *Dataset) Len() int64 { return d.rule.Count }

// Size returns the size in bytes of the object with an index.
func (d *Dataset) Size(index int64) int64 { return d.sizes.at(index) }

// maxExactDraws is up to how many drawn sizes TotalBytes adds up: about 30 ms.
const maxExactDraws = 1 << 20

// TotalBytes returns the sum of the sizes, and whether it is exact. It is for constant sizes and
// for up to 2^20 drawn ones, which are drawn for it (up to 30 ms, so keep the result). Of more,
// 2^20 evenly spaced ones are drawn and scaled up; the error is then about a thousandth of the
// standard deviation per object. A sum above 2^63-1 is cut there.
func (d *Dataset) TotalBytes() (total int64, exact bool) {
	n := d.rule.Count
	if d.rule.Size.Distribution == Constant {
		return mulDiv(d.rule.Size.Mean, n, 1), true
	}
	draws := min(n, maxExactDraws)
	var sum int64 // at most 2^20 * 2^46
	for k := range draws {
		sum += d.Size(d.rule.First + mulDiv(k, n, draws))
	}
	return mulDiv(sum, n, draws), draws == n
}

// mulDiv returns a * b / c, cut at 2^63-1. None is negative, and c is above 0.
func mulDiv(a, b, c int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi >= uint64(c) {
		return math.MaxInt64
	}
	q, _ := bits.Div64(hi, lo, uint64(c))
	return int64(min(q, math.MaxInt64))
}

// folderOf returns the folder of an index, 0 if there are none.
func (d *Dataset) folderOf(i int64) int64 {
	if d.rule.Folders == 0 {
		return 0
	}
	return i % d.rule.Folders
}

// Index returns the index of the object at a position, 0 to Len()-1.
func (d *Dataset) Index(pos int64) int64 {
	if d.single {
		return d.rule.First
	}
	inner := d.index
	if d.grouped {
		inner.set.residue, _, pos = d.folder.at(pos)
	}
	i, _, _ := inner.at(pos)
	return i
}

// Position returns the position of the object with an index, First to First+Len()-1.
func (d *Dataset) Position(index int64) int64 {
	if d.single {
		return 0
	}
	inner := d.index
	var before int64
	if d.grouped {
		inner.set.residue = d.folderOf(index)
		before = d.folder.rank(inner.set.residue)
	}
	return before + inner.rank(index)
}

// KeyAt appends the key at a position, 0 to Len()-1, to dst, up to 1,024 bytes.
func (d *Dataset) KeyAt(dst []byte, pos int64) []byte {
	return d.AppendKey(dst, d.Index(pos))
}

// AppendKey appends the key of the object with an index to dst, up to 1,024 bytes.
func (d *Dataset) AppendKey(dst []byte, index int64) []byte {
	return appendSegments(dst, d.key, index, d.folderOf(index))
}

// Find returns the index of the object named key, and whether there is one.
func (d *Dataset) Find(key []byte) (index int64, ok bool) {
	_, index, ok = d.locate(key)
	return index, ok
}

// Seek returns the position of the first key that is not less than key, Len() if there is none:
// in other words, how many keys are less.
func (d *Dataset) Seek(key []byte) int64 {
	pos, _, _ := d.locate(key)
	return pos
}

// locate returns how many keys are less than key, and the index if one is equal to it.
func (d *Dataset) locate(key []byte) (pos, index int64, found bool) {
	c, rest := compareText(d.head, key)
	switch {
	case c > 0:
		return 0, 0, false
	case c < 0:
		return d.rule.Count, 0, false
	case d.single:
		if len(rest) > 0 {
			return 1, 0, false
		}
		return 0, d.rule.First, true
	}
	inner := d.index
	if d.grouped {
		f, k, after := leadingDigits(rest, d.folder.longest)
		pos = d.folder.below(f, k, continuesAfterDigits(after))
		n := d.folder.has(f, k)
		if n == 0 {
			return pos, 0, false
		}
		c, rest = compareSegments(d.middle, 0, f, after)
		if c > 0 {
			return pos, 0, false
		}
		if c < 0 {
			return pos + n, 0, false
		}
		inner.set.residue = f
	}
	i, k, after := leadingDigits(rest, inner.longest)
	pos += inner.below(i, k, continuesAfterDigits(after))
	if inner.has(i, k) == 0 {
		return pos, 0, false
	}
	c, rest = compareSegments(d.tail, i, d.folderOf(i), after)
	if c > 0 {
		return pos, 0, false
	}
	if c < 0 || len(rest) > 0 {
		return pos + 1, 0, false
	}
	return pos, i, true
}

// leadingDigits returns the value and the number of the digits that b starts with, limit at most,
// and what follows them.
func leadingDigits(b []byte, limit int) (v int64, k int, rest []byte) {
	for k < len(b) && k < limit && b[k] >= '0' && b[k] <= '9' {
		v = v*10 + int64(b[k]-'0')
		k++
	}
	return v, k, b[k:]
}

// continuesAfterDigits returns whether rest, in the place of a digit, is greater than any digit.
func continuesAfterDigits(rest []byte) bool { return len(rest) > 0 && rest[0] > '9' }
