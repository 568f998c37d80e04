//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package main

import "golang.org/x/sys/unix"

// termios(4) by its system calls.
const getTermios, setTermios = unix.TIOCGETA, unix.TIOCSETA
