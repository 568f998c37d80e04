"""Data to write and comparisons that name the first differing byte instead of printing megabytes."""

import hashlib

import numpy as np

KIB, MIB = 1 << 10, 1 << 20


def payload(name, size):
    """size bytes that differ from name to name and repeat from run to run."""
    seed = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "little")
    return np.random.default_rng(seed).bytes(size)


def md5_etag(data, part_size=0):
    """The ETag that S3 gives to data: its MD5, or the MD5 of its parts' MD5s."""
    if not part_size:
        return hashlib.md5(data).hexdigest()
    parts = [data[i : i + part_size] for i in range(0, len(data), part_size)] or [b""]
    digest = hashlib.md5(b"".join(hashlib.md5(part).digest() for part in parts))
    return f"{digest.hexdigest()}-{len(parts)}"


def same(got, want, what):
    """Asserts that two byte strings are equal."""
    got = memoryview(got).cast("B") if len(got) else memoryview(b"")
    want = memoryview(want).cast("B") if len(want) else memoryview(b"")
    assert len(got) == len(want), f"unexpected length of {what}; got {len(got)}; want {len(want)}"
    if got == want:
        return
    at = int(np.argmax(np.frombuffer(got, np.uint8) != np.frombuffer(want, np.uint8)))
    raise AssertionError(
        f"unexpected bytes of {what} at offset {at}; got {bytes(got[at : at + 16]).hex()}; "
        f"want {bytes(want[at : at + 16]).hex()}"
    )
