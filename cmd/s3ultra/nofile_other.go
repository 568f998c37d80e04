//go:build !unix

package main

// raiseOpenFiles has nothing to do here: there is no such limit.
func raiseOpenFiles() (uint64, error) { return 0, nil }
