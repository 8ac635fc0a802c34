import { sql } from "../../db/sql.ts";
import type { Statement } from "../source.ts";
import type { Invariant } from "./invariant.ts";

/**
 * Finds an account whose lines are no chain, in one pass and without sorting. A line leads from (number before, balance
 * before) to (number, balance after). Where all lines together lead from (0, 0) to the account's own number and balance, the
 * two bags of points are equal, and since each line goes up by exactly one number they are one path: no gap, no repeat,
 * every balance right. Bags are compared by sums of 64-bit hashes, under a seed that nobody knows before the run.
 */
const CHAINS: Statement = (from) => sql`
  with seed as materialized (select hashtextextended(pg_current_snapshot()::text || pg_backend_pid() || random(), 0) as salt)
  select a.account_id
  from ${from("ledger_accounts")} a full join (
    select account_id, no, sum(hashint8extended(after, hashint8extended(seq, salt))) as ends,
      sum(hashint8extended(after - amount, hashint8extended(seq - 1, salt))) as begins
    from seed, (
      select account_id, from_no as no, from_seq as seq, -amount as amount, from_balance as after from ${from("ledger_transfers")}
      union all
      select account_id, to_no, to_seq, amount, to_balance from ${from("ledger_transfers")}
    ) l group by account_id, no
  ) s on s.account_id = a.account_id and s.no = a.no
  cross join seed
  where a.account_id is null
    or coalesce(s.ends, 0) + hashint8extended(0, hashint8extended(0, salt))
      <> coalesce(s.begins, 0) + hashint8extended(a.balance, hashint8extended(a.seq, salt))`;

/** Rules of the ledger by itself, whatever its transfers were for. */
export const LINE_INVARIANTS: readonly Invariant[] = [
  {
    name: "L1",
    rule: "the balances of a tenant sum to zero",
    query: (
      from,
    ) => sql`select account_id, json_build_array('books', account_id, 'sum', sum(balance)) as found from ${from("ledger_accounts")}
      group by account_id having sum(balance) <> 0`,
  },
  {
    name: "L2",
    rule: "a balance is the sum of its lines",
    unless: [CHAINS],
    query: (from) => sql`
      select a.account_id, json_build_array('ledgerAccount', a.no, 'ledger', a.kind, 'balance', a.balance,
        'lines', coalesce(s.total, 0)) as found
      from ${from("ledger_accounts")} a left join (
        select account_id, no, sum(amount) as total from ledger_lines group by account_id, no
      ) s on s.account_id = a.account_id and s.no = a.no
      where a.balance <> coalesce(s.total, 0)`,
  },
  {
    name: "L3",
    rule: "lines are numbered without gaps or repeats, up to the account's seq",
    unless: [CHAINS],
    query: (from) => sql`
      select coalesce(a.account_id, s.account_id) as account_id,
        json_build_array('ledgerAccount', coalesce(a.no, s.no), 'lastNumber', coalesce(a.seq, 0),
          'lineCount', coalesce(s.lines, 0), 'distinct', coalesce(s.different, 0), 'lastLine', coalesce(s.last, 0)) as found
      from ${from("ledger_accounts")} a full join (
        select account_id, no, count(*) as lines, count(distinct seq) as different, max(seq) as last, min(seq) as first
        from ledger_lines group by account_id, no
      ) s on s.account_id = a.account_id and s.no = a.no
      where a.account_id is null
        or a.seq <> coalesce(s.lines, 0) or coalesce(s.lines, 0) <> coalesce(s.different, 0)
        or coalesce(s.last, 0) <> a.seq or coalesce(s.first, 1) <> 1`,
  },
  {
    name: "L4",
    rule: "each line stores the balance after it",
    unless: [CHAINS],
    query: () => sql`
      select account_id, json_build_array('ledgerAccount', no, 'line', seq) as found from (
        select account_id, no, seq, balance_after, amount
            + coalesce(lag(balance_after) over (partition by account_id, no order by seq), 0) as due
        from ledger_lines
      ) l where balance_after <> due`,
  },
  {
    name: "L5",
    rule: "only a block, a chargeback, a return that a PSP made, a reclaimed withdrawal, one that was adopted after a restore, or a refund that used a block's hold may bring an available balance below zero; where it is below zero already, a charge's fee, split and withheld tax take no more than the charge brought",
    query: (from) => sql`
      select t.account_id, json_build_array('transfer', t.source_id, 'movement', t.kind, 'leg', t.leg) as found
      from ${from("ledger_transfers")} t join ${from("ledger_accounts")} a on a.account_id = t.account_id and a.no = t.from_no
      where a.kind = 'available' and t.from_balance < 0
        and t.kind not in ('block_held', 'block_taken', 'psp_return', 'withdrawal_reclaimed')
        and not (t.kind = 'withdrawal_held' and exists (
          select from ${from("withdrawals")} w where w.account_id = t.account_id and w.withdrawal_id = t.source_id and w.adopted))
        and not (t.kind = 'refund_held' and exists (
          select from ${from("balance_blocks")} b where b.account_id = t.account_id and b.refund_id = t.source_id))
        and not (t.kind in ('charge_fee', 'charge_split', 'tax_withheld') and exists (
          select from ${from("ledger_transfers")} p where p.account_id = t.account_id and p.kind = 'charge_paid' and p.source_id = t.source_id
            and p.leg = 0 and p.to_no = t.from_no and t.from_balance >= p.to_balance - p.amount))`,
  },
  {
    name: "L6",
    rule: "what is kept of a wallet's lines is their sum for each kind, up to the line that it is kept for",
    // Written once, so only a check of all the books reads them.
    fresh: sql`select null::uuid as account_id, null::json as found where false`,
    query: () => sql`
      select coalesce(s.account_id, l.account_id) as account_id,
        json_build_array('ledgerAccount', coalesce(s.no, l.no), 'line', coalesce(s.through_seq, l.through_seq),
        'moved', coalesce(s.new_came - s.new_went, 0), 'movedCount', coalesce(s.new_lines, 0),
        'lines', coalesce(l.came - l.went, 0), 'lineCount', coalesce(l.lines, 0)) as found
      from (
        select k.*, lines - coalesce(lag(lines) over earlier, 0) as new_lines, came - coalesce(lag(came) over earlier, 0) as new_came,
          went - coalesce(lag(went) over earlier, 0) as new_went, lag(newest_seq) over earlier as before
        from line_sums k window earlier as (partition by account_id, no, kind order by through_seq)
      ) s
      full join (
        select p.account_id, p.no, p.through_seq, x.* from (
          select account_id, no, through_seq, lag(through_seq, 1, 0::bigint) over (partition by account_id, no order by through_seq) as after
          from (select distinct account_id, no, through_seq from line_sums) ends
        ) p
        cross join lateral (
          select kind, count(*) as lines, coalesce(sum(amount) filter (where amount > 0), 0) as came,
            coalesce(-sum(amount) filter (where amount < 0), 0) as went, max(seq) as newest
          from ledger_lines where account_id = p.account_id and no = p.no and seq > p.after and seq <= p.through_seq group by kind) x
      ) l on l.account_id = s.account_id and l.no = s.no and l.through_seq = s.through_seq and l.kind = s.kind
      where coalesce(s.new_lines, 0) <> coalesce(l.lines, 0) or coalesce(s.new_came, 0) <> coalesce(l.came, 0)
        or coalesce(s.new_went, 0) <> coalesce(l.went, 0) or s.newest_seq is distinct from coalesce(l.newest, s.before)
      union all
      select k.account_id, json_build_array('ledgerAccount', k.no, 'line', k.through_seq, 'moved', k.amount,
        'movedCount', k.lines, 'lines', coalesce(l.balance_after, 0), 'lineCount', k.through_seq) as found
      from (
        select account_id, no, through_seq, sum(came - went) as amount, sum(lines) as lines from line_sums group by account_id, no, through_seq
      ) k
      left join ledger_lines l on l.account_id = k.account_id and l.no = k.no and l.seq = k.through_seq
      where k.lines <> k.through_seq or k.amount is distinct from l.balance_after`,
  },
];
