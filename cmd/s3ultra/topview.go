package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/s3ultra/s3ultra/server"
)

const (
	// topSamples is as far as the bars reach on the widest terminal.
	topSamples = 300
	// plainWidth and plainHeight are for output that is no terminal: lines
	// that fit a mail, and all of the lists.
	plainWidth  = 132
	plainHeight = 1000
	// labelWidth and valueWidth are the columns left of the bars.
	labelWidth, valueWidth = 10, 14
)

// The marks of a terminal (ECMA-48, SGR).
const (
	styleBold  = "\x1b[1m"
	styleDim   = "\x1b[2m"
	styleRed   = "\x1b[31m"
	styleGreen = "\x1b[32m"
	styleEnd   = "\x1b[0m"
)

// topView is what s3ultra top shows.
type topView struct {
	host    string
	stats   server.Stats
	samples []server.Sample // oldest first
	failed  error           // of the last question; nil: stats is the present
}

// topPage collects lines.
type topPage struct {
	width  int
	styled bool
	lines  []string
}

// appendPlain appends the state as text.
func (v *topView) appendPlain(dst []byte) []byte {
	for _, line := range v.lines(plainWidth, plainHeight, false) {
		dst = append(append(dst, strings.TrimRight(line, " ")...), '\n')
	}
	return dst
}

// lines returns at most height lines of at most width columns.
func (v *topView) lines(width, height int, styled bool) []string {
	p := &topPage{width: width, styled: styled}
	v.head(p)
	v.rates(p)
	v.lists(p, height)
	return p.lines[:min(len(p.lines), height)]
}

// add appends a line of cells, each a style and a text, cut to the width.
func (p *topPage) add(cells ...string) {
	var b strings.Builder
	room := p.width
	for i := 0; i+1 < len(cells) && room > 0; i += 2 {
		text := cut(cells[i+1], room)
		room -= utf8.RuneCountInString(text)
		if p.styled && cells[i] != "" {
			text = cells[i] + text + styleEnd
		}
		b.WriteString(text)
	}
	p.lines = append(p.lines, b.String())
}

func (v *topView) head(p *topPage) {
	s := &v.stats
	state, style := "live", styleGreen
	switch {
	case v.failed != nil:
		state, style = "disconnected, trying again", styleRed
	case !s.Ready:
		state, style = "not ready", styleRed
	}
	clock := ""
	if s.Now.Number > 0 {
		clock = "  " + time.UnixMilli(s.Now.Time).Local().Format(time.TimeOnly)
	}
	p.add(styleBold, "s3ultra", "", fmt.Sprintf(" %s  %s  up %s  ", printable(s.Version), v.host, spanText(s.Uptime)), style, state, "", clock)
	if v.failed != nil {
		p.add(styleRed, printable(v.failed.Error()))
	}
	p.add()
}

// rates shows the numbers of the last second, with bars of the time before.
func (v *topView) rates(p *topPage) {
	s, now := &v.stats, &v.stats.Now
	bars := max(0, min(topSamples, p.width-labelWidth-valueWidth-2))
	row := func(style, label, value string, of func(*server.Sample) float64) {
		p.add(styleDim, pad(label, labelWidth), style, pad(value, valueWidth), styleGreen, "  "+v.bars(bars, of))
	}
	row(styleBold, "out", byteText(now.Sent)+"/s", func(s *server.Sample) float64 { return s.Sent })
	row(styleBold, "in", byteText(now.Received)+"/s", func(s *server.Sample) float64 { return s.Received })
	row(styleBold, "requests", countText(now.Requests)+"/s", func(s *server.Sample) float64 { return s.Requests })
	row(styleBold, "p99", latencyText(now.Latency.P99), func(s *server.Sample) float64 { return s.Latency.P99 })
	row(styleBold, "CPU", fmt.Sprintf("%.1f %%", now.CPU/float64(max(1, s.Processors))*100), func(s *server.Sample) float64 { return s.CPU })
	p.add()
	errors := ""
	if now.Errors > 0 {
		errors = styleRed
	}
	p.add(styleDim, "latency p50 ", "", latencyText(now.Latency.P50), styleDim, "  p99 ", "", latencyText(now.Latency.P99),
		styleDim, "  first byte p50 ", "", latencyText(now.TTFB.P50), styleDim, "   errors ", errors, countText(now.Errors)+"/s")
	p.add(styleDim, "connections ", "", countText(float64(now.Connections)), styleDim, "  in flight ", "", countText(float64(now.Inflight)),
		styleDim, "   processors ", "", fmt.Sprintf("%.2f of %d", now.CPU, s.Processors))
	limit := "no limit"
	if s.Memory.Limit > 0 {
		limit = fmt.Sprintf("%.1f %% of %s", float64(s.Memory.Used)/float64(s.Memory.Limit)*100, byteText(float64(s.Memory.Limit)))
	}
	p.add(styleDim, "memory stored ", "", byteText(float64(s.Memory.Used)), styleDim, ", ", "", limit,
		styleDim, "   process ", "", byteText(float64(s.Memory.Resident)))
}

// bars draws the last n samples, the newest at the right, as high as the
// highest of them.
func (v *topView) bars(n int, of func(*server.Sample) float64) string {
	steps := []rune(" ▁▂▃▄▅▆▇█")
	shown := v.samples[max(0, len(v.samples)-n):]
	top := 0.0
	for i := range shown {
		top = max(top, of(&shown[i]))
	}
	out := []rune(strings.Repeat(" ", n-len(shown)))
	for i := range shown {
		step := 0
		if x := of(&shown[i]); x > 0 {
			// What is not nothing is seen.
			step = max(1, int(x/top*float64(len(steps)-1)+0.5))
		}
		out = append(out, steps[step])
	}
	return string(out)
}

// topList is one of the lists below the rates.
type topList struct {
	title   string
	columns []topColumn
	rows    [][]string
	total   int64
	alarm   bool // its rows are bad news
}

// topColumn is a column of a list; the last one may take the rest of the line.
type topColumn struct {
	title string
	width int  // 0: the rest
	right bool // aligned
}

// columnGap is between two columns.
const columnGap = 2

// listFrame is the lines of a list beside its rows: an empty one and the
// columns' titles.
const listFrame = 2

// lists shows operations, errors, buckets and uploads in the lines that are
// left.
func (v *topView) lists(p *topPage, height int) {
	all := slices.DeleteFunc([]topList{v.operations(), v.errors(), v.buckets(), v.uploads()}, func(l topList) bool { return len(l.rows) == 0 })
	left := height - len(p.lines)
	// The first ones tell most; and a list without a row tells nothing, so it
	// gets two lines, of which one may have to tell of more.
	var needs []int
	for least := 0; len(needs) < len(all); {
		need := all[len(needs)].need()
		if least += listFrame + min(need, 2); least > left {
			break
		}
		needs = append(needs, need)
	}
	for i, room := range share(left-listFrame*len(needs), needs) {
		all[i].show(p, room)
	}
}

// share divides room: nobody gets more than it needs, and what those with
// small needs leave goes to the others in equal parts.
func share(room int, needs []int) []int {
	order := make([]int, len(needs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return needs[a] - needs[b] })
	parts := make([]int, len(needs))
	for k, i := range order {
		parts[i] = min(needs[i], room/(len(order)-k))
		room -= parts[i]
	}
	return parts
}

// need is how many lines the rows take, with the one that tells of more.
func (l *topList) need() int {
	if int64(len(l.rows)) < l.total {
		return len(l.rows) + 1
	}
	return len(l.rows)
}

// fit leaves out the columns at the end that the width does not hold whole: half
// a number is a wrong one.
func (l *topList) fit(width int) {
	for i, c := range l.columns {
		if width -= c.width; width < 0 && c.right {
			l.columns = l.columns[:i]
			return
		}
		width -= columnGap
	}
}

func (l *topList) show(p *topPage, room int) {
	l.fit(p.width)
	p.add()
	cells := []string{}
	for i, c := range l.columns {
		title := c.title
		if i == 0 {
			title = l.title
		}
		cells = append(cells, styleDim, l.cell(i, title))
	}
	p.add(cells...)
	n := len(l.rows)
	if l.need() > room {
		n = room - 1
	}
	for _, row := range l.rows[:n] {
		cells := cells[:0]
		for i, text := range row[:len(l.columns)] {
			style := ""
			if l.alarm && i == 1 {
				style = styleRed
			}
			cells = append(cells, style, l.cell(i, text))
		}
		p.add(cells...)
	}
	if int64(n) < l.total {
		p.add(styleDim, fmt.Sprintf("  and %s more", wholeText(l.total-int64(n))))
	}
}

// cell returns a text in the width of its column, with the space before the next
// one.
func (l *topList) cell(i int, text string) string {
	c := l.columns[i]
	if c.width == 0 {
		return text
	}
	text = cut(text, c.width)
	if c.right {
		text = strings.Repeat(" ", c.width-utf8.RuneCountInString(text)) + text
	}
	if i == len(l.columns)-1 {
		return text
	}
	return pad(text, c.width+columnGap)
}

func (v *topView) operations() topList {
	l := topList{title: "OPERATION", columns: []topColumn{
		// Of 80 characters all but the last two.
		{width: 24}, {"REQ/S", 8, true}, {"P50", 8, true}, {"P99", 8, true}, {"ERRORS", 9, true}, {"REQUESTS", 11, true}, {"OUT", 10, true}, {"IN", 10, true},
	}}
	busiest := slices.Clone(v.stats.Operations)
	slices.SortStableFunc(busiest, func(a, b server.OperationStats) int {
		switch {
		case a.Requests > b.Requests:
			return -1
		case a.Requests < b.Requests:
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
	for _, o := range busiest {
		l.rows = append(l.rows, []string{o.Name, countText(o.Rate), latencyText(o.Latency.P50), latencyText(o.Latency.P99),
			wholeText(int64(o.Errors)), wholeText(int64(o.Requests)), byteText(float64(o.Sent)), byteText(float64(o.Received))})
	}
	l.total = int64(len(l.rows))
	return l
}

func (v *topView) errors() topList {
	l := topList{title: "ERROR", alarm: true, columns: []topColumn{{width: 8}, {"", 28, false}, {"TIMES", 8, true}, {"CAUSE", 0, false}}}
	for _, f := range v.stats.Failures {
		l.rows = append(l.rows, []string{f.Time.Local().Format(time.TimeOnly), strconv.Itoa(f.Status) + " " + f.Code, wholeText(int64(f.Times)),
			printable(f.Operation + " " + f.Target + ": " + strings.TrimPrefix(f.Cause, f.Code+": "))})
	}
	l.total = int64(len(l.rows))
	return l
}

func (v *topView) buckets() topList {
	l := topList{title: "BUCKET", total: v.stats.BucketsAll, columns: []topColumn{{width: 34}, {"MODE", 8, false}, {"OBJECTS", 14, true}, {"SIZE", 10, true}}}
	for _, b := range v.stats.Buckets {
		l.rows = append(l.rows, []string{printable(b.Name), b.Mode, wholeText(int64(b.Objects)), byteText(float64(b.Bytes))})
	}
	return l
}

func (v *topView) uploads() topList {
	l := topList{title: "UPLOAD", total: v.stats.UploadsAll, columns: []topColumn{{width: 14}, {"KEY", 0, false}}}
	for _, u := range v.stats.Uploads {
		l.rows = append(l.rows, []string{spanText(time.UnixMilli(v.stats.Now.Time).Sub(u.Initiated).Seconds()), printable(u.Bucket + "/" + u.Key)})
	}
	return l
}

// printable replaces what a terminal would not show as one character: names
// come from clients, and a terminal obeys what it reads.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, s)
}

// cut shortens s to width characters.
func cut(s string, width int) string {
	if utf8.RuneCountInString(s) <= width {
		return s
	}
	if width < 2 {
		return string([]rune(s)[:max(0, width)])
	}
	return string([]rune(s)[:width-1]) + "…"
}

// pad fills s up to width characters.
func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s)))
}
