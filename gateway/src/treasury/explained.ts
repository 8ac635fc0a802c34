/**
 * A movement at an institution can be noticed in three ways: the operator records it, the balance differs, or the
 * comparison of its day finds it. It is booked once: each later way finds the booked entry by institution, amount and
 * time, and by the institution's id as soon as that is known.
 */
import { texts } from "../db/arrays.ts";
import type { Queries } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import type { TreasuryEntry } from "./entry.ts";

/**
 * How far apart the times of one movement may be: of its record, of the balance that showed it, and of the institution's
 * own entry.
 */
const APART = 3 * 86_400_000;

type Movement = Pick<TreasuryEntry, "accountId" | "entryId" | "institutionId" | "amount" | "occurredAt">;

/** Kinds whose money leaves an institution; `gain` and `top_up` bring money there. */
const LEAVING: readonly string[] = ["sweep", "tariff", "interbank", "loss"];

const around = ({ occurredAt }: Movement): [Date, Date] => [
  new Date(occurredAt.getTime() - APART),
  new Date(occurredAt.getTime() + APART),
];

/**
 * The booked entry of a Pix that the operator has sent, or null. If an entry already has this Pix's id, that one; otherwise
 * the nearest in time without an id.
 */
export async function findRecorded(queries: Queries, sent: Movement, about: string): Promise<string | null> {
  const { accountId, institutionId, amount, occurredAt } = sent;
  const [from, to] = around(sent);
  const { rows } = await queries.query<{ entry_id: string }>(sql`
    select entry_id from treasury_entries
    where account_id = ${accountId} and institution_id = ${institutionId} and amount = ${amount} and source = 'operator'
      and status = 'booked' and kind = any(${texts(LEAVING)}::text[]) and (about is null or about = ${about})
      and occurred_at between ${from} and ${to}
    order by about nulls last, abs(extract(epoch from occurred_at - ${occurredAt}::timestamptz)), entry_id limit 1`);
  return rows[0]?.entry_id ?? null;
}

/** Whether another entry has changed the books' balance of the institution at a moment, since it was compared. */
export async function isExplained(queries: Queries, movement: Movement, sampledAt: Date): Promise<boolean> {
  const { accountId, entryId, institutionId } = movement;
  const { rowCount } = await queries.query(sql`
    select from treasury_entries
    where account_id = ${accountId} and entry_id <> ${entryId} and ${institutionId} in (institution_id, to_institution_id)
      and status = 'booked' and source <> 'receipt' and booked_at > ${sampledAt} and occurred_at <= ${sampledAt}`);
  return rowCount > 0;
}

/**
 * The entry that booked a balance difference which this recorded movement caused, or null: it has the same amount and
 * direction, about the same time, and no id.
 */
export async function findAsDifference(queries: Queries, recorded: TreasuryEntry): Promise<string | null> {
  const { accountId, institutionId, amount, kind } = recorded;
  const [from, to] = around(recorded);
  const { rows } = await queries.query<{ entry_id: string }>(sql`
    select t.entry_id from treasury_entries t
    join case_proposals p on p.account_id = t.account_id and p.proposal_id = t.entry_id
    where t.account_id = ${accountId} and t.institution_id = ${institutionId} and t.amount = ${amount} and t.source = 'operator'
      and t.status = 'booked' and t.about is null and (t.kind = any(${texts(LEAVING)}::text[])) = ${LEAVING.includes(kind)}
      and t.occurred_at between ${from} and ${to}
    limit 1`);
  return rows[0]?.entry_id ?? null;
}
