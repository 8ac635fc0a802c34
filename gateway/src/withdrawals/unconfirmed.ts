import { auditTable } from "../audit-log/write.ts";
import { evidence } from "../cases/case.ts";
import { closeCase, writeCases } from "../cases/write.ts";
import { uuids } from "../db/arrays.ts";
import type { Queries, Tx } from "../db/pool.ts";
import { byShard, type Shards } from "../db/shards.ts";
import { part, sql } from "../db/sql.ts";
import { ApiError, notFound } from "../http/errors.ts";
import { insert, type Write } from "../ledger/books.ts";
import type { CommandKind, Deciding } from "../ledger/lane.ts";
import { isOpen, type WithdrawalRow, withdrawalsTable, withdrawalWrite } from "./withdrawal.ts";

export const UNCONFIRMED = "payout_unconfirmed" as const;

const DESCRIPTION =
  "The books were restored from a backup. Since then this payout may have been cancelled, rejected, or paid in another way.";

type Held = { readonly account_id: string; readonly withdrawal_id: string } & {
  readonly institution_id: string;
  readonly net_amount: number;
};

/**
 * After a restore, every open withdrawal needs a decision before it is sent, with a case each. A request of it may have
 * left since the backup, so its institution is queried, and it cannot be cancelled. A withdrawal that was not due yet (a
 * new key, a limit) has not left: it keeps waiting, and limits apply as usual.
 */
export async function holdOpenWithdrawals(
  tx: Tx,
  shards: Shards,
  ids: { readonly now: Date; newId(): string },
): Promise<{ readonly count: number; readonly amount: number }> {
  const mayHaveLeft = part`(w.may_have_left or coalesce(w.next_at <= ${ids.now}, false))`;
  // A request may have left after the absence or refusal that these books know, and the id that the bank gave it may be lost.
  // So nothing in these books is a reason to repeat a request.
  const isForgotten = part`(${mayHaveLeft} and w.psp_references = '[]')`;
  const { rows } = await tx.query<Held>(sql`
    update withdrawals w set unconfirmed_since = ${ids.now}, may_have_left = ${mayHaveLeft},
      next_at = case when ${mayHaveLeft} then ${ids.now}::timestamptz else w.next_at end,
      absent_at = null, refused_at = null,
      left_at = case when ${isForgotten} then null else w.left_at end,
      preparations = case when ${isForgotten} then 0 else w.preparations end
    where w.status in ('pending', 'processing')
    returning w.account_id, w.withdrawal_id, w.institution_id, w.net_amount`);
  const open = rows.map((row) => ({
    ...{ accountId: row.account_id, kind: UNCONFIRMED, objectId: row.withdrawal_id, deadline: null },
    ...{ institutionId: row.institution_id, amount: Number(row.net_amount) },
    evidence: evidence({ says: DESCRIPTION, source: "gateway", data: { amount: Number(row.net_amount) } }),
  }));
  for (const facts of byShard(shards, open, ({ accountId }) => accountId)) await writeCases(tx, { open: facts }, ids);
  return { count: rows.length, amount: open.reduce((sum, { amount }) => sum + amount, 0) };
}

/** Counts the open withdrawals that wait for such a decision. */
export async function countUnconfirmed(queries: Queries): Promise<{ count: number; amount: number }> {
  const { rows } = await queries.query<{ count: number; amount: number }>(sql`
    select count(*)::int as count, coalesce(sum(net_amount), 0)::bigint as amount from withdrawals
    where unconfirmed_since is not null and transaction_status = 'pending'`);
  return rows[0]!;
}

/** The end of a withdrawal removes the need for that decision. */
export const confirmedByEnd = (row: WithdrawalRow, deciding: Deciding): Write[] =>
  row.unconfirmedSince === null
    ? []
    : [closeCase({ accountId: row.accountId, kind: UNCONFIRMED, objectId: row.withdrawalId }, deciding)];

type Confirm = {
  readonly accountId: string;
  readonly withdrawalId: string;
  readonly actor: string;
  readonly reason: string;
};

/**
 * Operators confirm that it is still wanted and was not paid: it is sent as soon as nothing else holds it. @returns null,
 * or the refusal.
 */
export const confirmWithdrawal: CommandKind<Confirm, ApiError | null> = {
  name: "confirm withdrawal",
  wants: ({ accountId, withdrawalId }, want) => want.row(withdrawalsTable, { accountId, id: withdrawalId }),
  decide({ accountId, withdrawalId, actor, reason }, books, deciding) {
    const row = books.find(withdrawalsTable, { accountId, id: withdrawalId });
    if (!row) return { result: notFound("withdrawal", withdrawalId) };
    if (!isOpen(row.status)) {
      return { result: new ApiError("WITHDRAWAL_NOT_CONFIRMABLE", undefined, { status: row.status }) };
    }
    if (row.unconfirmedSince === null) return { result: null };
    const { now } = deciding;
    const log = {
      ...{ accountId, auditId: deciding.newId(), actor, action: "withdrawal.confirm" as const, objectId: withdrawalId },
      ...{ before: { unconfirmedSince: row.unconfirmedSince.toISOString() }, after: { reason }, createdAt: now },
    };
    return {
      result: null,
      writes: [
        withdrawalWrite(row, "confirmation", { unconfirmedSince: null, updatedAt: now }),
        ...confirmedByEnd(row, deciding),
        insert(auditTable, log),
      ],
    };
  },
};

/**
 * Confirms every open withdrawal at once, except those that may have left to a bank that finds payouts only by its own ids, and
 * whose ids there these books do not know: nothing shows whether such a withdrawal was paid, so each needs its own decision.
 *
 * @param findable the institutions that find a payout by our id.
 * @returns the cases about them.
 */
export async function confirmAll(
  tx: Tx,
  findable: readonly string[],
  now: Date,
): Promise<{ accountId: string; objectId: string }[]> {
  const { rows } = await tx.query<Pick<WithdrawalRow, "accountId" | "withdrawalId">>(sql`
    update withdrawals set unconfirmed_since = null, updated_at = ${now}
    where (not may_have_left or psp_references <> '[]' or institution_id = any(${uuids(findable)}::uuid[]))
      and unconfirmed_since is not null
    returning ${withdrawalsTable.select("", ["accountId", "withdrawalId"])}`);
  return rows.map(({ accountId, withdrawalId: objectId }) => ({ accountId, objectId }));
}
