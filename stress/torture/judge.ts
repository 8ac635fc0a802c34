import { Webhook } from "standardwebhooks";
import { verifyBooks } from "../../gateway/src/auditor/verify-books.ts";
import { uuids } from "../../gateway/src/db/arrays.ts";
import type { Db, Queries } from "../../gateway/src/db/pool.ts";
import { sql } from "../../gateway/src/db/sql.ts";
import { serviceSignature } from "../../gateway/src/webhooks/deliveries/sign.ts";
import type { PspEntry } from "./banks.ts";
import type { HouseLog } from "./house.ts";
import {
  judgeClaims,
  judgeSentAgain,
  medReturns,
  type PspReturn,
  type RefundRow,
  readRefunds,
  returnsOfLost,
} from "./judge-claims.ts";
import { judgeHouse, ownMoney, strangersBack } from "./judge-house.ts";
import { approvedBlocks, judgeOperator, judgeWallets } from "./judge-wallets.ts";
import { judgeWithdrawals, readWithdrawals, type WithdrawalRow, withdrawnMoney } from "./judge-withdrawals.ts";
import type { Logs } from "./logs.ts";

type ChargeRow = {
  charge_id: string;
  status: string;
  amount: number;
  txid: string;
  idempotency_key: string | null;
  e2e_id: string | null;
  fee_amount: number | null;
};

/**
 * Compares the records of the merchant, the PSP and the receiver with the books when nothing is under way: answered
 * calls took effect once, timed-out calls once or not at all, every event arrived, and every centavo is explained.
 *
 * @returns a sentence for each violation.
 */
export async function judge(db: Db, logs: Logs): Promise<string[]> {
  const findings: string[] = [];
  const charges = (
    await db.query<ChargeRow>(sql`
      select charge_id, status, amount, txid, idempotency_key, e2e_id, fee_amount from charges
      where account_id = ${logs.accountId}`)
  ).rows;
  findings.push(...judgeMerchant(logs, charges));
  findings.push(...judgeCancellations(logs, charges));
  const waiting = logs.hidesTxid ? await readWaiting(db) : new Set<string>();
  // Only the operator can know whose money this is.
  const payments = logs.psp
    .filter((entry) => entry.type === "payment")
    .map(toPayment)
    .map((payment) =>
      waiting.has(payment.e2eId) || isLost(logs, payment.txid) ? { ...payment, txid: null } : payment,
    );
  const returns = toReturns(logs.psp);
  findings.push(...(await judgePsp(db, logs, charges, payments)));
  const refunds = await readRefunds(db, logs.accountId);
  const ofLost = await returnsOfLost(db, logs, returns);
  const byUs = returns.filter((one) => !ofLost.includes(one));
  findings.push(...judgeSentAgain(ofLost, byUs));
  const notOfLost = payments.filter(({ e2eId }) => !ofLost.some((one) => one.e2eId === e2eId));
  findings.push(...(await judgeReturns(db, charges, notOfLost, byUs, refunds, logs.house)));
  findings.push(...(await judgeClaims(db, logs, refunds, ofLost)));
  findings.push(...(await judgeEvents(db, logs, charges)));
  const withdrawals = await readWithdrawals(db, logs.accountId);
  findings.push(...(await judgeWithdrawals(db, logs, withdrawals)));
  findings.push(...(await judgeMoney(db, charges, payments, returns, withdrawals, logs, refunds)));
  const { transfers = [], operator } = logs;
  if (operator) {
    const completed = charges.filter(({ status }) => status === "completed");
    findings.push(...(await judgeWallets(db, { ...logs, transfers, operator }, completed)));
    const confirmed = refunds.filter(({ status, late }) => status === "confirmed" && !late);
    const taken = {
      charge: completed.map((row) => ({ fee: row.fee_amount ?? 0, amount: row.amount })),
      withdrawal: withdrawals.map((row) => ({ fee: row.fee_amount, amount: row.amount })),
      refund: confirmed.map((row) => ({ fee: row.fee_amount, amount: row.amount })),
    };
    findings.push(...(await judgeOperator(db, { ...logs, transfers, operator }, taken)));
  }
  const { house, bank } = logs;
  if (house && bank) {
    const { banks = [], contradictions = [] } = logs;
    const explained = { blocked: operator ? approvedBlocks(operator) : 0, waiting, banks, contradictions };
    findings.push(...(await judgeHouse(db, { house, bank }, explained)));
  }
  const books = await verifyBooks(db);
  findings.push(...books.violations.map((v) => `verify: ${v.invariant}: ${v.detail}`));
  return findings;
}

/**
 * Whether a charge was answered between a backup and the loss of the database: the books cannot know what its payment
 * is for.
 */
const isLost = ({ lost }: Logs, txid: unknown): boolean => lost?.charges.has(String(txid)) ?? false;

const othersOf = ({ others }: Logs) => uuids(others?.accountIds ?? []);

/** The operator's own money, without the tariffs for the Pix of other accounts. */
function ownOf({ house, bank, others }: Logs) {
  if (!house || !bank) return null;
  const tariffs = new Map([...bank.tariffs].filter(([about]) => !others?.e2eIds.has(about)));
  return ownMoney({ house, bank: { ...bank, tariffs } });
}

function judgeMerchant(logs: Logs, charges: readonly ChargeRow[]): string[] {
  const findings: string[] = [];
  const byId = new Map(charges.map((charge) => [charge.charge_id, charge]));
  const idOfKey = new Map<string, string>();
  for (const call of logs.merchant) {
    if (call.status !== 201) continue;
    const id = call.body?.id ?? "none";
    const charge = byId.get(id);
    if (!charge) findings.push(`the merchant was answered charge ${id}, which is not in the books`);
    else if (charge.amount !== call.amount) findings.push(`charge ${id} has another amount than was asked for`);
    else if (charge.status === "creating" || charge.status === "rejected") {
      findings.push(`charge ${id} was answered and is ${charge.status}`);
    }
    const before = idOfKey.get(call.key);
    if (before !== undefined && before !== id) findings.push(`key ${call.key} was answered with two charges`);
    idOfKey.set(call.key, id);
  }
  const liveByKey = new Map<string, number>();
  for (const charge of charges) {
    if (charge.status === "creating") findings.push(`charge ${charge.charge_id} has no known outcome`);
    if (charge.idempotency_key === null || charge.status === "rejected") continue;
    const live = (liveByKey.get(charge.idempotency_key) ?? 0) + 1;
    liveByKey.set(charge.idempotency_key, live);
    if (live === 2) findings.push(`key ${charge.idempotency_key} made two charges`);
  }
  return findings;
}

/**
 * Checks that exactly the charges that the PSP removed are cancelled, and that no charge was paid after its
 * cancellation was answered.
 */
function judgeCancellations(logs: Logs, charges: readonly ChargeRow[]): string[] {
  const findings: string[] = [];
  const byId = new Map(charges.map((charge) => [charge.charge_id, charge]));
  const removed = new Set(
    logs.psp
      .filter((entry) => entry.type === "charge.patch" && entry.outcome === "removed")
      .map((entry) => String(entry.txid)),
  );
  for (const { id, status } of logs.cancellations) {
    const is = byId.get(id)?.status;
    const fits = status === 200 ? is === "cancelled" : is === "completed" || is === "failed" || is === "cancelled";
    if (!fits) findings.push(`cancelling ${id} was answered ${status}, and it is ${is}`);
  }
  for (const charge of charges) {
    const gone = removed.has(charge.txid);
    if (gone !== (charge.status === "cancelled"))
      findings.push(`charge ${charge.charge_id} is ${charge.status}, and ${gone ? "" : "not "}removed at the PSP`);
  }
  return findings;
}

/** Receipts that wait for the operator and have an open case. */
async function readWaiting(db: Queries): Promise<Set<string>> {
  const { rows } = await db.query<{ e2e_id: string }>(sql`
    select p.e2e_id from received_pix p join cases c on c.account_id = p.account_id and c.object_id = p.pix_id::text
    where p.outcome = 'unmatched' and c.kind = 'unmatched_receipt' and c.status = 'open'`);
  return new Set(rows.map((row) => row.e2e_id));
}

type Payment = { readonly e2eId: string; readonly txid: string | null; readonly amount: number };

const toPayment = (entry: PspEntry): Payment => ({
  e2eId: String(entry.e2eId),
  txid: entry.txid === null || entry.txid === undefined ? null : String(entry.txid),
  amount: Number(entry.amountCentavos),
});

async function judgePsp(
  db: Queries,
  logs: Logs,
  charges: readonly ChargeRow[],
  payments: readonly Payment[],
): Promise<string[]> {
  const findings: string[] = [];
  const byTxid = new Map(charges.map((charge) => [charge.txid, charge]));
  const removed = new Set(
    logs.psp.filter(({ type, outcome }) => type === "charge.patch" && outcome === "removed").map(({ txid }) => txid),
  );
  for (const entry of logs.psp) {
    if (entry.type !== "charge.put" || entry.outcome !== "created") continue;
    // A charge of the connection test (institutions/test-connection.ts), which is removed again.
    if (String(entry.txid).startsWith("probe") && removed.has(entry.txid)) continue;
    if (isLost(logs, entry.txid)) continue;
    const charge = byTxid.get(String(entry.txid));
    if (!charge) findings.push(`the PSP holds charge ${String(entry.txid)}, which we never stored`);
    else if (charge.amount !== entry.amountCentavos)
      findings.push(`the PSP holds ${charge.charge_id} with another amount`);
  }
  const { rows } = await db.query<{ e2e_id: string; amount: number; outcome: string }>(sql`
    select e2e_id, amount, outcome from received_pix where account_id <> all(${othersOf(logs)}::uuid[])`);
  const booked = new Map(rows.map((row) => [row.e2e_id, row]));
  for (const payment of payments) {
    const row = booked.get(payment.e2eId);
    if (!row) findings.push(`payment ${payment.e2eId} of ${payment.amount} was never booked`);
    else if (row.amount !== payment.amount) findings.push(`payment ${payment.e2eId} was booked with another amount`);
    const charge = payment.txid === null ? undefined : byTxid.get(payment.txid);
    if (charge && charge.status !== "completed" && charge.status !== "failed")
      findings.push(`charge ${charge.charge_id} was paid and is ${charge.status}`);
  }
  const paid = new Set(payments.map((payment) => payment.e2eId));
  for (const row of rows) {
    if (!paid.has(row.e2e_id)) findings.push(`Pix ${row.e2e_id} is in the books, and nobody paid it`);
  }
  return findings;
}

function toReturns(psp: readonly PspEntry[]): PspReturn[] {
  const returns = psp
    .filter((entry) => entry.type === "return" && entry.outcome === "accepted")
    .map(({ e2eId, id, amountCentavos, at }) => {
      return { e2eId: String(e2eId), id: String(id), amount: Number(amountCentavos), at: String(at), settled: false };
    });
  const byId = new Map(returns.map((one) => [`${one.e2eId} ${one.id}`, one]));
  for (const entry of psp) {
    if (entry.type !== "return.settled" || entry.status !== "DEVOLVIDO") continue;
    const made = byId.get(`${entry.e2eId} ${entry.id}`);
    if (made) made.settled = true;
  }
  return returns;
}

/** Checks that every payment is either credited to its charge, or returned once and completely. */
async function judgeReturns(
  db: Queries,
  charges: readonly ChargeRow[],
  payments: readonly Payment[],
  returns: readonly PspReturn[],
  refunds: readonly RefundRow[],
  house: HouseLog | undefined,
): Promise<string[]> {
  const findings: string[] = [];
  const returned = new Set(house?.strangers.filter(({ fate }) => fate === "returned").map(({ e2eId }) => e2eId));
  const { rows } = await db.query<{ e2e_id: string; psp_id: string; status: string; amount: number }>(sql`
    select e2e_id, psp_id, status, amount from pix_returns`);
  const byTxid = new Map(charges.map((charge) => [charge.txid, charge]));
  const byE2eId = new Map(rows.map((row) => [row.e2e_id, row]));
  const refundsOf = Map.groupBy(refunds, (refund) => refund.e2e_id);
  const reported = new Map<string, PspReturn[]>();
  for (const made of returns) reported.set(made.e2eId, [...(reported.get(made.e2eId) ?? []), made]);
  for (const { e2eId, txid, amount } of payments) {
    const charge = txid === null ? undefined : byTxid.get(txid);
    if (!charge && !returned.has(e2eId)) continue;
    const made = reported.get(e2eId) ?? [];
    reported.delete(e2eId);
    const first = charge?.e2e_id === e2eId;
    if (first && (charge.status === "completed") !== (amount === charge.amount)) {
      findings.push(`${amount} was paid for ${charge.charge_id} of ${charge.amount}, and it is ${charge.status}`);
    }
    if (first && charge.status === "completed") {
      const asked = (refundsOf.get(e2eId) ?? []).filter((row) => row.status === "confirmed").map((row) => row.psp_id);
      const settled = made.filter((one) => one.settled).map((one) => one.id);
      if (settled.sort().join() !== asked.sort().join()) {
        findings.push(`payment ${e2eId} was credited and sent back as ${settled}, and refunded as ${asked}`);
      }
      continue;
    }
    const row = byE2eId.get(e2eId);
    if (made.length !== 1) findings.push(`payment ${e2eId} was sent back ${made.length} times`);
    else if (made[0]!.amount !== amount || !made[0]!.settled || made[0]!.id !== row?.psp_id || row.amount !== amount)
      findings.push(`payment ${e2eId} of ${amount} was not sent back whole under our id`);
    if (row?.status !== "confirmed") findings.push(`the return of ${e2eId} is ${row?.status ?? "not there"}`);
  }
  for (const e2eId of reported.keys()) findings.push(`the PSP sent ${e2eId} back, which was paid for nothing of ours`);
  return findings;
}

async function judgeEvents(db: Queries, logs: Logs, charges: readonly ChargeRow[]): Promise<string[]> {
  const findings: string[] = [];
  const { rows } = await db.query<{ event_id: string; body: string; kind: string }>(sql`
    select event_id, body, kind from events where account_id = ${logs.accountId}`);
  const stored = new Map(rows.map((row) => [row.event_id, row]));
  const arrived = new Set<string>();
  const secrets = [logs.secret, ...(logs.otherSecrets ?? [])];
  const [from, to] = logs.lost?.webhooks ?? [0, 0];
  for (const [i, hook] of logs.received.entries()) {
    // A delivery of the lost database.
    if (i >= from && i < to) continue;
    const { eventId } = JSON.parse(hook.body) as { eventId: string };
    if (hook.status < 300) arrived.add(eventId);
    const event = stored.get(eventId);
    if (event?.body !== hook.body) {
      const what = event === undefined ? "is of no event that is stored" : "arrived with other bytes than were stored";
      findings.push(
        `a webhook ${eventId} ${what} (${i} of ${logs.received.length}, lost: ${from} to ${to}): ${hook.body.slice(0, 600)}; stored: ${event?.body.slice(0, 600)}`,
      );
    }
    const secret = secrets.find((one) => hook.headers["x-service-signature"] === serviceSignature(one, hook.body));
    if (secret === undefined) {
      findings.push(`the service signature of a webhook ${eventId} is wrong`);
      continue;
    }
    try {
      new Webhook(secret).verify(hook.body, hook.headers as Record<string, string>);
    } catch (error) {
      // The signature's age is checked by receivers at arrival; here it is too old.
      if (!/too (old|new)/i.test((error as Error).message))
        findings.push(`the standard signature of ${eventId} is wrong`);
    }
  }
  for (const { event_id: eventId } of rows) {
    if (!arrived.has(eventId)) findings.push(`event ${eventId} never arrived`);
  }
  for (const charge of charges) {
    const has = stored.has(charge.charge_id);
    if ((charge.status === "completed") !== has) {
      findings.push(`charge ${charge.charge_id} is ${charge.status} and ${has ? "has" : "has no"} payment_completed`);
    }
    if ((charge.status === "failed") !== stored.has(`payment_failed_${charge.charge_id}`))
      findings.push(`charge ${charge.charge_id} is ${charge.status}, and payment_failed says otherwise`);
  }
  return findings;
}

async function judgeMoney(
  db: Queries,
  charges: readonly ChargeRow[],
  payments: readonly Payment[],
  returns: readonly PspReturn[],
  withdrawals: readonly WithdrawalRow[],
  logs: Logs,
  refunds: readonly RefundRow[],
): Promise<string[]> {
  const { rows } = await db.query<{ kind: string; balance: number }>(sql`
    select kind, sum(balance)::bigint as balance from ledger_accounts
    where account_id <> all(${othersOf(logs)}::uuid[]) group by kind`);
  const { given, psp, operator } = logs;
  const balance = (kind: string) => rows.find((row) => row.kind === kind)?.balance ?? 0;
  const completed = charges.filter((charge) => charge.status === "completed");
  const sum = (list: readonly number[]) => list.reduce((a, b) => a + b, 0);
  const gross = sum(completed.map((charge) => charge.amount));
  const paid = sum(payments.map((payment) => payment.amount));
  const unmatched = sum(payments.filter((p) => p.txid === null).map((p) => p.amount));
  const own = ownOf(logs);
  const back = sum(returns.filter((one) => one.settled).map((one) => one.amount));
  const fees = sum(completed.map((charge) => charge.fee_amount ?? 0));
  const out = withdrawnMoney(withdrawals);
  const completedPix = new Set(completed.map((charge) => charge.e2e_id));
  const refunded = sum(returns.filter((one) => one.settled && completedPix.has(one.e2eId)).map((one) => one.amount));
  const refundFees = sum(refunds.filter((r) => r.status === "confirmed" && !r.late).map((r) => r.fee_amount));
  const med = sum([...medReturns(psp).values()]);
  const ofStrangers = logs.house ? strangersBack(logs.house) : 0;
  const blocked = operator ? approvedBlocks(operator) : 0;
  const expected: [string, number, number][] = [
    [
      "available",
      balance("available"),
      gross - fees + given + out.available - refunded - refundFees - (med - ofStrangers) - blocked,
    ],
    ["held", balance("held"), 0],
    ["fees", balance("fees"), fees + out.fees + refundFees],
    ["psp", -balance("psp"), paid - back + out.psp - med - blocked + (own?.moved ?? 0)],
    ["suspense", balance("suspense"), own ? unmatched - own.own - own.returned - ofStrangers : unmatched],
    ["returns", balance("returns"), paid - unmatched - gross - (back - refunded - (own?.returned ?? 0))],
    ["operator_funds", balance("operator_funds"), own?.funds ?? 0],
    ["psp_costs", -balance("psp_costs"), own?.costs ?? 0],
    ["transit", balance("transit"), 0],
  ];
  return expected
    .filter(([, is, should]) => is !== should)
    .map(([kind, is, should]) => `${kind} holds ${is} centavos, the logs explain ${should}`);
}
