// @aws-sdk/client-s3 with lib-storage and the presigner, in both modes.

import { after, before, describe, test } from "node:test";
import { appendFileSync, readFileSync } from "node:fs";
import { crc32 } from "node:zlib";
import { Readable } from "node:stream";
import assert from "node:assert/strict";

import * as s3 from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";

import { ACCESS_KEY, REGION, SECRET_KEY, Server, modes, payload, same } from "./server.js";

const KIB = 1 << 10;
const MIB = 1 << 20;
const PART = 8 * MIB;
const BIG = 8 * MIB + 1;

const { version } = JSON.parse(readFileSync(new URL("node_modules/@aws-sdk/client-s3/package.json", import.meta.url)));

// 2,500 keys: 1,200 directories of two and 100 at the root, so that the delimiter listing has two pages too.
const directories = Array.from({ length: 1200 }, (_, i) => `p${String(i).padStart(4, "0")}/`);
const roots = Array.from({ length: 100 }, (_, i) => `r${String(i).padStart(3, "0")}`);
const listingKeys = [...directories.flatMap((d) => [d + "a", d + "b"]), ...roots];

// The field's usual casualties: plus sign and space, UTF-8, an empty path segment, a percent sign that must not be
// decoded twice; then their relatives.
const oddKeys = ["a+b c", "é", "a//b", "%2F", "100%", "q?x=1&y#z", "tab'\"<&>", "..dots..", "a=b:c@d,e;f$g!(h)*"];

for (const mode of modes) {
  describe(mode, () => {
    let server, client, home, listing, sent;

    const send = (Command, input) => client.send(new s3[Command](input));
    const put = async (Key, Body) => (await send("PutObjectCommand", { Bucket: home, Key, Body })).ETag;
    const head = (Key) => send("HeadObjectCommand", { Bucket: home, Key });
    const read = async (Key, more) => {
      const reply = await send("GetObjectCommand", { Bucket: home, Key, ...more });
      return { ...reply, bytes: await reply.Body.transformToByteArray() };
    };
    const check = async (key, data) => same((await read(key)).bytes, server.expected(home, key, data), key);
    const list = async (Bucket, Prefix, Delimiter) => {
      const keys = [];
      const prefixes = [];
      for await (const page of s3.paginateListObjectsV2({ client }, { Bucket, Prefix, Delimiter })) {
        keys.push(...(page.Contents ?? []));
        prefixes.push(...(page.CommonPrefixes ?? []).map((p) => p.Prefix));
      }
      return { keys, names: keys.map((o) => o.Key), prefixes };
    };
    const refused = (code) => (error) => (error.Code ?? error.name) === code || assert.fail(`got ${error}; want ${code}`);

    // Runs a check and appends its outcome to the results file. A name gives the column: "list: version 1" is `list`.
    const column = (name, run) =>
      test(name, async () => {
        const begin = Date.now();
        let ok = false;
        try {
          await run();
          ok = true;
        } finally {
          if (process.env.E2E_RESULTS) {
            const check = name.split(":")[0];
            const seconds = (Date.now() - begin) / 1000;
            const line = { client: "@aws-sdk/client-s3", version, mode, check, test: name, ok, seconds };
            appendFileSync(process.env.E2E_RESULTS, JSON.stringify(line) + "\n");
          }
        }
      });

    before(async () => {
      server = await Server.start(mode);
      client = new s3.S3Client({
        endpoint: server.url,
        region: REGION,
        forcePathStyle: true,
        credentials: { accessKeyId: ACCESS_KEY, secretAccessKey: SECRET_KEY },
        maxAttempts: 1, // a retry would hide a fault of the server
      });
      client.middlewareStack.add(
        (next) => (args) => {
          if (args.request.method === "PUT") sent = args.request.headers;
          return next(args);
        },
        { step: "finalizeRequest", priority: "low", name: "recordHeaders" },
      );
      home = server.bucket("javascript");
      listing = server.bucket("listing");
      await send("CreateBucketCommand", { Bucket: home });
      await send("CreateBucketCommand", { Bucket: listing });
      const left = listingKeys.values();
      const worker = async () => {
        for (const Key of left) await send("PutObjectCommand", { Bucket: listing, Key, Body: "x" });
      };
      await Promise.all([worker(), worker(), worker(), worker()]);
    });

    after(async () => {
      client.destroy();
      await server.stop();
    });

    column("bucket", async () => {
      const Bucket = server.bucket("javascript-life");
      await assert.rejects(send("HeadBucketCommand", { Bucket }), refused("NotFound"));
      await send("CreateBucketCommand", { Bucket });
      assert.ok((await send("ListBucketsCommand", {})).Buckets.some((b) => b.Name === Bucket));
      await send("PutObjectCommand", { Bucket, Key: "k", Body: "v" });
      await assert.rejects(send("DeleteBucketCommand", { Bucket }), refused("BucketNotEmpty"));
      await send("DeleteObjectCommand", { Bucket, Key: "k" });
      await send("DeleteBucketCommand", { Bucket });
      await assert.rejects(send("HeadBucketCommand", { Bucket }), refused("NotFound"));
    });

    column("objects", async () => {
      // 511: the last size whose bytes a synthetic server keeps.
      for (const size of [0, 1, 511, KIB, BIG]) {
        const key = `objects/${size}`;
        // An overwrite of another length must show at once.
        for (const data of [payload("objects", size), payload("objects", size + 1)]) {
          await put(key, data);
          assert.equal((await head(key)).ContentLength, data.length);
          await check(key, data);
        }
        await send("DeleteObjectCommand", { Bucket: home, Key: key });
        await assert.rejects(head(key), refused("NotFound"));
        await assert.rejects(read(key), refused("NoSuchKey"));
      }
    });

    column("etags", async () => {
      for (const size of [0, 1, KIB, 64 * KIB]) {
        const key = `etags/${size}`;
        const data = payload("etags", size);
        const etags = [await put(key, data), (await head(key)).ETag, (await read(key)).ETag];
        const listed = (await list(home, "etags/")).keys.find((o) => o.Key === key);
        assert.deepEqual(new Set([...etags, listed.ETag]).size, 1, `ETags of ${key} differ: ${etags} ${listed.ETag}`);
        server.checkETag(etags[0], data, 0);
      }
    });

    column("multipart", async () => {
      const data = payload("multipart", 3 * PART);
      const params = { Bucket: home, Key: "multipart/3x8MiB", Body: data };
      const reply = await new Upload({ client, params, partSize: PART, queueSize: 3 }).done();
      server.checkETag(reply.ETag, data, PART);
      assert.equal((await head(params.Key)).ContentLength, data.length);
      await check(params.Key, data);
      const second = await read(params.Key, { PartNumber: 2 });
      assert.equal(second.PartsCount, 3);
      same(second.bytes, server.expected(home, params.Key, data).subarray(PART, 2 * PART), "part 2");
    });

    column("ranges", async () => {
      const key = "ranges/big";
      const data = payload("ranges", BIG);
      await put(key, data);
      const whole = server.expected(home, key, data);
      const f = async (spec, start, end) => {
        const reply = await read(key, { Range: `bytes=${spec}` });
        assert.equal(reply.$metadata.httpStatusCode, 206);
        assert.equal(reply.ContentRange, `bytes ${start}-${end - 1}/${BIG}`);
        same(reply.bytes, whole.subarray(start, end), `range ${spec}`);
      };
      await f("0-0", 0, 1);
      await f("0-99", 0, 100);
      await f("3-12", 3, 13);
      await f(`${MIB - 7}-${MIB + 8}`, MIB - 7, MIB + 9);
      await f(`${3 * MIB + 1}-${6 * MIB + 1}`, 3 * MIB + 1, 6 * MIB + 2);
      await f("0-", 0, BIG);
      await f(`${BIG - 10}-${BIG + 99}`, BIG - 10, BIG);
      await f("-100", BIG - 100, BIG);
      await f(`-${BIG + 5}`, 0, BIG);
      await assert.rejects(read(key, { Range: `bytes=${BIG}-` }), refused("InvalidRange"));
    });

    column("list", async () => {
      assert.deepEqual((await list(listing)).names, listingKeys);
      assert.deepEqual((await list(listing, "p0007/")).names, ["p0007/a", "p0007/b"]);
      assert.deepEqual((await list(listing, "nothing/")).names, []);
    });

    column("list: version 1", async () => {
      const names = [];
      for (let Marker; ; Marker = names.at(-1)) {
        const page = await send("ListObjectsCommand", { Bucket: listing, Marker });
        names.push(...page.Contents.map((o) => o.Key));
        if (!page.IsTruncated) break;
      }
      assert.deepEqual(names, listingKeys);
    });

    column("delimiter", async () => {
      const root = await list(listing, "", "/");
      assert.deepEqual([root.names, root.prefixes], [roots, directories]);
      const deep = await list(listing, "p0007/", "/");
      assert.deepEqual([deep.names, deep.prefixes], [["p0007/a", "p0007/b"], []]);
    });

    column("copy", async () => {
      for (const size of [100, BIG]) {
        const source = `copy/source ${size} +é`;
        const data = payload("copy", size);
        await put(source, data);
        const CopySource = `${home}/${encodeURIComponent(source)}`;
        await send("CopyObjectCommand", { Bucket: home, Key: `copy/target ${size}`, CopySource });
        // A copy has its source's bytes, also where they are generated from the source's name.
        const got = (await read(`copy/target ${size}`)).bytes;
        same(got, server.expected(home, source, data), `copy of ${size} B`);
      }
    });

    column("batch-delete", async () => {
      const keys = Array.from({ length: 20 }, (_, i) => `batch/${i} <+&é`);
      for (const key of [...keys, "batch/kept"]) await put(key, "x");
      const Objects = [...keys, "batch/never was there"].map((Key) => ({ Key }));
      const reply = await send("DeleteObjectsCommand", { Bucket: home, Delete: { Objects } });
      assert.equal(reply.Deleted.length, Objects.length);
      assert.equal(reply.Errors, undefined);
      assert.deepEqual((await list(home, "batch/")).names, ["batch/kept"]);
    });

    column("presign", async () => {
      const where = { Bucket: home, Key: "presign/a b+é" };
      const data = payload("presign", 100 * KIB);
      const up = await getSignedUrl(client, new s3.PutObjectCommand(where), { expiresIn: 60 });
      const stored = await fetch(up, { method: "PUT", body: data });
      assert.equal(stored.status, 200, await stored.text());
      const down = await getSignedUrl(client, new s3.GetObjectCommand(where), { expiresIn: 60 });
      const reply = await fetch(down);
      same(await reply.arrayBuffer(), server.expected(home, where.Key, data), "presigned GET");
      assert.equal((await fetch(down.replace("presign", "presigm"))).status, 403);
    });

    column("checksums: default", async () => {
      const data = payload("default", 10 * KIB);
      const want = Buffer.alloc(4);
      want.writeUInt32BE(crc32(data));
      const reply = await send("PutObjectCommand", { Bucket: home, Key: "checksums/default", Body: data });
      assert.equal(sent["x-amz-checksum-crc32"], want.toString("base64"));
      assert.equal(reply.ChecksumCRC32, want.toString("base64"));
      const got = await read("checksums/default", { ChecksumMode: "ENABLED" });
      same(got.bytes, server.expected(home, "checksums/default", data), "checked GET");
      // The checksum of bytes that were dropped must not be sent with bytes that were generated.
      assert.equal(got.ChecksumCRC32, server.keeps(data.length) ? want.toString("base64") : undefined);
    });

    column("checksums: trailer", async () => {
      // A stream cannot be hashed before it is sent: aws-chunked with an unsigned CRC32 trailer.
      const data = payload("trailer", 300 * KIB);
      const chunks = Array.from({ length: 30 }, (_, i) => data.subarray(i * 10 * KIB, (i + 1) * 10 * KIB));
      const Key = "checksums/trailer";
      await send("PutObjectCommand", { Bucket: home, Key, Body: Readable.from(chunks), ContentLength: data.length });
      assert.equal(sent["x-amz-content-sha256"], "STREAMING-UNSIGNED-PAYLOAD-TRAILER");
      assert.equal((await head(Key)).ContentEncoding, undefined);
      await check(Key, data);
    });

    column("checksums: each algorithm", async () => {
      for (const ChecksumAlgorithm of ["CRC32", "CRC32C", "CRC64NVME", "SHA1", "SHA256"]) {
        const data = payload(ChecksumAlgorithm, 10 * KIB);
        const Key = `checksums/${ChecksumAlgorithm}`;
        await send("PutObjectCommand", { Bucket: home, Key, Body: data, ChecksumAlgorithm });
        same((await read(Key, { ChecksumMode: "ENABLED" })).bytes, server.expected(home, Key, data), Key);
        const parts = payload(ChecksumAlgorithm, 5 * MIB + 100);
        const params = { Bucket: home, Key: `${Key} parts`, Body: parts, ChecksumAlgorithm };
        await new Upload({ client, params, partSize: 5 * MIB, queueSize: 2 }).done();
        const got = await read(params.Key, { ChecksumMode: "ENABLED" });
        same(got.bytes, server.expected(home, params.Key, parts), params.Key);
      }
      const wrong = { Bucket: home, Key: "checksums/wrong", Body: "hello", ChecksumCRC32: "AAAAAA==" };
      await assert.rejects(send("PutObjectCommand", wrong), refused("BadDigest"));
    });

    column("odd-keys", async () => {
      const want = oddKeys.map((key) => `odd/${key}`).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      for (const key of want) {
        const data = payload(key, 700);
        await put(key, data);
        assert.equal((await head(key)).ContentLength, data.length);
        await check(key, data);
      }
      assert.deepEqual((await list(home, "odd/")).names, want);
      for (const Key of want) await send("DeleteObjectCommand", { Bucket: home, Key });
      assert.deepEqual((await list(home, "odd/")).names, []);
    });

    column("conditions", async () => {
      const key = "conditions/k";
      const IfMatch = await put(key, "one");
      const again = (more) => send("PutObjectCommand", { Bucket: home, Key: key, Body: "two", ...more });
      await assert.rejects(again({ IfNoneMatch: "*" }), refused("PreconditionFailed"));
      await assert.rejects(again({ IfMatch: `"${"0".repeat(32)}"` }), refused("PreconditionFailed"));
      await again({ IfMatch });
      await check(key, Buffer.from("two"));
    });
  });
}
