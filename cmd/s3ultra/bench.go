package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/s3ultra/s3ultra/cmd/s3ultra/bench"
	"github.com/s3ultra/s3ultra/sigv4"
)

// floorFlag makes the bench command the other process of a floor.
const floorFlag = "floor"

func benchCommand() *cli.Command {
	return &cli.Command{
		Name:      "bench",
		Usage:     "measure this server's or another's CPU time, throughput and latency",
		UsageText: "s3ultra bench [flags] [-- SERVE FLAGS]",
		Description: "Measures s3ultra in a process of its own, and the least that any program needs to move the\n" +
			"same bytes on this machine (the floors), in turn. With --endpoint it measures another S3 server.\n" +
			"Loads: " + strings.Join(bench.LoadNames(), " ") + ".",
		Flags:  benchFlags(),
		Action: runBench,
	}
}

// benchFlags returns the flags of the bench command. Only those of a key pair
// and the region have variables, the same as serve's: the others change with
// every run.
func benchFlags() []cli.Flag {
	env := func(name string) []string { return []string{envName(name)} }
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "loads", Usage: "`LOADS` to run, a comma list; a name may end in *", DefaultText: "all but put-8m-trailer and part-32m-stream"},
		&cli.IntFlag{Name: "rounds", Value: bench.DefaultRounds, Usage: "how often each row is measured; the median counts"},
		&cli.DurationFlag{Name: "duration", Value: bench.DefaultDuration, Usage: "how long each row is measured in a round"},
		&cli.IntSliceFlag{Name: "concurrency", Usage: "connections, a comma list; each load is measured with every `NUMBER`",
			DefaultText: fmt.Sprintf("%d for large objects, %d for small requests", bench.DefaultLarge, bench.DefaultSmall)},
		&cli.BoolFlag{Name: "json", Usage: "print all rounds as JSON instead of the table"},

		&cli.StringFlag{Name: "endpoint", Usage: "measure the S3 server at `URL` instead of s3ultra"},
		&cli.BoolFlag{Name: "compare", Usage: "with --endpoint: measure s3ultra too, in turn with the other server"},
		&cli.IntFlag{Name: "pid", Usage: "with --endpoint: the server's process `ID`, if it runs on this machine, for its CPU time"},
		&cli.StringFlag{Name: "access-key", Usage: "with --endpoint: access key; without one requests are anonymous", EnvVars: env("access-key")},
		&cli.StringFlag{Name: "secret-key", Usage: "with --endpoint: its secret key; also from the file in " + envName("secret-key") + "_FILE", EnvVars: env("secret-key")},
		&cli.StringFlag{Name: "region", Value: defaultRegion, Usage: "with --endpoint: the region in signatures", EnvVars: env("region")},
		&cli.StringFlag{Name: "bucket", Value: bench.DefaultBucket, Usage: "with --endpoint: bucket `NAME`, made if it does not exist; what the run puts into it is deleted at the end"},

		&cli.StringFlag{Name: floorFlag, Hidden: true},
	}
}

func runBench(c *cli.Context) error {
	if kind := c.String(floorFlag); kind != "" {
		return bench.ServeFloor(kind, c.App.Reader, c.App.Writer)
	}
	cfg, err := readBenchConfig(c)
	if err != nil {
		return err
	}
	if isTerminal(c.App.ErrWriter) {
		cfg.Progress = c.App.ErrWriter
	}
	ctx, stop := signal.NotifyContext(c.Context, syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	report, err := bench.Run(ctx, cfg)
	if err != nil {
		if ctx.Err() != nil && c.Context.Err() == nil {
			return fmt.Errorf("stopped by a signal: %w", context.Canceled)
		}
		return err
	}
	write := report.WriteTable
	if c.Bool("json") {
		write = report.WriteJSON
	}
	if err := write(c.App.Writer); err != nil {
		return err
	}
	if n := report.Failed(); n > 0 {
		return fmt.Errorf("%d requests failed", n)
	}
	return nil
}

// readBenchConfig reads the flags. Every error but that of the executable is a
// usageError.
func readBenchConfig(c *cli.Context) (bench.Config, error) {
	cfg := bench.Config{
		Loads:       c.StringSlice("loads"),
		Rounds:      c.Int("rounds"),
		Duration:    c.Duration("duration"),
		Concurrency: c.IntSlice("concurrency"),
		Endpoint:    c.String("endpoint"),
		Compare:     c.Bool("compare"),
		PID:         c.Int("pid"),
		Region:      c.String("region"),
		Bucket:      c.String("bucket"),
		ServeArgs:   c.Args().Slice(),
		FloorArgs:   []string{"bench", "--" + floorFlag},
		Version:     currentVersion().Version,
	}
	if len(cfg.ServeArgs) > 0 && !strings.HasPrefix(cfg.ServeArgs[0], "-") {
		return cfg, noArguments(c)
	}
	if cfg.Endpoint != "" {
		pair := sigv4.Credential{AccessKey: c.String("access-key"), SecretKey: c.String("secret-key")}
		for flag, value := range map[string]*string{"access-key": &pair.AccessKey, "secret-key": &pair.SecretKey} {
			if *value != "" {
				continue
			}
			var err error
			if *value, err = secretFromFile(flag); err != nil {
				return cfg, err
			}
		}
		if (pair.AccessKey == "") != (pair.SecretKey == "") {
			return cfg, usagef("bad key pair: set --access-key and --secret-key together")
		}
		cfg.Credential = pair
	}
	if err := cfg.Check(); err != nil {
		return cfg, usagef("cannot measure: %w", err)
	}
	var err error
	if cfg.Executable, err = os.Executable(); err != nil {
		return cfg, fmt.Errorf("cannot find this program: %w", err)
	}
	return cfg, nil
}
