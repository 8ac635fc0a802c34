import { sql } from "../../db/sql.ts";
import type { Invariant } from "./invariant.ts";

/**
 * Finds an account whose lines are no chain, in one pass and without sorting. A line leads from (number before, balance
 * before) to (number, balance after). Where all lines together lead from (0, 0) to the account's own number and balance, the
 * two bags of points are equal, and since each line goes up by exactly one number they are one path: no gap, no repeat,
 * every balance right. Bags are compared by sums of 64-bit hashes, under a seed that nobody knows before the run.
 */
const CHAINS = sql`
  with seed as materialized (select hashtextextended(pg_current_snapshot()::text || pg_backend_pid() || random(), 0) as salt)
  select a.account_id
  from ledger_accounts a full join (
    select account_id, no, sum(hashint8extended(after, hashint8extended(seq, salt))) as ends,
      sum(hashint8extended(after - amount, hashint8extended(seq - 1, salt))) as begins
    from seed, (
      select account_id, from_no as no, from_seq as seq, -amount as amount, from_balance as after from ledger_transfers
      union all
      select account_id, to_no, to_seq, amount, to_balance from ledger_transfers
    ) l group by account_id, no
  ) s on s.account_id = a.account_id and s.no = a.no
  cross join seed
  where a.account_id is null
    or coalesce(s.ends, 0) + hashint8extended(0, hashint8extended(0, salt))
      <> coalesce(s.begins, 0) + hashint8extended(a.balance, hashint8extended(a.seq, salt))`;

/** What must hold of the ledger by itself, whatever its transfers were for. */
export const LINE_INVARIANTS: readonly Invariant[] = [
  {
    name: "L1",
    says: "the balances of a tenant sum to zero",
    query: sql`select account_id, 'balances: sum is ' || sum(balance) as detail from ledger_accounts
      group by account_id having sum(balance) <> 0`,
  },
  {
    name: "L2",
    says: "a balance is the sum of its lines",
    unless: [CHAINS],
    query: sql`
      select a.account_id, a.kind || ' ' || a.no || ': balance ' || a.balance || ', lines ' || coalesce(s.total, 0) as detail
      from ledger_accounts a left join (
        select account_id, no, sum(amount) as total from ledger_lines group by account_id, no
      ) s on s.account_id = a.account_id and s.no = a.no
      where a.balance <> coalesce(s.total, 0)`,
  },
  {
    name: "L3",
    says: "lines are numbered without gaps or repeats, up to the account's seq",
    unless: [CHAINS],
    query: sql`
      select coalesce(a.account_id, s.account_id) as account_id,
        'account ' || coalesce(a.no, s.no) || ': seq ' || coalesce(a.seq, 0) || ', lines ' || coalesce(s.lines, 0)
          || ', distinct ' || coalesce(s.different, 0) || ', last ' || coalesce(s.last, 0) as detail
      from ledger_accounts a full join (
        select account_id, no, count(*) as lines, count(distinct seq) as different, max(seq) as last, min(seq) as first
        from ledger_lines group by account_id, no
      ) s on s.account_id = a.account_id and s.no = a.no
      where a.account_id is null
        or a.seq <> coalesce(s.lines, 0) or coalesce(s.lines, 0) <> coalesce(s.different, 0)
        or coalesce(s.last, 0) <> a.seq or coalesce(s.first, 1) <> 1`,
  },
  {
    name: "L4",
    says: "each line stores the balance after it",
    unless: [CHAINS],
    query: sql`
      select account_id, 'account ' || no || ', line ' || seq as detail from (
        select account_id, no, seq, balance_after, amount
            + coalesce(lag(balance_after) over (partition by account_id, no order by seq), 0) as due
        from ledger_lines
      ) l where balance_after <> due`,
  },
  {
    name: "L5",
    says: "only a block, a chargeback, a return that a PSP made, a reclaimed withdrawal, one that was adopted after a restore, or a refund that used a block's hold may bring an available balance below zero; where it is below zero already, a charge's fee and split take no more than the charge brought",
    query: sql`
      select t.account_id, 'transfer ' || t.kind || ' ' || t.source_id || ' leg ' || t.leg as detail
      from ledger_transfers t join ledger_accounts a on a.account_id = t.account_id and a.no = t.from_no
      where a.kind = 'available' and t.from_balance < 0
        and t.kind not in ('block_held', 'block_taken', 'psp_return', 'withdrawal_reclaimed')
        and not (t.kind = 'withdrawal_held' and exists (
          select from withdrawals w where w.account_id = t.account_id and w.withdrawal_id = t.source_id and w.adopted))
        and not (t.kind = 'refund_held' and exists (
          select from balance_blocks b where b.account_id = t.account_id and b.refund_id = t.source_id))
        and not (t.kind in ('charge_fee', 'charge_split') and exists (
          select from ledger_transfers p where p.account_id = t.account_id and p.kind = 'charge_paid' and p.source_id = t.source_id
            and p.leg = 0 and p.to_no = t.from_no and t.from_balance >= p.to_balance - p.amount))`,
  },
];
