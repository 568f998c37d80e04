"""minio-py: literal SHA-256 of every body, Content-MD5 on batch deletes, start-after beside the continuation token."""

import io
from datetime import timedelta
from importlib.metadata import version

import urllib3
from minio import Minio
from minio.commonconfig import ComposeSource, CopySource
from minio.deleteobjects import DeleteObject
from minio.error import S3Error

from harness.compare import MIB, payload, same
from harness.server import REGION
from harness.suite import BIG, PART, ClientSuite, Missing, Unsatisfiable


class TestMinio(ClientSuite):
    client = "minio-py"
    version = version("minio")
    has_suffix = False
    # With a part size given, minio-py makes one PUT of anything up to it; 16 MiB leaves the 8 MiB objects single.
    single = 16 * MIB

    def connect(self, **options):
        pool = urllib3.PoolManager(maxsize=16, retries=False, timeout=urllib3.Timeout(60))
        self.s3 = Minio(
            self.server.host, self.server.access_key, self.server.secret_key, secure=False, http_client=pool, **options
        )

    def bucket_exists(self, bucket):
        return self.s3.bucket_exists(bucket) and bucket in [b.name for b in self.s3.list_buckets()]

    def create_bucket(self, bucket):
        self.s3.make_bucket(bucket)

    def delete_bucket(self, bucket):
        self.s3.remove_bucket(bucket)

    def put(self, bucket, key, data):
        return self.s3.put_object(bucket, key, io.BytesIO(data), len(data), part_size=self.single).etag

    def _get(self, bucket, key, **where):
        try:
            reply = self.s3.get_object(bucket, key, **where)
        except S3Error as error:
            if error.code == "NoSuchKey":
                raise Missing from error
            if error.code == "InvalidRange":
                raise Unsatisfiable from error
            raise
        try:
            return reply.read(), reply.headers
        finally:
            reply.close()
            reply.release_conn()

    def get(self, bucket, key):
        return self._get(bucket, key)[0]

    def get_etag(self, bucket, key):
        return self._get(bucket, key)[1]["ETag"]

    def get_range(self, bucket, key, start, end):
        return self._get(bucket, key, offset=start, length=end - start)[0]

    def head(self, bucket, key):
        try:
            reply = self.s3.stat_object(bucket, key)
        except S3Error as error:
            assert error.code == "NoSuchKey"
            raise Missing from error
        return reply.size, reply.etag

    def delete(self, bucket, key):
        self.s3.remove_object(bucket, key)

    def list(self, bucket, prefix="", delimiter=""):
        # minio-py knows one delimiter, "/", and calls its absence recursive.
        found = list(self.s3.list_objects(bucket, prefix, recursive=not delimiter))
        entries = [(o.object_name, o.size, o.etag) for o in found if not o.is_dir]
        return entries, [o.object_name for o in found if o.is_dir]

    def copy(self, bucket, source, target):
        self.s3.copy_object(bucket, target, CopySource(bucket, source))

    def delete_many(self, bucket, keys):
        errors = list(self.s3.remove_objects(bucket, [DeleteObject(key) for key in keys]))
        assert errors == []

    def put_multipart(self, bucket, key, data):
        return self.s3.put_object(bucket, key, io.BytesIO(data), len(data), part_size=PART).etag

    def presign(self, bucket, key, method):
        call = {"GET": self.s3.presigned_get_object, "PUT": self.s3.presigned_put_object}[method]
        return call(bucket, key, expires=timedelta(seconds=60))

    # -- what only minio-py does

    def test_bucket__region(self):
        """With a region given there is no GetBucketLocation; without one, test_bucket has made it ask."""
        self.connect(region=REGION)
        assert self.s3.bucket_exists(self.home)

    def test_multipart__unknown_length(self):
        key, data = "multipart/stream", payload("stream", PART + 5)
        self.s3.put_object(self.home, key, io.BytesIO(data), -1, part_size=PART)
        self.check_read(self.home, key, data)

    def test_copy__compose(self):
        """Two objects joined by UploadPartCopy."""
        first, second = payload("first", BIG), payload("second", 1000)
        self.put(self.home, "compose/1", first)
        self.put(self.home, "compose/2", second)
        sources = [ComposeSource(self.home, "compose/1"), ComposeSource(self.home, "compose/2")]
        self.s3.compose_object(self.home, "compose/both", sources)
        assert self.head(self.home, "compose/both")[0] == BIG + 1000
        if self.server.mode == "memory":
            same(self.get(self.home, "compose/both"), first + second, "composed object")

    def test_list__start_after(self):
        found = [o.object_name for o in self.s3.list_objects(self.listing_bucket, start_after="r097", recursive=True)]
        assert found == ["r098", "r099"]
