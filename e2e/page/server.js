// The server under test: started on free ports, its addresses read from the
// ready line.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

// A start takes milliseconds; the rest is for a machine busy with other work.
const startMillis = 30_000;

const binary = process.env.E2E_BINARY ?? fileURLToPath(new URL("../../bin/s3ultra", import.meta.url));

// start returns {url, admin, stop}. admin is the address to listen on.
export async function start(admin = "127.0.0.1:0") {
  const flags = ["--listen", "127.0.0.1:0", "--admin-listen", admin, "--bucket", "data,ckpt:memory", "--memory-limit", "1GiB"];
  const child = spawn(binary, ["serve", ...flags], { stdio: ["ignore", "pipe", "ignore"] });
  const late = setTimeout(() => child.kill("SIGKILL"), startMillis);
  for await (const line of createInterface({ input: child.stdout })) {
    const ready = /^s3ultra ready: (http:\S+).* admin=(http:\S+)/.exec(line);
    if (!ready) continue;
    clearTimeout(late);
    child.stdout.resume(); // a full pipe would block the server
    return {
      url: ready[1], admin: ready[2], pid: child.pid,
      async stop() {
        child.kill("SIGTERM");
        await once(child, "exit");
      },
    };
  }
  throw new Error("the server printed no ready line");
}
