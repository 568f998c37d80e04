package cli

import (
	"context"
	"io"
	"time"
)

// Context is what the action of a command gets. Flags are asked for by name;
// the value of one that the command does not have, or of another type, is zero.
type Context struct {
	context.Context

	Command *Command
	Args    []string // what was given besides flags

	Stdin          io.Reader
	Stdout, Stderr io.Writer

	// given is true for the flags of the command line, false for those of a
	// variable; others are not in it.
	given map[*Flag]bool
}

// Arg returns an argument, "" if there are not so many.
func (c *Context) Arg(i int) string {
	if i < len(c.Args) {
		return c.Args[i]
	}
	return ""
}

// OnCommandLine tells whether the flag was given in the command line itself.
func (c *Context) OnCommandLine(name string) bool { return c.given[find(c.Command.Flags, name)] }

// IsSet tells whether the flag was given in the command line or by its
// variable.
func (c *Context) IsSet(name string) bool {
	_, set := c.given[find(c.Command.Flags, name)]
	return set
}

// String returns the value of a flag made by the function String. The methods
// below are for those that have their name.
func (c *Context) String(name string) string { return one[string](c, name) }

// Bool returns the value of a flag that is true or false.
func (c *Context) Bool(name string) bool { return one[bool](c, name) }

// Int returns the value of a flag for a whole number.
func (c *Context) Int(name string) int { return one[int](c, name) }

// Uint64 returns the value of a flag for a number that is not negative.
func (c *Context) Uint64(name string) uint64 { return one[uint64](c, name) }

// Duration returns the value of a flag for a duration.
func (c *Context) Duration(name string) time.Duration { return one[time.Duration](c, name) }

// Strings returns the values of a flag made by Strings or Lines.
func (c *Context) Strings(name string) []string { return many[string](c, name) }

// Ints returns the values of a flag for whole numbers.
func (c *Context) Ints(name string) []int { return many[int](c, name) }

func one[T any](c *Context, name string) (v T) {
	if f := find(c.Command.Flags, name); f != nil {
		if s, ok := f.Value.(*single[T]); ok {
			v = s.v
		}
	}
	return v
}

func many[T any](c *Context, name string) []T {
	if f := find(c.Command.Flags, name); f != nil {
		if l, ok := f.Value.(*list[T]); ok {
			return l.v
		}
	}
	return nil
}
