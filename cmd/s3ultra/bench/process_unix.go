//go:build unix

package bench

import (
	"os"
	"syscall"
)

// interrupt asks a process to end.
func interrupt(p *os.Process) { _ = p.Signal(syscall.SIGTERM) }
