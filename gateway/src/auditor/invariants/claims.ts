import { type Fragment, part, type Sql, sql } from "../../db/sql.ts";
import { SLICE } from "../slice.ts";
import type { Source, Statement } from "../source.ts";
import type { Invariant } from "./invariant.ts";

/** A transfer with the names of its two ledger accounts. */
const booked = (from: Source): Fragment => part`
  select t.account_id, t.kind, t.source_id, t.leg, t.amount, t.occurred_at, f.kind as from_kind, f.owner_id as from_owner,
    g.kind as to_kind, g.owner_id as to_owner
  from ${from("ledger_transfers")} t
  join ${from("ledger_accounts")} f on f.account_id = t.account_id and f.no = t.from_no
  join ${from("ledger_accounts")} g on g.account_id = t.account_id and g.no = t.to_no`;

/** What wallets hold, compared with what is open, in all the books or in the fresh part. */
const heldDifferences = (from: Source, only: Fragment): Sql => sql`
    select coalesce(a.account_id, o.account_id) as account_id,
      json_build_array('wallet', coalesce(a.owner_id, o.wallet_id), 'holds', coalesce(a.balance, 0),
        'open', coalesce(o.total, 0)) as found
    from (select * from ${from("ledger_accounts")} where kind = 'held') a
    full join (
      select account_id, wallet_id, sum(amount) as total from (
        select account_id, wallet_id, amount + fee_amount as amount from ${from("refunds")} where status = 'pending'
        union all
        select account_id, wallet_id, held_amount from ${from("balance_blocks")} where held_amount > 0
        union all
        select account_id, wallet_id, amount from ${from("withdrawals")} where status in ('pending', 'processing')
      ) h group by account_id, wallet_id
    ) o on o.account_id = a.account_id and o.wallet_id = a.owner_id
    where coalesce(a.balance, 0) <> coalesce(o.total, 0) ${only}`;

/**
 * Compares what a table requires to be booked with what is booked: each row of `expected` is (account, kind, source, leg,
 * amount, from, to, and when it happened; null: checked elsewhere).
 */
export const agree =
  (expected: (from: Source) => Fragment, which: Fragment): Statement =>
  (from) =>
    sql`
    select coalesce(e.account_id, t.account_id) as account_id,
      json_build_array('transfer', coalesce(e.source_id, t.source_id), 'movement', coalesce(e.kind, t.kind),
        'leg', coalesce(e.leg, t.leg), 'due', coalesce(e.amount, 0), 'booked', coalesce(t.amount, 0)) as found
    from (${expected(from)}) e (account_id, kind, source_id, leg, amount, from_kind, from_owner, to_kind, to_owner, at)
    full join (${booked(from)} where ${which}) t
      on t.account_id = e.account_id and t.kind = e.kind and t.source_id = e.source_id and t.leg = e.leg
    where e.account_id is null or t.account_id is null or t.amount <> e.amount or t.from_kind <> e.from_kind
      or t.to_kind <> e.to_kind or t.from_owner is distinct from e.from_owner or t.to_owner is distinct from e.to_owner
      or t.occurred_at <> e.at`;

/**
 * The parts of a block's amount that have paid returns which its PSP showed: how often from its hold, how much, how much
 * after the hold was released, and how much before there was a block.
 */
const partsPaid = (from: Source): Fragment => part`left join lateral (
  select count(*) filter (where p.source = 'held') as times, coalesce(sum(p.amount), 0) as amount,
    coalesce(sum(p.amount) filter (where p.source = 'available' and p.block_leg is not null), 0) as after_release,
    coalesce(sum(p.amount) filter (where p.block_leg is null), 0) as before
  from ${from("psp_returns")} p where p.account_id = b.account_id and p.block_id = b.block_id and (p.block_leg is not null or p.source = 'available')) s on true`;

/** What a block's amount has changed by since it was opened. */
const CHANGES = part`cross join lateral (
  select coalesce(sum((e ->> 'by')::bigint), 0) as sum from jsonb_array_elements(b.amount_changes) x(e)) c`;

/** Rules of refunds, balance blocks and PSP-made returns: what is claimed of a received Pix. */
export const CLAIM_INVARIANTS: readonly Invariant[] = [
  {
    name: "F1",
    rule: "a refund's transfers are exactly what its status says",
    query: agree(
      (from) => part`
      select account_id, 'refund_held', refund_id, 0, amount + fee_amount, 'available', wallet_id, 'held', wallet_id, created_at from ${from("refunds")}
      union all
      select account_id, 'refund_released', refund_id, 0, amount + fee_amount, 'held', wallet_id, 'available', wallet_id, null
      from ${from("refunds")} where status = 'error' or late
      union all
      select account_id, 'refund_sent', refund_id, 0, amount, 'held', wallet_id, 'psp', institution_id, refunded_at
      from ${from("refunds")} where status = 'confirmed' and not late
      union all
      select account_id, 'refund_fee', refund_id, 0, fee_amount, 'held', wallet_id, 'fees', null, refunded_at
      from ${from("refunds")} where status = 'confirmed' and not late and fee_amount > 0`,
      part`t.kind in ('refund_held', 'refund_released', 'refund_sent', 'refund_fee')`,
    ),
  },
  {
    name: "F2",
    rule: "a refund has one return, of the Pix of its payment, and both end together",
    query: (from) => sql`
      select coalesce(f.account_id, r.account_id) as account_id,
        json_build_array('refund', coalesce(f.refund_id, r.return_id),
          'statusNow', coalesce(f.status, 'none'), 'statusOfReturn', coalesce(r.status, 'none')) as found
      from ${from("refunds")} f
      full join (select * from ${from("pix_returns")} where purpose = 'refund') r
        on r.account_id = f.account_id and r.return_id = f.refund_id
      left join ${from("received_pix")} p on p.account_id = f.account_id and p.e2e_id = f.e2e_id and p.charge_id = f.charge_id
        and p.outcome = 'credited'
      where f.account_id is null or r.account_id is null or p.account_id is null or p.amount < f.amount
        or p.wallet_id <> f.wallet_id or p.institution_id <> f.institution_id or r.institution_id <> f.institution_id
        or r.amount <> f.amount or r.e2e_id <> f.e2e_id or r.charge_id <> f.charge_id
        or case f.status when 'pending' then r.status not in ('pending', 'sending') when 'confirmed' then r.status <> 'confirmed'
          else r.status <> 'failed' end`,
  },
  {
    name: "F3",
    rule: "a refund that was settled after it had failed is booked completely, as a return that the PSP made",
    query: (from) => sql`
      select f.account_id, json_build_array('refund', f.refund_id, 'amount', f.amount,
        'booked', coalesce(sum(p.amount), 0)) as found
      from ${from("refunds")} f left join ${from("psp_returns")} p on p.account_id = f.account_id and p.psp_return_id = f.refund_id
        and p.e2e_id = f.e2e_id
      where f.late group by f.account_id, f.refund_id, f.amount having coalesce(sum(p.amount), 0) <> f.amount`,
  },
  {
    name: "F4",
    rule: "of one payment at most one refund is under way",
    query: (from) => sql`
      select account_id, json_build_array('pix', e2e_id, 'refundCount', count(*)) as found from ${from("refunds")}
      where status = 'pending' group by account_id, e2e_id having count(*) > 1`,
  },
  {
    name: "B1",
    rule: "a block's transfers are exactly what it holds, has taken and has released",
    query: agree(
      (from) => part`
      select b.account_id, 'block_held', b.block_id, 0, b.amount - b.adopted_amount - s.before - c.sum, 'available', b.wallet_id, 'held',
        b.wallet_id, b.created_at
      from ${from("balance_blocks")} b ${partsPaid(from)} ${CHANGES} where b.amount <> b.adopted_amount + s.before + c.sum
      union all
      select b.account_id, 'block_held', b.block_id, 1, b.adopted_amount, 'available', b.wallet_id, 'held', b.wallet_id, null
      from ${from("balance_blocks")} b where b.adopted_amount > 0
      union all
      select b.account_id, case when c.by > 0 then 'block_held' else 'block_released' end, b.block_id, c.n::integer + 1, abs(c.by),
        case when c.by > 0 then 'available' else 'held' end, b.wallet_id, case when c.by > 0 then 'held' else 'available' end, b.wallet_id,
        c.at
      from ${from("balance_blocks")} b cross join lateral (
        select n, (e ->> 'by')::bigint as by, (e ->> 'at')::timestamptz as at from jsonb_array_elements(b.amount_changes) with ordinality x(e, n)) c
      union all
      select p.account_id, 'block_taken', p.block_id, p.block_leg, p.amount, p.source, p.wallet_id, 'psp', p.institution_id, p.settled_at
      from ${from("psp_returns")} p where p.block_leg is not null
      union all
      select b.account_id, 'block_taken', b.block_id, s.times::integer, b.taken_amount + b.given_back_amount - s.amount, 'held',
        b.wallet_id, 'psp', b.institution_id, null
      from ${from("balance_blocks")} b ${partsPaid(from)} where b.taken_amount + b.given_back_amount <> s.amount
      union all
      select b.account_id, 'block_released', b.block_id, 0, b.amount - b.held_amount - b.taken_amount - b.given_back_amount + s.after_release,
        'held', b.wallet_id, 'available', b.wallet_id, null
      from ${from("balance_blocks")} b ${partsPaid(from)} where b.amount - b.held_amount - b.taken_amount - b.given_back_amount + s.after_release <> 0`,
      part`t.kind in ('block_held', 'block_taken', 'block_released')`,
    ),
  },
  {
    name: "B2",
    rule: "a return that a PSP made is in the ledger once, taken from where its money was; a return that a block pays, or has paid, has no transfer of its own, and one that was booked before its block keeps its own",
    query: agree(
      (from) => part`
      select p.account_id, 'psp_return', p.psp_return_id, p.leg, p.amount, p.source,
        case when p.source = 'available' then p.wallet_id end, 'psp', p.institution_id, p.settled_at
      from ${from("psp_returns")} p where p.block_leg is null and p.source not in ('block', 'held')`,
      part`t.kind = 'psp_return'`,
    ),
  },
  {
    name: "B3",
    rule: "the PSP's returns that a block covers are of the block's payment, and together not more than the block has taken",
    query: (from) => sql`
      select p.account_id, json_build_array('block', p.block_id, 'taken', coalesce(b.taken_amount, 0),
        'returned', sum(p.amount)) as found
      from ${from("psp_returns")} p
      left join ${from("balance_blocks")} b on b.account_id = p.account_id and b.block_id = p.block_id and b.e2e_id = p.e2e_id
      where p.block_id is not null
      group by p.account_id, p.block_id, b.amount, b.taken_amount, b.status
      having b.amount is null or sum(p.amount) > b.taken_amount
        or (b.status <> 'approved' and (bool_or(p.source = 'block') or (sum(p.amount) = b.amount and not bool_or(exists (
          select from ${from("refunds")} r where r.account_id = p.account_id and r.refund_id = p.psp_return_id)))))`,
  },
  {
    name: "S1",
    rule: "what was returned of a received Pix, what is being returned and what is blocked together never exceed the Pix",
    query: (from) => sql`
      select p.account_id, json_build_array('pix', p.e2e_id, 'amount', p.amount, 'claimed', s.claimed) as found
      from ${from("received_pix")} p
      join (
        select account_id, e2e_id, sum(amount) as claimed from (
          select account_id, e2e_id, amount from ${from("refunds")} where status <> 'error' and not late
          union all
          select account_id, e2e_id, amount from ${from("pix_returns")} where purpose = 'deposit' and status <> 'failed'
          union all
          select account_id, e2e_id, held_amount + taken_amount from ${from("balance_blocks")} where e2e_id is not null
          union all
          select account_id, e2e_id, amount from ${from("psp_returns")} where block_id is null
        ) c group by account_id, e2e_id
      ) s on s.account_id = p.account_id and s.e2e_id = p.e2e_id
      where s.claimed > p.amount`,
  },
  {
    name: "H1",
    rule: "what a wallet holds is the money of its open withdrawals, refunds and blocks",
    query: (from) => heldDifferences(from, part``),
    // For tenants that are reached only through a Pix, the slice does not contain everything that is open.
    fresh: heldDifferences(
      SLICE,
      part`and coalesce(a.account_id, o.account_id) in (select account_id from fresh_tenants)`,
    ),
  },
  {
    name: "M4",
    rule: "every refund fee and chargeback of a wallet is a transaction of it, with its amount, and no other is",
    query: (from) => sql`
      select coalesce(m.account_id, t.account_id) as account_id,
        json_build_array('transfer', coalesce(m.cause_id, t.source_id), 'movement', coalesce(m.type, t.kind),
          'leg', coalesce(m.leg, t.leg), 'amount', coalesce(m.amount, 0), 'booked', coalesce(t.amount, 0)) as found
      from (select * from ${from("movements")} where type in ('fee', 'chargeback')) m
      full join (${booked(from)} where t.kind = 'refund_fee' or (t.kind = 'block_taken' and not exists (
          select from ${from("psp_returns")} p join ${from("refunds")} r on r.account_id = p.account_id and r.refund_id = p.psp_return_id
          where p.account_id = t.account_id and p.block_id = t.source_id and p.block_leg = t.leg))
        or (t.kind = 'psp_return' and f.kind = 'available' and not exists (
          select from ${from("refunds")} r where r.account_id = t.account_id and r.refund_id = t.source_id))
      ) t on t.account_id = m.account_id and t.source_id = m.cause_id and t.leg = m.leg
      where m.account_id is null or t.account_id is null or m.amount <> t.amount or m.wallet_id is distinct from t.from_owner
        or m.direction <> 'out' or (m.type = 'fee') <> (t.kind = 'refund_fee')`,
  },
  {
    name: "E3",
    rule: "every refund that ended, every block, every change of a block's amount, and every block that ended has its event",
    query: (from) => sql`
      select x.account_id, json_build_array(case when x.kind like 'refund%' then 'refund' else 'block' end, x.id,
        'event', x.kind) as found from (
        select account_id, 'refund_completed' as kind, refund_id as id, refund_id::text as event_id from ${from("refunds")}
        where status = 'confirmed'
        union all
        select account_id, 'refund_failed', refund_id, 'refund_failed_' || refund_id from ${from("refunds")} where status = 'error' or late
        union all
        select account_id, 'balance_block_created', block_id, 'balance_block_created_' || block_id from ${from("balance_blocks")}
        union all
        select account_id, 'balance_block_changed', block_id, 'balance_block_changed_' || (c.e ->> 'id')
        from ${from("balance_blocks")}, jsonb_array_elements(amount_changes) c(e)
        union all
        select account_id, 'balance_block_' || status, block_id, 'balance_block_' || status || '_' || block_id
        from ${from("balance_blocks")} where status in ('approved', 'rejected')
      ) x
      where not exists (
        select from ${from("events")} e where e.account_id = x.account_id and e.event_id = x.event_id and e.kind = x.kind)`,
  },
];
