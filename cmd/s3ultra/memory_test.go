package main

import (
	"testing"
	"testing/fstest"
)

func TestAvailableMemory(t *testing.T) {
	f := func(files map[string]string, want int64) {
		t.Helper()
		root := fstest.MapFS{}
		for name, text := range files {
			root[name] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := availableMemory(root); got != want {
			t.Fatalf("unexpected memory with %v; got %d; want %d", files, got, want)
		}
	}
	const meminfo = "MemTotal:       16384000 kB\nMemFree:        1 kB\n"
	const machine = 16384000 << 10

	f(nil, 0)
	f(map[string]string{"proc/meminfo": meminfo}, machine)
	// Version 2, in a container that sees only its own group.
	f(map[string]string{
		"proc/meminfo":             meminfo,
		"proc/self/cgroup":         "0::/\n",
		"sys/fs/cgroup/memory.max": "1073741824\n",
	}, 1<<30)
	// Version 2: the parent's limit is the smaller one.
	f(map[string]string{
		"proc/meminfo":                             meminfo,
		"proc/self/cgroup":                         "0::/a.slice/b.scope\n",
		"sys/fs/cgroup/a.slice/memory.max":         "536870912\n",
		"sys/fs/cgroup/a.slice/b.scope/memory.max": "max\n",
	}, 512<<20)
	// Version 1 in a container: the path is the host's, the mount the container's.
	f(map[string]string{
		"proc/meminfo":     meminfo,
		"proc/self/cgroup": "5:cpu,cpuacct:/docker/x\n4:memory:/docker/x\n",
		"sys/fs/cgroup/memory/memory.limit_in_bytes": "2147483648\n",
	}, 2<<30)
	// Version 1 without a limit writes a huge number.
	f(map[string]string{
		"proc/meminfo":     meminfo,
		"proc/self/cgroup": "4:memory:/\n",
		"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
	}, machine)
}

func TestParseMemoryLimit(t *testing.T) {
	f := func(s string, want int64, wantOK bool) {
		t.Helper()
		got, err := parseMemoryLimit(s, 1000)
		if got != want || (err == nil) != wantOK {
			t.Fatalf("unexpected limit for %q; got %d, %v; want %d, ok %v", s, got, err, want, wantOK)
		}
	}
	f("80%", 800, true)
	f("12.5 %", 125, true)
	f("0", 0, true)
	f("1KiB", 1024, true)
	f("0%", 0, false)
	f("101%", 0, false)
	f("NaN%", 0, false)
	f("lots", 0, false)
}
