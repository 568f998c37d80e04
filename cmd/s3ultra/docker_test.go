package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every metric that a panel of the dashboard asks for is one that the server
// has, so that no panel stays empty.
func TestDashboardMetrics(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docker", "grafana", "dashboards", "s3ultra.json"))
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(text, &dashboard); err != nil {
		t.Fatalf("the dashboard is not JSON: %v", err)
	}
	p := start(t, "--admin-listen", "127.0.0.1:0", "--bucket", "one")
	_, admin, _ := strings.Cut(strings.TrimSpace(p.ready), " admin=")
	// Metrics by operation are there from the first request on.
	p.get(t, "/one")
	p.get(t, "/missing/key")
	api := process{url: admin}
	status, exposition := api.get(t, "/metrics")
	if status != 200 {
		t.Fatalf("unexpected status of the metrics; got %d; want 200", status)
	}
	families := regexp.MustCompile(`(?m)^# TYPE (\S+)`).FindAllStringSubmatch(exposition, -1)
	known := make([]string, len(families))
	for i, f := range families {
		known[i] = f[1]
	}
	used := 0
	for _, panel := range dashboard.Panels {
		for _, target := range panel.Targets {
			for _, name := range regexp.MustCompile(`\b(s3ultra|process|go)_[a-z0-9_]+`).FindAllString(target.Expr, -1) {
				used++
				family := strings.TrimSuffix(strings.TrimSuffix(name, "_bucket"), "_count")
				if !slices.Contains(known, name) && !slices.Contains(known, family) {
					t.Errorf("panel %q asks for %s, which the server does not have", panel.Title, name)
				}
			}
		}
	}
	if used < 20 {
		t.Errorf("unexpected number of metrics in the dashboard; got %d; want all", used)
	}
}
