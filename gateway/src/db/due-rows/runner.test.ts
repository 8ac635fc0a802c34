import assert from "node:assert/strict";
import { test } from "node:test";
import { pino } from "pino";
import { eventually } from "../../../test/harness/eventually.ts";
import { createHints } from "../../context.ts";
import { NO_TRACING } from "../../telemetry/tracing.ts";
import { createRunner } from "./runner.ts";

const NOW = Date.UTC(2026, 0, 1, 12);

test("a row that was due before a clock that was moved wakes its loop at once, by a timer that Node accepts", async () => {
  const hints = createHints();
  const clock = { now: () => NOW, date: () => new Date(NOW) };
  const warnings: string[] = [];
  const onWarning = ({ name }: Error) => void warnings.push(name);
  process.on("warning", onWarning);
  try {
    let woken = 0;
    hints.onWake("a loop", () => {
      woken += 1;
    });
    const runner = createRunner<number>(
      { hints, clock, tracing: NO_TRACING, log: pino({ level: "silent" }) },
      {
        loop: "a loop",
        claim: async () => [],
        process: async (hoursAgo) => new Date(NOW - hoursAgo * 3_600_000),
        span: () => ({ objectId: null }),
        describe: () => ({}),
      },
    );
    runner.begin([1, 24]);
    await runner.idle();
    await eventually("the wake-up", () => woken > 0);
    assert.deepEqual(warnings, []);
  } finally {
    process.off("warning", onWarning);
  }
});
