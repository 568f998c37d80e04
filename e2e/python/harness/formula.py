"""The bytes of a synthetic object, computed from the published formula (docs/data.md) and nothing else.

It is written from the document, not from the server's source, so that the two can disagree.
"""

import numpy as np

GAMMA = 0x9E3779B97F4A7C15  # the golden-ratio increment of splitmix64
MASK = 2**64 - 1
NAME_PRIME = 0xBF58476D1CE4E5B9  # of the name's hash

# 4 Ki chains give 256 KiB: the temporaries of one turn stay in the L2 cache.
TURN_CHAINS = 4 * 1024


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


def rotate(z):
    return z << np.uint64(27) | z >> np.uint64(37)


def stream(h, offset, length):
    """Bytes [offset, offset+length) of stream h, as a uint8 array."""
    first, last = offset // 512, (offset + length + 511) // 512
    blocks = np.empty((last - first, 8, 8), dtype="<u8")  # block, word of the chain, chain
    turn = TURN_CHAINS // 8
    with np.errstate(over="ignore"):
        for start in range(0, len(blocks), turn):
            rows = blocks[start : start + turn]
            counter = 8 * (first + start) + 1
            z = np.arange(counter, counter + 8 * len(rows), dtype=np.uint64)
            z *= np.uint64(GAMMA)
            z += np.uint64(h)
            y = (z ^ z >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
            x = (y ^ y >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
            x ^= x >> np.uint64(31)
            y = rotate(y - x)
            for j in range(8):
                rows[:, j] = x.reshape(-1, 8)
                x, y = y * np.uint64(0xD3833E804F4C574B), rotate(y - x)
    skip = offset - first * 512
    return blocks.reshape(-1).view(np.uint8)[skip : skip + length]


def content(seed, bucket, key, offset, length):
    """Bytes [offset, offset+length) of the synthetic object bucket/key."""
    return stream(name_hash(seed, bucket, key), offset, length).tobytes()
