/** The contract of `psp/psp.ts` for payouts of a bank that wants a number of ours with each, and pays in two steps. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Payouts } from "../../src/psp/psp.ts";
import { eventually } from "../harness/eventually.ts";
import { type Bench, untilSent } from "./bench.ts";
import { FAULTS } from "./charges.ts";
import { capabilitiesOf } from "./meetings.ts";
import { asksBefore } from "./two-step-payouts.ts";

const CPF = "52998224725";
const MANUAL = "manual@pixgate.test";

export function numberedContract(bench: () => Bench): void {
  let last = 0;
  /** An order with the next number, as the books give it. */
  function order(id: string, amount = 1234, pixKey = CPF) {
    const reference = String(++last).padStart(
      String(capabilitiesOf(bench().meeting).payouts!.numbers!.last).length,
      "0",
    );
    return { id, amount, pixKey, holderDocument: CPF, reference };
  }
  const parts = () => {
    const { payouts } = bench().psp;
    assert.ok(payouts?.authorisePayout);
    const { authorisePayout } = payouts;
    /** What left the account, centavos. */
    const paid = async (): Promise<number> => -(await bench().control("GET", "/state")).books.balanceCentavos;
    /** How many payments the bank has under this id of ours. */
    const made = async (id: string): Promise<number> =>
      (await bench().control("GET", `/payouts?limit=1000`)).items.filter(
        ({ own }: { own?: { descricao?: string } }) => own?.descricao === id,
      ).length;
    return { ...bench(), payouts, authorisePayout, paid, made };
  };

  async function prepare(payouts: Payouts, wanted: ReturnType<typeof order>): Promise<void> {
    const sent = await payouts.sendPayout(wanted);
    assert.ok(sent.kind === "accepted" && sent.value.status === "prepared", JSON.stringify(sent));
    assert.equal(sent.value.reference, wanted.reference);
  }

  test("a payout's life: prepared without moving money, released, settled; a second release pays nothing", async () => {
    const { payouts, authorisePayout, paid } = parts();
    assert.equal(payouts.listPayouts, undefined);
    for (const [id, amount, pixKey] of [
      ["num1", 1, CPF],
      ["num2", 1_010, "11222333000181"],
      ["num3", 1_234_567, "maria@example.com"],
      ["num4", 5, "+5511999998888"],
      ["num5", 7, "6f1b1c2e-8c3b-4a57-9a54-2d1d6f0b9a11"],
    ] as const) {
      const was = await paid();
      const wanted = order(id, amount, pixKey);
      const { reference } = wanted;
      assert.deepEqual(await payouts.findPayout(id, reference), { kind: "absent" });
      await prepare(payouts, wanted);
      assert.equal(await paid(), was);
      assert.deepEqual(await payouts.findPayout(id), { kind: "unknown", reason: "no_bank_id" });
      const released = await authorisePayout({ id, amount, reference });
      assert.ok(released.kind === "accepted" && released.value.status === "processing", JSON.stringify(released));
      const done = await eventually("the payout ends", async () => {
        const found = await payouts.findPayout(id, reference);
        assert.ok(found.kind === "found", JSON.stringify(found));
        return found.value.status !== "processing" && found.value;
      });
      assert.deepEqual([done.id, done.reference, done.amount, done.status], [id, reference, amount, "settled"]);
      assert.equal((await authorisePayout({ id, amount, reference })).kind, "rejected");
      assert.equal(await paid(), was + amount);
    }
  });

  test("a number makes one batch: its repeat is the same one, and another payout never gets it", async () => {
    const { payouts, paid, made } = parts();
    const before = await paid();
    const wanted = order("once", 100, MANUAL);
    await prepare(payouts, wanted);
    await prepare(payouts, wanted);
    assert.equal(await made("once"), 1);
    const { reference } = wanted;
    const taken = { kind: "unknown", reason: "number_of_another_payout" };
    const another = { ...wanted, id: "another" };
    const sent = await payouts.sendPayout(another);
    assert.ok(sent.kind === "unknown" && sent.reason.endsWith(taken.reason), JSON.stringify(sent));
    assert.deepEqual(await payouts.findPayout("another", reference), taken);
    assert.equal((await payouts.sendPayout({ ...wanted, amount: 101 })).kind, "unknown");
    assert.equal(await made("another"), 0);
    assert.equal(await paid(), before);
  });

  test("what cannot be written is not sent, and what the bank rejects after its release has failed: nothing moved", async () => {
    const { payouts, authorisePayout, paid, made } = parts();
    const before = await paid();
    for (const wrong of [
      { ...order("no-id"), id: "no-id" },
      { ...order("wrong1"), pixKey: "?" },
      { ...order("wrong2"), pixKey: "+14155552671" },
      { ...order("wrong3"), pixKey: "12ABC34501DE35" },
      { ...order("wrong4"), amount: 0 },
      { ...order("wrong5"), reference: "0000000" },
      { ...order("wrong6"), reference: "10000000" },
    ]) {
      assert.equal((await payouts.sendPayout(wrong)).kind, "unsent", JSON.stringify(wrong));
      assert.equal(await made(wrong.id), 0);
    }
    const wanted = order("nobody", 100, "unknown@pixgate.test");
    await prepare(payouts, wanted);
    await authorisePayout(wanted);
    const found = await payouts.findPayout("nobody", wanted.reference);
    assert.ok(found.kind === "found" && found.value.status === "failed", JSON.stringify(found));
    assert.equal(await paid(), before);
  });

  test("it asks right before its request, if it says so: what may not leave then prepares nothing", async () => {
    const { payouts, control } = parts();
    await asksBefore(payouts, order("asks1"), control);
  });

  test("whatever goes wrong with either step, the query by the number says what became of it", async () => {
    const { payouts, hasty, calm, faults, made } = parts();
    for (const [index, [kind, more, done]] of FAULTS.entries()) {
      const wanted = order(`fault${index}`, 100, MANUAL);
      const { id, amount, reference } = wanted;
      await faults("putPayout", kind, more);
      const sent = await untilSent(() => hasty.payouts!.sendPayout(wanted));
      assert.equal(sent.kind, "unknown", `${kind}: ${JSON.stringify(sent)}`);
      await calm("putPayout");
      assert.equal((await payouts.findPayout(id, reference)).kind, done ? "found" : "absent", kind);
      await prepare(payouts, wanted);
      assert.equal(await made(id), 1, kind);
      await faults("authorisePayout", kind, more);
      const outcome = await untilSent(() => hasty.payouts!.authorisePayout!({ id, amount, reference }));
      assert.equal(outcome.kind, "unknown", `${kind}: ${JSON.stringify(outcome)}`);
      await calm("authorisePayout");
      const found = await payouts.findPayout(id, reference);
      assert.ok(found.kind === "found", kind);
      assert.equal(found.value.status, done ? "processing" : "prepared", kind);
    }
  });
}
