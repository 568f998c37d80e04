package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/s3ultra/s3ultra/cmd/s3ultra/cli"
	"github.com/s3ultra/s3ultra/server"
	"github.com/s3ultra/s3ultra/store"
)

// Where warnings begin: 16 ranks x 8 workers x 16 requests
// are 2048 connections, and a benchmark may well open twice that. Fewer places
// in the queue of connections not yet accepted than that are as bad, when all
// ranks start at once; Linux has had 4096 since 5.4, and 128 before.
const (
	fewOpenFiles = 4096
	shortBacklog = 4096
)

// readyPoll is short beside the milliseconds that a start takes.
const readyPoll = 100 * time.Microsecond

func serveCommand() *cli.Command {
	return &cli.Command{
		Name:      "serve",
		Usage:     "serve S3 until SIGTERM (the default command)",
		UsageText: "s3ultra [serve] [flags]",
		Description: "A flag beats its environment variable, that beats a secret's file, that beats the default.\n" +
			"Sizes are bytes or have a unit (64MiB, 64MB, 1.5GiB), durations are Go's (15m, 1h30m).",
		Flags: serveFlags(),
		Action: func(c *cli.Context) error {
			if c.Command.Name != "server" {
				if err := noArguments(c); err != nil {
					return err
				}
			}
			s, err := readSettings(c)
			if err != nil {
				return err
			}
			if unknown := unknownVariables(flagNames(serveFlags())); len(unknown) > 0 {
				s.logger.Warn("unknown environment variables are ignored", "names", strings.Join(unknown, " "))
			}
			return serve(c.Context, s, c.Stdout)
		},
	}
}

// trimDelay keeps trimMemory out of the way of the first requests, which a
// script sends as soon as it has read the ready line.
const trimDelay = time.Second

// serve runs a server until a signal or the end of ctx, and prints the ready
// block on stdout once every listener is bound.
func serve(ctx context.Context, s *settings, stdout io.Writer) (failed error) {
	// Registered before anything is bound: a signal during the start must not
	// kill the process half way. Room for two, as the second one counts.
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	defer signal.Stop(signals)
	// s3ultra serve | head -1 must not end the server; a write to a closed
	// pipe is an error then, not a signal.
	signal.Ignore(syscall.SIGPIPE)

	nofile, err := raiseOpenFiles()
	if err != nil {
		s.logger.Warn("cannot raise the limit of open files", "limit", nofile, "err", err)
	}
	if s.config.MemoryLimit == 0 {
		s.logger.Warn("no memory limit: a full machine ends the server; set --memory-limit")
	}

	// Without a log to reopen the signal ends the server, as a closed terminal
	// should.
	hangups := make(chan os.Signal, 1)
	if path := s.config.AccessLog.Path; path != "" && path != "-" {
		signal.Notify(hangups, syscall.SIGHUP)
		defer signal.Stop(hangups)
	}
	srv, err := server.New(s.config)
	if err != nil {
		return startError(err)
	}
	// After the requests in flight; whoever is killed before loses nothing.
	defer func() {
		if err := srv.Close(); err != nil && failed == nil {
			failed = err
		}
	}()
	listeners, err := bind(s.listen)
	if err != nil {
		return err
	}
	defer closeAll(listeners)
	adminAddr, closeAdmin, err := s.startAdmin(srv)
	if err != nil {
		return err
	}
	defer closeAdmin()

	s.logStart(listeners, nofile)
	s.warnOfMemoryBuckets()
	stopped := make(chan error, len(listeners))
	for _, ln := range listeners {
		go func() { stopped <- srv.Serve(ln) }()
	}
	// A listener counts as up once its goroutine has begun; who has read the
	// ready line may ask a readiness probe at once.
	for srv.Ready() != nil && len(stopped) == 0 {
		time.Sleep(readyPoll)
	}
	r := newReadyInfo(s, listeners, nofile)
	r.admin = adminAddr
	r.datasets = srv.Datasets()
	if _, err := stdout.Write(r.appendBlock(nil, isTerminal(stdout))); err != nil {
		// Whoever started the server has stopped reading; clients have not.
		s.logger.Warn("cannot print the ready line", "err", err)
	}
	trim := time.AfterFunc(trimDelay, func() {
		if err := trimMemory(); err != nil {
			s.logger.Debug("memory of the start is kept", "err", err)
		}
	})
	defer trim.Stop()

	failed = s.wait(ctx, srv, signals, hangups, stopped)
	if err := drain(srv, s.shutdownTimeout, signals, s.logger); err != nil && failed == nil {
		failed = err
	}
	return failed
}

// wait returns when the server is to end: nil after a signal or the end of ctx.
// Hangups reopen the access log.
func (s *settings) wait(ctx context.Context, srv *server.Server, signals, hangups <-chan os.Signal, stopped <-chan error) error {
	for {
		select {
		case sig := <-signals:
			s.logger.Info("stopping", "signal", sig.String(), "timeout", s.shutdownTimeout.String())
			return nil
		case <-ctx.Done():
			s.logger.Info("stopping", "timeout", s.shutdownTimeout.String())
			return nil
		case err := <-stopped:
			// Serve returns nil only after Shutdown, and nobody has called that.
			return fmt.Errorf("cannot go on serving: %w", orClosed(err))
		case <-hangups:
			if err := srv.ReopenLogs(); err != nil {
				s.logger.Error("the access log goes on in the old file", "err", err)
				continue
			}
			s.logger.Info("the access log was reopened", "path", s.config.AccessLog.Path)
		}
	}
}

// startAdmin binds and serves the admin address. It returns the address, "" if
// there is none, and what closes it. Only an address that was asked for must
// be free: several servers on one machine share the default.
func (s *settings) startAdmin(srv *server.Server) (string, func(), error) {
	if s.adminListen == "" {
		return "", func() {}, nil
	}
	ln, err := net.Listen("tcp", s.adminListen)
	if err != nil {
		err = fmt.Errorf("cannot listen on %s for --admin-listen: %w", s.adminListen, bindError(err))
		if s.adminAsked {
			return "", nil, err
		}
		s.logger.Warn("there is no admin server; choose another address with --admin-listen, or off", "err", err)
		return "", func() {}, nil
	}
	admin := server.NewAdmin(srv)
	go func() {
		if err := admin.Serve(ln); err != nil {
			// Clients are served all the same.
			s.logger.Error("the admin server has ended", "err", err)
		}
	}()
	return ln.Addr().String(), func() { admin.Close() }, nil
}

// startError tells a faulty setting from a database that cannot be opened with
// settings that are right.
func startError(err error) error {
	for _, fault := range []error{store.ErrLocked, store.ErrDamaged, store.ErrMismatch, store.ErrMemoryLimit, store.ErrDiskFull, store.ErrPersist} {
		if errors.Is(err, fault) {
			return err
		}
	}
	var system syscall.Errno
	if errors.As(err, &system) {
		return err
	}
	return usagef("cannot start: %w", err)
}

// warnOfMemoryBuckets says what a restart will lose.
func (s *settings) warnOfMemoryBuckets() {
	c := s.config
	if c.DBPath == "" || c.PersistData {
		return
	}
	memory := c.Mode == store.Memory
	for _, b := range c.Buckets {
		memory = memory || b.Mode == store.Memory
	}
	if memory {
		s.logger.Warn("objects in memory buckets are not kept over a restart; see --persist-data", "db_path", c.DBPath)
	}
}

// orClosed names the cause when Serve ended without one.
func orClosed(err error) error {
	if err == nil {
		return net.ErrClosed
	}
	return err
}

// drain lets the requests in flight end, for at most timeout. A second signal
// ends the wait at once.
func drain(srv *server.Server, timeout time.Duration, signals <-chan os.Signal, logger *slog.Logger) error {
	// Not the caller's context, which may be what ended.
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- srv.Shutdown(ctx) }()
	select {
	case err := <-done:
		if errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("connections were still busy after %v and are cut off; see --shutdown-timeout", timeout)
		}
		if err != nil {
			return fmt.Errorf("cannot shut down: %w", err)
		}
		logger.Info("stopped")
		return nil
	case sig := <-signals:
		return fmt.Errorf("stopped at once by a second signal (%v); requests in flight are cut off", sig)
	}
}

// bind opens a listener for each address, or none.
func bind(addrs []string) ([]net.Listener, error) {
	listeners := make([]net.Listener, 0, len(addrs))
	for _, addr := range addrs {
		ln, err := net.Listen("tcp", addr)
		if err != nil {
			closeAll(listeners)
			return nil, fmt.Errorf("cannot listen on %s: %w", addr, bindCause(err))
		}
		listeners = append(listeners, ln)
	}
	return listeners, nil
}

// bindCause is bindError with what to do.
func bindCause(err error) error {
	err = bindError(err)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("%w; stop the other program or choose another port with --port", err)
	}
	return err
}

// bindError strips "listen tcp ...: bind:" from err, which would repeat the
// address.
func bindError(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		err = op.Err
	}
	var call *os.SyscallError
	if errors.As(err, &call) {
		err = call.Err
	}
	return err
}

func closeAll(listeners []net.Listener) {
	for _, ln := range listeners {
		ln.Close()
	}
}

// logStart logs the effective settings and warns of those that surprise later.
func (s *settings) logStart(listeners []net.Listener, nofile uint64) {
	addrs := make([]string, len(listeners))
	exposed := false
	for i, ln := range listeners {
		addrs[i] = ln.Addr().String()
		if tcp, ok := ln.Addr().(*net.TCPAddr); ok && !tcp.IP.IsLoopback() {
			exposed = true
		}
	}
	s.logger.Info("listening", "addresses", strings.Join(addrs, " "), "version", s.config.Version,
		"mode", s.config.Mode.String(), "seed", s.config.Seed, "pattern", s.config.Pattern.String(),
		"region", s.config.Region, "domains", strings.Join(s.config.Domains, " "), "auth", authState(s.config),
		"verify_payload", s.config.VerifyPayload, "max_skew", s.config.MaxSkew.String(), "keep_small", s.config.KeepSmall,
		"min_part_size", s.config.MinPartSize, "memory_limit", s.config.MemoryLimit, "db_path", s.config.DBPath, "open_files", nofile)
	if nofile > 0 && nofile < fewOpenFiles {
		s.logger.Warn("the limit of open files is low, each connection is one", "limit", nofile)
	}
	if n := readLimit(os.DirFS("/"), "proc/sys/net/core/somaxconn"); n > 0 && n < shortBacklog {
		s.logger.Warn("the queue of new connections is short, a burst of clients may be refused; raise net.core.somaxconn", "limit", n)
	}
	s.logMinio()
	if !exposed {
		return
	}
	switch {
	case len(s.config.Credentials) == 0:
		s.logger.Warn("there are no keys: everybody who reaches this address can read and write; set --access-key and --secret-key")
	case s.config.SkipSigVerify:
		s.logger.Warn("signatures are not checked: everybody who reaches this address can read and write")
	case slices.Contains(s.config.Credentials, minioDefaultPair()):
		s.logger.Warn("the key pair minioadmin/minioadmin is public: everybody who reaches this address can read and write")
	case s.demo:
		s.logger.Warn("the demo's key pair is public: everybody who reaches this address can read and write")
	}
}
