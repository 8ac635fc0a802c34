/** A life at Mercado Pago, whose own API a bridge speaks in front of a simulator: paid, reported, refunded. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { balancesOf } from "../contract/money.ts";
import { refundsOf } from "../contract/payments.ts";
import { eventually } from "../harness/eventually.ts";
import { startMercadoPago } from "../psp/bridges/mercado-pago.ts";
import { lifeAt } from "./life-at.ts";

const there = lifeAt({ name: "Mercado Pago", provider: "mercado-pago" }, (bank) => startMercadoPago(bank, 26));
const { ctx, address, paid } = there;

const inbox = async (status: string) =>
  (
    await ctx().db.query(sql`
      select from inbox where institution_id = ${there.institutionId} and status = ${status} and kind = 'charge_paid'`)
  ).rowCount;

test("a charge is paid, reported by the bank's id alone, and refunded as a whole, once", async () => {
  const merchant = await there.newMerchant();
  const { id, e2eId } = await paid(merchant);
  await eventually("its notification to be applied", async () => (await inbox("applied")) > 0);
  const before = (await balancesOf(merchant.client)).available;
  const refund = await merchant.client.post(`/transactions/${id}/refund`, {});
  assert.equal(refund.status, 201, refund.text);
  await eventually(
    "the refund in the books",
    async () => (await refundsOf(merchant.client, id))[0]?.status === "CONFIRMED",
  );
  const { items } = await there.bank.control("GET", "/pix?limit=1");
  assert.deepEqual([items[0].e2eId, items[0].returns.length], [e2eId, 1]);
  // The bank's list names the refund by the bank's id alone: it is ours all the same, and is not booked again.
  const { rows } = await ctx().db.query<{ rtr_id: string; own: boolean }>(sql`
    select rtr_id, not exists (select from psp_returns p where p.account_id = r.account_id and p.e2e_id = r.e2e_id) as own
    from pix_returns r where e2e_id = ${e2eId}`);
  assert.deepEqual([rows.length, rows[0]?.own], [1, true]);
  assert.match(rows[0]!.rtr_id, /^\d+$/);
  assert.ok((await balancesOf(merchant.client)).available < before);
});

test("a part cannot go back there, and nothing moves", async () => {
  const merchant = await there.newMerchant();
  const { id } = await paid(merchant);
  const before = await balancesOf(merchant.client);
  const refused = await merchant.client.post(`/transactions/${id}/refund`, { amount: 20 });
  assert.ok(refused.status >= 400, refused.text);
  assert.deepEqual(await balancesOf(merchant.client), before);
  assert.deepEqual((await there.bank.control("GET", "/pix?limit=1")).items[0].returns, []);
});

test("a notification of a charge that ended unpaid is read once, and books nothing", async () => {
  const { psp } = (await ctx().psps.find(there.institutionId))!;
  const txid = "3f6c1d0a7b9e4c2f8a5d6e7f80912b3c";
  const made = await psp.createCharge({ txid, amount: 1_000, expiresIn: 900, description: "" });
  assert.ok(made.kind === "accepted");
  const { pspPaymentId: id } = made.value;
  assert.equal((await psp.cancelCharge(txid, "immediate", id)).kind, "accepted");
  const signed = createHmac("sha256", String(there.front.settings.mercadoPagoSecret))
    .update(`id:${id};ts:1;`)
    .digest("hex");
  const headers = { "x-signature": `ts=1,v1=${signed}` };
  const body = JSON.stringify({ type: "payment", action: "payment.updated", data: { id } });
  for (let times = 0; times < 2; times += 1) {
    assert.equal((await fetch(address(), { method: "POST", body, headers })).status, 200);
    await eventually("it to be ignored", async () => (await inbox("ignored")) === 1);
  }
  const { rows } = await ctx().db.query<{ attempts: number }>(sql`
    select attempts from inbox where institution_id = ${there.institutionId} and subject_id = ${id}`);
  assert.deepEqual(rows, [{ attempts: 1 }]);
});

test("what Mercado Pago has not signed is dropped", async () => {
  const before = await ctx().db.query(sql`select from inbox where institution_id = ${there.institutionId}`);
  const body = JSON.stringify({ type: "payment", action: "payment.updated", data: { id: "139301856905" } });
  for (const signature of [undefined, "", "ts=1,v1=00", `ts=1,v1=${"0".repeat(64)}`]) {
    const headers: Record<string, string> = signature === undefined ? {} : { "x-signature": signature };
    assert.equal((await fetch(address(), { method: "POST", body, headers })).status, 200);
  }
  const after = await ctx().db.query(sql`select from inbox where institution_id = ${there.institutionId}`);
  assert.equal(after.rowCount, before.rowCount);
});
