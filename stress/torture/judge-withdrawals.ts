import type { Queries } from "../../gateway/src/db/pool.ts";
import { sql } from "../../gateway/src/db/sql.ts";
import type { PspEntry } from "./banks.ts";
import { APPROVAL_ABOVE, type PayoutLog } from "./payout-desk.ts";
import type { WithdrawalCall } from "./withdrawals.ts";

export type WithdrawalRow = {
  withdrawal_id: string;
  status: string;
  amount: number;
  fee_amount: number;
  net_amount: number;
  returned_amount: number;
  failure_code: string | null;
  pix_key: string;
  psp_id: string;
  idempotency_key: string | null;
};

export const readWithdrawals = async (db: Queries, accountId: string): Promise<WithdrawalRow[]> =>
  (await db.query<WithdrawalRow>(sql`select * from withdrawals where account_id = ${accountId}`)).rows;

/** A payout by the PSP's log. */
type Payout = { readonly amount: number; end: "settled" | "failed" | null; readonly back: Map<string, number> };

function toPayouts(psp: readonly PspEntry[], findings: string[]): Map<string, Payout> {
  const payouts = new Map<string, Payout>();
  for (const entry of psp) {
    const id = String(entry.id);
    if (entry.type === "payout" && entry.outcome === "accepted") {
      if (payouts.has(id)) findings.push(`the PSP accepted payout ${id} twice`);
      payouts.set(id, { amount: Number(entry.amountCentavos), end: null, back: new Map() });
    }
    const payout = payouts.get(id);
    if (!payout) continue;
    if (entry.type === "payout.settled") payout.end = "settled";
    if (entry.type === "payout.failed") payout.end = "failed";
    if (entry.type === "payout.returned") payout.back.set(String(entry.rtrId), Number(entry.returnedCentavos));
  }
  return payouts;
}

/** Checks that each accepted key made one withdrawal of the requested amount, and each refused key none. */
function judgeCalls(calls: readonly WithdrawalCall[], rows: readonly WithdrawalRow[]): string[] {
  const findings: string[] = [];
  const byId = new Map(rows.map((row) => [row.withdrawal_id, row]));
  const idOfKey = new Map<string, string>();
  const refused = new Set<string>();
  for (const { key, amount, pixKey, status, body } of calls) {
    if (status === 400) refused.add(key);
    if (status !== 201) continue;
    const row = byId.get(body?.id ?? "none");
    if (!row) findings.push(`the merchant was answered withdrawal ${body?.id}, which is not in the books`);
    else if (row.amount !== amount || row.pix_key !== pixKey || row.idempotency_key !== key)
      findings.push(`withdrawal ${row.withdrawal_id} is not what was asked for`);
    const before = idOfKey.get(key);
    if (before !== undefined && before !== body?.id) findings.push(`key ${key} was answered with two withdrawals`);
    idOfKey.set(key, body?.id ?? "none");
  }
  const made = new Map<string, number>();
  for (const { idempotency_key: key } of rows) if (key !== null) made.set(key, (made.get(key) ?? 0) + 1);
  for (const [key, count] of made) if (count > 1) findings.push(`key ${key} made ${count} withdrawals`);
  for (const key of refused) if (made.has(key)) findings.push(`key ${key} was refused, and made a withdrawal`);
  return findings;
}

/**
 * Checks, by the PSP's log, that every withdrawal was paid once and booked as paid, or not paid and released; that
 * nothing was paid that the books lack; and that returned money was credited to the centavo.
 */
export async function judgeWithdrawals(
  db: Queries,
  logs: {
    readonly accountId: string;
    readonly psp: readonly PspEntry[];
    readonly withdrawals: readonly WithdrawalCall[];
    readonly payouts?: PayoutLog;
  },
  rows: readonly WithdrawalRow[],
): Promise<string[]> {
  const findings = judgeCalls(logs.withdrawals, rows);
  const payouts = toPayouts(logs.psp, findings);
  const { rows: events } = await db.query<{ event_id: string; kind: string }>(sql`
    select event_id, kind from events where account_id = ${logs.accountId} and kind like 'withdrawal_%'`);
  const reported = new Map(events.map(({ event_id, kind }) => [event_id, kind]));
  const reclaimed = await readReclaimed(db, logs.accountId);
  const known = new Set(rows.map((row) => row.psp_id));
  for (const [id, { amount }] of payouts) {
    if (!known.has(id)) findings.push(`the PSP paid ${amount} under ${id}, which we never stored`);
  }
  for (const row of rows) {
    const { withdrawal_id: id, status } = row;
    const payout = payouts.get(row.psp_id);
    const back = [...(payout?.back.values() ?? [])].reduce((sum, amount) => sum + amount, 0);
    const is =
      payout?.end === "settled"
        ? back === payout.amount
          ? "reversed"
          : "completed"
        : payout?.end === null
          ? "open"
          : "failed";
    if (status !== is) findings.push(`withdrawal ${id} is ${status}, and at the PSP it is ${is}`);
    if (payout && payout.amount !== row.net_amount) findings.push(`withdrawal ${id} was paid with another amount`);
    if (row.returned_amount !== back)
      findings.push(`${back} of withdrawal ${id} came back, ${row.returned_amount} is booked`);
    if (logs.payouts) findings.push(...judgeDecisions(logs.payouts, row, payout !== undefined));
    const due: [string, string, boolean][] = [
      ["withdrawal_completed", id, is === "completed" || is === "reversed"],
      ["withdrawal_failed", `withdrawal_failed_${id}`, is === "failed"],
      ["withdrawal_reversed", `withdrawal_reversed_${id}`, is === "reversed"],
    ];
    for (const [kind, eventId, should] of due) {
      if (kind === "withdrawal_failed" && !should && logs.payouts && mayHaveFailed(logs.payouts, row, reclaimed))
        continue;
      if ((reported.get(eventId) === kind) !== should) {
        findings.push(`withdrawal ${id} is ${status}, and has ${should ? "no" : "an event"} ${kind}`);
      }
    }
  }
  return findings;
}

/**
 * For each withdrawal whose money was taken from the wallet a second time: the proposals that had booked it as not
 * paid.
 */
async function readReclaimed(db: Queries, accountId: string): Promise<Map<string, readonly (string | null)[]>> {
  const { rows } = await db.query<{ id: string; proposals: (string | null)[] }>(sql`
    select t.source_id as id, array_agg(l.after ->> 'proposalId') as proposals from ledger_transfers t
    left join audit_log l on l.account_id = t.account_id and l.object_id = t.source_id
      and l.action = 'withdrawal.force' and l.after ->> 'to' = 'failed'
    where t.account_id = ${accountId} and t.kind = 'withdrawal_reclaimed' group by t.source_id`);
  return new Map(rows.map(({ id, proposals }) => [id, proposals]));
}

/**
 * Whether it is correct that a paid payout had been booked as failed: its money was taken from the wallet again, and
 * either the institution had shown it as failed for a while, or one person had decided so alone, by this proposal,
 * while the institution still held it.
 */
export function mayHaveFailed(
  { shownFailed, forcedAlone }: Pick<PayoutLog, "shownFailed" | "forcedAlone">,
  { withdrawal_id: id, psp_id: pspId }: Pick<WithdrawalRow, "withdrawal_id" | "psp_id">,
  reclaimed: ReadonlyMap<string, readonly (string | null)[]>,
): boolean {
  const proposals = reclaimed.get(id);
  if (proposals === undefined) return false;
  const alone = forcedAlone.get(id);
  return shownFailed.has(pspId) || (alone !== undefined && proposals.includes(alone));
}

/**
 * Checks that a cancelled or rejected withdrawal never left, and that one above the limit left only after its approval.
 */
function judgeDecisions({ approved, rejected, cancelled }: PayoutLog, row: WithdrawalRow, isSent: boolean): string[] {
  const { withdrawal_id: id, amount, failure_code: code } = row;
  const findings: string[] = [];
  if (cancelled.get(id) === 200 && (isSent || code !== "cancelled"))
    findings.push(`withdrawal ${id} was cancelled, is failed by ${code}, and was ${isSent ? "" : "not "}sent`);
  if (code === "cancelled" && cancelled.get(id) !== 200) findings.push(`withdrawal ${id} was cancelled by nobody`);
  if (rejected.has(id) && (isSent || (code !== "rejected" && code !== "cancelled")))
    findings.push(`withdrawal ${id} was rejected, is failed by ${code}, and was ${isSent ? "" : "not "}sent`);
  if (isSent && amount > APPROVAL_ABOVE && !approved.has(id))
    findings.push(`withdrawal ${id} of ${amount} was sent, and nobody approved it`);
  return findings;
}

/** What withdrawals took from the wallet, gave to the operator as fees, and made the PSP pay, centavos. */
export function withdrawnMoney(rows: readonly WithdrawalRow[]): { available: number; fees: number; psp: number } {
  let [available, fees, psp] = [0, 0, 0];
  for (const row of rows) {
    if (row.status !== "completed" && row.status !== "reversed") continue;
    available -= row.amount - row.returned_amount;
    psp -= row.net_amount - row.returned_amount;
    fees += row.fee_amount;
    if (row.status !== "reversed") continue;
    available += row.fee_amount;
    fees -= row.fee_amount;
  }
  return { available, fees, psp };
}
