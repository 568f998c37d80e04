package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/s3ultra/s3ultra/cmd/s3ultra/cli"
)

// Set by the linker (-ldflags -X, see the Makefile); they must be variables
// for that. Empty in a plain go build or go install.
var (
	linkedVersion string
	linkedCommit  string
)

// buildVersion is what this binary knows of its origin.
type buildVersion struct {
	Version string // v1.2.3 or devel
	Commit  string // abbreviated hash, or unknown
}

// currentVersion returns what the linker was given, else what the Go tool
// recorded.
func currentVersion() buildVersion {
	v := buildVersion{Version: linkedVersion, Commit: linkedCommit}
	info, ok := debug.ReadBuildInfo()
	if ok && v.Version == "" && info.Main.Version != "(devel)" {
		v.Version = info.Main.Version
	}
	if ok && v.Commit == "" {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				// 12 digits: what git itself and Go's pseudo-versions use.
				v.Commit = s.Value[:min(12, len(s.Value))]
			}
		}
	}
	if v.Version == "" {
		v.Version = "devel"
	}
	if v.Commit == "" {
		v.Commit = "unknown"
	}
	return v
}

func versionCommand() *cli.Command {
	return &cli.Command{
		Name:      "version",
		Usage:     "print the version, the commit and the Go version",
		UsageText: "s3ultra version",
		Action: func(c *cli.Context) error {
			if err := noArguments(c); err != nil {
				return err
			}
			v := currentVersion()
			_, err := fmt.Fprintf(c.Stdout, "s3ultra %s commit %s %s %s/%s\n",
				v.Version, v.Commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
