package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// adminURL completes target, the URL or HOST:PORT of an admin server, with a
// path. An empty target is the address in S3ULTRA_ADMIN_LISTEN or the default.
func adminURL(target, path string) (*url.URL, error) {
	if target == "" {
		target = orDefault(os.Getenv(envName("admin-listen")), defaultAdminListen)
	}
	if target == "off" {
		return nil, usagef("%s is off: name the URL of an admin server", envName("admin-listen"))
	}
	full := target
	if !strings.Contains(full, "://") {
		full = "http://" + full
	}
	u, err := url.Parse(full)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, usagef("bad URL %q: want http://HOST:PORT", target)
	}
	if host, port, err := net.SplitHostPort(u.Host); err == nil {
		u.Host = reachable(host, port)
	}
	u.Path = path
	return u, nil
}

// askAdmin returns the body of a 2xx answer that is complete within timeout.
func askAdmin(ctx context.Context, timeout time.Duration, method, address string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, address, nil)
	if err != nil {
		return nil, usagef("bad URL %q: %w", address, err)
	}
	// As for health checks: another machine's answer, through a proxy, says
	// nothing about this one.
	client := &http.Client{Timeout: timeout, Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		var ue *url.Error
		if errors.As(err, &ue) {
			err = ue.Err
		}
		return nil, fmt.Errorf("cannot reach %s: %w", address, err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, fmt.Errorf("cannot read the answer of %s: %w", address, err)
	}
	if resp.StatusCode >= 300 {
		return nil, fmt.Errorf("%s answered %s: %.200s", address, resp.Status, strings.TrimSpace(string(text)))
	}
	return text, nil
}
