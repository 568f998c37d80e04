"""One process of the data set: `write` puts its half, `read` lists all and reads the other half, 64 in flight."""

import asyncio

import s3dlio
import shape


def half(rank):
    return range(rank, shape.OBJECTS, shape.READERS)


def write(job, pool):
    items = [(job.uri(shape.image_key(i)), shape.image_data(pool, i)) for i in half(job.rank)]
    s3dlio.put_many(items, max_in_flight=shape.IN_FLIGHT)


def read(job, pool):
    listed = sorted(s3dlio.list(job.uri("retinanet/train/"), recursive=True))
    want = [job.uri(shape.image_key(i)) for i in range(shape.OBJECTS)]
    assert listed == want, f"unexpected listing; got {len(listed)} keys; want {len(want)}"
    mine = {want[i]: i for i in half((job.rank + 1) % shape.READERS)}
    uris = list(mine)
    # Half by the blocking call and half by the asynchronous one; 250 at a time bound the memory.
    for start in range(0, len(uris), 250):
        batch = uris[start : start + 250]
        if start < len(uris) // 2:
            replies = s3dlio.get_many(batch, max_in_flight=shape.IN_FLIGHT)
        else:
            replies = asyncio.run(read_async(batch))
        assert sorted(uri for uri, _ in replies) == sorted(batch)
        for uri, data in replies:
            i = mine[uri]
            job.check(shape.image_key(i), memoryview(data), 0, shape.OBJECT_SIZE, shape.image_data(pool, i))
    for uri in uris[:: len(uris) // 20]:
        size = s3dlio.stat(uri)["size"]
        assert size == shape.OBJECT_SIZE, f"unexpected size of {uri}; got {size}"


async def read_async(uris):
    return await s3dlio.get_many_async(uris, max_in_flight=shape.IN_FLIGHT)


if __name__ == "__main__":
    job = shape.Job()
    {"write": write, "read": read}[job.step](job, shape.pool())
