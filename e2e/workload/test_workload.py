"""The seed workload through one and two endpoints, as processes of s3dlio."""

import json
import os
import pathlib
import subprocess
import sys
from importlib.metadata import version

import boto3
import pytest
from harness.server import OUT, REGION, start

import shape

HERE = pathlib.Path(__file__).parent
# A step takes seconds; the rest is for a machine busy with other work.
STEP_SECONDS = 180


@pytest.fixture(scope="module", params=[1, 2], ids=["1-endpoint", "2-endpoints"])
def workload(request, mode):
    """A server of its own, so that what a step leaves does not add up."""
    OUT.mkdir(parents=True, exist_ok=True)
    server = start(mode, listeners=request.param)
    admin = boto3.client(
        "s3", endpoint_url=server.url, region_name=REGION,
        aws_access_key_id=server.access_key, aws_secret_access_key=server.secret_key,
    )  # fmt: skip
    bucket = server.bucket("workload")
    admin.create_bucket(Bucket=bucket)
    yield server, bucket, admin
    server.stop()


class TestWorkload:
    client = "seed workload"
    version = "s3dlio " + version("s3dlio")

    def run(self, workload, script, step, processes):
        server, bucket, _ = workload
        env = os.environ | {"PYTHONPATH": str(HERE.parent / "python"), "RAYON_NUM_THREADS": "2"}
        running = []
        for rank in range(processes):
            job = {"step": step, "rank": rank, "bucket": bucket, "mode": server.mode, "urls": server.urls}
            running.append(
                subprocess.Popen(
                    [sys.executable, HERE / script, json.dumps(job)],
                    env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                )  # fmt: skip
            )
        try:
            for rank, process in enumerate(running):
                out, _ = process.communicate(timeout=STEP_SECONDS)
                assert process.returncode == 0, f"{script} {step} of rank {rank}:\n{out}"
        finally:
            for process in running:
                process.kill()

    def test_dataset(self, workload):
        self.run(workload, "dataset.py", "write", shape.READERS)
        self.run(workload, "dataset.py", "read", shape.READERS)

    def test_checkpoint(self, workload):
        self.run(workload, "checkpoint.py", "save", shape.RANKS)
        _, bucket, admin = workload
        listed = admin.list_objects_v2(Bucket=bucket, Prefix="llama3/")["Contents"]
        want = {shape.file_key(rank, kind): size for rank in range(shape.RANKS) for kind, size in shape.FILES.items()}
        assert {o["Key"]: o["Size"] for o in listed} == want
        assert "Uploads" not in admin.list_multipart_uploads(Bucket=bucket)
        self.run(workload, "checkpoint.py", "load", shape.RANKS)
