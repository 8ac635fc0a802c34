import { part, sql } from "../../db/sql.ts";
import { agree } from "./claims.ts";
import type { Invariant } from "./invariant.ts";

/** Rules of deposits that are returned automatically. */
export const RETURN_INVARIANTS: readonly Invariant[] = [
  {
    name: "R1",
    rule: "every confirmed return of a deposit is in the ledger once, to its institution, and no other return is there as one of a deposit",
    query: (from) => sql`
      select coalesce(r.account_id, t.account_id) as account_id,
        json_build_array('return', coalesce(r.return_id, t.source_id), 'amount', coalesce(r.amount, 0),
          'booked', coalesce(t.amount, 0)) as found
      from (select * from ${from("pix_returns")} where status = 'confirmed' and purpose = 'deposit') r
      full join (select * from ${from("ledger_transfers")} where kind = 'deposit_returned') t
        on t.account_id = r.account_id and t.source_id = r.return_id
      left join ${from("ledger_accounts")} f on f.account_id = t.account_id and f.no = t.from_no and f.kind = 'returns'
      left join ${from("ledger_accounts")} p on p.account_id = t.account_id and p.no = t.to_no and p.kind = 'psp'
        and p.owner_id = r.institution_id
      where r.account_id is null or t.account_id is null or t.amount <> r.amount or t.leg <> 0
        or f.account_id is null or p.account_id is null or r.settled_at is distinct from t.occurred_at`,
  },
  {
    name: "R2",
    rule: "returns holds the money that was set aside to be returned, less what was returned or written off",
    query: (from) => sql`
      select coalesce(a.account_id, r.account_id) as account_id,
        json_build_array('ledger', 'returns', 'holds', coalesce(a.balance, 0), 'setAside', coalesce(r.total, 0)) as found
      from (select account_id, balance from ${from("ledger_accounts")} where kind = 'returns') a
      full join (
        select account_id, sum(amount) as total from (
          select account_id, amount from ${from("received_pix")} where outcome in ('blocked', 'second_payment')
          union all
          select t.account_id, t.amount from ${from("ledger_transfers")} t
          join ${from("ledger_accounts")} g on g.account_id = t.account_id and g.no = t.to_no and g.kind = 'returns'
          where t.kind = 'unmatched_resolved'
          union all
          select account_id, -amount from ${from("pix_returns")} where status = 'confirmed' and purpose = 'deposit'
          union all
          select account_id, -amount from ${from("psp_returns")} where source = 'returns'
          union all
          select account_id, -written_off_amount from ${from("pix_returns")} where written_off_by is not null and restored_at is null
        ) o group by account_id
      ) r on r.account_id = a.account_id
      where coalesce(a.balance, 0) <> coalesce(r.total, 0)`,
  },
  {
    name: "R3",
    rule: "every received Pix that was set aside to be returned has a return of its whole amount, and another one only after the one before has failed; no other received Pix has such a return",
    query: (from) => sql`
      select coalesce(p.account_id, r.account_id) as account_id,
        json_build_array('pix', coalesce(p.e2e_id, r.e2e_id), 'status', coalesce(p.outcome, 'not_set_aside'),
          'returnCount', count(r.return_id), 'returns', coalesce(sum(r.amount), 0), 'amount', coalesce(p.amount, 0)) as found
      from (
        select account_id, e2e_id, outcome, amount, institution_id, charge_id from ${from("received_pix")}
        where outcome in ('blocked', 'second_payment')
        union all
        select u.account_id, u.e2e_id, u.outcome, t.amount, u.institution_id, u.charge_id
        from ${from("received_pix")} u
        join ${from("ledger_transfers")} t on t.account_id = u.account_id and t.kind = 'unmatched_resolved' and t.source_id = u.pix_id
        where u.outcome = 'unmatched'
      ) p
      full join (
        select r.*, r.retry_of is not null and (o.return_id is null or o.amount < r.amount) as astray
        from ${from("pix_returns")} r
        left join ${from("pix_returns")} o on o.account_id = r.account_id and o.return_id = r.retry_of and o.e2e_id = r.e2e_id
        where r.purpose = 'deposit'
      ) r on r.account_id = p.account_id and r.e2e_id = p.e2e_id
      group by p.account_id, r.account_id, p.e2e_id, r.e2e_id, p.outcome, p.amount, p.institution_id, p.charge_id
      having p.e2e_id is null or count(r.return_id) filter (where r.retry_of is null) <> 1
        or sum(r.amount) filter (where r.retry_of is null) <> p.amount or count(*) filter (where r.status <> 'failed') > 1
        or bool_or(r.astray or r.institution_id <> p.institution_id or r.charge_id is distinct from p.charge_id)`,
  },
  {
    name: "R4",
    rule: "every Pix that was set aside and returned to its payer has the event that reports it",
    query: (from) => sql`
      select p.account_id, json_build_array('pix', p.e2e_id, 'status', p.outcome, 'withoutEvent', 1) as found
      from ${from("received_pix")} p
      join (
        select account_id, e2e_id, sum(amount) as total from (
          select account_id, e2e_id, amount from ${from("pix_returns")} where status = 'confirmed' and purpose = 'deposit'
          union all
          select account_id, e2e_id, amount from ${from("psp_returns")} where source = 'returns'
        ) o group by account_id, e2e_id
      ) r on r.account_id = p.account_id and r.e2e_id = p.e2e_id and r.total >= p.amount
      left join ${from("events")} e on e.account_id = p.account_id
        and e.event_id = case p.outcome when 'blocked' then 'deposit_returned_' else 'duplicate_payment_returned_' end || p.pix_id
      where p.outcome in ('blocked', 'second_payment') and e.event_id is null`,
  },
];

/** Write-offs of failed returns by operators. */
export const WRITTEN_OFF_INVARIANTS: readonly Invariant[] = [
  {
    name: "R5",
    rule: "every write-off of a failed return is in the ledger once, and is reversed once if the money was returned after all",
    query: agree(
      (from) => part`
      select account_id, 'return_written_off', return_id, 0, written_off_amount, 'returns', null::uuid, 'write_offs', null::uuid, null::timestamptz
      from ${from("pix_returns")} where written_off_by is not null
      union all
      select account_id, 'return_written_off', return_id, 1, written_off_amount, 'write_offs', null, 'returns', null, restored_at
      from ${from("pix_returns")} where restored_at is not null`,
      part`t.kind = 'return_written_off'`,
    ),
  },
];
