import { Fragment, sql } from "../../db/sql.ts";
import type { Invariant } from "./invariant.ts";

/** A rate of the terms (lib/due.ts) as centavos; none: 0. `days` and `period` are SQL too. */
const share = (rate: string, days = "1", period = "1"): string =>
  `coalesce((${rate} ->> 'fixed')::numeric * ${days},
    round(c.charged_amount * (${rate} ->> 'percentBps')::numeric * ${days} / (10000 * ${period})), 0)`;

/**
 * What an institution may have computed for the day of the payment, in SQL: as `possibleOn` (lib/due.ts) decides it, by each
 * of the terms of `termsAt` (charges/terms.ts). 15 minutes: its READ_BEFORE.
 */
const POSSIBLE = new Fragment(
  [
    `cross join lateral (
      select bool_or(c.amount between p.least and p.most) as possible, min(p.least) as least, max(p.most) as most
      from (
        select c.due
        union all select e -> 'to' from jsonb_array_elements(c.due_edits) e
        where e ->> 'status' = 'asked' or (e ->> 'mayArrive')::boolean
        union all select e -> 'from' from jsonb_array_elements(c.due_edits) e
        where e ->> 'by' = 'institution'
          or e ->> 'status' = 'done' and c.paid_at <= (e ->> 'endedAt')::timestamptz + interval '15 minutes'
      ) v(due)
      cross join lateral (
        select (c.paid_at at time zone 'America/Sao_Paulo')::date as day, (v.due ->> 'date')::date as due,
          v.due -> 'interest' as interest
      ) d
      cross join lateral (
        select greatest(0, d.day - d.due) as late, case when d.interest ->> 'days' = 'business'
          then (select count(*) from generate_series(1, d.day - d.due) n where extract(isodow from d.due + n) < 6)
          else greatest(0, d.day - d.due) end as days,
          case d.interest ->> 'per' when 'month' then case d.interest ->> 'days' when 'business' then 21 else 30 end
            when 'year' then case d.interest ->> 'days' when 'business' then 252 else 365 end else 1 end as period
      ) l
      cross join lateral (
        select case when l.late > 0 then ${share("(v.due -> 'fine')")} else 0 end as fine,
          ${share("d.interest", "l.days", "l.period")} as interest,
          least(c.charged_amount - 1, ${share("(v.due -> 'abatement')")}) as abatement,
          coalesce((select max(${share("step")}) from jsonb_array_elements(v.due -> 'discount' -> 'until') step),
            ${share("(v.due -> 'discount' -> 'perDay')", "greatest(0, d.due + 7 - d.day)")}) as discount
      ) s
      cross join lateral (
        select greatest(1, c.charged_amount - s.abatement - s.discount)::bigint as least,
          (c.charged_amount + s.fine + s.interest + case when s.interest > 0 then greatest(1, l.days) else 0 end)::bigint as most
      ) p
    ) p`,
  ],
  [],
);

/** What charges with a due date were paid with. */
export const DUE_INVARIANTS: readonly Invariant[] = [
  {
    name: "C9",
    rule: "a completed charge with a due date was paid with the sum of its components, or without them with an amount that its terms make possible on the day of its payment, those of an edit under way, just made, or shown by the institution alone included; and the terms of each are those of its newest edit that was made",
    query: (from) => sql`
      select c.account_id, json_build_array('charge', c.charge_id, 'amount', c.amount, 'least', p.least, 'most', p.most) as found
      from ${from("charges")} c ${POSSIBLE}
      where c.due is not null and (
        c.status = 'completed' and case when c.components is null then not p.possible
          else (c.components ->> 'original')::bigint is distinct from c.charged_amount
            or c.amount is distinct from c.charged_amount + (c.components ->> 'fine')::bigint + (c.components ->> 'interest')::bigint
              - (c.components ->> 'discount')::bigint - (c.components ->> 'abatement')::bigint end
        or c.due is distinct from coalesce((
          select e -> 'to' from jsonb_array_elements(c.due_edits) with ordinality x(e, n)
          where e ->> 'status' = 'done' order by n desc limit 1), c.due_edits -> 0 -> 'from', c.due))`,
  },
];
