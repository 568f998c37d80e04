package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/s3ultra/s3ultra/cmd/s3ultra/cli"
	"github.com/s3ultra/s3ultra/store"
)

func exportCommand() *cli.Command {
	return &cli.Command{
		Name:        "export",
		Usage:       "write the inventory of a bucket, as import reads it",
		UsageText:   "s3ultra export --db-path DIRECTORY --bucket NAME [-o LIST.(csv|jsonl|tsv)[.zst|.gz]] [flags]",
		Description: "Writes the current objects in order of keys. Objects of data sets, which exist by rule, are not in it.",
		Flags: archiveFlags(
			&cli.Flag{Name: "output", Value: cli.String("-"), Short: "o", Usage: "the `FILE`; - is standard output, as tsv unless --format says otherwise"},
		),
		Action: runExport,
	}
}

func runExport(c *cli.Context) (err error) {
	if err := noArguments(c); err != nil {
		return err
	}
	path, name := c.String("output"), c.String("format")
	if path == "-" && name == "" {
		name = "tsv"
	}
	format, packed, err := inventoryKind(path, name)
	if err != nil {
		return err
	}
	if _, err := os.Stat(c.String("db-path")); err != nil && c.String("db-path") != "" {
		return fmt.Errorf("cannot open --db-path: %w", err) // it would be made
	}
	a, err := openArchive(c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	var dst io.Writer = c.Stdout
	if path != "-" {
		f, err := os.Create(path)
		if err != nil {
			return usagef("cannot write the list: %w", err)
		}
		defer f.Close()
		dst = f
	}
	out, err := newInventoryWriter(dst, format, packed, c.String("bucket"))
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	progress := newProgress(c.Stderr, 0)
	if path == "-" {
		progress = newProgress(io.Discard, 0)
	}
	err = a.Export(c.String("bucket"), func(key []byte, o *store.Object) error {
		progress.add()
		return out.add(key, o)
	})
	progress.end()
	if err == nil {
		err = out.close()
	}
	if err != nil {
		return fmt.Errorf("cannot export bucket %s: %w", c.String("bucket"), err)
	}
	if path != "-" {
		_, err = fmt.Fprintf(c.Stdout, "exported %d objects of bucket %s\n", out.count, c.String("bucket"))
	}
	return err
}
