package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// envPrefix begins the name of every environment variable that is read.
const envPrefix = "S3ULTRA_"

// envName returns the variable of a flag: memory-limit is S3ULTRA_MEMORY_LIMIT.
func envName(flag string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// dropUnsetVariables removes from the environment the variables that were set
// without meaning a value: empty ones (compose files and CI systems pass those
// for "not given"), and the
// S3ULTRA_PORT=tcp://10.0.0.7:9000 which Kubernetes puts into every pod beside
// a service named s3ultra.
func dropUnsetVariables() {
	for _, pair := range os.Environ() {
		name, value, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, envPrefix) {
			continue
		}
		if value == "" || name == envName("port") && strings.Contains(value, "://") {
			os.Unsetenv(name)
		}
	}
}

// unknownVariables returns the S3ULTRA_ variables that nothing reads, sorted:
// a misspelt setting should not pass in silence. known holds the names of the
// flags. The variables Kubernetes makes for a service of that name
// (S3ULTRA_SERVICE_*, S3ULTRA_PORT_*) are left out.
func unknownVariables(known []string) []string {
	var unknown []string
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, envPrefix) ||
			strings.HasPrefix(name, envPrefix+"SERVICE_") || strings.HasPrefix(name, envPrefix+"PORT_") {
			continue
		}
		isKnown := func(flag string) bool {
			return name == envName(flag) || isSecret(flag) && name == envName(flag)+"_FILE"
		}
		if !slices.ContainsFunc(known, isKnown) {
			unknown = append(unknown, name)
		}
	}
	slices.Sort(unknown)
	return unknown
}

// isSecret tells whether a flag's value may also come from a file named by
// S3ULTRA_<FLAG>_FILE, as container secrets do.
func isSecret(flag string) bool { return flag == "access-key" || flag == "secret-key" }

// secretFromFile returns the content, without the line end, of the file that
// S3ULTRA_<FLAG>_FILE names; "" if the variable is not set.
func secretFromFile(flag string) (string, error) {
	path := os.Getenv(envName(flag) + "_FILE")
	if path == "" {
		return "", nil
	}
	return readSecret(envName(flag)+"_FILE", path)
}

// readSecret returns the content, without the line end, of the file at path,
// which variable names.
func readSecret(variable, path string) (string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", usagef("cannot read %s: %w", variable, err)
	}
	value := strings.TrimRight(string(data), "\r\n")
	if value == "" {
		return "", usagef("cannot use %s: %s is empty", variable, path)
	}
	return value, nil
}

// commandLineValue returns the first value of a flag in args, "" without one.
func commandLineValue(args []string, flag string) string {
	for i, a := range args {
		if a == "--" {
			break
		}
		name, value, ok := strings.Cut(a, "=")
		if name != "--"+flag && name != "-"+flag {
			continue
		}
		if !ok && i+1 < len(args) {
			return args[i+1]
		}
		return value
	}
	return ""
}

// shellQuote returns s so that a POSIX shell reads it as one word.
func shellQuote(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:@%+,", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return fmt.Sprintf("'%s'", strings.ReplaceAll(s, "'", `'\''`))
}
