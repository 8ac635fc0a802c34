import { randomBytes } from "node:crypto";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Context } from "../gateway/src/context.ts";
import { uuids } from "../gateway/src/db/arrays.ts";
import type { Db } from "../gateway/src/db/pool.ts";
import { sql } from "../gateway/src/db/sql.ts";
import { seal } from "../gateway/src/lib/secrets.ts";
import { startLoops } from "../gateway/src/program/worker.ts";
import { createDeliverer } from "../gateway/src/webhooks/deliveries/deliver.ts";
import { REOPENED } from "../gateway/src/webhooks/deliveries/poll.ts";
import { newSecret } from "../gateway/src/webhooks/deliveries/sign.ts";
import { secretAad } from "../gateway/src/webhooks/endpoints/rotate.ts";
import { enqueue } from "../gateway/test/webhooks/enqueue.ts";
import { bareLoop } from "./floors/bare-loop.ts";
import { contextOn } from "./harness/context.ts";
import { memoryOf } from "./harness/cost.ts";
import { inRounds, type Load, percentile } from "./harness/load.ts";
import { costFigures, type Each, measured } from "./harness/measured.ts";
import { openMetered } from "./harness/metered.ts";
import { type Figure, figure } from "./harness/result.ts";
import { type Sink, startSink } from "./harness/sink.ts";
import type { Benchmark, Stage } from "./harness/stage.ts";
import { ids, makePayees } from "./harness/tenants.ts";

const CONNECTIONS = 12;
const ENDPOINTS = [1, 10, 100];
/** Rows that wait for the endpoint that hangs and for the one that fails, to begin with. */
const QUEUED = 20_000;

/** Webhooks to a sink: every delivery is claimed, signed, marked and logged. */
export const deliver: Benchmark = {
  name: "deliver",
  async run(stage) {
    const { rounds, scale } = stage.pace;
    const world = await openWorld(stage);
    const { sink, secret, good, hang, fail, endpoint, deliveries } = world;
    const most = good.length;
    await bareLoop(sink.url, secret, deliveries);
    await send(world, most);
    const found = await inRounds(rounds, {
      bare: async () => ({ rate: await bareLoop(sink.url, secret, deliveries) }),
      ...Object.fromEntries(ENDPOINTS.map((n) => [`${n}`, () => send(world, n)])),
      beside: () => send(world, most, [hang, fail]),
    } as Record<string, () => Promise<{ rate: number }>>);
    const rates = (name: string) => found[name]!.map(({ rate }) => rate);
    const bare = { to: "a bare undici loop", values: rates("bare") };
    const alone = { to: "alone", values: rates(`${most}`) };
    const crowded = await crowdedFigures(world, rounds, scale);
    await endpoint.enableOnly(good);
    const figures: Figure[] = [
      figure("floor: a bare undici loop", "/s", rates("bare")),
      ...ENDPOINTS.map((n) => figure(`${n} endpoint${n === 1 ? "" : "s"}`, "/s", rates(`${n}`), { floor: bare, ...(n === most && { bar: { of: "ratio", least: 0.5 } }) })),
      figure(`${most} endpoints beside one that hangs and one that fails`, "/s", rates("beside"), { floor: alone, bar: { of: "ratio", least: 0.9 } }),
      ...crowded,
      ...(await latencyFigures(world, scale, rates(`${most}`)[0]!)),
      ...costFigures(`${most} endpoints`, (found[`${most}`] as { rate: number; each: Each }[]).map((one) => one.each)),
    ]; // biome-ignore format: figures, one a line
    return { figures, curves: [], problems: [] };
  },
};

type World = Awaited<ReturnType<typeof openWorld>>;

/** A database with endpoints at a sink: a hundred good ones, and one that hangs and one that fails with rows that wait. */
async function openWorld(stage: Stage) {
  const { scale } = stage.pace;
  const deliveries = Math.max(200, Math.round(15_000 * Math.min(1, scale * 4)));
  const url = await stage.database();
  const { db, by } = await openMetered(stage, url, CONNECTIONS);
  const sink = await startSink();
  stage.after(async () => sink.stop());
  const ctx = contextOn(db);
  const secret = newSecret((n) => randomBytes(n));
  const [tenant] = await makePayees(db, { tenants: 1 });
  const { accountId } = tenant!;
  const endpoint = createEndpoints(ctx, accountId, sink.url, secret);
  const good = await Promise.all(Array.from({ length: ENDPOINTS.at(-1)! }, (_, i) => endpoint.make(`/good/${i}`)));
  const hang = await endpoint.make("/hang");
  const fail = await endpoint.make("/fail");
  for (const bad of [hang, fail]) await enqueueMany(db, accountId, bad, Math.max(500, Math.round(QUEUED * scale)));
  return { db, ctx, by, sink, secret, accountId, endpoint, good, hang, fail, deliveries };
}

/** Deliveries to so many good endpoints, all written first; connections are open by then, as the floor's are. */
async function send(world: World, endpoints: number, beside: readonly string[] = []): Promise<Load & { each: Each }> {
  const { db, ctx, by, sink, accountId, endpoint, good, deliveries } = world;
  const to = good.slice(0, endpoints);
  await endpoint.enableOnly([...good, ...beside]);
  await sink.reset();
  return delivering(ctx, sink, async () => {
    const warm = Math.round(deliveries / 4);
    await enqueue(db, accountId, to, warm);
    ctx.hints.wake("deliver");
    await sink.until(warm);
    await endpoint.enableOnly(beside);
    await enqueue(db, accountId, to, deliveries);
    return measured(by, async () => {
      const began = performance.now();
      await endpoint.enableOnly([...good, ...beside]);
      ctx.hints.wake(REOPENED);
      ctx.hints.wake("deliver");
      await sink.until(warm + deliveries);
      const seconds = (performance.now() - began) / 1_000;
      return { rate: deliveries / seconds, count: deliveries, seconds, latencies: new Float64Array() };
    });
  });
}

/** The same beside an endpoint that hangs with a million rows; and the memory of this process before and after. */
async function crowdedFigures(world: World, rounds: number, scale: number): Promise<Figure[]> {
  const { db, accountId, good, hang, fail } = world;
  const waiting = Math.max(1_000, Math.round(1_000_000 * scale));
  collectGarbage();
  const before = memoryOf(process.pid);
  await enqueueMany(db, accountId, hang, waiting);
  const most = good.length;
  const found = await inRounds(rounds, {
    alone: () => send(world, most),
    crowded: () => send(world, most, [hang, fail]),
  });
  collectGarbage();
  const after = memoryOf(process.pid);
  const empty = { to: "alone", values: found.alone!.map(({ rate }) => rate) };
  const named = waiting.toLocaleString("en-US");
  return [
    figure(`… and ${named} rows waiting for it`, "/s", found.crowded!.map(({ rate }) => rate), { floor: empty, bar: { of: "ratio", least: 0.9 } }),
    figure(`memory of this process, before it has met them`, "MB", [before]),
    figure("memory of this process, after it has", "MB", [after], { bar: { of: "value", most: 300 } }),
  ]; // biome-ignore format: figures, one a line
}

/** From commit to receipt, one at a time and at half of what it can send. */
async function latencyFigures(world: World, scale: number, rate: number): Promise<Figure[]> {
  const { db, ctx, sink, accountId, good } = world;
  const idle = await latencies(ctx, sink, async (committed) => {
    for (let i = 0; i < Math.max(20, 200 * scale); i += 1) {
      committed(await enqueue(db, accountId, [good[i % good.length]!], 1));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });
  const every = 20;
  const each = Math.max(1, Math.round((rate / 2 / 1_000) * every));
  const half = await latencies(ctx, sink, async (committed) => {
    const began = performance.now();
    const times = Math.max(10, Math.round((4_000 * Math.min(1, scale * 4)) / every));
    for (let i = 0; i < times; i += 1) {
      committed(await enqueue(db, accountId, good, each));
      const early = began + (i + 1) * every - performance.now();
      if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
    }
  });
  return [
    figure("latency idle, commit to receipt, p50", "ms", [percentile(idle, 0.5)]),
    figure("latency idle, p99", "ms", [percentile(idle, 0.99)]),
    figure("latency at half load, p50", "ms", [percentile(half, 0.5)]),
    figure("latency at half load, p99", "ms", [percentile(half, 0.99)]),
  ];
}

/** Does work while the loop that delivers runs, as the worker runs it. What was begun is ended and marked before anything is closed. */
export async function delivering<T>(ctx: Context, sink: Sink, work: () => Promise<T>): Promise<T> {
  const deliverer = createDeliverer(ctx);
  const loop = startLoops(ctx, [{ name: "deliver", pauseMs: 500, once: async () => (await deliverer.runDue()) > 0 }]);
  try {
    return await work();
  } finally {
    await loop.stop();
    const ended = deliverer.idle().then(() => true);
    for (let done = false; !done; ) {
      await sink.release();
      done = await Promise.race([ended, new Promise<false>((resolve) => setTimeout(resolve, 20, false))]);
    }
    await deliverer.close();
  }
}

/** Endpoints of a tenant at the sink. */
export function createEndpoints(ctx: Context, accountId: string, base: string, secret: string) {
  const { db, keys } = ctx;
  return {
    async make(path: string): Promise<string> {
      const [id, now] = [ids.uuid(), new Date()];
      await db.query(sql`
        insert into webhook_endpoints (account_id, endpoint_id, wallet_id, url, sealed_secret, created_at, updated_at)
        values (${accountId}, ${id}, ${accountId}, ${base + path}, ${seal(keys.sealing, secret, secretAad(accountId, id))}, ${now}, ${now})`);
      return id;
    },
    /** The others wait, as when their owner has switched them off. */
    async enableOnly(endpointIds: readonly string[]): Promise<void> {
      await db.query(sql`
        update webhook_endpoints set enabled = endpoint_id = any(${uuids(endpointIds)}::uuid[])
        where account_id = ${accountId}`);
    },
  };
}

/** As `enqueue`, made by the database: a million rows that never were in this process. */
async function enqueueMany(db: Db, accountId: string, endpointId: string, many: number): Promise<void> {
  const now = new Date();
  for (let left = many; left > 0; left -= 50_000) {
    await db.query(sql`
      with made as (
        insert into events (account_id, event_id, wallet_id, kind, body, created_at)
        select ${accountId}, u.id, ${accountId}, 'payment_completed', '{"eventId":"' || u.id || '"}', ${now}
        from (select gen_random_uuid()::text as id from generate_series(1, ${Math.min(left, 50_000)})) u
        returning event_id
      )
      insert into deliveries (account_id, delivery_id, event_id, endpoint_id, status, next_at, created_at)
      select ${accountId}, gen_random_uuid(), event_id, ${endpointId}, 'pending', ${now}, ${now} from made`);
  }
}

/** Milliseconds from commit to receipt, sorted. */
async function latencies(
  ctx: Context,
  sink: Sink,
  send: (committed: (eventIds: readonly string[]) => void) => Promise<void>,
): Promise<number[]> {
  await sink.reset(true);
  const committed = new Map<string, bigint>();
  const times = await delivering(ctx, sink, async () => {
    await send((eventIds) => {
      const at = process.hrtime.bigint();
      for (const id of eventIds) committed.set(id, at);
      ctx.hints.wake("deliver");
    });
    await sink.until(committed.size);
    return sink.times();
  });
  return [...committed].map(([id, at]) => Number(times.get(id)! - at) / 1e6).sort((a, b) => a - b);
}

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;
