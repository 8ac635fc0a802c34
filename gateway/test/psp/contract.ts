/**
 * The contract of `psp/psp.ts`, which every adapter keeps: against the simulator, in the dialects and with the
 * certificates that the bank's own contract test (`psp/<id>/contract.test.ts`) names. The same against documented
 * answers word by word: documented.ts.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Bench, removeCertificates, startBench } from "./bench.ts";
import { chargeContract } from "./charges.ts";
import { listFirstContract } from "./list-first-payouts.ts";
import { capabilitiesOf, type Meeting, nameOf } from "./meetings.ts";
import { numberedContract } from "./numbered-payouts.ts";
import { ownIdContract } from "./own-id-payouts.ts";
import { payoutContract } from "./payouts.ts";
import { paysOnlyContract } from "./pays-only.ts";
import { twoStepContract } from "./two-step-payouts.ts";

/** Declares the tests of the contract for a bank: those of what its capabilities name. */
export function keepsContract({ meetings }: { readonly meetings: readonly Meeting[] }): void {
  // Each meeting has a bank of its own, so they run beside each other: most of the time is spent waiting for silent banks.
  describe("the contract of a PSP", { concurrency: true }, () => {
    after(removeCertificates);
    for (const meeting of meetings) {
      describe(nameOf(meeting), { concurrency: 1 }, () => {
        let bench: Bench;
        before(async () => {
          bench = await startBench(meeting);
        });
        after(() => bench.end());
        const { charges, payouts } = capabilitiesOf(meeting);
        if (charges.length > 0) chargeContract(() => bench);
        else paysOnlyContract(() => bench);
        if (payouts === null) sendsNothing(() => bench);
        else if (payouts.numbers) numberedContract(() => bench);
        else if (payouts.authorised) twoStepContract(() => bench);
        else if (payouts.foundBy === "our_id") payoutContract(() => bench);
        else if (payouts.repeat === "list_first") listFirstContract(() => bench);
        else ownIdContract(() => bench);
        withoutBank(() => bench);
      });
    }
  });
}

function sendsNothing(bench: () => Bench): void {
  test("what it cannot do is absent, not a method that fails", () => {
    const { payouts, infractions, balance, configureNotifications } = bench().psp;
    const can = capabilitiesOf(bench().meeting);
    assert.deepEqual([payouts, configureNotifications], [undefined, undefined]);
    assert.deepEqual([balance !== undefined, infractions !== undefined], [can.balance, can.infractions]);
  });
}

/** Stops the bank: the last test of a meeting. */
function withoutBank(bench: () => Bench): void {
  test("without the bank everything is unsent or unknown", async () => {
    const { psp, newTxid, stop } = bench();
    const order = { txid: newTxid(), amount: 100, expiresIn: 60, description: "" };
    const receives = capabilitiesOf(bench().meeting).charges.length > 0;
    if (receives) assert.equal((await psp.createCharge(order)).kind, "accepted");
    await stop();
    // The first calls may still find connections that are just being closed.
    for (let i = 0; i < 70; i += 1) await psp.findCharge(order.txid, "immediate");
    if (receives) assert.deepEqual(await psp.createCharge(order), { kind: "unsent", reason: "ECONNREFUSED" });
    assert.deepEqual(await psp.findCharge(order.txid, "immediate"), { kind: "unknown", reason: "ECONNREFUSED" });
    const payout = { id: "dead", amount: 1, pixKey: "52998224725", holderDocument: "52998224725" };
    const sent = await psp.payouts?.sendPayout(payout);
    assert.ok(sent === undefined || sent.kind === "unsent");
  });
}
