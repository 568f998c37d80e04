package main

import (
	"strings"

	"github.com/urfave/cli/v2"
)

// serverCommand is MinIO's command line, so that an image or a script can be
// swapped by its name alone.
func serverCommand(args []string) *cli.Command {
	c := serveCommand(args)
	c.Name = "server"
	c.Usage = "serve in the place of MinIO: its command line, in memory, keys minioadmin/minioadmin"
	c.UsageText = "s3ultra server [PATH...] [flags]"
	c.Description = "PATHs are accepted and not used: buckets are in memory. All flags of serve are taken too, and flags may\n" +
		"come after the paths. MinIO's variables (MINIO_ROOT_USER, MINIO_DEFAULT_BUCKETS and so on) work for serve as well."
	c.ArgsUsage = "[PATH...]"
	c.Flags = append(minioFlags(), c.Flags...)
	return c
}

// minioFlags returns the flags of MinIO's server command that test set-ups
// use. Others are refused as unknown.
func minioFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "address", Usage: "listen on `HOST:PORT`; another way to write --listen", EnvVars: []string{minioAddress}},
		&cli.StringFlag{Name: "console-address", Usage: "another way to write --admin-listen `HOST:PORT`", EnvVars: []string{minioConsoleAddress}},
		&cli.BoolFlag{Name: "quiet", Usage: "log warnings and errors only"},
		&cli.BoolFlag{Name: "json", Usage: "log JSON; another way to write --log-format json"},
		&cli.BoolFlag{Name: "anonymous", Usage: "accepted: secrets are never logged"},
		&cli.StringFlag{Name: "config-dir", Aliases: []string{"C"}, Usage: "accepted: `DIR` is not used"},
		&cli.StringFlag{Name: "certs-dir", Aliases: []string{"S"}, Usage: "refused: there is no TLS"},
	}
}

// flagsFirst moves what is no flag behind the flags: MinIO takes server /data
// --address :9000, the cli package would end the flags at /data.
func flagsFirst(args []string, flags []cli.Flag) []string {
	takesValue := make(map[string]bool)
	for _, f := range flags {
		if doc, ok := f.(cli.DocGenerationFlag); ok && doc.TakesValue() {
			for _, name := range f.Names() {
				takesValue[name] = true
			}
		}
	}
	var first, rest []string
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a == "--" {
			rest = append(rest, args[i+1:]...)
			break
		}
		if len(a) < 2 || a[0] != '-' {
			rest = append(rest, a)
			continue
		}
		first = append(first, a)
		name := strings.TrimLeft(a, "-")
		if !takesValue[name] {
			continue
		}
		if i++; i == len(args) {
			// The cli package says that the value is missing.
			return first
		}
		first = append(first, args[i])
	}
	if len(rest) == 0 {
		return first
	}
	return append(append(first, "--"), rest...)
}

// readMinioFlags takes over the server command's own flags, once the rest is
// read.
func (s *settings) readMinioFlags(c *cli.Context, args []string) error {
	if !s.minio.server {
		return nil
	}
	s.paths = c.Args().Slice()
	if c.String("certs-dir") != "" {
		return usagef("cannot use --certs-dir: there is no TLS; leave it out and use http")
	}
	// On the command line the two are the same setting; in the environment
	// s3ultra's own wins.
	own := c.IsSet("listen") || c.IsSet("bind") || c.IsSet("port")
	if addr := c.String("address"); addr != "" && (onCommandLine(args, "address") || !own) {
		if onCommandLine(args, "listen") || onCommandLine(args, "bind") || onCommandLine(args, "port") {
			return usagef("--address and --listen, --bind or --port contradict each other; give only one of them")
		}
		if err := checkAddress(addr); err != nil {
			return usagef("bad --address: %w", err)
		}
		s.listen = []string{addr}
	}
	if addr := c.String("console-address"); addr != "" && (onCommandLine(args, "console-address") || !c.IsSet("admin-listen")) {
		if err := checkAddress(addr); err != nil {
			return usagef("bad --console-address: %w", err)
		}
		s.adminListen, s.adminAsked = addr, true
	}
	return nil
}
