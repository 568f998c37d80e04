//go:build !linux

package main

import "runtime/debug"

// trimMemory gives back what only the start needed.
func trimMemory() error {
	debug.FreeOSMemory()
	return nil
}
