package main

import (
	"fmt"
	"io"
	"sync/atomic"
	"time"
)

// progress shows on a terminal how far a long command is. It is used by one
// goroutine but for the reader.
type progress struct {
	out   io.Writer    // nil: nobody looks
	total int64        // bytes of the input, 0 if unknown
	read  atomic.Int64 // of these
	count int64
	start time.Time
	shown time.Time
}

func newProgress(out io.Writer, total int64) *progress {
	p := &progress{total: total, start: time.Now()}
	if isTerminal(out) {
		p.out = out
	}
	return p
}

// reader counts what is read of the input.
func (p *progress) reader(r io.Reader) io.Reader { return &progressReader{r, p} }

type progressReader struct {
	io.Reader
	p *progress
}

func (r *progressReader) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	r.p.read.Add(int64(n))
	return n, err
}

// add counts an object.
func (p *progress) add() {
	p.count++
	// The clock is looked at now and then only.
	if p.out == nil || p.count%4096 != 0 || time.Since(p.shown) < progressPause {
		return
	}
	p.shown = time.Now()
	p.show()
}

func (p *progress) show() {
	part := ""
	if p.total > 0 {
		part = fmt.Sprintf("%d%%, ", 100*p.read.Load()/p.total)
	}
	fmt.Fprintf(p.out, "\r%s%d objects, %.0f/s ", part, p.count, float64(p.count)/time.Since(p.start).Seconds())
}

// end finishes the line.
func (p *progress) end() {
	if p.out != nil && p.count > 0 {
		p.show()
		fmt.Fprintln(p.out)
	}
}
