//go:build !unix

package server

import "time"

// processCPU is not known here.
func processCPU() time.Duration { return 0 }

// residentMemory is not known here.
func residentMemory() int64 { return 0 }
