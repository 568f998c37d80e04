"""One rank of the checkpoint: `save` writes its two files at once in 32 MiB parts, `load` reads the next rank's in
128 MiB ranges."""

from concurrent.futures import ThreadPoolExecutor

import s3dlio
import shape


def save_file(job, key, size):
    writer = s3dlio.MultipartUploadWriter.from_uri(
        job.uri(key), part_size=shape.PART, max_in_flight=shape.PARTS_IN_FLIGHT
    )
    # The writer borrows each buffer until close, so every part is a new one.
    for offset in range(0, size, shape.PART):
        writer.write(shape.written(key, offset, min(shape.PART, size - offset)))
    done = writer.close()
    assert done["total_bytes"] == size and done["parts"] == size // shape.PART, f"unexpected upload of {key}: {done}"


def load_file(job, key, size):
    found = s3dlio.stat(job.uri(key))
    assert found["size"] == size, f"unexpected size of {key}; got {found['size']}; want {size}"
    etag = found["etag"].strip('"')
    assert etag.endswith(f"-{size // shape.PART}"), f"unexpected ETag of {key}; got {etag}"
    for offset in range(0, size, shape.RANGE):
        length = min(shape.RANGE, size - offset)
        got = memoryview(s3dlio.get_range(job.uri(key), offset, length))
        # In pieces, so that the bytes to compare with take little memory.
        for start in range(0, length, shape.PART):
            piece = got[start : start + shape.PART]
            job.check(key, piece, offset + start, size, shape.written(key, offset + start, len(piece)))


if __name__ == "__main__":
    job = shape.Job()
    if job.step == "save":
        call, rank = save_file, job.rank
    else:
        call, rank = load_file, (job.rank + 1) % shape.RANKS
    with ThreadPoolExecutor(len(shape.FILES)) as pool:
        for done in [pool.submit(call, job, shape.file_key(rank, kind), size) for kind, size in shape.FILES.items()]:
            done.result()
