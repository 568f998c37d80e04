package main

import (
	"github.com/s3ultra/s3ultra/cmd/s3ultra/cli"
)

// manDescription is what the page has more than help.
const manDescription = `An S3-compatible object server for benchmarks and tests. It keeps an object's name, size and metadata,
and generates its bytes when they are read; buckets of the mode memory keep them.

Each flag of **serve** has an environment variable: **--memory-limit** is **S3ULTRA_MEMORY_LIMIT**. The flag beats the
variable, which beats the default. **S3ULTRA_ACCESS_KEY_FILE** and **S3ULTRA_SECRET_KEY_FILE** name files with the keys.

The exit code is 0 when all went well, 1 when something failed, and 2 when the command line, a variable or a file that
they name is wrong.

SIGTERM and SIGINT let requests in flight end, for **--shutdown-timeout** at most; a second one ends the server at once.
SIGHUP reopens the access log.`

func manCommand(p *cli.Program) *cli.Command {
	return &cli.Command{
		Name:      "man",
		Usage:     "print the manual page",
		UsageText: "s3ultra man    (read it with: s3ultra man | man -l -)",
		Action: func(c *cli.Context) error {
			if err := noArguments(c); err != nil {
				return err
			}
			_, err := c.Stdout.Write(p.AppendMan(nil))
			return err
		},
	}
}
