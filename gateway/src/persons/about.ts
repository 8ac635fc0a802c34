import { texts, uuids } from "../db/arrays.ts";
import type { Queries } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { EVENT_KINDS, eventIdOf } from "../webhooks/events/catalogue.ts";

/** A row as it is exported, with where it is and when it came to be. */
export type Row = { account_id: string; id: string; at: Date; amount?: number; [field: string]: unknown };
/** A row that names no person by itself, and the payment by which it is found. */
type Found = Row & { readonly about: string };

/** A charge that was paid, or a withdrawal. */
type Payment = { readonly account_id: string; readonly id: string };
/** What an event can be about: a payment, or something that happened to one. */
type Subject = Payment & { readonly about: string };

/** Rows that are found by the payments that they are about. */
type About = {
  readonly refunds: readonly Found[];
  readonly blocks: readonly Found[];
  readonly events: readonly Found[];
};

/**
 * Refunds, blocks and events about these charges and withdrawals. Reads by key alone. An event that was erased is no longer
 * there.
 */
export async function findAbout(
  queries: Queries,
  charges: readonly Payment[],
  withdrawals: readonly Payment[],
): Promise<About> {
  const of = (payments: readonly Payment[]) => ({
    accounts: uuids([...new Set(payments.map((payment) => payment.account_id))]),
    ids: uuids([...new Set(payments.map((payment) => payment.id))]),
  });
  const [paid, sent] = [of(charges), of(withdrawals)];
  const refunds = await queries.query<Found>(sql`
    select account_id, refund_id as id, created_at as at, charge_id as about, charge_id as "chargeId", status, amount, reason
    from refunds where account_id = any(${paid.accounts}::uuid[]) and charge_id = any(${paid.ids}::uuid[]) order by 3`);
  const blocks = await queries.query<Found>(sql`
    select account_id, block_id as id, created_at as at, charge_id as about, charge_id as "chargeId", status, amount, reason, defence,
      resolution_reason as "resolutionReason", resolution_text as "resolutionText", resolved_at as "resolvedAt"
    from balance_blocks where account_id = any(${paid.accounts}::uuid[]) and charge_id = any(${paid.ids}::uuid[]) order by 3`);
  // Events about money that went back are named by the received Pix, which was not credited, or by the transaction that
  // credited it.
  const back = await queries.query<Subject>(sql`
    select account_id, pix_id as id, charge_id as about from received_pix
    where account_id = any(${paid.accounts}::uuid[]) and charge_id = any(${paid.ids}::uuid[]) and outcome <> 'credited'
    union all
    select account_id, movement_id, withdrawal_id from withdrawal_returns
    where account_id = any(${sent.accounts}::uuid[]) and withdrawal_id = any(${sent.ids}::uuid[])`);
  const payments = [...charges, ...withdrawals].map(({ account_id, id }) => ({ account_id, id, about: id }));
  const events = await findEvents(queries, [...payments, ...refunds.rows, ...blocks.rows, ...back.rows]);
  return { refunds: refunds.rows, blocks: blocks.rows, events };
}

/** Events about these subjects: their ids are made of the subjects' ids. */
async function findEvents(queries: Queries, subjects: readonly Subject[]): Promise<Found[]> {
  const byAccount = new Map<string, Map<string, string>>();
  for (const { account_id: account, id, about } of subjects) {
    const ids = byAccount.get(account) ?? new Map<string, string>();
    byAccount.set(account, ids);
    for (const kind of EVENT_KINDS) ids.set(eventIdOf(kind, id), about).set(eventIdOf(kind, id, "failed"), about);
  }
  const found: Found[] = [];
  for (const [account, ids] of byAccount) {
    const { rows } = await queries.query<Row>(sql`
      select account_id, event_id as id, created_at as at, kind, body from events
      where account_id = ${account} and event_id = any(${texts([...ids.keys()])}::text[]) and erased_at is null order by 3`);
    for (const row of rows) found.push({ ...row, about: ids.get(row.id) as string });
  }
  return found;
}
