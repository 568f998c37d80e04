package synth

// runningKey is the key of a walk over a Dataset. Neighbours differ in a few digits, and only
// those are written: a fifth of what it takes to put the key together.
type runningKey struct {
	d      *Dataset
	key    []byte
	fields []keyField

	// layouts counts how often the fields have been laid out.
	layouts uint64
}

// keyField is a number in a runningKey, with the digits of [low, high).
type keyField struct {
	at, end   int
	folder    bool
	low, high int64
	value     int64
}

// reset makes k a key of d, keeping its memory.
func (k *runningKey) reset(d *Dataset) {
	*k = runningKey{d: d, key: k.key[:0], fields: k.fields[:0], layouts: k.layouts}
}

// set makes k the key of the object with an index in its folder, 0 if there are none.
func (k *runningKey) set(index, folder int64) {
	if len(k.fields) == 0 {
		k.layOut(index, folder)
		return
	}
	for i := range k.fields {
		f := &k.fields[i]
		v := index
		if f.folder {
			v = folder
		}
		if v < f.low || v >= f.high {
			k.layOut(index, folder)
			return
		}
		f.put(k.key, v)
	}
}

// layOut puts the key together.
func (k *runningKey) layOut(index, folder int64) {
	k.layouts++
	k.key, k.fields = k.key[:0], k.fields[:0]
	for i := range k.d.key {
		s := &k.d.key[i]
		if s.kind == segmentLiteral {
			k.key = append(k.key, s.literal...)
			continue
		}
		f := keyField{at: len(k.key), folder: s.kind == segmentFolder, value: index}
		if f.folder {
			f.value = folder
		}
		k.key = appendPadded(k.key, f.value, s.width)
		f.end = len(k.key)
		// An index has 13 digits at most, and a width is at most maxFieldWidth.
		n := f.end - f.at
		f.high = pow10[n]
		if n > s.width {
			f.low = pow10[n-1]
		}
		k.fields = append(k.fields, f)
	}
}

// varying returns from where to before where keys of this layout may differ.
func (k *runningKey) varying() (from, to int) {
	if len(k.fields) == 0 {
		return 0, 0
	}
	return k.fields[0].at, k.fields[len(k.fields)-1].end
}

// digitPairs are the numbers below 100 in two digits each.
const digitPairs = "00010203040506070809" +
	"10111213141516171819" +
	"20212223242526272829" +
	"30313233343536373839" +
	"40414243444546474849" +
	"50515253545556575859" +
	"60616263646566676869" +
	"70717273747576777879" +
	"80818283848586878889" +
	"90919293949596979899"

// put writes v, from its last digits up to those that are there already.
func (f *keyField) put(key []byte, v int64) {
	digits := key[f.at:f.end]
	now, old := uint64(v), uint64(f.value)
	for n := len(digits); now != old; n -= 2 {
		if n == 1 {
			digits[0] = byte('0' + now)
			break
		}
		pair := 2 * (now % 100)
		digits[n-2], digits[n-1] = digitPairs[pair], digitPairs[pair+1]
		now, old = now/100, old/100
	}
	f.value = v
}
