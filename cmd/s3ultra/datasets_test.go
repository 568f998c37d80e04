package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/s3ultra/s3ultra/synth"
)

// writeFile returns the path of a new file.
func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const datasetFile = `datasets:
  - name: shards
    bucket: b-1
    key: shards/{i}.tar
    count: 1000
    size: lognormal(256MiB, 64MiB)
`

func TestDatasetFlags(t *testing.T) {
	f := func(want string, args ...string) {
		t.Helper()
		c := mustParse(t, args...).config
		var names []string
		for _, r := range c.Datasets {
			names = append(names, fmt.Sprintf("%s:%s:%d", r.Name, r.Bucket, r.Count))
		}
		if got := strings.Join(names, " ") + "|" + bucketList(c.Buckets); got != want {
			t.Fatalf("unexpected data sets of %q; got %s; want %s", args, got, want)
		}
	}
	f("|-")
	f("unet3d:mlperf:168|mlperf:synth", "--dataset", "unet3d")
	f("unet3d:mlp:168 x:b-2:9|mlp:synth,b-2:synth", "--dataset", "unet3d?bucket=mlp", "--dataset", "?name=x&bucket=b-2&key={i}&count=9&size=normal(5,1)")
	path := writeFile(t, "sets.yaml", datasetFile)
	f("shards:b-1:1000 unet3d:mlperf:168|mine:synth,b-1:synth,mlperf:synth", "--dataset", "unet3d", "--datasets", path, "--bucket", "mine,b-1:synth")
	f("demo:demo-synth:1000|demo-synth:synth,demo-memory:memory", "--demo")

	t.Setenv("S3ULTRA_DATASETS", path)
	t.Setenv("S3ULTRA_DATASET", "unet3d\n\n  ?name=y&bucket=b-3&key={i}&count=2&size=uniform(1,2)\n")
	f("shards:b-1:1000 unet3d:mlperf:168 y:b-3:2|b-1:synth,mlperf:synth,b-3:synth")
	f("shards:b-1:1000 dlrm:mlperf:1024|b-1:synth,mlperf:synth", "--dataset=dlrm")
}

// Bad rules end the start with exit code 2, the line and the reason.
func TestDatasetErrors(t *testing.T) {
	f := func(want string, args ...string) {
		t.Helper()
		code, stdout, stderr := runLine(append([]string{"serve", "--listen", "127.0.0.1:0", "--admin-listen", "off"}, args...)...)
		if code != exitUsage || stdout != "" || !strings.Contains(stderr, want) {
			t.Fatalf("unexpected end of %q; got %d %q %q; want %d with %q", args, code, stdout, stderr, exitUsage, want)
		}
	}
	f(`bad --dataset "nonesuch"`, "--dataset", "nonesuch")
	f("cannot read --datasets", "--datasets", filepath.Join(t.TempDir(), "none"))
	f("line 5", "--datasets", writeFile(t, "a.yaml", strings.Replace(datasetFile, "count: 1000", "count: many", 1)))
	f("line 7", "--datasets", writeFile(t, "b.yaml", datasetFile+"    colour: red\n"))
	f("Bad_Name", "--datasets", writeFile(t, "c.yaml", strings.Replace(datasetFile, "b-1", "Bad_Name", 1)))
	f("line 2", "--datasets", writeFile(t, "d.yaml", strings.Replace(datasetFile, "b-1", "Bad_Name", 1)))
	f("already", "--dataset", "unet3d", "--dataset", "unet3d")
	f("mode memory", "--dataset", "unet3d", "--bucket", "mlperf:memory")
	f("mode memory", "--dataset", "unet3d", "--bucket", "mlperf", "--mode", "memory")
}

// What show prints is what serve makes of the name.
func TestDatasetsShow(t *testing.T) {
	for _, p := range synth.Presets() {
		code, text, stderr := runLine("datasets", "show", p.Name+"?bucket=abc")
		if code != exitClean {
			t.Fatalf("unexpected exit of datasets show %s; got %d, %s; want 0", p.Name, code, stderr)
		}
		fromFile := mustParse(t, "--datasets", writeFile(t, "show.yaml", text)).config.Datasets
		fromFlag := mustParse(t, "--dataset", p.Name+"?bucket=abc").config.Datasets
		for _, rules := range [][]synth.Rule{fromFile, fromFlag} {
			for i := range rules {
				d, err := synth.NewDataset(rules[i])
				if err != nil {
					t.Fatal(err)
				}
				r := d.Rule() // with the defaults filled in
				rules[i] = synth.Rule{Name: r.Name, Bucket: r.Bucket, Key: r.Key, First: r.First, Count: r.Count, Folders: r.Folders, Size: r.Size, Seed: r.Seed, ContentType: r.ContentType, LastModified: r.LastModified.UTC()}
			}
		}
		if !reflect.DeepEqual(fromFile, fromFlag) {
			t.Fatalf("unexpected rules of %s; got %+v; want %+v", p.Name, fromFile, fromFlag)
		}
	}
	for _, args := range [][]string{{"datasets", "show"}, {"datasets", "show", "nonesuch"}, {"datasets", "unet3d"}, {"datasets", "show", "unet3d", "dlrm"}} {
		if code, _, stderr := runLine(args...); code != exitUsage || stderr == "" {
			t.Errorf("unexpected exit of %q; got %d, %q; want %d", args, code, stderr, exitUsage)
		}
	}
}

func TestDatasetsList(t *testing.T) {
	_, text, _ := runLine("datasets", "--json")
	var list []presetInfo
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Fatal(err)
	}
	_, table, _ := runLine("datasets")
	lines := strings.Split(strings.TrimSpace(table), "\n")
	if len(list) != len(synth.Presets()) || len(lines) != len(list)+1 {
		t.Fatalf("unexpected length of the lists; got %d and %d lines; want %d presets", len(list), len(lines), len(synth.Presets()))
	}
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "datasets.md"))
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range list {
		objects, total := groupDigits(p.Objects), groupDigits(p.Bytes)
		if !strings.HasPrefix(lines[i+1], p.Name+" ") || !strings.Contains(lines[i+1], " "+objects+" ") || !strings.Contains(lines[i+1], " "+total+" ") {
			t.Errorf("unexpected line of %s; got %q; want %s and %s", p.Name, lines[i+1], objects, total)
		}
		if row := fmt.Sprintf("| `%s` | %s |", p.Name, objects); !bytes.Contains(doc, []byte(row)) || !bytes.Contains(doc, []byte("| "+total+" |")) {
			t.Errorf("docs/datasets.md has no row %q with %s", row, total)
		}
	}
}

// The largest data set is there as soon as the server is.
func TestServeDatasets(t *testing.T) {
	p := start(t, "--dataset", "retinanet?count=50203282", "--dataset", "?name=a b&bucket=small&key=k{i}&count=3&size=7")
	if want := " buckets=mlperf:synth,small:synth datasets=retinanet:mlperf:50203282:16213501344874,a+b:small:3:21 "; !strings.Contains(p.ready, want) {
		t.Errorf("unexpected ready line; got %q; want %q", p.ready, want)
	}
	resp, err := http.Get(p.url + "/mlperf?list-type=2&max-keys=1&start-after=data/retinanet/train/img_50203280")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	page, err := io.ReadAll(resp.Body)
	if want := "<Key>data/retinanet/train/img_50203280_of_50203282.jpeg</Key>"; err != nil || !strings.Contains(string(page), want) {
		t.Errorf("unexpected page; got %s, %v; want %s", page, err, want)
	}
	p.signal(t)
	if code := p.wait(t); code != exitClean {
		t.Errorf("unexpected exit code; got %d; want 0", code)
	}
}
