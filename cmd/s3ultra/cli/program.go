// Package cli is a program's command line: commands with flags, the variables
// behind the flags, help and a manual page.
//
// It replaces a library that renders its help with text/template. That calls
// methods by names that are only known at run time, for which the linker has to
// keep every exported method of every type of the program: a quarter of the
// binary.
package cli

import (
	"context"
	"fmt"
	"io"
)

// Program is a program of several commands.
type Program struct {
	Name      string
	Usage     string // what it is, in half a sentence
	UsageText string // how it is called, a form on each line

	// Description is the manual page's: paragraphs with an empty line between
	// them, **bold** words.
	Description string

	Commands []*Command

	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// Command is one command of a Program.
type Command struct {
	Name        string
	Usage       string // what it does, in half a sentence
	UsageText   string // how it is called, a form on each line
	Description string // whole sentences, lines as they are to be printed
	Flags       []*Flag
	Action      func(*Context) error
}

// UsageError is a fault of the command line, the environment or a file that
// they name: trying again cannot help.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }
func (e *UsageError) Unwrap() error { return e.Err }

// Run executes the command line args: a command's name, then its flags and
// arguments in any order. Nothing, or --help in the place of a command, prints
// the program's help. What is wrong with the command line or with a variable is
// a *UsageError, and everything else the error of the command's action.
//
// The flags keep what they were set to: a Program runs once.
func (p *Program) Run(ctx context.Context, args []string) error {
	if len(args) == 0 || isHelp(args[0]) {
		_, err := p.Stdout.Write(p.appendHelp(nil))
		return err
	}
	c := p.Command(args[0])
	if c == nil {
		return &UsageError{fmt.Errorf("unknown command %q; see %s --help", args[0], p.Name)}
	}
	rest, given, err := parseFlags(c.Flags, args[1:])
	if err == errHelp {
		_, err := p.Stdout.Write(c.appendHelp(nil, p.Name))
		return err
	}
	if err == nil {
		err = readVariables(c.Flags, given)
	}
	if err != nil {
		return &UsageError{err}
	}
	return c.Action(&Context{
		Context: ctx, Command: c, Args: rest,
		Stdin: p.Stdin, Stdout: p.Stdout, Stderr: p.Stderr,
		given: given,
	})
}

// Command returns the command of that name, nil if there is none.
func (p *Program) Command(name string) *Command {
	for _, c := range p.Commands {
		if c.Name == name {
			return c
		}
	}
	return nil
}
