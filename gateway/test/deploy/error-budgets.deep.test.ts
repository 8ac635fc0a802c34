/**
 * The alerts of the service levels (`slo.yaml`) fire by real faults, each twice and once however many processes see it. That they fire by
 * the delivered windows is seen the first time; there they would end only hours later, so that their end is seen with windows of half a minute.
 */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { eventually } from "../harness/eventually.ts";
import { hasPrometheus } from "../harness/prometheus.ts";
import { startWatchedWorld, type WatchedWorld } from "../harness/watched-world.ts";

const skip = hasPrometheus() ? false : "there is no prometheus here";
const WAIT = 90_000;
/** Calls that wait together, and how long: longer than the second that is promised. */
const [TOGETHER, SLOW_SECONDS] = [30, 1.5];
/** Windows in which the end of an alert is seen, seconds. */
const BRIEF = 30;

describe("A real Prometheus that watches the service levels", { skip }, () => {
  let world: WatchedWorld;
  const both = () => [world.prometheus, world.briefly];

  before(async () => {
    world = await startWatchedWorld({}, { rules: "slo.yaml", brief: BRIEF });
  });
  after(async () => {
    await world?.stop();
    await world?.gateway.stop();
  });
  beforeEach(() => world.login());

  /** Repeats what breaks the promise until all of these fire in both, and there once. */
  async function until(alerts: readonly string[], breaks: () => Promise<unknown>): Promise<void> {
    await eventually(
      `${alerts.join(" and ")} to fire`,
      async () => {
        await breaks();
        for (const prometheus of both()) {
          const fired = (await prometheus.firing()).map(({ labels }) => labels.alertname!);
          if (!alerts.every((alert) => fired.includes(alert))) return false;
          assert.equal(new Set(fired).size, fired.length, fired.join());
        }
        return true;
      },
      WAIT,
    );
  }

  test("fires nothing of a gateway that answers in time and without errors", async () => {
    // The share of errors has no value before the first error.
    const isRead = async () => {
      await world.gateway.merchant.post("/pix", { amount: 5, description: "a sale" });
      return (await world.prometheus.query("pixgate:answers_slow:ratio6h")).result.length > 0;
    };
    await eventually("the share of slow answers to be read", isRead, WAIT);
    for (const prometheus of both()) assert.deepEqual(await prometheus.firing(), []);
  });

  test("the budget of speed burns fast and slowly, where something locks a table for longer than a second", async () => {
    const alerts = ["SpeedBudgetBurnsFast", "SpeedBudgetBurnsSlowly"];
    const breaks = async () => {
      await until(alerts, async () => {
        const calls = await world.gateway.owner.transaction(async (tx) => {
          await tx.query(sql`lock table webhook_endpoints in access exclusive mode`);
          const all = Array.from({ length: TOGETHER }, () => world.gateway.merchant.get("/webhook-endpoints"));
          await tx.query(sql`select pg_sleep(${SLOW_SECONDS})`);
          return all;
        });
        for (const { status, text } of await Promise.all(calls)) assert.equal(status, 200, text);
      });
      return async () => {};
    };
    await world.twice(alerts, breaks, world.briefly);
  });

  test("the budget of errors burns fast and slowly, for charges at an only bank that answers none", async () => {
    const alerts = ["AnswersBudgetBurnsFast", "AnswersBudgetBurnsSlowly"];
    const faults = async (rules: unknown[]) => {
      const { status, text } = await world.gateway.simulator.patch("/behaviour", { faults: { seed: 1, rules } });
      assert.equal(status, 200, text);
    };
    const breaks = async () => {
      await faults([{ route: "putCob", kind: "error5xxBefore", probability: 1 }]);
      await until(alerts, async () => {
        for (const merchant of world.merchants)
          assert.equal((await merchant.post("/pix", { amount: 50, description: "a sale" })).status, 500);
      });
      return () => faults([]);
    };
    await world.twice(alerts, breaks, world.briefly);
  });
});
