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
	Deps                               []string
}

// allowedImports is the whole import graph inside the module. A package that
// is not in it fails the test: a new one needs a decision about its place.
var allowedImports = map[string][]string{
	"cmd/s3ultra":       {"cmd/s3ultra/bench", "server", "sigv4", "store", "synth"},
	"cmd/s3ultra/bench": {"server", "sigv4", "store"}, // server and store in its tests
	"server":            {"sigv4", "store", "synth"},
	"sigv4":             nil,
	"store":             {"synth"},
	"synth":             nil,
}

// onlyIn names the packages that may import a library: one, with a named
// exception. The bench command compares the server with a bare responder on the
// same HTTP library, a program of its own that must not go through the server
// package, since that is what it is the measure of.
var onlyIn = map[string][]string{
	"github.com/valyala/fasthttp": {"server", "cmd/s3ultra/bench"},
	"github.com/urfave/cli":       {"cmd/s3ultra"},
}

// listPackages runs go list in the module's root.
func listPackages(t *testing.T, patterns ...string) []goPackage {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-deps", "-json=ImportPath,Imports,TestImports,XTestImports,Deps"}, patterns...)...)
	cmd.Dir = filepath.Join("..", "..")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("cannot list packages: %v\n%s", err, stderr.Bytes())
	}
	var own []goPackage
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return own
		} else if err != nil {
			t.Fatalf("cannot read go list: %v", err)
		}
		if strings.HasPrefix(p.ImportPath, modulePath) {
			own = append(own, p)
		}
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
// package.
func TestLowerLayersKnowNoHTTP(t *testing.T) {
	for _, p := range listPackages(t, "./sigv4/...", "./store/...", "./synth/...") {
		for _, dep := range p.Deps {
			if dep == "net/http" || strings.HasPrefix(dep, "github.com/valyala/fasthttp") {
				t.Errorf("%s depends on %s", p.ImportPath, dep)
			}
		}
	}
}

// The command uses an HTTP client to ask a running server, and for nothing else.
func TestHTTPClientOnlyToAskServers(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("cannot find the sources: %v", err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") || name == "health.go" || name == "journal.go" {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range parsed.Imports {
			if spec.Path.Value == `"net/http"` {
				t.Errorf("%s imports net/http, which only health.go and journal.go may", name)
			}
		}
	}
}
