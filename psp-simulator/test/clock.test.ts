/** The clock of the simulator, which the control API sets. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startSimulator } from "./harness.ts";

test("a simulator that starts with a clock ahead makes charges of that day", async (t) => {
  const simulator = await startSimulator(["--clock-offset", "864000"]);
  t.after(() => simulator.dispose());
  const txid = await simulator.charge();
  const { body } = await simulator.api("GET", `/v2/cob/${txid}`);
  const ahead = Date.parse(body.calendario.criacao) - Date.now();
  assert.ok(Math.abs(ahead - 864_000_000) < 60_000, `${ahead} ms ahead`);
});

test("what happens after the clock was set has its time, and a text that is no time is refused", async (t) => {
  const simulator = await startSimulator();
  t.after(() => simulator.dispose());
  assert.equal((await simulator.control("PUT", "/control/clock", { now: "2026-03-01" })).status, 400);
  assert.equal((await simulator.control("PUT", "/control/clock", {})).status, 400);
  const set = await simulator.control("PUT", "/control/clock", { now: "2026-03-01T12:00:00Z" });
  assert.deepEqual([set.status, set.body.now.slice(0, 16)], [200, "2026-03-01T12:00"]);
  const txid = await simulator.charge();
  const { body } = await simulator.api("GET", `/v2/cob/${txid}`);
  assert.equal(body.calendario.criacao.slice(0, 16), "2026-03-01T12:00");
});
