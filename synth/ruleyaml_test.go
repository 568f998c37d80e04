package synth

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestParseYAML(t *testing.T) {
	data, err := os.ReadFile("testdata/datasets.yaml")
	if err != nil {
		t.Fatalf("cannot read the test file: %v", err)
	}
	rules, err := ParseYAML(data)
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
	want := []Rule{
		{Name: "retinanet", Bucket: "mlp", Key: "data/retinanet/train/img_{i}_of_{n}.jpeg", Count: 50_203_282, Size: Size{Mean: 322_957}, origin: "line 4"},
		{
			Name: "shards", Bucket: "b", Key: "{f:02}/{i:d}.tar", First: 10, Count: 1000, Folders: 16,
			Size: Size{Lognormal, 256 << 20, 64 << 20, 1, defaultMaxSize}, Seed: 7, ContentType: "application/x-tar",
			LastModified: time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC), origin: "line 7",
		},
		{Bucket: "b", Key: "one", Count: 1, origin: "line 17"},
	}
	if !slices.Equal(rules, want) {
		t.Fatalf("unexpected rules; got %+v; want %+v", rules, want)
	}
	text, err := MarshalYAML(rules)
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
	again, err := ParseYAML(text)
	if err != nil {
		t.Fatalf("unexpected error: %v in\n%s", err, text)
	}
	for k := range again {
		again[k].origin, want[k].origin = "", ""
		if want[k].LastModified.IsZero() {
			want[k].LastModified = DefaultLastModified()
		}
	}
	if !slices.Equal(again, want) {
		t.Fatalf("unexpected rules of\n%s\ngot %+v; want %+v", text, again, want)
	}
}

func TestParseYAMLFails(t *testing.T) {
	f := func(text string, want ...string) {
		t.Helper()
		rules, err := ParseYAML([]byte(text))
		if !errors.Is(err, ErrBadRule) {
			t.Fatalf("unexpected result of\n%s\ngot %+v, %v; want ErrBadRule", text, rules, err)
		}
		for _, w := range want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("unexpected error of\n%s\ngot %q; want %q in it", text, err, w)
			}
		}
	}
	const ok = "datasets:\n  - bucket: b\n    key: a{i}\n    count: 10\n    size: 1\n"
	if _, err := ParseYAML([]byte(ok)); err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
	f("", "empty")
	f("a: [", "line 1")
	f("datasets: 3", "line 1", "a list")
	f("- bucket: b", "line 1", "datasets")
	f("datasets: []\nother: 1", "line 1", "one field")
	f("datasets: [x]", "line 1", "list of fields")
	f(ok+"---\nx: 1\n", "document")
	f(ok+"    colour: red\n", "line 6", "colour", "unknown field")
	f(ok+"    count: 11\n", "line 6", "count", "twice")
	f(ok+"    seed: x\n", "line 6", "seed")
	f(ok+"    first: -1\n", "line 6", "first", "whole")
	f(ok+"    name: [1]\n", "line 6", "name")
	f(ok+"    name:\n", "line 6", "name")
	f(ok+"    last-modified: yesterday\n", "line 6", "last-modified")
	f(ok+"    last-modified: 1950-01-01T00:00:00Z\n", "line 2", "last-modified", "1970")
	f(ok+"    content-type: \"a\\r\\nb\"\n", "line 2", "content-type")
	f(ok+"    folder: x\n", "line 2", "folder is for presets")
	f(ok+"    folders: 99999999\n", "line 2", "folders")
	f(strings.Replace(ok, "bucket: b", "name: b", 1), "line 2", "bucket is missing")
	f(strings.Replace(ok, "bucket: b", "bucket: a/b", 1), "line 2", "bucket")
	f(strings.Replace(ok, "key: a{i}", "key: {i}", 1), "line 3", "key", "quoted")
	f(strings.Replace(ok, "key: a{i}", "key: {f}/{i}", 1), "line 3", "quoted")
	f(strings.Replace(ok, "a{i}", "a", 1), "line 2", "{i}")
	f(strings.Replace(ok, "a{i}", "a{x}", 1), "line 2", "unknown field {x}")
	f(strings.Replace(ok, "a{i}", "a{i:8}", 1), "line 2", "{i:8}", "format")
	f(strings.Replace(ok, "a{i}", "a{i:019}", 1), "line 2", "18 digits")
	f(strings.Replace(ok, "a{i}", "a{i", 1), "line 2", "unpaired")
	f(strings.Replace(ok, "a{i}", "a}{i}", 1), "line 2", "unpaired")
	for _, key := range []string{"a{i:d}0", "a{i:d}{i}", "a{f:d}{i}"} {
		f(strings.Replace(strings.Replace(ok, "a{i}", key, 1), "count: 10", "folders: 20\n    count: 1000", 1), "line 2", "another digit")
	}
	f(strings.Replace(ok, "a{i}", "a{f}{i}", 1), "line 2", "folders is not set")
	f(strings.Replace(ok, "a{i}", strings.Repeat("a", 1023)+"{i}", 1), "line 2", "1025 bytes")
	f(strings.Replace(ok, "count: 10", "count: 0", 1), "line 2", "count")
	f(strings.Replace(ok, "count: 10", "count: 1099511627777", 1), "line 2", "count")
	f(strings.Replace(ok, "count: 10", "count: 1M", 1), "line 4", "count")
	f(strings.Replace(ok, "size: 1", "size: zipf(1)", 1), "line 5", "size", "normal")
	f("datasets:\n  - preset: imagenet\n", "line 2", "imagenet", "retinanet")
	f("datasets:\n  - preset: llama3-8b\n    count: 1\n", "line 2", "llama3-8b does not take count")
	f("datasets:\n  - preset: unet3d\n    ranks: 1\n", "line 2", "unet3d does not take ranks")
}

func TestParseFlag(t *testing.T) {
	f := func(s string, want ...Rule) {
		t.Helper()
		got, err := ParseFlag(s)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("unexpected rules of %q; got %+v, %v; want %+v", s, got, err, want)
		}
	}
	retinanet := Rule{Name: "retinanet", Bucket: "mlperf", Key: "data/retinanet/train/img_{i}_of_{n}.jpeg", Count: 1_170_301, Size: Size{Mean: 322_957}}
	f("retinanet", retinanet)
	r := retinanet
	r.Bucket, r.Count, r.Seed = "mlp", 50_203_282, 5
	f("retinanet?bucket=mlp&count=50203282&seed=0x5", r)
	r = retinanet
	r.Folders, r.Key = 100, "x/y/train/{f}/img_{i}_of_{n}.jpeg"
	valid := r
	valid.Name, valid.Key, valid.Count = "retinanet-valid", "x/y/valid/{f}/img_{i}_of_{n}.jpeg", 9
	f("retinanet?folder=/x/y/&folders=100&valid=9", r, valid)
	r = retinanet
	r.Key = "train/img_{i}_of_{n}.jpeg"
	f("retinanet?folder=", r)
	f("?bucket=b&key=a%2525{i}&count=2&size=uniform(1,+2KiB)", Rule{Bucket: "b", Key: "a%25{i}", Count: 2, Size: Size{Uniform, 0, 0, 1, 2048}})

	for _, s := range []string{"", "?", "x", "retinanet?", "retinanet?count=", "retinanet?count=1&count=2", "retinanet?preset=unet3d", "retinanet?a;b", "retinanet?%zz", "retinanet?key=a{i}&valid=3"} {
		if rules, err := ParseFlag(s); s != "retinanet?" && !errors.Is(err, ErrBadRule) || s == "retinanet?" && err != nil {
			t.Errorf("unexpected result of %q; got %v, %v; want ErrBadRule", s, rules, err)
		}
	}
}
