package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/s3ultra/s3ultra/cmd/s3ultra/cli"
)

const (
	// healthTimeout bounds the whole check. Container runtimes give 1 to 30 s
	// and a healthy server on the same machine answers within a millisecond.
	healthTimeout = 2 * time.Second

	healthPath = "/_s3ultra/health"
)

func healthCommand() *cli.Command {
	return &cli.Command{
		Name:      "health",
		Usage:     "ask a running server whether it is up: exit code 0 or 1",
		UsageText: "s3ultra health [URL]",
		Description: "URL is a server's address, such as http://127.0.0.1:9000. Without it the address is taken from\n" +
			"S3ULTRA_LISTEN or S3ULTRA_BIND and S3ULTRA_PORT, in a container first from the command line of the\n" +
			"server that is its first process.",
		Action: func(c *cli.Context) error {
			if len(c.Args) > 1 {
				return usagef("unexpected argument %q after health URL", c.Arg(1))
			}
			target := c.Arg(0)
			if target == "" {
				target = healthTarget(os.Getenv, firstProcess())
			}
			if err := checkHealth(c, target); err != nil {
				return err
			}
			_, err := fmt.Fprintln(c.Stdout, "ok")
			return err
		},
	}
}

// healthTarget returns the address that a server with this environment and
// command line listens on; the first if there are several.
func healthTarget(getenv func(string) string, args []string) string {
	bind, port := commandLineValue(args, "bind"), commandLineValue(args, "port")
	addr := commandLineValue(args, "address")
	switch {
	case addr != "":
	case bind != "" || port != "":
		addr = joinPair(orDefault(bind, getenv(envName("bind"))), orDefault(port, getenv(envName("port"))))
	default:
		addr = orDefault(commandLineValue(args, "listen"), getenv(envName("listen")))
	}
	addr, _, _ = strings.Cut(addr, ",")
	if addr == "" {
		addr = joinPair(getenv(envName("bind")), getenv(envName("port")))
	}
	return strings.TrimSpace(addr)
}

// firstProcess returns the command line of process 1 if that is an s3ultra, as
// in a container, else nil.
func firstProcess() []string {
	text, err := os.ReadFile("/proc/1/cmdline")
	if err != nil {
		return nil
	}
	args := strings.Split(strings.TrimRight(string(text), "\x00"), "\x00")
	if filepath.Base(args[0]) != "s3ultra" {
		return nil
	}
	return args
}

func orDefault(s, def string) string {
	if s == "" {
		return def
	}
	return s
}

// checkHealth returns nil if the server at target answers its health path with
// 200 within healthTimeout. The environment's proxies are not used and
// redirects not followed: another machine's answer says nothing about this one.
func checkHealth(c *cli.Context, target string) error {
	address, err := healthURL(target)
	if err != nil {
		return err
	}
	client := &http.Client{
		Timeout:   healthTimeout,
		Transport: &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}
	req, err := http.NewRequestWithContext(c.Context, http.MethodGet, address, nil)
	if err != nil {
		return usagef("bad URL %q: %w", target, err)
	}
	resp, err := client.Do(req)
	if err != nil {
		var ue *url.Error
		if errors.As(err, &ue) {
			err = ue.Err
		}
		return fmt.Errorf("cannot reach %s: %w", address, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		// Enough of the answer to tell which other program has the port.
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 120))
		return fmt.Errorf("unhealthy: %s answered %s %q", address, resp.Status, text)
	}
	return nil
}

// healthURL completes target, a URL or HOST:PORT, to the URL of the health
// path. A wildcard address is asked on the loopback.
func healthURL(target string) (string, error) {
	full := target
	if !strings.Contains(full, "://") {
		full = "http://" + full
	}
	u, err := url.Parse(full)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", usagef("bad URL %q: want http://HOST:PORT", target)
	}
	if host, port, err := net.SplitHostPort(u.Host); err == nil {
		u.Host = reachable(host, port)
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = healthPath
	}
	return u.String(), nil
}

// reachable returns HOST:PORT for a client on this machine: a wildcard address
// becomes the IPv4 loopback, which a [::] listener takes too and which exists
// where IPv6 is switched off.
func reachable(host, port string) string {
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}
