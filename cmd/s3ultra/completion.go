package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/s3ultra/s3ultra/cmd/s3ultra/cli"
)

// flagValues lists the values a shell can offer after a flag.
var flagValues = map[string]string{
	"mode":       "synth memory",
	"pattern":    "random zeros elbencho:",
	"etag":       "md5 fast",
	"sha256":     "auto single lanes",
	"log-level":  "debug info warn error",
	"log-format": "auto text json",

	"access-log-format": "s3 json oplog",

	"dataset": presetNames(),
}

// fileFlags are the flags after which a shell offers files.
var fileFlags = []string{"credentials", "access-log", "datasets", "db-path"}

func completionCommand(p *cli.Program) *cli.Command {
	return &cli.Command{
		Name:      "completion",
		Usage:     "print the completion script of a shell: bash, zsh or fish",
		UsageText: "s3ultra completion bash|zsh|fish",
		Description: "bash: source <(s3ultra completion bash)\n" +
			"zsh:  source <(s3ultra completion zsh)    (after compinit)\n" +
			"fish: s3ultra completion fish | source",
		Action: func(c *cli.Context) error {
			if len(c.Args) != 1 {
				return usagef("completion needs one shell: bash, zsh or fish")
			}
			var script string
			switch shell := c.Arg(0); shell {
			case "bash":
				script = bashCompletion(p)
			case "zsh":
				script = zshCompletion(p)
			case "fish":
				script = fishCompletion(p)
			default:
				return usagef("unknown shell %q: want bash, zsh or fish", shell)
			}
			_, err := fmt.Fprint(c.Stdout, script)
			return err
		},
	}
}

// The scripts hold their words, so that completing does not start the program.

func commandNames(p *cli.Program) string {
	names := make([]string, len(p.Commands))
	for i, c := range p.Commands {
		names[i] = c.Name
	}
	return strings.Join(names, " ")
}

// serveWords returns the serve command's flags with their dashes.
func serveWords() string {
	return "--" + strings.Join(flagNames(serveFlags()), " --") + " --help"
}

func bashCompletion(p *cli.Program) string {
	var b strings.Builder
	b.WriteString(`# bash completion of s3ultra
_s3ultra() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
  COMPREPLY=()
  case $prev in
`)
	for _, flag := range flagNames(serveFlags()) {
		if values := flagValues[flag]; values != "" {
			fmt.Fprintf(&b, "    --%s) COMPREPLY=($(compgen -W '%s' -- \"$cur\")); return ;;\n", flag, values)
		}
	}
	fmt.Fprintf(&b, `    --%s) COMPREPLY=($(compgen -f -- "$cur")); return ;;
    completion) COMPREPLY=($(compgen -W 'bash zsh fish' -- "$cur")); return ;;
  esac
  case ${COMP_WORDS[1]} in
    health|journal|top|version|completion|man) [ "$COMP_CWORD" -gt 1 ] && return ;;
  esac
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W '%s' -- "$cur"))
  elif [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '%s' -- "$cur"))
  fi
}
complete -F _s3ultra s3ultra
`, strings.Join(fileFlags, "|--"), serveWords(), commandNames(p))
	return b.String()
}

func zshCompletion(p *cli.Program) string {
	var b strings.Builder
	b.WriteString(`#compdef s3ultra
_s3ultra() {
  case ${words[CURRENT-1]} in
`)
	for _, flag := range flagNames(serveFlags()) {
		if values := flagValues[flag]; values != "" {
			fmt.Fprintf(&b, "    --%s) compadd -- %s; return ;;\n", flag, values)
		}
	}
	fmt.Fprintf(&b, `    --%s) _files; return ;;
    completion) compadd -- bash zsh fish; return ;;
  esac
  case ${words[2]} in
    health|journal|top|version|completion|man) (( CURRENT > 2 )) && return ;;
  esac
  if [[ ${words[CURRENT]} == -* ]]; then
    compadd -- %s
  elif (( CURRENT == 2 )); then
    compadd -- %s
  fi
}
compdef _s3ultra s3ultra
`, strings.Join(fileFlags, "|--"), serveWords(), commandNames(p))
	return b.String()
}

func fishCompletion(p *cli.Program) string {
	var b strings.Builder
	b.WriteString("# fish completion of s3ultra\ncomplete -c s3ultra -f\n")
	for _, c := range p.Commands {
		fmt.Fprintf(&b, "complete -c s3ultra -n __fish_use_subcommand -a %s -d '%s'\n", c.Name, fishText(c.Usage))
	}
	b.WriteString("complete -c s3ultra -n '__fish_seen_subcommand_from completion' -a 'bash zsh fish'\n")
	for _, f := range serveFlags() {
		fmt.Fprintf(&b, "complete -c s3ultra -n 'not __fish_seen_subcommand_from health journal top version completion man' -l %s", f.Name)
		fmt.Fprintf(&b, " -d '%s'", fishText(f.PlainUsage()))
		switch {
		case flagValues[f.Name] != "":
			fmt.Fprintf(&b, " -x -a '%s'", flagValues[f.Name])
		case slices.Contains(fileFlags, f.Name):
			b.WriteString(" -r -F")
		case f.TakesValue():
			b.WriteString(" -x")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// fishText makes s fit between single quotes.
func fishText(s string) string {
	return strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s)
}
