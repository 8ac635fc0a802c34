/**
 * Webhook deliveries a second to a local sink, as a ratio to a bare undici loop in the same run that sends the same
 * bytes; the same beside an endpoint that hangs, one that fails and many waiting rows; and the latency from commit to
 * receipt. `node bench/deliver.ts [--url postgres://…] [--deliveries 20000] [--waiting 1000000]`; without a url it starts
 * the embedded PostgreSQL in a temporary folder. Every delivery is claimed, signed, marked and logged.
 */
import { type ChildProcess, fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import pino from "pino";
import { Pool } from "undici";
import { createAccount } from "../gateway/src/accounts/create.ts";
import { readConfig } from "../gateway/src/config.ts";
import { type Context, createHints, systemClock } from "../gateway/src/context.ts";
import { startEmbeddedPostgres } from "../gateway/src/db/embedded.ts";
import { migrate } from "../gateway/src/db/migrate.ts";
import { openDb } from "../gateway/src/db/pool.ts";
import { sql } from "../gateway/src/db/sql.ts";
import { createIds } from "../gateway/src/lib/ids.ts";
import { createMetrics } from "../gateway/src/lib/metrics.ts";
import { seal } from "../gateway/src/lib/secrets.ts";
import { createDeliverer } from "../gateway/src/webhooks/deliver.ts";
import { secretAad } from "../gateway/src/webhooks/rotate.ts";
import { deliveryHeaders, newSecret } from "../gateway/src/webhooks/sign.ts";
import { startLoops } from "../gateway/src/worker.ts";
import { enqueue } from "../gateway/test/webhooks/enqueue.ts";

/** The sink: a process of its own, so that it takes no time from the loop that sends. Tells when it has what. */
function runSink(): void {
  let received = 0;
  let times: Record<string, string> = {};
  let timed = false;
  const server = createServer((request, response) => {
    if (timed) times[String(request.headers["webhook-id"])] = String(process.hrtime.bigint());
    request.resume();
    request.on("end", () => {
      if (request.url === "/hang") return;
      if (request.url === "/fail") return void response.writeHead(500).end();
      received += 1;
      response.writeHead(204).end();
    });
  });
  server.listen(0, "127.0.0.1", () => process.send!({ port: (server.address() as AddressInfo).port }));
  process.on("message", (message: { reset?: boolean; timed?: boolean; times?: boolean }) => {
    if (message.reset) {
      received = 0;
      times = {};
      timed = message.timed ?? false;
    }
    process.send!(message.times ? { received, times } : { received });
  });
}

if (process.argv.includes("--sink")) runSink();
else await main();

type Told = { port?: number; received: number; times?: Record<string, string> };
function ask(sink: ChildProcess, message: object): Promise<Told> {
  return new Promise((resolve) => {
    sink.once("message", (told) => resolve(told as Told));
    sink.send(message);
  });
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      url: { type: "string" },
      deliveries: { type: "string", default: "20000" },
      waiting: { type: "string", default: "1000000" },
    },
  });
  const deliveries = Number(values.deliveries);
  const folder = mkdtempSync(join(tmpdir(), "pixgate-bench-"));
  const server = values.url ? null : await startEmbeddedPostgres({ dataDir: join(folder, "postgres"), log: () => {} });
  const db = openDb({ url: values.url ?? server!.url, max: 12, onError: () => {} });
  await migrate(db, () => new Date());
  const sink = fork(fileURLToPath(import.meta.url), ["--sink"]);
  const { port } = await new Promise<Told>((resolve) => sink.once("message", (told) => resolve(told as Told)));
  const base = `http://127.0.0.1:${port}`;

  const random = (n: number) => randomBytes(n);
  const ids = createIds({ now: Date.now, random });
  const hints = createHints();
  const keys = { tokens: random(32), sealing: random(32), notifications: random(32), other: null };
  const ctx = {
    config: { ...readConfig({}), webhookRules: "sandbox", webhookRate: 100_000 },
    db, clock: systemClock, ids, random, keys, hints, log: pino({ level: "error" }), metrics: createMetrics(),
    resolve: () => Promise.reject(new Error("no names here")),
  } as unknown as Context; // biome-ignore format: one list
  const accountId = ids.uuid();
  const now = new Date();
  await db.transaction((tx) =>
    createAccount(tx, {
      accountId,
      name: "bench",
      legalName: null,
      document: null,
      isHouse: false,
      institutionIds: [],
      now,
    }),
  );
  const secret = newSecret(random);
  const make = async (path: string) => {
    const id = ids.uuid();
    await db.query(sql`
      insert into webhook_endpoints (account_id, endpoint_id, wallet_id, url, sealed_secret, created_at, updated_at)
      values (${accountId}, ${id}, ${accountId}, ${base + path}, ${seal(keys.sealing, secret, secretAad(accountId, id))}, ${now}, ${now})`);
    return id;
  };
  const good = await Promise.all(Array.from({ length: 98 }, (_, i) => make(`/good/${i}`)));
  const rows: Record<string, string> = {};

  // The floor: the same headers and body as fast as undici sends them, nothing else.
  async function floor(): Promise<number> {
    const pool = new Pool(base, { connections: 256, pipelining: 1 });
    const body = `{"eventId":"${ids.uuid()}"}`;
    const headers = deliveryHeaders({
      kind: "payment_completed",
      eventId: "x",
      webhookId: "x",
      secret,
      body,
      nowMs: 0,
    });
    let left = deliveries;
    const began = performance.now();
    await Promise.all(
      Array.from({ length: 256 }, async () => {
        while (left-- > 0) {
          const answer = await pool.request({ path: "/good/0", method: "POST", headers, body });
          await answer.body.dump();
        }
      }),
    );
    const rate = deliveries / ((performance.now() - began) / 1000);
    await pool.close();
    return rate;
  }

  /** Deliveries a second to the good endpoints; all are written first. */
  async function deliver(many: number): Promise<number> {
    await ask(sink, { reset: true });
    await enqueue(db, accountId, good, many);
    const deliverer = createDeliverer(ctx);
    const began = performance.now();
    const loop = startLoops(ctx, [
      { name: "deliver", pauseMs: 500, once: async () => (await deliverer.deliverDue()) > 0 },
    ]);
    while ((await ask(sink, {})).received < many) await new Promise((resolve) => setTimeout(resolve, 10));
    const rate = many / ((performance.now() - began) / 1000);
    await loop.stop();
    // What hangs is left to its time-out, as a process that stops leaves it.
    await Promise.race([deliverer.idle(), new Promise((resolve) => setTimeout(resolve, 1_000))]);
    void deliverer.close();
    return rate;
  }

  await floor();
  await deliver(deliveries / 4);
  const bare = await floor();
  const alone = await deliver(deliveries);
  rows["bare undici loop, per second"] = bare.toFixed(0);
  rows["98 endpoints, per second"] = alone.toFixed(0);
  rows["… ratio to the bare loop"] = (alone / bare).toFixed(2);

  // Latency, commit to receipt. The clock of both processes is the machine's.
  async function latencies(send: (told: (eventIds: readonly string[]) => void) => Promise<void>): Promise<number[]> {
    await ask(sink, { reset: true, timed: true });
    const committed = new Map<string, bigint>();
    const deliverer = createDeliverer(ctx);
    const loop = startLoops(ctx, [
      { name: "deliver", pauseMs: 500, once: async () => (await deliverer.deliverDue()) > 0 },
    ]);
    await send((eventIds) => {
      const at = process.hrtime.bigint();
      for (const id of eventIds) committed.set(id, at);
      hints.wake("deliver");
    });
    while ((await ask(sink, {})).received < committed.size) await new Promise((resolve) => setTimeout(resolve, 10));
    const { times } = await ask(sink, { times: true });
    await loop.stop();
    await deliverer.idle();
    await deliverer.close();
    return [...committed].map(([id, at]) => Number(BigInt(times![id]!) - at) / 1e6).sort((a, b) => a - b);
  }
  const at = (sorted: readonly number[], part: number) =>
    `${sorted[Math.floor((sorted.length - 1) * part)]!.toFixed(1)} ms`;
  const idle = await latencies(async (told) => {
    for (let i = 0; i < 200; i += 1) {
      told(await enqueue(db, accountId, [good[i % good.length]!], 1));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });
  rows["latency idle, p50 / p99"] = `${at(idle, 0.5)} / ${at(idle, 0.99)}`;
  const half = await latencies(async (told) => {
    const every = 20;
    const many = Math.round((alone / 2 / 1000) * every);
    const began = performance.now();
    for (let i = 0; i < 5_000 / every; i += 1) {
      told(await enqueue(db, accountId, good, many));
      const early = began + (i + 1) * every - performance.now();
      if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
    }
  });
  rows["latency at half load, p50 / p99"] = `${at(half, 0.5)} / ${at(half, 0.99)}`;

  // The same beside one that hangs and one that fails, each with much waiting.
  const [hang, fail] = [await make("/hang"), await make("/fail")];
  await enqueue(db, accountId, [fail], 20_000);
  await enqueue(db, accountId, [hang], 20_000);
  const beside = await deliver(deliveries);
  rows["beside one that hangs and one that fails"] = `${beside.toFixed(0)}, ${(beside / alone).toFixed(2)} of alone`;
  await enqueue(db, accountId, [hang], Number(values.waiting));
  global.gc?.();
  const before = process.memoryUsage.rss();
  const crowded = await deliver(deliveries);
  rows[`… and ${values.waiting} rows waiting`] = `${crowded.toFixed(0)}, ${(crowded / alone).toFixed(2)} of alone`;
  rows["memory of the process, before / after that"] =
    `${(before / 2 ** 20).toFixed(0)} / ${(process.memoryUsage.rss() / 2 ** 20).toFixed(0)} MB`;
  console.table(rows);

  sink.kill();
  await db.end();
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
}
