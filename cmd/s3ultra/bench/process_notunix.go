//go:build !unix

package bench

import "os"

// interrupt ends a process: there is no asking here.
func interrupt(p *os.Process) { _ = p.Kill() }
