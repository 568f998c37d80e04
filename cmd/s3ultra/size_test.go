package main

import (
	"strings"
	"testing"
)

func TestParseSize(t *testing.T) {
	f := func(s string, want int64) {
		t.Helper()
		got, err := parseSize(s)
		if err != nil || got != want {
			t.Fatalf("unexpected result for %q; got %d, %v; want %d", s, got, err, want)
		}
	}
	f("0", 0)
	f("512", 512)
	f("512B", 512)
	f("64MiB", 64<<20)
	f("64MB", 64e6)
	f("1.5GiB", 3<<29)
	f("0.5KiB", 512)
	f(" 2 tib ", 2<<40)
	f("1kB", 1000)
	f("9223372036854775807", 1<<63-1)
}

func TestParseSizeFails(t *testing.T) {
	f := func(s, want string) {
		t.Helper()
		_, err := parseSize(s)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Fatalf("unexpected error for %q; got %v; want one with %q", s, err, want)
		}
	}
	f("", "is not a size")
	f("-1", "is not a size")
	f("MiB", "is not a size")
	f("1.2.3", "is not a number")
	f("64M", "write 64MiB (powers of 1024) or 64MB (powers of 1000)")
	f("64 Mi", `unknown unit "Mi"`)
	f("12furlongs", `unknown unit "furlongs"`)
	f("1.0001KiB", "not a whole number of bytes")
	f("9223372036854775808", "too large")
	f("8192PiB", "too large")
}

func TestFormatSize(t *testing.T) {
	f := func(n int64, want string) {
		t.Helper()
		if got := formatSize(n); got != want {
			t.Fatalf("unexpected text for %d; got %s; want %s", n, got, want)
		}
	}
	f(0, "0B")
	f(512, "512B")
	f(5<<20, "5MiB")
	f(1500, "1.5KiB")
	f(20221208166, "18.8GiB")
}
