package store

import (
	"encoding/binary"
	"encoding/hex"
)

// Version names one version of an object within its key. Versions ascend with
// time and are unique in a bucket; 0 is the null version, the one that writes
// make while versioning is not enabled.
//
// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/versioning-workflows.html
type Version uint64

// nullVersion is the text of the null version, fixed by S3.
const nullVersion = "null"

// versionLen is the length of a version's text: the 16 hex digits of the
// number and 16 that follow from it, so that an id with a slip in it names no
// other version. AWS's ids have 32 characters, and clients may have sized
// their columns for that.
const versionLen = 32

// Append adds the text of v to dst: "null", or 32 lower-case hex digits, which
// clients must not interpret. It allocates only to grow dst.
func (v Version) Append(dst []byte) []byte {
	if v == 0 {
		return append(dst, nullVersion...)
	}
	var raw [versionLen / 2]byte
	binary.BigEndian.PutUint64(raw[:8], uint64(v))
	binary.BigEndian.PutUint64(raw[8:], mix(uint64(v)))
	return hex.AppendEncode(dst, raw[:])
}

// String is the text of v.
func (v Version) String() string {
	var buf [versionLen]byte
	return string(v.Append(buf[:0]))
}

// ParseVersion reads what Append writes. It reports false for a text that no
// version has. It does not allocate.
func ParseVersion(text []byte) (Version, bool) {
	if string(text) == nullVersion {
		return 0, true
	}
	var raw [versionLen / 2]byte
	if len(text) != versionLen {
		return 0, false
	}
	if _, err := hex.Decode(raw[:], text); err != nil {
		return 0, false
	}
	var v, check uint64
	for i := range 8 {
		v = v<<8 | uint64(raw[i])
		check = check<<8 | uint64(raw[8+i])
	}
	return Version(v), v != 0 && check == mix(v)
}

// Versioning is a bucket's versioning state.
type Versioning uint8

const (
	// VersioningUnset is a bucket that never had versioning: a write replaces
	// the object at its key.
	VersioningUnset Versioning = iota
	// VersioningEnabled: every write makes a version, every delete a marker.
	VersioningEnabled
	// VersioningSuspended: writes and deletes replace the null version; the
	// others stay.
	VersioningSuspended
)

// String is the state as S3 spells it, "" for VersioningUnset.
func (v Versioning) String() string {
	switch v {
	case VersioningEnabled:
		return "Enabled"
	case VersioningSuspended:
		return "Suspended"
	}
	return ""
}
