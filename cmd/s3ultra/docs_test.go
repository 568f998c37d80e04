package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/s3ultra/s3ultra/synth"
)

// runLine runs a command line in the process.
func runLine(args ...string) (code int, stdout, stderr string) {
	var out, errOut bytes.Buffer
	code = run(context.Background(), append([]string{"s3ultra"}, args...), strings.NewReader(""), &out, &errOut)
	return code, out.String(), errOut.String()
}

// Every flag of serve --help has a row in docs/cli.md with its variable.
func TestEveryFlagIsDocumented(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "cli.md"))
	if err != nil {
		t.Fatal(err)
	}
	code, help, stderr := runLine("serve", "--help")
	if code != exitClean || stderr != "" {
		t.Fatalf("unexpected exit of serve --help; got %d, %q; want 0", code, stderr)
	}
	flags := regexp.MustCompile(`(?m)^   --([a-z0-9-]+)`).FindAllStringSubmatch(help, -1)
	if len(flags) < 20 {
		t.Fatalf("unexpected number of flags in the help; got %d; want all", len(flags))
	}
	for _, f := range flags {
		row := regexp.MustCompile("(?m)^\\| `--" + f[1] + "[` ].*$").Find(doc)
		if row == nil {
			t.Errorf("docs/cli.md has no row for --%s", f[1])
			continue
		}
		if variable := "`" + envName(f[1]) + "`"; f[1] != "help" && !bytes.Contains(row, []byte(variable)) {
			t.Errorf("the row of --%s in docs/cli.md does not name %s", f[1], variable)
		}
	}
}

// The help of a server configured by its environment must not show secrets.
func TestHelpHidesSecrets(t *testing.T) {
	t.Setenv("S3ULTRA_SECRET_KEY", "TOPSECRET")
	if _, help, _ := runLine("serve", "--help"); strings.Contains(help, "TOPSECRET") {
		t.Fatal("serve --help shows the secret key")
	}
}

func TestCompletionScripts(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		code, script, _ := runLine("completion", shell)
		if code != exitClean {
			t.Fatalf("unexpected exit of completion %s; got %d; want 0", shell, code)
		}
		for _, name := range flagNames(serveFlags()) {
			if !strings.Contains(script, name) {
				t.Errorf("the %s completion lacks %s", shell, name)
			}
		}
		// Where the shell is there, it has to understand its script.
		if path, err := exec.LookPath(shell); err == nil {
			check := exec.Command(path, "-n")
			check.Stdin = strings.NewReader(script)
			if out, err := check.CombinedOutput(); err != nil {
				t.Errorf("the %s completion is no script: %v %s", shell, err, out)
			}
		}
	}
}

// The server command keeps what is written, and its help says so.
func TestServerHelpNamesItsMode(t *testing.T) {
	code, help, stderr := runLine("server", "--help")
	if code != exitClean || stderr != "" || !regexp.MustCompile(`(?m)^   --mode .*default: "memory"`).MatchString(help) {
		t.Errorf("unexpected default of --mode; got %d, %q, %s; want memory", code, stderr, help)
	}
}

// The sum that the README's session shows is the demo's.
func TestReadmeShowsTheDemosSum(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	session := regexp.MustCompile(`s3 cp s3://(demo-synth/train/\S+) - \| sha256sum\n +([0-9a-f]{64})  -\n`).FindSubmatch(readme)
	if session == nil {
		t.Fatal("README.md shows no sha256sum of an object of the demo")
	}
	body := make([]byte, demoObjectSize)
	synth.Fill(body, synth.Hash(0, demoSynthBucket, bytes.TrimPrefix(session[1], []byte(demoSynthBucket+"/"))), 0)
	if sum := fmt.Sprintf("%x", sha256.Sum256(body)); sum != string(session[2]) {
		t.Errorf("unexpected sum in README.md; got %s; want %s", session[2], sum)
	}
}

// Links from page to page lead to files and headings that exist.
func TestLinksOfTheDocs(t *testing.T) {
	root := filepath.Join("..", "..")
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("cannot find the pages: %v", err)
	}
	link := regexp.MustCompile(`\]\(([^)\s#:]*)(?:#([^)\s]+))?\)`)
	for _, page := range append(pages, filepath.Join(root, "README.md"), filepath.Join(root, "CHANGELOG.md")) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllSubmatch(text, -1) {
			target := page
			if len(m[1]) > 0 {
				target = filepath.Join(filepath.Dir(page), string(m[1]))
			}
			if found, err := os.ReadFile(target); err != nil {
				t.Errorf("%s: %s leads nowhere: %v", filepath.Base(page), m[0], err)
			} else if len(m[2]) > 0 && !slices.Contains(headings(found), string(m[2])) {
				t.Errorf("%s: %s has no such heading", filepath.Base(page), m[0])
			}
		}
	}
}

// headings returns the names that links give to a page's headings, as GitHub
// makes them: in small letters, without punctuation, with hyphens for spaces.
func headings(page []byte) []string {
	var names []string
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllSubmatch(page, -1) {
		name := regexp.MustCompile(`[^\p{L}\p{N}_ -]`).ReplaceAllString(strings.ToLower(string(m[1])), "")
		names = append(names, strings.ReplaceAll(name, " ", "-"))
	}
	return names
}
