package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/s3ultra/s3ultra/store"
)

// inventoryFormat is a form in which the list of a bucket's objects comes.
type inventoryFormat uint8

const (
	// inventoryCSV is AWS S3 Inventory's: quoted fields, no header, keys
	// URL-encoded.
	//
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/storage-inventory-location.html
	inventoryCSV inventoryFormat = iota
	// inventoryJSON has an object as `aws s3api list-objects-v2` prints it in
	// each line.
	//
	// Source: https://docs.aws.amazon.com/cli/latest/reference/s3api/list-objects-v2.html
	inventoryJSON
	// inventoryTSV has fields separated by tabs and a header that names them.
	// Tabs, line ends and backslashes in keys are \t, \n, \r and \\.
	inventoryTSV
)

// compression of an inventory.
type compression uint8

const (
	uncompressed compression = iota
	compressedZstd
	compressedGzip
)

// inventoryKind takes the form of an inventory from its name, or, if that is
// not empty, from format.
func inventoryKind(path, format string) (f inventoryFormat, c compression, err error) {
	name := strings.ToLower(filepath.Base(path))
	if rest, ok := strings.CutSuffix(name, ".zst"); ok {
		name, c = rest, compressedZstd
	} else if rest, ok := strings.CutSuffix(name, ".gz"); ok {
		name, c = rest, compressedGzip
	}
	if format == "" {
		format = strings.TrimPrefix(filepath.Ext(name), ".")
	}
	switch format {
	case "csv":
		return inventoryCSV, c, nil
	case "jsonl", "json", "ndjson":
		return inventoryJSON, c, nil
	case "tsv":
		return inventoryTSV, c, nil
	}
	return 0, 0, usagef("cannot tell the form of %q: its name must end in .csv, .jsonl or .tsv, and .zst or .gz after that, or give --format", path)
}

// column is what a field of a line means.
type column uint8

const (
	columnOther column = iota
	columnBucket
	columnKey
	columnSize
	columnModified
	columnETag
	columnLatest
	columnMarker
)

// columnNames are the names in a header and in --columns, those of AWS's
// inventory schema and of its listings among them, in lower case and without
// anything but letters.
var columnNames = map[string]column{
	"bucket":           columnBucket,
	"key":              columnKey,
	"name":             columnKey,
	"size":             columnSize,
	"lastmodified":     columnModified,
	"lastmodifieddate": columnModified,
	"etag":             columnETag,
	"islatest":         columnLatest,
	"isdeletemarker":   columnMarker,
}

// defaultColumns are those of an inventory of current versions with the
// optional fields Size, LastModifiedDate and ETag, in AWS's order.
const defaultColumns = "bucket,key,size,last-modified,etag"

// parseColumns reads the names of columns. Unknown ones are skipped in the
// list; a key and a size there must be.
func parseColumns(names []string) ([]column, error) {
	list := make([]column, len(names))
	for i, n := range names {
		plain := strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' {
				return r
			}
			return -1
		}, strings.ToLower(n))
		c := columnNames[plain]
		if c != columnOther && slices.Contains(list[:i], c) {
			return nil, fmt.Errorf("the column %s is there twice", n)
		}
		list[i] = c
	}
	for _, need := range []column{columnKey, columnSize} {
		if !slices.Contains(list, need) {
			return nil, fmt.Errorf("the columns %s lack the key or the size", strings.Join(names, ","))
		}
	}
	return list, nil
}

// inventoryEntry is one object of an inventory.
type inventoryEntry struct {
	key []byte // valid until the next one
	store.ImportObject
}
