package server

import (
	"errors"
	"log/slog"
	"net"
	"syscall"
	"time"
)

// patientListener makes conns of TCP connections, and waits out a shortage of file descriptors or memory, which
// fasthttp takes for the end of the listener (EMFILE would stop the server).
type patientListener struct {
	net.Listener
	log        *slog.Logger
	metrics    *metrics
	sendBuffer int64      // see Config
	watch      *connWatch // nil: none
}

const (
	// firstAcceptDelay and maxAcceptDelay are the bounds that net/http backs
	// off between when accept fails.
	firstAcceptDelay = 5 * time.Millisecond
	maxAcceptDelay   = time.Second
)

func (l *patientListener) Accept() (net.Conn, error) {
	delay := firstAcceptDelay
	for {
		c, err := l.Listener.Accept()
		if tcp, ok := c.(*net.TCPConn); ok && err == nil {
			boundSend(tcp, l.sendBuffer)
			return newConn(tcp, l.metrics, l.watch)
		}
		if err == nil || !isShortage(err) {
			return c, err
		}
		l.log.Warn("cannot accept a connection, waiting", "error", err, "delay", delay)
		time.Sleep(delay)
		delay = min(2*delay, maxAcceptDelay)
	}
}

func isShortage(err error) bool {
	for _, e := range [...]error{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
