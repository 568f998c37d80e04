"""A real Prometheus with docker/prometheus.yml beside a real server under load.

    python3 prometheus.py ../../bin/s3ultra

Checks that the configuration and what the server exposes are what promtool
takes, that the target is up, that every metric of docs/metrics.md is there with
the type and the labels that the page gives, and no other, and that every query
of the dashboard and of the page returns data. Prometheus and promtool are taken
from the path (Debian: prometheus); everything else is the standard library's.
"""

import contextlib
import http.client
import json
import math
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# What Grafana puts in the place of $__rate_interval: four scrapes.
RATE_INTERVAL = "8s"
# Data is there after three scrapes, of two seconds each. The rest is for a
# machine that is busy with other work.
PATIENCE = 120
START_PATIENCE = 60

failures = []
passed = 0


def check(name, problem):
    """Notes a check: problem is None or what is wrong."""
    global passed
    if problem:
        failures.append(name)
        print(f"prometheus: FAILED  {name}: {problem}", flush=True)
    else:
        passed += 1


def wait(seconds, what, ask):
    """Returns what ask returns once that is true."""
    end = time.monotonic() + seconds
    while True:
        with contextlib.suppress(OSError, http.client.HTTPException):
            if got := ask():
                return got
        if time.monotonic() > end:
            raise SystemExit(f"prometheus: no {what} within {seconds} s")
        time.sleep(0.1)


@contextlib.contextmanager
def process(*command, **options):
    child = subprocess.Popen(command, **options)
    try:
        yield child
    finally:
        child.send_signal(signal.SIGTERM)
        try:
            child.wait(20)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


@contextlib.contextmanager
def serve(binary, folder):
    """A server with every metric it can have: yields its S3 and admin HOST:PORT."""
    flags = ["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--bucket", "synth,kept:memory",
             "--memory-limit", "1GiB", "--access-log", str(folder / "access.log")]
    with process(binary, "serve", *flags, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as child:
        ready = re.match(r"s3ultra ready: http://(\S+) .* admin=http://(\S+)", child.stdout.readline())
        if not ready:
            raise SystemExit("prometheus: the server printed no ready line")
        yield ready[1], ready[2]


class Load(threading.Thread):
    """Requests of every kind, and some that fail, until stop is set. A few
    hundred a second: it has to be seen, not to measure."""

    def __init__(self, address):
        super().__init__(daemon=True)
        self.address, self.stop, self.error = address, threading.Event(), None

    def run(self):
        try:
            s3 = http.client.HTTPConnection(self.address, timeout=30)
            body = b"x" * 100_000
            self.ask(s3, "POST", "/kept/unfinished?uploads")
            while not self.stop.wait(0.02):
                for bucket in "synth", "kept":
                    self.ask(s3, "PUT", f"/{bucket}/key", body)
                    self.ask(s3, "GET", f"/{bucket}/key")
                    self.ask(s3, "HEAD", f"/{bucket}/key")
                    self.ask(s3, "GET", f"/{bucket}?list-type=2")
                    self.ask(s3, "GET", f"/{bucket}/missing")
                self.ask(s3, "PUT", "/synth/large", bytes(8 << 20))
                self.leave()
        except (OSError, http.client.HTTPException) as e:
            self.error = e

    @staticmethod
    def ask(s3, method, path, body=None):
        s3.request(method, path, body)
        s3.getresponse().read()

    def leave(self):
        """Leaves in the middle of a reply that no socket's buffer holds."""
        host, port = self.address.rsplit(":", 1)
        with socket.create_connection((host, int(port)), timeout=30) as s:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            s.sendall(f"GET /synth/large HTTP/1.1\r\nHost: {self.address}\r\n\r\n".encode())
            s.recv(1000)


class Prometheus:
    """The HTTP API of a Prometheus."""

    def __init__(self, address):
        self.address = address

    def get(self, path, **query):
        url = f"http://{self.address}{path}?{urllib.parse.urlencode(query)}"
        try:
            with urllib.request.urlopen(url, timeout=30) as reply:
                text = reply.read()
        except urllib.error.HTTPError as e:
            # A query it refuses, with its reasons; 503 is that it still starts.
            if e.code not in (400, 422):
                raise
            text = e.read()
        return json.loads(text)

    def query(self, expr):
        """Returns what is wrong with the answer to a query, None if it has data."""
        answer = self.get("/api/v1/query", query=expr)
        if answer["status"] != "success":
            return answer.get("error")
        values = [float(r["value"][1]) for r in answer["data"]["result"]]
        values = [v for v in values if math.isfinite(v)]
        if not values:
            return "no data"
        # Under this load everything of ours happens every second.
        if "rate(s3ultra_" in expr and max(values) <= 0:
            return f"only {values}"
        return None


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as s:
        return s.getsockname()[1]


def promtool(*args, **options):
    """Returns what promtool complains of, None if it does not."""
    r = subprocess.run(["promtool", *args], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    return r.stdout.strip() if r.returncode else None


def documented():
    """Returns the metrics of docs/metrics.md, name -> (type, labels), and its queries."""
    page = (ROOT / "docs" / "metrics.md").read_text()
    rows = re.findall(r"^\| `(s3ultra_\w+)` \| (\w+) \|([^|]*)\|", page, re.M)
    queries = page.split("\n## Queries\n")[1].split("\n## ")[0]
    return ({name: (kind, set(re.findall(r"`(\w+)`", labels))) for name, kind, labels in rows},
            [line.split(" #")[0].strip() for line in queries.splitlines() if line.startswith("    ")])


def dashboard():
    """Returns the dashboard's queries as Grafana sends them, as (panel, expr)."""
    board = json.loads((ROOT / "docker" / "grafana" / "dashboards" / "s3ultra.json").read_text())
    for panel in board["panels"]:
        for target in panel.get("targets", []):
            expr = target["expr"].replace("$__rate_interval", RATE_INTERVAL).replace("$instance", ".*")
            assert "$" not in expr, f"unknown variable in {expr}"
            yield panel["title"], expr


def check_metrics(prometheus):
    """The metrics that were scraped are those of the page."""
    known, _ = documented()
    meta = prometheus.get("/api/v1/targets/metadata", match_target='{job="s3ultra"}')["data"]
    types = {m["metric"]: m["type"] for m in meta if m["metric"].startswith("s3ultra_")}
    check("docs/metrics.md: the names", None if types.keys() == known.keys() else
          f"only scraped: {sorted(types.keys() - known.keys())}, only on the page: {sorted(known.keys() - types.keys())}")
    for name, (kind, labels) in known.items():
        check(f"docs/metrics.md: type of {name}", None if types.get(name) == kind else f"{types.get(name)}, not {kind}")
        series = name + "_bucket" if kind == "histogram" else name
        got = prometheus.get("/api/v1/series", **{"match[]": series})["data"]
        found = set().union(*(s.keys() for s in got)) - {"__name__", "instance", "job", "le"}
        check(f"docs/metrics.md: labels of {name}",
              "no series" if not got else None if found == labels else f"{sorted(found)}, not {sorted(labels)}")


def check_queries(prometheus):
    """Every query has data, sooner or later."""
    open_queries = [(f"dashboard: {title}: {expr}", expr) for title, expr in dashboard()]
    open_queries += [(f"docs/metrics.md: {expr}", expr) for expr in documented()[1]]
    # What the dashboard's list of instances is made of.
    open_queries += [("dashboard: instances", "count by (instance) (s3ultra_build_info)")]
    assert len(open_queries) > 30, "queries are missing"
    end = time.monotonic() + PATIENCE
    while open_queries:
        left = [(name, expr, problem) for name, expr in open_queries if (problem := prometheus.query(expr))]
        late = time.monotonic() > end
        gone = {name for name, _, _ in left}
        for name, _ in open_queries:
            if name not in gone:
                check(name, None)
        if late:
            for name, _, problem in left:
                check(name, problem)
            return
        open_queries = [(name, expr) for name, expr, _ in left]
        time.sleep(1)


def main():
    binary = str(Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
        folder = Path(name)
        s3, admin = stack.enter_context(serve(binary, folder))
        text = (ROOT / "docker" / "prometheus.yml").read_text()
        assert text.count("s3ultra:9001") == 1
        config = folder / "prometheus.yml"
        config.write_text(text.replace("s3ultra:9001", admin))
        check("promtool check config", promtool("check", "config", str(config)))

        load = Load(s3)
        load.start()
        port = free_port()
        log = stack.enter_context(open(folder / "prometheus.log", "w+"))
        child = stack.enter_context(process(
            "prometheus", f"--config.file={config}", f"--storage.tsdb.path={folder / 'data'}",
            f"--web.listen-address=127.0.0.1:{port}", stdout=log, stderr=log))
        prometheus = Prometheus(f"127.0.0.1:{port}")

        def target():
            if child.poll() is not None:
                log.seek(0)
                raise SystemExit(f"prometheus: it ended with {child.returncode}: {log.read()[-2000:]}")
            active = prometheus.get("/api/v1/targets")["data"]["activeTargets"]
            return active if active and active[0]["health"] != "unknown" else None

        active = wait(START_PATIENCE, "scrape", target)
        check("one target", None if len(active) == 1 else f"{len(active)} of them")
        check("the target is up", None if active[0]["health"] == "up" else active[0]["lastError"])
        print(f"prometheus: a scrape took {active[0]['lastScrapeDuration'] * 1000:.1f} ms", flush=True)
        check_queries(prometheus)
        check_metrics(prometheus)
        with urllib.request.urlopen(f"http://{admin}/metrics", timeout=30) as reply:
            check("promtool check metrics", promtool("check", "metrics", input=reply.read().decode()))
        active = prometheus.get("/api/v1/targets")["data"]["activeTargets"]
        check("the target is still up", None if active[0]["health"] == "up" else active[0]["lastError"])
        load.stop.set()
        load.join(60)
        check("the load", str(load.error) if load.error else None)
    print(f"prometheus: {passed} passed, {len(failures)} failed", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
