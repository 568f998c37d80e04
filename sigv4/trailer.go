package sigv4

import (
	"bytes"
	"io"
	"slices"
)

// readTrailer reads what follows the header of the last chunk, up to the end of
// the source, and checks it.
func (d *Decoder) readTrailer() error {
	for {
		if n := d.w - d.r; n > maxTrailer || n == len(d.buf) {
			return ErrTrailerMalformed
		}
		err := d.fill()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
	}
	rest := d.buf[d.r:d.w]
	d.r = d.w
	if !d.payload.hasTrailer() {
		switch {
		case string(rest) == "\r\n":
			return nil
		case len(rest) < 2 && string(rest) == "\r\n"[:len(rest)]:
			return io.ErrUnexpectedEOF
		}
		return ErrMalformedChunk
	}
	signature, err := d.parseTrailer(rest)
	if err != nil {
		return err
	}
	if !d.announcedOnly() {
		return ErrTrailerMalformed
	}
	if d.key == nil || !d.payload.chunkSigned() {
		return nil
	}
	return d.checkTrailer(signature)
}

// parseTrailer splits "name:value" lines up to an empty line, which must be the
// last. Lines end in CR LF. minio-go writes LF CR LF after a trailer (it signs
// the LF); that is one line end too.
func (d *Decoder) parseTrailer(rest []byte) (signature []byte, err error) {
	bareLF := false
	for {
		i := bytes.IndexByte(rest, '\n')
		if i < 0 {
			return nil, io.ErrUnexpectedEOF
		}
		line := rest[:i]
		rest = rest[i+1:]
		cr := len(line) > 0 && line[len(line)-1] == '\r'
		if cr {
			line = line[:len(line)-1]
		}
		if len(line) == 0 {
			if cr && bareLF && len(rest) > 0 {
				bareLF = false
				continue
			}
			if !cr || len(rest) > 0 {
				return nil, ErrTrailerMalformed
			}
			return signature, nil
		}
		bareLF = !cr
		colon := bytes.IndexByte(line, ':')
		if colon <= 0 || !isToken(line[:colon]) {
			return nil, ErrTrailerMalformed
		}
		name, value := line[:colon], trim(line[colon+1:])
		for j, c := range name {
			name[j] = lower(c)
		}
		if string(name) == trailerSignatureName {
			if signature != nil || len(value) == 0 {
				return nil, ErrTrailerMalformed
			}
			signature = value
			continue
		}
		// The signature covers what stands before it and ends the section.
		if signature != nil || d.count == maxTrailers {
			return nil, ErrTrailerMalformed
		}
		for _, f := range d.fields[:d.count] {
			if string(f.Name) == string(name) {
				return nil, ErrTrailerMalformed
			}
		}
		d.fields[d.count] = Field{Name: name, Value: value}
		d.count++
	}
}

// announcedOnly reports whether the trailers are exactly those x-amz-trailer
// named; AWS refuses both a missing and an extra one (MalformedTrailerError).
func (d *Decoder) announcedOnly() bool {
	found := 0
	list := d.announced
	for len(list) > 0 {
		name := list
		if i := bytes.IndexByte(list, ','); i >= 0 {
			name, list = list[:i], list[i+1:]
		} else {
			list = nil
		}
		if name = trim(name); len(name) == 0 || string(name) == trailerSignatureName {
			continue
		}
		if !slices.ContainsFunc(d.fields[:d.count], func(f Field) bool { return bytes.Equal(f.Name, name) }) {
			return false
		}
		found++
	}
	return found == d.count
}

// checkTrailer checks the signature over "name:value\n" of every trailer.
func (d *Decoder) checkTrailer(signature []byte) error {
	if signature == nil {
		if d.count == 0 {
			return nil // nothing beyond what the last chunk's signature covers
		}
		return ErrTrailerMalformed
	}
	d.hash.Reset()
	for _, f := range d.fields[:d.count] {
		d.hash.Write(f.Name)
		d.hash.Write(colonByte)
		d.hash.Write(f.Value)
		d.hash.Write(newlineByte)
	}
	var want [64]byte
	sum := d.hash.Sum(d.sum[:0])
	d.text = appendTrailerText(d.text, d.date[:], d.scope, &d.previous, sum)
	signText(d.key, d.text, &want)
	if !equalHex(signature, &want) {
		return ErrTrailerSignature
	}
	return nil
}

var (
	colonByte   = []byte(":")
	newlineByte = []byte("\n")
)

// isToken reports whether the bytes may form a field name (RFC 9110 section
// 5.6.2), without the punctuation no header uses.
func isToken(s []byte) bool {
	for _, c := range s {
		if !unreserved[c] {
			return false
		}
	}
	return len(s) > 0
}
