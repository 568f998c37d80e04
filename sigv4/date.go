package sigv4

import "time"

// isoBasic is the time format of SigV4: 20130524T000000Z.
const isoBasic = "20060102T150405Z"

// parseISO reads an ISO 8601 basic time without allocating.
func parseISO(b []byte) (time.Time, bool) {
	if len(b) != len(isoBasic) || b[8] != 'T' || b[15] != 'Z' {
		return time.Time{}, false
	}
	var n [14]int
	for i, j := 0, 0; i < 15; i++ {
		if i == 8 {
			continue
		}
		c := b[i] - '0'
		if c > 9 {
			return time.Time{}, false
		}
		n[j] = int(c)
		j++
	}
	two := func(i int) int { return n[i]*10 + n[i+1] }
	year, month, day := two(0)*100+two(2), two(4), two(6)
	hour, minute, second := two(8), two(10), two(12)
	if hour > 23 || minute > 59 || second > 60 {
		return time.Time{}, false
	}
	t := time.Date(year, time.Month(month), day, hour, minute, second, 0, time.UTC)
	// time.Date normalises 31 February into March; such a date is not one.
	if second < 60 && (int(t.Month()) != month || t.Day() != day) {
		return time.Time{}, false
	}
	return t, true
}

// appendISO appends t in UTC as an ISO 8601 basic time.
func appendISO(dst []byte, t time.Time) []byte { return t.UTC().AppendFormat(dst, isoBasic) }

// dateLayouts are the forms of a Date header that clients sign when they send
// no x-amz-date: HTTP's three (RFC 9110 section 5.6.7), mail's with a numeric
// zone (Python's email.utils.formatdate writes -0000) and RFC 3339. Zone names
// are spelt out: for any other name Go would assume UTC.
var dateLayouts = [...]string{
	"Mon, 2 Jan 2006 15:04:05 GMT",
	"Mon, 2 Jan 2006 15:04:05 UTC",
	"Mon, 2 Jan 2006 15:04:05 -0700",
	"Monday, 2-Jan-06 15:04:05 GMT",
	time.ANSIC,
	time.RFC3339,
}

// parseDate reads a Date header: ISO 8601 basic or one of dateLayouts.
func parseDate(b []byte) (time.Time, bool) {
	if t, ok := parseISO(b); ok {
		return t, true
	}
	for _, layout := range dateLayouts {
		if t, err := time.Parse(layout, string(b)); err == nil {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}
