package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const modulePath = "github.com/s3ultra/s3ultra/"

// goPackage is what the test reads of `go list -json`.
type goPackage struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
}

// allowedImports is the whole import graph inside the module. A package that
// is not in it fails the test: a new one needs a decision about its place.
var allowedImports = map[string][]string{
	"cmd/s3ultra":        {"cmd/s3ultra/bench", "cmd/s3ultra/cli", "server", "sigv4", "store", "synth"},
	"cmd/s3ultra/bench":  {"server", "sigv4", "store"}, // server and store in its tests
	"cmd/s3ultra/cli":    nil,
	"server":             {"server/sha256lanes", "sigv4", "store", "synth"},
	"server/sha256lanes": nil, // hashing only: knows nothing of servers
	"sigv4":              nil,
	"store":              {"synth"},
	"synth":              nil,
}

// onlyIn names the packages that may import a library: one, with a named
// exception. The bench command compares the server with a bare responder on the
// same HTTP library, a program of its own that must not go through the server
// package, since that is what it is the measure of.
var onlyIn = map[string][]string{
	"github.com/valyala/fasthttp": {"server", "cmd/s3ultra/bench"},
	"github.com/cockroachdb/":     {"store"},
}

// listPackages returns the module's own packages.
func listPackages(t *testing.T, patterns ...string) []goPackage {
	t.Helper()
	var own []goPackage
	for _, p := range listAll(t, patterns...) {
		if strings.HasPrefix(p.ImportPath, modulePath) {
			own = append(own, p)
		}
	}
	return own
}

// listAll runs go list in the module's root: the packages and all that they
// depend on.
func listAll(t *testing.T, patterns ...string) []goPackage {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-deps", "-json=ImportPath,Imports,TestImports,XTestImports"}, patterns...)...)
	cmd.Dir = filepath.Join("..", "..")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("cannot list packages: %v\n%s", err, stderr.Bytes())
	}
	var all []goPackage
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatalf("cannot read go list: %v", err)
		}
		all = append(all, p)
	}
}

// Imports go one way: cmd, server, then sigv4, store and synth, of which only
// store may use synth.
func TestImportRule(t *testing.T) {
	for _, p := range listPackages(t, "./cmd/...", "./server/...", "./sigv4/...", "./store/...", "./synth/...") {
		name := strings.TrimPrefix(p.ImportPath, modulePath)
		allowed, known := allowedImports[name]
		if !known {
			t.Errorf("the package %s has no place in the import rule", name)
			continue
		}
		for _, imported := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			if inner, ok := strings.CutPrefix(imported, modulePath); ok && inner != name && !slices.Contains(allowed, inner) {
				t.Errorf("%s imports %s; it may import only %v", name, inner, allowed)
			}
			for library, owners := range onlyIn {
				if strings.HasPrefix(imported, library) && !slices.Contains(owners, name) {
					t.Errorf("%s imports %s, which only %v may", name, imported, owners)
				}
			}
		}
	}
}

// What is below the server knows no HTTP library, not even through another
// package. Pebble is not followed: its error package can report to a service
// over HTTP, which nobody calls, and only store may import it.
func TestLowerLayersKnowNoHTTP(t *testing.T) {
	const database = "github.com/cockroachdb/pebble/"
	imports := make(map[string][]string)
	var own []string
	for _, p := range listAll(t, "./sigv4/...", "./store/...", "./synth/...") {
		imports[p.ImportPath] = p.Imports
		if strings.HasPrefix(p.ImportPath, modulePath) {
			own = append(own, p.ImportPath)
		}
	}
	for _, root := range own {
		seen := map[string]bool{root: true}
		for todo := []string{root}; len(todo) > 0; {
			path := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if path == "net/http" || strings.HasPrefix(path, "github.com/valyala/fasthttp") {
				t.Errorf("%s depends on %s", root, path)
			}
			for _, next := range imports[path] {
				if !seen[next] && !strings.HasPrefix(next, database) {
					seen[next] = true
					todo = append(todo, next)
				}
			}
		}
	}
}

// These two call methods by names from outside, so the linker keeps every
// exported method of the program: a quarter of the binary, and the image is past
// its limit.
func TestNoTemplates(t *testing.T) {
	for _, p := range listAll(t, "./cmd/s3ultra") {
		for _, imported := range p.Imports {
			if imported == "text/template" || imported == "html/template" {
				t.Errorf("%s imports %s", p.ImportPath, imported)
			}
		}
	}
}

// clientFiles are the sources with an HTTP client.
var clientFiles = []string{"adminclient.go", "health.go", "journal.go"}

// The command uses an HTTP client to ask a running server, and for nothing else.
func TestHTTPClientOnlyToAskServers(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("cannot find the sources: %v", err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") || slices.Contains(clientFiles, name) {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range parsed.Imports {
			if spec.Path.Value == `"net/http"` {
				t.Errorf("%s imports net/http, which only %v may", name, clientFiles)
			}
		}
	}
}
