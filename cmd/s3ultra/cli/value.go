package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Value is the value of a flag: one of String, Bool, Int, Uint64, Duration,
// Strings, Ints and Lines.
type Value interface {
	// set takes what was given. The error says what is wrong with it, without
	// repeating it.
	set(text string) error
	// isSwitch tells whether the flag alone means true.
	isSwitch() bool
	// defaultText returns what help shows of the value, "" for nothing.
	defaultText() string
}

// single is one T.
type single[T any] struct {
	v     T
	parse func(string) (T, error)
}

func (s *single[T]) set(text string) error {
	v, err := s.parse(text)
	if err == nil {
		s.v = v
	}
	return err
}

func (s *single[T]) isSwitch() bool {
	_, ok := any(s.v).(bool)
	return ok
}

func (s *single[T]) defaultText() string { return quoted(s.v) }

// list is the value of a repeatable flag, each text of which may hold several T.
// What is given takes the place of the default.
type list[T any] struct {
	v     []T
	given bool
	split func(string) []string
	parse func(string) (T, error)
}

func (l *list[T]) set(text string) error {
	if !l.given {
		l.v, l.given = nil, true
	}
	for _, word := range l.split(text) {
		v, err := l.parse(word)
		if err != nil {
			return err
		}
		l.v = append(l.v, v)
	}
	return nil
}

func (l *list[T]) isSwitch() bool { return false }

func (l *list[T]) defaultText() string {
	words := make([]string, len(l.v))
	for i, v := range l.v {
		words[i] = quoted(v)
	}
	return strings.Join(words, ", ")
}

// quoted returns a default as help shows it: text in quotes, if there is any.
func quoted(v any) string {
	s := fmt.Sprint(v)
	if _, ok := v.(string); ok && s != "" {
		return strconv.Quote(s)
	}
	return s
}

// String returns the value of a flag for any text.
func String(def string) Value { return &single[string]{def, parseText} }

// Bool returns the value of a flag that means true; --name=false is how to say
// false.
func Bool(def bool) Value { return &single[bool]{def, parseBool} }

// Int returns the value of a flag for a whole number, decimal or 0x.
func Int(def int) Value { return &single[int]{def, parseInt} }

// Uint64 returns the value of a flag for a number from 0 to 2^64-1, decimal or
// 0x.
func Uint64(def uint64) Value { return &single[uint64]{def, parseUint64} }

// Duration returns the value of a flag for Go's durations, such as 1m30s.
func Duration(def time.Duration) Value { return &single[time.Duration]{def, parseDuration} }

// Strings returns the value of a repeatable flag for a comma list.
func Strings(def ...string) Value { return &list[string]{v: def, split: commas, parse: parseText} }

// Ints returns the value of a repeatable flag for a comma list of whole numbers.
func Ints(def ...int) Value { return &list[int]{v: def, split: commas, parse: parseInt} }

// Lines returns the value of a repeatable flag for texts that may hold commas:
// one on each line, blank lines are skipped.
func Lines() Value { return &list[string]{split: lines, parse: parseText} }

func parseText(s string) (string, error) { return s, nil }

func parseBool(s string) (bool, error) {
	v, err := strconv.ParseBool(s)
	if err != nil {
		return false, errors.New("want true or false")
	}
	return v, nil
}

// base returns the base for strconv: 0 means that of the prefix, which of 010
// would be 8.
func base(s string) int {
	s = strings.TrimPrefix(s, "-")
	if strings.HasPrefix(s, "0x") || strings.HasPrefix(s, "0X") {
		return 0
	}
	return 10
}

func parseInt(s string) (int, error) {
	v, err := strconv.ParseInt(s, base(s), strconv.IntSize)
	if err != nil {
		return 0, errors.New("want a whole number")
	}
	return int(v), nil
}

func parseUint64(s string) (uint64, error) {
	v, err := strconv.ParseUint(s, base(s), 64)
	if err != nil {
		return 0, errors.New("want a number from 0 to 18446744073709551615")
	}
	return v, nil
}

func parseDuration(s string) (time.Duration, error) {
	v, err := time.ParseDuration(s)
	if err != nil {
		return 0, errors.New("want a duration such as 500ms, 15m or 1h30m")
	}
	return v, nil
}

func commas(s string) []string {
	words := strings.Split(s, ",")
	for i, w := range words {
		words[i] = strings.TrimSpace(w)
	}
	return words
}

func lines(s string) (all []string) {
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, line)
		}
	}
	return all
}
