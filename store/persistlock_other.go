//go:build !unix

package store

import "strings"

// isLockError tells whether pebble found its directory locked.
func isLockError(err error) bool { return strings.Contains(err.Error(), "lock") }
