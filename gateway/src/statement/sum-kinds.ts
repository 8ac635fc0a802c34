import type { Queries } from "../db/pool.ts";
import { prepared, sql } from "../db/sql.ts";
import type { TransferKind } from "../ledger/chart.ts";

/** What the lines of one kind of a ledger account come to, up to a line. Centavos; `newest` is a line's number. */
export type KindSum = { readonly lines: number; readonly came: number; readonly went: number; readonly newest: number };
type Sums = ReadonlyMap<TransferKind, KindSum>;

/** Lines that one statement adds up, 15 ms; and sums that a process keeps, 1 KB each: of 200 million lines. */
const STEP = 20_000;
const KEPT = 10_000;

/** Which lines of a ledger account: from one number to before another, up to which all lines are committed and visible. */
type Lines = {
  readonly accountId: string;
  /** Of the ledger account. */
  readonly no: number;
  readonly from: number;
  readonly below: number;
};

/** Sums of whole pieces of `STEP` lines, by queries and piece. What is being added up is added up once for all who wait for it. */
const keptBy = new WeakMap<Queries, Map<string, Promise<Sums>>>();

/**
 * Adds up lines of a ledger account by kind. A line never changes, and numbers have no gaps, so the sums of each 20,000 lines are
 * kept: a call reads the lines before the first whole piece and after the last, fewer than 40,000. Only the first one reads the pieces,
 * one after the other.
 */
export async function sumKinds(queries: Queries, { accountId, no, from, below }: Lines, step = STEP): Promise<Sums> {
  const between = (after: number, to: number) => sumBetween(queries, accountId, no, after, to);
  const [first, last] = [Math.ceil((from - 1) / step), Math.floor((below - 1) / step)];
  if (first >= last) return from < below ? between(from - 1, below - 1) : new Map();
  const sums: Sums[] = [];
  for (let piece = first; piece < last; piece += 1) {
    const name = `${accountId} ${no} ${step} ${piece}`;
    sums.push(await keep(queries, name, () => between(piece * step, (piece + 1) * step)));
  }
  if (from - 1 < first * step) sums.unshift(await between(from - 1, first * step));
  if (last * step < below - 1) sums.push(await between(last * step, below - 1));
  return joinSums(sums);
}

/** The same of lines between two times that are over: no call reads them again, however many they are. */
export const sumPast = (queries: Queries, lines: Lines): Promise<Sums> =>
  keep(queries, `${lines.accountId} ${lines.no} from ${lines.from} below ${lines.below}`, () =>
    sumKinds(queries, lines),
  );

/** What `add` gives, once; what was used longest ago goes where there is too much. */
function keep(queries: Queries, name: string, add: () => Promise<Sums>): Promise<Sums> {
  const kept = keptBy.get(queries) ?? new Map<string, Promise<Sums>>();
  keptBy.set(queries, kept);
  const sums =
    kept.get(name) ??
    add().catch((error: unknown) => {
      kept.delete(name);
      throw error;
    });
  kept.delete(name);
  kept.set(name, sums);
  for (const oldest of kept.keys()) {
    if (kept.size <= KEPT) break;
    kept.delete(oldest);
  }
  return sums;
}

/** Sums of several lists of lines. */
export function joinSums(all: readonly Sums[]): Sums {
  const sums = new Map<TransferKind, KindSum>();
  for (const one of all) {
    for (const [kind, { lines, came, went, newest }] of one) {
      const before = sums.get(kind) ?? { lines: 0, came: 0, went: 0 };
      sums.set(kind, { lines: before.lines + lines, came: before.came + came, went: before.went + went, newest });
    }
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
