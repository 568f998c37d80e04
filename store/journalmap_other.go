//go:build !linux

package store

import (
	"errors"
	"os"
	"syscall"
)

// Elsewhere the journal is written with system calls: allocation and mapping
// differ from system to system, and servers that are measured run on Linux.

func allocate(f *os.File, size int64) error { return fillZeros(f, size) }

func mapFile(*os.File, int64) []byte { return nil }

func unmapFile([]byte) {}

func syncMemory([]byte, int64) error { return nil }

func freeSpace(string) (int64, bool) { return 0, false }

func spaceError(err error) error {
	if errors.Is(err, syscall.ENOSPC) {
		return errors.Join(errNoSpace, err)
	}
	return err
}
