import { writeCases } from "../cases/write.ts";
import type { Context } from "../context.ts";
import { texts } from "../db/arrays.ts";
import { sql } from "../db/sql.ts";
import { compare, type EntryKind } from "./compare.ts";
import { findOurs } from "./ours.ts";
import type { Report } from "./reconcile.ts";
import { numberOf, type TheirEntry } from "./theirs.ts";

/** Cases of one institution and day; a report lists more. */
const MOST = 100;
/** Open cases that a pass searches our books for. */
const SEARCHED = 1_000;

/**
 * Opens a case for each difference of a day that was not booked, and closes those of the day that are gone. An incomplete
 * comparison closes none: what it did not find it may not have seen.
 */
export async function writeFindings(ctx: Context, houseId: string, report: Report, day: string): Promise<void> {
  const { institutionId } = report;
  const unbooked = report.findings.filter(({ booked }) => !booked);
  const all = unbooked.slice(0, MOST).map(({ kind, state, key, parent, alias, theirs, ours, at, cause }) => ({
    ...{ accountId: houseId, kind: "reconciliation_difference" as const, institutionId, deadline: null },
    objectId: `${institutionId} ${kind} ${key}`,
    amount: theirs ?? ours,
    evidence: {
      says: cause,
      source: "institution" as const,
      data: { day, kind, state, key, parent, alias, amount: theirs ?? ours, theirs, ours, at: at.toISOString() },
    },
  }));
  const { rows } = await ctx.db.query<{ object_id: string }>(sql`
    select object_id from cases
    where account_id = ${houseId} and kind = 'reconciliation_difference' and status = 'open'
      and institution_id = ${institutionId} and evidence -> 'data' ->> 'day' = ${day}`);
  const known = await findDecided(ctx, houseId, all);
  const open = all.filter(({ objectId, evidence: { data } }) => !known.has(objectId + figuresOf(data)));
  const found = new Set(open.map(({ objectId }) => objectId));
  const gone = report.incomplete === null && unbooked.length <= MOST;
  const close = rows
    .filter(({ object_id }) => gone && !found.has(object_id))
    .map(({ object_id: objectId }) => ({ accountId: houseId, kind: "reconciliation_difference" as const, objectId }));
  if (open.length + close.length === 0) return;
  const ids = { now: ctx.clock.date(), newId: () => ctx.ids.uuid() };
  await ctx.db.transaction((tx) => writeCases(tx, { open, close }, ids));
}

/** What a difference is about: an operator who has acknowledged it has acknowledged these figures. */
const figuresOf = (data: object): string => {
  const { state, theirs, ours } = data as Record<string, unknown>;
  return ` ${state} ${theirs} ${ours}`;
};

/** The differences that operators have decided about, with their figures: their cases do not open again. */
async function findDecided(
  { db }: Pick<Context, "db">,
  houseId: string,
  facts: readonly { readonly objectId: string }[],
): Promise<ReadonlySet<string>> {
  const { rows } = await db.query<{ object_id: string; data: object }>(sql`
    select object_id, evidence -> 'data' as data from cases
    where account_id = ${houseId} and kind = 'reconciliation_difference' and status = 'closed' and closed_because = 'decided'
      and object_id = any(${texts(facts.map(({ objectId }) => objectId))}::text[])`);
  return new Set(rows.map(({ object_id, data }) => object_id + figuresOf(data)));
}

type Missing = Pick<TheirEntry, "kind" | "key" | "parent" | "amount"> & { readonly alias: string | null; at: string };

/**
 * Closes the cases of what the institution had and our books had not, as soon as it is booked with the same amount: a payout
 * or a tariff that was queried because of the finding. Nothing waits for the next comparison of the day. A loop's batch.
 */
export async function closeBooked(ctx: Pick<Context, "db" | "ids" | "clock">, houseId: string): Promise<boolean> {
  const kind = "reconciliation_difference" as const;
  const { rows } = await ctx.db.query<{ object_id: string; data: Missing & { kind: EntryKind } }>(sql`
    select object_id, evidence -> 'data' as data from cases
    where account_id = ${houseId} and kind = ${kind} and status = 'open'
      and evidence -> 'data' ->> 'state' = 'missing_here' and evidence -> 'data' ? 'parent'
    order by case_id limit ${SEARCHED}`);
  if (rows.length === 0) return false;
  const theirs = rows.map(({ data }) => ({ ...data, at: new Date(data.at), accountNumber: numberOf(data.parent) }));
  const { differences } = compare(theirs, await findOurs(ctx.db, theirs));
  const open = new Set(differences.flatMap((one) => ("theirs" in one ? [`${one.theirs.kind} ${one.theirs.key}`] : [])));
  const close = rows
    .filter(({ data }) => !open.has(`${data.kind} ${data.key}`))
    .map(({ object_id: objectId }) => ({ accountId: houseId, kind, objectId }));
  const ids = { now: ctx.clock.date(), newId: () => ctx.ids.uuid() };
  if (close.length > 0) await ctx.db.transaction((tx) => writeCases(tx, { close }, ids));
  return false;
}
