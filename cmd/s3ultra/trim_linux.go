package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"golang.org/x/sys/unix"
)

// trimMemory gives back what only the start needed: the heap's slack, and the
// pages of the program itself that its libraries' initialisers ran through,
// which are most of an idle server's resident memory. They are clean pages of
// a file: what is needed again comes back from the page cache.
func trimMemory() error {
	debug.FreeOSMemory()
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return fmt.Errorf("cannot trim memory: %w", err)
	}
	defer maps.Close()
	program, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return fmt.Errorf("cannot trim memory: %w", err)
	}
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		line := lines.Text()
		var from, to uintptr
		var mode string
		if _, err := fmt.Sscanf(line, "%x-%x %s", &from, &to, &mode); err != nil || !strings.HasSuffix(line, program) {
			continue
		}
		// Written pages of the program are its variables.
		if strings.Contains(mode, "w") {
			continue
		}
		if err := adviseDontNeed(from, to-from); err != nil {
			return fmt.Errorf("cannot trim memory: %w", err)
		}
	}
	return nil
}

func adviseDontNeed(at, size uintptr) error {
	_, _, errno := unix.Syscall(unix.SYS_MADVISE, at, size, unix.MADV_DONTNEED)
	if errno != 0 {
		return errno
	}
	return nil
}
