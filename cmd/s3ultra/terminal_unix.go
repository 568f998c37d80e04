//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package main

import (
	"fmt"
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// The sequences of a terminal's other screen (xterm's control sequences,
// DECSET): on it the cursor is hidden and long lines are cut.
const (
	screenEnter = "\x1b[?1049h\x1b[?25l\x1b[?7l"
	screenLeave = "\x1b[?7h\x1b[?25h\x1b[?1049l"
	screenHome  = "\x1b[H"
	lineEnd     = "\r\n"
	// What is right of the cursor, and below it too. Before a line is written:
	// after a full one the cursor stands on its last character.
	clearLine = "\x1b[K"
	clearRest = "\x1b[J"
)

// terminal is the screen and keyboard of s3ultra top.
type terminal struct {
	in     io.Reader
	out    *os.File
	keys   int           // descriptor of in if it is a terminal, else -1
	before *unix.Termios // of keys; nil: not changed
	inside bool
	color  bool
	buf    []byte
}

// newTerminal returns nil if out is no terminal that can be drawn on.
func newTerminal(in io.Reader, out io.Writer) *terminal {
	f, ok := out.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" || os.Getenv("TERM") == "" {
		return nil
	}
	if _, err := unix.IoctlGetTermios(int(f.Fd()), getTermios); err != nil {
		return nil
	}
	// https://no-color.org
	t := &terminal{in: in, out: f, keys: -1, color: os.Getenv("NO_COLOR") == ""}
	if f, ok := in.(*os.File); ok {
		if _, err := unix.IoctlGetTermios(int(f.Fd()), getTermios); err == nil {
			t.keys = int(f.Fd())
		}
	}
	return t
}

// enter takes the screen. Keys come at once and are not shown; Ctrl-C and
// Ctrl-Z stay signals.
func (t *terminal) enter() error {
	if t.keys >= 0 {
		before, err := unix.IoctlGetTermios(t.keys, getTermios)
		if err != nil {
			return err
		}
		quiet := *before
		quiet.Lflag &^= unix.ECHO | unix.ICANON
		quiet.Cc[unix.VMIN], quiet.Cc[unix.VTIME] = 1, 0
		if err := unix.IoctlSetTermios(t.keys, setTermios, &quiet); err != nil {
			return err
		}
		t.before = before
	}
	t.inside = true
	_, err := t.out.WriteString(screenEnter)
	return err
}

// leave gives the screen back as it was. It may be called again.
func (t *terminal) leave() {
	if !t.inside {
		return
	}
	t.inside = false
	// The terminal may be gone; then there is nothing to restore.
	_, _ = t.out.WriteString(screenLeave)
	if t.before != nil {
		_ = unix.IoctlSetTermios(t.keys, setTermios, t.before)
	}
}

// draw shows v in the terminal's present size with one write.
func (t *terminal) draw(v *topView) error {
	width, height := 80, 24
	if size, err := unix.IoctlGetWinsize(int(t.out.Fd()), unix.TIOCGWINSZ); err == nil && size.Col > 0 && size.Row > 0 {
		width, height = int(size.Col), int(size.Row)
	}
	t.buf = append(t.buf[:0], screenHome...)
	lines := v.lines(width, height, t.color)
	for i, line := range lines {
		if i > 0 {
			t.buf = append(t.buf, lineEnd...)
		}
		clear := clearLine
		if i == len(lines)-1 {
			clear = clearRest
		}
		t.buf = append(append(t.buf, clear...), line...)
	}
	_, err := t.out.Write(t.buf)
	return err
}

// signals are those that watching has to see.
func (t *terminal) signals() []os.Signal {
	return []os.Signal{unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGWINCH, unix.SIGTSTP}
}

func (t *terminal) resized(s os.Signal) bool { return s == unix.SIGWINCH }
func (t *terminal) stopped(s os.Signal) bool { return s == unix.SIGTSTP }

// suspend stops the process, as Ctrl-Z asks, until it is continued.
func suspend() error {
	if err := syscall.Kill(os.Getpid(), syscall.SIGSTOP); err != nil {
		return fmt.Errorf("cannot send SIGSTOP: %w", err)
	}
	return nil
}
