//go:build !race

package bench

import "testing"

// The load generator allocates nothing for a request, so that its garbage
// collector never runs beside the server.
func TestWireAllocatesNothing(t *testing.T) {
	f := func(name string, x exchange) {
		t.Helper()
		w := &wire{address: cannedServer(t, int(x.length))}
		defer w.close()
		if err := w.do(t.Context(), &x); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		ctx := t.Context()
		if n := testing.AllocsPerRun(100, func() {
			if err := w.do(ctx, &x); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}); n != 0 {
			t.Errorf("%s: unexpected allocations; got %v a request; want 0", name, n)
		}
	}
	f("GET 4 KiB", staticGet("h", 4*kib))
	f("GET 1 MiB", staticGet("h", mib))
	f("PUT 512 KiB", staticPut("h", make([]byte, blockSize), 2*blockSize))
	var h histogram
	if n := testing.AllocsPerRun(100, func() { h.record(12345) }); n != 0 {
		t.Errorf("unexpected allocations of a record; got %v; want 0", n)
	}
}
