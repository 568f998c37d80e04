package bench

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"
)

// WriteTable writes the report for people: the machine, the floors, the loads,
// and what failed.
func (r *Report) WriteTable(w io.Writer) error {
	var b strings.Builder
	m := r.Machine
	fmt.Fprintf(&b, "s3ultra bench %s: %s, %d cores, %s, %s, GOMAXPROCS %d\n", r.Version, m.CPU, m.Cores, m.Kernel, m.Go, m.GOMAXPROCS)
	fmt.Fprintf(&b, "medians of %d rounds of %v, %v in all", r.Rounds, r.Duration, r.Elapsed.Round(time.Second))
	if r.Endpoint != "" {
		fmt.Fprintf(&b, "; endpoint is %s", r.Endpoint)
	}
	b.WriteString("\n\n")
	table := [][]string{{"load", "target", "conns", "throughput", "server CPU", "x floor", "p50", "p99", "p99.9"}}
	for i := range r.Rows {
		table = append(table, r.Rows[i].cells())
	}
	appendAligned(&b, table)
	for i := range r.Rows {
		if row := &r.Rows[i]; row.Failed > 0 {
			fmt.Fprintf(&b, "\nFAILED %s, %s, %d connections: %d requests; the first: %s", row.Title, row.Target, row.Connections, row.Failed, row.FirstFail)
		}
	}
	if r.Failed() > 0 {
		b.WriteByte('\n')
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("cannot write the table: %w", err)
	}
	return nil
}

// noFigure stands for what could not be measured.
const noFigure = "-"

func (r *Row) cells() []string {
	f := &r.Median
	throughput := fmt.Sprintf("%.2f GiB/s", f.BytesPerSecond/(1<<30))
	unit := " s/GiB"
	digits := 3
	if r.PerOp {
		throughput = fmt.Sprintf("%.0f /s", f.RequestsPerSecond)
		unit, digits = " us/op", 1
	}
	if f.RequestsPerSecond == 0 {
		throughput = noFigure
	}
	cost, times := noFigure, noFigure
	if c := f.cost(r.PerOp); c != nil {
		cost = fmt.Sprintf("%.*f%s", digits, *c, unit)
	}
	if f.Ratio != nil {
		times = fmt.Sprintf("%.2f", *f.Ratio)
	}
	return []string{
		r.Title, r.Target, fmt.Sprint(r.Connections), throughput, cost, times,
		latencyText(f.P50), latencyText(f.P99), latencyText(f.P999),
	}
}

// latencyText returns us microseconds with three significant digits; nothing
// takes none.
func latencyText(us float64) string {
	if us == 0 {
		return noFigure
	}
	unit := "us"
	if us >= 1000 {
		us, unit = us/1000, "ms"
	}
	if us >= 1000 {
		us, unit = us/1000, "s"
	}
	switch {
	case us >= 100:
		return fmt.Sprintf("%.0f %s", us, unit)
	case us >= 10:
		return fmt.Sprintf("%.1f %s", us, unit)
	default:
		return fmt.Sprintf("%.2f %s", us, unit)
	}
}

// appendAligned writes the table with the first two columns to the left and
// the figures to the right.
func appendAligned(b *strings.Builder, table [][]string) {
	widths := make([]int, len(table[0]))
	for _, cells := range table {
		for i, c := range cells {
			widths[i] = max(widths[i], utf8.RuneCountInString(c))
		}
	}
	for _, cells := range table {
		var line strings.Builder
		for i, c := range cells {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(c))
			if i > 0 {
				line.WriteString("  ")
			}
			if i < 2 {
				line.WriteString(c + pad)
			} else {
				line.WriteString(pad + c)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}
