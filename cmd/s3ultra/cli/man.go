package cli

import (
	"fmt"
	"strings"
)

// AppendMan appends the program's manual page, of section 1, as troff reads it
// with the macros of man(7).
func (p *Program) AppendMan(dst []byte) []byte {
	// Section 1 is of programs for everybody. Names of variables and flags are
	// not to be hyphenated.
	dst = fmt.Appendf(dst, ".TH %s 1\n.nh\n.SH NAME\n%s \\- %s\n", roff(p.Name), roff(p.Name), roff(p.Usage))
	dst = append(dst, ".SH SYNOPSIS\n"...)
	dst = appendLines(dst, p.UsageText)
	dst = append(dst, ".SH DESCRIPTION\n"...)
	for i, paragraph := range strings.Split(p.Description, "\n\n") {
		if i > 0 {
			dst = append(dst, ".PP\n"...)
		}
		dst = append(dst, bold(roff(paragraph))...)
		dst = append(dst, '\n')
	}
	dst = append(dst, ".SH COMMANDS\n"...)
	for _, c := range p.Commands {
		dst = c.appendMan(dst)
	}
	return dst
}

func (c *Command) appendMan(dst []byte) []byte {
	dst = fmt.Appendf(dst, ".SS %s\n%s\n.PP\n", roff(c.Name), roff(c.Usage))
	dst = appendLines(dst, c.UsageText)
	if c.Description != "" {
		dst = append(dst, ".PP\n"...)
		dst = appendLines(dst, c.Description)
	}
	for _, f := range c.Flags {
		if f.Hidden {
			continue
		}
		dst = fmt.Appendf(dst, ".TP\n%s\n%s\n", roffFlag(f), roff(f.PlainUsage()+f.details()))
	}
	return dst
}

// roffFlag returns the forms of a flag: names bold, values' names italic.
func roffFlag(f *Flag) string {
	// The marks are no characters of a command line.
	const name, value = "\x01", "\x02"
	return strings.NewReplacer(
		name, `\fB`, " "+value, `\fR \fI`, ", ", `\fR, `,
	).Replace(roff(f.forms(name, value))) + `\fR`
}

// appendLines appends text line by line as it is, without filling.
func appendLines(dst []byte, text string) []byte {
	return fmt.Appendf(dst, ".nf\n%s\n.fi\n", roff(text))
}

// bold turns **words** into bold ones.
func bold(s string) string {
	parts := strings.Split(s, "**")
	for i := 1; i < len(parts); i += 2 {
		parts[i] = `\fB` + parts[i] + `\fR`
	}
	return strings.Join(parts, "")
}

// roff returns text so that troff prints it: a dash as the one that can be
// pasted into a shell, and no line taken for a request.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
