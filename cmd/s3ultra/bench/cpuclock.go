package bench

import (
	"errors"
	"time"
)

// errNoCPUClock says that this system tells nothing of another process's CPU
// time; rows are measured without it then.
var errNoCPUClock = errors.New("the CPU time of other processes is not available on this system")

// cpuClock reads the user and system time of one process, all threads
// together, those that have ended included. A nil *cpuClock measures nothing.
type cpuClock struct {
	id int32
}

// elapsed returns the CPU time since the process started.
func (c *cpuClock) elapsed() (time.Duration, error) {
	if c == nil {
		return 0, nil
	}
	return readClock(c.id)
}
