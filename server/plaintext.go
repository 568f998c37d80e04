package server

import "encoding/binary"

// wordBytes is how many characters are looked at together, in a word of them.
const wordBytes = 8

// ones times a byte is a word of that byte.
const ones = 0x0101010101010101

// plainBehind tells whether every byte of key stands for itself, as those of
// before do. Keys that follow each other in a listing are mostly equal in all
// words but one, and only that is looked at.
func plainBehind(before, key []byte, url bool) bool {
	last := len(key) - wordBytes
	if last < 0 {
		return plainBytes(key, url)
	}
	for i := 0; ; i = min(i+wordBytes, last) {
		word := binary.LittleEndian.Uint64(key[i:])
		if i+wordBytes > len(before) || word != binary.LittleEndian.Uint64(before[i:]) {
			if url && !plainWordInURL(word) || !url && !plainWordInXML(word) {
				return false
			}
		}
		if i == last {
			return true
		}
	}
}

// plainBytes is the same byte by byte.
func plainBytes(text []byte, url bool) bool {
	class := uint8(plainInXML)
	if url {
		class = plainInURL
	}
	for _, c := range text {
		if charClasses[c]&class == 0 {
			return false
		}
	}
	return true
}

// plainWordInXML tells whether all eight bytes of x are plainInXML. Added to a
// byte below 0x80, a number does not carry into the next one, and sets the top
// bit of those from some byte on. If a byte is above, the rest does not matter.
func plainWordInXML(x uint64) bool {
	const top = 0x80 * ones
	control := ^(x + 0x60*ones) | (x + 1*ones) // below 0x20, or 0x7f
	// Quotes, and pairs that differ in a bit: ampersand and apostrophe, the
	// angle brackets.
	quote := ^((x ^ '"'*ones) + 0x7f*ones)
	ampersand := ^(((x | 1*ones) ^ '\''*ones) + 0x7f*ones)
	bracket := ^(((x | 2*ones) ^ '>'*ones) + 0x7f*ones)
	return (x|control|quote|ampersand|bracket)&top == 0
}

// plainWordInURL tells whether all eight bytes of x are plainInURL.
func plainWordInURL(x uint64) bool {
	const top = 0x80 * ones
	lower := x | 0x20*ones
	letter := (lower + (0x80-'a')*ones) &^ (lower + (0x7f-'z')*ones)
	// The hyphen, the full stop and the slash stand before the digits.
	digit := (x + (0x80-'-')*ones) &^ (x + (0x7f-'9')*ones)
	underscore := ^((x ^ '_'*ones) + 0x7f*ones)
	tilde := ^((x ^ '~'*ones) + 0x7f*ones)
	return (letter|digit|underscore|tilde)&^x&top == top
}
