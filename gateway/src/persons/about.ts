import { texts, uuids } from "../db/arrays.ts";
import type { Queries } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { EVENT_KINDS, eventIdOf } from "../webhooks/events/catalogue.ts";

/** A row as it is exported, with its account, id and time of creation. */
export type Row = { account_id: string; id: string; at: Date; amount?: number; [field: string]: unknown };
/** A row that no search by document finds, with the payment through which it is found. */
export type FoundRow = Row & { readonly about: string };

/** A payment of a person, with the ids that lead to its consequences. */
type Payment = {
  readonly account_id: string;
  readonly kind: "charge" | "receipt" | "withdrawal";
  readonly id: string;
  /** End-to-end id of the received Pix; null for an unpaid charge and for a withdrawal. */
  readonly e2eId: string | null;
  /** A charge whose texts belong to the person: events about further payments of it repeat them. */
  readonly isCustomers: boolean;
  /** A further payment of one of the person's charges: events about it are found with the charge. */
  readonly isFurther: boolean;
  /** The record to which its consequences belong. */
  readonly about: string;
};
/** The subject of an event: a payment, or something that happened to one. */
type Subject = { readonly account_id: string; readonly id: string; readonly about: string };

/** Rows that are found through the payments that they concern. */
export type About = {
  readonly refunds: readonly FoundRow[];
  readonly blocks: readonly FoundRow[];
  readonly events: readonly FoundRow[];
};

/** Refunds, blocks and events about these payments. Reads by indexes only. Erased events are not among them. */
export async function findAbout(queries: Queries, payments: readonly Payment[]): Promise<About> {
  // A receipt that was given to a charge is in the books of the house account and of the charge's account.
  const keyOf = (account: string, e2eId: string | null) => `${account} ${e2eId}`;
  const received = payments.filter(({ e2eId }) => e2eId !== null);
  const abouts = new Map(received.map(({ account_id, e2eId, about }) => [keyOf(account_id, e2eId), about]));
  const accounts = uuids([...new Set(payments.map((payment) => payment.account_id))]);
  const e2eIds = texts([...new Set(received.map(({ e2eId }) => e2eId as string))]);
  const sent = payments.filter(({ kind }) => kind === "withdrawal");
  const refunds = await queries.query<Row & { e2eId: string }>(sql`
    select account_id, refund_id as id, created_at as at, charge_id as "chargeId", e2e_id as "e2eId", status, amount, reason
    from refunds where account_id = any(${accounts}::uuid[]) and e2e_id = any(${e2eIds}::text[]) order by 3`);
  const blocks = await queries.query<Row & { e2eId: string; changes: readonly { readonly id: string }[] | null }>(sql`
    select account_id, block_id as id, created_at as at, charge_id as "chargeId", e2e_id as "e2eId", status, amount, reason,
      defence, resolution_reason as "resolutionReason", resolution_text as "resolutionText", resolved_at as "resolvedAt",
      (select json_agg(json_build_object('name', f.name, 'size', f.size, 'sha256', encode(f.digest, 'hex')) order by f.file_id)
        from balance_block_files f where f.account_id = b.account_id and f.block_id = b.block_id) as files, amount_changes as changes
    from balance_blocks b where account_id = any(${accounts}::uuid[]) and e2e_id = any(${e2eIds}::text[]) order by 3`);
  // Events about a payment that was sent back are named by the received Pix, those about one that came back by the
  // transaction that credited it.
  const pixes = await queries.query<{ account_id: string; id: string; e2eId: string }>(sql`
    select account_id, pix_id as id, e2e_id as "e2eId" from received_pix
    where account_id = any(${accounts}::uuid[]) and e2e_id = any(${e2eIds}::text[]) and outcome <> 'credited'`);
  const own = uuids(payments.filter(({ isCustomers }) => isCustomers).map(({ id }) => id));
  const elsewhere = new Set(
    payments.filter(({ isFurther }) => isFurther).map((row) => keyOf(row.account_id, row.e2eId)),
  );
  const setAside = pixes.rows.filter((row) => !elsewhere.has(keyOf(row.account_id, row.e2eId)));
  const further = await queries.query<Subject>(sql`
    select account_id, pix_id as id, charge_id as about from received_pix
    where account_id = any(${accounts}::uuid[]) and charge_id = any(${own}::uuid[]) and outcome = 'second_payment'`);
  const back = await queries.query<Subject>(sql`
    select account_id, movement_id as id, withdrawal_id as about from withdrawal_returns
    where account_id = any(${accounts}::uuid[]) and withdrawal_id = any(${uuids(sent.map(({ id }) => id))}::uuid[])`);
  const rowsAbout = <T extends { account_id: string; e2eId: string }>(rows: readonly T[]): (T & { about: string })[] =>
    rows.flatMap((row) => {
      const about = abouts.get(keyOf(row.account_id, row.e2eId));
      return about === undefined ? [] : { ...row, about };
    });
  const about = { refunds: rowsAbout(refunds.rows), blocks: rowsAbout(blocks.rows) };
  const chargesAndWithdrawals = payments.filter(({ kind }) => kind !== "receipt");
  const subjects = [
    ...chargesAndWithdrawals,
    ...about.refunds,
    ...about.blocks,
    ...about.blocks.flatMap((row) => (row.changes ?? []).map(({ id }) => ({ ...row, id }))),
    ...rowsAbout(setAside),
    ...further.rows,
    ...back.rows,
  ];
  return { ...about, events: await findEvents(queries, subjects) };
}

/** Events about these subjects: their ids contain the subjects' ids. */
async function findEvents(queries: Queries, subjects: readonly Subject[]): Promise<FoundRow[]> {
  const byAccount = new Map<string, Map<string, string>>();
  for (const { account_id: account, id, about } of subjects) {
    const ids = byAccount.get(account) ?? new Map<string, string>();
    byAccount.set(account, ids);
    for (const kind of EVENT_KINDS) ids.set(eventIdOf(kind, id), about).set(eventIdOf(kind, id, "failed"), about);
  }
  const found: FoundRow[] = [];
  for (const [account, ids] of byAccount) {
    const { rows } = await queries.query<Row>(sql`
      select account_id, event_id as id, created_at as at, kind, body from events
      where account_id = ${account} and event_id = any(${texts([...ids.keys()])}::text[]) and erased_at is null order by 3`);
    for (const row of rows) found.push({ ...row, about: ids.get(row.id) as string });
  }
  return found;
}
