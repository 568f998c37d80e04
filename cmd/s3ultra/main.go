// Command s3ultra serves the S3 protocol from memory and from a formula, for
// benchmarks and tests. See docs/cli.md for every flag.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/s3ultra/s3ultra/cmd/s3ultra/cli"
)

// The exit codes; docs/cli.md promises them to scripts.
const (
	exitClean   = 0
	exitRuntime = 1 // the command was right, doing it failed
	exitUsage   = 2 // flags, environment or a named file are wrong: a retry cannot help
)

func main() {
	os.Exit(run(context.Background(), os.Args, os.Stdin, os.Stdout, os.Stderr))
}

// run executes the command line args (args[0] is the program's name) and
// returns the exit code. A failure is one line on stderr. The end of ctx stops
// a server as SIGTERM does.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	dropUnsetVariables()
	err := newProgram(stdin, stdout, stderr).Run(ctx, withCommand(args))
	if err == nil {
		return exitClean
	}
	fmt.Fprintf(stderr, "s3ultra: %s\n", strings.Join(strings.Fields(err.Error()), " "))
	var usage *cli.UsageError
	if errors.As(err, &usage) {
		return exitUsage
	}
	return exitRuntime
}

// usagef is fmt.Errorf for a cli.UsageError.
func usagef(format string, args ...any) error {
	return &cli.UsageError{Err: fmt.Errorf(format, args...)}
}

// newProgram returns the command tree. Everything in it is new, as flags keep
// the values that were read.
func newProgram(stdin io.Reader, stdout, stderr io.Writer) *cli.Program {
	p := &cli.Program{
		Name:        "s3ultra",
		Usage:       "an S3-compatible object server for benchmarks",
		UsageText:   "s3ultra [serve] [flags]    (see: s3ultra serve --help)\ns3ultra server PATH... | import LIST | export | bench [flags] | health [URL] | journal [URL] | top [URL] | datasets [show NAME] | version | completion SHELL | man",
		Description: manDescription,
		Stdin:       stdin,
		Stdout:      stdout,
		Stderr:      stderr,
	}
	p.Commands = []*cli.Command{
		serveCommand(),
		serverCommand(),
		importCommand(),
		exportCommand(),
		benchCommand(),
		healthCommand(),
		journalCommand(),
		topCommand(),
		datasetsCommand(),
		versionCommand(),
		completionCommand(p),
		manCommand(p),
	}
	return p
}

// withCommand returns what follows the program's name in args, with serve put in
// where there is no command, also when flags come first.
func withCommand(args []string) []string {
	if len(args) > 0 {
		args = args[1:]
	}
	// MinIO's image takes its command with and without the program's name.
	if len(args) > 0 && args[0] == "minio" {
		args = args[1:]
	}
	if len(args) == 0 {
		return []string{"serve"}
	}
	switch first := args[0]; {
	case first == "--version" || first == "-v":
		return append([]string{"version"}, args[1:]...)
	case first == "--help" || first == "-h" || first == "help" && len(args) == 1:
		return []string{"--help"}
	case first == "help":
		return []string{args[1], "--help"}
	case strings.HasPrefix(first, "-"):
		return append([]string{"serve"}, args...)
	}
	return args
}

// noArguments refuses what is left over after the flags; a value put after a
// boolean flag (--verify-payload false) ends up there too.
func noArguments(c *cli.Context) error {
	if len(c.Args) > 0 {
		return usagef("unexpected argument %q after %s; see s3ultra %s --help",
			c.Args[0], c.Command.Name, c.Command.Name)
	}
	return nil
}
