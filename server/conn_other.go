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
	if _, err := c.TCPConn.Write(head); err != nil {
		return err
	}
	for block := body.block(); len(block) > 0; block = body.block() {
		n, err := c.TCPConn.Write(block)
		body.advance(n)
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *conn) writeStep(uintptr) bool { return true }
func (c *conn) readStep(uintptr) bool  { return true }

func (c *conn) write(p []byte) (int, error) { return c.TCPConn.Write(p) }
func (c *conn) read(p []byte) (int, error)  { return c.TCPConn.Read(p) }

// discardSpace is empty: bodies are read and dropped in user space.
var discardSpace []byte

func isDiscardSpace([]byte) bool { return false }
