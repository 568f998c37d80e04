"""Sizes of virtual objects, computed without the Go code: prints the rows of TestSizesGolden.

python3 sizes.py
"""
from decimal import Decimal, getcontext

getcontext().prec = 60
M = 2**64 - 1
LN2 = Decimal(2).ln()
KEY = "train/img_{i}_of_{n}.npz"


def mix(z):
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & M
    z = (z ^ z >> 27) * 0x94D049BB133111EB & M
    return z ^ z >> 31


def stream(seed, name):
    f = mix(seed + 0x9E3779B97F4A7C15 & M)
    for i in range(0, len(name), 8):
        f = (f ^ int.from_bytes(name[i : i + 8], "little")) * 0xBF58476D1CE4E5B9 & M
        f ^= f >> 32
    return mix(f ^ len(name))


def word(h, i, k):
    return mix(h + (8 * i + k + 1) * 0x9E3779B97F4A7C15 & M)


def deviate(h, i):
    words = [word(h, i, k) for k in range(6)]
    return sum((w >> 32) + (w & 0xFFFFFFFF) for w in words) - (6 << 32)


def scale(sd, z):
    v = sd * abs(z) >> 32
    return -v if z < 0 else v


ROOTS = [int((Decimal(2) ** (Decimal(1) / 2**k) * 2**62).to_integral_value()) for k in range(1, 33)]


def exp2(x):
    if x < 0:
        return 0
    r = 1 << 62
    for k in range(32):
        if x >> (31 - k) & 1:
            r = r * ROOTS[k] >> 62
    return r >> (62 - (x >> 32))


def size(law, a, b, lo, hi, seed, i):
    h = stream(seed, b"sizes/" + KEY.encode())
    if law == "uniform":
        return lo + (word(h, i, 0) * (hi - lo + 1) >> 64)
    z = deviate(h, i)
    if law == "normal":
        v = a + scale(b, z)
    else:
        lq = (1 + (Decimal(b) / a) ** 2).ln() / LN2
        mean = round((Decimal(a).ln() / LN2 - lq / 2) * 2**32)
        sd = round((lq / LN2).sqrt() * 2**32)
        v = exp2(mean + scale(sd, z))
    return min(max(v, lo), hi)


for row in [
    ("uniform", 0, 0, 4 << 10, 1 << 20, 0),
    ("normal", 146600628, 68341808, 1, 5 << 40, 0),
    ("normal", 146600628, 68341808, 1, 5 << 40, 1),
    ("normal", 2828486, 71311, 2800000, 2850000, 0),
    ("lognormal", 100 << 10, 300 << 10, 1, 5 << 40, 0),
    ("lognormal", 3590848512, 1, 1, 5 << 40, 7),
    ("lognormal", 3, 3000, 0, 5 << 40, 7),
]:
    print(row, [size(*row, i) for i in (0, 1, 2, 50203281, 2**40 - 1)])
