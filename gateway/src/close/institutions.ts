import type { Queries } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { dayWindow } from "../lib/days.ts";

const DAY = 86_400_000;
/** Most open cases that a close lists for an institution. */
const CASES = 100;

/**
 * Stores each institution's sums of the day, from the closes of its ledger accounts in every account, with the opposite
 * sign.
 *
 * The institution's own balance is the first one compared after the day's end, without what the books show as moved between
 * the two moments. Without one, the row gives the reason: only institutions that report balances are compared. A balance
 * that an operator entered has the operator's name.
 */
export async function closeInstitutions(queries: Queries, day: string): Promise<void> {
  const { to } = dayWindow(day)!;
  await queries.query(sql`
    with moved as (
      select a.owner_id as institution_id, m.kind, m.late, sum(m.count_out)::bigint as count_in,
        sum(m.amount_out)::bigint as amount_in, sum(m.count_in)::bigint as count_out, sum(m.amount_in)::bigint as amount_out
      from close_movements m join ledger_accounts a on a.account_id = m.account_id and a.no = m.no and a.kind = 'psp'
      where m.day = ${day} group by a.owner_id, m.kind, m.late
    ), sums as (
      select institution_id, sum(amount_in - amount_out)::bigint as change,
        jsonb_agg(jsonb_build_object('kind', kind, 'late', late, 'countIn', count_in, 'amountIn', amount_in,
          'countOut', count_out, 'amountOut', amount_out) order by kind, late) as movements
      from moved group by institution_id
    ), before as (
      select distinct on (institution_id) institution_id, closing from institution_closes
      where day < ${day} order by institution_id, day desc
    ), checks as (
      select distinct on (institution_id) institution_id, sampled_at, theirs, entered_by from balance_checks
      where sampled_at >= ${to} and sampled_at < ${new Date(to.getTime() + DAY)} order by institution_id, sampled_at
    ), since as (
      select k.institution_id, sum(x.amount)::bigint as amount
      from checks k join ledger_accounts a on a.kind = 'psp' and a.owner_id = k.institution_id
      join ledger_closes c on c.account_id = a.account_id and c.no = a.no and c.day = ${day}
      join ledger_lines x on x.account_id = a.account_id and x.no = a.no and x.seq >= c.open_seq and x.seq <= c.through_seq
      where x.occurred_at >= ${to} and x.occurred_at <= k.sampled_at group by k.institution_id
    ), open_cases as (
      select institution_id, jsonb_agg(jsonb_build_object('id', case_id, 'kind', kind, 'amount', amount)) as cases from (
        select institution_id, case_id, kind, amount, row_number() over (partition by institution_id order by case_id) as place
        from cases where status = 'open' and institution_id is not null
      ) c where place <= ${CASES} group by institution_id
    )
    insert into institution_closes (institution_id, day, opening, closing, movements, theirs, sampled_at, entered_by, theirs_missing, cases)
    select i.institution_id, ${day}::date, coalesce(b.closing, 0), coalesce(b.closing, 0) + coalesce(s.change, 0),
      coalesce(s.movements, '[]'), k.theirs + coalesce(e.amount, 0), k.sampled_at, k.entered_by,
      case when k.theirs is null then case when w.institution_id is null then 'not_reported' else 'not_in_time' end end,
      coalesce(o.cases, '[]')
    from institutions i left join sums s on s.institution_id = i.institution_id
    left join before b on b.institution_id = i.institution_id left join checks k on k.institution_id = i.institution_id
    left join since e on e.institution_id = i.institution_id left join open_cases o on o.institution_id = i.institution_id
    left join balance_watches w on w.institution_id = i.institution_id`);
}
