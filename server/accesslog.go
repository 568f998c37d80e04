package server

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/zstd"
)

// AccessLogConfig says where and how requests are logged.
type AccessLogConfig struct {
	// Path is a file that lines are appended to, "-" for Output, "" for no
	// access log. What ends in .zst is compressed by zstd, a frame for each
	// time the file is opened.
	Path   string
	Format AccessLogFormat
	Output io.Writer
}

// AccessLogFormat is the form of a line of the access log.
type AccessLogFormat uint8

const (
	// AccessLogS3 is AWS's server access log layout.
	AccessLogS3 AccessLogFormat = iota
	// AccessLogJSON is one JSON object a line.
	AccessLogJSON
	// AccessLogOpLog is the table that warp, s3dlio and sai3-bench record and
	// replay.
	AccessLogOpLog
)

// String is the name of the format.
func (f AccessLogFormat) String() string { return [...]string{"s3", "json", "oplog"}[f] }

// ErrAccessLogFormat is returned for the name of no format.
var ErrAccessLogFormat = errors.New("want s3, json or oplog")

// ParseAccessLogFormat reads the name of a format.
func ParseAccessLogFormat(s string) (AccessLogFormat, error) {
	switch s {
	case "s3":
		return AccessLogS3, nil
	case "json":
		return AccessLogJSON, nil
	case "oplog":
		return AccessLogOpLog, nil
	}
	return 0, ErrAccessLogFormat
}

const (
	// accessLogQueue is how many requests may wait for the writer: at 100,000
	// requests a second the time that a disk's hiccup takes, in at most 8 MiB
	// (more only for DeleteObjects of many keys, which no client sends so fast).
	accessLogQueue = 16 << 10
	// accessLogBuffer is written in one piece.
	accessLogBuffer = 64 << 10
	// accessLogDelay bounds how old a line is before others can read it.
	accessLogDelay = 500 * time.Millisecond
)

// accessLog writes one line for each request, in a goroutine of its own. A
// request hands over its account and goes on; when the writer is behind, the
// line is dropped and counted.
type accessLog struct {
	cfg     AccessLogConfig
	format  func(dst []byte, x *exchange) []byte // nothing for requests that have no line
	header  string                               // first line of a file
	log     *slog.Logger
	queue   chan *exchange
	reopens chan chan error
	quit    chan struct{}
	stopped chan struct{}
	stop    sync.Once

	written, dropped atomic.Uint64 // lines

	// Of the writer alone.
	file *os.File // nil: cfg.Output
	zip  *zstd.Encoder
	out  *bufio.Writer
	text []byte
	wet  bool // there are lines that others cannot read yet
	sick bool // the last write failed
}

// newAccessLog opens the log; nil without a path.
func newAccessLog(s *Server, cfg AccessLogConfig) (*accessLog, error) {
	if cfg.Path == "" {
		return nil, nil
	}
	a := &accessLog{
		cfg: cfg, log: s.cfg.Logger,
		queue: make(chan *exchange, accessLogQueue), reopens: make(chan chan error),
		quit: make(chan struct{}), stopped: make(chan struct{}),
	}
	switch cfg.Format {
	case AccessLogJSON:
		a.format = appendJSONLine
	case AccessLogOpLog:
		o := &opLog{}
		a.format, a.header = o.appendLine, opLogHeader
	default:
		a.format = s.appendS3Line
	}
	if err := a.open(); err != nil {
		return nil, fmt.Errorf("cannot open the access log: %w", err)
	}
	go a.run()
	return a, nil
}

// submit gives a closed account to the writer. It never waits.
func (a *accessLog) submit(x *exchange) {
	select {
	case a.queue <- x:
	default:
		a.dropped.Add(1)
		x.release()
	}
}

// reopen closes the file and opens its path again, as after a rotation. It
// returns once that is done.
func (a *accessLog) reopen() error {
	if a.cfg.Path == "-" {
		return nil
	}
	result := make(chan error, 1)
	select {
	case a.reopens <- result:
		return <-result
	case <-a.stopped:
		return os.ErrClosed
	}
}

// close writes what is queued and closes the file.
func (a *accessLog) close() {
	a.stop.Do(func() { close(a.quit) })
	<-a.stopped
}

// run is the writer.
func (a *accessLog) run() {
	defer close(a.stopped)
	tick := time.NewTicker(accessLogDelay)
	defer tick.Stop()
	for {
		select {
		case x := <-a.queue:
			a.write(x)
		case result := <-a.reopens:
			a.drain()
			result <- a.swap()
		case <-tick.C:
			a.flush()
		case <-a.quit:
			a.drain()
			a.report(a.shut())
			return
		}
	}
}

// drain writes what is queued now.
func (a *accessLog) drain() {
	for range len(a.queue) {
		a.write(<-a.queue)
	}
}

func (a *accessLog) write(x *exchange) {
	a.text = a.format(a.text[:0], x)
	x.release()
	if len(a.text) == 0 {
		return
	}
	if _, err := a.out.Write(a.text); err != nil {
		a.dropped.Add(1)
		a.report(err)
		return
	}
	a.written.Add(1)
	a.wet = true
}

// flush makes what was written readable for others.
func (a *accessLog) flush() {
	if !a.wet {
		return
	}
	a.wet = false
	err := a.out.Flush()
	if err == nil && a.zip != nil {
		err = a.zip.Flush()
	}
	a.report(err)
	if err != nil {
		a.restart()
	}
}

// report logs the first of a row of failures.
func (a *accessLog) report(err error) {
	if err != nil && !a.sick {
		a.log.Error("cannot write the access log", "path", a.cfg.Path, "err", err)
	}
	a.sick = err != nil
}

// restart lets the writer go on after a failure (a full disk): bufio.Writer
// keeps its first error for ever.
func (a *accessLog) restart() {
	if a.zip != nil {
		a.zip.Reset(a.file)
		a.out.Reset(a.zip)
		return
	}
	a.out.Reset(a.sink())
}

func (a *accessLog) sink() io.Writer {
	if a.file == nil {
		return a.cfg.Output
	}
	return a.file
}

// open opens the path and writes the header if the file is new.
func (a *accessLog) open() error {
	empty := true
	if a.cfg.Path != "-" {
		// Readable by the group, as log shippers need; keys are no secrets.
		f, err := os.OpenFile(a.cfg.Path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o640)
		if err != nil {
			return err
		}
		if info, err := f.Stat(); err == nil {
			empty = info.Size() == 0
		}
		a.file, a.zip = f, nil
	}
	if a.out == nil {
		a.out = bufio.NewWriterSize(nil, accessLogBuffer)
	}
	a.out.Reset(a.sink())
	if strings.HasSuffix(a.cfg.Path, ".zst") {
		// One goroutine and the fastest level: the log must cost little, and
		// its lines are much alike.
		zip, err := zstd.NewWriter(a.file, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true))
		if err != nil {
			a.file.Close()
			return err
		}
		a.zip = zip
		a.out.Reset(zip)
	}
	if empty && a.header != "" {
		a.wet = true
		if _, err := a.out.WriteString(a.header); err != nil {
			return err
		}
	}
	return nil
}

// shut flushes and closes the file.
func (a *accessLog) shut() error {
	err := a.out.Flush()
	if a.zip != nil {
		err = errors.Join(err, a.zip.Close())
	}
	if a.file != nil {
		err = errors.Join(err, a.file.Close())
	}
	return err
}

// swap closes the file and opens the path anew. If that fails the old file
// stays in use.
func (a *accessLog) swap() error {
	file, zip := a.file, a.zip
	a.report(a.out.Flush())
	if err := a.open(); err != nil {
		a.file, a.zip = file, zip
		a.restart()
		return fmt.Errorf("cannot reopen the access log: %w", err)
	}
	if zip != nil {
		a.report(zip.Close())
	}
	a.report(file.Close())
	return nil
}
