// A bounded load on loopback: a few connections that ask for all kinds of
// things and pause in between, so that a browser beside it gets its turn.

import { Agent, request } from "node:http";

// ask sends one request and returns {status, text}.
export function ask(agent, url, method, path, body) {
  return new Promise((resolve, reject) => {
    const headers = body ? { "content-length": body.length } : {};
    const req = request(url + path, { method, agent, headers }, (res) => {
      let text = "";
      res.on("data", (piece) => { if (text.length < 4096) text += piece.toString("latin1"); });
      res.on("end", () => resolve({ status: res.statusCode, text }));
      res.on("error", reject);
    });
    req.on("error", reject);
    req.end(body);
  });
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// Names that would do something if the page took them for HTML. Upper-case
// letters and signs are not allowed in buckets, but in keys everything is.
export const hostile = `<img src=x onerror=alert(1)>"'&\u202e.bin`;

// start begins a load on the buckets "data" and "ckpt", which must exist. stop
// of what it returns ends it.
export function start(url, { workers = 4 } = {}) {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  let running = true;
  const megabyte = Buffer.alloc(1 << 20, 7), small = Buffer.alloc(4096, 7);
  const began = Date.now();

  async function worker(n) {
    for (let i = 0; running; i++) {
      // Waves: a chart of a constant shows little.
      const wave = 0.5 + 0.5 * Math.sin((Date.now() - began) / 7000 + n / 3);
      const key = `train/part-${n}-${i % 200}.bin`;
      await ask(agent, url, "PUT", `/data/${key}`, i % 3 ? small : megabyte);
      for (let k = 0; k < 1 + 6 * wave; k++) await ask(agent, url, "GET", `/data/${key}`);
      if (i % 3 === 0) await ask(agent, url, "HEAD", `/data/${key}`);
      if (i % 4 === 0) await ask(agent, url, "GET", "/data?list-type=2&max-keys=100");
      if (i % 40 === 0) await ask(agent, url, "GET", `/data/missing-${i % 3}`);
      if (i % 50 === 0) await ask(agent, url, "DELETE", `/data/${key}`);
      if (i % 25 === 0) await ask(agent, url, "PUT", `/ckpt/step-${i}.pt`, megabyte);
      await pause(2 + 40 * (1 - wave));
    }
  }

  const all = Array.from({ length: workers }, (_, n) => worker(n));
  return {
    agent,
    async stop() {
      running = false;
      await Promise.all(all);
      agent.destroy();
    },
  };
}

// seed makes what is looked for on the page: running uploads and refused
// requests, some with a hostile name.
export async function seed(url) {
  const agent = new Agent();
  const name = encodeURIComponent(hostile);
  await ask(agent, url, "POST", `/ckpt/model.safetensors?uploads`);
  await ask(agent, url, "POST", `/ckpt/${name}?uploads`);
  await ask(agent, url, "GET", `/data/${name}`);
  await ask(agent, url, "GET", `/no-such-bucket/key`);
  await ask(agent, url, "PUT", `/data/key?partNumber=1&uploadId=gone`, Buffer.from("x"));
  agent.destroy();
}
