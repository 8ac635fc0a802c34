import assert from "node:assert/strict";
import { test } from "node:test";
import pino from "pino";
import { type Context, createHints } from "../../src/context.ts";
import { UNCHECKED_CLOCK } from "../../src/db/clock-check.ts";
import { createRunner } from "../../src/db/due-rows/runner.ts";
import { type Db, openDb } from "../../src/db/pool.ts";
import { sql } from "../../src/db/sql.ts";
import { createLanes } from "../../src/ledger/lane.ts";
import { startLoops } from "../../src/program/worker.ts";
import { NO_TRACING } from "../../src/telemetry/tracing.ts";
import { eventually } from "../harness/eventually.ts";

test("a stop that comes in the middle of work logs no error: the pool has ended when the work goes on", async () => {
  const pool = openDb({ url: "postgres://127.0.0.1:1/none", max: 1, onError: () => {} });
  await pool.end();
  let calls = 0;
  const counted = <Given extends unknown[], Answer>(call: (...given: Given) => Answer) => {
    return (...given: Given): Answer => {
      calls += 1;
      return call(...given);
    };
  };
  const [query, atOnce, transaction] = [counted(pool.query), counted(pool.atOnce), counted(pool.transaction)];
  const db = { ...pool, query, atOnce, transaction } as Db;
  const lines: { level: number; msg: string }[] = [];
  const log = pino({ level: "debug" }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const lanes = createLanes({ db, now: () => new Date(), newId: () => "" });
  const ctx = { db, lanes, log, hints: createHints(), tracing: NO_TRACING, clockCheck: UNCHECKED_CLOCK } as unknown as Context;
  const runner = createRunner<"query" | "command">(ctx, {
    loop: "orders",
    claim: () => Promise.resolve(["query", "command"]),
    async process(how) {
      if (how === "query") await db.query(sql`select 1`);
      else await lanes.run({ name: "x", wants: () => {}, decide: () => ({ result: null }) }, { accountId: "a" });
      return null;
    },
    span: () => ({ objectId: null }),
    describe: (how) => ({ how }),
  });
  await runner.runDue();
  await runner.idle();
  // Nothing is tried again for which there is no pool any more.
  assert.equal(calls, 2);
  const worker = startLoops(ctx, [{ name: "purge", pauseMs: 1, once: async () => (await db.query(sql`select 1`)).rowCount > 0 }]);
  await eventually("the loop fails", () => lines.length >= 3);
  await worker.stop();
  assert.deepEqual([...new Set(lines.map(({ level }) => level))], [40]);
}); // biome-ignore format: one row
