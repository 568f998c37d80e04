package cli

import (
	"fmt"
	"strings"
)

// The row of the flag that every command has.
const (
	helpForms = "--help, -h"
	helpUsage = "show help"
)

// row is a line of a table of two columns.
type row struct{ left, right string }

// appendRows appends a table, indented, the second column aligned.
func appendRows(dst []byte, rows []row) []byte {
	width := 0
	for _, r := range rows {
		width = max(width, len(r.left))
	}
	for _, r := range rows {
		dst = fmt.Appendf(dst, "   %-*s  %s\n", width, r.left, r.right)
	}
	return dst
}

// appendSection appends text below a title, indented.
func appendSection(dst []byte, title, text string) []byte {
	return fmt.Appendf(dst, "%s:\n   %s\n", title, strings.ReplaceAll(text, "\n", "\n   "))
}

func (p *Program) appendHelp(dst []byte) []byte {
	dst = appendSection(dst, "NAME", p.Name+" - "+p.Usage)
	dst = append(dst, '\n')
	dst = appendSection(dst, "USAGE", p.UsageText)
	dst = append(dst, "\nCOMMANDS:\n"...)
	rows := make([]row, len(p.Commands))
	for i, c := range p.Commands {
		rows[i] = row{c.Name, c.Usage}
	}
	dst = appendRows(dst, rows)
	dst = append(dst, "\nGLOBAL OPTIONS:\n"...)
	return appendRows(dst, []row{{helpForms, helpUsage}})
}

func (c *Command) appendHelp(dst []byte, program string) []byte {
	dst = appendSection(dst, "NAME", program+" "+c.Name+" - "+c.Usage)
	dst = append(dst, '\n')
	dst = appendSection(dst, "USAGE", c.UsageText)
	if c.Description != "" {
		dst = append(dst, '\n')
		dst = appendSection(dst, "DESCRIPTION", c.Description)
	}
	dst = append(dst, "\nOPTIONS:\n"...)
	var rows []row
	for _, f := range c.Flags {
		if !f.Hidden {
			rows = append(rows, row{f.forms("", ""), f.PlainUsage() + f.details()})
		}
	}
	return appendRows(dst, append(rows, row{helpForms, helpUsage}))
}
