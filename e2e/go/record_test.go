package e2e

import (
	_ "embed"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"
)

// result is one line of the file that matrix.py turns into the table.
type result struct {
	Client  string  `json:"client"`
	Version string  `json:"version"`
	Mode    string  `json:"mode"`
	Check   string  `json:"check"`
	Test    string  `json:"test"`
	OK      bool    `json:"ok"`
	Seconds float64 `json:"seconds"`
}

// record appends t's outcome to the file named by E2E_RESULTS when t ends.
func record(t *testing.T, r result) {
	path := os.Getenv("E2E_RESULTS")
	if path == "" {
		return
	}
	begin := time.Now()
	r.Test = t.Name()
	t.Cleanup(func() {
		r.OK = !t.Failed()
		r.Seconds = time.Since(begin).Round(10 * time.Millisecond).Seconds()
		line, err := json.Marshal(r)
		if err != nil {
			t.Fatalf("cannot encode a result: %v", err)
		}
		out, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			t.Fatalf("cannot open the results: %v", err)
		}
		defer out.Close()
		if _, err := out.Write(append(line, '\n')); err != nil {
			t.Errorf("cannot write a result: %v", err)
		}
	})
}

//go:embed go.mod
var goMod string

// moduleVersion is the version that go.mod requires of a module. (A test binary's build information has no modules.)
func moduleVersion(path string) string {
	_, rest, _ := strings.Cut(goMod, path+" v")
	version, _, _ := strings.Cut(rest, "\n")
	version, _, _ = strings.Cut(version, " ")
	return version
}
