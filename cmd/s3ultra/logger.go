package main

import (
	"io"
	"log/slog"
	"os"
)

// newLogger returns a logger of format text, json or auto (text on a terminal,
// else JSON, which log collectors parse) that writes what is at or above
// level.
func newLogger(w io.Writer, format, level string) (*slog.Logger, error) {
	var l slog.Level
	if err := l.UnmarshalText([]byte(level)); err != nil {
		return nil, usagef("bad --log-level %q: want debug, info, warn or error", level)
	}
	options := &slog.HandlerOptions{Level: l}
	if format == "auto" {
		format = "json"
		if isTerminal(w) {
			format = "text"
		}
	}
	switch format {
	case "text":
		return slog.New(slog.NewTextHandler(w, options)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(w, options)), nil
	default:
		return nil, usagef("bad --log-format %q: want auto, text or json", format)
	}
}

// isTerminal tells whether w is a character device. /dev/null is one as well,
// where the difference does not show.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
