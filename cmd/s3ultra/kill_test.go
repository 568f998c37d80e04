package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	// killRounds is how often `go test` kills the server; the variable asks for
	// another number, `make kill` for 50, which take two minutes.
	killRounds         = 4
	killRoundsVariable = "KILL_ROUNDS"
	killWriters        = 16
)

// httpGet returns a body, which must be there.
func httpGet(t *testing.T, url string) []byte {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 200 {
		t.Fatalf("unexpected reply of %s; got %d, %v", url, resp.StatusCode, err)
	}
	return body
}

// killWriter writes objects and parts until the server dies, and knows what
// must be there and what may be.
type killWriter struct {
	no     int
	rng    *rand.Rand
	client *http.Client
	// Key (path without the host) to the bodies it may have: the last one
	// acknowledged, and those sent since. "" stands for none.
	may map[string][]string
	// Uploads that must be there, with the parts that must be, number to body.
	uploads map[string]map[int]string
	seq     int
}

// do sends a request and reports whether it was acknowledged.
func (w *killWriter) do(method, url, body string) (reply []byte, ok bool) {
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		return nil, false
	}
	resp, err := w.client.Do(req)
	if err != nil {
		return nil, false
	}
	defer resp.Body.Close()
	reply, err = io.ReadAll(resp.Body)
	return reply, err == nil && resp.StatusCode < 300
}

// body is told apart from every other one at any length.
func (w *killWriter) body() string {
	w.seq++
	size := []int{20, 300, 3000, 100_000}[w.rng.IntN(4)]
	word := fmt.Sprintf("%d-%d-%d ", w.no, w.seq, w.rng.Uint64())
	return strings.Repeat(word, size/len(word)+1)[:size]
}

// run ends with the first request that is not acknowledged.
func (w *killWriter) run(url string) {
	for {
		key := fmt.Sprintf("/kill/w%d/k%d", w.no, w.rng.IntN(20))
		if w.may[key] == nil {
			w.may[key] = []string{""} // not there yet
		}
		switch n := w.rng.IntN(10); {
		case n < 6:
			body := w.body()
			w.may[key] = append(w.may[key], body)
			if _, ok := w.do("PUT", url+key, body); !ok {
				return
			}
			w.may[key] = []string{body}
		case n < 7:
			w.may[key] = append(w.may[key], "")
			if _, ok := w.do("DELETE", url+key, ""); !ok {
				return
			}
			w.may[key] = []string{""}
		default:
			if !w.multipart(url, key) {
				return
			}
		}
	}
}

// multipart uploads two parts and completes every other upload.
func (w *killWriter) multipart(url, key string) bool {
	reply, ok := w.do("POST", url+key+"?uploads", "")
	var created struct{ UploadId string }
	if !ok || xml.Unmarshal(reply, &created) != nil {
		return false
	}
	id := key + "?uploadId=" + created.UploadId
	parts := map[int]string{}
	w.uploads[id] = parts
	whole := ""
	for n := 1; n <= 2; n++ {
		body := w.body()
		if _, ok := w.do("PUT", fmt.Sprintf("%s%s&partNumber=%d", url, id, n), body); !ok {
			return false
		}
		parts[n] = body
		whole += body
	}
	if w.rng.IntN(2) == 0 {
		return true
	}
	list, ok := w.do("GET", url+id, "")
	var listed struct {
		Part []struct {
			PartNumber int
			ETag       string
		}
	}
	if !ok || xml.Unmarshal(list, &listed) != nil {
		return false
	}
	doc := "<CompleteMultipartUpload>"
	for _, p := range listed.Part {
		doc += fmt.Sprintf("<Part><PartNumber>%d</PartNumber><ETag>%s</ETag></Part>", p.PartNumber, p.ETag)
	}
	w.may[key] = append(w.may[key], whole)
	delete(w.uploads, id) // it may have ended
	if reply, ok := w.do("POST", url+id, doc+"</CompleteMultipartUpload>"); !ok || !bytes.Contains(reply, []byte("<CompleteMultipartUploadResult")) {
		return false
	}
	w.may[key] = []string{whole}
	return true
}

// check compares the server with what the writer knows.
func (w *killWriter) check(t *testing.T, url string) {
	t.Helper()
	for key, may := range w.may {
		got, ok := w.do("GET", url+key, "")
		if !ok {
			if !bytes.Contains(got, []byte("<Code>NoSuchKey</Code>")) {
				t.Errorf("unexpected reply of %s; got %q; want an object or NoSuchKey", key, got)
			}
			got = nil
		}
		found := false
		for _, body := range may {
			found = found || body == string(got)
		}
		if !found {
			t.Errorf("unexpected object at %s; got %d bytes %.40q, want one of %d bodies, the first %.40q", key, len(got), got, len(may), may[0])
		}
		w.may[key] = []string{string(got)}
	}
	for id, parts := range w.uploads {
		list, ok := w.do("GET", url+id, "")
		for n, body := range parts {
			if want := fmt.Sprintf("<PartNumber>%d</PartNumber>", n); !ok || !bytes.Contains(list, []byte(want)) || !bytes.Contains(list, fmt.Appendf(nil, "<Size>%d</Size>", len(body))) {
				t.Errorf("the upload %s lacks part %d; got %q", id, n, list)
			}
		}
		// Half of them go, so that aborts are in the log as well.
		if w.rng.IntN(2) == 0 {
			w.do("DELETE", url+id, "")
			delete(w.uploads, id)
		}
	}
}

// The server is killed while 16 writers put, overwrite, delete, and upload
// parts: after each restart every acknowledged write is there, and what was in
// flight is there as a whole or not at all.
func TestKilledServerLosesNothing(t *testing.T) {
	rounds := killRounds
	if text := os.Getenv(killRoundsVariable); text != "" {
		var err error
		if rounds, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(seed, 0))
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: killWriters}, Timeout: patience}
	writers := make([]*killWriter, killWriters)
	for i := range writers {
		writers[i] = &killWriter{no: i, rng: rand.New(rand.NewPCG(seed, uint64(i+1))), client: client, may: map[string][]string{}, uploads: map[string]map[int]string{}}
	}
	for round := range rounds {
		p := start(t, "--db-path", dir, "--persist-data", "--bucket", "kill:memory", "--min-part-size", "0", "--admin-listen", "off", "--log-level", "warn",
			"--sync-interval", []string{"1s", "always", "none", "10ms"}[round%4])
		for _, w := range writers {
			w.check(t, p.url)
		}
		if t.Failed() {
			t.Fatalf("after %d kills; the server's log:\n%s", round, p.stderr)
		}
		var wg sync.WaitGroup
		for _, w := range writers {
			wg.Go(func() { w.run(p.url) })
		}
		time.Sleep(time.Duration(50+rng.IntN(500)) * time.Millisecond)
		if err := p.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		wg.Wait()
		<-p.exit
		client.CloseIdleConnections()
	}
	p := start(t, "--db-path", dir, "--persist-data", "--min-part-size", "0")
	total := 0
	for _, w := range writers {
		w.check(t, p.url)
		total += w.seq
	}
	t.Logf("%d bodies, %d kills", total, rounds)
}
