package synth

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ruleField is one field of a described data set, from YAML or from a flag.
type ruleField struct {
	name, value string
	line        int // 0 for a flag
}

// ruleOptions are the fields of one data set, parsed. The names that a YAML entry and a flag may
// have are those of set.
type ruleOptions struct {
	rule   Rule
	preset string

	// folder, valid, ranks and steps are of presets only.
	folder              string
	valid, ranks, steps int64

	// given are the names that were set.
	given map[string]bool
}

// set parses a field into o.
func (o *ruleOptions) set(f ruleField) error {
	if o.given[f.name] {
		return errors.New("given twice")
	}
	o.given[f.name] = true
	r := &o.rule
	var err error
	switch f.name {
	case "preset":
		o.preset = f.value
	case "name":
		r.Name = f.value
	case "bucket":
		r.Bucket = f.value
	case "key":
		r.Key = f.value
	case "first":
		r.First, err = parseWhole(f.value)
	case "count":
		r.Count, err = parseWhole(f.value)
	case "folders":
		r.Folders, err = parseWhole(f.value)
	case "size":
		r.Size, err = ParseSize(f.value)
	case "seed":
		if r.Seed, err = parseUint64(f.value); err != nil {
			err = fmt.Errorf("%q is not a number of 64 bits", f.value)
		}
	case "content-type":
		r.ContentType = f.value
	case "last-modified":
		if r.LastModified, err = time.Parse(time.RFC3339, f.value); err != nil {
			err = fmt.Errorf("%q is not a time such as 2025-01-01T00:00:00Z", f.value)
		}
	case "folder":
		o.folder = strings.Trim(f.value, "/")
	case "valid":
		o.valid, err = parseWhole(f.value)
	case "ranks":
		o.ranks, err = parseWhole(f.value)
	case "steps":
		o.steps, err = parseWhole(f.value)
	default:
		return errors.New("unknown field; there are preset, name, bucket, key, first, count, folders, size, seed, content-type and last-modified, and for presets folder, valid, ranks and steps")
	}
	return err
}

// parseWhole reads a decimal number, 0 or more.
func parseWhole(s string) (int64, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%q is not a whole number", s)
	}
	return n, nil
}

// buildRules turns the fields of one data set, read at origin, into its rules: one, or those of a
// preset. The rules are known to compile. Errors wrap ErrBadRule and start with the line, if any.
func buildRules(fields []ruleField, line int) ([]Rule, error) {
	o := ruleOptions{given: make(map[string]bool)}
	for _, f := range fields {
		if err := o.set(f); err != nil {
			return nil, fmt.Errorf("%w: %s%s: %w", ErrBadRule, linePrefix(f.line), f.name, err)
		}
	}
	rules, err := o.rules()
	for k := range rules {
		if line > 0 {
			rules[k].origin = fmt.Sprintf("line %d", line)
		}
		if err == nil {
			_, err = newDataset(rules[k])
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s%w", ErrBadRule, linePrefix(line), err)
	}
	return rules, nil
}

func linePrefix(line int) string {
	if line == 0 {
		return ""
	}
	return fmt.Sprintf("line %d: ", line)
}

func (o *ruleOptions) rules() ([]Rule, error) {
	if o.given["preset"] {
		p, ok := findPreset(o.preset)
		if !ok {
			return nil, fmt.Errorf("there is no preset %q; there are %s", o.preset, strings.Join(presetNames(), ", "))
		}
		return p.rules(o)
	}
	if err := o.refuse("", "folder", "valid", "ranks", "steps"); err != nil {
		return nil, err
	}
	for _, name := range []string{"bucket", "key", "count", "size"} {
		if !o.given[name] {
			return nil, fmt.Errorf("%s is missing", name)
		}
	}
	return []Rule{o.rule}, nil
}

// refuse returns an error if one of the names was given.
func (o *ruleOptions) refuse(preset string, names ...string) error {
	for _, name := range names {
		if !o.given[name] {
			continue
		}
		if preset == "" {
			return fmt.Errorf("%s is for presets", name)
		}
		return fmt.Errorf("preset %s does not take %s", preset, name)
	}
	return nil
}
