package store

import "fmt"

// Mode says where the bytes of a bucket's objects come from.
type Mode uint8

const (
	// Synth objects are metadata only; their bytes are generated. Objects
	// below Options.KeepSmall keep their true bytes all the same.
	Synth Mode = iota
	// Memory objects keep the bytes that were uploaded, in RAM.
	Memory
)

// ParseMode reads "synth" or "memory"; otherwise the error wraps ErrBadMode.
func ParseMode(s string) (Mode, error) {
	switch s {
	case "synth":
		return Synth, nil
	case "memory":
		return Memory, nil
	}
	return 0, fmt.Errorf("cannot parse mode %q (want synth or memory): %w", s, ErrBadMode)
}

// String is the inverse of ParseMode.
func (m Mode) String() string {
	if m == Memory {
		return "memory"
	}
	return "synth"
}

// ETagMode says how the ETag of an object with true bytes is made.
type ETagMode uint8

const (
	// ETagMD5 is AWS's: MD5 of the bytes, for multipart MD5 of the part MD5s.
	ETagMD5 ETagMode = iota
	// ETagFast hashes nothing; see Store.UniqueETag.
	ETagFast
)

// ParseETagMode reads "md5" or "fast"; otherwise the error wraps ErrBadMode.
func ParseETagMode(s string) (ETagMode, error) {
	switch s {
	case "md5":
		return ETagMD5, nil
	case "fast":
		return ETagFast, nil
	}
	return 0, fmt.Errorf("cannot parse ETag mode %q (want md5 or fast): %w", s, ErrBadMode)
}

// String is the inverse of ParseETagMode.
func (m ETagMode) String() string {
	if m == ETagFast {
		return "fast"
	}
	return "md5"
}
