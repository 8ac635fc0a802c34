/** What each movement at an institution was booked from, as the books keep it. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Tx } from "../../src/db/pool.ts";
import { type Sql, sql } from "../../src/db/sql.ts";
import { type Merchant, newMerchant } from "../contract/money.ts";
import { pay, refundIs, refundManually, settleRefund } from "../contract/payments.ts";
import { becomes, withdraw } from "../contract/payouts.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { verifyBothWays } from "../harness/verify-both-ways.ts";

type Kept = { kind: string; origin: string; about: string; body: string | null; of: string };

let gateway: TestGateway;
let merchant: Merchant;
let payment: { id: string; e2eId: string };
let payoutId: string;
let entryId: string;
before(async () => {
  gateway = await startGateway();
  merchant = await newMerchant(gateway);
  const { client } = merchant;
  payment = await pay(client, 100);
  await refundManually(client, payment.id);
  await settleRefund(client, payment.id, "confirm");
  await refundIs(client, payment.id, "CONFIRMED");
  await pay(client, 50);
  payoutId = (await withdraw(client, { amount: 10 })).id;
  await becomes(client, payoutId, "completed");
  const [institution] = await gateway.running.ctx.psps.all();
  const entry = { kind: "top_up", institutionId: institution!.institutionId, amount: 7 };
  const made = await gateway.operator.post<{ id: string }>("/treasury", {
    ...entry,
    occurredAt: new Date().toISOString(),
  });
  assert.equal(made.status, 201, made.text);
  entryId = made.body.id;
});
after(() => gateway.end());

const kept = async (sourceId: string): Promise<Kept[]> =>
  (
    await gateway.owner.query<Kept>(sql`
      select e.kind, e.origin, e.about, e.body, i.name as of from booking_evidence e
      left join institutions i on i.institution_id = e.institution_id where e.source_id = ${sourceId}`)
  ).rows;

/** The rules that break when the rows are changed so, in full and as the auditor asks. */
async function brokenBy(...changes: readonly Sql[]): Promise<readonly string[]> {
  const undo = new Error("undo");
  let found: string[] = [];
  await gateway.owner
    .transaction(async (tx: Tx) => {
      for (const change of changes) assert.ok((await tx.query(change)).rowCount > 0, change.text);
      found = (await verifyBothWays(tx)).violations.map(({ invariant }) => invariant.split(":")[0]!);
      throw undo;
    })
    .catch((error: unknown) => {
      if (error !== undo) throw error;
    });
  return [...new Set(found)].sort();
}

describe("a movement at an institution", () => {
  test("keeps the institution's own words about a payment, a refund and a payout", async () => {
    const [paid] = await kept(payment.id);
    assert.deepEqual([paid?.kind, paid?.origin, paid?.about], ["charge_paid", "answer", payment.e2eId]);
    const { endToEndId, valor } = JSON.parse(paid!.body!) as Record<string, unknown>;
    assert.deepEqual([endToEndId, valor], [payment.e2eId, "100.00"]);
    const { rows } = await gateway.owner.query<{ id: string; psp_id: string }>(sql`
      select refund_id as id, '' as psp_id from refunds union all select withdrawal_id, psp_id from withdrawals`);
    const [refunded] = await kept(rows[0]!.id);
    assert.deepEqual([refunded?.kind, refunded?.about], ["refund_sent", payment.e2eId]);
    assert.equal((JSON.parse(refunded!.body!) as { status: string }).status, "DEVOLVIDO");
    const [sent] = await kept(payoutId);
    assert.deepEqual([sent?.kind, sent?.about], ["withdrawal_sent", rows[1]!.psp_id]);
    assert.equal((JSON.parse(sent!.body!) as { idEnvio: string }).idEnvio, rows[1]!.psp_id);
  });

  test("that an operator recorded names the entry of the audit log", async () => {
    const { rows } = await gateway.owner.query<{ id: string }>(sql`
      select audit_id as id from audit_log where object_id = ${entryId} and action = 'treasury.book'`);
    assert.deepEqual(await kept(entryId), [
      { kind: "top_up", origin: "decision", about: rows[0]!.id, body: null, of: null },
    ]);
  });

  test("that has no evidence is found, and so is evidence of no movement, of another institution or another time", async () => {
    const { accountId } = merchant;
    const of = (id: string) => ({ text: "account_id = $1 and source_id = $2", values: [accountId, id] });
    const change = (how: string, id = payment.id): Sql => ({
      text: `${how} where ${of(id).text}`,
      values: of(id).values,
    });
    assert.deepEqual(await brokenBy(change("delete from booking_evidence")), ["V1"]);
    assert.deepEqual(await brokenBy(change("update booking_evidence set booked_at = booked_at - interval '1 day'")), [
      "V1",
    ]);
    assert.deepEqual(await brokenBy(change("update booking_evidence set institution_id = gen_random_uuid()")), ["V1"]);
    const stranger = `insert into booking_evidence select account_id, gen_random_uuid(), leg, kind, origin, institution_id, about, body, booked_at from booking_evidence`;
    assert.ok((await findInFull(change(stranger))).includes("V1"));
  });

  test("of which the answer is about something else, or does not name it, is found", async () => {
    const { accountId } = merchant;
    for (const id of [payment.id, payoutId]) {
      const change = (how: string): Sql => ({
        text: `update booking_evidence set ${how} where account_id = $1 and source_id = $2`,
        values: [accountId, id],
      });
      assert.deepEqual(await brokenBy(change("about = 'E0'")), ["V2"]);
      assert.deepEqual(await brokenBy(change("body = '{}'")), ["V2"]);
      assert.deepEqual(await brokenBy(change("body = null")), [], "the person was erased");
    }
  });

  test("of a decision that nobody made is found", async () => {
    for (const origin of ["decision", "proposal", "receipt"]) {
      const change = sql`update booking_evidence set origin = ${origin}, about = 'x' where source_id = ${entryId}`;
      assert.deepEqual(await brokenBy(change), ["V3"], origin);
    }
  });

  test("of a decision that was made about something else is found", async () => {
    const [institution] = await gateway.running.ctx.psps.all();
    const entry = { kind: "top_up", institutionId: institution!.institutionId, amount: 8 };
    const made = await gateway.operator.post<{ id: string }>("/treasury", {
      ...entry,
      occurredAt: new Date().toISOString(),
    });
    assert.equal(made.status, 201, made.text);
    const change = sql`
      update booking_evidence set about = (
        select audit_id from audit_log where object_id = ${made.body.id} and action = 'treasury.book')
      where source_id = ${entryId}`;
    assert.deepEqual(await brokenBy(change), ["V3"]);
    const other = sql`update booking_evidence set about = ${entryId} where source_id = ${entryId}`;
    assert.deepEqual(await brokenBy(other), ["V3"], "an object is no decision");
  });
});

/** The same of the whole books alone: a row that belongs to nothing is in no slice. */
async function findInFull(change: Sql): Promise<readonly string[]> {
  const undo = new Error("undo");
  let found: readonly string[] = [];
  await gateway.owner
    .transaction(async (tx: Tx) => {
      await tx.query(change);
      const { verify } = await import("../../src/auditor/verify.ts");
      found = (await verify(tx)).violations.map(({ invariant }) => invariant.split(":")[0]!);
      throw undo;
    })
    .catch((error: unknown) => {
      if (error !== undo) throw error;
    });
  return found;
}
