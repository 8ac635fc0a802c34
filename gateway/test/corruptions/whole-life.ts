/** A merchant and the house who live through one of everything: books with all kinds of rows, to be corrupted. */
import assert from "node:assert/strict";
import { sql } from "../../src/db/sql.ts";
import { give, type Merchant, newMerchant } from "../contract/money.ts";
import { pay, refundIs, refundManually, settleRefund } from "../contract/payments.ts";
import { becomes, settle, waiting, withdraw } from "../contract/payouts.ts";
import type { Client } from "../harness/client.ts";
import { approveCase } from "../harness/decide.ts";
import { eventually } from "../harness/eventually.ts";
import type { TestGateway } from "../harness/gateway.ts";
import { sellInOtherWays } from "./sales.ts";

export type WholeLife = {
  /** The one whose books are broken; another has the same, and must not be blamed. */
  readonly merchant: Merchant;
  readonly houseId: string;
  /** Ids and numbers of ledger accounts, by the names that the statements of list.ts use. */
  readonly names: Readonly<Record<string, string | number>>;
};

/**
 * Lives it, and waits until nothing moves by itself any more.
 *
 * @param second who approves what the operator proposes, where two persons are required.
 */
export async function liveWholeLife(gateway: TestGateway, second: Client | null = null): Promise<WholeLife> {
  await gateway.simulator.patch("/behaviour", { openingBalanceCentavos: 10_000_000 });
  const [sound, broken] = await Promise.all([newMerchant(gateway, ["shop"]), newMerchant(gateway, ["shop"])]);
  const merchant = broken!;
  const [, lived] = await Promise.all([live(gateway, sound!), live(gateway, merchant)]);
  const [, sold] = await Promise.all([sellInOtherWays(gateway, sound!), sellInOtherWays(gateway, merchant)]);
  const received = await receiveUnmatched(gateway, merchant, second);
  await eventually("what goes back by itself", async () => {
    const { rows } = await gateway.owner.query<{ n: number }>(
      sql`select count(*)::int as n from pix_returns where status <> 'confirmed' and purpose = 'deposit'`,
    );
    return rows[0]!.n === 0;
  });
  const read = await readNames(gateway, merchant, lived);
  await gateway.verify();
  return { merchant, houseId: read.house as string, names: { ...lived, ...sold, ...received, ...read } };
}

/** Removes what would refuse a corruption: checks, keys and unique indexes. */
export async function dropConstraints({ owner }: TestGateway): Promise<void> {
  const { rows } = await owner.query<{ text: string }>(sql`
    select format('alter table %s drop constraint %I', conrelid::regclass, conname) as text, contype <> 'f' as later from pg_constraint
    where connamespace = 'public'::regnamespace and contype in ('c', 'u', 'f', 'p') and conrelid <> 0
    union all
    select format('drop index %s', indexrelid::regclass), true from pg_index
    where indisunique and not exists (select from pg_constraint c where c.conindid = indexrelid)
      and indrelid in (select oid from pg_class where relnamespace = 'public'::regnamespace)
    order by later`);
  for (const { text } of rows) await owner.query({ text, values: [] });
}

/** One of everything. */
async function live(gateway: TestGateway, { client, accountId }: Merchant): Promise<Record<string, string>> {
  const fees = { charge: { fixed: 0.5 }, withdrawal: { fixed: 1 }, refund: { fixed: 0.25 } };
  assert.equal((await gateway.operator.patch(`/accounts/${accountId}`, { fees })).status, 200);
  const made = await client.post("/webhook-endpoints", { url: "http://127.0.0.1:9/hook" });
  assert.equal(made.status, 201, made.text);
  const adjustment = await give(gateway, accountId, 500);
  const credit = await give(gateway, accountId, 5, { balance: "promotional" });
  await give(gateway, accountId, 3, { type: "referral_commission" });
  const charge = async (amount: number) =>
    (await client.post<{ id: string }>("/pix", { amount, description: "d" })).body.id;
  const { id: plain } = await pay(client, 10);
  const { id: shared } = await pay(client, 10, { split: [{ subAccount: "shop", amount: 3 }] });
  const [pending, blocked] = [await charge(7), await charge(5)];
  assert.equal((await client.post(`/sandbox/pix/${blocked}/pay`, { amount: 4.99 })).status, 200);
  const moved = await client.post<{ id: string }>("/transfers", { subAccount: "shop", amount: 4 });
  const refund = async (outcome: "confirm" | "fail" | null) => {
    const payment = await pay(client, 10);
    const { refundTransactionId } = await refundManually(client, payment.id);
    if (outcome === null) return refundTransactionId;
    await settleRefund(client, payment.id, outcome);
    await refundIs(client, payment.id, outcome === "confirm" ? "CONFIRMED" : "ERROR");
    return refundTransactionId;
  };
  const block = async (amount = 20) => {
    const { id: transactionId, e2eId } = await pay(client, 20);
    const reply = await client.post<{ id: string }>("/sandbox/balance-blocks", { transactionId, amount });
    assert.equal(reply.status, 201, reply.text);
    return { id: reply.body.id, e2eId };
  };
  const [open, part] = [await block(15), await block()];
  const grown = await client.patch(`/sandbox/balance-blocks/${open.id}`, { amount: 20 });
  assert.equal(grown.status, 200, grown.text);
  // An order about a payment that has paid: should its institution return the Pix, the money is gone already.
  const ordered = await pay(client, 20);
  const order = { amount: 20, blockType: "judicial", transactionId: ordered.id };
  const blocks = `/accounts/${accountId}/balance-blocks`;
  const judicial = await gateway.operator.post<{ id: string }>(blocks, order);
  assert.equal(judicial.status, 201, judicial.text);
  assert.equal(
    (await gateway.operator.post(`${blocks}/${judicial.body.id}/resolve`, { outcome: "approved" })).status,
    200,
  );
  const returned = async (e2eId: string, of = {}) =>
    gateway.simulator.post(`/pix/${e2eId}/med-return`, { amountCentavos: 500, ...of });
  await returned(part.e2eId);
  await returned(ordered.e2eId, { amountCentavos: 2_000 });
  // One that is no dispute's opens no block.
  await returned((await pay(client, 20)).e2eId, { natureza: "ORIGINAL" });
  const { id: sent } = await withdraw(client);
  const { id: failed } = await withdraw(client, { pixKey: "fail@pixgate.test" });
  const [{ id: opened }, { id: partly }, { id: reversed }] = [
    await waiting(client),
    await waiting(client),
    await waiting(client),
  ] as const;
  for (const id of [partly, reversed]) await settle(client, id, { outcome: "complete" });
  await settle(client, partly, { outcome: "reverse", amount: 2 });
  await settle(client, reversed, { outcome: "reverse" });
  await Promise.all([becomes(client, sent, "completed"), becomes(client, failed, "failed")]);
  const refunds = { refundConfirmed: await refund("confirm"), refundFailed: await refund("fail") };
  const refundPending = await refund(null);
  await eventually("the PSP's own returns", async () => {
    const { rows } = await gateway.owner.query<{ sources: string }>(
      sql`select string_agg(distinct source, ' ') as sources from psp_returns where account_id = ${accountId}`,
    );
    if (rows[0]!.sources !== "available block held") throw new Error(`returned out of ${rows[0]!.sources}`);
    return true;
  });
  return {
    account: accountId, adjustment, credit, plain, shared, pending, blocked, transfer: moved.body.id, ...refunds, refundPending,
    blockOpen: open.id, sent, failed, open: opened, partly, reversed,
  }; // biome-ignore format: a list
}

/** A Pix that belongs to nobody yet, and one that the operator has given to a charge. */
async function receiveUnmatched(
  gateway: TestGateway,
  merchant: Merchant,
  second: Client | null,
): Promise<Record<string, string>> {
  const e2eIds: string[] = [];
  for (const amountCentavos of [900, 1_100, 1_300]) {
    const reported = await gateway.simulator.post<{ e2eId: string }>("/pix", { amountCentavos });
    e2eIds.push(reported.body.e2eId);
  }
  const [waits, assigned, treasury] = await eventually("the receipts", async () => {
    await gateway.owner.query(sql`update received_polls set next_at = ${new Date()}`);
    const { rows } = await gateway.owner.query<{ pix_id: string; amount: number }>(
      sql`select pix_id, amount from received_pix where outcome = 'unmatched' order by amount`,
    );
    return rows.length === 3 && rows.map(({ pix_id }) => pix_id);
  });
  const body = { amount: 11, description: "assigned" };
  const chargeId = (await merchant.client.post<{ id: string }>("/pix", body)).body.id;
  const { items } = (await gateway.operator.get<{ items: { id: string; objectId: string }[] }>("/cases?limit=100"))
    .body;
  const decide = async (pixId: string, action: string, parameters: object) => {
    const { id: caseId } = items.find(({ objectId }) => objectId === pixId)!;
    const proposed = await gateway.operator.post(`/cases/${caseId}/propose`, { action, parameters });
    assert.equal(proposed.status, 200, proposed.text);
    if (second) assert.equal((await approveCase(second, caseId)).status, 200);
  };
  await decide(assigned!, "assign", { accountId: merchant.accountId, chargeId });
  await decide(treasury!, "treasury", { kind: "top_up" });
  const { rows } = await gateway.owner.query<{ institution_id: string }>(sql`select institution_id from institutions`);
  const sweep = await gateway.operator.post<{ id: string; caseId: string }>("/treasury", {
    ...{ kind: "sweep", institutionId: rows[0]!.institution_id, amount: 2, occurredAt: new Date().toISOString() },
  });
  assert.equal(sweep.status, 201, sweep.text);
  if (second) assert.equal((await approveCase(second, sweep.body.caseId)).status, 200);
  return { receiptWaiting: waits!, receiptAssigned: assigned!, receiptTreasury: treasury!, sweep: sweep.body.id };
}

async function readNames(
  { owner }: TestGateway,
  { accountId }: Merchant,
  names: Readonly<Record<string, string>>,
): Promise<Record<string, string | number>> {
  const { rows: accounts } = await owner.query<{ kind: string; no: number; own: boolean }>(sql`
    select kind, no, owner_id is null or owner_id = account_id or kind = 'psp' as own from ledger_accounts
    where account_id = ${accountId}`);
  const numbers = accounts.map(({ kind, no, own }) => [own ? kind : "shop", no] as const);
  const { rows } = await owner.query<{ back: string; deposit: string; house: string }>(sql`
    select (select return_id from withdrawal_returns where withdrawal_id = ${names.partly}::uuid) as back,
      (select return_id from pix_returns where charge_id = ${names.blocked}::uuid) as deposit,
      (select account_id from accounts where is_house) as house`);
  const { back, deposit, house } = rows[0]!;
  return { ...Object.fromEntries(numbers), comeBack: back, depositReturn: deposit, house };
}
