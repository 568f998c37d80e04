package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/s3ultra/s3ultra/cmd/s3ultra/bench"
	"github.com/s3ultra/s3ultra/cmd/s3ultra/cli"
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
func benchFlags() []*cli.Flag {
	return []*cli.Flag{
		{Name: "loads", Value: cli.Strings(), Usage: "`LOADS` to run, a comma list; a name may end in *", Default: "all but put-8m-trailer and part-32m-stream"},
		{Name: "rounds", Value: cli.Int(bench.DefaultRounds), Usage: "how often each row is measured; the median counts"},
		{Name: "duration", Value: cli.Duration(bench.DefaultDuration), Usage: "how long each row is measured in a round"},
		{Name: "concurrency", Value: cli.Ints(), Usage: "connections, a comma list; each load is measured with every `NUMBER`",
			Default: fmt.Sprintf("%d for large objects, %d for small requests", bench.DefaultLarge, bench.DefaultSmall)},
		{Name: "json", Value: cli.Bool(false), Usage: "print all rounds as JSON instead of the table"},

		{Name: "endpoint", Value: cli.String(""), Usage: "measure the S3 server at `URL` instead of s3ultra"},
		{Name: "compare", Value: cli.Bool(false), Usage: "with --endpoint: measure s3ultra too, in turn with the other server"},
		{Name: "pid", Value: cli.Int(0), Usage: "with --endpoint: the server's process `ID`, if it runs on this machine, for its CPU time"},
		{Name: "access-key", Value: cli.String(""), Usage: "with --endpoint: access key; without one requests are anonymous", Env: envName("access-key")},
		{Name: "secret-key", Value: cli.String(""), Usage: "with --endpoint: its secret key; also from the file in " + envName("secret-key") + "_FILE", Env: envName("secret-key")},
		{Name: "region", Value: cli.String(defaultRegion), Usage: "with --endpoint: the region in signatures", Env: envName("region")},
		{Name: "bucket", Value: cli.String(bench.DefaultBucket), Usage: "with --endpoint: bucket `NAME`, made if it does not exist; what the run puts into it is deleted at the end"},

		{Name: floorFlag, Value: cli.String(""), Hidden: true},
	}
}

func runBench(c *cli.Context) error {
	if kind := c.String(floorFlag); kind != "" {
		return bench.ServeFloor(kind, c.Stdin, c.Stdout)
	}
	cfg, err := readBenchConfig(c)
	if err != nil {
		return err
	}
	if isTerminal(c.Stderr) {
		cfg.Progress = c.Stderr
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
	if err := write(c.Stdout); err != nil {
		return err
	}
	if n := report.Failed(); n > 0 {
		return fmt.Errorf("%d requests failed", n)
	}
	return nil
}

// readBenchConfig reads the flags. Every error but that of the executable is a
// cli.UsageError.
func readBenchConfig(c *cli.Context) (bench.Config, error) {
	cfg := bench.Config{
		Loads:       c.Strings("loads"),
		Rounds:      c.Int("rounds"),
		Duration:    c.Duration("duration"),
		Concurrency: c.Ints("concurrency"),
		Endpoint:    c.String("endpoint"),
		Compare:     c.Bool("compare"),
		PID:         c.Int("pid"),
		Region:      c.String("region"),
		Bucket:      c.String("bucket"),
		ServeArgs:   c.Args,
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
