"""s3dlio: the AWS SDK for Rust under the MLPerf Storage and DLIO benchmarks."""

import asyncio
from importlib.metadata import version

import pytest
import s3dlio

from harness.compare import KIB, MIB, payload, same
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
