package bench

import (
	"bufio"
	"io"
	"strings"
	"testing"
)

// startFloor runs a floor in this process and returns its address.
func startFloor(t *testing.T, kind string) string {
	t.Helper()
	stdin, endStdin := io.Pipe()
	lines, stdout := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- ServeFloor(kind, stdin, stdout) }()
	t.Cleanup(func() {
		endStdin.Close()
		if err := <-ended; err != nil {
			t.Errorf("unexpected end of the floor %s: %v", kind, err)
		}
	})
	address, err := bufio.NewReader(lines).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(address)
}

// Every floor answers what its exchange expects.
func TestFloors(t *testing.T) {
	block := make([]byte, blockSize)
	addresses := map[string]string{}
	for kind, f := range floors() {
		address := addresses[f.process]
		if address == "" {
			address = startFloor(t, f.process)
			addresses[f.process] = address
		}
		x := []exchange{f.make(floorAsk{host: address, conns: 2, block: block, page: 300_000})}
		var conns []*connection
		for range 2 {
			conns = append(conns, &connection{wire: &wire{address: address}, exchanges: x})
		}
		s, err := measure(t.Context(), conns, ownCPUClock(), testDuration/2)
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		if s.failed > 0 || s.requests < 2 || s.bytes != s.requests*x[0].payload {
			t.Errorf("%s: unexpected sample; got %d requests, %d bytes, %d failed (%v)", kind, s.requests, s.bytes, s.failed, s.firstFail)
		}
	}
	for _, l := range loads() {
		if _, ok := floors()[l.floor]; !ok {
			t.Errorf("the floor %q of %s does not exist", l.floor, l.name)
		}
	}
	if err := ServeFloor("none", strings.NewReader(""), io.Discard); err == nil {
		t.Error("unexpected floor called none; want an error")
	}
}
