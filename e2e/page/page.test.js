// The live page of the admin server in a headless Chromium, beside a bounded
// load: what it shows, that it draws, that nothing a client names runs.
//
// E2E_CHROMIUM names the browser (default /usr/bin/chromium), E2E_BINARY the
// server. Screenshots are left in e2e/out/page; PAGE_IMAGE names a file for the
// one of docs/operations.md, PAGE_SECONDS how much load it shows.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

import * as load from "./load.js";
import * as server from "./server.js";

const out = fileURLToPath(new URL("../out/page/", import.meta.url));
const desktop = { width: 1280, height: 900 }, phone = { width: 360, height: 780 };
// Enough samples for a line in each chart.
const seconds = Number(process.env.PAGE_SECONDS ?? 15);
// Bounds a wait for the page or the browser; a shared machine may be slow.
const patience = 60_000;

const flags = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync",
];

let s3, running, context, page, profile;
const complaints = [], requests = [];

before(async () => {
  mkdirSync(out, { recursive: true });
  s3 = await server.start();
  await load.seed(s3.url);
  running = load.start(s3.url);
  profile = mkdtempSync(join(tmpdir(), "s3ultra-page-"));
  context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.E2E_CHROMIUM ?? "/usr/bin/chromium", args: flags, viewport: desktop, colorScheme: "light",
    timeout: patience,
  });
  context.setDefaultTimeout(patience);
  page = await context.newPage();
  page.on("console", (m) => complaints.push(`${m.type()}: ${m.text()}`));
  page.on("pageerror", (e) => complaints.push(String(e)));
  page.on("dialog", (d) => { complaints.push(`dialog: ${d.message()}`); d.dismiss(); });
  page.on("request", (r) => requests.push(r.url()));
  await page.goto(s3.admin);
  await samples(seconds);
});

after(async () => {
  await context?.close();
  await running?.stop();
  await s3?.stop();
  if (profile) rmSync(profile, { recursive: true, force: true });
});

const text = (selector) => page.textContent(selector);

// samples waits until the page has that many, one a second.
const samples = (n) => page.waitForFunction((n) => state.samples.length >= n, n, { timeout: n * 1000 + patience });

// shows waits until the text of an element matches.
const shows = (selector, pattern) => page.waitForFunction(
  ([selector, source]) => new RegExp(source).test(document.querySelector(selector).textContent), [selector, pattern.source]);

// values returns the numbers on top of a card by their names.
const values = (card) => page.$$eval(`#card-${card} .values li`, (all) =>
  Object.fromEntries(all.map((li) => [li.children[1].textContent, li.children[0].textContent])));

// inked counts, of each of a chart's lines, the columns of pixels that have its colour.
const inked = (card) => page.evaluate((id) => {
  const { chart } = cards.find((c) => c.id === id);
  const { width, height } = chart.canvas;
  const probe = Object.assign(document.createElement("canvas"), { width, height }).getContext("2d", { willReadFrequently: true });
  probe.drawImage(chart.canvas, 0, 0);
  const data = probe.getImageData(0, 0, width, height).data;
  return chart.series.map((s) => {
    probe.clearRect(0, 0, 1, 1);
    probe.fillStyle = token(s.color);
    probe.fillRect(0, 0, 1, 1);
    const [r, g, b] = probe.getImageData(0, 0, 1, 1).data;
    let columns = 0;
    for (let x = 0; x < width; x++) {
      for (let y = 0; y < height; y++) {
        const i = (y * width + x) * 4;
        if (data[i + 3] > 120 && Math.abs(data[i] - r) + Math.abs(data[i + 1] - g) + Math.abs(data[i + 2] - b) < 60) {
          columns++;
          break;
        }
      }
    }
    return { name: s.name, columns, width };
  });
}, card);

const units = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };
function bytes(textOf) {
  const [, n, unit] = /^([\d.,]+) (B|KiB|MiB|GiB)(\/s)?$/.exec(textOf) ?? assert.fail(`not a size: ${textOf}`);
  return Number(n.replaceAll(",", "")) * units[unit];
}

test("it is live and shows what the server counted", async () => {
  assert.equal(await text("#state"), "live");
  const stats = await (await fetch(s3.admin + "/api/stats")).json();
  const throughput = await values("throughput");
  assert.ok(bytes(throughput.out) > 1 << 20, `out is ${throughput.out}`);
  assert.ok(bytes(throughput.in) > 1 << 18, `in is ${throughput.in}`);
  const rate = Number((await values("requests")).requests.replace("/s", "").replaceAll(",", ""));
  // After it, as the next second may be the highest, and rounded as it is.
  const peak = await page.evaluate(() => Math.ceil(Math.max(...state.samples.map((s) => s.requests))));
  assert.ok(rate > 1 && rate <= peak, `${rate} requests/s, peak ${peak}`);
  assert.match((await values("latency")).p99, /^[\d.]+ (µs|ms|s)$/);
  assert.ok(Number((await values("connections")).open) >= 4);
  assert.match((await values("cpu"))["CPU share"], /^[\d.]+ %$/);
  const memory = await values("memory");
  assert.ok(Object.keys(memory)[0] === "stored, limit 1.00 GiB" && bytes(memory.process) > 5 << 20, JSON.stringify(memory));
  const names = await page.$$eval("#operations tbody tr", (all) => all.map((tr) => tr.cells[0].textContent));
  assert.deepEqual(new Set(names), new Set(stats.operations.map((o) => o.name)));
});

if (process.env.PAGE_IMAGE) test("its picture for the documentation", () => page.screenshot({ path: process.env.PAGE_IMAGE }));

test("it has all samples, without a gap", async () => {
  const numbers = await page.evaluate(() => state.samples.map((s) => s.number));
  assert.ok(numbers.length >= seconds, `${numbers.length} samples`);
  numbers.forEach((n, i) => assert.equal(n, numbers[0] + i));
});

for (const scheme of ["light", "dark"]) {
  test(`every chart has its lines, ${scheme}`, async () => {
    await page.emulateMedia({ colorScheme: scheme });
    await page.waitForTimeout(1500);
    for (const card of ["throughput", "requests", "latency", "connections", "cpu", "memory"]) {
      const lines = await inked(card);
      assert.ok(lines.length > 0, `${card} has no line`);
      // In the stack a rare operation may have no pixel of its own.
      for (const line of card === "requests" ? lines.slice(0, 1) : lines) {
        assert.ok(line.columns > 10, `${card}, ${line.name}: ${line.columns} of ${line.width} columns have its colour`);
      }
    }
    await page.screenshot({ path: join(out, `${scheme}.png`), fullPage: true });
  });
}

test("text has contrast in both schemes", async () => {
  for (const scheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme: scheme });
    const poor = await page.evaluate(() => {
      const luminance = (hex) => {
        const [r, g, b] = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255)
          .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      tokens.clear();
      const ratio = (a, b) => {
        const [x, y] = [luminance(token(a)), luminance(token(b))].sort((p, q) => q - p);
        return (x + 0.05) / (y + 0.05);
      };
      const words = ["text", "muted", "accent", "good", "bad", "warn"];
      const lines = ["series-1", "series-2", "series-3", "series-4", "series-5", "series-6", "series-7", "series-other"];
      return [
        ...["card", "ground"].flatMap((g) => words.map((w) => [w, g, ratio(w, g), 4.5])),
        ...lines.map((l) => [l, "card", ratio(l, "card"), 3]),
      ].filter(([, , got, want]) => got < want);
    });
    assert.deepEqual(poor, [], `too little contrast, ${scheme}`);
  }
  await page.emulateMedia({ colorScheme: "light" });
});

test("pointing and arrow keys choose a time in all charts", async () => {
  const box = await page.locator("#card-latency canvas").boundingBox();
  await page.mouse.move(box.x + box.width - 30, box.y + 40);
  await shows("#card-latency time", /\d/);
  const times = await page.$$eval(".card time", (all) => all.map((t) => t.textContent));
  assert.match(times[0], /^\d\d:\d\d:\d\d$/);
  assert.deepEqual(new Set(times).size, 1);
  await page.screenshot({ path: join(out, "pointed.png") });
  await page.mouse.move(0, 0);
  await shows("#card-cpu time", /^$/);
  await page.focus("#card-cpu canvas");
  await page.keyboard.press("ArrowLeft");
  await shows("#card-memory time", /^\d\d:\d\d:\d\d$/);
  await page.keyboard.press("Escape");
  assert.match(await page.getAttribute("#card-throughput canvas", "aria-label"), /Throughput, last \d+ min\. Now: out [\d.]+ /);
});

test("names and causes of clients are only text", async () => {
  const shown = load.hostile.replace("\u202e", "\\u202e");
  const keys = await page.$$eval("#uploads tbody tr", (all) => all.map((tr) => tr.cells[0].textContent));
  assert.deepEqual(new Set(keys), new Set(["model.safetensors", shown]));
  const errors = await page.$$eval("#errors tbody tr", (all) => all.map((tr) => tr.cells[1].textContent));
  for (const want of ["404 NoSuchKeyGetObject", "404 NoSuchBucketGetObject", "404 NoSuchUploadUploadPart"]) {
    assert.ok(errors.includes(want), `no ${want} in ${errors}`);
  }
  assert.equal(await page.$$eval("main img, main script, main iframe", (all) => all.length), 0);
});

test("buckets have their counts", async () => {
  const rows = await page.$$eval("#buckets tbody tr", (all) => all.map((tr) => [...tr.cells].map((c) => c.textContent)));
  assert.deepEqual(rows.map((r) => r.slice(0, 2)), [["ckpt", "memory"], ["data", "synth"]]);
  for (const r of rows) assert.ok(Number(r[2]) > 0 && bytes(r[3]) > 1 << 20, r.join(" "));
});

test("a phone shows all of it in its width", async () => {
  const other = await context.newPage();
  await other.setViewportSize(phone);
  await other.goto(s3.admin);
  await other.waitForSelector("#operations tbody tr");
  await other.waitForTimeout(1500);
  const [wide, room] = await other.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(wide <= room, `the page is ${wide} wide on ${room}`);
  const cut = await other.$$eval(".card, .panel", (all) => all.filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.id || e.textContent.slice(0, 20)));
  assert.deepEqual(cut, [], "these scroll sideways");
  for (const scheme of ["light", "dark"]) {
    await other.emulateMedia({ colorScheme: scheme });
    await other.waitForTimeout(300);
    await other.screenshot({ path: join(out, `phone-${scheme}.png`), fullPage: true });
  }
  await other.close();
});

if (process.platform === "linux") test("an idle page costs the server nothing noticeable", async () => {
  await running.stop();
  running = undefined;
  // Nanoseconds on a processor, of all threads: ticks do not see a millisecond.
  const used = () => readdirSync(`/proc/${s3.pid}/task`).reduce((sum, thread) =>
    sum + Number(readFileSync(`/proc/${s3.pid}/task/${thread}/schedstat`, "latin1").split(" ")[0]) / 1e9, 0);
  await page.waitForTimeout(2000);
  const first = await page.evaluate(() => state.samples.length);
  const began = performance.now(), begin = used();
  await samples(first + 10);
  const share = (used() - begin) / ((performance.now() - began) / 1000);
  console.log(`idle server with an open page: ${(share * 100).toFixed(2)} % of a processor`);
  assert.ok(share < 0.02, `the server used ${share} of a processor`);
});

test("nothing but the server was asked, and the console is empty", () => {
  assert.deepEqual(complaints, []);
  for (const url of requests) assert.ok(url.startsWith(s3.admin + "/"), url);
  assert.ok(requests.length < 6, `unexpected requests: ${requests}`);
});

test("it says when the server is gone, and comes back", async () => {
  const address = s3.admin.replace("http://", "");
  await s3.stop();
  await page.waitForFunction(() => document.getElementById("state").dataset.state === "disconnected", null, { timeout: patience });
  assert.match(await text("#state"), /^disconnected, trying again \(last data \d\d:\d\d:\d\d\)$/);
  await page.screenshot({ path: join(out, "disconnected.png") });
  s3 = await server.start(address);
  await page.waitForFunction(() => document.getElementById("state").dataset.state === "live", null, { timeout: patience });
  // The old server's seconds are not the new one's.
  await page.waitForFunction(() => state.samples.length > 1 && state.samples.every((s, i) => s.number === state.samples[0].number + i),
    null, { timeout: patience });
  assert.ok((await page.evaluate(() => state.samples.length)) < 60);
});
