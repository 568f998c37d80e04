"""The checks that every client takes, written once over a small adapter.

A test module holds one class derived from ClientSuite: its adapter methods speak the client's own API, its further
tests are what only that client does. A test's name gives its column in the matrix: test_list and test_list__pages are
both `list`.
"""

import urllib.request

import pytest

from .compare import KIB, MIB, payload, same

BIG = 8 * MIB + 1  # one byte past s3torchconnector's and boto3's part size
PART = 8 * MIB
SIZES = (0, 1, 511, 1 * KIB, BIG)  # 511: the last size whose bytes a synthetic server keeps

# `a+b c`, `é`, `a//b` and `%2F` are the field's usual casualties (plus sign, space, UTF-8, empty path segment, a
# percent sign that must not be decoded twice); the others are their relatives.
ODD_KEYS = ("a+b c", "é", "a//b", "%2F", "100%", "q?x=1&y#z", "tab'\"<&>", "..dots..", "a=b:c@d,e;f$g!(h)*")

LISTING_PREFIXES = 1200
LISTING_ROOT = 100


def listing_keys():
    """2,500 keys: 1,200 directories of two and 100 at the root, so that the delimiter listing has two pages too."""
    keys = [f"p{i:04d}/{leaf}" for i in range(LISTING_PREFIXES) for leaf in "ab"]
    return keys + [f"r{i:03d}" for i in range(LISTING_ROOT)]


class Missing(Exception):
    """What an adapter raises for a key or bucket that is not there."""


class Unsatisfiable(Exception):
    """What an adapter raises for a range that starts at or past the end."""


class ClientSuite:
    """Common checks. Adapter methods that a client's API lacks are not written and their checks named in lacks."""

    client = ""
    version = ""
    lacks = frozenset()  # names of checks that the client's API has no call for
    odd_keys = ODD_KEYS
    has_suffix = True  # the client can ask for the last n bytes
    # What the client makes of a range starting past the end: most show the server's 416 (Unsatisfiable); those that
    # know the size from a HEAD never ask the server and give no bytes.
    past_end_is_empty = False
    has_etag = True  # the client shows ETags
    # False for a client that starts a process for every call: the same checks with fewer calls.
    thorough = True
    multipart_part_size = PART  # of the upload that put_multipart makes

    def __init_subclass__(cls):
        super().__init_subclass__()
        for check in cls.lacks:
            setattr(cls, f"test_{check}", None)

    @pytest.fixture(autouse=True)
    def _connect(self, server, listing, home_bucket):
        self.server = server
        self.listing_bucket = listing
        self.home = home_bucket(self.client)
        self.connect()

    # -- helpers

    def check_read(self, bucket, key, data, what=None):
        same(self.get(bucket, key), self.server.expected(bucket, key, data), what or f"{key} of {len(data)} B")

    # -- checks

    def test_bucket(self):
        name = self.server.bucket(f"{self.client}-life")
        assert not self.bucket_exists(name)
        self.create_bucket(name)
        assert self.bucket_exists(name)
        self.put(name, "k", b"v")
        assert [key for key, _, _ in self.list(name)[0]] == ["k"]
        self.delete(name, "k")
        self.delete_bucket(name)
        assert not self.bucket_exists(name)

    def test_objects(self):
        for size in SIZES:
            key, data = f"objects/{size}", payload(f"{self.client}{size}", size)
            self.put(self.home, key, data)
            assert self.head(self.home, key)[0] == size
            self.check_read(self.home, key, data)
            if self.thorough:
                # Another length must show at once: s3dlio deletes what it finds at the wrong size.
                self.put(self.home, key, data + b"+")
                assert self.head(self.home, key)[0] == size + 1
                self.check_read(self.home, key, data + b"+")
        self.delete(self.home, key)
        with pytest.raises(Missing):
            self.head(self.home, key)
        with pytest.raises(Missing):
            self.get(self.home, key)

    def test_etags(self):
        for size in (0, 1, 1 * KIB, 64 * KIB) if self.thorough else (1 * KIB,):
            key, data = f"etags/{size}", payload(f"{self.client}{size}", size)
            put = self.put(self.home, key, data)
            head = self.head(self.home, key)[1]
            (listed,) = [etag for k, _, etag in self.list(self.home, "etags/")[0] if k == key]
            seen = {"PUT": put, "HEAD": head, "LIST": listed, "GET": self.get_etag(self.home, key)}
            assert {v.strip('"') for v in seen.values() if v} == {head.strip('"')}, f"ETags of {key} differ: {seen}"
            self.server.check_etag(head, data, self.etag_part_size)

    copy_source = "copy/source {} +é"
    etag_part_size = 0  # of a small put: 0, or that of the client's multipart upload if it makes one always

    def get_etag(self, bucket, key):
        """The ETag of a GET reply; None where the client does not show it."""
        return None

    def test_multipart(self):
        key, data = "multipart/3x8MiB", payload(self.client, 3 * PART)
        etag = self.put_multipart(self.home, key, data)
        size, head = self.head(self.home, key)
        assert size == len(data)
        if self.has_etag:
            self.server.check_etag(head, data, self.multipart_part_size)
            assert not etag or etag.strip('"') == head.strip('"')
            listed = [etag for k, _, etag in self.list(self.home, "multipart/")[0] if k == key][0]
            assert listed in (None, head, head.strip('"'))  # None: a client whose listing has no ETags
        self.check_read(self.home, key, data)

    def test_ranges(self):
        key, data = "ranges/big", payload(self.client, BIG)
        self.put(self.home, key, data)
        whole = self.server.expected(self.home, key, data)
        rows = [
            ("first byte", 0, 1),
            ("first", 0, 100),
            ("unaligned", 3, 13),
            ("middle over a MiB border", 1 * MIB - 7, 1 * MIB + 9),
            ("middle, long", 3 * MIB + 1, 6 * MIB + 2),
            ("last byte", BIG - 1, BIG),
            ("whole", 0, BIG),
            ("end past the end", BIG - 10, BIG + 100),
        ]
        for what, start, end in rows if self.thorough else rows[3:4] + rows[7:]:
            same(self.get_range(self.home, key, start, end), whole[start:end], f"range {what}")
        if self.has_suffix:
            for n in (1, 100, 1 * MIB + 3) if self.thorough else (100,):
                same(self.get_suffix(self.home, key, n), whole[-n:], f"last {n} bytes")
        if self.past_end_is_empty:
            assert len(self.get_range(self.home, key, BIG, BIG + 5)) == 0
        else:
            with pytest.raises(Unsatisfiable):
                self.get_range(self.home, key, BIG, BIG + 5)

    def test_list(self):
        want = listing_keys()
        entries, _ = self.list(self.listing_bucket)
        assert [key for key, _, _ in entries] == want
        assert {size for _, size, _ in entries} <= {1, None}
        entries, _ = self.list(self.listing_bucket, "p0007/")
        assert [key for key, _, _ in entries] == ["p0007/a", "p0007/b"]
        entries, _ = self.list(self.listing_bucket, "nothing/")
        assert entries == []

    def test_delimiter(self):
        entries, prefixes = self.list(self.listing_bucket, "", "/")
        assert [key for key, _, _ in entries] == [f"r{i:03d}" for i in range(LISTING_ROOT)]
        assert list(prefixes) == [f"p{i:04d}/" for i in range(LISTING_PREFIXES)]
        entries, prefixes = self.list(self.listing_bucket, "p0007/", "/")
        assert ([key for key, _, _ in entries], list(prefixes)) == (["p0007/a", "p0007/b"], [])

    def test_copy(self):
        for size in (100, BIG):
            source, target, data = self.copy_source.format(size), f"copy/target {size}", payload(self.client, size)
            self.put(self.home, source, data)
            self.copy(self.home, source, target)
            assert self.head(self.home, target)[0] == size
            # A copy has its source's bytes, also where they are generated from the source's name.
            same(self.get(self.home, target), self.server.expected(self.home, source, data), f"copy of {size} B")

    def test_batch_delete(self):
        keys = [f"batch/x/{i:02d} +&" for i in range(20 if self.thorough else 3)]
        for key in [*keys, "batch/kept"]:
            self.put(self.home, key, b"x")
        self.delete_many(self.home, keys)
        assert [key for key, _, _ in self.list(self.home, "batch/")[0]] == ["batch/kept"]

    def test_presign(self):
        key, data = "presign/a b+é", payload(self.client, 100 * KIB)
        request = urllib.request.Request(self.presign(self.home, key, "PUT"), data=data, method="PUT")
        # urllib adds a Content-Type of its own, which no client signed.
        request.add_header("Content-Type", "application/octet-stream")
        with urllib.request.urlopen(request) as reply:
            assert reply.status == 200
        with urllib.request.urlopen(self.presign(self.home, key, "GET")) as reply:
            same(reply.read(), self.server.expected(self.home, key, data), "presigned GET")
        tampered = self.presign(self.home, key, "GET").replace("presign", "presigm", 1)
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(tampered)
        assert refused.value.code == 403

    def test_odd_keys(self):
        for key in self.odd_keys:
            data = payload(self.client + key, 700)
            self.put(self.home, f"odd/{key}", data)
            if self.thorough:
                assert self.head(self.home, f"odd/{key}")[0] == len(data)
            self.check_read(self.home, f"odd/{key}", data, f"key {key!r}")
        listed = [key for key, _, _ in self.list(self.home, "odd/")[0]]
        assert sorted(listed) == sorted(f"odd/{key}" for key in self.odd_keys)
        if self.thorough:
            for key in self.odd_keys:
                self.delete(self.home, f"odd/{key}")
        else:
            self.delete_many(self.home, [f"odd/{key}" for key in self.odd_keys])
        assert self.list(self.home, "odd/")[0] == []
