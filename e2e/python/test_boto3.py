"""boto3, with its transfer manager and its default checksums."""

import base64
import hashlib
import io
import json
import socket
import urllib.request
import zlib

import boto3
import pytest
from boto3.s3.transfer import TransferConfig
from botocore import UNSIGNED
from botocore.config import Config
from botocore.exceptions import ClientError

from harness.compare import KIB, MIB, payload, same
from harness.server import REGION
from harness.suite import BIG, PART, ClientSuite, Missing, Unsatisfiable

TRANSFER = TransferConfig(multipart_threshold=PART + 1, multipart_chunksize=PART, max_concurrency=4)


def connect(server, endpoint=None, style="path", **config):
    """A client that does not retry, so that a fault is seen."""
    return boto3.client(
        "s3",
        endpoint_url=endpoint or server.url,
        region_name=REGION,
        aws_access_key_id=server.access_key,
        aws_secret_access_key=server.secret_key,
        config=Config(
            s3={"addressing_style": style}, signature_version="s3v4", retries={"total_max_attempts": 1}, **config
        ),
    )


def header(headers, name):
    """A header of a request about to be sent, where values are text or bytes by turns."""
    value = headers[name]
    return value.decode() if isinstance(value, bytes) else value


def crc32(data):
    return base64.b64encode(zlib.crc32(data).to_bytes(4, "big")).decode()


def code(error):
    return error.value.response["Error"]["Code"]


class TestBoto3(ClientSuite):
    client = "boto3"
    version = boto3.__version__

    def connect(self):
        self.s3 = connect(self.server)

    def bucket_exists(self, bucket):
        try:
            self.s3.head_bucket(Bucket=bucket)
        except ClientError as error:
            assert error.response["Error"]["Code"] == "404"
            return False
        return bucket in [b["Name"] for b in self.s3.list_buckets()["Buckets"]]

    def create_bucket(self, bucket):
        self.s3.create_bucket(Bucket=bucket)

    def delete_bucket(self, bucket):
        self.s3.delete_bucket(Bucket=bucket)

    def put(self, bucket, key, data):
        return self.s3.put_object(Bucket=bucket, Key=key, Body=data)["ETag"]

    def _get(self, bucket, key, **extra):
        try:
            return self.s3.get_object(Bucket=bucket, Key=key, **extra)
        except self.s3.exceptions.NoSuchKey as error:
            raise Missing from error
        except ClientError as error:
            if error.response["Error"]["Code"] == "InvalidRange":
                raise Unsatisfiable from error
            raise

    def get(self, bucket, key):
        return self._get(bucket, key)["Body"].read()

    def get_etag(self, bucket, key):
        reply = self._get(bucket, key)
        reply["Body"].read()
        return reply["ETag"]

    def get_range(self, bucket, key, start, end):
        reply = self._get(bucket, key, Range=f"bytes={start}-{end - 1}")
        assert reply["ResponseMetadata"]["HTTPStatusCode"] == 206
        total = self.head(bucket, key)[0]
        assert reply["ContentRange"] == f"bytes {start}-{min(end, total) - 1}/{total}"
        return reply["Body"].read()

    def get_suffix(self, bucket, key, n):
        return self._get(bucket, key, Range=f"bytes=-{n}")["Body"].read()

    def head(self, bucket, key):
        try:
            reply = self.s3.head_object(Bucket=bucket, Key=key)
        except ClientError as error:
            assert error.response["Error"]["Code"] == "404"
            raise Missing from error
        return reply["ContentLength"], reply["ETag"]

    def delete(self, bucket, key):
        self.s3.delete_object(Bucket=bucket, Key=key)

    def list(self, bucket, prefix="", delimiter="", page=None):
        entries, prefixes = [], []
        pages = self.s3.get_paginator("list_objects_v2").paginate(
            Bucket=bucket, Prefix=prefix, Delimiter=delimiter, PaginationConfig={"PageSize": page}
        )
        for reply in pages:
            entries += [(o["Key"], o["Size"], o["ETag"]) for o in reply.get("Contents", [])]
            prefixes += [p["Prefix"] for p in reply.get("CommonPrefixes", [])]
        return entries, prefixes

    def copy(self, bucket, source, target):
        self.s3.copy_object(Bucket=bucket, Key=target, CopySource={"Bucket": bucket, "Key": source})

    def delete_many(self, bucket, keys):
        reply = self.s3.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": key} for key in keys]})
        assert sorted(d["Key"] for d in reply["Deleted"]) == sorted(keys)
        assert "Errors" not in reply

    def put_multipart(self, bucket, key, data):
        self.s3.upload_fileobj(io.BytesIO(data), bucket, key, Config=TRANSFER)

    def presign(self, bucket, key, method):
        operation = {"GET": "get_object", "PUT": "put_object"}[method]
        return self.s3.generate_presigned_url(operation, {"Bucket": bucket, "Key": key}, ExpiresIn=60)

    # -- what only boto3 does

    def test_multipart__parts_by_hand(self):
        key, data = "multipart/by hand", payload("by hand", 2 * PART + 5)
        upload = self.s3.create_multipart_upload(Bucket=self.home, Key=key, ContentType="x/y", Metadata={"a": "b"})
        where = {"Bucket": self.home, "Key": key, "UploadId": upload["UploadId"]}
        parts = {}
        for number in (3, 1, 2, 1):  # out of order, and one of them twice
            body = data[(number - 1) * PART : number * PART]
            parts[number] = self.s3.upload_part(**where, PartNumber=number, Body=body)["ETag"]
        listed = self.s3.list_parts(**where)["Parts"]
        assert [(p["PartNumber"], p["ETag"], p["Size"]) for p in listed] == [
            (1, parts[1], PART), (2, parts[2], PART), (3, parts[3], 5)
        ]  # fmt: skip
        assert key in [u["Key"] for u in self.s3.list_multipart_uploads(Bucket=self.home)["Uploads"]]
        done = {"Parts": [{"PartNumber": n, "ETag": parts[n]} for n in (1, 2, 3)]}
        etag = self.s3.complete_multipart_upload(**where, MultipartUpload=done)["ETag"]
        assert etag == self.s3.complete_multipart_upload(**where, MultipartUpload=done)["ETag"], "a retry must agree"
        self.server.check_etag(etag, data, PART)
        head = self.s3.head_object(Bucket=self.home, Key=key)
        assert (head["ContentType"], head["Metadata"], head["ETag"]) == ("x/y", {"a": "b"}, etag)
        third = self.s3.get_object(Bucket=self.home, Key=key, PartNumber=3)
        assert third["PartsCount"] == 3
        same(third["Body"].read(), self.server.expected(self.home, key, data)[-5:], "part 3")

    def test_multipart__abort(self):
        upload = self.s3.create_multipart_upload(Bucket=self.home, Key="aborted")
        where = {"Bucket": self.home, "Key": "aborted", "UploadId": upload["UploadId"]}
        self.s3.upload_part(**where, PartNumber=1, Body=b"x" * 100)
        self.s3.abort_multipart_upload(**where)
        with pytest.raises(ClientError) as error:
            self.s3.upload_part(**where, PartNumber=2, Body=b"x")
        assert code(error) == "NoSuchUpload"

    def test_multipart__copied_parts(self):
        data = payload("copied", BIG)
        self.s3.put_object(Bucket=self.home, Key="copied/source", Body=data)
        upload = self.s3.create_multipart_upload(Bucket=self.home, Key="copied/target")
        where = {"Bucket": self.home, "Key": "copied/target", "UploadId": upload["UploadId"]}
        parts = []
        for number, (start, end) in enumerate([(0, 5 * MIB), (5 * MIB, BIG)], 1):
            reply = self.s3.upload_part_copy(
                **where, PartNumber=number, CopySource={"Bucket": self.home, "Key": "copied/source"},
                CopySourceRange=f"bytes={start}-{end - 1}",
            )  # fmt: skip
            parts.append({"PartNumber": number, "ETag": reply["CopyPartResult"]["ETag"]})
        self.s3.complete_multipart_upload(**where, MultipartUpload={"Parts": parts})
        assert self.head(self.home, "copied/target")[0] == BIG
        got = self.get(self.home, "copied/target")
        if self.server.mode == "memory":
            same(got, data, "object of copied parts")

    def test_copy__in_parts(self):
        """The transfer manager copies what is larger than a part by UploadPartCopy; the copy has its source's bytes."""
        data = payload("in parts", 2 * PART + 9)
        self.s3.put_object(Bucket=self.home, Key="in parts/source", Body=data)
        where = {"Bucket": self.home, "Key": "in parts/source"}
        self.s3.copy(where, self.home, "in parts/target", Config=TRANSFER)
        got = self.get(self.home, "in parts/target")
        same(got, self.server.expected(self.home, "in parts/source", data), "copy in parts")
        middle = self.get_range(self.home, "in parts/target", PART - 5, PART + 5)
        same(middle, got[PART - 5 : PART + 5], "range of a copy in parts")

    def test_ranges__parallel_download(self):
        """The transfer manager: HEAD, then ranged GETs with If-Match."""
        key, data = "ranges/download", payload("download", 2 * PART + 777)
        self.s3.put_object(Bucket=self.home, Key=key, Body=data)
        target = io.BytesIO()
        self.s3.download_fileobj(self.home, key, target, Config=TRANSFER)
        same(target.getbuffer(), self.server.expected(self.home, key, data), "download")

    def test_list__pages(self):
        for page in (7, 999, 1000):
            entries, prefixes = self.list(self.listing_bucket, "p00", "/", page)
            assert prefixes == [f"p{i:04d}/" for i in range(100)] and entries == []
        entries, prefixes = self.list(self.listing_bucket, "", "/", 501)
        assert (len(entries), len(prefixes), len(set(prefixes))) == (100, 1200, 1200)

    def test_list__version_1(self):
        keys = [
            o["Key"]
            for page in self.s3.get_paginator("list_objects").paginate(Bucket=self.listing_bucket)
            for o in page["Contents"]
        ]
        assert keys == [key for key, _, _ in self.list(self.listing_bucket)[0]]

    def test_checksums__default(self):
        """SDKs of 2025 and later add a CRC32 to every upload without being asked."""
        sent = []
        self.s3.meta.events.register("before-send.s3.PutObject", lambda request, **_: sent.append(request.headers))
        data = payload("default", 10 * KIB)
        reply = self.s3.put_object(Bucket=self.home, Key="checksums/default", Body=data)
        want = crc32(data)
        assert header(sent[0], "x-amz-checksum-crc32") == want
        assert reply["ChecksumCRC32"] == want
        got = self.s3.get_object(Bucket=self.home, Key="checksums/default", ChecksumMode="ENABLED")
        same(got["Body"].read(), self.server.expected(self.home, "checksums/default", data), "checked GET")
        # The checksum of bytes that were dropped must not be sent with bytes that were generated.
        assert got.get("ChecksumCRC32") == (want if self.server.keeps(len(data)) else None)

    def test_checksums__each_algorithm(self):
        data = payload("each", 10 * KIB)
        for algorithm, digest in (("SHA1", hashlib.sha1), ("SHA256", hashlib.sha256)):
            key = f"checksums/{algorithm}"
            reply = self.s3.put_object(Bucket=self.home, Key=key, Body=data, ChecksumAlgorithm=algorithm)
            want = base64.b64encode(digest(data).digest()).decode()
            assert reply[f"Checksum{algorithm}"] == want
            with pytest.raises(ClientError) as error:
                wrong = {f"Checksum{algorithm}": base64.b64encode(digest(b"").digest()).decode()}
                self.s3.put_object(Bucket=self.home, Key=key, Body=data + b"!", **wrong)
            assert code(error) in ("BadDigest", "XAmzContentChecksumMismatch")
            assert self.head(self.home, key)[0] == len(data), "a refused PUT must leave the old object"

    def test_checksums__trailer(self):
        """aws-chunked with a CRC32 trailer: what boto3 sends over https, here made to send over http."""
        s3 = connect(self.server)
        data = payload("trailer", 300 * KIB)
        sent = []

        def as_trailer(params, **_):
            params["context"]["checksum"]["request_algorithm"]["in"] = "trailer"

        s3.meta.events.register("before-call.s3.PutObject", as_trailer)
        s3.meta.events.register("before-send.s3.PutObject", lambda request, **_: sent.append(request.headers))
        reply = s3.put_object(Bucket=self.home, Key="checksums/trailer", Body=data)
        assert header(sent[0], "x-amz-content-sha256") == "STREAMING-UNSIGNED-PAYLOAD-TRAILER"
        assert reply["ChecksumCRC32"] == crc32(data)
        self.check_read(self.home, "checksums/trailer", data)
        assert "ContentEncoding" not in self.s3.head_object(Bucket=self.home, Key="checksums/trailer")

    def test_presign__response_headers(self):
        self.put(self.home, "presign/csv", b"1,2")
        url = self.s3.generate_presigned_url(
            "get_object", {"Bucket": self.home, "Key": "presign/csv", "ResponseContentType": "text/csv"}
        )
        with urllib.request.urlopen(url) as reply:
            assert reply.headers["Content-Type"] == "text/csv"

    def test_virtual_host(self, monkeypatch):
        """Host: bucket.localhost. Where the resolver knows no *.localhost, this process is told."""
        real = socket.getaddrinfo

        def resolve(host, *rest, **named):
            return real("127.0.0.1" if str(host).endswith(".localhost") else host, *rest, **named)

        monkeypatch.setattr(socket, "getaddrinfo", resolve)
        s3 = connect(self.server, f"http://localhost:{self.server.port}", "virtual")
        hosts = []
        s3.meta.events.register("before-send.s3", lambda request, **_: hosts.append(request.url))
        data = payload("vhost", 5000)
        s3.put_object(Bucket=self.home, Key="vhost/a b", Body=data)
        got = s3.get_object(Bucket=self.home, Key="vhost/a b")["Body"].read()
        same(got, self.server.expected(self.home, "vhost/a b", data), "virtual-hosted GET")
        assert [o["Key"] for o in s3.list_objects_v2(Bucket=self.home, Prefix="vhost/")["Contents"]] == ["vhost/a b"]
        assert all(url.startswith(f"http://{self.home}.localhost:") for url in hosts)
        self.check_read(self.home, "vhost/a b", data, "the same object by path")

    def test_conditions(self):
        key = "conditions/k"
        etag = self.put(self.home, key, b"one")
        for wrong in ({"IfNoneMatch": "*"}, {"IfMatch": '"0123456789abcdef0123456789abcdef"'}):
            with pytest.raises(ClientError) as error:
                self.s3.put_object(Bucket=self.home, Key=key, Body=b"two", **wrong)
            assert code(error) == "PreconditionFailed"
        self.s3.put_object(Bucket=self.home, Key=key, Body=b"two", IfMatch=etag)
        same(self.get(self.home, key), b"two", "conditional PUT")

    def test_anonymous(self):
        """A bucket policy lets a client without keys in."""
        self.put(self.home, "anonymous/k", b"for everybody")
        anybody = boto3.client(
            "s3", endpoint_url=self.server.url, region_name=REGION,
            config=Config(signature_version=UNSIGNED, s3={"addressing_style": "path"}, retries={"total_max_attempts": 1}),
        )  # fmt: skip
        with pytest.raises(ClientError) as error:
            anybody.get_object(Bucket=self.home, Key="anonymous/k")
        assert code(error) == "AccessDenied"
        statement = {"Effect": "Allow", "Principal": "*", "Action": ["s3:GetObject", "s3:PutObject"]}
        statement["Resource"] = f"arn:aws:s3:::{self.home}/anonymous/*"
        policy = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
        self.s3.put_bucket_policy(Bucket=self.home, Policy=policy)
        try:
            assert self.s3.get_bucket_policy(Bucket=self.home)["Policy"] == policy
            assert self.s3.get_bucket_policy_status(Bucket=self.home)["PolicyStatus"]["IsPublic"] is True
            same(anybody.get_object(Bucket=self.home, Key="anonymous/k")["Body"].read(), b"for everybody", "anonymous GET")
            anybody.put_object(Bucket=self.home, Key="anonymous/new", Body=b"by anybody")
            same(self.get(self.home, "anonymous/new"), b"by anybody", "anonymous PUT")
            for refused in (
                lambda: anybody.list_objects_v2(Bucket=self.home),
                lambda: anybody.delete_object(Bucket=self.home, Key="anonymous/k"),
                lambda: anybody.get_bucket_policy(Bucket=self.home),
            ):
                with pytest.raises(ClientError) as error:
                    refused()
                assert code(error) == "AccessDenied"
        finally:
            self.s3.delete_bucket_policy(Bucket=self.home)
        with pytest.raises(ClientError) as error:
            self.s3.get_bucket_policy(Bucket=self.home)
        assert code(error) == "NoSuchBucketPolicy"

    def test_tags(self):
        tags = [{"Key": "a", "Value": "1 + 1"}, {"Key": "é", "Value": ""}]
        self.s3.put_object(Bucket=self.home, Key="tags/k", Body=b"x", Tagging="a=1%20%2B%201&%C3%A9=")
        assert self.s3.get_object_tagging(Bucket=self.home, Key="tags/k")["TagSet"] == tags
        assert self.s3.get_object(Bucket=self.home, Key="tags/k")["TagCount"] == 2
        self.s3.copy_object(Bucket=self.home, Key="tags/copy", CopySource=f"{self.home}/tags/k")
        assert self.s3.get_object_tagging(Bucket=self.home, Key="tags/copy")["TagSet"] == tags
        self.s3.delete_object_tagging(Bucket=self.home, Key="tags/k")
        assert self.s3.get_object_tagging(Bucket=self.home, Key="tags/k")["TagSet"] == []
        with pytest.raises(ClientError) as error:
            self.s3.put_object_tagging(Bucket=self.home, Key="tags/k", Tagging={"TagSet": [{"Key": "a" * 129, "Value": ""}]})
        assert code(error) == "InvalidTag"
        self.s3.put_bucket_tagging(Bucket=self.home, Tagging={"TagSet": tags})
        assert self.s3.get_bucket_tagging(Bucket=self.home)["TagSet"] == tags
        self.s3.delete_bucket_tagging(Bucket=self.home)

    def test_errors(self):
        for call, want in (
            (lambda: self.s3.get_object(Bucket="no-such-bucket-here", Key="k"), "NoSuchBucket"),
            (lambda: self.s3.delete_bucket(Bucket=self.listing_bucket), "BucketNotEmpty"),
            (lambda: self.s3.put_object_legal_hold(Bucket=self.home, Key="k", LegalHold={"Status": "ON"}), "NotImplemented"),
        ):
            with pytest.raises(ClientError) as error:
                call()
            if want == "NotImplemented" and self.server.process is None:
                continue  # another server may well have locks
            assert code(error) == want
        stranger = boto3.client(
            "s3", endpoint_url=self.server.url, region_name=REGION, aws_access_key_id=self.server.access_key,
            aws_secret_access_key="wrong", config=Config(retries={"total_max_attempts": 1}),
        )  # fmt: skip
        with pytest.raises(ClientError) as error:
            stranger.list_buckets()
        assert code(error) == "SignatureDoesNotMatch"
