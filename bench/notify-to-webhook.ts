import { openDb } from "../gateway/src/db/pool.ts";
import { institutionAt } from "./charge-http.ts";
import { brokenBooks } from "./harness/books.ts";
import { type Meter, openMeter } from "./harness/cost.ts";
import { expect, type Gateway, makeMerchant, openHttp, startGateway } from "./harness/gateway.ts";
import { percentile } from "./harness/load.ts";
import { type BarePsp, startPsp } from "./harness/psp.ts";
import { type Figure, figure } from "./harness/result.ts";
import { type Sink, startSink } from "./harness/sink.ts";
import type { Benchmark } from "./harness/stage.ts";
import { makeCharges } from "./harness/tenants.ts";

/** A PSP's notification in, the webhook out: stored, confirmed with the PSP, settled, delivered. */
export const notifyToWebhook: Benchmark = {
  name: "notify-to-webhook",
  async run(stage) {
    const { rounds, scale } = stage.pace;
    const gateway = await startGateway(stage);
    const [sink, psp] = [await startSink(), await startPsp(0)];
    stage.after(async () => {
      sink.stop();
      psp.stop();
    });
    const db = openDb({ url: gateway.databaseUrl, max: 2, onError: () => {} });
    stage.after(() => db.end());
    const meter = await openMeter(gateway.databaseUrl);
    stage.after(() => meter.close());
    const institutionId = await institutionAt(gateway, psp.url);
    const tested = await expect(200, gateway.operator.call("POST", `/institutions/${institutionId}/test`));
    if (!JSON.stringify(tested).includes("is registered")) throw new Error(`no notifications: ${JSON.stringify(tested)}`);
    const { accountId, number, login } = await makeMerchant(gateway, institutionId);
    const http = openHttp(gateway.sandbox.baseUrl, { connections: 1 });
    stage.after(() => http.close());
    const merchant = http.as(await login(gateway));
    for (let i = 0; i < 10; i += 1) {
      await expect(201, merchant.call("POST", "/webhook-endpoints", { url: `${sink.url}/good/${i}`, ...(i > 0 && { events: ["payment_expired"] }) }));
    }
    const payee = { accountId, number, walletId: accountId, split: [] };
    const charges = async (many: number) => makeCharges(db, Array.from({ length: many }, () => payee), institutionId);

    const parts = { gateway, sink, psp, meter, charges };
    const many = Math.max(50, Math.round(6_000 * Math.min(1, scale * 4)));
    await flood(parts, Math.ceil(many / 4));
    const floods = [];
    for (let round = 0; round < rounds; round += 1) floods.push(await flood(parts, many));

    const idle = await latencies(parts, Math.max(20, Math.round(200 * Math.min(1, scale * 4))), null);
    const rate = floods.map((one) => one.rate).sort((a, b) => a - b)[rounds >> 1]!;
    const half = await latencies(parts, Math.max(40, Math.round(rate * 2 * Math.min(1, scale * 4))), rate / 2);
    const figures: Figure[] = [
      figure("sustained, notification to webhook", "/s", floods.map((one) => one.rate)),
      figure("CPU of the gateway for each", "ms", floods.map((one) => one.cpu)),
      figure("CPU of PostgreSQL for each", "ms", floods.map((one) => one.postgresCpu)),
      figure("round trips for each", "", floods.map((one) => one.trips)),
      figure("log written for each", "bytes", floods.map((one) => one.walBytes)),
      figure("log forced to the disk for each", "", floods.map((one) => one.walFlushes)),
      figure("one at a time, p50", "ms", [percentile(idle, 0.5)]),
      figure("one at a time, p99", "ms", [percentile(idle, 0.99)]),
      figure("at half the sustained rate, p50", "ms", [percentile(half, 0.5)]),
      figure("at half the sustained rate, p99", "ms", [percentile(half, 0.99)]),
    ];
    return { figures, curves: [], problems: await brokenBooks(db) };
  }, // biome-ignore format: figures, one a line
};

type Parts = {
  readonly gateway: Gateway;
  readonly sink: Sink;
  readonly psp: BarePsp;
  readonly meter: Meter;
  charges(many: number): ReturnType<typeof makeCharges>;
};

/** Pays all at once; gives payments a second from the first notification to the last webhook. */
async function flood({ gateway, sink, psp, meter, charges }: Parts, many: number) {
  const made = await charges(many);
  await sink.reset(true);
  const [spent, before] = [await gateway.spent(), await meter.read()];
  const sent = await psp.pay(made.map(({ pix }) => pix.txid!));
  await sink.until(many);
  const [answered, after] = [await gateway.spent(), await meter.read()];
  const times = await sink.times();
  const first = [...sent.values()].reduce((a, b) => (a < b ? a : b));
  const last = [...times.values()].reduce((a, b) => (a > b ? a : b));
  return {
    rate: many / (Number(last - first) / 1e9),
    cpu: (answered.cpu - spent.cpu) / many,
    postgresCpu: (after.postgresCpu - before.postgresCpu) / many,
    trips: (answered.trips - spent.trips) / many,
    walBytes: (after.walBytes - before.walBytes) / many,
    walFlushes: (after.walFlushes - before.walFlushes) / many,
  };
}

/** Pays one after the other, or so many a second; gives milliseconds from notification to webhook, sorted. */
async function latencies({ sink, psp, charges }: Parts, count: number, perSecond: number | null) {
  const made = await charges(count);
  await sink.reset(true);
  const sent = new Map<string, bigint>();
  const began = performance.now();
  const burst = perSecond === null ? 1 : Math.max(1, Math.round(perSecond / 50));
  for (let i = 0; i < count; i += burst) {
    const part = made.slice(i, i + burst).map(({ pix }) => pix.txid!);
    for (const [txid, at] of await psp.pay(part)) sent.set(txid, at);
    if (perSecond === null) await sink.until(i + 1);
    else {
      const early = began + ((i + burst) / perSecond) * 1_000 - performance.now();
      if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
    }
  }
  await sink.until(count);
  const times = await sink.times();
  return made
    .map(({ chargeId, pix }) => Number(times.get(chargeId)! - sent.get(pix.txid!)!) / 1e6)
    .sort((a, b) => a - b);
}
