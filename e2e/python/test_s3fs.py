"""s3fs: aiobotocore under fsspec, as used by pandas, Dask and xarray."""

from importlib.metadata import version

import pytest
import s3fs

from harness.compare import KIB, payload, same
from harness.server import REGION
from harness.suite import PART, ClientSuite, Missing, Unsatisfiable


class TestS3fs(ClientSuite):
    client = "s3fs"
    version = version("s3fs")

    def connect(self):
        self.s3 = s3fs.S3FileSystem(
            key=self.server.access_key,
            secret=self.server.secret_key,
            endpoint_url=self.server.url,
            client_kwargs={"region_name": REGION},
            config_kwargs={
                "retries": {"total_max_attempts": 1},
                "s3": {"addressing_style": "path"},
                # Without it, links are signed by version 2.
                "signature_version": "s3v4",
            },
            use_listings_cache=False,
            skip_instance_cache=True,
            max_concurrency=4,
        )
        # s3fs retries by itself what botocore does not.
        self.s3.retries = 1

    def bucket_exists(self, bucket):
        return self.s3.exists(bucket) and bucket in self.s3.ls("")

    def create_bucket(self, bucket):
        self.s3.mkdir(bucket)

    def delete_bucket(self, bucket):
        self.s3.rmdir(bucket)

    def put(self, bucket, key, data):
        self.s3.pipe_file(f"{bucket}/{key}", data, chunksize=2 * PART)

    def get(self, bucket, key):
        try:
            return self.s3.cat_file(f"{bucket}/{key}")
        except FileNotFoundError as error:
            raise Missing from error

    def get_range(self, bucket, key, start, end):
        try:
            return self.s3.cat_file(f"{bucket}/{key}", start=start, end=end)
        except OSError as error:
            if "range" in str(error).lower():
                raise Unsatisfiable from error
            raise

    def get_suffix(self, bucket, key, n):
        return self.s3.cat_file(f"{bucket}/{key}", start=-n)

    def head(self, bucket, key):
        try:
            info = self.s3.info(f"{bucket}/{key}")
        except FileNotFoundError as error:
            raise Missing from error
        return info["size"], info["ETag"]

    def delete(self, bucket, key):
        self.s3.rm_file(f"{bucket}/{key}")

    def list(self, bucket, prefix="", delimiter=""):
        strip = len(bucket) + 1
        root = f"{bucket}/{prefix}".rstrip("/")
        try:
            if delimiter:
                found = self.s3.ls(root, detail=True, refresh=True)
            else:
                found = list(self.s3.find(root, detail=True).values())
        except FileNotFoundError:
            return [], []
        entries = sorted((o["name"][strip:], o["size"], o.get("ETag")) for o in found if o["type"] == "file")
        return entries, sorted(o["name"][strip:] + "/" for o in found if o["type"] == "directory")

    def copy(self, bucket, source, target):
        self.s3.cp_file(f"{bucket}/{source}", f"{bucket}/{target}")

    def delete_many(self, bucket, keys):
        self.s3.rm([f"{bucket}/{key}" for key in keys])

    def put_multipart(self, bucket, key, data):
        with self.s3.open(f"{bucket}/{key}", "wb", block_size=PART) as out:
            for start in range(0, len(data), PART):
                out.write(data[start : start + PART])

    def presign(self, bucket, key, method):
        return self.s3.sign(f"{bucket}/{key}", 60, client_method={"GET": "get_object", "PUT": "put_object"}[method])

    # -- what only s3fs does

    def test_ranges__file(self):
        """A file object with read-ahead, and many ranges at once."""
        key, data = "ranges/file", payload("file", 300 * KIB)
        self.put(self.home, key, data)
        whole = self.server.expected(self.home, key, data)
        with self.s3.open(f"{self.home}/{key}", "rb", block_size=64 * KIB) as file:
            for start in (0, 65_530, 299 * KIB):
                file.seek(start)
                same(file.read(3000), whole[start : start + 3000], f"read at {start}")
        starts, ends = [0, 5, 1000], [10, 15, 2000]
        pieces = self.s3.cat_ranges([f"{self.home}/{key}"] * 3, starts, ends)
        for start, end, piece in zip(starts, ends, pieces, strict=True):
            same(piece, whole[start:end], f"cat_ranges at {start}")

    def test_sync(self, tmp_path):
        (tmp_path / "d").mkdir()
        for name in ("a", "b c"):
            (tmp_path / "d" / name).write_bytes(payload(name, 2000))
        self.s3.put(str(tmp_path / "d"), f"{self.home}/tree", recursive=True)
        self.s3.get(f"{self.home}/tree", str(tmp_path / "back"), recursive=True)
        for name in ("a", "b c"):
            want = self.server.expected(self.home, f"tree/{name}", payload(name, 2000))
            same((tmp_path / "back" / name).read_bytes(), want, f"downloaded {name}")

    def test_errors(self):
        with pytest.raises(FileNotFoundError):
            self.s3.ls("no-such-bucket-here")
