package bench

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

const (
	// startTimeout bounds a child's start; it takes some 20 ms.
	startTimeout = 10 * time.Second
	// stopTimeout is how long a child may take to end before it is killed.
	stopTimeout = 2 * time.Second
	// maxStderr bounds what is kept of a child's complaints, the last ones.
	maxStderr = 2 << 10
)

// process is a child whose CPU time is measured.
type process struct {
	cmd   *exec.Cmd
	stdin io.Closer
	first string // its first line
	clock *cpuClock
	said  tail
	ended chan struct{}
}

// startProcess runs the executable and waits for its first line. Variables
// S3ULTRA_* are not passed on: they configure somebody's real server. env adds
// others.
//
// Errors: it does not start, or ends before the line; with its complaints.
func startProcess(executable string, args, env []string) (*process, error) {
	p := &process{cmd: exec.Command(executable, args...), ended: make(chan struct{})}
	for _, pair := range os.Environ() {
		if !strings.HasPrefix(pair, "S3ULTRA_") {
			p.cmd.Env = append(p.cmd.Env, pair)
		}
	}
	p.cmd.Env = append(p.cmd.Env, env...)
	p.cmd.Stderr = &p.said
	dieWithParent(p.cmd)
	var err error
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("cannot start %s: %w", args[0], err)
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("cannot start %s: %w", args[0], err)
	}
	p.cmd.Stdout = writer
	err = p.cmd.Start()
	writer.Close()
	if err != nil {
		reader.Close()
		return nil, fmt.Errorf("cannot start %s: %w", args[0], err)
	}
	go func() {
		_ = p.cmd.Wait() // How it ended shows in what it said.
		close(p.ended)
	}()
	// Not every file takes a deadline; a pipe does.
	_ = reader.SetReadDeadline(time.Now().Add(startTimeout))
	lines := bufio.NewReader(reader)
	p.first, err = lines.ReadString('\n')
	if err != nil {
		reader.Close()
		p.stop()
		return nil, fmt.Errorf("cannot start %s: %w: %s", args[0], err, p.said.String())
	}
	p.first = strings.TrimSpace(p.first)
	_ = reader.SetReadDeadline(time.Time{})
	go func() {
		_, _ = io.Copy(io.Discard, lines)
		reader.Close()
	}()
	if p.clock, err = newCPUClock(p.cmd.Process.Pid); err != nil && err != errNoCPUClock {
		p.stop()
		return nil, err
	}
	return p, nil
}

// stop ends the process and waits for its end.
func (p *process) stop() {
	p.stdin.Close()
	interrupt(p.cmd.Process)
	select {
	case <-p.ended:
	case <-time.After(stopTimeout):
		_ = p.cmd.Process.Kill() // It may have ended meanwhile.
		<-p.ended
	}
}

// tail keeps the last maxStderr bytes written to it. Safe for concurrent use.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	t.text = bytes.Clone(t.text[max(0, len(t.text)-maxStderr):])
	return len(p), nil
}

// String returns what is kept, on one line.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(strings.Fields(string(t.text)), " ")
}
