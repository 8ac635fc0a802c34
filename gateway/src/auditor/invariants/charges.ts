import { sql } from "../../db/sql.ts";
import type { Statement } from "../source.ts";
import type { Invariant } from "./invariant.ts";
import { SETTLEMENTS } from "./receipts.ts";

/** C3. */
const CREDITS: Statement = (from) => sql`
  select coalesce(c.account_id, p.account_id) as account_id,
    json_build_array('charge', coalesce(c.charge_id, p.charge_id), 'pix', coalesce(p.e2e_id, 'none')) as found
  from (select * from ${from("charges")} where status = 'completed') c
  full join (select * from ${from("received_pix")} where outcome = 'credited') p
    on p.account_id = c.account_id and p.charge_id = c.charge_id
  where c.account_id is null or p.account_id is null or p.e2e_id <> c.e2e_id or p.amount <> c.amount
    or p.wallet_id is distinct from c.wallet_id or p.paid_at is distinct from c.paid_at`;

/** What C1 requires of a charge beside its lines. Few have a withheld tax, so the others are checked without their Pix. */
const NET_AMOUNTS: Statement = (from) => sql`
  select c.account_id from ${from("charges")} c
  where c.status = 'completed' and (c.fee_amount is null or c.net_amount <> c.amount - c.fee_amount) and not exists (
    select from ${from("received_pix")} p
    where p.account_id = c.account_id and p.e2e_id = c.e2e_id and p.withheld = c.amount - c.fee_amount - c.net_amount)
  union all
  select c.account_id from ${from("received_pix")} p
  join ${from("charges")} c on c.account_id = p.account_id and c.charge_id = p.charge_id
  where p.withheld is not null and p.outcome = 'credited' and c.net_amount <> c.amount - c.fee_amount - p.withheld`;

/** P1, for the few that were not credited. */
const NOT_CREDITED: Statement = (from) => sql`
  select p.account_id, json_build_array('pix', p.e2e_id, 'status', p.outcome) as found
  from ${from("received_pix")} p left join ${from("ledger_transfers")} t on t.account_id = p.account_id and t.leg = 0
    and t.kind = case when p.outcome = 'credited' then 'charge_paid' when p.outcome in ('unmatched', 'assigned', 'treasury') then 'unmatched_received'
      else 'deposit_blocked' end
    and t.source_id = case p.outcome when 'credited' then p.charge_id else p.pix_id end
  where p.outcome <> 'credited' and (t.account_id is null or t.amount <> p.amount)`;

/** Rules of charges and of the Pix that paid them. */
export const CHARGE_INVARIANTS: readonly Invariant[] = [
  {
    name: "C1",
    rule: "a completed charge has exactly its settlement in the ledger, and no other charge has one",
    unless: [SETTLEMENTS, NET_AMOUNTS],
    query: (from) => sql`
      select coalesce(c.account_id, t.account_id) as account_id,
        json_build_array('charge', coalesce(c.charge_id, t.source_id), 'statusNow', coalesce(c.status, 'none'),
          'amount', coalesce(c.amount, 0), 'booked', coalesce(t.amount, 0)) as found
      from (select * from ${from("charges")} where status = 'completed') c
      full join (select * from ${from("ledger_transfers")} where kind = 'charge_paid') t
        on t.account_id = c.account_id and t.source_id = c.charge_id
      where c.account_id is null or t.account_id is null or t.amount <> c.amount or t.leg <> 0
        or c.fee_amount is null or c.net_amount <> c.amount - c.fee_amount - coalesce((
          select p.withheld from ${from("received_pix")} p
          where p.account_id = c.account_id and p.e2e_id = c.e2e_id and p.outcome = 'credited'), 0)`,
  },
  {
    name: "C2",
    rule: "the fee of a completed charge is what the ledger booked for it",
    unless: [SETTLEMENTS],
    query: (from) => sql`
      select c.account_id, json_build_array('charge', c.charge_id, 'fee', c.fee_amount, 'booked', coalesce(t.amount, 0)) as found
      from ${from("charges")} c left join ${from("ledger_transfers")} t
        on t.account_id = c.account_id and t.kind = 'charge_fee' and t.source_id = c.charge_id
      where c.status = 'completed' and c.fee_amount <> coalesce(t.amount, 0)`,
  },
  {
    name: "C3",
    rule: "a completed charge has one credited Pix with its end-to-end id, amount, wallet and time, and each credited Pix has its charge",
    query: CREDITS,
  },
  {
    name: "C6",
    rule: "every charge that is creating or pending has its schedule, with the till that it stands on, and no other charge has one",
    query: (from) => sql`
      select coalesce(c.account_id, o.account_id) as account_id,
        json_build_array('charge', coalesce(c.charge_id, o.charge_id), 'statusNow', coalesce(c.status, 'over'),
          'schedule', case when o.account_id is null then 'no_schedule' else 'scheduled' end) as found
      from (select * from ${from("charges")} where status in ('creating', 'pending')) c
      full join ${from("open_charges")} o on o.account_id = c.account_id and o.wallet_id = c.wallet_id and o.charge_id = c.charge_id
      where c.account_id is null or o.account_id is null or o.qr_code_id is distinct from c.qr_code_id`,
  },
  {
    name: "P1",
    rule: "every received Pix is in the ledger once, with its amount",
    unless: [SETTLEMENTS, CREDITS, NOT_CREDITED],
    query: (from) => sql`
      select p.account_id, json_build_array('pix', p.e2e_id, 'status', p.outcome) as found
      from ${from("received_pix")} p left join ${from("ledger_transfers")} t on t.account_id = p.account_id and t.leg = 0
        and t.kind = case when p.outcome = 'credited' then 'charge_paid' when p.outcome in ('unmatched', 'assigned', 'treasury') then 'unmatched_received'
          else 'deposit_blocked' end
        and t.source_id = case p.outcome when 'credited' then p.charge_id else p.pix_id end
      where t.account_id is null or t.amount <> p.amount`,
  },
];
