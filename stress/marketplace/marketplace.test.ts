/** The marketplace of examples/ takes 300 orders while everything fails now and then. */
import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { stream } from "../harness/random.ts";
import { wreak } from "./chaos.ts";
import { type Driven, drive, prepare } from "./drive.ts";
import { balances, expectedBalances, waitForQuiet } from "./judge.ts";
import { startWorld } from "./world.ts";

const ORDERS = Number(process.env.PIXGATE_ORDERS ?? 300);
const SEEDS = (process.env.PIXGATE_SEEDS ?? "1,2,3,4,5").split(",").map(Number);

/** Number of orders of a sub-test: the runner ends a file in which no test has ended for 300 seconds. */
const CHUNK = 50;
/** Time-out of a sub-test, milliseconds: a busy machine takes long. */
const TIMEOUT_MS = 280_000;

type Run = { seed: number; orders: number; chaos: boolean; webhooks?: boolean };

async function run(t: TestContext, { seed, orders, chaos, ...options }: Run): Promise<Record<string, number>> {
  const world = await startWorld(options);
  let isOver = !chaos;
  try {
    await prepare(world);
    const driven: Driven = { counts: {}, paid: new Set() };
    const progress = { orders: () => driven.counts.orders ?? 0, over: () => isOver };
    const struck = wreak(world, stream(seed, "chaos"), progress);
    for (let from = 0; from < orders; from += CHUNK) {
      const to = Math.min(from + CHUNK, orders);
      await t.test(`orders ${from + 1} to ${to}`, { timeout: TIMEOUT_MS }, () =>
        drive(world, seed, [from, to], driven),
      );
    }
    isOver = true;
    const strikes = await struck;
    let counts: Record<string, number> = {};
    await t.test("agree", { timeout: TIMEOUT_MS }, async () => {
      const report = await waitForQuiet(world, driven);
      assert.deepEqual(report.differences, []);
      assert.deepEqual(report.balances, await balances(world));
      assert.deepEqual(report.balances, await expectedBalances(world));
      assert.deepEqual(await world.violations(), []);
      assert.deepEqual(world.gateway.account.crashes, []);
      counts = { ...driven.counts, ...strikes, lines: report.lines };
    });
    t.diagnostic(JSON.stringify(counts));
    return counts;
  } finally {
    isOver = true;
    await world.stop();
  }
}

describe("The order book, the statement line by line, and the balances of nine wallets agree to the centavo", () => {
  for (const seed of SEEDS) {
    test(`after ${ORDERS} orders with kills, cut connections, an absent receiver and replays, seed ${seed}`, {
      timeout: 1_200_000,
    }, async (t) => {
      const counts = await run(t, { seed, orders: ORDERS, chaos: true });
      for (const strike of ["gateway killed", "marketplace killed", "calls cut", "receiver away", "events replayed"])
        assert.ok(counts[strike]! > 0, `${strike}: ${JSON.stringify(counts)}`);
    });
  }

  test("with polls alone: no webhook ever arrives", { timeout: 300_000 }, async (t) => {
    await run(t, { seed: 6, orders: 30, chaos: false, webhooks: false });
  });
});
