//go:build !linux

package bench

// dropping holds the buffer that dropped bytes go through where the kernel
// cannot drop them.
type dropping struct {
	buf []byte
}

func (d *dropping) init() {
	if d.buf == nil {
		d.buf = make([]byte, blockSize)
	}
}

// dropKernel reads n bytes off the connection and drops them.
func (w *wire) dropKernel(n int64) error {
	for n > 0 {
		m, err := w.conn.Read(w.drop.buf[:min(n, blockSize)])
		n -= int64(m)
		if err != nil && n > 0 {
			return unexpectedEOF(err)
		}
	}
	return nil
}
