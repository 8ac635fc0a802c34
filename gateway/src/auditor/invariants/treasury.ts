import { part, sql } from "../../db/sql.ts";
import { agree } from "./claims.ts";
import type { Invariant } from "./invariant.ts";

const TWICE = part`json_build_array(case t.kind when 'sent' then 'payout' else 'pix' end, t.about, 'tariff', t.amount) as found`;

/** The operator's own money at the institutions. */
export const TREASURY_INVARIANTS: readonly Invariant[] = [
  {
    name: "O1",
    rule: "every booked treasury entry is in the ledger once, with its amount and its institutions, and no other treasury money is",
    query: agree(
      (from) => part`
      select account_id, kind, entry_id, 0, amount, 'psp', institution_id,
        case kind when 'gain' then 'write_offs' else 'operator_funds' end, null::uuid, occurred_at
      from ${from("treasury_entries")} where status = 'booked' and source <> 'receipt' and kind in ('top_up', 'gain')
      union all
      select account_id, kind, entry_id, 0, amount,
        case kind when 'sweep' then 'operator_funds' when 'tariff' then 'psp_costs' when 'loss' then 'write_offs' else 'transit' end,
        null, 'psp', institution_id, occurred_at
      from ${from("treasury_entries")} where status = 'booked' and source <> 'receipt' and kind not in ('top_up', 'gain')
      union all
      select account_id, kind, entry_id, 1, amount, 'psp', to_institution_id, 'transit', null, occurred_at
      from ${from("treasury_entries")} where status = 'booked' and to_institution_id is not null
      union all
      select account_id, kind, entry_id, 1, amount, 'suspense', null,
        case kind when 'interbank' then 'transit' when 'gain' then 'write_offs' else 'operator_funds' end, null, occurred_at
      from ${from("treasury_entries")} where status = 'booked' and source = 'receipt'`,
      part`t.kind in ('top_up', 'sweep', 'tariff', 'interbank', 'loss', 'gain')`,
    ),
  },
  {
    name: "O2",
    rule: "a received Pix counts as the operator's own money exactly where one booked treasury entry has its end-to-end id, amount and institution",
    query: (from) => sql`
      select coalesce(p.account_id, t.account_id) as account_id,
        json_build_array('pix', coalesce(p.e2e_id, t.about), 'received', coalesce(p.amount, 0),
          'booked', coalesce(t.amount, 0)) as found
      from (select * from ${from("received_pix")} where outcome = 'treasury') p
      full join (select * from ${from("treasury_entries")} where source = 'receipt') t
        on t.account_id = p.account_id and t.entry_id = p.pix_id
      where p.account_id is null or t.account_id is null or t.status <> 'booked' or t.amount <> p.amount
        or t.institution_id <> p.institution_id or t.about <> p.e2e_id`,
  },
  {
    name: "O3",
    rule: "every tariff that an institution reported is in the ledger once, with its amount and its institution, and no other is",
    query: agree(
      (from) =>
        part`select account_id, 'bank_tariff', source_id, 0, amount, 'psp_costs', null::uuid, 'psp', institution_id, occurred_at from ${from("bank_tariffs")}`,
      part`t.kind = 'bank_tariff'`,
    ),
  },
  {
    name: "O4",
    rule: "a reported tariff belongs to a received Pix, or to a withdrawal that was paid, at the same institution",
    query: (from) => sql`
      select t.account_id, json_build_array(case t.kind when 'sent' then 'payout' else 'pix' end, t.about,
        'tariff', t.amount) as found
      from ${from("bank_tariffs")} t
      left join ${from("received_pix")} p on t.kind = 'received' and p.account_id = t.account_id and p.e2e_id = t.about
      left join ${from("withdrawals")} w on t.kind = 'sent' and w.account_id = t.account_id and w.withdrawal_id = t.source_id
      where case t.kind
        when 'received' then p.pix_id is distinct from t.source_id or p.institution_id is distinct from t.institution_id
        else w.status is null or w.status not in ('completed', 'reversed') or w.institution_id <> t.institution_id
          or w.psp_id <> t.about end`,
  },
  {
    name: "O5",
    across: true,
    rule: "the tariff of one Pix or payout at an institution is booked once",
    query: (from) => sql`
      select t.account_id, ${TWICE}
      from (
        select institution_id, kind, about from ${from("bank_tariffs")} group by institution_id, kind, about having count(*) > 1
      ) d
      join ${from("bank_tariffs")} t on t.institution_id = d.institution_id and t.kind = d.kind and t.about = d.about`,
    fresh: sql`
      select t.account_id, ${TWICE}
      from slice_bank_tariffs f
      join bank_tariffs o on o.about = f.about and o.institution_id = f.institution_id and o.kind = f.kind
        and (o.account_id, o.source_id) <> (f.account_id, f.source_id),
        lateral (values (f.account_id, f.kind, f.about, f.amount), (o.account_id, o.kind, o.about, o.amount))
          t (account_id, kind, about, amount)`,
  },
];
