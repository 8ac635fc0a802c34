import type { Tx } from "../db/pool.ts";
import { around, type Sql, sql } from "../db/sql.ts";
import { INVARIANTS } from "./invariants/invariants.ts";
import { cutSlice, SLICE, takeWhole, WHOLE_OF_TENANTS } from "./slice.ts";
import { type Violation, type ViolationRow, violationOf } from "./violation.ts";

/** The result of a check of fresh lines. */
export type Checked = {
  readonly lines: number;
  readonly violations: readonly Violation[];
  /** For each ledger account, the first line that is checked now and the last. */
  readonly points: readonly { accountId: string; no: number; from: number; seq: number; balance: number }[];
  /** There are more lines than fit into one check. */
  readonly more: boolean;
};

/** Invariants that are not read from the slice: checked by `OF_LINES` below, or for a tenant as a whole. */
const CHECKED_BELOW = new Set(["L1", "L2", "L3", "L4"]);
const OF_TENANTS = new Set(["R2", "U2"]);

/** Lines of ledger accounts beyond their points, as many as one check takes. */
const MOVED = (limit: number): string => `
  select account_id, no, kind, balance, seq, past_seq, past_balance,
    -- The last ledger account that fits is checked in part.
    least(seq, past_seq + greatest(0, ${limit} - before))::bigint as upto
  from (
    select m.*, sum(abs(seq - past_seq)) over (order by account_id, no) - abs(seq - past_seq) as before from (
      select coalesce(l.account_id, p.account_id) as account_id, coalesce(l.no, p.no) as no, coalesce(l.kind, 'none') as kind,
        coalesce(l.balance, 0) as balance, coalesce(l.seq, 0) as seq, coalesce(p.seq, 0) as past_seq,
        coalesce(p.balance, 0) as past_balance
      from ledger_accounts l full join audit_points p on p.account_id = l.account_id and p.no = l.no
      where (l.seq, l.balance) is distinct from (p.seq, p.balance) and (l.no is not null or p.seq <> 0 or p.balance <> 0)
    ) m
  ) b where before < ${limit}`;

const side = (no: string, seq: string, sign: string, balance: string): string => `
  select f.account_id, f.no, t.${seq} as seq, ${sign}t.amount as amount, t.${balance} as after, t.kind, t.source_id, t.leg
  from fresh_ledger f join ledger_transfers t on t.account_id = f.account_id and t.${no} = f.no and t.${seq} > f.past_seq
    and (t.${seq} <= f.upto or f.upto = f.seq)`;

/**
 * Rows as new as the lines. They may lack lines of their own, so they are found by their ids, which begin with their
 * time.
 */
const newRows = (since: string): string =>
  [
    ["charges", "charge_id", "charge_id", ""],
    ["withdrawals", "withdrawal_id", "withdrawal_id", ""],
    ["refunds", "refund_id", "refund_id", ""],
    ["balance_blocks", "block_id", "block_id", ""],
    ["pix_returns", "return_id", "return_id", ""],
    ["treasury_entries", "entry_id", "entry_id", ""],
    ["bank_tariffs", "source_id", "source_id", ""],
    ["received_pix", "pix_id", "pix_id", "and t.outcome in ('unmatched', 'assigned', 'treasury')"],
    ["received_pix", "pix_id", "pix_id", "and t.outcome in ('blocked', 'second_payment')"],
  ]
    .map(
      ([name, key, id, more]) =>
        `select t.account_id, t.${id} as id from accounts a join ${name} t on t.account_id = a.account_id and t.${key} >= '${since}' ${more}`,
    )
    .concat(
      // Their key begins with the wallet.
      `select t.account_id, t.cause_id from wallets w
        join movements t on t.account_id = w.account_id and t.wallet_id = w.wallet_id and t.movement_id >= '${since}'`,
    )
    .join(" union ");

const make = (name: string, query: string): string => `create temporary table ${name} on commit drop as ${query}`;

/** The rules of the lines, from the last point on, like L1 to L4 of verify and with the same places. */
const OF_LINES: readonly (readonly [name: string, query: Sql])[] = [
  [
    "L1",
    sql`select l.account_id, json_build_array('books', l.account_id, 'sum', sum(l.balance)) as found
      from fresh_tenants f join ledger_accounts l on l.account_id = f.account_id group by l.account_id having sum(l.balance) <> 0`,
  ],
  [
    "L2",
    sql`select f.account_id, json_build_array('ledgerAccount', f.no, 'ledger', f.kind, 'balance', f.balance,
      'lines', f.past_balance + coalesce(s.total, 0)) as found
      from fresh_ledger f
      left join (select account_id, no, sum(amount) as total from fresh_lines group by account_id, no) s
        on s.account_id = f.account_id and s.no = f.no
      where f.upto = f.seq and f.balance <> f.past_balance + coalesce(s.total, 0)`,
  ],
  [
    "L3",
    sql`select f.account_id, json_build_array('ledgerAccount', f.no, 'lastNumber', f.seq,
      'lastChecked', f.past_seq, 'lineCount', coalesce(s.lines, 0), 'distinct', coalesce(s.different, 0),
      'lastLine', coalesce(s.last, f.past_seq)) as found
      from fresh_ledger f
      left join (
        select account_id, no, count(*) as lines, count(distinct seq) as different, max(seq) as last from fresh_lines group by account_id, no
      ) s on s.account_id = f.account_id and s.no = f.no
      where f.seq < f.past_seq or coalesce(s.lines, 0) <> f.upto - f.past_seq or coalesce(s.lines, 0) <> coalesce(s.different, 0)
        or coalesce(s.last, f.past_seq) <> f.upto`,
  ],
  [
    "L4",
    sql`select account_id, json_build_array('ledgerAccount', no, 'line', seq) as found from (
        select l.*, l.amount
            + coalesce(lag(l.after) over (partition by l.account_id, l.no order by l.seq), f.past_balance) as due
        from fresh_lines l join fresh_ledger f on f.account_id = l.account_id and f.no = l.no
      ) l where after <> due`,
  ],
];

type Fresh = {
  /** Most lines of one go. */
  readonly limit: number;
  /** Smallest id of rows that count as new; null: only rows with lines. */
  readonly since: string | null;
  /** False: leaves out the rules across accounts, because `tx` sees only one shard of them. */
  readonly across?: boolean;
};

/**
 * Checks what was booked since the last points: the new lines one after the other, and every rule about the charges, Pix
 * and withdrawals to which they belong. Reads only what is new and what belongs to it, on the transaction's snapshot.
 */
export async function checkFresh(tx: Tx, { limit, since, across = true }: Fresh): Promise<Checked> {
  const run = (text: string) => tx.query({ text, values: [] });
  await run("select set_config('jit', 'off', true), set_config('work_mem', '32MB', true)");
  await run(make("fresh_ledger", MOVED(limit)));
  await run("analyze fresh_ledger");
  await run(
    make(
      "fresh_lines",
      `${side("from_no", "from_seq", "-", "from_balance")} union all ${side("to_no", "to_seq", "", "to_balance")}`,
    ),
  );
  await run(
    make(
      "fresh_ids",
      `select account_id, source_id as id from fresh_lines ${since === null ? "" : `union ${newRows(since)}`}`,
    ),
  );
  await run(
    make(
      "fresh_tenants",
      `select account_id from fresh_ledger union select account_id from fresh_ids
      union select a.to_account_id from fresh_ids f join pix_assignments a on a.account_id = f.account_id and a.pix_id = f.id`,
    ),
  );
  await run("analyze fresh_lines");
  await run(
    make(
      "fresh_transfers",
      `select t.* from (select distinct account_id, kind, source_id, leg from fresh_lines) f
      join ledger_transfers t on t.account_id = f.account_id and t.kind = f.kind and t.source_id = f.source_id and t.leg = f.leg`,
    ),
  );
  const violations: Violation[] = [];
  const ask = async (name: string, statement: Sql) => {
    const { rows } = await tx.query<ViolationRow>(around("", statement, " limit 100"));
    for (const row of rows) violations.push(violationOf(name, row));
  };
  const { rows: counted } = await tx.query<{ lines: number; ids: number; waiting: number }>(sql`
    select (select count(*) from fresh_lines) as lines, (select count(*) from fresh_ids) as ids,
      (select coalesce(sum(seq - upto), 0) from fresh_ledger)::bigint as waiting`);
  const { lines, ids, waiting } = counted[0]!;
  for (const [name, query] of OF_LINES) await ask(name, query);
  if (ids > 0 || since !== null) {
    await cutSlice(tx, since);
    for (const { name, query, fresh, ...rule } of INVARIANTS) {
      if (rule.across && !across) continue;
      if (!CHECKED_BELOW.has(name) && !OF_TENANTS.has(name)) await ask(name, fresh ?? query(SLICE));
    }
    await run(
      make("aside_tenants", "select distinct account_id from fresh_ledger where kind in ('returns', 'suspense')"),
    );
    const { rowCount } = await run("select from aside_tenants limit 1");
    if (rowCount > 0) {
      await takeWhole(tx);
      for (const { name, query } of INVARIANTS) if (OF_TENANTS.has(name)) await ask(name, query(WHOLE_OF_TENANTS));
    }
  }
  const points = await tx.query<Checked["points"][number]>(sql`
    select f.account_id as "accountId", f.no, f.past_seq as "from", f.upto as seq, case when f.upto = f.seq then f.balance else (
      select l.after from fresh_lines l where l.account_id = f.account_id and l.no = f.no order by l.seq desc limit 1) end as balance
    from fresh_ledger f`);
  return { lines, violations, points: points.rows, more: waiting > 0 || lines >= limit };
}
