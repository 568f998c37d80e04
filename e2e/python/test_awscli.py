"""The aws command: its s3api calls and its s3 transfers, each a process of its own."""

import json
import os
import pathlib
import subprocess
import sys
import time
import urllib.request
from importlib.metadata import version

import pytest

from harness.compare import KIB, payload, same
from harness.suite import BIG, PART, ClientSuite, Missing, Unsatisfiable

AWS = str(pathlib.Path(sys.executable).parent / "aws")
# s3 transfers in the parts of the other clients, and no more threads than a small machine can use.
# Without s3v4 `aws s3 presign` falls back to a signature of version 2.
CONFIG = f"""[default]
s3 =
  signature_version = s3v4
  multipart_threshold = {PART + 1}
  multipart_chunksize = {PART}
  max_concurrent_requests = 4
"""


class Failed(Exception):
    """The command's error text."""


class TestAWSCLI(ClientSuite):
    client = "aws CLI"
    version = version("awscli")
    # A process start takes most of a second. boto3, which shares the CLI's library, does the rest.
    thorough = False
    odd_keys = ("a+b c", "é", "a//b", "%2F")

    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path):
        self.folder = tmp_path
        (tmp_path / "config").write_text(CONFIG)

    def connect(self):
        pass

    def aws(self, *arguments):
        env = {k: v for k, v in os.environ.items() if not k.startswith("AWS_")}
        env |= self.server.environment() | {"AWS_CONFIG_FILE": str(self.folder / "config"), "AWS_PAGER": ""}
        done = subprocess.run([AWS, *arguments], env=env, capture_output=True, text=True, timeout=120)
        if done.returncode:
            raise Failed(done.stderr.strip())
        return done.stdout

    def api(self, operation, **parameters):
        arguments = []
        for name, value in parameters.items():
            # `--key=value`: a value may start with a dash.
            arguments.append(f"--{name.replace('_', '-')}={value}")
        out = self.aws("s3api", operation, *arguments, "--output=json")
        return json.loads(out) if out.strip() else {}

    def bucket_exists(self, bucket):
        return bucket in self.aws("s3", "ls").split()

    def create_bucket(self, bucket):
        self.aws("s3", "mb", f"s3://{bucket}")

    def delete_bucket(self, bucket):
        self.aws("s3", "rb", f"s3://{bucket}")

    def put(self, bucket, key, data):
        (self.folder / "up").write_bytes(data)
        return self.api("put-object", bucket=bucket, key=key, body=self.folder / "up")["ETag"]

    def _get(self, bucket, key, *more):
        target = self.folder / "down"
        try:
            out = self.aws("s3api", "get-object", f"--bucket={bucket}", f"--key={key}", *more, str(target))
        except Failed as error:
            if "NoSuchKey" in str(error):
                raise Missing from error
            if "InvalidRange" in str(error):
                raise Unsatisfiable from error
            raise
        return target.read_bytes(), json.loads(out)

    def get(self, bucket, key):
        return self._get(bucket, key)[0]

    def get_etag(self, bucket, key):
        return self._get(bucket, key)[1]["ETag"]

    def get_range(self, bucket, key, start, end):
        return self._get(bucket, key, f"--range=bytes={start}-{end - 1}")[0]

    def get_suffix(self, bucket, key, n):
        return self._get(bucket, key, f"--range=bytes=-{n}")[0]

    def head(self, bucket, key):
        try:
            reply = self.api("head-object", bucket=bucket, key=key)
        except Failed as error:
            assert "(404)" in str(error)
            raise Missing from error
        return reply["ContentLength"], reply["ETag"]

    def delete(self, bucket, key):
        self.api("delete-object", bucket=bucket, key=key)

    def list(self, bucket, prefix="", delimiter=""):
        more = {"delimiter": delimiter} if delimiter else {}
        reply = self.api("list-objects-v2", bucket=bucket, prefix=prefix, **more)
        entries = [(o["Key"], o["Size"], o["ETag"]) for o in reply.get("Contents") or []]
        return entries, [p["Prefix"] for p in reply.get("CommonPrefixes") or []]

    def copy(self, bucket, source, target):
        self.api("copy-object", bucket=bucket, key=target, copy_source=f"{bucket}/{source}")

    def delete_many(self, bucket, keys):
        request = json.dumps({"Objects": [{"Key": key} for key in keys], "Quiet": False})
        reply = self.api("delete-objects", bucket=bucket, delete=request)
        assert len(reply["Deleted"]) == len(keys)

    def put_multipart(self, bucket, key, data):
        (self.folder / "up").write_bytes(data)
        self.aws("s3", "cp", str(self.folder / "up"), f"s3://{bucket}/{key}")

    def test_presign(self):
        """aws s3 presign makes GET links only."""
        data = payload("cli presign", 100 * KIB)
        self.put(self.home, "presign/a b+é", data)
        url = self.aws("s3", "presign", f"s3://{self.home}/presign/a b+é", "--expires-in=60").strip()
        with urllib.request.urlopen(url) as reply:
            same(reply.read(), self.server.expected(self.home, "presign/a b+é", data), "presigned GET")

    # -- what only the CLI does

    def test_multipart__download(self):
        """aws s3 cp down: HEAD, then parallel ranges."""
        data = payload("cli down", 3 * PART + 1)
        self.put_multipart(self.home, "transfer/big", data)
        self.aws("s3", "cp", f"s3://{self.home}/transfer/big", str(self.folder / "big"))
        got = (self.folder / "big").read_bytes()
        same(got, self.server.expected(self.home, "transfer/big", data), "aws s3 cp down")

    def test_anonymous(self):
        """A policy by put-bucket-policy, and --no-sign-request."""
        self.put(self.home, "anonymous/k", b"for everybody")
        with pytest.raises(Failed, match="AccessDenied|403"):
            self.aws("s3", "ls", "--no-sign-request", f"s3://{self.home}/anonymous/")
        statements = [
            {"Action": "s3:ListBucket", "Resource": f"arn:aws:s3:::{self.home}", "Condition": {"StringEquals": {"s3:prefix": "anonymous/"}}},
            {"Action": "s3:GetObject", "Resource": f"arn:aws:s3:::{self.home}/anonymous/*"},
        ]  # fmt: skip
        policy = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": "*"} | s for s in statements]}
        self.aws("s3api", "put-bucket-policy", f"--bucket={self.home}", f"--policy={json.dumps(policy)}")
        try:
            assert self.aws("s3", "ls", "--no-sign-request", f"s3://{self.home}/anonymous/").split()[-1] == "k"
            self.aws("s3", "cp", "--no-sign-request", f"s3://{self.home}/anonymous/k", str(self.folder / "k"))
            same((self.folder / "k").read_bytes(), b"for everybody", "anonymous download")
            with pytest.raises(Failed, match="AccessDenied"):
                self.aws("s3", "ls", "--no-sign-request", f"s3://{self.home}")
        finally:
            self.aws("s3api", "delete-bucket-policy", f"--bucket={self.home}")

    def test_sync(self):
        source, target = self.folder / "source", self.folder / "target"
        names = {f"{d}/file {i}": payload(f"{d}{i}", size) for d in "xy" for i, size in enumerate((0, 10, 5000, BIG))}
        for name, data in names.items():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            (source / name).write_bytes(data)
            # sync compares in whole seconds: a file as old as its object would be taken for newer.
            os.utime(source / name, (time.time() - 60, time.time() - 60))
        self.aws("s3", "sync", str(source), f"s3://{self.home}/sync/")
        again = self.aws("s3", "sync", str(source), f"s3://{self.home}/sync/")
        assert again.strip() == "", f"a second sync must find nothing to do; got {again}"
        self.aws("s3", "sync", f"s3://{self.home}/sync/", str(target))
        for name, data in names.items():
            want = self.server.expected(self.home, f"sync/{name}", data)
            same((target / name).read_bytes(), want, f"synced {name}")
        summary = self.aws("s3", "ls", f"s3://{self.home}/sync/", "--recursive", "--summarize")
        assert "Total Objects: 8" in summary and f"Total Size: {2 * (10 + 5000 + BIG)}" in summary
        self.aws("s3", "rm", f"s3://{self.home}/sync/", "--recursive")
        assert self.list(self.home, "sync/")[0] == []
