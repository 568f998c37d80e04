//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package main

import (
	"errors"
	"io"
	"os"
)

// terminal is not there: s3ultra top prints once.
type terminal struct{ in io.Reader }

func newTerminal(io.Reader, io.Writer) *terminal { return nil }

func (t *terminal) enter() error           { return errors.ErrUnsupported }
func (t *terminal) leave()                 {}
func (t *terminal) draw(*topView) error    { return errors.ErrUnsupported }
func (t *terminal) signals() []os.Signal   { return []os.Signal{os.Interrupt} }
func (t *terminal) resized(os.Signal) bool { return false }
func (t *terminal) stopped(os.Signal) bool { return false }
func suspend() error                       { return errors.ErrUnsupported }
