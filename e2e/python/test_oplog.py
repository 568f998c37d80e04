"""The server's operation log against s3dlio's own of the same load, and replayed to a second server.

The replayers themselves, sai3-bench and warp-replay, are no registry's packages; what they do with a line is
replay() below: the URI is the endpoint and the file, a PUT has as many bytes as the line says, a LIST is recursive.
"""

import csv
import io
import os
import subprocess
import sys
import textwrap
from importlib.metadata import version

import pyarrow
import pytest
from harness.server import start

BUCKET = "data"
LISTED = 1_001  # keys below many/: a listing of two pages

LOAD = f"""
    import sys, s3dlio
    s3dlio.init_op_log(sys.argv[1])
    uri = "s3://{BUCKET}/"
    for key, size in ("a/small", 300), ("a/b c+d%20e", 70_000), ("a/é", 20_000):
        s3dlio.put_bytes(uri + key, b"x" * size)
    writer = s3dlio.MultipartUploadWriter.from_uri(uri + "a/parts", part_size=5 << 20)
    writer.write(b"y" * (11 << 20))
    writer.close()
    for i in range({LISTED}):
        s3dlio.put_bytes(f"{{uri}}many/{{i}}", b"z")
    assert len(s3dlio.list(uri + "many/", recursive=True)) == {LISTED}
    assert s3dlio.stat(uri + "a/small")["size"] == 300
    for key in "a/small", "a/b c+d%20e", "a/é", "a/parts":
        s3dlio.get(uri + key)
    for key in "a/none", "many/0":
        try:
            s3dlio.delete(uri + key)
            s3dlio.get(uri + key)
        except RuntimeError:
            pass
    s3dlio.finalize_op_log()
"""

REPLAY = """
    import csv, sys, s3dlio
    for row in csv.DictReader(open(sys.argv[1], encoding="utf-8"), delimiter="\\t"):
        uri = row["endpoint"] + row["file"]
        try:
            match row["op"]:
                case "PUT": s3dlio.put_bytes(uri, b"r" * int(row["bytes"]))
                case "GET": s3dlio.get(uri)
                case "STAT": s3dlio.stat(uri)
                case "LIST": s3dlio.list(uri, recursive=True)
                case "DELETE": s3dlio.delete(uri)
                case other: raise ValueError(other)
        except RuntimeError:
            assert row["error"], row
"""


def table(text):
    return list(csv.DictReader(io.StringIO(text), delimiter="\t"))


def comparable(rows):
    """What a replay must repeat, in the order in which operations ended."""
    return [(row["op"], row["bytes"], row["endpoint"], row["file"], row["error"]) for row in rows]


class TestOpLog:
    client = "s3dlio"
    version = version("s3dlio")

    @pytest.fixture
    def record(self, mode, tmp_path):
        """Runs a script beside a server of its own with an empty bucket and returns the lines of the server's log."""

        def run(script, argument, name):
            path = tmp_path / name
            log = ("--access-log", str(path), "--access-log-format", "oplog")
            server = start(mode, flags=("--bucket", BUCKET, "--admin-listen", "off", *log))
            # A read as one GET: with the optimisation it is a HEAD and ranges, which no log's reader can put together.
            env = os.environ | server.environment() | {"S3DLIO_ENABLE_RANGE_OPTIMIZATION": "0"}
            try:
                done = subprocess.run(
                    [sys.executable, "-c", textwrap.dedent(script), str(argument)],
                    env=env, capture_output=True, text=True, timeout=120,
                )  # fmt: skip
            finally:
                server.stop()
            assert done.returncode == 0, done.stdout + done.stderr
            if path.suffix == ".zst":
                with pyarrow.CompressedInputStream(str(path), "zstd") as stream:
                    return table(stream.read().decode())
            return table(path.read_text(encoding="utf-8"))

        return run

    def test_own__oplog(self, record, tmp_path):
        rows = record(LOAD, tmp_path / "client.tsv.zst", "server.tsv.zst")

        with pyarrow.CompressedInputStream(str(tmp_path / "client.tsv.zst"), "zstd") as stream:
            theirs = table(stream.read().decode())
        # s3dlio's multipart writer logs nothing, and a HEAD with the object's size; a failed read has its own words.
        want = [
            (row["op"].replace("HEAD", "STAT"), "0" if row["op"] == "HEAD" else row["bytes"], f"s3://{BUCKET}/",
             row["file"].removeprefix(f"{BUCKET}/"), "NoSuchKey" if row["error"] else "")
            for row in theirs
        ]  # fmt: skip
        got = comparable(rows)
        assert ("PUT", str(11 << 20), f"s3://{BUCKET}/", "a/parts", "") in got
        assert [line for line in got if line[:1] + line[3:4] != ("PUT", "a/parts")] == want

        (tmp_path / "server.tsv").write_text(
            "\t".join(rows[0]) + "\n" + "".join("\t".join(row.values()) + "\n" for row in rows), encoding="utf-8"
        )
        again = comparable(record(REPLAY, tmp_path / "server.tsv", "replayed.tsv"))
        assert again == got
