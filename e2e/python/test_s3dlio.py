"""s3dlio: the AWS SDK for Rust under the MLPerf Storage and DLIO benchmarks."""

import os
import subprocess
import sys
import textwrap
from importlib.metadata import version

import pytest
import s3dlio

from harness.compare import MIB, payload, same
from harness.server import start
from harness.suite import PART, ClientSuite, Missing, Unsatisfiable


def uri(bucket, key=""):
    return f"s3://{bucket}/{key}"


class TestS3dlio(ClientSuite):
    client = "s3dlio"
    version = version("s3dlio")
    lacks = frozenset({"copy", "presign"})
    has_suffix = False

    def connect(self):
        # Its endpoint and keys come from the environment (Server.environment) at the first call of the process.
        pass

    def bucket_exists(self, bucket):
        return bucket in [found["name"] for found in s3dlio.list_containers("s3://")]

    def create_bucket(self, bucket):
        s3dlio.create_bucket(bucket)

    def delete_bucket(self, bucket):
        s3dlio.delete_bucket(bucket)

    def put(self, bucket, key, data):
        s3dlio.put_bytes(uri(bucket, key), data)

    def _read(self, call, *arguments):
        try:
            return bytes(memoryview(call(*arguments)))
        except (RuntimeError, OSError) as error:
            if "NoSuchKey" in str(error) or "not found" in str(error).lower():
                raise Missing from error
            if "InvalidRange" in str(error) or "416" in str(error):
                raise Unsatisfiable from error
            raise

    def get(self, bucket, key):
        return self._read(s3dlio.get, uri(bucket, key))

    def get_range(self, bucket, key, start, end):
        return self._read(s3dlio.get_range, uri(bucket, key), start, end - start)

    def head(self, bucket, key):
        try:
            found = s3dlio.stat(uri(bucket, key))
        except (RuntimeError, OSError) as error:
            if "NotFound" in str(error) or "not found" in str(error).lower():
                raise Missing from error
            raise
        return found["size"], found["etag"]

    def delete(self, bucket, key):
        s3dlio.delete(uri(bucket, key))

    def list(self, bucket, prefix="", delimiter=""):
        found = s3dlio.list(uri(bucket, prefix), recursive=not delimiter)
        strip = len(uri(bucket))
        keys = [name[strip:] for name in found]
        return [(k, None, None) for k in keys if not k.endswith("/")], [k for k in keys if k.endswith("/")]

    def delete_many(self, bucket, keys):
        # 0.10 lists what lies below the prefix and deletes it by single requests, several in flight.
        s3dlio.delete(uri(bucket, "batch/x/"), recursive=True)

    def put_multipart(self, bucket, key, data):
        writer = s3dlio.MultipartUploadWriter.from_uri(uri(bucket, key), part_size=PART, max_in_flight=3)
        writer.write(data)
        writer.close()

    # -- what only s3dlio does; what it reads from the environment it reads once a process

    def run(self, script, *arguments, **env):
        command = [sys.executable, "-c", textwrap.dedent(script), *arguments]
        done = subprocess.run(command, env=os.environ | env, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr

    @pytest.mark.parametrize("switch", ["S3DLIO_UNSIGNED_PAYLOAD=1", "S3DLIO_H2C=auto", "S3DLIO_PUT_VERIFY=1"])
    def test_own__switches(self, switch):
        """UNSIGNED-PAYLOAD; a probe for HTTP/2 that must be refused at once; a HEAD after every PUT."""
        name, value = switch.split("=")
        script = """
            import sys, s3dlio
            s3dlio.put_bytes(sys.argv[1] + "one", b"x" * 100_000)
            assert len(s3dlio.get(sys.argv[1] + "one")) == 100_000
            writer = s3dlio.MultipartUploadWriter.from_uri(sys.argv[1] + "parts", part_size=5 << 20)
            writer.write(b"y" * (11 << 20))
            assert writer.close()["parts"] == 3
            assert s3dlio.stat(sys.argv[1] + "parts")["size"] == 11 << 20
        """
        self.run(script, uri(self.home, f"switches/{name}/"), **{name: value})

    def test_own__endpoints(self):
        """MultiEndpointStore takes turns between two listeners, which must be one store."""
        server = start(self.server.mode, listeners=2, flags=("--bucket", "train"))
        script = """
            import asyncio, sys, s3dlio
            store = s3dlio.create_multi_endpoint_store(sys.argv[1:], "round_robin")
            async def main():
                for i in range(6):
                    await store.put(f"{sys.argv[1]}k{i}", b"z" * (200 + i))
                assert len(await store.list(sys.argv[1], True)) == 6
                for i in range(6):
                    assert bytes(await store.get(f"{sys.argv[2]}k{i}")) == b"z" * (200 + i)
                assert all(s["total_requests"] and not s["error_count"] for s in store.get_endpoint_stats())
            asyncio.run(main())
        """
        try:
            self.run(script, *[f"s3://{url.removeprefix('http://')}/train/" for url in server.urls])
        finally:
            server.stop()

    def test_own__upload_and_download(self, tmp_path):
        (tmp_path / "up").mkdir()
        for i in range(10):
            (tmp_path / "up" / f"f {i}").write_bytes(payload(f"file {i}", 300))
        s3dlio.upload([str(tmp_path / "up" / "*")], uri(self.home, "files/"))
        s3dlio.download(uri(self.home, "files/"), str(tmp_path / "down"))
        for i in range(10):
            got = next((tmp_path / "down").rglob(f"f {i}")).read_bytes()
            same(got, payload(f"file {i}", 300), f"file {i}")

    def test_ranges__parallel(self):
        """From 32 MiB on a read is a HEAD and concurrent ranges, whose lengths s3dlio does not check."""
        key, data = "ranges/parallel", payload("parallel", 40 * MIB + 1)
        self.put_multipart(self.home, key, data)
        self.check_read(self.home, key, data)
