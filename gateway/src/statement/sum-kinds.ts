import type { Queries } from "../db/pool.ts";
import { prepared, sql } from "../db/sql.ts";
import type { TransferKind } from "../ledger/chart.ts";

/** What the lines of one kind of a ledger account come to, up to a line. Centavos; `newest` is a line's number. */
export type KindSum = { readonly lines: number; readonly came: number; readonly went: number; readonly newest: number };
type Sums = ReadonlyMap<TransferKind, KindSum>;

/** Lines that one statement adds up, 15 ms; and sums that a process keeps, 1 KB each: of 200 million lines. */
const STEP = 20_000;
const KEPT = 10_000;

/** Sums of a ledger account after each `STEP` lines. What is being added up is added up once for all who wait for it. */
type Kept = { readonly sums: Sums[]; adding: Promise<unknown> };
const keptBy = new WeakMap<Queries, Map<string, Kept>>();

/**
 * Adds up the lines of a ledger account below a number, by kind. A line never changes, and numbers have no gaps, so the sums up to
 * every 20,000th line are kept: a call reads the lines after the last of those. Only the first one reads them all, piece by piece.
 *
 * @param below a number up to which all lines are committed and visible.
 */
export async function sumKinds(
  queries: Queries,
  accountId: string,
  no: number,
  below: number,
  step = STEP,
): Promise<Sums> {
  const kept = keptOf(queries, `${accountId} ${no} ${step}`);
  const whole = Math.floor((below - 1) / step);
  while (kept.sums.length < whole) {
    const at = kept.sums.length;
    const before = kept.adding;
    await before.catch(() => {});
    // Others who waited for the same have begun the next piece.
    if (kept.adding !== before || kept.sums.length !== at) continue;
    kept.adding = add(queries, accountId, no, at, kept, step);
    await kept.adding;
  }
  const base = whole === 0 ? new Map() : kept.sums[whole - 1]!;
  return joined(base, await sumBetween(queries, accountId, no, whole * step, below - 1));
}

async function add(
  queries: Queries,
  accountId: string,
  no: number,
  at: number,
  kept: Kept,
  step: number,
): Promise<void> {
  const sums = await sumBetween(queries, accountId, no, at * step, (at + 1) * step);
  kept.sums[at] = joined(kept.sums[at - 1] ?? new Map(), sums);
}

/** What is kept of a ledger account; what was used longest ago goes where there is too much. */
function keptOf(queries: Queries, key: string): Kept {
  const all = keptBy.get(queries) ?? new Map<string, Kept>();
  keptBy.set(queries, all);
  const kept = all.get(key) ?? { sums: [], adding: Promise.resolve() };
  all.delete(key);
  let count = 0;
  for (const one of all.values()) count += 1 + one.sums.length;
  for (const [oldest, one] of all) {
    if (count <= KEPT) break;
    all.delete(oldest);
    count -= 1 + one.sums.length;
  }
  all.set(key, kept);
  return kept;
}

function joined(a: Sums, b: Sums): Sums {
  const sums = new Map(a);
  for (const [kind, { lines, came, went, newest }] of b) {
    const before = a.get(kind) ?? { lines: 0, came: 0, went: 0 };
    sums.set(kind, { lines: before.lines + lines, came: before.came + came, went: before.went + went, newest });
  }
  return sums;
}

/** The lines from after one number to another, with it. */
async function sumBetween(queries: Queries, accountId: string, no: number, after: number, to: number): Promise<Sums> {
  const { rows } = await queries.query<KindSum & { kind: TransferKind }>(
    prepared(sql`
    select l.kind, count(*) as lines, coalesce(sum(l.amount) filter (where l.amount > 0), 0)::bigint as came,
      coalesce(-sum(l.amount) filter (where l.amount < 0), 0)::bigint as went, max(l.seq) as newest
    from ledger_lines l
    where l.account_id = ${accountId} and l.no = ${no} and l.seq > ${after} and l.seq <= ${to}
    group by l.kind`),
  );
  return new Map(rows.map(({ kind, ...sum }) => [kind, sum]));
}
