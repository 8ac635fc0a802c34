/** The books of a whole life, corrupted in every way that corruptions.ts knows: `verify` finds all of them. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { INVARIANTS } from "../src/auditor/invariants/invariants.ts";
import { sql } from "../src/db/sql.ts";
import { give, type Merchant, newMerchant } from "./contract/money.ts";
import { pay, refundIs, refundManually, settleRefund } from "./contract/payments.ts";
import { becomes, settle, waiting, withdraw } from "./contract/payouts.ts";
import { CORRUPTIONS, type Corruption } from "./corruptions.ts";
import { eventually } from "./harness/eventually.ts";
import { startGateway, type TestGateway } from "./harness/gateway.ts";
import { verifyBothWays } from "./harness/verify-both-ways.ts";

let gateway: TestGateway;
/** The one whose books are broken; another has the same, and must not be blamed. */
let merchant: Merchant;
let houseId: string;
/** Ids and numbers of ledger accounts, by the names that the statements use. */
let names: Record<string, string | number> = {};

before(async () => {
  gateway = await startGateway();
  await gateway.simulator.patch("/behaviour", { openingBalanceCentavos: 10_000_000 });
  const [sound, broken] = await Promise.all([newMerchant(gateway, ["shop"]), newMerchant(gateway, ["shop"])]);
  merchant = broken!;
  await Promise.all([live(sound!), live(merchant).then((lived) => Object.assign(names, lived))]);
  await receiveUnmatched();
  await eventually("what goes back by itself", async () => {
    const { rows } = await gateway.owner.query<{ n: number }>(
      sql`select count(*)::int as n from pix_returns where status <> 'confirmed' and purpose = 'deposit'`,
    );
    return rows[0]!.n === 0;
  });
  names = { ...names, ...(await readNames()) };
  await gateway.verify();
  // Nothing moves any more, and what would refuse a corruption is out of its way.
  await gateway.running.stop();
  const { rows } = await gateway.owner.query<{ text: string }>(sql`
    select format('alter table %s drop constraint %I', conrelid::regclass, conname) as text from pg_constraint
    where connamespace = 'public'::regnamespace and contype in ('c', 'u', 'f', 'p') and conrelid <> 0
      and not exists (select from pg_constraint f where f.contype = 'f' and f.confrelid = pg_constraint.conrelid and pg_constraint.contype = 'p')
    union all
    select format('drop index %s', indexrelid::regclass) from pg_index
    where indisunique and not exists (select from pg_constraint c where c.conindid = indexrelid)
      and indrelid in (select oid from pg_class where relnamespace = 'public'::regnamespace)`);
  for (const { text } of rows) await gateway.owner.query({ text, values: [] });
});
after(() => gateway.stop());

/** One of everything. */
async function live({ client, accountId }: Merchant): Promise<Record<string, string>> {
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
  const block = async () => {
    const { id: transactionId, e2eId } = await pay(client, 20);
    const reply = await client.post<{ id: string }>("/sandbox/balance-blocks", { transactionId });
    assert.equal(reply.status, 201, reply.text);
    return { id: reply.body.id, e2eId };
  };
  const [open, approved, part] = [await block(), await block(), await block()];
  // By the operator first: the PSP's own return then finds the money gone already.
  const end = `/accounts/${accountId}/balance-blocks/${approved.id}/resolve`;
  assert.equal((await gateway.operator.post(end, { outcome: "approved" })).status, 200);
  const { rows: cases } = await gateway.owner.query<{ case_id: string }>(
    sql`select case_id from balance_blocks where block_id = ${approved.id}`,
  );
  await gateway.simulator.post(`/infractions/${cases[0]!.case_id}/resolve`, { outcome: "accepted" });
  const returned = async (e2eId: string, of = {}) =>
    gateway.simulator.post(`/pix/${e2eId}/med-return`, { amountCentavos: 500, ...of });
  await returned(part.e2eId);
  // One that is no dispute's opens no block.
  await returned((await pay(client, 20)).e2eId, { natureza: "ORIGINAL" });
  const { id: sent } = await withdraw(client);
  const { id: failed } = await withdraw(client, { pixKey: "fail@pixgate.test" });
  const [{ id: opened }, { id: partly }, { id: reversed }] = [
    await waiting(client), await waiting(client), await waiting(client),
  ] as const; // biome-ignore format: a list
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
async function receiveUnmatched(): Promise<void> {
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
  const decision = { action: "assign", accountId: merchant.accountId, chargeId };
  const done = await gateway.operator.post(`/unmatched/${assigned}/resolve`, decision);
  assert.equal(done.status, 200, done.text);
  const { items } = (await gateway.operator.get<{ items: { id: string; objectId: string }[] }>("/cases?limit=100"))
    .body;
  const { id: caseId } = items.find(({ objectId }) => objectId === treasury)!;
  const proposal = { action: "treasury", parameters: { kind: "top_up" } };
  assert.equal((await gateway.operator.post(`/cases/${caseId}/propose`, proposal)).status, 200);
  const { rows } = await gateway.owner.query<{ institution_id: string }>(sql`select institution_id from institutions`);
  const sweep = await gateway.operator.post<{ id: string }>("/treasury", {
    ...{ kind: "sweep", institutionId: rows[0]!.institution_id, amount: 2, occurredAt: new Date().toISOString() },
  });
  assert.equal(sweep.status, 201, sweep.text);
  Object.assign(names, {
    ...{ receiptWaiting: waits!, receiptAssigned: assigned!, receiptTreasury: treasury!, sweep: sweep.body.id },
  });
}

async function readNames(): Promise<Record<string, string | number>> {
  const { owner } = gateway;
  const { accountId } = merchant;
  const { rows: accounts } = await owner.query<{ kind: string; no: number; own: boolean }>(sql`
    select kind, no, owner_id is null or owner_id = account_id or kind = 'psp' as own from ledger_accounts
    where account_id = ${accountId}`);
  const numbers = accounts.map(({ kind, no, own }) => [own ? kind : "shop", no] as const);
  const { rows } = await owner.query<{ back: string; deposit: string; house: string }>(sql`
    select (select return_id from withdrawal_returns where withdrawal_id = ${names.partly}::uuid) as back,
      (select return_id from pix_returns where charge_id = ${names.blocked}::uuid) as deposit,
      (select account_id from accounts where is_house) as house`);
  const { back, deposit, house } = rows[0]!;
  houseId = house;
  return { ...Object.fromEntries(numbers), comeBack: back, depositReturn: deposit, house };
}

const fill = (text: string): string =>
  text.replace(/(?<!:):([a-zA-Z]+)/g, (_all, name: string) => {
    const value = names[name];
    assert.notEqual(value, undefined, `nothing is called ${name}`);
    return typeof value === "number" ? String(value) : `'${value}'`;
  });

/** What verify finds, full and fresh, after statements that are undone; each must change something. */
async function findingsAfter(statements: readonly string[]): Promise<{ invariant: string; accountId: string }[]> {
  const undo = new Error("undo");
  let found: { invariant: string; accountId: string }[] = [];
  await gateway.owner
    .transaction(async (tx) => {
      for (const statement of statements) {
        const { rowCount } = await tx.query({ text: fill(statement), values: [] });
        assert.notEqual(rowCount, 0, `changes nothing: ${fill(statement)}`);
      }
      found = (await verifyBothWays(tx)).violations;
      throw undo;
    })
    .catch((error: unknown) => {
      if (error !== undo) throw error;
    });
  return found;
}

/** Need a reported tariff or a closed month (src/auditor/verify.test.ts and close.test.ts break them), or are asked of everything alone (operator-commands.deep.test.ts). */
const BROKEN_ELSEWHERE: readonly string[] = ["O3", "O4", "O5", "D1", "D2", "D3", "D4", "K1"];

describe(`verify finds ${CORRUPTIONS.length} of ${CORRUPTIONS.length} corruptions:`, () => {
  const found = new Set<Corruption>();
  const broken = new Set<string>();

  test("none where nothing is wrong", async () => {
    assert.deepEqual(await findingsAfter([]), []);
  });

  for (const corruption of CORRUPTIONS) {
    const [rules, what, ...statements] = corruption;
    test(`${what} (${rules.replaceAll(" ", ", ")})`, async () => {
      const findings = await findingsAfter(statements);
      const names = new Set(findings.map(({ invariant }) => invariant.split(":")[0]!));
      for (const rule of rules.split(" ")) {
        assert.ok(names.has(rule), `${rule} found nothing; ${[...names].join(", ") || "nobody"} did`);
        broken.add(rule);
      }
      // A receipt of the house's is in two accounts' books.
      const blamed = /[UO]|N2/.test(rules) ? [merchant.accountId, houseId] : [merchant.accountId];
      for (const finding of findings) assert.ok(blamed.includes(finding.accountId), finding.invariant);
      found.add(corruption);
    });
  }

  test("all of them, each of its own kind, at least fifty, and every invariant is broken by one", () => {
    assert.equal(found.size, CORRUPTIONS.length);
    assert.equal(new Set(CORRUPTIONS.map(([, what]) => what)).size, CORRUPTIONS.length);
    assert.equal(new Set(CORRUPTIONS.map(([, , ...statements]) => statements.join())).size, CORRUPTIONS.length);
    assert.ok(CORRUPTIONS.length >= 50, String(CORRUPTIONS.length));
    assert.deepEqual(
      INVARIANTS.map(({ name }) => name).filter((name) => !broken.has(name) && !BROKEN_ELSEWHERE.includes(name)),
      [],
    );
  });
});
