package synth

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Set is all data sets of one bucket, seen as one ordered list of keys. It does not change, and
// all its methods can run together. They do not allocate. With k data sets, Len is O(1), Find is
// O(log k) where their key ranges do not interleave, and Seek is O(k).
type Set struct {
	bucket   string
	datasets []*Dataset

	// byFirst are the data sets by their first key.
	byFirst []setMember

	length     int64
	mayOverlap bool
}

// setMember is a data set with its place in the rules and its first and last key.
type setMember struct {
	d           *Dataset
	order       int
	first, last []byte

	// maxLast is the greatest last key of the members up to this one.
	maxLast []byte
}

// NewSets compiles rules into one Set for each bucket, ordered by bucket. Errors wrap ErrBadRule.
// Two rules that give one key are an error if that can be found out (see overlap); if it cannot,
// the earlier rule has the key.
func NewSets(rules []Rule) ([]*Set, error) {
	byBucket := make(map[string][]*Dataset)
	for _, r := range rules {
		d, err := NewDataset(r)
		if err != nil {
			return nil, err
		}
		byBucket[r.Bucket] = append(byBucket[r.Bucket], d)
	}
	sets := make([]*Set, 0, len(byBucket))
	for bucket, datasets := range byBucket {
		s, err := newSet(bucket, datasets)
		if err != nil {
			return nil, err
		}
		sets = append(sets, s)
	}
	slices.SortFunc(sets, func(a, b *Set) int { return strings.Compare(a.bucket, b.bucket) })
	return sets, nil
}

func newSet(bucket string, datasets []*Dataset) (*Set, error) {
	s := &Set{bucket: bucket, datasets: datasets}
	for order, d := range datasets {
		s.length += d.Len() // 2^23 rules of 2^40 objects would be needed to overflow
		s.byFirst = append(s.byFirst, setMember{d: d, order: order, first: d.KeyAt(nil, 0), last: d.KeyAt(nil, d.Len()-1)})
	}
	slices.SortFunc(s.byFirst, func(a, b setMember) int { return bytes.Compare(a.first, b.first) })
	for k := range s.byFirst {
		m := &s.byFirst[k]
		m.maxLast = m.last
		if k > 0 && bytes.Compare(s.byFirst[k-1].maxLast, m.last) > 0 {
			m.maxLast = s.byFirst[k-1].maxLast
		}
		for j := k - 1; j >= 0 && bytes.Compare(s.byFirst[j].maxLast, m.first) >= 0; j-- {
			key, decided := overlap(s.byFirst[j].d, m.d)
			if key != nil {
				a, b := &s.byFirst[j], m
				if a.order > b.order {
					a, b = b, a
				}
				return nil, fmt.Errorf("%w %s: bucket %q has the key %q already, from %s", ErrBadRule, b.d.rule.describe(), bucket, key, a.d.rule.describe())
			}
			s.mayOverlap = s.mayOverlap || !decided
		}
	}
	return s, nil
}

// Bucket returns the bucket's name.
func (s *Set) Bucket() string { return s.bucket }

// Datasets returns the data sets in the order of their rules. The slice is the Set's own.
func (s *Set) Datasets() []*Dataset { return s.datasets }

// MayOverlap returns whether it is unknown that the data sets have no key in common. Len, Seek and
// TotalBytes then count such a key once for each data set; Find and SetCursor give it once.
func (s *Set) MayOverlap() bool { return s.mayOverlap }

// Len returns how many objects there are.
func (s *Set) Len() int64 { return s.length }

// TotalBytes adds up Dataset.TotalBytes, and is as slow.
func (s *Set) TotalBytes() (total int64, exact bool) {
	exact = true
	for _, d := range s.datasets {
		n, e := d.TotalBytes()
		if total += n; total < 0 {
			total = math.MaxInt64
		}
		exact = exact && e
	}
	return total, exact
}

// Find returns the data set and the index of the object named key, and whether there is one.
func (s *Set) Find(key []byte) (d *Dataset, index int64, ok bool) {
	// The first member that starts after key; written out as a closure would allocate.
	lo, hi := 0, len(s.byFirst)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if bytes.Compare(s.byFirst[mid].first, key) <= 0 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	order := len(s.byFirst)
	for k := lo - 1; k >= 0 && bytes.Compare(s.byFirst[k].maxLast, key) >= 0; k-- {
		m := &s.byFirst[k]
		if m.order > order {
			continue
		}
		if i, found := m.d.Find(key); found {
			d, index, order = m.d, i, m.order
			if !s.mayOverlap {
				break
			}
		}
	}
	return d, index, d != nil
}

// Seek returns how many keys are less than key. The difference of two counts a range, such as the
// objects of a prefix, see PrefixEnd.
func (s *Set) Seek(key []byte) int64 {
	var n int64
	for _, d := range s.datasets {
		n += d.Seek(key)
	}
	return n
}

// PrefixEnd appends to dst the least key that is greater than all keys starting with prefix, and
// returns false if there is none: prefix is empty or all 0xff.
func PrefixEnd(dst, prefix []byte) ([]byte, bool) {
	n := len(prefix)
	for n > 0 && prefix[n-1] == 0xff {
		n--
	}
	if n == 0 {
		return dst, false
	}
	dst = append(dst, prefix[:n]...)
	dst[len(dst)-1]++
	return dst, true
}
