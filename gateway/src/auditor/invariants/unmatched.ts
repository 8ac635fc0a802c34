import { name, part, type Sql, sql } from "../../db/sql.ts";
import { SLICE } from "../slice.ts";
import { BOOKS, type Source } from "../source.ts";
import { agree } from "./claims.ts";
import type { Invariant } from "./invariant.ts";

const IN_TWO = part`json_build_array('pix', p.e2e_id, 'account', o.account_id) as found`;
const notAssigned = (from: Source) => part`not exists (
  select from ${from("pix_assignments")} a where a.e2e_id = p.e2e_id and (a.account_id, a.to_account_id)
    in ((p.account_id, o.account_id), (o.account_id, p.account_id)))`;

/** Compares receipts that wait for a person with their cases. For the fresh part only one direction is checked. */
const waiting = (from: Source, join: "full" | "left"): Sql => sql`
    select coalesce(p.account_id, c.account_id) as account_id,
      json_build_array('pix', coalesce(p.pix_id::text, c.object_id),
        'statusNow', case when p.pix_id is null then 'case_without_receipt' else 'receipt_without_case' end) as found
    from (
      select * from ${from("received_pix")} p
      where p.outcome = 'unmatched'
        and not exists (select from ${from("pix_returns")} r where r.account_id = p.account_id and r.e2e_id = p.e2e_id and r.purpose = 'deposit')
        and p.amount > (select coalesce(sum(r.amount), 0) from ${from("psp_returns")} r where r.account_id = p.account_id and r.e2e_id = p.e2e_id)
    ) p
    ${name(join)} join (select account_id, object_id from cases where kind = 'unmatched_receipt' and status = 'open') c
      on c.account_id = p.account_id and c.object_id = p.pix_id::text
    where p.account_id is null or c.account_id is null`;

/** Operators' decisions about receipts of the house account without a charge. */
export const UNMATCHED_INVARIANTS: readonly Invariant[] = [
  {
    name: "U1",
    rule: "the money of a receipt leaves suspense once: to its institution if the receipt was assigned; to returns, less what the institution had returned, if it was sent back",
    query: agree(
      (from) => part`
      select account_id, 'unmatched_resolved', pix_id, 0, amount, 'suspense', null::uuid, 'psp', institution_id, null::timestamptz
      from ${from("received_pix")} where outcome = 'assigned'
      union all
      select p.account_id, 'unmatched_resolved', p.pix_id, 0, r.amount, 'suspense', null, 'returns', null, null
      from ${from("received_pix")} p
      join ${from("pix_returns")} r on r.account_id = p.account_id and r.e2e_id = p.e2e_id and r.purpose = 'deposit' and r.retry_of is null
      where p.outcome = 'unmatched'`,
      part`t.kind = 'unmatched_resolved'`,
    ),
  },
  {
    name: "U2",
    rule: "suspense holds the money of the waiting receipts, less what PSPs returned of them by themselves",
    query: (from) => sql`
      select coalesce(a.account_id, o.account_id) as account_id,
        json_build_array('ledger', 'suspense', 'holds', coalesce(a.balance, 0), 'waiting', coalesce(o.total, 0)) as found
      from (select account_id, balance from ${from("ledger_accounts")} where kind = 'suspense') a
      full join (
        select account_id, sum(amount) as total from (
          select account_id, amount from ${from("received_pix")} where outcome = 'unmatched'
          union all
          select p.account_id, -r.amount from ${from("received_pix")} p
          join ${from("pix_returns")} r on r.account_id = p.account_id and r.e2e_id = p.e2e_id and r.purpose = 'deposit' and r.retry_of is null
          where p.outcome = 'unmatched'
          union all
          select account_id, -amount from ${from("psp_returns")} where source = 'suspense'
        ) s group by account_id
      ) o on o.account_id = a.account_id
      where coalesce(a.balance, 0) <> coalesce(o.total, 0)`,
  },
  {
    name: "U3",
    across: true,
    rule: "an assigned receipt has one assignment; when that has ended, the charge's account has the same Pix for that charge, with the tax that the house had booked and does not bear itself",
    query: (from) => sql`
      select coalesce(p.account_id, a.account_id) as account_id,
        json_build_array('pix', coalesce(p.e2e_id, a.e2e_id), 'statusNow', coalesce(a.status, 'not_assigned'),
          'statusThere', coalesce(t.outcome, 'none')) as found
      from (select * from ${from("received_pix")} where outcome = 'assigned') p
      full join ${from("pix_assignments")} a on a.account_id = p.account_id and a.e2e_id = p.e2e_id
      left join ${from("received_pix")} t on t.account_id = a.to_account_id and t.e2e_id = a.e2e_id
      where p.account_id is null or a.account_id is null or a.pix_id <> p.pix_id or a.institution_id <> p.institution_id
        or a.to_account_id = a.account_id
        or (t.account_id is null and a.status = 'assigned')
        or (t.account_id is not null and (t.charge_id is distinct from a.charge_id
          -- Of a code's Pix the end of the assignment names the charge that has it.
          and (a.qr_code_id is null or a.status = 'assigned') or t.amount <> p.amount
          or (a.status = 'assigned' and p.withheld is not null
            and coalesce(t.withheld, 0) + coalesce(a.house_tax, 0) < p.withheld)
          or t.institution_id <> p.institution_id or t.paid_at <> p.paid_at or t.outcome <> coalesce(a.outcome, t.outcome)))`,
  },
  {
    name: "U5",
    rule: "every received Pix that belongs to no charge, and that nobody has decided about, has its open case, and no other Pix has one",
    query: (from) => waiting(from, "full"),
    fresh: waiting(SLICE, "left"),
  },
  {
    name: "U4",
    across: true,
    rule: "a Pix of an institution is in the books of two accounts only where the house has assigned it to the other",
    query: (from) => sql`
      select p.account_id, ${IN_TWO}
      from (select e2e_id from ${from("received_pix")} group by e2e_id having count(*) > 1) d
      join ${from("received_pix")} p on p.e2e_id = d.e2e_id
      join ${from("received_pix")} o on o.e2e_id = p.e2e_id and o.institution_id = p.institution_id and o.account_id <> p.account_id
      where ${notAssigned(from)}`,
    fresh: sql`
      select x.account_id, ${IN_TWO}
      from slice_received_pix p
      join received_pix o on o.e2e_id = p.e2e_id and o.institution_id = p.institution_id and o.account_id <> p.account_id,
        lateral (values (p.account_id), (o.account_id)) x (account_id)
      where ${notAssigned(BOOKS)}`,
  },
];
