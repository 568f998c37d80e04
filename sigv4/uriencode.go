package sigv4

// unreserved marks the bytes RFC 3986 section 2.3 leaves unencoded; AWS encodes
// every other byte of a path segment or query component.
var unreserved = func() (t [256]bool) {
	for c := range t {
		t[c] = c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' ||
			c == '-' || c == '.' || c == '_' || c == '~'
	}
	return t
}()

// unhex maps a hex digit to its value, everything else to 0xff.
var unhex = func() (t [256]byte) {
	for c := range t {
		switch {
		case c >= '0' && c <= '9':
			t[c] = byte(c - '0')
		case c >= 'a' && c <= 'f':
			t[c] = byte(c-'a') + 10
		case c >= 'A' && c <= 'F':
			t[c] = byte(c-'A') + 10
		default:
			t[c] = 0xff
		}
	}
	return t
}()

const upperHex = "0123456789ABCDEF"

// AppendEncoded appends s percent-encoded as AWS's UriEncode does: unreserved
// bytes as they are, all others as %XX in upper case; '/' is kept if keepSlash
// (object keys in a path) and encoded otherwise (query components).
func AppendEncoded[T string | []byte](dst []byte, s T, keepSlash bool) []byte {
	for i := 0; i < len(s); i++ {
		dst = appendEncodedByte(dst, s[i], keepSlash)
	}
	return dst
}

func appendEncodedByte(dst []byte, c byte, keepSlash bool) []byte {
	if unreserved[c] || c == '/' && keepSlash {
		return append(dst, c)
	}
	return append(dst, '%', upperHex[c>>4], upperHex[c&15])
}

// appendRecoded appends s decoded once and encoded once. A '%' without two hex
// digits stands for itself. With plusIsSpace a '+' is a space, as in HTML forms.
func appendRecoded(dst, s []byte, keepSlash, plusIsSpace bool) []byte {
	for i := 0; i < len(s); i++ {
		run := i
		for i < len(s) && unreserved[s[i]] {
			i++
		}
		if i > run {
			dst = append(dst, s[run:i]...)
			if i == len(s) {
				break
			}
		}
		c := s[i]
		switch {
		case c == '%' && i+2 < len(s) && unhex[s[i+1]]|unhex[s[i+2]] <= 0x0f:
			c = unhex[s[i+1]]<<4 | unhex[s[i+2]]
			i += 2
		case c == '+' && plusIsSpace:
			c = ' '
		}
		dst = appendEncodedByte(dst, c, keepSlash)
	}
	return dst
}

// appendDecoded appends s decoded once; '+' stays, a bad '%' stands for itself.
func appendDecoded(dst, s []byte) []byte {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '%' && i+2 < len(s) && unhex[s[i+1]]|unhex[s[i+2]] <= 0x0f {
			c = unhex[s[i+1]]<<4 | unhex[s[i+2]]
			i += 2
		}
		dst = append(dst, c)
	}
	return dst
}

// canonicalPath reports whether appendRecoded would leave the path as it is.
func canonicalPath(s []byte) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if unreserved[c] || c == '/' {
			continue
		}
		if c != '%' || i+2 >= len(s) {
			return false
		}
		hi, lo := unhex[s[i+1]], unhex[s[i+2]]
		if hi|lo > 0x0f || s[i+1] >= 'a' || s[i+2] >= 'a' {
			return false
		}
		if d := hi<<4 | lo; unreserved[d] || d == '/' {
			return false
		}
		i += 2
	}
	return true
}
