package synth

import (
	"bytes"
	"slices"
	"strings"
)

// maxOverlapSteps bounds the search for a common key of two data sets: 2^14 steps take 10 ms, a
// tenth of what starting with 50 million objects may. Sets that interleave more often than that
// and still share no key have the same ending too; no known layout is like this.
const maxOverlapSteps = 1 << 14

// overlap returns a key that both data sets have, or nil, and whether that is certain. It is for
// endings that differ and for equal templates, whatever the counts. Otherwise each set in turn
// seeks the other's key, which ends soon if one has few keys between two of the other.
func overlap(a, b *Dataset) (key []byte, certain bool) {
	if endA, endB := a.ending(), b.ending(); !strings.HasSuffix(endA, endB) && !strings.HasSuffix(endB, endA) {
		return nil, true
	}
	if a.rule.Folders == b.rule.Folders && !a.single && !b.single && slices.Equal(a.key, b.key) {
		first := max(a.rule.First, b.rule.First)
		if first >= a.rule.First+a.rule.Count || first >= b.rule.First+b.rule.Count {
			return nil, true
		}
		return a.AppendKey(nil, first), true
	}
	var keyA, keyB []byte
	for range maxOverlapSteps {
		pos := a.Seek(keyB)
		if pos == a.Len() {
			return nil, true
		}
		keyA = a.KeyAt(keyA[:0], pos)
		if pos = b.Seek(keyA); pos == b.Len() {
			return nil, true
		}
		keyB = b.KeyAt(keyB[:0], pos)
		if bytes.Equal(keyA, keyB) {
			return keyA, true
		}
	}
	return nil, false
}

// ending returns the text after the last number of the keys.
func (d *Dataset) ending() string {
	if d.single {
		return d.head
	}
	if last := d.key[len(d.key)-1]; last.kind == segmentLiteral {
		return last.literal
	}
	return ""
}
