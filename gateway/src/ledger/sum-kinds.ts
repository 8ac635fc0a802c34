import { bigints, ints } from "../db/arrays.ts";
import type { Queries } from "../db/pool.ts";
import { prepared, sql } from "../db/sql.ts";
import type { TransferKind } from "./chart.ts";

/** Totals of a ledger account's lines of one kind. Centavos; `newest` is a line's number. */
export type KindSum = { readonly lines: number; readonly came: number; readonly went: number; readonly newest: number };
export type Sums = ReadonlyMap<TransferKind, KindSum>;

/**
 * Lines between two stored sums (keep-sums.ts), so a read adds up at most this many at each end. A day has 25 such ends:
 * some 3,000 lines.
 */
export const STEP = 250;
/** Lines that one statement adds up, 15 ms. */
const AT_ONCE = 20_000;

/** Lines of a ledger account from number `from` to before `below`. All of them are committed. */
type Range = { readonly no: number; readonly from: number; readonly below: number };
/** Lines of a ledger account after one number, up to and including another. */
type Piece = { readonly no: number; readonly after: number; readonly upto: number };
/** The stored sums of a ledger account: of all lines up to `through`. */
type StoredSums = { readonly through: number; readonly sums: Sums };

/**
 * Adds up lines of ledger accounts by kind, however many: the stored sums up to the end minus those up to the beginning,
 * each with the lines after the stored sum. Lines without stored sums are added up 20,000 at a time.
 */
export async function sumKinds(
  queries: Queries,
  accountId: string,
  ranges: readonly Range[],
  step = STEP,
): Promise<Sums[]> {
  const wide = ranges.filter(({ from, below }) => below - from > step);
  const ends = wide.flatMap(({ no, from, below }) => [
    { no, upto: from - 1 },
    { no, upto: below - 1 },
  ]);
  const stored = await readStoredSums(queries, accountId, [...new Map(ends.map((end) => [nameOf(end), end])).values()]);
  const upTo = (no: number, upto: number) => {
    const { through, sums } = stored.get(nameOf({ no, upto })) ?? NO_STORED_SUMS;
    return { sums, after: { no, after: through, upto } };
  };
  const plans = ranges.map(({ no, from, below }) => {
    const [start, end] = [upTo(no, from - 1), upTo(no, below - 1)];
    // Without a stored sum inside the range, `end` would read lines from before the range too.
    return end.after.after < from ? { all: { no, after: from - 1, upto: below - 1 } } : { start, end };
  });
  const pieces = plans.flatMap((plan) => ("all" in plan ? [plan.all] : [plan.start.after, plan.end.after]));
  const added = await addUp(queries, accountId, [...new Map(pieces.map((piece) => [pieceOf(piece), piece])).values()]);
  const addedTo = (piece: Piece): Sums => added.get(pieceOf(piece)) ?? EMPTY;
  return plans.map((plan) => {
    if ("all" in plan) return addedTo(plan.all);
    const [start, end] = [plan.start, plan.end].map(({ sums, after }) => joinSums([sums, addedTo(after)]));
    return lessSums(end!, start!);
  });
}

const EMPTY: Sums = new Map();
const NO_STORED_SUMS: StoredSums = { through: 0, sums: EMPTY };
const nameOf = ({ no, upto }: { readonly no: number; readonly upto: number }): string => `${no} ${upto}`;
const pieceOf = ({ no, after, upto }: Piece): string => `${no} ${after} ${upto}`;

type KindRow = KindSum & { readonly kind: TransferKind };
const sumsOf = (rows: readonly KindRow[]): Sums =>
  new Map(rows.map(({ kind, lines, came, went, newest }) => [kind, { lines, came, went, newest }]));

/** The last stored sums at or before each point, by the point's name. */
export async function readStoredSums(
  queries: Queries,
  accountId: string,
  points: readonly { readonly no: number; readonly upto: number }[],
): Promise<ReadonlyMap<string, StoredSums>> {
  if (points.length === 0) return new Map();
  const { rows } = await queries.query<KindRow & { no: number; upto: number; through: number }>(
    prepared(sql`
    select p.no, p.upto, s.through_seq as through, s.kind, s.lines, s.came, s.went, s.newest_seq as newest
    from unnest(${ints(points.map(({ no }) => no))}::int[], ${bigints(points.map(({ upto }) => upto))}::bigint[]) as p (no, upto)
    cross join lateral (
      select max(x.through_seq) as through_seq from line_sums x
      where x.account_id = ${accountId} and x.no = p.no and x.through_seq <= p.upto) m
    join line_sums s on s.account_id = ${accountId} and s.no = p.no and s.through_seq = m.through_seq`),
  );
  const byPoint = Map.groupBy(rows, nameOf);
  return new Map([...byPoint].map(([name, all]) => [name, { through: all[0]!.through, sums: sumsOf(all) }]));
}

/** The sums of pieces, by their names. */
async function addUp(
  queries: Queries,
  accountId: string,
  pieces: readonly Piece[],
): Promise<ReadonlyMap<string, Sums>> {
  const parts = pieces.flatMap((piece, n) => cut(piece).map((part) => ({ ...part, n })));
  const sums = new Map<string, Sums>();
  let batch: (Piece & { readonly n: number })[] = [];
  let lines = 0;
  const read = async () => {
    const sumsByPiece = await sumParts(queries, accountId, batch);
    for (const [n, pieceSums] of sumsByPiece) {
      const name = pieceOf(pieces[n]!);
      sums.set(name, joinSums([sums.get(name) ?? EMPTY, pieceSums]));
    }
    [batch, lines] = [[], 0];
  };
  for (const part of parts) {
    if (batch.length > 0 && lines + part.upto - part.after > AT_ONCE) await read();
    batch.push(part);
    lines += part.upto - part.after;
  }
  if (batch.length > 0) await read();
  return sums;
}

/** A piece in parts that one statement adds up. */
function cut({ no, after, upto }: Piece): Piece[] {
  const parts: Piece[] = [];
  for (let from = after; from < upto; from += AT_ONCE)
    parts.push({ no, after: from, upto: Math.min(upto, from + AT_ONCE) });
  return parts;
}

async function sumParts(
  queries: Queries,
  accountId: string,
  parts: readonly (Piece & { readonly n: number })[],
): Promise<ReadonlyMap<number, Sums>> {
  const { rows } = await queries.query<KindRow & { n: number }>(
    prepared(sql`
    select p.n, l.* from unnest(${ints(parts.map(({ n }) => n))}::int[], ${ints(parts.map(({ no }) => no))}::int[],
      ${bigints(parts.map(({ after }) => after))}::bigint[], ${bigints(parts.map(({ upto }) => upto))}::bigint[]) as p (n, no, after, upto)
    cross join lateral (
      select x.kind, count(*) as lines, coalesce(sum(x.amount) filter (where x.amount > 0), 0)::bigint as came,
        coalesce(-sum(x.amount) filter (where x.amount < 0), 0)::bigint as went, max(x.seq) as newest
      from ledger_lines x
      where x.account_id = ${accountId} and x.no = p.no and x.seq > p.after and x.seq <= p.upto
      group by x.kind) l`),
  );
  return new Map([...Map.groupBy(rows, ({ n }) => n)].map(([n, all]) => [n, sumsOf(all)]));
}

/** Adds up sums of several lists of lines, the oldest list first. */
export function joinSums(all: readonly Sums[]): Sums {
  const sums = new Map<TransferKind, KindSum>();
  for (const listSums of all) {
    for (const [kind, { lines, came, went, newest }] of listSums) {
      const before = sums.get(kind) ?? { lines: 0, came: 0, went: 0 };
      sums.set(kind, { lines: before.lines + lines, came: before.came + came, went: before.went + went, newest });
    }
  }
  return sums;
}

/** Subtracts the sums up to a beginning from those up to an end. */
function lessSums(end: Sums, beginning: Sums): Sums {
  const sums = new Map<TransferKind, KindSum>();
  for (const [kind, { lines, came, went, newest }] of end) {
    const before = beginning.get(kind) ?? { lines: 0, came: 0, went: 0 };
    if (lines > before.lines)
      sums.set(kind, { lines: lines - before.lines, came: came - before.came, went: went - before.went, newest });
  }
  return sums;
}
