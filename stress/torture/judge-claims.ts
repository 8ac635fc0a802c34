import { texts } from "../../gateway/src/db/arrays.ts";
import type { Queries } from "../../gateway/src/db/pool.ts";
import { sql } from "../../gateway/src/db/sql.ts";
import type { PspEntry } from "./banks.ts";
import type { ClaimCall } from "./claims.ts";
import type { Logs } from "./logs.ts";

export type RefundRow = {
  refund_id: string;
  charge_id: string;
  e2e_id: string;
  amount: number;
  fee_amount: number;
  status: string;
  late: boolean;
  psp_id: string;
};

export async function readRefunds(db: Queries, accountId: string): Promise<RefundRow[]> {
  const { rows } = await db.query<RefundRow>(sql`
    select r.refund_id, r.charge_id, r.e2e_id, r.amount, r.fee_amount, r.status, r.late, b.psp_id
    from refunds r join pix_returns b on b.account_id = r.account_id and b.return_id = r.refund_id
    where r.account_id = ${accountId}`);
  return rows;
}

/** The amounts that the PSP has returned by itself, by its log: centavos by end-to-end id. */
export function medReturns(psp: readonly PspEntry[]): Map<string, number> {
  const by = new Map<string, number>();
  for (const entry of psp) {
    if (entry.type !== "return.med") continue;
    const e2eId = String(entry.e2eId);
    by.set(e2eId, (by.get(e2eId) ?? 0) + Number(entry.amountCentavos));
  }
  return by;
}

/** A return that the PSP executed for us. */
export type PspReturn = {
  readonly e2eId: string;
  readonly id: string;
  readonly amount: number;
  readonly at: string;
  settled: boolean;
};

/**
 * Returns that the lost database had requested. The restored books find them at the PSP under ids that they do not
 * know, so they book them as the PSP's own.
 */
export async function returnsOfLost(
  db: Queries,
  { lost }: Pick<Logs, "lost">,
  returns: readonly PspReturn[],
): Promise<PspReturn[]> {
  const [from, to] = lost?.between ?? ["", ""];
  const { rows } = await db.query<{ id: string }>(sql`select psp_id as id from pix_returns`);
  const known = new Set(rows.map(({ id }) => id));
  return returns.filter(({ at, id, settled }) => settled && at >= from && at <= to && !known.has(id));
}

/** Finds payments that the restored database returned although the lost one had returned them already. */
export const judgeSentAgain = (ofLost: readonly PspReturn[], byUs: readonly PspReturn[]): string[] =>
  byUs
    .filter(({ e2eId, at, settled }) => settled && ofLost.some((one) => one.e2eId === e2eId && one.at < at))
    .map(({ e2eId, id }) => `payment ${e2eId} was sent back again as ${id}, after a return that the restore had lost`);

/** Checks that an answered refund exists once, that the PSP's own returns are booked once, and that no case is open. */
export async function judgeClaims(
  db: Queries,
  logs: Logs,
  refunds: readonly RefundRow[],
  ofLost: readonly PspReturn[],
): Promise<string[]> {
  const findings: string[] = [];
  const answered = new Map<string, string>();
  const reported = new Set<string>();
  const chargeOf = new Map(refunds.map((row) => [row.refund_id, row.charge_id]));
  for (const { id, action, status, refundId } of logs.claims as readonly ClaimCall[]) {
    if (status !== 201) continue;
    if (refundId === null || chargeOf.get(refundId) !== id) {
      findings.push(`the merchant was answered refund ${refundId} of ${id}, which is not in the books`);
    }
    const before = answered.get(id);
    const isOne = action !== "refund in parts";
    if (isOne && before !== undefined && before !== refundId) {
      findings.push(`payment ${id} was answered with two refunds`);
    }
    answered.set(id, String(refundId));
    reported.add(String(refundId));
  }
  for (const { refund_id: id, status } of refunds) {
    if (status === "pending") findings.push(`refund ${id} has no known outcome`);
    if (!reported.has(id)) findings.push(`refund ${id} is in the books, and nobody was answered it`);
  }
  const { rows } = await db.query<{ e2e_id: string; amount: number }>(sql`
    select e2e_id, sum(amount)::bigint as amount from psp_returns
    where account_id = ${logs.accountId} or e2e_id = any(${texts(ofLost.map(({ e2eId }) => e2eId))}::text[]) group by e2e_id`);
  const med = medReturns(logs.psp);
  for (const { e2eId } of logs.house?.strangers ?? []) med.delete(e2eId);
  for (const { e2eId, amount } of ofLost) med.set(e2eId, (med.get(e2eId) ?? 0) + amount);
  const booked = new Map(rows.map((row) => [row.e2e_id, Number(row.amount)]));
  for (const [e2eId, amount] of med) {
    const ours = booked.get(e2eId) ?? 0;
    if (ours !== amount) findings.push(`the PSP returned ${amount} of ${e2eId} by itself, and ${ours} is booked`);
  }
  for (const { e2e_id: e2eId } of rows) {
    if (!med.has(e2eId)) findings.push(`a return of ${e2eId} is booked that the PSP did not make by itself`);
  }
  const open = await db.query<{ block_id: string; status: string }>(sql`
    select block_id, status from balance_blocks where status in ('awaiting_response', 'defended')`);
  for (const { block_id: id, status } of open.rows) findings.push(`block ${id} is ${status}, and its case is closed`);
  return findings;
}
