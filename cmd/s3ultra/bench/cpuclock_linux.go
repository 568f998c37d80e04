package bench

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// newCPUClock returns the clock of process pid. /proc/PID/stat tells the same
// in ticks of 10 ms, too coarse for loads of a few hundred; this clock is the
// scheduler's own account in nanoseconds.
//
// Errors: the process does not exist.
//
// Source: clock_getcpuclockid(3); the id is made as MAKE_PROCESS_CPUCLOCK in
// the kernel's include/linux/posix-timers_types.h with CPUCLOCK_SCHED (2).
func newCPUClock(pid int) (*cpuClock, error) {
	const clockSched = 2
	c := &cpuClock{id: int32(^pid<<3 | clockSched)}
	if _, err := c.elapsed(); err != nil {
		return nil, fmt.Errorf("cannot find process %d: %w", pid, err)
	}
	return c, nil
}

// ownCPUClock returns the clock of this process.
func ownCPUClock() *cpuClock {
	return &cpuClock{id: unix.CLOCK_PROCESS_CPUTIME_ID}
}

func readClock(id int32) (time.Duration, error) {
	var ts unix.Timespec
	if err := unix.ClockGettime(id, &ts); err != nil {
		return 0, fmt.Errorf("cannot read the CPU clock: %w", err)
	}
	return time.Duration(ts.Nano()), nil
}
