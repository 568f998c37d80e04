package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience bounds each wait for the server: a loaded CI machine may need
// seconds for what takes milliseconds.
const patience = 20 * time.Second

// binary is the path of the command, built once by TestMain.
var binary string

func TestMain(m *testing.M) {
	// The settings of whoever runs the tests are not theirs.
	for _, pair := range os.Environ() {
		if name, _, _ := strings.Cut(pair, "="); strings.HasPrefix(name, envPrefix) || strings.HasPrefix(name, minioPrefix) {
			os.Unsetenv(name)
		}
	}
	dir, err := os.MkdirTemp("", "s3ultra")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	binary = filepath.Join(dir, "s3ultra")
	build := exec.Command("go", "build", "-o", binary, ".")
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	code := 1
	if err := build.Run(); err == nil {
		code = m.Run()
	}
	os.RemoveAll(dir)
	os.Exit(code)
}

// command returns the real binary with only the environment given.
func command(env []string, args ...string) *exec.Cmd {
	cmd := exec.Command(binary, args...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH")}, env...)
	return cmd
}

// process is a running server.
type process struct {
	cmd    *exec.Cmd
	url    string
	ready  string // the ready line
	stdout *bufio.Reader
	stderr *logBuffer
	exit   chan error
}

// logBuffer takes what a running process writes, for a test to look at
// meanwhile.
type logBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// start runs serve on a free port and waits for the ready line.
func start(t *testing.T, args ...string) *process {
	t.Helper()
	return startWith(t, nil, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
}

// startWith runs the binary with that environment and waits for the ready line.
func startWith(t *testing.T, env []string, args ...string) *process {
	t.Helper()
	p := &process{cmd: command(env, args...), stderr: new(logBuffer), exit: make(chan error, 1)}
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p.cmd.Stdout, p.cmd.Stderr = writer, p.stderr
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	writer.Close()
	p.stdout = bufio.NewReader(reader)
	go func() { p.exit <- p.cmd.Wait() }()
	t.Cleanup(func() {
		p.cmd.Process.Kill()
		reader.Close()
	})
	reader.SetReadDeadline(time.Now().Add(patience))
	if p.ready, err = p.stdout.ReadString('\n'); err != nil {
		p.cmd.Process.Kill()
		<-p.exit
		t.Fatalf("no ready line: %v\n%s", err, p.stderr)
	}
	p.url, _, _ = strings.Cut(strings.TrimPrefix(p.ready, "s3ultra ready: "), " ")
	return p
}

// wait returns the exit code.
func (p *process) wait(t *testing.T) int {
	t.Helper()
	select {
	case err := <-p.exit:
		p.exit <- err
		return exitCode(t, err)
	case <-time.After(patience):
		t.Fatalf("the server did not end\n%s", p.stderr)
		return -1
	}
}

// exitCode returns the code in the error of a process's end.
func exitCode(t *testing.T, err error) int {
	t.Helper()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("cannot run the binary: %v", err)
	}
	if exit != nil {
		return exit.ExitCode()
	}
	return 0
}

func (p *process) host() string { return strings.TrimPrefix(p.url, "http://") }

func (p *process) signal(t *testing.T) {
	t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
}

// halfPut sends a PUT of 10 bytes but for the last one, and returns once the
// server has asked for the body, so that the request certainly is in flight.
func (p *process) halfPut(t *testing.T) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", p.host())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(patience))
	fmt.Fprintf(conn, "PUT /slow/key HTTP/1.1\r\nHost: %s\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n", p.host())
	line, err := bufio.NewReader(io.LimitReader(conn, int64(len("HTTP/1.1 100 Continue\r\n\r\n")))).ReadString('\n')
	if err != nil || !strings.Contains(line, " 100 ") {
		t.Fatalf("unexpected answer to Expect; got %q, %v; want 100", line, err)
	}
	io.WriteString(conn, "012345678")
	return conn
}

// refusing waits until new connections are refused: the signal has arrived.
func (p *process) refusing(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		conn, err := net.Dial("tcp", p.host())
		if err != nil {
			return
		}
		conn.Close()
	}
	t.Fatal("the server still accepts connections after the signal")
}

func TestExitCodes(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	keys := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(keys, []byte("lonely\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := func(code int, want string, args ...string) {
		t.Helper()
		var stdout, stderr bytes.Buffer
		cmd := command(nil, args...)
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		got := exitCode(t, cmd.Run())
		if got != code || !strings.Contains(stdout.String()+stderr.String(), want) {
			t.Fatalf("unexpected exit of %q; got %d %q %q; want %d with %q", args, got, stdout.String(), stderr.String(), code, want)
		}
		if code != 0 && (strings.Count(stderr.String(), "\n") != 1 || stdout.Len() != 0 || !strings.HasPrefix(stderr.String(), "s3ultra: ")) {
			t.Fatalf("the failure of %q is not one line; got %q %q", args, stdout.String(), stderr.String())
		}
	}
	f(0, "s3ultra ", "version")
	f(0, runtime.Version(), "--version")
	f(0, "COMMANDS", "--help")
	f(0, "--memory-limit", "help", "serve")
	f(0, "complete -F", "completion", "bash")
	f(1, "cannot listen on "+taken.Addr().String()+": address already in use", "--log-level", "error", "--listen", "127.0.0.1:0", "--listen", taken.Addr().String())
	f(1, "cannot reach http://127.0.0.1:1/", "health", "127.0.0.1:1")
	f(2, `unknown command "sevre"`, "sevre")
	f(2, "unknown flag --prot", "--prot", "1")
	f(2, "set --access-key and --secret-key together", "--access-key", "a")
	f(2, `bad --bucket "A"`, "serve", "--bucket", "A")
	f(2, "cannot read --credentials: open /nonexistent: no such file or directory", "--credentials", "/nonexistent")
	f(2, "keys: line 1: want ACCESS SECRET", "--credentials", keys)
	f(2, "bad URL", "health", "ftp://x")
	f(2, "unknown shell", "completion", "tcsh")
}

// The ready line is what scripts parse: URLs, then key=value words. Cases P01
// (buckets at start) and P02 (health without credentials, ready only when
// listening).
func TestReadyLine(t *testing.T) {
	p := start(t, "--listen", "127.0.0.1:0", "--bucket", "one,two:memory", "--seed", "42",
		"--memory-limit", "1GiB", "--access-key", "AK", "--secret-key", "TOPSECRET")
	words := strings.Fields(strings.TrimPrefix(p.ready, "s3ultra ready: "))
	url := regexp.MustCompile(`^http://127\.0\.0\.1:[1-9][0-9]*$`)
	if len(words) < 3 || !url.MatchString(words[0]) || !url.MatchString(words[1]) || words[0] == words[1] {
		t.Fatalf("unexpected URLs in %q; want two", p.ready)
	}
	values := map[string]string{}
	for _, w := range words[2:] {
		name, value, ok := strings.Cut(w, "=")
		if !ok {
			t.Fatalf("unexpected word %q in %q; want key=value", w, p.ready)
		}
		values[name] = value
	}
	for name, want := range map[string]string{
		"mode": "synth", "seed": "42", "buckets": "one:synth,two:memory", "memory-limit": "1073741824",
		"auth": "keys:1", "region": "us-east-1", "pattern": "random",
	} {
		if values[name] != want {
			t.Errorf("unexpected %s in the ready line; got %q; want %q", name, values[name], want)
		}
	}
	if n, err := strconv.Atoi(values["nofile"]); err != nil || n <= 0 {
		t.Errorf("unexpected nofile; got %q; want a number", values["nofile"])
	}
	for _, u := range words[:2] {
		out, err := command(nil, "health", u).CombinedOutput()
		if err != nil || string(out) != "ok\n" {
			t.Errorf("unexpected health of %s; got %q, %v; want ok", u, out, err)
		}
	}
	out, err := command([]string{"S3ULTRA_LISTEN=" + p.host()}, "health").CombinedOutput()
	if err != nil || string(out) != "ok\n" {
		t.Errorf("unexpected health by S3ULTRA_LISTEN; got %q, %v; want ok", out, err)
	}
	p.signal(t)
	if code := p.wait(t); code != 0 {
		t.Errorf("unexpected exit code after SIGTERM; got %d; want 0\n%s", code, p.stderr)
	}
	rest, _ := io.ReadAll(p.stdout)
	for _, want := range []string{"export AWS_ENDPOINT_URL=" + words[0] + " S3_ENDPOINT_URL=" + words[0] + "\n", "export AWS_ACCESS_KEY_ID=AK", "export AWS_REGION=us-east-1", "export S3_ENDPOINT_URIS=" + words[0] + "," + words[1]} {
		if !strings.Contains(string(rest), want) {
			t.Errorf("the ready block lacks %q; got %q", want, rest)
		}
	}
	if strings.Contains(string(rest)+p.ready+p.stderr.String(), "TOPSECRET") {
		t.Error("the secret key was printed")
	}
}

// The exported lines are shell, also those with comments.
func TestDemoBlockIsShell(t *testing.T) {
	p := start(t, "--demo")
	p.signal(t)
	if code := p.wait(t); code != 0 {
		t.Fatalf("unexpected exit code; got %d; want 0\n%s", code, p.stderr)
	}
	rest, _ := io.ReadAll(p.stdout)
	script := string(rest) + `echo "$AWS_ENDPOINT_URL $AWS_ACCESS_KEY_ID $AWS_SECRET_ACCESS_KEY $AWS_DEFAULT_REGION"`
	// The clients' commands are only checked for their syntax here.
	cmd := exec.Command("sh", "-c", "aws() { cat >/dev/null </dev/null; }\npython3() { :; }\n"+script)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	out, err := cmd.CombinedOutput()
	if want := p.url + " demo demo-secret us-east-1\n"; err != nil || !strings.HasSuffix(string(out), want) {
		t.Fatalf("unexpected result of the pasted block; got %q, %v; want %q", out, err, want)
	}
}

// SIGTERM lets a request in flight end and takes no new ones.
func TestDrain(t *testing.T) {
	p := start(t, "--bucket", "slow:memory")
	conn := p.halfPut(t)
	p.signal(t)
	p.refusing(t)
	io.WriteString(conn, "9")
	status, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil || !strings.Contains(status, " 200 ") {
		t.Fatalf("unexpected answer to the slow PUT; got %q, %v; want 200\n%s", status, err, p.stderr)
	}
	if code := p.wait(t); code != 0 {
		t.Fatalf("unexpected exit code; got %d; want 0\n%s", code, p.stderr)
	}
}

// The wait for requests in flight is bounded, and cutting one off is not clean.
func TestShutdownTimeout(t *testing.T) {
	p := start(t, "--bucket", "slow", "--shutdown-timeout", "200ms")
	p.halfPut(t)
	p.signal(t)
	if code := p.wait(t); code != 1 || !strings.Contains(p.stderr.String(), "cut off") {
		t.Fatalf("unexpected end; got %d %q; want 1 and a line saying what was cut off", code, p.stderr)
	}
}

// A second signal does not wait.
func TestSecondSignal(t *testing.T) {
	p := start(t, "--bucket", "slow", "--shutdown-timeout", "1h")
	p.halfPut(t)
	p.signal(t)
	p.refusing(t)
	p.signal(t)
	if code := p.wait(t); code != 1 || !strings.Contains(p.stderr.String(), "second signal") {
		t.Fatalf("unexpected end; got %d %q; want 1 and a line naming the second signal", code, p.stderr)
	}
}

// Case H10: 4096 connections opened at once, one request each; none is refused.
func TestConnectionBurst(t *testing.T) {
	limit, err := raiseOpenFiles()
	if err != nil {
		t.Fatal(err)
	}
	count := 4096
	if limit > 0 {
		// A machine that allows fewer files gets a smaller burst.
		count = int(min(uint64(count), limit/2))
	}
	p := start(t)
	begin := make(chan struct{})
	failures := make(chan error, count)
	for range count {
		go func() {
			<-begin
			failures <- func() error {
				conn, err := net.DialTimeout("tcp", p.host(), patience)
				if err != nil {
					return err
				}
				defer conn.Close()
				conn.SetDeadline(time.Now().Add(patience))
				io.WriteString(conn, "GET /_s3ultra/health HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
				answer, err := io.ReadAll(conn)
				if err == nil && !bytes.HasPrefix(answer, []byte("HTTP/1.1 200 ")) {
					err = fmt.Errorf("unexpected answer %q", answer)
				}
				return err
			}()
		}()
	}
	close(begin)
	failed := 0
	for range count {
		if err := <-failures; err != nil {
			failed++
			t.Log(err)
		}
	}
	if failed > 0 {
		t.Fatalf("unexpected failures; got %d of %d connections; want 0", failed, count)
	}
}

// s3ultra serve | head -1 leaves a server that runs, also when it logs to the
// closed pipe.
func TestClosedOutput(t *testing.T) {
	cmd := command(nil, "serve", "--listen", "127.0.0.1:0", "--bucket", "piped")
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = writer, writer
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	exit := make(chan error, 1)
	go func() { exit <- cmd.Wait() }()
	t.Cleanup(func() { cmd.Process.Kill() })
	writer.Close()
	reader.SetReadDeadline(time.Now().Add(patience))
	url := ""
	for lines := bufio.NewScanner(reader); url == "" && lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), "s3ultra ready: "); ok {
			url, _, _ = strings.Cut(rest, " ")
		}
	}
	reader.Close()
	// A refused request is a log line.
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatalf("cannot reach %q: %v", url, err)
	}
	conn.SetDeadline(time.Now().Add(patience))
	io.WriteString(conn, "GET /missing-bucket/key HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
	io.Copy(io.Discard, conn)
	conn.Close()
	if out, err := command(nil, "health", url).CombinedOutput(); err != nil {
		t.Fatalf("the server died after its output was closed: %q, %v", out, err)
	}
	cmd.Process.Signal(syscall.SIGTERM)
	select {
	case err := <-exit:
		if code := exitCode(t, err); code != 0 {
			t.Fatalf("unexpected exit code; got %d; want 0", code)
		}
	case <-time.After(patience):
		t.Fatal("the server did not end")
	}
}
