import { sql } from "../../db/sql.ts";
import type { Invariant } from "./invariant.ts";

/** Closes are written once, so only a check of all the books reads them. */
const fresh = sql`select null::uuid as account_id, null::json as found where false`;

/**
 * Closed days. A day that was changed after its close no longer fits its neighbours, its movements or the lines. Days are
 * those of São Paulo.
 */
export const CLOSE_INVARIANTS: readonly Invariant[] = [
  {
    name: "D1",
    rule: "each closed day of a ledger account opens with the closing balance of the day before, and closes with that plus its movements",
    fresh,
    query: (from) => sql`
      select coalesce(c.account_id, m.account_id) as account_id,
        json_build_array('ledgerAccount', coalesce(c.no, m.no), 'day', coalesce(c.day, m.day),
          'before', coalesce(c.before, 0), 'opening', coalesce(c.opening, 0), 'moved', coalesce(m.amount, 0),
          'closing', coalesce(c.closing, 0)) as found
      from (
        select l.*, lag(closing) over (partition by account_id, no order by day) as before from ledger_closes l
      ) c
      full join (
        select account_id, no, day, sum(amount_in - amount_out) as amount from ${from("close_movements")} group by account_id, no, day
      ) m on m.account_id = c.account_id and m.no = c.no and m.day = c.day
      where c.account_id is null or c.opening <> coalesce(c.before, 0) or c.closing <> c.opening + coalesce(m.amount, 0)`,
  },
  {
    name: "D2",
    rule: "the movements of the closed days of a ledger account are, for each kind, its lines that count for these days, each once",
    fresh,
    query: (from) => sql`
      select coalesce(s.account_id, m.account_id) as account_id,
        json_build_array('ledgerAccount', coalesce(s.no, m.no), 'movement', coalesce(s.kind, m.kind),
          'moved', coalesce(m.amount_in - m.amount_out, 0), 'movedCount', coalesce(m.lines, 0),
          'lines', coalesce(s.amount_in - s.amount_out, 0), 'lineCount', coalesce(s.lines, 0)) as found
      from (
        select c.account_id, c.no, x.kind, count(*) as lines, count(*) filter (where x.amount > 0) as count_in,
          coalesce(sum(x.amount) filter (where x.amount > 0), 0) as amount_in,
          coalesce(-sum(x.amount) filter (where x.amount < 0), 0) as amount_out
        from (
          select distinct on (account_id, no) *, day::timestamp at time zone 'America/Sao_Paulo' as from_time,
            (day + 1)::timestamp at time zone 'America/Sao_Paulo' as to_time
          from ledger_closes order by account_id, no, day desc
        ) c
        join ledger_lines x on x.account_id = c.account_id and x.no = c.no and x.seq <= c.through_seq
          and x.occurred_at < c.to_time
          and case when x.booked_at < c.to_time or x.occurred_at >= c.from_time then true
            -- It was booked later, and counts only where the close of its own day saw it.
            else x.seq <= coalesce((
              select k.through_seq from ledger_closes k where k.account_id = c.account_id and k.no = c.no
                and k.day <= (x.occurred_at at time zone 'America/Sao_Paulo')::date order by k.day desc limit 1), 0) end
        group by c.account_id, c.no, x.kind
      ) s
      full join (
        select account_id, no, kind, sum(count_in + count_out) as lines, sum(count_in) as count_in, sum(amount_in) as amount_in,
          sum(amount_out) as amount_out
        from ${from("close_movements")} group by account_id, no, kind
      ) m on m.account_id = s.account_id and m.no = s.no and m.kind = s.kind
      where s.account_id is null or m.account_id is null or s.lines <> m.lines or s.count_in <> m.count_in
        or s.amount_in <> m.amount_in or s.amount_out <> m.amount_out`,
  },
  {
    name: "D3",
    across: true,
    rule: "each closed day of an institution opens with the closing balance of the day before, and closes with that plus what all accounts moved there",
    fresh,
    query: (from) => sql`
      select h.account_id, json_build_array('institution', coalesce(c.institution_id, m.institution_id),
        'day', coalesce(c.day, m.day), 'before', coalesce(c.before, 0), 'opening', coalesce(c.opening, 0),
        'moved', coalesce(m.amount, 0), 'closing', coalesce(c.closing, 0)) as found
      from (
        select i.*, lag(closing) over (partition by institution_id order by day) as before from ${from("institution_closes")} i
      ) c
      full join (
        select a.owner_id as institution_id, x.day, sum(x.amount_out - x.amount_in) as amount
        from ${from("close_movements")} x join ${from("ledger_accounts")} a on a.account_id = x.account_id and a.no = x.no and a.kind = 'psp'
        group by a.owner_id, x.day
      ) m on m.institution_id = c.institution_id and m.day = c.day
      join ${from("accounts")} h on h.is_house
      where c.institution_id is null or c.opening <> coalesce(c.before, 0) or c.closing <> c.opening + coalesce(m.amount, 0)`,
  },
  {
    name: "D4",
    across: true,
    rule: "at the end of each closed day all kinds of ledger account sum to zero, and each has the balance of the day before plus its movements",
    fresh,
    query: (from) => sql`
      with positions as (
        select d.day, p.key as kind, p.value::bigint as balance from ${from("day_closes")} d, jsonb_each_text(d.positions) p
      ), moved as (
        select m.day, a.kind, sum(m.amount_in - m.amount_out) as amount
        from ${from("close_movements")} m join ${from("ledger_accounts")} a on a.account_id = m.account_id and a.no = m.no group by m.day, a.kind
      )
      select h.account_id, json_build_array('day', s.day, 'ledger', s.kind, 'balance', s.found, 'due', s.due) as found
      from (
        select day, 'sum' as kind, sum(balance) as found, 0 as due from positions group by day
        union all
        select d.day, k.kind, coalesce(p.balance, 0), coalesce(b.balance, 0) + coalesce(m.amount, 0)
        from ${from("day_closes")} d
        cross join (select distinct kind from positions union select distinct kind from moved) k
        left join positions p on p.day = d.day and p.kind = k.kind
        left join positions b on b.day = d.day - 1 and b.kind = k.kind
        left join moved m on m.day = d.day and m.kind = k.kind
      ) s join ${from("accounts")} h on h.is_house where s.found <> s.due`,
  },
];
