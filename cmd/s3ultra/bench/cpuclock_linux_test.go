package bench

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

// The clock of this process advances with work and not with waiting, and both
// ways to name it agree.
func TestCPUClock(t *testing.T) {
	byPID, err := newCPUClock(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	read := func(c *cpuClock) time.Duration {
		t.Helper()
		d, err := c.elapsed()
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	own := ownCPUClock()
	start := read(byPID)
	if d := read(own) - start; d < 0 || d > time.Second {
		t.Fatalf("unexpected difference between the two clocks; got %v; want a little", d)
	}
	// Far finer than a tick of 1 to 10 ms: within 3 ms of work it is seen to
	// advance many times. By the clock itself, as this machine may be busy.
	steps, last := 0, start
	for deadline := time.Now().Add(10 * time.Second); last-start < 3*time.Millisecond; {
		if now := read(byPID); now > last {
			steps, last = steps+1, now
		}
		if time.Now().After(deadline) {
			t.Fatalf("unexpected CPU time of 10 s of work; got %v", last-start)
		}
	}
	if steps < 10 {
		t.Fatalf("unexpected steps of the clock in 3 ms; got %d; want at least 10", steps)
	}
	start = read(byPID)
	time.Sleep(50 * time.Millisecond)
	if d := read(byPID) - start; d > 40*time.Millisecond {
		t.Fatalf("unexpected CPU time of 50 ms of sleep; got %v; want nearly none", d)
	}
}

// Another process's clock can be read, and one that is gone is an error.
func TestCPUClockOfChild(t *testing.T) {
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c, err := newCPUClock(cmd.Process.Pid)
	if err != nil {
		t.Error(err)
	} else if _, err := c.elapsed(); err != nil {
		t.Error(err)
	}
	cmd.Process.Kill()
	cmd.Wait()
	if _, err := newCPUClock(cmd.Process.Pid); err == nil {
		t.Error("unexpected clock of a process that has ended; want an error")
	}
	var none *cpuClock
	if d, err := none.elapsed(); d != 0 || err != nil {
		t.Errorf("unexpected reading of no clock; got %v, %v; want 0, nil", d, err)
	}
}
