import type { Context } from "../context.ts";
import { texts, uuids } from "../db/arrays.ts";
import type { Queries, Tx } from "../db/pool.ts";
import { part, sql } from "../db/sql.ts";
import { ERASED } from "../lib/erased.ts";
import { findAbout } from "./about.ts";
import { hasTexts, NAMED, type PersonRecord } from "./find.ts";

/** Rows that were changed, by kind of record. */
export type Erased = Readonly<Partial<Record<PersonRecord["kind"], number>>>;

type Erasure = {
  /** The account where notifications are stored. */
  readonly houseId: string;
  readonly document: string;
  /**
   * Payments before this are erased too; for later ones it stays known who paid, as the law requires
   * (docs/personal-data.md).
   */
  readonly horizon: Date;
};

/** Payments that one transaction erases. The account's money waits meanwhile. */
const BATCH = 200;

/** What was booked from an institution's answer about a person. */
type Answered = { readonly id: string };

/** Ids of one kind. */
const idsOf = (records: readonly PersonRecord[], kind: PersonRecord["kind"]): string[] =>
  records.filter((record) => record.kind === kind).map((record) => record.id);

/**
 * Erases what may be erased of a person in one account. Amounts, ids, times and the ledger stay, and so does everything
 * that is still open. Running it again erases what has ended since.
 *
 * A payment keeps the document by which it is found while anything else of it is left, such as an event that waits for its
 * delivery.
 *
 * @param records of all accounts.
 * @param report called once in each transaction that erases, as part of it, even if nothing was erased.
 */
export async function eraseInAccount(
  ctx: Pick<Context, "db" | "clock">,
  accountId: string,
  records: readonly PersonRecord[],
  erasure: Erasure,
  report: (tx: Tx, erased: Erased) => Promise<void>,
): Promise<void> {
  const own = records.filter((record) => record.accountId === accountId && record.kind !== "account");
  const payments = [...Map.groupBy(own, ({ about }) => about).values()];
  for (let from = 0; from < payments.length; from += BATCH) {
    const batch = payments.slice(from, from + BATCH).flat();
    const event = await eraseEvents(ctx, accountId, batch);
    // Before the transaction, because the house account's notifications may lie in another shard.
    const reported = await findReported(ctx.db, erasure.houseId, batch);
    await ctx.db.transaction(async (tx) => {
      const erased = await erasePayments(tx, accountId, batch, { ...erasure, reported });
      await report(tx, counted({ ...erased, event }));
    });
  }
}

/**
 * Erases the contents of events in an account, and receivers' answers to them. Events that wait for a delivery stay, unless
 * its endpoint is disabled: such a delivery fails, since it might wait for ever.
 *
 * It runs before `erasePayments`, because events are found through the payments that they concern. It is not part of that
 * transaction: the function has rights of its own, and a cluster lets only one user write rows of a shard in a transaction.
 * After a crash in between, a repeated call erases the rest, and reports what it erased itself.
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
  // Answers of a delivery that ended in between: the next call would not find its event any more.
  await db.query(answers);
  return rowCount;
}

/** States of a charge that nobody is expected to pay any more. */
const FINAL = part`('completed', 'failed', 'expired', 'cancelled', 'rejected')`;

/** Erases the rest, under the lock of the account's money: nothing of it ends meanwhile, and no event is added. */
async function erasePayments(
  tx: Tx,
  accountId: string,
  records: readonly PersonRecord[],
  { document, horizon, reported }: Erasure & { readonly reported: ReadonlySet<string> },
): Promise<Erased> {
  await tx.query(sql`select from accounts where account_id = ${accountId} for no key update`);
  const unfinished = await findUnfinished(tx, accountId, records, horizon);
  // The other records keep who paid or was paid.
  const finished = records.filter(({ about }) => !unfinished.has(about) && !reported.has(about));
  const ids = { all: idsOf(records, "charge"), finished: idsOf(finished, "charge") };
  const charges = await eraseCharges(tx, accountId, ids, { document, horizon });
  // The name is replaced by a mark, so that no later report of the institution fills it in again (charges/learn-payer.ts).
  // A payer without a document is the person, as far as is known.
  const e2eIds = finished.flatMap(({ kind, role, reportedAs }) =>
    kind === "receipt" || role === "both" ? (reportedAs ?? []) : [],
  );
  const receipts = await tx.query<Answered & { readonly e2e_id: string }>(sql`
    update received_pix set payer_name = ${ERASED}, payer_document = null
    where account_id = ${accountId} and e2e_id = any(${texts(e2eIds)}::text[]) and paid_at < ${horizon}
      and (payer_document = ${document} or (payer_document is null and payer_name is distinct from ${ERASED}))
    returning coalesce(case when outcome = 'credited' then charge_id end, pix_id) as id, e2e_id`);
  const withdrawals = await tx.query<Answered>(sql`
    update withdrawals set pix_key = ${ERASED}, holder_name = ${ERASED}, holder_document = ${ERASED}, asked_digest = ${ERASED},
      counterpart_name = null, counterpart_document = null, receiver_check = jsonb_set(receiver_check, '{reason}', 'null')
    where account_id = ${accountId} and withdrawal_id = any(${uuids(idsOf(finished, "withdrawal"))}::uuid[])
      and next_at is null and (status = 'failed' or (status in ('completed', 'reversed') and settled_at < ${horizon}))
    returning withdrawal_id as id`);
  const refunds = await tx.query<Answered>(sql`
    update refunds set reason = null
    where account_id = ${accountId} and refund_id = any(${uuids(idsOf(records, "refund"))}::uuid[])
      and status <> 'pending' and reason is not null
    returning refund_id as id`);
  const answered = uuids([...receipts.rows, ...withdrawals.rows, ...refunds.rows].map(({ id }) => id));
  const paid = texts(receipts.rows.map(({ e2e_id }) => e2e_id));
  await tx.query(sql`
    update booking_evidence set body = null
    where account_id = ${accountId} and body is not null and source_id in (
      select id from unnest(${answered}::uuid[]) a (id) union all
      select return_id from withdrawal_returns where account_id = ${accountId} and withdrawal_id = any(${answered}::uuid[]) union all
      select return_id from pix_returns where account_id = ${accountId} and e2e_id = any(${paid}::text[]) union all
      select psp_return_id from psp_returns where account_id = ${accountId} and e2e_id = any(${paid}::text[]))`);
  // The description that the payer sees.
  await tx.query(sql`
    update pix_returns set description = ${ERASED}
    where account_id = ${accountId} and return_id = any(${uuids(idsOf(records, "refund"))}::uuid[])
      and purpose = 'refund' and status in ('confirmed', 'failed')`);
  const blocks = await tx.query<{ id: string }>(sql`
    update balance_blocks set reason = null, defence = null, resolution_text = null
    where account_id = ${accountId} and block_id = any(${uuids(idsOf(records, "balanceBlock"))}::uuid[])
      and resolved_at < ${horizon} and (reason is not null or defence is not null or resolution_text is not null)
    returning block_id as id`);
  await tx.query(sql`
    delete from balance_block_files f using balance_blocks b
    where f.account_id = ${accountId} and f.block_id = any(${uuids(idsOf(records, "balanceBlock"))}::uuid[])
      and b.account_id = ${accountId} and b.block_id = f.block_id and b.resolved_at < ${horizon}`);
  // The block's reason, as the merchant's transaction repeats it.
  await tx.query(sql`
    update movements set description = ${ERASED}
    where account_id = ${accountId} and cause_id = any(${uuids(blocks.rows.map(({ id }) => id))}::uuid[])
      and type = 'chargeback' and description is not null`);
  return {
    charge: charges,
    receipt: receipts.rowCount,
    withdrawal: withdrawals.rowCount,
    refund: refunds.rowCount,
    balanceBlock: blocks.rowCount,
  };
}

/**
 * The law requires to know who paid, but not how to reach them: texts and contacts of all charges are erased, and of
 * finished charges the person too. What a charge contains about somebody else stays; a customer or payer without a document
 * is the person.
 *
 * @returns how many have changed.
 */
async function eraseCharges(
  tx: Tx,
  accountId: string,
  { all, finished }: { readonly all: readonly string[]; readonly finished: readonly string[] },
  { document, horizon }: Pick<Erasure, "document" | "horizon">,
): Promise<number> {
  const isCustomer = part`(customer is null or coalesce(customer ->> 'document', '') in ('', ${document}))`;
  const isPayer = part`(counterpart_document is null or counterpart_document = ${document})`;
  const described = await tx.query<{ id: string }>(sql`
    update charges set description = ${ERASED}, metadata = null,
      customer = jsonb_strip_nulls(customer - '{email,phone}'::text[])
    where account_id = ${accountId} and charge_id = any(${uuids(all)}::uuid[]) and status in ${FINAL} and ${isCustomer}
      and (description <> ${ERASED} or metadata is not null or customer ?| '{email,phone}')
    returning charge_id as id`);
  // The description of each share of a split.
  await tx.query(sql`
    update movements set description = ${ERASED}
    where account_id = ${accountId} and cause_id = any(${uuids(described.rows.map(({ id }) => id))}::uuid[])
      and type = 'internal_transfer' and description <> ${ERASED}`);
  const unnamed = await tx.query<{ id: string }>(sql`
    update charges set customer = case when not ${isCustomer} then customer end,
      customer_id = case when not ${isCustomer} then customer_id end,
      counterpart_name = case when not ${isPayer} then counterpart_name end,
      counterpart_document = case when not ${isPayer} then counterpart_document end
    where account_id = ${accountId} and charge_id = any(${uuids(finished)}::uuid[]) and status in ${FINAL}
      and coalesce(paid_at < ${horizon}, true)
      and ((${isCustomer} and customer is not null)
        or (${isPayer} and (counterpart_name is not null or counterpart_document is not null)))
    returning charge_id as id`);
  // After the charges, which lock out a note that is being written. It may name whoever paid or was to pay.
  const noted = await tx.query<{ id: string }>(sql`
    delete from charge_notes n using charges c
    where n.account_id = ${accountId} and n.charge_id = any(${uuids(all)}::uuid[])
      and c.account_id = ${accountId} and c.charge_id = n.charge_id and c.status in ${FINAL}
    returning n.charge_id as id`);
  return new Set([...described.rows, ...unnamed.rows, ...noted.rows].map(({ id }) => id)).size;
}

/**
 * Payments of which something is left that a search by document would not find without their document, or that cannot be
 * decided without it: an open refund, block or automatic return, a receipt that the operator has to decide, the texts of a
 * block since the horizon, and events that were not erased, including later ones.
 */
async function findUnfinished(
  tx: Tx,
  accountId: string,
  records: readonly PersonRecord[],
  horizon: Date,
): Promise<ReadonlySet<string>> {
  const payments = records.flatMap(({ kind, id, about, role, reportedAs }) => {
    if (kind !== "charge" && kind !== "receipt" && kind !== "withdrawal") return [];
    const e2eId = kind === "withdrawal" ? null : reportedAs;
    const isCustomers = role !== null && role !== "payer";
    return { account_id: accountId, kind, id, e2eId, isCustomers, isFurther: false, about };
  });
  const { refunds, blocks, events } = await findAbout(tx, payments);
  const abouts = aboutsOf(records);
  const e2eIds = texts(payments.flatMap(({ e2eId }) => e2eId ?? []));
  const undecided = await tx.query<{ e2eId: string }>(sql`
    select e2e_id as "e2eId" from unmatched
    where account_id = ${accountId} and e2e_id = any(${e2eIds}::text[])
      and status not in ('assigned', 'returned', 'retried', 'booked')
    union all
    select e2e_id from pix_returns
    where account_id = ${accountId} and e2e_id = any(${e2eIds}::text[]) and purpose = 'deposit' and status in ('pending', 'sending')`);
  const left = [
    ...refunds.filter(({ status }) => status === "pending"),
    ...blocks.filter(
      (block) => block.resolvedAt === null || ((block.resolvedAt as Date) >= horizon && hasTexts(block)),
    ),
    ...events,
  ];
  return new Set([
    ...left.map(({ about }) => about),
    ...undecided.rows.map(({ e2eId }) => abouts.get(e2eId) as string),
  ]);
}

/** Payments by the ids that institutions use. */
const aboutsOf = (records: readonly PersonRecord[]): ReadonlyMap<string, string> =>
  new Map(
    records.flatMap(({ reportedAs, namedAs, about }) =>
      [...namedAs, ...(reportedAs === null ? [] : [reportedAs])].map((id) => [id, about] as const),
    ),
  );

/** Payments with a notification that is not applied yet. */
async function findReported(
  queries: Queries,
  houseId: string,
  records: readonly PersonRecord[],
): Promise<ReadonlySet<string>> {
  const abouts = aboutsOf(records);
  const ids = texts([...abouts.keys()]);
  const { rows } = await queries.query<{ subject: string; txid: string | null }>(sql`
    select subject_id as subject, txid from inbox
    where account_id = ${houseId} and status = 'pending'
      and (subject_id = any(${ids}::text[]) or (${NAMED} and txid = any(${ids}::text[])))`);
  return new Set(rows.map(({ subject, txid }) => (abouts.get(subject) ?? abouts.get(txid ?? "")) as string));
}

/** Erases what institutions reported of the person. The digest that identifies a repeated notification stays. */
export async function eraseNotifications(tx: Tx, houseId: string, records: readonly PersonRecord[]): Promise<Erased> {
  const { rowCount } = await tx.query(sql`
    update inbox set body = ''
    where account_id = ${houseId} and inbox_id = any(${uuids(idsOf(records, "notification"))}::uuid[]) and status <> 'pending'`);
  return counted({ notification: rowCount });
}

const counted = (all: Erased): Erased => Object.fromEntries(Object.entries(all).filter(([, count]) => count > 0));
