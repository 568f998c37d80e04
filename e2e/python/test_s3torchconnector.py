"""s3torchconnectorclient: mountpoint-s3 and the AWS CRT, under PyTorch's S3 datasets and checkpoints.

Every upload is multipart, even of no bytes; every read is ranges of 8 MiB with If-Match.
"""

import os
import socket
import subprocess
import sys
import textwrap

import pytest
import s3torchconnectorclient
from s3torchconnectorclient._mountpoint_s3_client import MountpointS3Client, S3Exception

from harness.compare import KIB, MIB, payload, same
from harness.server import OUT, REGION
from harness.suite import PART, ClientSuite, Missing, Unsatisfiable


class TestS3TorchConnector(ClientSuite):
    client = "s3torchconnectorclient"
    version = s3torchconnectorclient.__version__
    lacks = frozenset({"bucket", "batch_delete", "presign"})
    has_suffix = False
    # The CRT refuses a copy source with a space in it before it sends anything.
    copy_source = "copy/source-{}-+é"
    etag_part_size = PART  # its uploads are multipart always

    def connect(self):
        self.s3 = MountpointS3Client(
            region=REGION, endpoint=self.server.url, force_path_style=True, max_attempts=1, part_size=PART
        )

    def put(self, bucket, key, data):
        stream = self.s3.put_object(bucket, key)
        for start in range(0, len(data), MIB):
            stream.write(bytes(data[start : start + MIB]))
        stream.close()

    def get(self, bucket, key, **where):
        try:
            return b"".join(self.s3.get_object(bucket, key, **where))
        except S3Exception as error:
            if "NoSuchKey" in str(error) or "does not exist" in str(error):
                raise Missing from error
            if "InvalidRange" in str(error):
                raise Unsatisfiable from error
            raise

    def get_range(self, bucket, key, start, end):
        return self.get(bucket, key, start=start, end=end)

    def head(self, bucket, key):
        try:
            reply = self.s3.head_object(bucket, key)
        except S3Exception as error:
            if "NotFound" in str(error) or "404" in str(error) or "not found" in str(error).lower():
                raise Missing from error
            raise
        return reply.size, reply.etag

    def delete(self, bucket, key):
        self.s3.delete_object(bucket, key)

    def list(self, bucket, prefix="", delimiter=""):
        entries, prefixes = [], []
        for page in self.s3.list_objects(bucket, prefix, delimiter):
            entries += [(o.key, o.size, o.etag) for o in page.object_info]
            prefixes += page.common_prefixes
        return entries, prefixes

    def copy(self, bucket, source, target):
        self.s3.copy_object(bucket, source, bucket, target)

    put_multipart = put

    # -- what only this client does

    def test_errors(self):
        with pytest.raises(S3Exception) as error:
            list(self.s3.list_objects("no-such-bucket-here", ""))
        assert "does not exist" in str(error.value) or "NoSuchBucket" in str(error.value)

    def test_ranges__tail(self):
        """start without end: a HEAD, then ranges to the end."""
        key, data = "ranges/tail", payload("tail", 2 * PART + 100 * KIB)
        self.put(self.home, key, data)
        whole = self.server.expected(self.home, key, data)
        same(self.get(self.home, key, start=PART - 3), whole[PART - 3 :], "tail")

    def test_virtual_host(self):
        """The connector's default on a named host: Host: bucket.localhost.

        The CRT resolves names itself. Where the resolver knows no *.localhost the test runs it in a mount namespace
        whose hosts file does.
        """
        data = payload("vhost", PART + 1000)
        want, found = OUT / f"vhost-{os.getpid()}.want", OUT / f"vhost-{os.getpid()}.found"
        script = textwrap.dedent(f"""
            import pathlib
            from s3torchconnectorclient._mountpoint_s3_client import MountpointS3Client
            s3 = MountpointS3Client(region={REGION!r}, endpoint="http://localhost:{self.server.port}", max_attempts=1)
            stream = s3.put_object({self.home!r}, "vhost/k")
            stream.write(pathlib.Path({str(want)!r}).read_bytes())
            stream.close()
            assert s3.head_object({self.home!r}, "vhost/k").size == {len(data)}
            assert [o.key for page in s3.list_objects({self.home!r}, "vhost/") for o in page.object_info] == ["vhost/k"]
            pathlib.Path({str(found)!r}).write_bytes(b"".join(s3.get_object({self.home!r}, "vhost/k")))
        """)
        want.write_bytes(data)
        command = [sys.executable, "-c", script]
        name = f"{self.home}.localhost"
        try:
            socket.getaddrinfo(name, self.server.port)
        except OSError:
            hosts = OUT / f"hosts-{os.getpid()}"
            hosts.write_text(f"127.0.0.1 localhost {name}\n")
            command = [
                "unshare", "--user", "--map-root-user", "--mount", "sh", "-c",
                'mount --bind "$1" /etc/hosts && shift && exec "$@"', "sh", str(hosts), *command,
            ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, f"needs a resolver that knows *.localhost, or unshare: {done.stderr}"
        same(found.read_bytes(), self.server.expected(self.home, "vhost/k", data), "virtual-hosted GET")
        self.check_read(self.home, "vhost/k", data, "the same object by path")
