package synth

import "sort"

// pow10 are the powers of ten up to 10^maxFieldWidth.
var pow10 = [maxFieldWidth + 1]int64{
	1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
}

type memberKind uint8

const (
	// membersAll: each number of [first, end) is one member.
	membersAll memberKind = iota

	// membersResidue: each number of [first, end) that is residue modulo modulus is one member.
	membersResidue

	// membersFolder: a number is a member as many times as numbers of [first, end) are equal to
	// it modulo modulus.
	membersFolder
)

// members is a multiset of numbers that can be counted in any range in O(1).
type members struct {
	kind             memberKind
	first, end       int64
	modulus, residue int64
}

// count returns how many members are in [lo, hi), 0 if the range is empty.
func (m *members) count(lo, hi int64) int64 {
	switch m.kind {
	case membersAll:
		return max(0, min(hi, m.end)-max(lo, m.first))
	case membersResidue:
		lo, hi = max(lo, m.first), min(hi, m.end)
		if lo >= hi {
			return 0
		}
		return m.residuesBelow(hi) - m.residuesBelow(lo)
	default:
		hi = min(hi, m.modulus)
		if lo >= hi {
			return 0
		}
		return m.foldersBelow(m.end, lo, hi) - m.foldersBelow(m.first, lo, hi)
	}
}

// residuesBelow returns how many numbers of [0, x) are residue modulo modulus.
func (m *members) residuesBelow(x int64) int64 {
	if x <= m.residue {
		return 0
	}
	return (x-m.residue-1)/m.modulus + 1
}

// foldersBelow returns how many numbers of [0, x) are in [lo, hi) modulo modulus.
func (m *members) foldersBelow(x, lo, hi int64) int64 {
	return x/m.modulus*(hi-lo) + min(max(x%m.modulus-lo, 0), hi-lo)
}

// numeric returns the member at a position in numeric order and how many equal ones are before
// it. pos is less than the number of members.
func (m *members) numeric(pos int64) (v, rest int64) {
	switch m.kind {
	case membersAll:
		return m.first + pos, 0
	case membersResidue:
		return m.residue + (m.residuesBelow(m.first)+pos)*m.modulus, 0
	default:
		v = int64(sort.Search(int(m.modulus), func(v int) bool { return m.count(0, int64(v)+1) > pos }))
		return v, pos - m.count(0, v)
	}
}

// digitOrder is the order in which numbers stand as decimal strings inside keys. A number has at
// least width digits, with leading zeros, and the largest has longest. If those are equal, it is
// the numeric order. Otherwise "1" is a prefix of "10", and which comes first depends on the byte
// that follows the number in the key: one below '0', or the key's end, puts "1" first, one above
// '9' puts it after all that it is a prefix of. A digit cannot follow, see newDataset.
//
// The strings of one length that lie below a given string are one numeric range, so a rank is a
// sum over at most 13 lengths, and the reverse walks down the tree of digits.
type digitOrder struct {
	set            members
	width, longest int

	// post is whether a string comes after those that it is a prefix of.
	post bool
}

// countLength counts the members in [lo, hi) whose string has n digits.
func (o *digitOrder) countLength(n int, lo, hi int64) int64 {
	if n > o.width {
		lo = max(lo, pow10[n-1])
	}
	return o.set.count(lo, min(hi, pow10[n]))
}

// has returns how many members have the string of v with k digits.
func (o *digitOrder) has(v int64, k int) int64 {
	if k < o.width || k > o.longest {
		return 0
	}
	return o.countLength(k, v, v+1)
}

// below returns how many members come before the k digits of v, not counting those that have
// just these digits. after is whether the strings that continue these digits come before too.
func (o *digitOrder) below(v int64, k int, after bool) int64 {
	var sum int64
	for n := o.width; n <= o.longest; n++ {
		var hi int64
		switch {
		case n == k:
			hi = v
		case n < k:
			hi = v / pow10[k-n]
			if !o.post {
				hi++
			}
		case after:
			hi = (v + 1) * pow10[n-k]
		default:
			hi = v * pow10[n-k]
		}
		sum += o.countLength(n, 0, hi)
	}
	return sum
}

// rank returns how many members come before those equal to v.
func (o *digitOrder) rank(v int64) int64 {
	return o.below(v, max(o.width, digitsOf(v)), o.post)
}

// subtree counts the members whose string starts with the k digits of v.
func (o *digitOrder) subtree(v int64, k int) int64 {
	var sum int64
	for n := max(k, o.width); n <= o.longest; n++ {
		sum += o.countLength(n, v*pow10[n-k], (v+1)*pow10[n-k])
	}
	return sum
}

// at returns the member at a position, the number of its digits, and how many equal members are
// before it. pos is less than the number of members.
func (o *digitOrder) at(pos int64) (v int64, k int, rest int64) {
	if o.width == o.longest {
		v, rest = o.set.numeric(pos)
		return v, o.width, rest
	}
	for {
		if !o.post {
			n := o.has(v, k)
			if pos < n {
				return v, k, pos
			}
			pos -= n
		}
		child := v * 10
		for ; k < o.longest && child < v*10+10; child++ {
			n := o.subtree(child, k+1)
			if pos < n {
				break
			}
			pos -= n
		}
		if k == o.longest || child == v*10+10 {
			return v, k, pos
		}
		v, k = child, k+1
	}
}

// next returns the member that follows the ones equal to v, which has k digits.
func (o *digitOrder) next(v int64, k int) (int64, int, bool) {
	if o.width == o.longest {
		return o.nextNumeric(v)
	}
	if !o.post {
		if w, wk, ok := o.firstBelow(v, k); ok {
			return w, wk, true
		}
	}
	for k > 0 {
		for sibling := v + 1; sibling%10 != 0; sibling++ {
			if o.subtree(sibling, k) > 0 {
				return o.leftmost(sibling, k)
			}
		}
		v, k = v/10, k-1
		if o.post && o.has(v, k) > 0 {
			return v, k, true
		}
	}
	return 0, 0, false
}

func (o *digitOrder) nextNumeric(v int64) (int64, int, bool) {
	switch o.set.kind {
	case membersAll:
		v++
	case membersResidue:
		v += o.set.modulus
	default:
		before := o.set.count(0, v+1)
		if before == o.set.end-o.set.first {
			return 0, 0, false
		}
		v, _ = o.set.numeric(before)
	}
	return v, o.width, o.set.kind == membersFolder || v < o.set.end
}

// firstBelow returns the first member that continues the k digits of v.
func (o *digitOrder) firstBelow(v int64, k int) (int64, int, bool) {
	if k == o.longest {
		return 0, 0, false
	}
	for child := v * 10; child < v*10+10; child++ {
		if o.subtree(child, k+1) > 0 {
			return o.leftmost(child, k+1)
		}
	}
	return 0, 0, false
}

// leftmost returns the first member that starts with the k digits of v, of which there is one.
func (o *digitOrder) leftmost(v int64, k int) (int64, int, bool) {
	if !o.post && o.has(v, k) > 0 {
		return v, k, true
	}
	if w, wk, ok := o.firstBelow(v, k); ok {
		return w, wk, true
	}
	return v, k, true
}
