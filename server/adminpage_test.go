package server

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"
)

// startPage serves the admin side of a server with one bucket.
func startPage(t *testing.T) string {
	t.Helper()
	s, err := New(Config{Buckets: []BucketSpec{{Name: "data"}}, Version: "v1"})
	if err != nil {
		t.Fatal(err)
	}
	a := NewAdmin(s)
	web := httptest.NewUnstartedServer(a.http.Handler)
	web.Config.BaseContext = a.http.BaseContext
	web.Start()
	t.Cleanup(func() {
		a.Close()
		web.Close()
	})
	return web.URL
}

// getPage returns the answer to a GET with an Accept header.
func getPage(t *testing.T, url, accept string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", accept)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(text)
}

func TestPageHeaders(t *testing.T) {
	url := startPage(t)
	resp, text := getPage(t, url+"/", "text/html,application/xhtml+xml,*/*;q=0.8")
	for name, want := range map[string]string{
		"Content-Type":           "text/html; charset=utf-8",
		"X-Content-Type-Options": "nosniff",
		"Cache-Control":          "no-store",
		"Vary":                   "Accept",
	} {
		if got := resp.Header.Get(name); got != want {
			t.Errorf("unexpected %s; got %q; want %q", name, got, want)
		}
	}
	policy := resp.Header.Get("Content-Security-Policy")
	for _, tag := range []string{"style", "script"} {
		parts := regexp.MustCompile("(?s)<"+tag+">(.+?)</"+tag+">").FindAllStringSubmatch(text, -1)
		if len(parts) != 1 {
			t.Fatalf("unexpected number of inline %ss; got %d; want 1", tag, len(parts))
		}
		if want := tag + "-src " + policyHash([]byte(parts[0][1])); !strings.Contains(policy, want) {
			t.Errorf("the policy does not allow the page's own %s; got %q; want %q in it", tag, policy, want)
		}
	}
	if strings.Contains(policy, "unsafe") {
		t.Errorf("unexpected policy; got %q; want none of unsafe-*", policy)
	}
}

// The page works where nothing but the server can be reached, and puts what
// clients name into it as text only.
func TestPageIsSelfContained(t *testing.T) {
	url := startPage(t)
	_, text := getPage(t, url+"/", "text/html")
	// The only address is the name of a format, which nobody fetches.
	rest := strings.ReplaceAll(text, "http://www.w3.org/2000/svg", "")
	for _, no := range []string{"http:", "https:", "src=\"//", "url(", "@import", "{{",
		"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", " style=", " onclick="} {
		if i := strings.Index(rest, no); i >= 0 {
			t.Errorf("the page has %q: ...%s...", no, rest[max(0, i-40):min(len(rest), i+60)])
		}
	}
	if len(text) < 10_000 || len(text) > 100_000 {
		t.Errorf("unexpected size of the page; got %d bytes; want all of it and no more", len(text))
	}
}

// curl and scripts get the list of paths.
func TestPageIsForBrowsers(t *testing.T) {
	url := startPage(t)
	for _, accept := range []string{"", "*/*", "application/json"} {
		if resp, text := getPage(t, url+"/", accept); text != adminIndex {
			t.Errorf("unexpected answer to Accept %q; got %s %.40q; want the list of paths", accept, resp.Status, text)
		}
	}
	if resp, _ := getPage(t, url+"/index.html", "text/html"); resp.StatusCode != http.StatusNotFound {
		t.Errorf("unexpected status of another path; got %d; want 404", resp.StatusCode)
	}
}

// The page's stream: an event at once and one after each sample, each with an
// id, a name and one line of JSON.
func TestPageEvents(t *testing.T) {
	url := startPage(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+adminEvents, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if got := resp.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Errorf("unexpected Content-Type; got %q; want text/event-stream", got)
	}
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	for i := range 2 {
		fields := map[string]string{}
		for lines.Scan() && lines.Text() != "" {
			name, value, ok := strings.Cut(lines.Text(), ": ")
			if _, twice := fields[name]; !ok || twice {
				t.Fatalf("unexpected line of event %d; got %q", i, lines.Text())
			}
			fields[name] = value
		}
		if fields["event"] != "stats" || fields["id"] == "" {
			t.Fatalf("unexpected event %d; got %v, %v; want stats with an id", i, fields, lines.Err())
		}
		var stats Stats
		if err := json.Unmarshal([]byte(fields["data"]), &stats); err != nil {
			t.Fatalf("cannot read event %d: %v", i, err)
		}
		if len(stats.Buckets) != 1 || stats.Buckets[0].Name != "data" || stats.Now.Number < uint64(i) {
			t.Errorf("unexpected state in event %d; got %+v", i, stats)
		}
	}
}

// What happens a thousand times is one entry, and the newest is the first.
func TestPageFailuresAreGrouped(t *testing.T) {
	f := new(recentFailures)
	f.add(Failure{Status: 500, Code: "InternalError", Cause: "the one that matters"})
	for i := range 1000 {
		f.add(Failure{Status: 404, Code: "NoSuchKey", Target: strings.Repeat("x", i)})
	}
	list := f.list()
	if len(list) != 2 || list[0].Times != 1000 || len(list[0].Target) != 999 || list[1].Status != 500 || list[1].Times != 1 {
		t.Errorf("unexpected failures; got %+v", list)
	}
	for i := range 2 * recentFailureCount {
		f.add(Failure{Cause: strings.Repeat("y", i)})
	}
	if n := len(f.list()); n != recentFailureCount {
		t.Errorf("unexpected number of failures; got %d; want %d", n, recentFailureCount)
	}
}
