//go:build unix

package main

import "syscall"

// raiseOpenFiles raises the soft limit of open files to the hard one and
// returns the limit in force. Each connection is a file, and 2048 of them at
// one time are an ordinary training job, while many systems start a process
// with 1024. The Go runtime does the same unasked; this program does not lean
// on a side effect.
func raiseOpenFiles() (uint64, error) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0, err
	}
	if limit.Cur < limit.Max {
		raised := syscall.Rlimit{Cur: limit.Max, Max: limit.Max}
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &raised); err != nil {
			return uint64(limit.Cur), err
		}
		limit = raised
	}
	return uint64(limit.Cur), nil
}
