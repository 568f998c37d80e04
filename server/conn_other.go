//go:build !linux

package server

// outgoing and incoming hold nothing where the shortcuts do not exist.
type (
	outgoing struct{ step func(fd uintptr) bool }
	incoming struct{ step func(fd uintptr) bool }
)

// writeBody writes head and then all of body.
func (c *conn) writeBody(head []byte, body blocks) error {
	defer body.park()
	if _, err := c.write(head); err != nil {
		return err
	}
	for block := body.block(); len(block) > 0; block = body.block() {
		n, err := c.write(block)
		body.advance(n)
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *conn) writeStep(uintptr) bool { return true }
func (c *conn) readStep(uintptr) bool  { return true }

// watchedWrite is how much is written at once where the connection is watched:
// what a slow client takes in well below any sensible limit.
const watchedWrite = 16 << 10

func (c *conn) write(p []byte) (n int, err error) {
	if c.watch == nil {
		return c.TCPConn.Write(p)
	}
	for n < len(p) && err == nil {
		var m int
		c.waitToWrite(true)
		m, err = c.TCPConn.Write(p[n:min(n+watchedWrite, len(p))])
		c.waited()
		n += m
	}
	return n, err
}

func (c *conn) read(p []byte) (int, error) {
	c.waitToRead()
	n, err := c.TCPConn.Read(p)
	c.waited()
	c.received(p[:n])
	return n, err
}

// ackedBytes is not known here.
func (c *conn) ackedBytes() (n int64, ok bool) { return 0, false }

// discardSpace is empty: bodies are read and dropped in user space.
var discardSpace []byte

func isDiscardSpace([]byte) bool { return false }
