package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// program is a Program with a flag of every kind. Its action puts what it got
// into got.
func program(got *string) (*Program, *bytes.Buffer) {
	out := new(bytes.Buffer)
	p := &Program{Name: "tool", Usage: "a tool", UsageText: "tool COMMAND", Stdout: out}
	p.Commands = []*Command{{
		Name: "do", Usage: "do it", UsageText: "tool do [flags]", Description: "One line.\nAnother -- line.",
		Flags: []*Flag{
			{Name: "text", Short: "t", Value: String("abc"), Usage: "a `WORD`", Env: "TOOL_TEXT"},
			{Name: "on", Value: Bool(true), Usage: "a switch", Env: "TOOL_ON"},
			{Name: "int", Value: Int(3), Usage: "a number"},
			{Name: "uint", Value: Uint64(0), Usage: "another"},
			{Name: "time", Value: Duration(time.Second), Usage: "a time"},
			{Name: "words", Value: Strings("x", "y"), Usage: "words", Env: "TOOL_WORDS"},
			{Name: "ints", Value: Ints(), Usage: "numbers", Default: "none"},
			{Name: "lines", Value: Lines(), Usage: "lines", Env: "TOOL_LINES"},
			{Name: "secret", Value: String(""), Hidden: true},
		},
		Action: func(c *Context) error {
			*got = fmt.Sprintf("%s %t %d %d %v %q %v %q args=%q", c.String("text"), c.Bool("on"), c.Int("int"), c.Uint64("uint"),
				c.Duration("time"), c.Strings("words"), c.Ints("ints"), c.Strings("lines"), c.Args)
			for _, name := range []string{"text", "on", "words", "lines"} {
				if c.IsSet(name) {
					*got += fmt.Sprintf(" %s=%t", name, c.OnCommandLine(name))
				}
			}
			return nil
		},
	}}
	return p, out
}

func TestFlags(t *testing.T) {
	f := func(env, args, want string) {
		t.Helper()
		for _, name := range []string{"TOOL_TEXT", "TOOL_ON", "TOOL_WORDS", "TOOL_LINES"} {
			t.Setenv(name, "")
		}
		for _, pair := range strings.Fields(env) {
			name, value, _ := strings.Cut(pair, "=")
			t.Setenv(name, strings.ReplaceAll(value, "|", "\n"))
		}
		var got string
		p, _ := program(&got)
		if err := p.Run(context.Background(), append([]string{"do"}, strings.Fields(args)...)); err != nil || got != want {
			t.Fatalf("unexpected values with %q and %q; got %s, %v; want %s", env, args, got, err, want)
		}
	}
	const rest = ` 3 0 1s ["x" "y"] [] [] args=[]`
	f("", "", "abc true"+rest)
	f("", "--text=d --on=false", "d false"+rest+" text=true on=true")
	f("", "-t d -on", "d true"+rest+" text=true on=true")
	f("", "--text --on", "--on true"+rest+" text=true")
	f("TOOL_TEXT=e TOOL_ON=0", "", "e false"+rest+" text=false on=false")
	f("TOOL_TEXT=e TOOL_ON=0", "--text d", "d false"+rest+" text=true on=false")
	f("", "--int -5 --uint 0x10 --time 1m30s", `abc true -5 16 1m30s ["x" "y"] [] [] args=[]`)
	f("", "--int -0x5 --uint 010", `abc true -5 10 1s ["x" "y"] [] [] args=[]`)
	// Lists take the place of their defaults and of variables.
	f("", "--words a,b --words c --ints 1,2 --ints 3 --lines 1,2 --lines 3",
		`abc true 3 0 1s ["a" "b" "c"] [1 2 3] ["1,2" "3"] args=[] words=true lines=true`)
	f("TOOL_WORDS=d,e TOOL_LINES=1,2||3", "", `abc true 3 0 1s ["d" "e"] [] ["1,2" "3"] args=[] words=false lines=false`)
	f("TOOL_WORDS=d,e TOOL_LINES=1,2||3", "--words a --lines 4", `abc true 3 0 1s ["a"] [] ["4"] args=[] words=true lines=true`)
	// Arguments stand anywhere, and flags end at two dashes.
	f("", "a --text d - b", `d true 3 0 1s ["x" "y"] [] [] args=["a" "-" "b"] text=true`)
	f("", "a -- --text d", `abc true 3 0 1s ["x" "y"] [] [] args=["a" "--text" "d"]`)
}

func TestUsageErrors(t *testing.T) {
	f := func(env, args, want string) {
		t.Helper()
		t.Setenv("TOOL_ON", env)
		p, _ := program(new(string))
		err := p.Run(context.Background(), strings.Fields(args))
		var usage *UsageError
		if !errors.As(err, &usage) || err.Error() != want {
			t.Fatalf("unexpected error for %q; got %v; want %s", args, err, want)
		}
	}
	f("", "undo", `unknown command "undo"; see tool --help`)
	f("", "do --bogus=1", "unknown flag --bogus")
	f("", "do -x", "unknown flag -x")
	f("", "do ---text d", "unknown flag ---text")
	f("", "do --=d", "unknown flag --")
	f("", "do a --text", "a value is missing after --text")
	f("", "do --on=maybe", `bad --on "maybe": want true or false`)
	f("", "do --int=1.5", `bad --int "1.5": want a whole number`)
	f("", "do --uint -1", `bad --uint "-1": want a number from 0 to 18446744073709551615`)
	f("", "do --time 5", `bad --time "5": want a duration such as 500ms, 15m or 1h30m`)
	f("", "do --ints 1,x", `bad --ints "1,x": want a whole number`)
	f("perhaps", "do", `bad TOOL_ON "perhaps": want true or false`)
}

func TestHelp(t *testing.T) {
	f := func(want string, args ...string) {
		t.Helper()
		p, out := program(new(string))
		if err := p.Run(context.Background(), args); err != nil || out.String() != want {
			t.Fatalf("unexpected help for %q: %v\n%s\nwant\n%s", args, err, out, want)
		}
	}
	const whole = `NAME:
   tool - a tool

USAGE:
   tool COMMAND

COMMANDS:
   do  do it

GLOBAL OPTIONS:
   --help, -h  show help
`
	f(whole)
	f(whole, "--help")
	const command = `NAME:
   tool do - do it

USAGE:
   tool do [flags]

DESCRIPTION:
   One line.
   Another -- line.

OPTIONS:
   --text WORD, -t WORD  a WORD (default: "abc") [$TOOL_TEXT]
   --on                  a switch (default: true) [$TOOL_ON]
   --int value           a number (default: 3)
   --uint value          another (default: 0)
   --time value          a time (default: 1s)
   --words value         words (default: "x", "y") [$TOOL_WORDS]
   --ints value          numbers (default: none)
   --lines value         lines [$TOOL_LINES]
   --help, -h            show help
`
	f(command, "do", "--help")
	f(command, "do", "x", "-h", "--bogus")
}

func TestManualPage(t *testing.T) {
	p, _ := program(new(string))
	p.Description = "Has **--text** and\n.dots.\n\nC:\\ is a path."
	page := string(p.AppendMan(nil))
	lines := strings.Split(page, "\n")
	for _, want := range []string{
		".TH tool 1", `tool \- a tool`,
		`Has \fB\-\-text\fR and`, `\&.dots.`, ".PP", `C:\e is a path.`,
		".SS do", `Another \-\- line.`,
		`\fB\-\-text\fR \fIWORD\fR, \fB\-t\fR \fIWORD\fR`, `a WORD (default: "abc") [$TOOL_TEXT]`, `\fB\-\-on\fR`,
	} {
		if !slices.Contains(lines, want) {
			t.Errorf("the page lacks the line %q:\n%s", want, page)
		}
	}
	if strings.Contains(page, "secret") {
		t.Error("the page shows a hidden flag")
	}
}
