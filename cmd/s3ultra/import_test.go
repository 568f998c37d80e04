package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/s3ultra/s3ultra/store"
)

// readInventory returns what a list holds, a line each.
func readInventory(text string, f inventoryFormat, columns string) (string, error) {
	list, err := parseColumns(strings.Split(columns, ","))
	if err != nil {
		return "", err
	}
	r, err := newInventoryReader(strings.NewReader(text), f, uncompressed, list)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	var e inventoryEntry
	for {
		if err := r.next(&e); err == io.EOF {
			return out.String(), nil
		} else if err != nil {
			return out.String(), err
		}
		fmt.Fprintf(&out, "%q %d %d", e.key, e.Size, e.ModTime)
		if e.ETag != (store.ETag{}) {
			fmt.Fprintf(&out, " %v", e.ETag)
		}
		out.WriteString("\n")
	}
}

func TestReadInventory(t *testing.T) {
	const md5 = "d41d8cd98f00b204e9800998ecf8427e"
	f := func(format inventoryFormat, columns, text, want string) {
		t.Helper()
		got, err := readInventory(text, format, columns)
		if err != nil || got != want {
			t.Errorf("unexpected objects of %q; got %q, %v; want %q", text, got, err, want)
		}
	}
	golden, err := os.ReadFile("testdata/inventory.csv")
	if err != nil {
		t.Fatal(err)
	}
	f(inventoryCSV, defaultColumns, string(golden), "\"train/a&b c.jpg\" 1024 1735689599000 "+md5+"\n"+
		"\"train/é.jpg\" 0 1735689599500 "+md5+"-12\n\"z\" 5497558138880 1735689600000\n")
	f(inventoryCSV, defaultColumns, "b,k,1\nb,\"l\"\"\n\",2\r\n\nb,m,3,,", "\"k\" 1 0\n\"l\\\"\\n\" 2 0\n\"m\" 3 0\n")
	// With versions: old ones and delete markers are left out.
	f(inventoryCSV, "Bucket,Key,VersionId,IsLatest,IsDeleteMarker,Size,LastModifiedDate,ETag,StorageClass",
		"b,k,v1,true,false,1,,,STANDARD\nb,k,v0,false,false,2,,,STANDARD\nb,l,v,true,true,,,,\n", "\"k\" 1 0\n")
	f(inventoryJSON, defaultColumns, `{"Key": "a\tb\u00e9", "LastModified": "2025-01-01T00:00:00+00:00", "ETag": "\"`+md5+`\"", "Size": 7, "StorageClass": "STANDARD"}
{"size":1,"Owner":{"ID":"}"},"Tags":[1,"]"],"key":"b","x":null}

{"Key":"c","Size":2,"IsLatest":false}
`, "\"a\\tbé\" 7 1735689600000 "+md5+"\n\"b\" 1 0\n")
	f(inventoryTSV, defaultColumns, "Size\tKey\tOther\n3\ta\\tb\\\\\tx\n4\tc%20+\n", "\"a\\tb\\\\\" 3 0\n\"c%20+\" 4 0\n")

	bad := func(format inventoryFormat, columns, text, want string) {
		t.Helper()
		if _, err := readInventory(text, format, columns); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("unexpected error of %q; got %v; want %q", text, err, want)
		}
	}
	bad(inventoryCSV, defaultColumns, "b,k,1\nb,l,1x\n", `line 2: the size "1x" is not a number of bytes`)
	bad(inventoryCSV, defaultColumns, "b,k,99999999999999999999\n", `line 1: the size`)
	bad(inventoryCSV, defaultColumns, "b,k\n", "line 1: it has 2 fields, want 5")
	bad(inventoryCSV, defaultColumns, "b,%zz,1\n", "two hexadecimal digits")
	bad(inventoryCSV, defaultColumns, "b,\"k,1\n", "line 1: a quote is not closed")
	bad(inventoryCSV, defaultColumns, "b,k,1,yesterday\n", "line 1: the time")
	bad(inventoryCSV, defaultColumns, "b,k,1,2025-13-01T00:00:00.000Z\n", "line 1: the time")
	bad(inventoryCSV, defaultColumns, "b,k,1,,xyz\n", "line 1: the ETag")
	bad(inventoryCSV, defaultColumns, "b,,1\n", "line 1: the key is empty")
	bad(inventoryCSV, "bucket,key", "", "lack the key or the size")
	bad(inventoryTSV, defaultColumns, "name\tbytes\n", "line 1: the columns name,bytes lack")
	for _, text := range []string{`[`, `{`, `{"Key"`, `{"Key":"a"}`, `{"Key":"a","Size":1`, `{"Key":"a","Size":1} x`, `{"Key":"a" "Size":1}`, `{"Contents":[{"Key":"a"}]}`, `{"Key":1,"Size":1}`} {
		bad(inventoryJSON, defaultColumns, text, "line 1: it is no")
	}
}

// What export writes, import reads, in every form and compression, and a server
// serves it.
func TestImportExport(t *testing.T) {
	dir := t.TempDir()
	run := func(want int, args ...string) string {
		t.Helper()
		code, stdout, stderr := runLine(args...)
		if code != want {
			t.Fatalf("unexpected exit of %q; got %d, %q; want %d", args, code, stderr, want)
		}
		return stdout + stderr
	}
	run(0, "import", "testdata/inventory.csv", "--db-path", dir+"/first", "--bucket", "golden", "--keep-etags", "--seed", "5")
	want := run(0, "export", "--db-path", dir+"/first", "--bucket", "golden")
	if want != "key\tsize\tlast-modified\tetag\n"+
		"train/a&b c.jpg\t1024\t2024-12-31T23:59:59.000Z\td41d8cd98f00b204e9800998ecf8427e\n"+
		"train/é.jpg\t0\t2024-12-31T23:59:59.500Z\td41d8cd98f00b204e9800998ecf8427e-12\n"+
		"z\t5497558138880\t2025-01-01T00:00:00.000Z\t"+strings.Fields(want)[len(strings.Fields(want))-1]+"\n" {
		t.Fatalf("unexpected export; got %q", want)
	}
	for _, kind := range []string{"csv", "jsonl", "tsv", "csv.zst", "tsv.gz"} {
		list := filepath.Join(dir, "list."+kind)
		run(0, "export", "--db-path", dir+"/first", "--bucket", "golden", "-o", list)
		run(0, "import", "--db-path", dir+"/"+kind, "--bucket", "golden", "--keep-etags", "--seed", "5", list)
		if got := run(0, "export", "--db-path", dir+"/"+kind, "--bucket", "golden"); got != want {
			t.Errorf("unexpected objects after %s; got %q; want %q", kind, got, want)
		}
	}
	// Without --keep-etags the ETags are those of generated objects; an import
	// of the same keys replaces.
	run(0, "import", "testdata/inventory.csv", "--db-path", dir+"/first", "--bucket", "golden")
	got := run(0, "export", "--db-path", dir+"/first", "--bucket", "golden")
	if strings.Count(got, "\n") != 4 || strings.Contains(got, "d41d8cd9") || strings.Count(got, "-1\n") != 3 {
		t.Errorf("unexpected objects after the second import; got %q", got)
	}
	f := func(code int, want string, args ...string) {
		t.Helper()
		if got := run(code, args...); !strings.Contains(got, want) || strings.Count(got, "\n") != 1 {
			t.Errorf("unexpected output of %q; got %q; want %q", args, got, want)
		}
	}
	bad := filepath.Join(dir, "bad.csv")
	if err := os.WriteFile(bad, []byte("b,k,1\nb,k,x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f(1, "bad.csv: line 2: the size", "import", bad, "--db-path", dir+"/bad", "--bucket", "golden")
	f(1, "its seed is 5, not 6", "import", "testdata/inventory.csv", "--db-path", dir+"/first", "--bucket", "golden", "--seed", "6")
	f(1, "no such bucket", "export", "--db-path", dir+"/first", "--bucket", "other")
	f(1, "no such file", "export", "--db-path", dir+"/none", "--bucket", "golden")
	f(2, "cannot tell the form", "import", "list.txt", "--db-path", dir+"/first", "--bucket", "golden")
	f(2, "needs --db-path", "import", "testdata/inventory.csv", "--bucket", "golden")
	f(2, "cannot read the list", "import", "none.csv", "--db-path", dir+"/first", "--bucket", "golden")

	p := start(t, "--db-path", dir+"/first", "--seed", "5")
	if got := run(1, "export", "--db-path", dir+"/first", "--bucket", "golden"); !strings.Contains(got, "in use by another process") {
		t.Errorf("unexpected error beside a server; got %q", got)
	}
	head := httpGet(t, p.url+"/golden/train/a%26b%20c.jpg")
	if len(head) != 1024 {
		t.Errorf("unexpected body; got %d bytes; want 1024", len(head))
	}
}

// One million lines from memory to the index on disk.
func BenchmarkImport(b *testing.B) {
	const lines = 1_000_000
	texts := map[inventoryFormat][]byte{}
	for i := range lines {
		key := fmt.Sprintf("data/retinanet/train/img_%08d_of_50203282.jpg", i)
		texts[inventoryCSV] = fmt.Appendf(texts[inventoryCSV], "\"mlperf\",\"%s\",\"%d\",\"2024-12-31T23:59:59.000Z\",\"d41d8cd98f00b204e9800998ecf8427e\",\"STANDARD\"\n", key, 300000+i)
		texts[inventoryJSON] = fmt.Appendf(texts[inventoryJSON], `{"Key":"%s","LastModified":"2024-12-31T23:59:59+00:00","ETag":"\"d41d8cd98f00b204e9800998ecf8427e\"","Size":%d,"StorageClass":"STANDARD"}`+"\n", key, 300000+i)
	}
	for f, text := range texts {
		b.Run([]string{"csv", "jsonl"}[f], func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			columns, err := parseColumns(strings.Split(defaultColumns, ","))
			if err != nil {
				b.Fatal(err)
			}
			for range b.N {
				in, err := newInventoryReader(bytes.NewReader(text), f, uncompressed, columns)
				if err != nil {
					b.Fatal(err)
				}
				benchmarkImport(b, in, lines)
			}
			b.ReportMetric(float64(lines)*float64(b.N)/b.Elapsed().Seconds(), "objects/s")
		})
	}
}

func benchmarkImport(b *testing.B, in *inventoryReader, lines int64) {
	b.Helper()
	// Removed at once: a benchmark's directory stays until its end.
	dir, err := os.MkdirTemp(b.TempDir(), "db")
	if err != nil {
		b.Fatal(err)
	}
	defer os.RemoveAll(dir)
	a, err := store.OpenArchive(store.Persistence{Dir: dir}, 0, true)
	if err != nil {
		b.Fatal(err)
	}
	defer a.Close()
	m, err := a.Import("mlperf", time.Now())
	if err != nil {
		b.Fatal(err)
	}
	if err := importAll(in, m, false, newProgress(io.Discard, 0)); err != nil {
		b.Fatal(err)
	}
	if n, err := m.Close(); err != nil || n != lines {
		b.Fatalf("unexpected import; got %d, %v", n, err)
	}
}
