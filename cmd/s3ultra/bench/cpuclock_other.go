//go:build !linux

package bench

import "time"

func newCPUClock(int) (*cpuClock, error) { return nil, errNoCPUClock }

func ownCPUClock() *cpuClock { return nil }

func readClock(int32) (time.Duration, error) { return 0, errNoCPUClock }
