// Command s3ultra serves the S3 protocol from memory and from a formula, for
// benchmarks and tests. See docs/cli.md for every flag.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
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
	args = withCommand(args)
	err := newApp(args, stdin, stdout, stderr).RunContext(ctx, args)
	if err == nil {
		return exitClean
	}
	fmt.Fprintf(stderr, "s3ultra: %s\n", strings.Join(strings.Fields(err.Error()), " "))
	var usage *usageError
	if errors.As(err, &usage) {
		return exitUsage
	}
	return exitRuntime
}

// usageError is a fault of the command line, the environment or a file they
// name.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// usagef is fmt.Errorf for a usageError.
func usagef(format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...)}
}

// newApp returns the command tree for the command line args. Everything in it
// is new, as the cli package keeps parsed values in the flags.
func newApp(args []string, stdin io.Reader, stdout, stderr io.Writer) *cli.App {
	app := &cli.App{
		Name:            "s3ultra",
		Usage:           "an S3-compatible object server for benchmarks",
		UsageText:       "s3ultra [serve] [flags]    (see: s3ultra serve --help)\ns3ultra server PATH... | import LIST | export | bench [flags] | health [URL] | journal [URL] | top [URL] | datasets [show NAME] | version | completion SHELL | man",
		HideVersion:     true,
		HideHelpCommand: true,
		Reader:          stdin,
		Writer:          stdout,
		ErrWriter:       stderr,
		// Without this handler the cli package would call os.Exit itself.
		ExitErrHandler: func(*cli.Context, error) {},
		OnUsageError:   flagError,
		Action: func(c *cli.Context) error {
			return usagef("unknown command %q; see s3ultra --help", c.Args().First())
		},
	}
	app.Commands = []*cli.Command{
		serveCommand(args),
		serverCommand(args),
		importCommand(),
		exportCommand(),
		benchCommand(),
		healthCommand(),
		journalCommand(),
		topCommand(),
		datasetsCommand(),
		versionCommand(),
		completionCommand(app),
		manCommand(app),
	}
	for _, c := range app.Commands {
		c.HideHelpCommand = true
		c.OnUsageError = flagError
	}
	return app
}

// withCommand makes serve the default command: it is put in when args name no
// command, also when flags come first.
func withCommand(args []string) []string {
	name := "s3ultra"
	if len(args) > 0 {
		name, args = args[0], args[1:]
	}
	// MinIO's image takes its command with and without the program's name.
	if len(args) > 0 && args[0] == "minio" {
		args = args[1:]
	}
	command := "serve"
	if len(args) > 0 {
		switch first := args[0]; {
		case first == "--version" || first == "-v":
			command, args = "version", args[1:]
		case first == "--help" || first == "-h" || first == "help" && len(args) == 1:
			return []string{name, "--help"}
		case first == "help":
			command, args = args[1], []string{"--help"}
		case !strings.HasPrefix(first, "-"):
			command, args = first, args[1:]
		}
	}
	if command == "server" {
		args = flagsFirst(args, serverCommand(nil).Flags)
	}
	if command == "import" && len(args) > 1 && (args[0] == "-" || !strings.HasPrefix(args[0], "-")) {
		// Flags may follow the list; the flag package stops at it.
		args = append(slices.Clone(args[1:]), args[0])
	}
	return append([]string{name, command}, args...)
}

// singleDash finds the flag names in the messages of the flag package, which
// spells them with one dash.
var singleDash = regexp.MustCompile(`(defined: |argument: |flag |for )-([a-z])`)

// flagError turns an error of the flag package into a usageError, without the
// page of help the cli package would print.
func flagError(_ *cli.Context, err error, _ bool) error {
	text := singleDash.ReplaceAllString(err.Error(), "$1--$2")
	text = strings.Replace(text, "flag provided but not defined: ", "unknown flag ", 1)
	text = strings.Replace(text, "flag needs an argument: ", "a value is missing after ", 1)
	return &usageError{errors.New(text)}
}

// noArguments refuses what is left over after the flags; a value put after a
// boolean flag (--verify-payload false) ends up there too.
func noArguments(c *cli.Context) error {
	if c.Args().Present() {
		return usagef("unexpected argument %q after %s; see s3ultra %s --help",
			c.Args().First(), c.Command.Name, c.Command.Name)
	}
	return nil
}
