package synth

import (
	"encoding/binary"
	"unsafe"
)

// The constants of the name's hash: splitmix64's increment and its first
// multiplier, which the words of an object use too.
const (
	nameStart  = 0x9E3779B97F4A7C15
	namePrime  = 0xBF58476D1CE4E5B9
	nameShift  = 32 // brings the high half, where a product has mixed most, to the low one
	bytesAWord = 8
)

// Hash returns h, the stream of the content name bucket/key under seed. The
// name goes in by little-endian words of eight bytes, the last one padded with
// zeros: f = (f ^ word) * namePrime; f ^= f >> 32, from f = mix(seed + nameStart);
// the end is mix(f ^ length). Every step is a bijection of f, so two names are
// told apart but for chance, and mix spreads what is left over all 64 bits. It
// takes six cycles a word, an eighth of what a hash by bytes takes: a LIST
// hashes each name for its ETag. It does not allocate.
func Hash[B, K string | []byte](seed uint64, bucket B, key K) uint64 {
	return NewNames(seed, bucket).Hash(viewBytes(key))
}

// Names hashes the content names of one bucket: it is the state behind
// "bucket/", so that only the key is left to do.
type Names struct {
	f, word uint64
	n       int // bytes so far; n % 8 of them are in word
}

// NewNames returns the Names of a bucket under a seed.
func NewNames[B string | []byte](seed uint64, bucket B) Names {
	s := Names{f: mix(seed + nameStart)}
	s = s.write(viewBytes(bucket))
	return s.write([]byte{'/'})
}

// Hash is the function Hash for a key of the bucket.
func (s Names) Hash(key []byte) uint64 {
	s = s.write(key)
	if s.n%bytesAWord != 0 {
		s.f = step(s.f, s.word)
	}
	return mix(s.f ^ uint64(s.n))
}

// Stem hashes the content names of keys that start alike.
type Stem struct {
	names Names
	f     uint64 // behind the last word that ends within the prefix
	from  int    // where in a key that is; -1: no word ends there
}

// Stem returns the Stem of the keys that start with prefix. It takes the time
// of one Hash, and each Hash of the Stem only that of the key's other words.
func (s Names) Stem(prefix []byte) Stem {
	from := (s.n+len(prefix))/bytesAWord*bytesAWord - s.n
	if from < 0 {
		return Stem{names: s, from: -1}
	}
	return Stem{names: s, f: s.write(prefix[:from]).f, from: from}
}

// Hash is Names.Hash for a key that starts with the prefix. It does not
// allocate.
func (s *Stem) Hash(key []byte) uint64 {
	if s.from < 0 {
		return s.names.Hash(key)
	}
	f, rest := s.f, key[s.from:]
	for len(rest) >= bytesAWord {
		f = step(f, binary.LittleEndian.Uint64(rest))
		rest = rest[bytesAWord:]
	}
	if len(rest) > 0 {
		f = step(f, lastWord(key, len(rest)))
	}
	return mix(f ^ uint64(s.names.n+len(key)))
}

// lastWord is the last n bytes of key, 1 to 7, padded with zeros. One load that
// reaches back into the word before takes less than n loads of a byte.
func lastWord(key []byte, n int) (word uint64) {
	if len(key) >= bytesAWord {
		return binary.LittleEndian.Uint64(key[len(key)-bytesAWord:]) >> (8 * uint(bytesAWord-n) & 63)
	}
	for i, c := range key[len(key)-n:] {
		word |= uint64(c) << (8 * uint(i) & 63)
	}
	return word
}

func (s Names) write(b []byte) Names {
	f, word := s.f, s.word
	held := uint(s.n%bytesAWord) * 8 // bits in word
	s.n += len(b)
	for len(b) >= bytesAWord {
		x := binary.LittleEndian.Uint64(b)
		b = b[bytesAWord:]
		f = step(f, word|x<<held)
		word = x >> (64 - held) // 0 if nothing is held
	}
	for _, c := range b {
		word |= uint64(c) << held
		if held += 8; held == 64 {
			f, word, held = step(f, word), 0, 0
		}
	}
	s.f, s.word = f, word
	return s
}

func step(f, word uint64) uint64 {
	f = (f ^ word) * namePrime
	return f ^ f>>nameShift
}

// viewBytes is s without a copy, for reading only. A string's header is the
// beginning of a slice's.
func viewBytes[S string | []byte](s S) []byte {
	text := *(*string)(unsafe.Pointer(&s))
	return unsafe.Slice(unsafe.StringData(text), len(text))
}
