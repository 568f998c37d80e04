"""The seed workload in small: sizes, names and the bytes that the ranks write.

RetinaNet's data set has 1,170,301 JPEG files of 322,957 B; a llama3-8b checkpoint of 4 ranks has per rank a model file
of 4.0 GB and an optimiser file of 24.1 GB, written in parts of 32 MiB and read by ranges of 128 MiB.
"""

import hashlib
import json
import os
import sys

import numpy as np

from harness import formula
from harness.compare import MIB, same
from harness.server import Server

OBJECTS = 2000
OBJECT_SIZE = 322_957
IN_FLIGHT = 64
READERS = 2  # processes; each writes one half and reads the other's

RANKS = 4
# 3 and 5 parts: an upload with a whole number of parts, and one file larger than a range.
FILES = {"model": 96 * MIB, "optim": 160 * MIB}
PART = 32 * MIB
RANGE = 128 * MIB
PARTS_IN_FLIGHT = 2  # per file; 4 ranks x 2 files x 2 = 16 in all

# The data set's objects are slices of one pool at different offsets: cheap to make and to compare, no two alike.
POOL_STEP = 4093


def pool():
    return memoryview(np.random.default_rng(1).bytes(OBJECTS * POOL_STEP + OBJECT_SIZE))


def image_key(i):
    return f"retinanet/train/img_{i:07d}_of_{OBJECTS}.jpeg"


def image_data(pool, i):
    return pool[i * POOL_STEP : i * POOL_STEP + OBJECT_SIZE]


def file_key(rank, kind):
    return f"llama3/global_epoch1_step1/zero_pp_rank_0_mp_rank_{rank:02d}_{kind}_states.pt"


def written(key, offset, length):
    """What a rank writes to a checkpoint file: a formula stream of its own, so that any range can be checked."""
    h = int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "little")
    return formula.stream(h, offset, length)


class Job:
    """What a process of the workload is told, as JSON in its one argument."""

    def __init__(self):
        job = json.loads(sys.argv[1])
        self.step, self.rank, self.bucket = job["step"], job["rank"], job["bucket"]
        self.server = Server(job["mode"], job["urls"])
        # Round robin over the endpoints, as ranks do with S3_ENDPOINT_URIS; a load takes the next one, so that what
        # one listener took the other gives.
        shift = 1 if self.step in ("read", "load") else 0
        os.environ.update(self.server.environment())
        os.environ["AWS_ENDPOINT_URL"] = job["urls"][(self.rank + shift) % len(job["urls"])]

    def uri(self, key):
        return f"s3://{self.bucket}/{key}"

    def check(self, key, got, offset, size, data):
        """Compares what was read from key at offset with what must be there: data, or the formula."""
        if not self.server.keeps(size):
            data = formula.content(self.server.seed, self.bucket, key, offset, len(got))
        same(got, data, f"{key} at {offset}")
