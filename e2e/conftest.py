"""One pytest process tests one mode: several clients keep their endpoint for the life of the process."""

import json
import os
from concurrent.futures import ThreadPoolExecutor

import boto3
import pytest
from botocore.config import Config

pytest.register_assert_rewrite("harness.suite", "harness.server")

from harness.server import OUT, REGION, start
from harness.suite import listing_keys


def pytest_addoption(parser):
    parser.addoption("--mode", choices=["synth", "memory"], default="memory", help="storage mode of the server")


@pytest.fixture(scope="session")
def mode(request):
    return request.config.getoption("--mode")


@pytest.fixture(scope="session")
def server(mode):
    OUT.mkdir(parents=True, exist_ok=True)
    server = start(mode)
    os.environ.update(server.environment())
    yield server
    server.stop()


@pytest.fixture(scope="session")
def admin(server):
    """A plain boto3 client for what a suite needs but its client cannot do, such as making a bucket."""
    return boto3.client(
        "s3",
        endpoint_url=server.url,
        region_name=REGION,
        aws_access_key_id=server.access_key,
        aws_secret_access_key=server.secret_key,
        config=Config(s3={"addressing_style": "path"}, retries={"total_max_attempts": 1}),
    )


@pytest.fixture(scope="session")
def listing(server, admin):
    """A bucket with the 2,500 keys of listing_keys, one byte each, written once for all clients."""
    bucket = server.bucket("listing")
    admin.create_bucket(Bucket=bucket)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda key: admin.put_object(Bucket=bucket, Key=key, Body=b"x"), listing_keys()))
    return bucket


@pytest.fixture(scope="session")
def home_bucket(server, admin):
    """Gives each client a bucket of its own, made at the first call."""
    made = {}

    def get(client):
        if client not in made:
            made[client] = server.bucket(client)
            admin.create_bucket(Bucket=made[client])
        return made[client]

    return get


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Appends one line a test to the results file that matrix.py turns into the table."""
    outcome = yield
    report = outcome.get_result()
    path = os.environ.get("E2E_RESULTS")
    # A failing set-up is reported too: it has no call phase.
    if not path or (report.when != "call" and report.passed):
        return
    owner = item.cls or item.module
    line = {
        "client": owner.client,
        "version": owner.version,
        "mode": item.config.getoption("--mode"),
        "check": item.originalname.removeprefix("test_").split("__")[0].replace("_", "-"),
        "test": item.name,
        "ok": report.passed,
        "seconds": round(report.duration, 2),
    }
    with open(path, "a", encoding="utf-8") as out:
        out.write(json.dumps(line, ensure_ascii=False) + "\n")
