/** A life at Woovi, whose own API a bridge speaks in front of a simulator: paid, refunded, paid out, contested. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { give } from "../contract/money.ts";
import { refundsOf } from "../contract/payments.ts";
import { becomes, withdraw } from "../contract/payouts.ts";
import { eventually } from "../harness/eventually.ts";
import { bridgeWoovi } from "../psp/bridges/woovi.ts";
import { lifeAt } from "./life-at.ts";

const there = lifeAt({ name: "Woovi", provider: "woovi" }, bridgeWoovi);
const { ctx, address, paid, money } = there;

/** A merchant whose charges and payouts go to Woovi alone. */
const merchantThere = () => there.newMerchant({ policies: { uncheckedHolders: true } });

/** The rows of the inbox about a Pix, payout or case. */
const inbox = async (subject: string) =>
  (
    await ctx().db.query<{ kind: string; status: string }>(sql`
      select kind, status from inbox where institution_id = ${there.institutionId} and subject_id = ${subject}`)
  ).rows;

test("a charge is paid, reported with a signature, and refunded in part", async () => {
  const merchant = await merchantThere();
  const { id, e2eId } = await paid(merchant);
  await eventually("its notification to be applied", async () => (await inbox(e2eId))[0]?.status === "applied");
  const before = (await money(merchant))[0]!;
  assert.ok(before > 0 && before <= 5_000);
  const refund = await merchant.client.post<{ id: string }>(`/transactions/${id}/refund`, { amount: 20 });
  assert.equal(refund.status, 201, refund.text);
  await eventually("the refund at the bank", async () => {
    const { items } = await there.bank.control("GET", "/pix?limit=1");
    return items[0].returns[0]?.status === "DEVOLVIDO";
  });
  await eventually(
    "the refund in the books",
    async () => (await refundsOf(merchant.client, id))[0]?.status === "CONFIRMED",
  );
  assert.deepEqual(await money(merchant), [before - 2_000, 0]);
});

test("a payout is settled once, and its receiver's return comes back", async () => {
  const merchant = await merchantThere();
  await give(there.gateway, merchant.accountId, 100);
  const { id } = await withdraw(merchant.client);
  await becomes(merchant.client, id, "completed");
  const { items } = await there.bank.control("GET", "/payouts?limit=10");
  assert.deepEqual([items.length, items[0].amountCentavos, items[0].status], [1, 1_000, "REALIZADO"]);
  await there.bank.control("POST", `/payouts/${items[0].idEnvio}/settle`, { outcome: "reverse" });
  await becomes(merchant.client, id, "reversed");
  assert.deepEqual(await money(merchant), [10_000, 0]);
});

test("a dispute blocks the money of its Pix, and takes it when the payer is right", async () => {
  const merchant = await merchantThere();
  const { e2eId } = await paid(merchant);
  const [before] = await money(merchant);
  const { id } = await there.bank.control("POST", "/infractions", { e2eId });
  const list = async () => {
    const due = new Date();
    await ctx().db.query(sql`
      update infraction_polls set next_at = ${due} where institution_id = ${there.institutionId}`);
    ctx().hints.wake("infractions");
  };
  await eventually("the block", async () => {
    await list();
    return (await money(merchant))[1]! > 0;
  });
  assert.deepEqual(await money(merchant), [0, before]);
  await there.bank.control("POST", `/infractions/${id}/resolve`, { outcome: "accepted" });
  await eventually("the money to be taken", async () => {
    await list();
    return (await money(merchant))[1] === 0;
  });
  assert.equal((await money(merchant))[0], 0);
});

test("a notification without Woovi's signature is dropped, and those with it are kept", async () => {
  const e2eId = "E0000000020261121000012345678901";
  const pix = { value: 5_000, time: new Date().toISOString(), endToEndId: e2eId, type: "PAYMENT", status: "CONFIRMED" };
  const body = JSON.stringify({ event: "OPENPIX:TRANSACTION_RECEIVED", pix });
  for (const signature of [undefined, "", "AAAA", Buffer.alloc(128, 1).toString("base64")]) {
    const headers: Record<string, string> = signature === undefined ? {} : { "x-webhook-signature": signature };
    const response = await fetch(address(), { method: "POST", body, headers });
    assert.equal(response.status, 200);
  }
  assert.deepEqual(await inbox(e2eId), []);
  const kept = await ctx().db.query(sql`select from inbox where institution_id = ${there.institutionId}`);
  assert.ok(kept.rows.length > 0, "those that Woovi signed are there");
});
