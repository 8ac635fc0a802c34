import { bigint, int, relation, text, uuid } from "../db/columns.ts";
import type { Queries } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import type { TransferKind } from "./chart.ts";
import { joinSums, type KindSum, readStoredSums, STEP, type Sums } from "./sum-kinds.ts";

/** Sums that one statement computes: 20,000 lines, 15 ms. */
const AT_ONCE = 80;
const ROW = {
  accountId: uuid,
  no: int,
  through: bigint,
  kind: text,
  lines: bigint,
  came: bigint,
  went: bigint,
  newest: bigint,
};

/** New lines of a ledger account: those after number `from`, up to number `seq`. */
type Added = { readonly accountId: string; readonly no: number; readonly from: number; readonly seq: number };

/**
 * Stores the sums of wallets' lines, one at each 250th line of a ledger account. The explanation of a balance and the
 * totals of a day or month start from them instead of reading every line. Repeating it changes nothing.
 */
export async function keepSums(queries: Queries, points: readonly Added[], step = STEP): Promise<void> {
  for (const { accountId, no, from, seq } of points) {
    if (Math.floor(seq / step) <= Math.floor(from / step)) continue;
    const { rowCount } = await queries.query(sql`
      select from ledger_accounts
      where account_id = ${accountId} and no = ${no} and kind in ('available', 'held', 'promotional')`);
    if (rowCount > 0) await storeSumsUpTo(queries, accountId, no, seq, step);
  }
}

async function storeSumsUpTo(
  queries: Queries,
  accountId: string,
  no: number,
  seq: number,
  step: number,
): Promise<void> {
  const kept = (await readStoredSums(queries, accountId, [{ no, upto: seq }])).values().next().value;
  let [through, sums]: [number, Sums] = [kept?.through ?? 0, kept?.sums ?? new Map()];
  const end = Math.floor(seq / step) * step;
  while (through < end) {
    const upto = Math.min(end, (Math.floor(through / step) + AT_ONCE) * step);
    const { rows } = await queries.query<KindSum & { through: number; kind: TransferKind }>(sql`
      select ((l.seq - 1) / ${step} + 1) * ${step} as through, l.kind, count(*) as lines,
        coalesce(sum(l.amount) filter (where l.amount > 0), 0)::bigint as came,
        coalesce(-sum(l.amount) filter (where l.amount < 0), 0)::bigint as went, max(l.seq) as newest
      from ledger_lines l
      where l.account_id = ${accountId} and l.no = ${no} and l.seq > ${through} and l.seq <= ${upto}
      group by 1, l.kind order by 1`);
    const kept = [...Map.groupBy(rows, (row) => row.through)].flatMap(([at, pieces]) => {
      sums = joinSums([sums, new Map(pieces.map((piece) => [piece.kind, piece]))]);
      return [...sums].map(([kind, sum]) => ({ accountId, no, through: at, kind, ...sum }));
    });
    await queries.query(sql`
      insert into line_sums (account_id, no, through_seq, kind, lines, came, went, newest_seq)
      select account_id, no, through, kind, lines, came, went, newest from ${relation("u", ROW, kept)}
      on conflict do nothing`);
    through = upto;
  }
}
