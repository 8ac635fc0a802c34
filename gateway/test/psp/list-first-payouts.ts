/** The contract of `psp/psp.ts` for payouts of a bank that knows no repeat, so that its list is searched first. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Payouts, PspPayout } from "../../src/psp/psp.ts";
import { eventually } from "../harness/eventually.ts";
import { type Bench, untilSent } from "./bench.ts";
import { FAULTS } from "./charges.ts";

const CPF = "52998224725";
const MANUAL = "manual@pixgate.test";
const order = (id: string, amount = 1234, pixKey = CPF) => ({ id, amount, pixKey, holderDocument: CPF });
const window = () => ({ from: new Date(Date.now() - 60_000), to: new Date(Date.now() + 60_000), page: 0 });

async function send(payouts: Payouts, wanted: ReturnType<typeof order>): Promise<string> {
  const sent = await payouts.sendPayout(wanted);
  assert.ok(sent.kind === "accepted" && sent.value.reference, JSON.stringify(sent));
  return sent.value.reference;
}

export function listFirstContract(bench: () => Bench): void {
  const parts = () => {
    const { payouts, balance } = bench().psp;
    assert.ok(payouts?.listPayouts && balance);
    const { listPayouts } = payouts;
    const total = async () => {
      const found = await balance();
      assert.ok(found.kind === "found", JSON.stringify(found));
      return found.value.total;
    };
    /** How often the bank has sent under this id of ours: a second transfer of it has an id with `x`. */
    const sent = async (id: string): Promise<number> => {
      const { items } = await bench().control("GET", "/payouts?limit=1000");
      const ids = (items as { idEnvio: string }[]).map(({ idEnvio }) => idEnvio);
      return ids.filter((one) => one === id || one.startsWith(`${id}x`)).length;
    };
    return { ...bench(), payouts, listPayouts, total, sent };
  };
  /** What the list shows of a payout. */
  async function inList(id: string): Promise<PspPayout | undefined> {
    const listed = await parts().listPayouts(window());
    assert.ok(listed.kind === "found" && listed.value.unreadable === undefined, JSON.stringify(listed));
    return listed.value.payouts.find((one) => one.id === id);
  }

  test("a payout's life: sent, found by the bank's id and in its list, settled", async () => {
    const { payouts, total, sent } = parts();
    const before = await total();
    for (const [id, amount, pixKey] of [
      ["list1", 1, CPF],
      ["list2", 1_010, "11222333000181"],
      ["list3", 1_234_567, "maria@example.com"],
      ["list5", 7, "6f1b1c2e-8c3b-4a57-9a54-2d1d6f0b9a11"],
    ] as const) {
      const reference = await send(payouts, order(id, amount, pixKey));
      const done = await eventually("the payout ends", async () => {
        const found = await payouts.findPayout(id, reference);
        assert.ok(found.kind === "found", JSON.stringify(found));
        return found.value.status !== "processing" && found.value;
      });
      assert.deepEqual([done.id, done.reference, done.amount, done.status], [id, reference, amount, "settled"]);
      assert.match(done.e2eId ?? "", /^E\w{31}$/);
      assert.ok(Math.abs(Number(done.settledAt) - Date.now()) < 60_000, String(done.settledAt));
      const listed = await inList(id);
      assert.deepEqual([listed?.reference, listed?.amount], [reference, amount]);
      assert.equal(await sent(id), 1);
    }
    assert.equal(await total(), before - 1 - 1_010 - 1_234_567 - 7);
    assert.deepEqual(await payouts.findPayout("list1", "nobodys"), { kind: "absent" });
  });

  test("a payout that is refused is rejected in our words, and nothing moved", async () => {
    const { payouts, total, sent } = parts();
    const before = await total();
    for (const [pixKey, amount, code] of [
      ["unknown@pixgate.test", 100, "key_not_found"],
      ["blocked@pixgate.test", 100, "key_blocked"],
      ["joão@example.com", 100, "psp_error"],
      ["someone@example.com", 900_000_000_000, "insufficient_psp_balance"],
    ] as const) {
      const refused = await payouts.sendPayout(order("refused", amount, pixKey));
      assert.ok(refused.kind === "rejected" && refused.code === code, JSON.stringify(refused));
      assert.equal(await sent("refused"), 0);
    }
    assert.equal(await total(), before);
  });

  test("whatever goes wrong on the way, the list says what became of it, and a repeat after it sends once", async () => {
    const { payouts, hasty, calm, faults, sent } = parts();
    for (const [index, [kind, more, exists]] of FAULTS.entries()) {
      const id = `fault${index}`;
      await faults("putPayout", kind, more);
      const outcome = await untilSent(() => hasty.payouts!.sendPayout(order(id, 100, MANUAL)));
      assert.equal(outcome.kind, "unknown", `${kind}: ${JSON.stringify(outcome)}`);
      await calm("putPayout");
      assert.equal(await sent(id), exists ? 1 : 0, kind);
      assert.equal((await inList(id)) !== undefined, exists, kind);
      const reference = await send(payouts, order(id, 100, MANUAL));
      assert.equal(await sent(id), 1, kind);
      await faults("getPayout", kind, more);
      assert.equal((await hasty.payouts!.findPayout(id, reference)).kind, "unknown", kind);
      await calm("getPayout");
      // While its list is not answered, nothing leaves.
      await faults("listPayouts", kind, more);
      const unsent = await hasty.payouts!.sendPayout(order(`never${index}`, 100, MANUAL));
      assert.equal(unsent.kind, "unsent", kind);
      assert.equal((await hasty.payouts!.listPayouts!(window())).kind, "unknown", kind);
      await calm("listPayouts");
      assert.equal(await sent(`never${index}`), 0, kind);
    }
  });

  test("pages of payouts follow each other and hold each once", async () => {
    const { payouts, another } = parts();
    const ids = ["pa", "pb", "pc", "pd", "pe"];
    for (const id of ids) await send(payouts, order(id, 100));
    const paged = another({ pageSize: 2 }).payouts!;
    const seen: string[] = [];
    for (let page: number | null = 0; page !== null; ) {
      const found = await paged.listPayouts!({ ...window(), page });
      assert.ok(found.kind === "found" && found.value.payouts.length <= 2);
      seen.push(...found.value.payouts.map(({ id }) => id));
      page = found.value.nextPage;
    }
    assert.deepEqual(
      seen.filter((id) => ids.includes(id)),
      ids,
    );
  });
}
