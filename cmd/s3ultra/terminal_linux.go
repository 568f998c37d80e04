package main

import "golang.org/x/sys/unix"

// termios(3) by its system calls.
const getTermios, setTermios = unix.TCGETS, unix.TCSETS
