"""The server under test: started on port 0, its addresses read from the ready line."""

import os
import pathlib
import itertools
import re
import secrets
import signal
import subprocess
import threading
import time
from dataclasses import dataclass, field

from . import formula
from .compare import md5_etag

REPO = pathlib.Path(__file__).resolve().parents[3]
OUT = pathlib.Path(os.environ.get("E2E_OUT", REPO / "e2e" / "out"))

ACCESS_KEY = "e2e-access-key"
SECRET_KEY = "e2e-secret/key+with=signs"  # `/ + =` are what clients get wrong in a secret
REGION = "us-east-1"
SEED = 20260731  # any number but the default, so that a server ignoring --seed is noticed
KEEP_SMALL = 512  # the server's default: below it a synthetic object keeps its true bytes

# A start takes milliseconds; the rest is for a machine busy with other work.
START_SECONDS = 30
STOP_SECONDS = 15


@dataclass
class Server:
    """A running server and what the tests must know of it.

    urls has one base URL a listener, without a trailing slash.
    """

    mode: str
    urls: list[str]
    access_key: str = ACCESS_KEY
    secret_key: str = SECRET_KEY
    seed: int = SEED
    process: subprocess.Popen | None = None
    # Buckets of two runs against one external server must not meet.
    suffix: str = field(default_factory=lambda: secrets.token_hex(3))

    @property
    def url(self):
        return self.urls[0]

    @property
    def host(self):
        """127.0.0.1:port, for clients that take no URL."""
        return self.url.split("://", 1)[1]

    @property
    def port(self):
        return int(self.url.rsplit(":", 1)[1])

    def bucket(self, name):
        """A bucket name of this run for a client or a purpose."""
        return f"e2e-{name}-{self.suffix}".lower().replace(" ", "-")

    def environment(self):
        """The variables that AWS clients read; nothing of the user's own configuration leaks in."""
        return {
            "AWS_ACCESS_KEY_ID": self.access_key,
            "AWS_SECRET_ACCESS_KEY": self.secret_key,
            "AWS_REGION": REGION,
            "AWS_DEFAULT_REGION": REGION,
            "AWS_ENDPOINT_URL": self.url,
            "AWS_CONFIG_FILE": "/dev/null",
            "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
            "AWS_EC2_METADATA_DISABLED": "true",
            # A retry would hide a fault of the server.
            "AWS_MAX_ATTEMPTS": "1",
        }

    def keeps(self, size):
        """Whether an object of size bytes is served as it was written."""
        return self.mode == "memory" or size < KEEP_SMALL

    def expected(self, bucket, key, data):
        """The bytes that reading bucket/key must give after data was written to it."""
        if self.keeps(len(data)):
            return bytes(data)
        return formula.content(self.seed, bucket, key, 0, len(data))

    def check_etag(self, etag, data, part_size=0):
        """Asserts the form of an ETag: the true MD5 where bytes are kept, else one that no client takes for an MD5."""
        etag = etag.strip('"')
        if self.mode == "memory":
            want = md5_etag(data, part_size)
            assert etag == want, f"unexpected ETag; got {etag}; want {want}"
            return
        parts = -(-len(data) // part_size) if part_size else 1
        if self.keeps(len(data)) and etag == md5_etag(data, part_size):
            return
        assert re.fullmatch(rf"[0-9a-f]{{32}}-{parts}", etag), (
            f"unexpected ETag of a synthetic object; got {etag}; want 32 hex digits and -{parts}"
        )

    def stop(self):
        """SIGTERM must end the server cleanly: exit code 0."""
        if self.process is None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise AssertionError(f"the server did not stop within {STOP_SECONDS} s of SIGTERM") from None
        assert code == 0, f"unexpected exit code of the server; got {code}; want 0"


def start(mode, listeners=1, flags=(), keys=(ACCESS_KEY, SECRET_KEY)):
    """Starts a server in mode with that many listeners and a key pair. Stop it with Server.stop."""
    external = os.environ.get("E2E_ENDPOINT")
    if external:
        # Any S3 server can stand in for memory mode: it tells a fault of ours from one of the client.
        return Server(
            mode,
            [external] * listeners,
            os.environ.get("E2E_ACCESS_KEY", ACCESS_KEY),
            os.environ.get("E2E_SECRET_KEY", SECRET_KEY),
        )
    binary = os.environ.get("E2E_BINARY", str(REPO / "bin" / "s3ultra"))
    command = [binary, "serve", "--mode", mode, "--seed", str(SEED)]
    command += ["--access-key", keys[0], "--secret-key", keys[1]]
    command += ["--listen", "127.0.0.1:0"] * listeners
    log = open(OUT / f"server-{mode}-{os.getpid()}.log", "ab")
    with log:
        process = subprocess.Popen([*command, *flags], stdout=subprocess.PIPE, stderr=log, text=True)
    ready = threading.Event()
    urls = []

    def read():
        for line in process.stdout:
            if line.startswith("s3ultra ready:"):
                # The addresses come before the settings, one of which is the admin server's.
                urls.extend(itertools.takewhile(lambda word: word.startswith("http://"), line.split()[2:]))
                ready.set()
        ready.set()

    threading.Thread(target=read, daemon=True).start()
    deadline = time.monotonic() + START_SECONDS
    ready.wait(START_SECONDS)
    if len(urls) != listeners:
        process.kill()
        raise AssertionError(
            f"unexpected ready line after {START_SECONDS - (deadline - time.monotonic()):.0f} s; "
            f"got {len(urls)} addresses; want {listeners}; see {log.name}"
        )
    return Server(mode, urls, *keys, process=process)
