package main

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// openTerminal returns both ends of a pseudoterminal (pty(7)).
func openTerminal(t *testing.T, width, height uint16) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatalf("cannot open a terminal: %v", err)
	}
	t.Cleanup(func() { master.Close() })
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatalf("cannot unlock the terminal: %v", err)
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatalf("cannot name the terminal: %v", err)
	}
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatalf("cannot open the terminal: %v", err)
	}
	t.Cleanup(func() { slave.Close() })
	resize(t, master, width, height)
	return master, slave
}

func resize(t *testing.T, master *os.File, width, height uint16) {
	t.Helper()
	if err := unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: width, Row: height}); err != nil {
		t.Fatalf("cannot resize the terminal: %v", err)
	}
}

// screenText collects what a terminal was sent.
type screenText struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *screenText) read(master *os.File) {
	buf := make([]byte, 4096)
	for {
		n, err := master.Read(buf)
		if err != nil {
			return
		}
		s.mu.Lock()
		s.text.Write(buf[:n])
		s.mu.Unlock()
	}
}

func (s *screenText) all() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// await waits until what was sent after the first from bytes holds want.
func (s *screenText) await(t *testing.T, from int, want string) {
	t.Helper()
	for deadline := time.Now().Add(patience); !strings.Contains(s.all()[from:], want); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the terminal did not get %q; got %q", want, s.all()[from:])
		}
	}
}

// On a terminal top draws on the other screen, follows a new size, survives
// the server, stops and goes on, and leaves everything as it was.
func TestTopOnATerminal(t *testing.T) {
	for _, key := range []string{"\x03", "q"} {
		p := start(t, "--admin-listen", "127.0.0.1:0", "--bucket", "a-bucket")
		master, slave := openTerminal(t, 100, 30)
		before, err := unix.IoctlGetTermios(int(slave.Fd()), getTermios)
		if err != nil {
			t.Fatal(err)
		}
		cmd := command([]string{"TERM=xterm", "NO_COLOR=1"}, "top", p.admin(t))
		cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { cmd.Process.Kill() })
		screen := new(screenText)
		go screen.read(master)

		screen.await(t, 0, screenEnter)
		screen.await(t, 0, "a-bucket")
		// Ten columns are not enough for the version.
		resize(t, master, 10, 5)
		screen.await(t, 0, "s3ultra d…")
		resize(t, master, 100, 30)

		if key == "q" {
			from := len(screen.all())
			p.signal(t)
			screen.await(t, from, "disconnected")
		}
		if _, err := master.WriteString(key); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }()
		select {
		case err := <-done:
			if err != nil {
				t.Fatalf("unexpected end of top after %q: %v; got %q", key, err, screen.all())
			}
		case <-time.After(patience):
			t.Fatalf("top did not end after %q; got %q", key, screen.all())
		}
		screen.await(t, 0, screenLeave)
		if !strings.HasSuffix(screen.all(), screenLeave) {
			t.Errorf("unexpected last output; got %q; want the screen restored", screen.all()[max(0, len(screen.all())-80):])
		}
		after, err := unix.IoctlGetTermios(int(slave.Fd()), getTermios)
		if err != nil {
			t.Fatal(err)
		}
		if *after != *before {
			t.Errorf("unexpected terminal settings after %q; got %+v; want %+v", key, *after, *before)
		}
	}
}
