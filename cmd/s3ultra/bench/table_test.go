package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// testReport is a report whose figures are known: two rounds of three rows.
func testReport(t *testing.T) *Report {
	t.Helper()
	at := func(requests, size int64, cpu, elapsed, latency time.Duration) *sample {
		s := &sample{elapsed: elapsed, requests: requests, bytes: requests * size, serverCPU: cpu, clientCPU: cpu / 2}
		for range requests {
			s.latency.record(latency)
		}
		return s
	}
	local := &target{name: "synth", clock: new(cpuClock)}
	remote := &target{name: "endpoint"}
	named := func(name string) *load {
		l, err := selectLoads([]string{name})
		if err != nil {
			t.Fatal(err)
		}
		return &l[0]
	}
	r := &runner{cfg: Config{Version: "v1.2.3", Rounds: 2, Duration: 400 * time.Millisecond, Endpoint: "http://10.0.0.7:9000"}}
	write := &row{floor: floorWrite, conns: 8, samples: []*sample{
		at(64, 32*mib, 400*time.Millisecond, 500*time.Millisecond, 62*time.Millisecond),
		at(32, 32*mib, 200*time.Millisecond, 500*time.Millisecond, 62*time.Millisecond),
	}}
	get := &row{floor: floorWrite, load: named("get-8m"), target: local, conns: 8, base: write, samples: []*sample{
		at(256, 8*mib, 500*time.Millisecond, 400*time.Millisecond, 12500*time.Microsecond),
		at(128, 8*mib, 300*time.Millisecond, 400*time.Millisecond, 12500*time.Microsecond),
	}}
	small := &row{floor: floorHead, load: named("head"), target: remote, conns: 2048, samples: []*sample{
		at(40000, 0, 0, 400*time.Millisecond, 612*time.Microsecond),
		at(20000, 0, 0, 400*time.Millisecond, 812*time.Microsecond),
	}}
	for _, s := range small.samples {
		s.failed, s.firstFail = 3, errors.New("the server answered 503 SlowDown")
	}
	none := &row{floor: floorWrite, load: named("get-1m"), target: local, conns: 1, base: write, samples: []*sample{{}, {}}}
	r.rows = []*row{write, get, none, small}
	report := r.report(61 * time.Second)
	report.Machine = Machine{CPU: "Some CPU @ 2.10GHz", Cores: 2, Kernel: "Linux 6.18.0", Go: "go1.26.0", GOMAXPROCS: 2}
	return report
}

func TestTable(t *testing.T) {
	var got bytes.Buffer
	if err := testReport(t).WriteTable(&got); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join("testdata", "table.golden"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("unexpected table; got\n%s\nwant\n%s", &got, want)
	}
}

// The JSON form has the medians and every round, and can be read back.
func TestJSON(t *testing.T) {
	report := testReport(t)
	var text bytes.Buffer
	if err := report.WriteJSON(&text); err != nil {
		t.Fatal(err)
	}
	var back Report
	if err := json.Unmarshal(text.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	f := func(name string, got *float64, want float64) {
		t.Helper()
		if got == nil || *got < want*0.999 || *got > want*1.001 {
			t.Errorf("unexpected %s; got %v; want %v", name, got, want)
		}
	}
	get := back.Rows[1]
	f("median cost", get.Median.CPUPerGiB, 0.275)
	f("median ratio", get.Median.Ratio, 1.375)
	f("ratio of round 1", get.Samples[0].Ratio, 1.25)
	f("ratio of round 2", get.Samples[1].Ratio, 1.5)
	f("CPU time of round 2", get.Samples[1].ServerCPU, 0.3)
	f("throughput", &get.Median.BytesPerSecond, 3.75*(1<<30))
	if small := back.Rows[3]; small.Median.CPUPerOp != nil || small.Median.Ratio != nil || back.Failed() != 6 {
		t.Errorf("unexpected figures without a clock: %+v, %d failed", small.Median, back.Failed())
	}
}
