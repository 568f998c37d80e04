package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"
)

// Report is the outcome of a run; its JSON form is what --json prints. Later
// versions may add fields.
type Report struct {
	Machine  Machine       `json:"machine"`
	Version  string        `json:"version"`
	Endpoint string        `json:"endpoint,omitempty"`
	Rounds   int           `json:"rounds"`
	Duration time.Duration `json:"duration_ns"` // of each measurement
	Elapsed  time.Duration `json:"elapsed_ns"`  // of all rounds
	Rows     []Row         `json:"rows"`
}

// Row is one line: a floor, or a load against a target. Medians are over the
// rounds, each figure by itself.
type Row struct {
	Load        string  `json:"load"` // a name of LoadNames, or floor:KIND
	Title       string  `json:"title"`
	Target      string  `json:"target"` // floor, synth, memory or endpoint
	Floor       string  `json:"floor,omitempty"`
	Connections int     `json:"connections"`
	PerOp       bool    `json:"per_op"` // costs count by request, else by byte
	Median      Figures `json:"median"`
	// Failed requests of all rounds, and why the first did.
	Failed    int64   `json:"failed"`
	FirstFail string  `json:"first_failure,omitempty"`
	Samples   []Round `json:"rounds"`
}

// Figures are what is measured. Nil is what could not be: CPU times of a
// process whose id is unknown, costs without any reply.
type Figures struct {
	BytesPerSecond    float64  `json:"bytes_per_second"`
	RequestsPerSecond float64  `json:"requests_per_second"`
	CPUPerGiB         *float64 `json:"server_cpu_seconds_per_gib,omitempty"`
	CPUPerOp          *float64 `json:"server_cpu_us_per_op,omitempty"`
	Ratio             *float64 `json:"ratio_to_floor,omitempty"`
	ClientCPUPerOp    *float64 `json:"client_cpu_us_per_op,omitempty"`
	P50               float64  `json:"p50_us"`
	P99               float64  `json:"p99_us"`
	P999              float64  `json:"p999_us"`
	Max               float64  `json:"max_us"`
}

// Round is one measurement.
type Round struct {
	Figures
	Seconds   float64  `json:"seconds"`
	Requests  int64    `json:"requests"`
	Bytes     int64    `json:"bytes"`
	Failed    int64    `json:"failed"`
	ServerCPU *float64 `json:"server_cpu_seconds,omitempty"`
	ClientCPU float64  `json:"client_cpu_seconds"`
}

// Failed returns the number of failed requests of all rows.
func (r *Report) Failed() int64 {
	var n int64
	for i := range r.Rows {
		n += r.Rows[i].Failed
	}
	return n
}

// WriteJSON writes the report as one indented JSON document.
func (r *Report) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	if err := e.Encode(r); err != nil {
		return fmt.Errorf("cannot write the report: %w", err)
	}
	return nil
}

func (r *runner) report(elapsed time.Duration) *Report {
	report := &Report{
		Machine: readMachine(), Version: r.cfg.Version, Endpoint: r.cfg.Endpoint,
		Rounds: r.cfg.Rounds, Duration: r.cfg.Duration, Elapsed: elapsed,
	}
	for _, line := range r.rows {
		report.Rows = append(report.Rows, line.result())
	}
	return report
}

// result works out the figures of a row.
func (l *row) result() Row {
	f := floors()[l.floor]
	out := Row{Load: "floor:" + string(l.floor), Title: f.title, Target: "floor", Connections: l.conns, PerOp: f.perOp}
	measured := true
	if l.load != nil {
		out.Load, out.Title, out.Target, out.PerOp = l.load.name, l.load.title, l.target.name, l.load.perOp
		measured = l.target.clock != nil
	}
	if l.base != nil {
		out.Floor = string(l.floor)
	}
	for i, s := range l.samples {
		r := s.round(measured)
		if l.base != nil {
			b := l.base.samples[i].round(true)
			r.Ratio = ratio(r.cost(out.PerOp), b.cost(out.PerOp))
		}
		out.Samples = append(out.Samples, r)
		out.Failed += s.failed
		if out.FirstFail == "" && s.firstFail != nil {
			out.FirstFail = s.firstFail.Error()
		}
	}
	out.Median = medians(out.Samples)
	return out
}

// round works out the figures of one measurement; measured tells that there
// was a clock for the server.
func (s *sample) round(measured bool) Round {
	micro := func(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
	r := Round{
		Seconds: s.elapsed.Seconds(), Requests: s.requests, Bytes: s.bytes, Failed: s.failed,
		ClientCPU: s.clientCPU.Seconds(),
	}
	r.P50, r.P99, r.P999, r.Max = micro(s.latency.quantile(0.5)), micro(s.latency.quantile(0.99)), micro(s.latency.quantile(0.999)), micro(s.latency.max)
	if r.Seconds > 0 {
		r.BytesPerSecond = float64(s.bytes) / r.Seconds
		r.RequestsPerSecond = float64(s.requests) / r.Seconds
	}
	per := func(cpu float64, n int64) *float64 {
		if n == 0 {
			return nil
		}
		v := cpu / float64(n)
		return &v
	}
	r.ClientCPUPerOp = per(micro(s.clientCPU), s.requests)
	if measured && s.serverCPU > 0 {
		cpu := s.serverCPU.Seconds()
		r.ServerCPU = &cpu
		r.CPUPerGiB = per(cpu*(1<<30), s.bytes)
		r.CPUPerOp = per(micro(s.serverCPU), s.requests)
	}
	return r
}

// cost is what a row is compared by.
func (f *Figures) cost(perOp bool) *float64 {
	if perOp {
		return f.CPUPerOp
	}
	return f.CPUPerGiB
}

func ratio(a, b *float64) *float64 {
	if a == nil || b == nil || *b == 0 {
		return nil
	}
	v := *a / *b
	return &v
}

// medians returns the median of each figure over the rounds that have it.
func medians(rounds []Round) Figures {
	value := func(get func(*Figures) float64) float64 {
		v := median(rounds, func(f *Figures) *float64 { x := get(f); return &x })
		if v == nil {
			return 0
		}
		return *v
	}
	pointer := func(get func(*Figures) *float64) *float64 { return median(rounds, get) }
	return Figures{
		BytesPerSecond:    value(func(f *Figures) float64 { return f.BytesPerSecond }),
		RequestsPerSecond: value(func(f *Figures) float64 { return f.RequestsPerSecond }),
		CPUPerGiB:         pointer(func(f *Figures) *float64 { return f.CPUPerGiB }),
		CPUPerOp:          pointer(func(f *Figures) *float64 { return f.CPUPerOp }),
		Ratio:             pointer(func(f *Figures) *float64 { return f.Ratio }),
		ClientCPUPerOp:    pointer(func(f *Figures) *float64 { return f.ClientCPUPerOp }),
		P50:               value(func(f *Figures) float64 { return f.P50 }),
		P99:               value(func(f *Figures) float64 { return f.P99 }),
		P999:              value(func(f *Figures) float64 { return f.P999 }),
		Max:               value(func(f *Figures) float64 { return f.Max }),
	}
}

func median(rounds []Round, get func(*Figures) *float64) *float64 {
	var values []float64
	for i := range rounds {
		if v := get(&rounds[i].Figures); v != nil {
			values = append(values, *v)
		}
	}
	if len(values) == 0 {
		return nil
	}
	slices.Sort(values)
	m := (values[(len(values)-1)/2] + values[len(values)/2]) / 2
	return &m
}
