package cli

import "strings"

// Flag is a flag of a command.
type Flag struct {
	Name  string // without its dashes
	Short string // another name, of one letter; "" for none

	// Usage is what the flag does. In backquotes stands the name of its value,
	// which otherwise is "value".
	Usage string

	Env     string // the variable that is read if the flag is not given; "" for none
	Default string // what help shows in the place of the value's own text
	Hidden  bool   // from help and the manual page

	// Value holds the default, and then what was given.
	Value Value
}

// TakesValue tells whether a value follows the flag.
func (f *Flag) TakesValue() bool { return !f.Value.isSwitch() }

// PlainUsage returns the usage without the marks around the value's name.
func (f *Flag) PlainUsage() string { return strings.ReplaceAll(f.Usage, "`", "") }

// valueName returns what stands for the value in help, "" if there is none.
func (f *Flag) valueName() string {
	if !f.TakesValue() {
		return ""
	}
	if _, after, ok := strings.Cut(f.Usage, "`"); ok {
		name, _, _ := strings.Cut(after, "`")
		return name
	}
	return "value"
}

// forms returns the flag as it is written: --output FILE, -o FILE. Each form
// begins with before and the names of values with beforeValue.
func (f *Flag) forms(before, beforeValue string) string {
	value := f.valueName()
	if value != "" {
		value = " " + beforeValue + value
	}
	s := before + "--" + f.Name + value
	if f.Short != "" {
		s += ", " + before + "-" + f.Short + value
	}
	return s
}

// details returns what help says after the usage: the default and the variable.
func (f *Flag) details() string {
	var s string
	def := f.Default
	if def == "" {
		def = f.Value.defaultText()
	}
	if def != "" {
		s = " (default: " + def + ")"
	}
	if f.Env != "" {
		s += " [$" + f.Env + "]"
	}
	return s
}
