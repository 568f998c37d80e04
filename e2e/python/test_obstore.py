"""obstore: the Rust object_store crate, as used by Polars, DataFusion, delta-rs and Zarr."""

from datetime import timedelta
from importlib.metadata import version

import obstore
import pytest
from obstore.exceptions import AlreadyExistsError, GenericError, NotFoundError, PreconditionError
from obstore.store import S3Store

from harness.compare import KIB, payload, same
from harness.server import REGION
from harness.suite import ODD_KEYS, PART, ClientSuite, Missing, Unsatisfiable


class TestObstore(ClientSuite):
    client = "obstore"
    version = version("obstore")
    lacks = frozenset({"bucket"})
    odd_keys = tuple(key for key in ODD_KEYS if "//" not in key)  # its paths have no empty segments

    def connect(self):
        self.stores = {}

    def store(self, bucket, **options):
        if bucket not in self.stores or options:
            self.stores[bucket] = S3Store(
                bucket,
                endpoint=self.server.url,
                region=REGION,
                access_key_id=self.server.access_key,
                secret_access_key=self.server.secret_key,
                client_options={"allow_http": True},
                retry_config={"max_retries": 0},
                **options,
            )
        return self.stores[bucket]

    def put(self, bucket, key, data):
        return obstore.put(self.store(bucket), key, data, use_multipart=False)["e_tag"]

    def _get(self, bucket, key, options=None):
        try:
            return obstore.get(self.store(bucket), key, options=options)
        except (NotFoundError, FileNotFoundError) as error:
            raise Missing from error
        except GenericError as error:
            if "InvalidRange" in str(error) or "416" in str(error):
                raise Unsatisfiable from error
            raise

    def get(self, bucket, key):
        return self._get(bucket, key).bytes()

    def get_etag(self, bucket, key):
        return self._get(bucket, key).meta["e_tag"]

    def get_range(self, bucket, key, start, end):
        return self._get(bucket, key, {"range": (start, end)}).bytes()

    def get_suffix(self, bucket, key, n):
        return self._get(bucket, key, {"range": {"suffix": n}}).bytes()

    def head(self, bucket, key):
        try:
            meta = obstore.head(self.store(bucket), key)
        except (NotFoundError, FileNotFoundError) as error:
            raise Missing from error
        return meta["size"], meta["e_tag"]

    def delete(self, bucket, key):
        obstore.delete(self.store(bucket), key)

    def list(self, bucket, prefix="", delimiter=""):
        if delimiter:
            found = obstore.list_with_delimiter(self.store(bucket), prefix.rstrip("/") or None)
            prefixes = [p + "/" for p in found["common_prefixes"]]
            return [(o["path"], o["size"], o["e_tag"]) for o in found["objects"]], prefixes
        found = obstore.list(self.store(bucket), prefix.rstrip("/") or None).collect()
        return [(o["path"], o["size"], o["e_tag"]) for o in found], []

    def copy(self, bucket, source, target):
        obstore.copy(self.store(bucket), source, target)

    def delete_many(self, bucket, keys):
        obstore.delete(self.store(bucket), keys)

    def put_multipart(self, bucket, key, data):
        store = self.store(bucket)
        return obstore.put(store, key, data, use_multipart=True, chunk_size=PART, max_concurrency=3)["e_tag"]

    def presign(self, bucket, key, method):
        return obstore.sign(self.store(bucket), method, key, timedelta(seconds=60))

    # -- what only obstore does

    def test_ranges__many(self):
        """get_ranges merges neighbours and reads the rest in parallel."""
        key, data = "ranges/many", payload("many", 300 * KIB)
        self.put(self.home, key, data)
        whole = self.server.expected(self.home, key, data)
        starts = [0, 1000, 150 * KIB + 1, 299 * KIB]
        got = obstore.get_ranges(self.store(self.home), key, starts=starts, lengths=[700] * 4)
        for start, piece in zip(starts, got, strict=True):
            same(bytes(piece), whole[start : start + 700], f"range at {start}")

    def test_conditions(self):
        store = self.store(self.home)
        first = obstore.put(store, "conditions/k", b"one", mode="create")
        with pytest.raises(AlreadyExistsError):
            obstore.put(store, "conditions/k", b"two", mode="create")
        update = {"e_tag": first["e_tag"]}
        obstore.put(store, "conditions/k", b"two", mode=update)
        with pytest.raises(PreconditionError):
            obstore.put(store, "conditions/k", b"three", mode=update)
        same(self.get(self.home, "conditions/k"), b"two", "conditional PUT")

    def test_checksums__default(self):
        store = self.store(self.home, checksum_algorithm="SHA256")
        data = payload("sha", 10 * KIB)
        obstore.put(store, "checksums/sha256", data, use_multipart=False)
        obstore.put(store, "checksums/sha256 parts", data * 600, use_multipart=True, chunk_size=5 << 20)
        self.check_read(self.home, "checksums/sha256", data)
        self.check_read(self.home, "checksums/sha256 parts", data * 600)
