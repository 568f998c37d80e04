package main

import (
	"github.com/s3ultra/s3ultra/cmd/s3ultra/cli"
	"github.com/s3ultra/s3ultra/store"
)

// serverCommand is MinIO's command line, so that an image or a script can be
// swapped by its name alone.
func serverCommand() *cli.Command {
	c := serveCommand()
	c.Name = "server"
	c.Usage = "serve in the place of MinIO: its command line, in memory, keys minioadmin/minioadmin"
	c.UsageText = "s3ultra server [PATH...] [flags]"
	c.Description = "PATHs are accepted and not used: buckets are in memory. All flags of serve are taken too, and flags may\n" +
		"come after the paths. MinIO's variables (MINIO_ROOT_USER, MINIO_DEFAULT_BUCKETS and so on) work for serve as well."
	for _, f := range c.Flags {
		if f.Name == "mode" {
			f.Value = cli.String(store.Memory.String())
		}
	}
	c.Flags = append(minioFlags(), c.Flags...)
	return c
}

// minioFlags returns the flags of MinIO's server command that test set-ups
// use. Others are refused as unknown.
func minioFlags() []*cli.Flag {
	return []*cli.Flag{
		{Name: "address", Value: cli.String(""), Usage: "listen on `HOST:PORT`; another way to write --listen", Env: minioAddress},
		{Name: "console-address", Value: cli.String(""), Usage: "another way to write --admin-listen `HOST:PORT`", Env: minioConsoleAddress},
		{Name: "quiet", Value: cli.Bool(false), Usage: "log warnings and errors only"},
		{Name: "json", Value: cli.Bool(false), Usage: "log JSON; another way to write --log-format json"},
		{Name: "anonymous", Value: cli.Bool(false), Usage: "accepted: secrets are never logged"},
		{Name: "config-dir", Value: cli.String(""), Short: "C", Usage: "accepted: `DIR` is not used"},
		{Name: "certs-dir", Value: cli.String(""), Short: "S", Usage: "refused: there is no TLS"},
	}
}

// readMinioFlags takes over the server command's own flags, once the rest is
// read.
func (s *settings) readMinioFlags(c *cli.Context) error {
	if !s.minio.server {
		return nil
	}
	s.paths = c.Args
	if c.String("certs-dir") != "" {
		return usagef("cannot use --certs-dir: there is no TLS; leave it out and use http")
	}
	// On the command line the two are the same setting; in the environment
	// s3ultra's own wins.
	own := c.IsSet("listen") || c.IsSet("bind") || c.IsSet("port")
	if addr := c.String("address"); addr != "" && (c.OnCommandLine("address") || !own) {
		if c.OnCommandLine("listen") || c.OnCommandLine("bind") || c.OnCommandLine("port") {
			return usagef("--address and --listen, --bind or --port contradict each other; give only one of them")
		}
		if err := checkAddress(addr); err != nil {
			return usagef("bad --address: %w", err)
		}
		s.listen = []string{addr}
	}
	if addr := c.String("console-address"); addr != "" && (c.OnCommandLine("console-address") || !c.IsSet("admin-listen")) {
		if addr == "off" {
			s.adminListen = ""
			return nil
		}
		if err := checkAddress(addr); err != nil {
			return usagef("bad --console-address: %w, nor off", err)
		}
		s.adminListen, s.adminAsked = addr, true
	}
	return nil
}
