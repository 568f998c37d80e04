//go:build unix

package store

import (
	"errors"
	"strings"
	"syscall"
)

// isLockError tells whether pebble found its directory locked: by the lock of
// another process, or, by its message, of this one.
func isLockError(err error) bool {
	return errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EACCES) && strings.Contains(err.Error(), "lock") ||
		strings.Contains(err.Error(), "lock held by current process")
}
