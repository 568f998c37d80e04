package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
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
