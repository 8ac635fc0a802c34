import type { Context } from "../context.ts";
import { texts, uuids } from "../db/arrays.ts";
import type { Tx } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { findAbout } from "./about.ts";
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

/** Payments that one transaction erases. Meanwhile the account's money waits for it. */
const BATCH = 200;

/** Ids of one kind. */
const idsOf = (records: readonly PersonRecord[], kind: PersonRecord["kind"]): string[] =>
  records.filter((record) => record.kind === kind).map((record) => record.id);

/**
 * Erases what may be erased of a person in one account. Amounts, ids, times and the ledger stay, and so does what is still
 * open. Run again, it erases what has ended since.
 *
 * A payment keeps the document by which it is found while anything else of it is left, as an event that waits for its delivery.
 *
 * @param records of this account, and notifications.
 * @param report is part of the transaction that has erased something.
 */
export async function eraseInAccount(
  ctx: Pick<Context, "db" | "clock">,
  accountId: string,
  records: readonly PersonRecord[],
  erasure: Erasure,
  report: (tx: Tx, erased: Erased) => Promise<void>,
): Promise<void> {
  const notYetApplied = records.filter(({ kind, data }) => kind === "notification" && data.status === "pending");
  const own = records.filter((record) => record.accountId === accountId && record.kind !== "account");
  const payments = [...Map.groupBy(own, ({ about }) => about).values()];
  for (let from = 0; from < payments.length; from += BATCH) {
    const batch = payments.slice(from, from + BATCH).flat();
    const event = await eraseEvents(ctx, accountId, batch);
    await ctx.db.transaction(async (tx) => {
      const erased = await erasePayments(tx, accountId, batch, { ...erasure, notYetApplied });
      await report(tx, counted({ ...erased, event }));
    });
  }
}

/**
 * Erases what events in an account reported, and what receivers answered to them. Those that wait for a delivery stay,
 * unless it waits for a disabled endpoint: such a delivery fails, since it might wait for ever.
 *
 * It comes before `erasePayments`, since events are found by the payments that they are about, and is not part of its
 * transaction: the function has rights of its own, and a cluster lets one user alone write rows of a shard in a
 * transaction. After a crash between the two a repeated call erases the rest, and reports what it erased itself.
 *
 * @returns how many were erased.
 */
async function eraseEvents(
  { db, clock }: Pick<Context, "db" | "clock">,
  accountId: string,
  records: readonly PersonRecord[],
): Promise<number> {
  const ids = texts(idsOf(records, "event"));
  const now = clock.date();
  await db.query(sql`
    update deliveries d set status = 'failed', next_at = null, finished_at = ${now}
    from webhook_endpoints w
    where d.account_id = ${accountId} and d.event_id = any(${ids}::text[]) and d.status = 'pending'
      and (d.claimed_until is null or d.claimed_until <= ${now})
      and w.account_id = ${accountId} and w.endpoint_id = d.endpoint_id and not w.enabled`);
  const answers = sql`
    update delivery_attempts a set response_excerpt = null
    from deliveries d
    where d.account_id = ${accountId} and d.event_id = any(${ids}::text[]) and d.status <> 'pending'
      and a.account_id = ${accountId} and a.delivery_id = d.delivery_id and a.response_excerpt is not null`;
  await db.query(answers);
  const { rowCount } = await db.query(sql`select erase_events(${accountId}, ${ids}::text[], ${now})`);
  // Of a delivery that ended in between: the next call does not find its event any more.
  await db.query(answers);
  return rowCount;
}

/** States of a charge that it does not leave any more. */
const FINAL = sql`('completed', 'failed', 'expired', 'cancelled', 'rejected')`.text;

/** Erases the rest, under the lock of the account's money: nothing of it ends meanwhile, and no event comes to be. */
async function erasePayments(
  tx: Tx,
  accountId: string,
  records: readonly PersonRecord[],
  { document, horizon, notYetApplied }: Erasure & { readonly notYetApplied: readonly PersonRecord[] },
): Promise<Erased> {
  await tx.query(sql`select from accounts where account_id = ${accountId} for no key update`);
  const named = texts([
    ...(await paymentsToKeep(tx, accountId, records, horizon)),
    ...notYetApplied.map(({ about }) => about),
  ]);
  const charges = uuids(idsOf(records, "charge"));
  const described = await tx.query({
    // Who paid is asked for by the law, how to reach them is not.
    text: `update charges set description = $4, metadata = null,
        customer_id = case when paid_at >= $5 or charge_id::text = any($6) then customer_id end,
        customer = case when paid_at >= $5 or charge_id::text = any($6)
          then jsonb_strip_nulls(customer - '{email,phone}'::text[]) end
      where account_id = $1 and charge_id = any($2::uuid[]) and status in ${FINAL}
        and (customer is null or customer ->> 'document' = $3)
        and (description <> $4 or metadata is not null or customer ?| '{email,phone}'
          or (customer is not null and coalesce(paid_at < $5, true) and charge_id::text <> all($6)))`,
    values: [accountId, charges, document, ERASED, horizon, named],
  });
  const payers = await tx.query({
    text: `update charges set counterpart_name = null, counterpart_document = null, customer_id = null
      where account_id = $1 and charge_id = any($2::uuid[]) and status in ${FINAL} and counterpart_document = $3
        and coalesce(paid_at < $4, true) and charge_id::text <> all($5)`,
    values: [accountId, charges, document, horizon, named],
  });
  const receipts = await tx.query(sql`
    update received_pix set payer_name = null, payer_document = null
    where account_id = ${accountId} and e2e_id = any(${texts(idsOf(records, "receipt"))}::text[])
      and payer_document = ${document} and paid_at < ${horizon}
      and coalesce(charge_id::text, e2e_id) <> all(${named}::text[])`);
  const withdrawals = await tx.query(sql`
    update withdrawals set pix_key = ${ERASED}, holder_name = ${ERASED}, holder_document = ${ERASED},
      counterpart_name = null, counterpart_document = null
    where account_id = ${accountId} and withdrawal_id = any(${uuids(idsOf(records, "withdrawal"))}::uuid[])
      and next_at is null and (status = 'failed' or (status in ('completed', 'reversed') and settled_at < ${horizon}))
      and withdrawal_id::text <> all(${named}::text[])`);
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
  return {
    charge: Math.max(described.rowCount, payers.rowCount),
    receipt: receipts.rowCount,
    withdrawal: withdrawals.rowCount,
    refund: refunds.rowCount,
    balanceBlock: blocks.rowCount,
  };
}

/**
 * Payments of which something stays that names no document, and would not be found again without theirs: a refund or a block
 * that is open, the texts of a block since the horizon, and events that were not erased, also of what came after the search.
 */
async function paymentsToKeep(
  tx: Tx,
  accountId: string,
  records: readonly PersonRecord[],
  horizon: Date,
): Promise<readonly string[]> {
  const paid = records.flatMap(({ kind, id, about }) =>
    kind === "charge" || (kind === "receipt" && about !== id) ? { account_id: accountId, id: about } : [],
  );
  const sent = idsOf(records, "withdrawal").map((id) => ({ account_id: accountId, id }));
  const { refunds, blocks, events } = await findAbout(tx, paid, sent);
  const open = [
    ...refunds.filter(({ status }) => status === "pending"),
    ...blocks.filter(({ resolvedAt }) => resolvedAt === null || (resolvedAt as Date) >= horizon),
    ...events,
  ];
  return open.map(({ about }) => about);
}

/** What institutions reported of the person. The digest by which a repeat is known stays. */
export async function eraseNotifications(tx: Tx, houseId: string, records: readonly PersonRecord[]): Promise<Erased> {
  const { rowCount } = await tx.query(sql`
    update inbox set body = ''
    where account_id = ${houseId} and inbox_id = any(${uuids(idsOf(records, "notification"))}::uuid[]) and status <> 'pending'`);
  return counted({ notification: rowCount });
}

const counted = (all: Erased): Erased => Object.fromEntries(Object.entries(all).filter(([, count]) => count > 0));
