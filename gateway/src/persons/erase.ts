import type { Context } from "../context.ts";
import { texts, uuids } from "../db/arrays.ts";
import type { Tx } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import type { PersonRecord } from "./find.ts";

/** What stands where a text was that may not be missing. */
const ERASED = "[erased]";

/** Rows that were changed, by kind of record. */
export type Erased = Readonly<Partial<Record<PersonRecord["kind"], number>>>;

type Erasure = {
  readonly document: string;
  /** Payments before this are erased too; of later ones stays who paid, as the law asks (docs/personal-data.md). */
  readonly horizon: Date;
};

/** Ids of one kind. */
const idsOf = (records: readonly PersonRecord[], kind: PersonRecord["kind"]): string[] =>
  records.filter((record) => record.kind === kind).map((record) => record.id);

/**
 * Erases what may be erased of a person in one account, under the lock of its money: what is still open is left as it
 * is. Amounts, ids, times and the ledger stay. Run again, it erases what has ended since.
 *
 * @param events of its records, those that `eraseEvents` has erased before. What the others report of stays with them: an
 *   event names no person by itself, so it would not be found again.
 */
export async function eraseInAccount(
  tx: Tx,
  accountId: string,
  found: readonly PersonRecord[],
  { document, horizon, events }: Erasure & { readonly events: ReadonlySet<string> },
): Promise<Erased> {
  await tx.query(sql`select from accounts where account_id = ${accountId} for no key update`);
  const waiting = found.filter(({ kind, id }) => kind === "event" && !events.has(id));
  const kept = new Set(waiting.map(({ about }) => about));
  const records = found.filter(({ about }) => !kept.has(about));
  const charges = uuids(idsOf(records, "charge"));
  const final = sql`('completed', 'failed', 'expired', 'cancelled', 'rejected')`.text;
  const described = await tx.query({
    // Who paid is asked for by the law, how to reach them is not.
    text: `update charges set description = $4, metadata = null,
        customer_id = case when paid_at >= $5 then customer_id end,
        customer = case when paid_at >= $5 then jsonb_strip_nulls(customer - '{email,phone}'::text[]) end
      where account_id = $1 and charge_id = any($2::uuid[]) and status in ${final}
        and (customer is null or customer ->> 'document' = $3)
        and (description <> $4 or metadata is not null or customer ?| '{email,phone}' or (customer is not null and coalesce(paid_at < $5, true)))`,
    values: [accountId, charges, document, ERASED, horizon],
  });
  const payers = await tx.query({
    text: `update charges set counterpart_name = null, counterpart_document = null, customer_id = null
      where account_id = $1 and charge_id = any($2::uuid[]) and status in ${final} and counterpart_document = $3
        and coalesce(paid_at < $4, true)`,
    values: [accountId, charges, document, horizon],
  });
  const receipts = await tx.query(sql`
    update received_pix set payer_name = null, payer_document = null
    where account_id = ${accountId} and e2e_id = any(${texts(idsOf(records, "receipt"))}::text[])
      and payer_document = ${document} and paid_at < ${horizon}`);
  const withdrawals = await tx.query(sql`
    update withdrawals set pix_key = ${ERASED}, holder_name = ${ERASED}, holder_document = ${ERASED},
      counterpart_name = null, counterpart_document = null
    where account_id = ${accountId} and withdrawal_id = any(${uuids(idsOf(records, "withdrawal"))}::uuid[])
      and next_at is null and (status = 'failed' or (status in ('completed', 'reversed') and settled_at < ${horizon}))`);
  const refunds = await tx.query(sql`
    update refunds set reason = null
    where account_id = ${accountId} and refund_id = any(${uuids(idsOf(records, "refund"))}::uuid[])
      and status <> 'pending' and reason is not null`);
  // What the payer was to read of it.
  await tx.query(sql`
    update pix_returns set description = ${ERASED}
    where account_id = ${accountId} and return_id = any(${uuids(idsOf(records, "refund"))}::uuid[])
      and purpose = 'refund' and status in ('confirmed', 'failed')`);
  const blocks = await tx.query(sql`
    update balance_blocks set reason = null, defence = null, resolution_text = null
    where account_id = ${accountId} and block_id = any(${uuids(idsOf(records, "balanceBlock"))}::uuid[])
      and resolved_at < ${horizon} and (reason is not null or defence is not null or resolution_text is not null)`);
  return counted({
    charge: Math.max(described.rowCount, payers.rowCount),
    receipt: receipts.rowCount,
    withdrawal: withdrawals.rowCount,
    refund: refunds.rowCount,
    balanceBlock: blocks.rowCount,
    event: events.size,
  });
}

/**
 * Erases what events in an account reported, and what receivers answered to them. Those that wait for a delivery stay.
 *
 * It comes before `eraseInAccount`, since events are found by the records that they are about, and is not part of its
 * transaction: the function has rights of its own, and a cluster lets one user alone write rows of a shard in a
 * transaction. After a crash between the two a repeated call erases the rest, and notes what it erased itself.
 *
 * @returns their ids.
 */
export async function eraseEvents(
  { db, clock }: Pick<Context, "db" | "clock">,
  accountId: string,
  records: readonly PersonRecord[],
): Promise<ReadonlySet<string>> {
  const ids = texts(idsOf(records, "event"));
  await db.query(sql`
    update delivery_attempts a set response_excerpt = null
    from deliveries d
    where d.account_id = ${accountId} and d.event_id = any(${ids}::text[]) and d.status <> 'pending'
      and a.account_id = ${accountId} and a.delivery_id = d.delivery_id and a.response_excerpt is not null`);
  const { rows } = await db.query<{ id: string }>(sql`
    select erase_events(${accountId}, ${ids}::text[], ${clock.date()}) as id`);
  return new Set(rows.map(({ id }) => id));
}

/** What institutions reported of the person. The digest by which a repeat is known stays. */
export async function eraseNotifications(tx: Tx, houseId: string, records: readonly PersonRecord[]): Promise<Erased> {
  const { rowCount } = await tx.query(sql`
    update inbox set body = ''
    where account_id = ${houseId} and inbox_id = any(${uuids(idsOf(records, "notification"))}::uuid[]) and status <> 'pending'`);
  return counted({ notification: rowCount });
}

const counted = (all: Erased): Erased => Object.fromEntries(Object.entries(all).filter(([, count]) => count > 0));
