/** Who paid is known from the notification alone at some banks: what else reports the payment first must not decide without. */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { eventually } from "../harness/eventually.ts";
import { startWorld, type World } from "./world.ts";

const PERSON = { name: "Ana Pessoa", document: "52998224725" };
const COMPANY = { name: "Empresa Ltda", document: "11222333000181" };

let world: World;
before(async () => {
  world = await startWorld();
});
afterEach(async () => {
  await world.gateway.simulator.send("DELETE", "/behaviour", undefined);
  await policies({ blockCnpjPayers: false, unknownPayers: "credit" });
  await world.gateway.verify();
});
after(() => world.stop());

const policies = async (set: Record<string, unknown>) => {
  const reply = await world.gateway.operator.patch(`/accounts/${world.gateway.sandbox.accountId}`, { policies: set });
  assert.equal(reply.status, 200, reply.text);
};
const ONLY_NOTIFIED = { payerIn: ["callback"] };
/** The payer of a Pix as the receipt has it. */
const payerOf = async (e2eId: string) => {
  const { rows } = await world.db().query<{ payer_name: string | null; payer_document: string | null }>(sql`
    select payer_name, payer_document from received_pix where e2e_id = ${e2eId}`);
  return rows[0] && { name: rows[0].payer_name, document: rows[0].payer_document };
};
const customerOf = async (id: string) =>
  (await world.db().query<{ customer_id: string | null }>(sql`select customer_id from charges where charge_id = ${id}`))
    .rows[0]!.customer_id;

describe("where CNPJ payers are barred and unknown ones returned", () => {
  for (const poll of ["list", "charge"] as const) {
    test(`a ${poll} that shows a payment before its notification waits for the payer: a person is credited`, async () => {
      await policies({ blockCnpjPayers: true, unknownPayers: "return" });
      await world.holdNotification(ONLY_NOTIFIED);
      const { id, txid } = await world.create();
      const { e2eId } = await world.pay(txid);
      if (poll === "list") await world.pollReceived();
      else {
        await world.pollCharge(id);
        await eventually("the query", async () => {
          const { rows } = await world.db().query<{ checks: number }>(sql`
            select checks from open_charges where charge_id = ${id} and check_at > ${new Date()}`);
          return (rows[0]?.checks ?? 0) > 0;
        });
      }
      assert.deepEqual([await world.receiptsOf(e2eId), (await world.show(id)).status], [[], "pending"]);
      await world.releaseNotification();
      const shown = await world.statusIs(id, "completed");
      assert.deepEqual([shown.counterpartName, shown.counterpartDocument], [PERSON.name, PERSON.document]);
      assert.deepEqual(await payerOf(e2eId), PERSON);
    });
  }

  test("a company is blocked as one, not as unknown", async () => {
    await policies({ blockCnpjPayers: true, unknownPayers: "return" });
    await world.holdNotification(ONLY_NOTIFIED);
    const { id, txid } = await world.create();
    await world.pay(txid, { payer: COMPANY });
    await world.pollReceived();
    await world.releaseNotification();
    const shown = await world.statusIs(id, "failed");
    assert.equal(
      (shown as unknown as { blockedDeposit: { reason: string } }).blockedDeposit.reason,
      "cnpj_payer_not_allowed",
    );
    // The notification of its return would overtake one that a later test holds back.
    await eventually("its return", async () => {
      const { rows } = await world.db().query(sql`
        select from pix_returns where charge_id = ${id} and status = 'confirmed'`);
      return rows.length === 1;
    });
    await world.quiet();
  });

  test("a list takes the payer from a notification that is not confirmed yet", async () => {
    await policies({ blockCnpjPayers: true, unknownPayers: "return" });
    await world.behave({
      ...ONLY_NOTIFIED,
      faults: { seed: 1, rules: [{ route: "getPix", kind: "error5xxBefore", probability: 1 }] },
    });
    const { id, txid } = await world.create();
    const { e2eId } = await world.pay(txid);
    await eventually("the notification", async () => {
      const { rows } = await world.db().query(sql`select from inbox where subject_id = ${e2eId} and attempts > 0`);
      return rows.length > 0;
    });
    assert.deepEqual(await world.receiptsOf(e2eId), []);
    await world.pollReceived();
    const shown = await world.statusIs(id, "completed");
    assert.equal(shown.counterpartDocument, PERSON.document);
    await world.gateway.simulator.send("DELETE", "/behaviour", undefined);
    await world.quiet();
  });

  test("the wait is bounded: a payment whose notification never comes is settled by the policy for unknown payers", async () => {
    await policies({ blockCnpjPayers: true, unknownPayers: "return" });
    await world.behave({ payerIn: [], autoNotify: false, returnDelayMs: 0 });
    const { id, txid } = await world.create();
    const paidAt = new Date(Date.now() - LIMITS.payerGrace).toISOString();
    await world.control("/pix", { amountCentavos: 1000, txid, payer: PERSON, paidAt });
    await world.pollReceived();
    const shown = await world.statusIs(id, "failed");
    assert.equal(
      (shown as unknown as { blockedDeposit: { reason: string } }).blockedDeposit.reason,
      "unknown_payer_not_allowed",
    );
  });

  test("twenty payments that list and notification report at the same time: nobody is sent back, everybody is known", async () => {
    await policies({ blockCnpjPayers: true, unknownPayers: "return" });
    await world.behave(ONLY_NOTIFIED);
    for (let i = 0; i < 20; i += 1) {
      const { id, txid } = await world.create();
      await Promise.all([world.pay(txid), world.pollReceived()]);
      const shown = await world.statusIs(id, "completed");
      assert.equal(shown.counterpartDocument, PERSON.document);
    }
    await world.quiet();
  });
});

describe("where payers decide nothing", () => {
  test("a payment is settled without waiting, and its payer is filled in when the notification comes, and never again", async () => {
    await world.holdNotification(ONLY_NOTIFIED);
    const { id, txid } = await world.create();
    const { e2eId } = await world.pay(txid);
    await world.pollReceived();
    const early = await world.statusIs(id, "completed");
    assert.deepEqual([early.counterpartDocument, await customerOf(id)], [undefined, null]);
    await world.releaseNotification();
    const shown = await eventually("the payer", async () => {
      const now = await world.show(id);
      return now.counterpartDocument !== undefined && now;
    });
    assert.deepEqual([shown.counterpartName, shown.counterpartDocument], [PERSON.name, PERSON.document]);
    assert.deepEqual(await payerOf(e2eId), PERSON);
    assert.notEqual(await customerOf(id), null);
    await world.quiet();
    // Another name for the same Pix, as a bank that corrects itself would send it.
    const stored = await world.db().query<{ body: string }>(sql`select body from inbox where subject_id = ${e2eId}`);
    const body = stored.rows[0]!.body.replace(PERSON.name, "Somebody Else");
    const reported = await world.notify(body);
    assert.equal(reported, 200);
    await world.quiet();
    assert.equal((await world.show(id)).counterpartName, PERSON.name);
  });

  test("an unmatched receipt learns its payer too", async () => {
    await world.holdNotification(ONLY_NOTIFIED);
    const { e2eId } = await world.control<{ e2eId: string }>("/pix", {
      ...{ amountCentavos: 700, payer: PERSON, txid: "a".repeat(30) },
    });
    await world.pollReceived();
    assert.deepEqual(await payerOf(e2eId), { name: null, document: null });
    await world.releaseNotification();
    await eventually("the payer", async () => (await payerOf(e2eId))?.document === PERSON.document);
    await world.quiet();
  });
});
