import { texts } from "../../db/arrays.ts";
import { part, sql } from "../../db/sql.ts";
import { ROUTES } from "../../ledger/chart.ts";
import type { Statement } from "../source.ts";
import { agree } from "./claims.ts";
import type { Invariant } from "./invariant.ts";

const routes = Object.entries(ROUTES).flatMap(([kind, list]) => list.map((route) => `${kind} ${route}`));

/** C4. If it finds nothing, the lines that C1, C2 and P1 require exist. */
export const SETTLEMENTS: Statement = (from) => sql`
  select coalesce(e.account_id, t.account_id) as account_id,
    json_build_array('transfer', coalesce(e.source_id, t.source_id), 'movement', coalesce(e.kind, t.kind),
      'leg', coalesce(e.leg, t.leg), 'due', coalesce(e.amount, 0), 'booked', coalesce(t.amount, 0)) as found
  from (
    select c.account_id, 'charge_paid' as kind, c.charge_id as source_id, 0 as leg, c.amount,
      p.institution_id as from_owner, c.wallet_id as to_owner, c.paid_at
    from ${from("charges")} c
    left join ${from("received_pix")} p on p.account_id = c.account_id and p.charge_id = c.charge_id and p.outcome = 'credited'
      and p.e2e_id = c.e2e_id
    where c.status = 'completed'
    union all
    select account_id, 'charge_fee', charge_id, 0, fee_amount, wallet_id, null, paid_at
    from ${from("charges")} where status = 'completed' and fee_amount > 0
    union all
    select c.account_id, 'charge_split', c.charge_id, l.place::int - 1, l.amount::bigint, c.wallet_id,
      (c.split -> (l.place::int - 1) ->> 'walletId')::uuid, c.paid_at
    from ${from("charges")} c, jsonb_array_elements_text(c.applied_split) with ordinality as l (amount, place)
    where c.status = 'completed' and l.amount <> '0'
  ) e
  full join (
    select t.*, f.owner_id as from_owner, r.owner_id as to_owner
    from ${from("ledger_transfers")} t
    left join ${from("ledger_accounts")} f on f.account_id = t.account_id and f.no = t.from_no
    left join ${from("ledger_accounts")} r on r.account_id = t.account_id and r.no = t.to_no
    where t.kind in ('charge_paid', 'charge_fee', 'charge_split')
  ) t on t.account_id = e.account_id and t.kind = e.kind and t.source_id = e.source_id and t.leg = e.leg
  where e.account_id is null or t.account_id is null or t.amount <> e.amount
    or t.from_owner is distinct from e.from_owner or t.to_owner is distinct from e.to_owner
    or t.occurred_at is distinct from e.paid_at`;

/**
 * Incoming money, seen from the ledger: every transfer has a cause with the same amount and the same accounts. (C1 to C3
 * and P1 of verify.ts check the reverse.)
 */
export const RECEIPT_INVARIANTS: readonly Invariant[] = [
  {
    name: "T1",
    rule: "every transfer moves money between the kinds of ledger account that its own kind allows",
    query: (from) => sql`
      select t.account_id, json_build_array('transfer', t.source_id, 'movement', t.kind, 'leg', t.leg,
        'from', coalesce(f.kind, 'none'), 'to', coalesce(r.kind, 'none')) as found
      from ${from("ledger_transfers")} t
      left join ${from("ledger_accounts")} f on f.account_id = t.account_id and f.no = t.from_no
      left join ${from("ledger_accounts")} r on r.account_id = t.account_id and r.no = t.to_no
      where f.kind is null or r.kind is null
        or t.kind || ' ' || f.kind || '>' || r.kind <> all(${texts(routes)}::text[])`,
  },
  {
    name: "C4",
    rule: "a charge's transfers are exactly its settlement, at the time of its payment: paid to its wallet, one fee, each applied leg to its wallet, and no other",
    query: SETTLEMENTS,
  },
  {
    name: "C5",
    rule: "the applied legs of a split are legs of its charge, none larger than requested, together at most the net amount",
    query: (from) => sql`
      select c.account_id, json_build_array('charge', c.charge_id, 'net', coalesce(c.net_amount, 0),
        'served', coalesce(s.total, 0)) as found
      from ${from("charges")} c
      left join lateral (
        select sum(l.amount::bigint) as total,
          bool_and(l.amount::bigint between 0 and (c.split -> (l.place::int - 1) ->> 'amount')::bigint) as fits
        from jsonb_array_elements_text(c.applied_split) with ordinality as l (amount, place)
      ) s on true
      where (c.status = 'completed' and (c.applied_split is null) <> (c.split is null))
        or (c.status <> 'completed' and c.applied_split is not null)
        or coalesce(s.total, 0) > coalesce(c.net_amount, 0) or not coalesce(s.fits, true)
        or jsonb_array_length(c.applied_split) is distinct from case when c.applied_split is not null
          then jsonb_array_length(c.split) end`,
  },
  {
    name: "P2",
    rule: "every deposit in returns or suspense belongs to a received Pix with that outcome, amount, institution and time, and is booked once",
    query: (from) => sql`
      select t.account_id, json_build_array('transfer', t.source_id, 'movement', t.kind, 'leg', t.leg,
        'booked', t.amount, 'received', coalesce(p.amount, 0)) as found
      from ${from("ledger_transfers")} t
      left join ${from("ledger_accounts")} f on f.account_id = t.account_id and f.no = t.from_no
      left join ${from("received_pix")} p on p.account_id = t.account_id and p.pix_id = t.source_id
      where t.kind in ('deposit_blocked', 'unmatched_received')
        and (p.account_id is null or t.leg <> 0 or t.amount <> p.amount or f.owner_id is distinct from p.institution_id or t.occurred_at <> p.paid_at
          or (t.kind = 'unmatched_received') <> (p.outcome in ('unmatched', 'assigned', 'treasury'))
          or (t.kind = 'deposit_blocked') <> (p.outcome in ('blocked', 'second_payment')))`,
  },
  {
    name: "P3",
    rule: "what an institution withheld of a received Pix as tax is in the ledger once, taken from the wallet that was credited, otherwise from the operator's costs until the Pix is assigned, and after that what the charge's account does not bear; no other tax is",
    query: agree(
      (from) => part`
      select account_id, 'tax_withheld', case outcome when 'credited' then charge_id else pix_id end, 0, withheld,
        case outcome when 'credited' then 'available' else 'psp_costs' end, case outcome when 'credited' then wallet_id end,
        'psp', institution_id, paid_at
      from ${from("received_pix")} where withheld is not null
      union all
      select account_id, 'tax_withheld', pix_id, 1, withheld, 'psp', institution_id, 'psp_costs', null, paid_at
      from ${from("received_pix")} where withheld is not null and outcome = 'assigned'
      union all
      select a.account_id, 'tax_withheld', a.pix_id, 2, a.house_tax, 'psp_costs', null, 'psp', a.institution_id, p.paid_at
      from ${from("pix_assignments")} a
      left join ${from("received_pix")} p on p.account_id = a.account_id and p.e2e_id = a.e2e_id
      where a.house_tax is not null`,
      part`t.kind = 'tax_withheld'`,
    ),
  },
];
