package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/s3ultra/s3ultra/cmd/s3ultra/cli"
	"github.com/s3ultra/s3ultra/server"
)

const (
	statsPath   = "/api/stats"
	historyPath = "/api/history"

	// topTimeout bounds one question; a server too busy for it counts as gone
	// until the next.
	topTimeout = 5 * time.Second

	// The server takes a sample each second; asking more often shows nothing
	// new.
	topInterval = time.Second
)

func topCommand() *cli.Command {
	return &cli.Command{
		Name:      "top",
		Usage:     "watch a running server in a terminal",
		UsageText: "s3ultra top [flags] [URL]",
		Description: "Shows what the live page shows. URL is a server's admin address, such as http://127.0.0.1:9001. Without it\n" +
			"the address is taken from S3ULTRA_ADMIN_LISTEN. Ends with q or Ctrl-C. Prints once if its output is no terminal.",
		Flags: []*cli.Flag{
			{Name: "interval", Value: cli.Duration(topInterval), Usage: "how often to ask, at least 1s"},
			{Name: "once", Value: cli.Bool(false), Usage: "print once and end"},
		},
		Action: func(c *cli.Context) error {
			if len(c.Args) > 1 {
				return usagef("unexpected argument %q after top URL", c.Arg(1))
			}
			if c.Duration("interval") < topInterval {
				return usagef("bad --interval %v: want 1s or more, as the server counts by the second", c.Duration("interval"))
			}
			t, err := newTop(c.Arg(0))
			if err != nil {
				return err
			}
			// Without an answer at first there is nothing to wait for.
			if err := t.update(c.Context); err != nil {
				return err
			}
			screen := newTerminal(c.Stdin, c.Stdout)
			if c.Bool("once") || screen == nil {
				_, err := c.Stdout.Write(t.view.appendPlain(nil))
				return err
			}
			return t.watch(c.Context, screen, c.Duration("interval"))
		},
	}
}

// top asks a server and keeps what it answered.
type top struct {
	stats, history string // URLs
	view           topView
}

func newTop(target string) (*top, error) {
	u, err := adminURL(target, statsPath)
	if err != nil {
		return nil, err
	}
	t := &top{stats: u.String(), view: topView{host: u.Host}}
	u.Path = historyPath
	t.history = u.String()
	return t, nil
}

// update asks for the state, and for the past if some of it is missing.
func (t *top) update(ctx context.Context) error {
	var now server.Stats
	if err := askTop(ctx, t.stats, &now); err != nil {
		return err
	}
	v := &t.view
	if !now.Started.Equal(v.stats.Started) {
		v.samples = nil
	}
	newest := uint64(0)
	if n := len(v.samples); n > 0 {
		newest = v.samples[n-1].Number
	}
	switch {
	case now.Now.Number == newest+1:
		v.samples = append(v.samples, now.Now)
	case now.Now.Number > newest:
		var past struct {
			Samples []server.Sample `json:"samples"`
		}
		if err := askTop(ctx, t.history, &past); err != nil {
			return err
		}
		v.samples = past.Samples
	}
	v.samples = v.samples[max(0, len(v.samples)-topSamples):]
	v.stats = now
	return nil
}

func askTop(ctx context.Context, address string, doc any) error {
	text, err := askAdmin(ctx, topTimeout, "GET", address)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, doc); err != nil {
		return fmt.Errorf("cannot read the answer of %s: %w", address, err)
	}
	return nil
}

// watch draws until q, a signal or the end of ctx, and leaves the terminal as
// it was.
func (t *top) watch(ctx context.Context, screen *terminal, interval time.Duration) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, screen.signals()...)
	defer signal.Stop(signals)
	if err := screen.enter(); err != nil {
		return fmt.Errorf("cannot prepare the terminal: %w", err)
	}
	defer screen.leave()
	keys := make(chan byte)
	go readKeys(ctx, screen.in, keys)
	// The question runs beside, so that a key is answered while a server is
	// not.
	answers := make(chan error, 1)
	ask := func() { go func() { answers <- t.update(ctx) }() }
	next := time.NewTimer(interval)
	defer next.Stop()
	asking := false
	for {
		if !asking {
			if err := screen.draw(&t.view); err != nil {
				return fmt.Errorf("cannot write to the terminal: %w", err)
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case k := <-keys:
			if k == 'q' || k == 'Q' {
				return nil
			}
		case s := <-signals:
			switch {
			case screen.resized(s):
			case screen.stopped(s):
				screen.leave()
				if err := suspend(); err != nil {
					return fmt.Errorf("cannot stop: %w", err)
				}
				if err := screen.enter(); err != nil {
					return fmt.Errorf("cannot prepare the terminal: %w", err)
				}
			default:
				return nil
			}
		case <-next.C:
			asking = true
			ask()
		case err := <-answers:
			asking = false
			t.view.failed = err
			next.Reset(interval)
		}
	}
}

// readKeys sends what is typed. It ends with the program: a read of a terminal
// cannot be called off.
func readKeys(ctx context.Context, in io.Reader, keys chan<- byte) {
	buf := make([]byte, 1)
	for {
		n, err := in.Read(buf)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil {
			return
		}
		if n == 0 {
			continue
		}
		select {
		case keys <- buf[0]:
		case <-ctx.Done():
			return
		}
	}
}
