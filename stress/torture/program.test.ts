import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../../gateway/test/harness/eventually.ts";
import { startProgram } from "./program.ts";

/** Says that it is ready, and never starts the gateway. */
const READY = `data:text/javascript,${encodeURIComponent(
  'process.stdout.write("Pixgate is ready\\n"); setInterval(() => {}, 1_000); await new Promise(() => {});',
)}`;

test("a program that was killed is not ready from that moment on, also before its end is noticed, until it has started again", async () => {
  const program = startProgram("one", [], () => ({ NODE_OPTIONS: `--import ${READY}` }), { onFailpoint: () => {} });
  try {
    await eventually("it to be ready", () => program.isReady(), 60_000);
    assert.equal(program.kill(), true);
    assert.equal(program.isReady(), false);
    assert.equal(program.kill(), false, "once");
    await eventually("it to be back", () => program.isReady(), 60_000);
    assert.equal(program.account.starts, 2);
  } finally {
    await program.stop();
  }
});
