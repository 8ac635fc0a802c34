import assert from "node:assert/strict";
import { test } from "node:test";
import { EVERY_FAULT, storm } from "./storm.ts";

// The long ones run by hand: npm run storm.
test("a short storm with every fault and kills: the judge finds nothing", { timeout: 300_000 }, async () => {
  const seed = 11;
  const { findings, counts } = await storm({
    seed,
    charges: 40,
    paid: 0.9,
    odd: 0.4,
    withdrawals: 24,
    claims: 12,
    gatewayKills: 2,
    postgresKills: 1,
    inFlight: 10,
    behaviour: EVERY_FAULT(seed),
  });
  assert.deepEqual(findings, [], `seed ${seed}`);
  assert.equal(counts.payments! > 20, true);
  assert.equal(counts.returns! > 3, true);
  assert.equal(counts.refunded! > 4 && counts.contested! > 3 && counts.medReturns! > 2, true, JSON.stringify(counts));
  assert.equal(counts.payouts! > 8 && counts.reversed! > 3, true);
});
