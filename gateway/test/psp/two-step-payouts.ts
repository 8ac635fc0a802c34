/** The contract of `psp/psp.ts` for payouts of a bank that pays in two steps. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Payouts } from "../../src/psp/psp.ts";
import { eventually } from "../harness/eventually.ts";
import { type Bench, untilSent } from "./bench.ts";
import { FAULTS } from "./charges.ts";

const CPF = "52998224725";
const order = (id: string, amount = 1234, pixKey = CPF) => ({ id, amount, pixKey, holderDocument: CPF });

/** That an adapter asks whether a payout may leave if it says so (`asksToLeave`), and that nothing is prepared where it may not. */
export async function asksBefore(
  payouts: Payouts,
  wanted: Parameters<Payouts["sendPayout"]>[0],
  control: Bench["control"],
): Promise<void> {
  const made = async (): Promise<number> => (await control("GET", "/payouts?limit=1000")).items.length;
  const [before, asked] = [await made(), [] as string[]];
  const mayLeave = async () => {
    asked.push(wanted.id);
    return false;
  };
  const sent = await payouts.sendPayout({ ...wanted, mayLeave });
  assert.deepEqual(asked, payouts.asksToLeave ? [wanted.id] : []);
  if (payouts.asksToLeave) assert.deepEqual(sent, { kind: "unsent", reason: "claim_over" });
  assert.equal((await made()) - before, payouts.asksToLeave ? 0 : 1);
}

export function twoStepContract(bench: () => Bench): void {
  const parts = () => {
    const { payouts } = bench().psp;
    assert.ok(payouts?.authorisePayout);
    const { authorisePayout } = payouts;
    /** What left the account, centavos. */
    const paid = async (): Promise<number> => -(await bench().control("GET", "/state")).books.balanceCentavos;
    return { ...bench(), payouts, authorisePayout, paid };
  };

  /** The bank's id of a payout that it has prepared. */
  async function prepare(payouts: Payouts, wanted: ReturnType<typeof order>): Promise<string> {
    const sent = await payouts.sendPayout(wanted);
    assert.ok(sent.kind === "accepted", JSON.stringify(sent));
    const { reference } = sent.value;
    assert.match(reference ?? "", /^[0-9a-f-]{36}$/);
    const found = await payouts.findPayout(wanted.id, reference);
    assert.ok(found.kind === "found" && found.value.status === "prepared", JSON.stringify(found));
    return reference!;
  }

  test("a payout's life: prepared without moving money, authorised, settled; a second authorisation pays nothing", async () => {
    const { payouts, authorisePayout, paid } = parts();
    assert.equal(payouts.listPayouts, undefined);
    const before = await paid();
    for (const [id, amount, pixKey] of [
      ["two1", 1, CPF],
      ["two2", 1_010, "11222333000181"],
      ["two3", 1_234_567, "maria@example.com"],
      ["two4", 5, "+5511999998888"],
      ["two5", 7, "6f1b1c2e-8c3b-4a57-9a54-2d1d6f0b9a11"],
    ] as const) {
      const [was, reference] = [await paid(), await prepare(payouts, order(id, amount, pixKey))];
      assert.equal(await paid(), was);
      assert.deepEqual(await payouts.findPayout(id), { kind: "unknown", reason: "no_bank_id" });
      const authorised = await authorisePayout({ id, amount, reference });
      assert.ok(authorised.kind === "accepted" && authorised.value.status === "processing", JSON.stringify(authorised));
      const done = await eventually("the payout ends", async () => {
        const found = await payouts.findPayout(id, reference);
        assert.ok(found.kind === "found", JSON.stringify(found));
        return found.value.status !== "processing" && found.value;
      });
      assert.deepEqual([done.id, done.reference, done.amount, done.status], [id, reference, amount, "settled"]);
      assert.match(done.e2eId ?? "", /^E\w{31}$/);
      const again = await authorisePayout({ id, amount, reference });
      assert.ok(again.kind === "accepted" && again.value.status === "settled", JSON.stringify(again));
      assert.equal(await paid(), was + amount);
    }
    assert.ok((await paid()) > before);
  });

  test("it asks right before its request, if it says so: what may not leave then prepares nothing", async () => {
    const { payouts, control } = parts();
    await asksBefore(payouts, order("asks1"), control);
  });

  test("what it rejects has our reason, and what is not as asked is refused: nothing moved", async () => {
    const { payouts, authorisePayout, paid } = parts();
    const before = await paid();
    for (const [pixKey, code] of [
      ["unknown@pixgate.test", "key_not_found"],
      ["blocked@pixgate.test", "key_blocked"],
    ] as const) {
      const rejected = await payouts.sendPayout(order("nobody", 100, pixKey));
      assert.ok(rejected.kind === "accepted" && rejected.value.status === "failed", JSON.stringify(rejected));
      assert.equal(rejected.value.failure?.code, code);
    }
    assert.equal((await payouts.sendPayout(order("no-id", 100))).kind, "unsent");
    assert.equal((await payouts.sendPayout(order("nokey", 100, "?"))).kind, "unsent");
    const reference = await prepare(payouts, order("other1", 100));
    assert.equal((await authorisePayout({ id: "other1", amount: 101, reference })).kind, "rejected");
    const nobodys = "00000000-0000-4000-8000-000000000000";
    assert.equal((await authorisePayout({ id: "other1", amount: 100, reference: nobodys })).kind, "rejected");
    assert.equal((await payouts.findPayout("other1", nobodys)).kind, "absent");
    assert.equal(await paid(), before);
  });

  test("whatever goes wrong with an authorisation, the query by the bank's id says what became of it", async () => {
    const { payouts, hasty, calm, faults } = parts();
    for (const [index, [kind, more, done]] of FAULTS.entries()) {
      const id = `fault${index}`;
      const reference = await prepare(payouts, order(id, 100, "manual@pixgate.test"));
      await faults("authorisePayout", kind, more);
      const outcome = await untilSent(() => hasty.payouts!.authorisePayout!({ id, amount: 100, reference }));
      assert.equal(outcome.kind, "unknown", `${kind}: ${JSON.stringify(outcome)}`);
      await calm("authorisePayout");
      const found = await payouts.findPayout(id, reference);
      assert.ok(found.kind === "found", kind);
      assert.equal(found.value.status, done ? "processing" : "prepared", kind);
    }
  });
}
