package main

import (
	"io/fs"
	"math"
	"path"
	"strconv"
	"strings"
)

// parseMemoryLimit returns the bytes of a --memory-limit: a size, or a percent
// of available, the memory this process may use (0: unknown). The result 0
// means no limit.
func parseMemoryLimit(s string, available int64) (int64, error) {
	number, isPercent := strings.CutSuffix(strings.TrimSpace(s), "%")
	if !isPercent {
		n, err := parseSize(s)
		if err != nil {
			return 0, usagef("bad --memory-limit: %w", err)
		}
		return n, nil
	}
	percent, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || !(percent > 0 && percent <= 100) {
		return 0, usagef("bad --memory-limit: %q is not a percent above 0 and up to 100", s)
	}
	return int64(float64(available) * percent / 100), nil
}

// availableMemory returns the bytes of memory that this process may use: the
// least of its control groups' limits and of the machine's memory, 0 if none
// of them can be told. root is the file system's root.
func availableMemory(root fs.FS) int64 {
	least := int64(math.MaxInt64)
	for _, n := range []int64{machineMemory(root), cgroupMemory(root)} {
		if n > 0 {
			least = min(least, n)
		}
	}
	if least == math.MaxInt64 {
		return 0
	}
	return least
}

// machineMemory reads MemTotal; 0 where there is no /proc/meminfo.
func machineMemory(root fs.FS) int64 {
	text, _ := fs.ReadFile(root, "proc/meminfo")
	for line := range strings.Lines(string(text)) {
		rest, ok := strings.CutPrefix(line, "MemTotal:")
		if !ok {
			continue
		}
		kib, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
		if err == nil {
			return kib << 10
		}
	}
	return 0
}

// cgroupMemory returns the least limit of the process's control group and its
// parents, version 1 or 2, 0 if there is none. In a container the path in
// /proc/self/cgroup may be the host's, which does not exist there; the walk up
// then still meets the container's own limit at the root of the mount.
// Formats: cgroups(7), kernel documents cgroup-v1/memory and cgroup-v2.
func cgroupMemory(root fs.FS) int64 {
	least := int64(0)
	groups, _ := fs.ReadFile(root, "proc/self/cgroup")
	for line := range strings.Lines(string(groups)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) != 3 {
			continue
		}
		mount, file := "", ""
		switch {
		case fields[0] == "0" && fields[1] == "":
			mount, file = "sys/fs/cgroup", "memory.max"
		case strings.Contains(","+fields[1]+",", ",memory,"):
			mount, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		default:
			continue
		}
		for dir := path.Clean("/" + fields[2]); ; dir = path.Dir(dir) {
			n := readLimit(root, path.Join(mount, dir, file))
			if n > 0 && (least == 0 || n < least) {
				least = n
			}
			if dir == "/" {
				break
			}
		}
	}
	return least
}

// readLimit returns the number in a kernel's limit file; 0 if there is no file or no
// limit ("max"; version 1 writes a number near 2^63 instead, which the
// machine's memory undercuts).
func readLimit(root fs.FS, name string) int64 {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		return 0
	}
	return n
}
