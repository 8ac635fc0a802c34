import { uuids } from "../db/arrays.ts";
import type { Queries } from "../db/pool.ts";
import { ANYWHERE, type Fragment, part, sql } from "../db/sql.ts";
import { firstUuidAt, ID_SLACK } from "../lib/ids.ts";
import { type BrakeTarget, waitsBehind } from "../outgoing/brakes/count-waiting.ts";
import type { Latest } from "../outgoing/latest.ts";
import { type ShownRow, shown, waitsFor } from "./show.ts";
import type { PendingReason } from "./withdrawal.ts";

/** A withdrawal of any account, as operators see it. */
export type AnyWithdrawal = ShownRow & {
  /** Why it has no outcome yet; null: no reason is known, or it has an outcome. */
  readonly latest: Latest | null;
  /** Of its wallet; `principal` for the main account. */
  readonly reference: string;
  /** Since when a request to pay it may be at the institution; null: it was not sent. */
  readonly sentAt: Date | null;
  /** The newest open case about it. */
  readonly caseId: string | null;
};

/** Filters. One that is left out does not apply. Amounts are centavos that leave the wallet. */
type AnyFilter = {
  readonly withdrawalId?: string | undefined;
  readonly status?: string | undefined;
  readonly accountId?: string | undefined;
  readonly institutionId?: string | undefined;
  readonly pendingReason?: PendingReason | undefined;
  /** Only withdrawals that wait behind this brake. */
  readonly brake?: BrakeTarget | undefined;
  readonly e2eId?: string | undefined;
  /** Only those that the bank has paid to a holder of another name (find-paid-to-other.ts), or only the others. */
  readonly toOther?: { readonly is: boolean; readonly ids: readonly string[] } | undefined;
  readonly minAmount?: number | undefined;
  readonly maxAmount?: number | undefined;
  readonly from?: Date | null;
  readonly to?: Date | null;
  /** Id of the last withdrawal of the previous page. */
  readonly after?: string | null;
};

/**
 * Whether a filter allows only withdrawals without an outcome. They are few, and have an index of their own. Of all others
 * only the newest are found without reading many rows.
 */
export const areOpen = ({ status, pendingReason }: Pick<AnyFilter, "status" | "pendingReason">): boolean =>
  status === "pending" || status === "processing" || pendingReason !== undefined;

/** At most `limit` withdrawals of all accounts, newest first. Reads every shard. */
export async function listAll(queries: Queries, filter: AnyFilter, limit: number): Promise<AnyWithdrawal[]> {
  const { withdrawalId = null, status = null, accountId = null, institutionId = null, e2eId = null } = filter;
  const { minAmount = null, maxAmount = null, from = null, to = null, after = null, toOther } = filter;
  const idFrom = from && firstUuidAt(from.getTime() - ID_SLACK);
  const idTo = to && firstUuidAt(to.getTime() + ID_SLACK);
  const { rows } = await queries.query<AnyWithdrawal>(sql`
    select ${shown(ANYWHERE)}, case when w.status in ('pending', 'processing') then w.latest end as latest, v.reference,
      w.left_at as "sentAt", (
      select c.case_id from cases c
      where c.account_id = w.account_id and c.object_id = w.withdrawal_id::text and c.status = 'open'
        and c.kind in ('payout_unresolved', 'payout_contradiction', 'payout_awaiting_bank', 'payout_unconfirmed')
      order by c.case_id desc limit 1) as "caseId"
    from withdrawals w join wallets v on v.account_id = w.account_id and v.wallet_id = w.wallet_id
    where (${withdrawalId}::uuid is null or w.withdrawal_id = ${withdrawalId})
      and (${after}::uuid is null or w.withdrawal_id < ${after})
      and (${status}::text is null or w.status = ${status})
      and (${accountId}::uuid is null or w.account_id = ${accountId})
      and (${institutionId}::uuid is null or w.institution_id = ${institutionId})
      and (${e2eId}::text is null or w.e2e_id = ${e2eId})
      and (${minAmount}::bigint is null or w.amount >= ${minAmount})
      and (${maxAmount}::bigint is null or w.amount <= ${maxAmount})
      and (${idFrom}::uuid is null or (w.withdrawal_id >= ${idFrom} and w.created_at >= ${from}::timestamptz))
      and (${idTo}::uuid is null or (w.withdrawal_id < ${idTo} and w.created_at < ${to}::timestamptz))
      and ${toOther ? receivedBy(toOther) : part`true`}
      and ${areOpen(filter) ? part`w.transaction_status = 'pending'` : part`true`}
      and ${waitsFor(filter.pendingReason ?? null)} and ${filter.brake ? waitsBehind(filter.brake) : part`true`}
    order by w.withdrawal_id desc limit ${limit}`);
  return rows;
}

/** Whether a withdrawal `w` is of those that another name has received, or is not. SQL. */
function receivedBy({ is, ids }: NonNullable<AnyFilter["toOther"]>): Fragment {
  return is
    ? part`w.withdrawal_id = any(${uuids(ids)}::uuid[])`
    : part`(w.paid_to_other is not true or w.status <> 'completed') and w.withdrawal_id <> all(${uuids(ids)}::uuid[])`;
}
