import { UNCONFIRMED } from "../booking/report-many.ts";
import { CONTRADICTING, pixObject } from "../booking/report-unread.ts";
import { writeCases } from "../cases/write.ts";
import type { Context } from "../context.ts";
import { texts } from "../db/arrays.ts";
import type { Tx } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { compare, type EntryKind, nameOf } from "./compare.ts";
import { findOurs } from "./ours.ts";
import type { Compared } from "./reconcile.ts";
import { UNASKED } from "./stopped.ts";
import { numberOf, type TheirEntry } from "./theirs.ts";

/** Most cases of one institution and day; a report lists more. */
export const DAY_CASES = 100;
/** Most open cases for which a pass searches our books. */
const SEARCHED = 1_000;

/** The `object_id` of a case about a finding. */
export const findingObject = (institutionId: string, entry: Parameters<typeof nameOf>[0]): string =>
  `${institutionId} ${nameOf(entry)}`;

/**
 * Opens a case for each difference of a day that was not booked, and one while entries were not queried. Closes the day's
 * cases whose difference is gone. A comparison with an incomplete list may not have seen everything: then no case is
 * closed, and never a case about an entry that was not queried.
 */
export async function writeFindings(
  tx: Tx,
  ctx: Pick<Context, "ids" | "clock">,
  houseId: string,
  compared: Compared,
  day: string,
): Promise<void> {
  const { report, isWhole, unasked } = compared;
  const { institutionId } = report;
  const unbooked = report.findings.filter(({ booked }) => !booked);
  const differences = unbooked
    .slice(0, DAY_CASES)
    .map(({ kind, state, key, parent, alias, theirs, ours, at, cause }) => ({
      ...{ accountId: houseId, kind: "reconciliation_difference" as const, institutionId, deadline: null },
      objectId: findingObject(institutionId, { kind, key, parent }),
      amount: theirs ?? ours,
      evidence: {
        says: cause,
        source: "institution" as const,
        data: { day, kind, state, key, parent, alias, amount: theirs ?? ours, theirs, ours, at: at.toISOString() },
      },
    }));
  const all = [
    ...(await withoutContradicted(tx, houseId, differences)),
    ...(unasked.count === 0 ? [] : [unqueriedCase(houseId, institutionId, day, unasked.count)]),
  ];
  const { rows } = await tx.query<{ object_id: string; data: { kind: EntryKind; key?: string; parent: string } }>(sql`
    select object_id, evidence -> 'data' as data from cases
    where account_id = ${houseId} and kind = 'reconciliation_difference' and status = 'open'
      and institution_id = ${institutionId} and evidence -> 'data' ->> 'day' = ${day}
      -- The case of an unreadable return closes when the return can be read (booking/report-unread.ts).
      and (evidence -> 'data' ->> 'state', evidence -> 'data' ->> 'kind') is distinct from ('unreadable', 'returned')
      and coalesce(evidence -> 'data' ->> 'state', '') not in (${CONTRADICTING}, 'uncompared')`);
  const decided = await findDecided(tx, houseId, all);
  const open = all.filter(({ objectId, evidence: { data } }) => !decided.has(objectId + figuresOf(data)));
  const stillOpen = new Set(open.map(({ objectId }) => objectId));
  const gone = isWhole && unbooked.length <= DAY_CASES;
  const close = rows
    .filter(
      ({ object_id, data: { kind, key, parent } }) =>
        gone && !stillOpen.has(object_id) && !(key && unasked.has({ kind, key, parent })),
    )
    .map(({ object_id: objectId }) => ({ accountId: houseId, kind: "reconciliation_difference" as const, objectId }));
  const ids = { now: ctx.clock.date(), newId: () => ctx.ids.uuid() };
  await writeCases(tx, { open, close: [...close, uncompared(houseId, institutionId, day)] }, ids);
}

/**
 * The case of a day whose comparison failed here, whatever the institution answered. Any later comparison of the day closes
 * it.
 */
export const uncompared = (houseId: string, institutionId: string, day: string) => ({
  ...{ accountId: houseId, kind: "reconciliation_difference" as const, institutionId, deadline: null, amount: null },
  objectId: `${institutionId} uncompared ${day}`,
  evidence: {
    says: "The day could not be compared with the institution's lists: the gateway failed at it, and tries again each hour. The log says why.",
    source: "gateway" as const,
    data: { day, kind: "entries", state: "uncompared" },
  },
});

type Difference = { readonly institutionId: string; readonly evidence: { readonly data: { readonly parent: string } } };

/** Leaves out differences of Pix that contradict the books, because the contradiction has a case already. */
async function withoutContradicted<D extends Difference>(tx: Tx, houseId: string, all: readonly D[]): Promise<D[]> {
  const objectsOf = ({ institutionId, evidence: { data } }: Difference): string[] =>
    (["received", "returned"] as const).map((kind) => pixObject(institutionId, kind, data.parent));
  const { rows } = await tx.query<{ object_id: string }>(sql`
    select object_id from cases
    where account_id = ${houseId} and kind = 'reconciliation_difference' and (status = 'open' or closed_because = 'decided')
      and object_id = any(${texts(all.flatMap(objectsOf))}::text[]) and evidence -> 'data' ->> 'state' = ${CONTRADICTING}`);
  const contradicted = new Set(rows.map((row) => row.object_id));
  return all.filter((difference) => !objectsOf(difference).some((object) => contradicted.has(object)));
}

/** The case of a day with entries that were not queried: the institution may not have what we booked. */
const unqueriedCase = (houseId: string, institutionId: string, day: string, count: number) => ({
  ...{ accountId: houseId, kind: "reconciliation_difference" as const, institutionId, deadline: null, amount: null },
  objectId: `${institutionId} unasked ${day}`,
  evidence: {
    says: `${count} ${UNASKED}`,
    source: "institution" as const,
    data: { day, kind: "entries", state: "unasked", count },
  },
});

/** The figures of a difference. An operator who acknowledged it has acknowledged exactly these. */
const figuresOf = (data: object): string => {
  const { state, theirs, ours } = data as Record<string, unknown>;
  return ` ${state} ${theirs} ${ours}`;
};

/** The differences that operators have decided, with their figures: they open no new case. */
async function findDecided(
  tx: Tx,
  houseId: string,
  facts: readonly { readonly objectId: string }[],
): Promise<ReadonlySet<string>> {
  const { rows } = await tx.query<{ object_id: string; data: object }>(sql`
    select object_id, evidence -> 'data' as data from cases
    where account_id = ${houseId} and kind = 'reconciliation_difference' and status = 'closed' and closed_because = 'decided'
      and object_id = any(${texts(facts.map(({ objectId }) => objectId))}::text[])`);
  return new Set(rows.map(({ object_id, data }) => object_id + figuresOf(data)));
}

type Missing = Pick<TheirEntry, "kind" | "key" | "parent" | "amount"> & { readonly alias: string | null; at: string };

/**
 * Closes the cases of entries that only the institution or its notification had, as soon as they are booked with the same
 * amount, such as a payout or a tariff that was queried because of the finding. This does not wait for the next comparison
 * of the day. A loop's batch.
 */
export async function closeBooked(ctx: Pick<Context, "db" | "ids" | "clock">, houseId: string): Promise<boolean> {
  const kind = "reconciliation_difference" as const;
  const { rows } = await ctx.db.query<{ object_id: string; institution_id: string; data: Missing }>(sql`
    select object_id, institution_id, evidence -> 'data' as data from cases
    where account_id = ${houseId} and kind = ${kind} and status = 'open'
      and evidence -> 'data' ->> 'state' in ('missing_here', ${UNCONFIRMED}) and evidence -> 'data' ? 'parent'
    order by case_id limit ${SEARCHED}`);
  if (rows.length === 0) return false;
  const open = new Set<string>();
  for (const [institutionId, missing] of Map.groupBy(rows, (row) => row.institution_id)) {
    const theirs = missing.map(({ data }) => ({
      ...data,
      at: new Date(data.at),
      accountNumber: numberOf(data.parent),
    }));
    const { differences } = compare(theirs, await findOurs(ctx.db, institutionId, theirs));
    for (const difference of differences)
      if ("theirs" in difference) open.add(findingObject(institutionId, difference.theirs));
  }
  const close = rows
    .filter(({ object_id }) => !open.has(object_id))
    .map(({ object_id: objectId }) => ({ accountId: houseId, kind, objectId }));
  const ids = { now: ctx.clock.date(), newId: () => ctx.ids.uuid() };
  if (close.length > 0) await ctx.db.transaction((tx) => writeCases(tx, { close }, ids));
  return false;
}
