"""The bytes of a synthetic object, computed from the published formula (docs/data.md) and nothing else.

It is written from the document, not from the server's source, so that the two can disagree.
"""

import numpy as np

GAMMA = 0x9E3779B97F4A7C15  # the golden-ratio increment of splitmix64
MASK = 2**64 - 1
NAME_PRIME = 0xBF58476D1CE4E5B9  # of the name's hash

# 32 Ki words are 256 KiB: the temporaries of one block stay in the L2 cache.
BLOCK_WORDS = 32 * 1024


def mix(z):
    """The finaliser of splitmix64 on one Python int."""
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def name_hash(seed, bucket, key):
    """The 64-bit stream number of content name bucket/key under a seed."""
    name = f"{bucket}/{key}".encode()
    f = mix((seed + GAMMA) & MASK)
    for i in range(0, len(name), 8):
        f = ((f ^ int.from_bytes(name[i : i + 8], "little")) * NAME_PRIME) & MASK
        f ^= f >> 32
    return mix(f ^ len(name))


def stream(h, offset, length):
    """Bytes [offset, offset+length) of stream h, as a uint8 array."""
    first, last = offset // 8, (offset + length + 7) // 8
    words = np.empty(last - first, dtype="<u8")
    with np.errstate(over="ignore"):
        for start in range(0, len(words), BLOCK_WORDS):
            z = words[start : start + BLOCK_WORDS]
            z[:] = np.arange(first + start + 1, first + start + 1 + len(z), dtype=np.uint64)
            z *= np.uint64(GAMMA)
            z += np.uint64(h)
            z ^= z >> np.uint64(30)
            z *= np.uint64(0xBF58476D1CE4E5B9)
            z ^= z >> np.uint64(27)
            z *= np.uint64(0x94D049BB133111EB)
            z ^= z >> np.uint64(31)
    skip = offset - first * 8
    return words.view(np.uint8)[skip : skip + length]


def content(seed, bucket, key, offset, length):
    """Bytes [offset, offset+length) of the synthetic object bucket/key."""
    return stream(name_hash(seed, bucket, key), offset, length).tobytes()
