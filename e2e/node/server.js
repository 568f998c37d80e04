// The server under test: started on port 0, its address read from the ready line.

import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import assert from "node:assert/strict";

import { content } from "./formula.js";

export const ACCESS_KEY = "e2e-access-key";
export const SECRET_KEY = "e2e-secret/key+with=signs"; // "/ + =" are what clients get wrong in a secret
export const REGION = "us-east-1";
const SEED = 20260731; // any number but the default, so that a server ignoring --seed is noticed
const KEEP_SMALL = 512; // the server's default: below it a synthetic object keeps its true bytes

// A start takes milliseconds; the rest is for a machine busy with other work.
const START_MS = 30_000;

// E2E_ENDPOINT names another S3 server to use for memory mode, which tells a fault of ours from one of the client.
export const modes = process.env.E2E_ENDPOINT ? ["memory"] : ["synth", "memory"];

export class Server {
  constructor(mode, url, child) {
    this.mode = mode;
    this.url = url;
    this.child = child;
    this.suffix = randomBytes(3).toString("hex"); // buckets of two runs against one external server must not meet
  }

  static async start(mode) {
    if (process.env.E2E_ENDPOINT) return new Server(mode, process.env.E2E_ENDPOINT);
    const binary = process.env.E2E_BINARY ?? fileURLToPath(new URL("../../bin/s3ultra", import.meta.url));
    const keys = ["--access-key", ACCESS_KEY, "--secret-key", SECRET_KEY];
    const flags = ["serve", "--mode", mode, "--seed", String(SEED), "--listen", "127.0.0.1:0", ...keys];
    const child = spawn(binary, flags, { stdio: ["ignore", "pipe", "ignore"] });
    const late = setTimeout(() => child.kill("SIGKILL"), START_MS);
    for await (const line of createInterface({ input: child.stdout })) {
      const ready = /^s3ultra ready: (http:\/\/[0-9.]+:[0-9]+)/.exec(line);
      if (!ready) continue;
      clearTimeout(late);
      child.stdout.resume(); // a full pipe would block the server
      return new Server(mode, ready[1], child);
    }
    throw new Error("the server printed no ready line");
  }

  // SIGTERM must end the server with code 0.
  async stop() {
    if (!this.child) return;
    this.child.kill("SIGTERM");
    const [code] = await once(this.child, "exit");
    assert.equal(code, 0, "exit code of the server");
  }

  bucket(name) {
    return `e2e-${name}-${this.suffix}`;
  }

  // Whether an object of size bytes is served as it was written.
  keeps(size) {
    return this.mode === "memory" || size < KEEP_SMALL;
  }

  // The bytes that reading bucket/key must give after data was written to it.
  expected(bucket, key, data) {
    return this.keeps(data.length) ? data : content(SEED, bucket, key, 0, data.length);
  }

  // The true MD5 where bytes are kept, else an ETag that no client takes for an MD5. partSize is 0 for a single PUT.
  checkETag(etag, data, partSize) {
    etag = etag.replaceAll('"', "");
    if (this.keeps(data.length) && etag === md5ETag(data, partSize)) return;
    assert.notEqual(this.mode, "memory", `ETag ${etag} is not ${md5ETag(data, partSize)}`);
    const parts = partSize ? Math.ceil(data.length / partSize) : 1;
    assert.match(etag, new RegExp(`^[0-9a-f]{32}-${parts}$`));
  }
}

const md5 = (data) => createHash("md5").update(data).digest();

function md5ETag(data, partSize) {
  if (!partSize) return md5(data).toString("hex");
  const sums = [];
  for (let i = 0; i < data.length; i += partSize) sums.push(md5(data.subarray(i, i + partSize)));
  return `${md5(Buffer.concat(sums)).toString("hex")}-${sums.length}`;
}

// size bytes that differ from name to name and repeat from run to run.
export function payload(name, size) {
  return content(0, "payload", name, 0, size);
}

// Compares byte strings and names the first differing offset instead of printing megabytes.
export function same(got, want, what) {
  got = Buffer.from(got);
  assert.equal(got.length, want.length, `length of ${what}`);
  if (got.equals(want)) return;
  const at = got.findIndex((byte, i) => byte !== want[i]);
  const [is, was] = [got, want].map((b) => b.subarray(at, at + 16).toString("hex"));
  assert.fail(`unexpected bytes of ${what} at offset ${at}; got ${is}; want ${was}`);
}
