/** The adapter against the simulator, beyond the contract of every adapter (test/psp). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../../../test/harness/eventually.ts";
import { startSimulatorPsp as start } from "../../../test/harness/simulator-psp.ts";

test("a token that ends early costs a refresh, not a call", async (t) => {
  const { psp, control, clock, events } = await start(t);
  await control("PUT", "/behaviour", { tokenExpiresIn: 1 });
  // To our clock no time passes, so the adapter believes in its first token for ever.
  clock.stop();
  const txid = "test000000000000000000000001";
  assert.equal((await psp.createCharge({ txid, amount: 1, expiresIn: 60, description: "" })).kind, "accepted");
  await eventually("a second token", async () => {
    assert.equal((await psp.findCharge(txid, "immediate")).kind, "found");
    return events.filter((event) => event.event === "psp_token").length > 1;
  });
  const refusals = events.filter((event) => event.event === "psp_call" && event.outcome !== "ok");
  assert.deepEqual(refusals, []);
});

test("asked for few scopes, it asks for those that its own calls need as well, and for no more", async (t) => {
  const { psp } = await start(t, { scope: "cob.read" });
  const payout = { id: "wd1", amount: 1234, pixKey: "52998224725", holderDocument: "52998224725" };
  assert.equal((await psp.payouts!.sendPayout(payout)).kind, "accepted");
  const window = { from: new Date(0), to: new Date(), page: 0 };
  assert.equal((await psp.infractions!.listInfractions(window)).kind, "found");
  assert.equal((await psp.listPix(window)).kind, "unknown");
});
