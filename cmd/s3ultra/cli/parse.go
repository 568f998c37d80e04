package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// errHelp is the end of a command line with --help in it.
var errHelp = errors.New("help was asked for")

// isHelp tells whether arg is the flag that every command has.
func isHelp(arg string) bool { return arg == "--help" || arg == "-help" || arg == "-h" }

// parseFlags sets flags from args and returns the arguments between and behind
// them, and the flags that were given. One dash is as good as two, the value is
// the next argument or stands behind an equals sign, and -- ends the flags. The
// error is errHelp or a message for the user.
func parseFlags(flags []*Flag, args []string) (rest []string, given map[*Flag]bool, err error) {
	given = make(map[*Flag]bool)
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		switch {
		case arg == "--":
			return append(rest, args...), given, nil
		case len(arg) < 2 || arg[0] != '-':
			rest = append(rest, arg)
			continue
		case isHelp(arg):
			return nil, nil, errHelp
		}
		written, value, hasValue := strings.Cut(arg, "=")
		f := find(flags, strings.TrimPrefix(written[1:], "-"))
		if f == nil {
			return nil, nil, fmt.Errorf("unknown flag %s", written)
		}
		switch {
		case hasValue:
		case !f.TakesValue():
			value = "true"
		case len(args) == 0:
			return nil, nil, fmt.Errorf("a value is missing after --%s", f.Name)
		default:
			value, args = args[0], args[1:]
		}
		if err := f.Value.set(value); err != nil {
			return nil, nil, fmt.Errorf("bad --%s %q: %w", f.Name, value, err)
		}
		given[f] = true
	}
	return rest, given, nil
}

// find returns the flag of that name, long or short, nil if there is none.
func find(flags []*Flag, name string) *Flag {
	for _, f := range flags {
		if name != "" && (name == f.Name || name == f.Short) {
			return f
		}
	}
	return nil
}

// readVariables sets the flags that were not given and whose variables are not
// empty. given is true for flags of the command line; it gets false for those
// of a variable.
func readVariables(flags []*Flag, given map[*Flag]bool) error {
	for _, f := range flags {
		if given[f] || f.Env == "" {
			continue
		}
		value := os.Getenv(f.Env)
		if value == "" {
			continue
		}
		if err := f.Value.set(value); err != nil {
			return fmt.Errorf("bad %s %q: %w", f.Env, value, err)
		}
		given[f] = false
	}
	return nil
}
