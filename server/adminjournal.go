package server

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// journal answers with the requests that the query selects.
func (a *Admin) journal(w http.ResponseWriter, r *http.Request) {
	if a.srv.journal == nil {
		writeText(w, http.StatusNotFound, "the journal is off\n")
		return
	}
	f, err := parseJournalFilter(r.URL.Query())
	if err != nil {
		writeText(w, http.StatusBadRequest, err.Error()+"\n")
		return
	}
	writeJSON(w, http.StatusOK, a.srv.journal.page(&f, a.srv.metrics))
}

// resetJournal forgets all requests so far and sets the counts to zero.
func (a *Admin) resetJournal(w http.ResponseWriter, _ *http.Request) {
	if a.srv.journal == nil {
		writeText(w, http.StatusNotFound, "the journal is off\n")
		return
	}
	a.srv.journal.reset(a.srv.metrics)
	w.WriteHeader(http.StatusNoContent)
}

// parseJournalFilter reads operation, bucket, prefix, status, after and limit.
// operation and status take comma lists and may be repeated. What it does not
// know it refuses: a test that asserts on a misspelt filter would pass.
func parseJournalFilter(q url.Values) (journalFilter, error) {
	var f journalFilter
	for name, values := range q {
		for _, v := range values {
			if err := f.set(name, v); err != nil {
				return f, err
			}
		}
	}
	return f, nil
}

func (f *journalFilter) set(name, value string) error {
	switch name {
	case "bucket":
		f.bucket = value
	case "prefix":
		f.prefix = []byte(value)
	case "operation":
		for _, op := range strings.Split(value, ",") {
			if !slices.ContainsFunc(operations, func(o *operation) bool { return o.name == op }) {
				return fmt.Errorf("unknown operation %q: want AWS's name, such as GetObject", op)
			}
			f.operations = append(f.operations, op)
		}
	case "status":
		for _, text := range strings.Split(value, ",") {
			s, err := parseStatusClass(text)
			if err != nil {
				return err
			}
			f.statuses = append(f.statuses, s)
		}
	case "after":
		n, err := strconv.ParseUint(value, 10, 64)
		if err != nil {
			return fmt.Errorf("bad after %q: want the number of a request", value)
		}
		f.after = n
	case "limit":
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 {
			return fmt.Errorf("bad limit %q: want a number", value)
		}
		f.limit = n
	default:
		return fmt.Errorf("unknown filter %q: want operation, bucket, prefix, status, after or limit", name)
	}
	return nil
}

// parseStatusClass reads 404 or 4xx.
func parseStatusClass(text string) (statusClass, error) {
	if len(text) == 3 && text[0] >= '1' && text[0] <= '5' {
		if strings.EqualFold(text[1:], "xx") {
			from := int(text[0]-'0') * 100
			return statusClass{from, from + 99}, nil
		}
		if n, err := strconv.Atoi(text); err == nil {
			return statusClass{n, n}, nil
		}
	}
	return statusClass{}, fmt.Errorf("bad status %q: want 404 or 4xx", text)
}
