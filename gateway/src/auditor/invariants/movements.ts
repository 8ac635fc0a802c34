import { sql } from "../../db/sql.ts";
import type { Invariant } from "./invariant.ts";

/** Rules of internal transfers and of the operator's own movements. */
export const MOVEMENT_INVARIANTS: readonly Invariant[] = [
  {
    name: "M1",
    rule: "an internal transfer has two sides, out of one wallet and into another, each with its own id; no other movement has two sides",
    query: (from) => sql`
      select account_id, json_build_array('transfer', cause_id, 'movement', type, 'leg', leg,
        'direction', direction, 'movementId', movement_id,
        'counterpart', coalesce(counterpart_movement_id::text, 'none')) as found
      from ${from("movements")}
      where case when type = 'internal_transfer' then direction <> 'out' or counterpart_wallet_id is null
          or counterpart_movement_id is null or counterpart_wallet_id = wallet_id or counterpart_movement_id = movement_id
        else counterpart_wallet_id is not null or counterpart_movement_id is not null end`,
  },
  {
    name: "M2",
    rule: "every internal transfer is in the ledger once, with its amount and wallets, and no other transfer between wallets is",
    query: (from) => sql`
      select coalesce(m.account_id, t.account_id) as account_id,
        json_build_array('cause', coalesce(m.cause_id, t.source_id), 'leg', coalesce(m.leg, t.leg),
          'amount', coalesce(m.amount, 0), 'booked', coalesce(t.amount, 0)) as found
      from (select * from ${from("movements")} where type = 'internal_transfer') m
      full join (select * from ${from("ledger_transfers")} where kind in ('transfer', 'charge_split')) t
        on t.account_id = m.account_id and t.source_id = m.cause_id and t.leg = m.leg
      left join ${from("ledger_accounts")} f on f.account_id = t.account_id and f.no = t.from_no and f.kind = 'available'
        and f.owner_id = m.wallet_id
      left join ${from("ledger_accounts")} r on r.account_id = t.account_id and r.no = t.to_no and r.kind = 'available'
        and r.owner_id = m.counterpart_wallet_id
      where case when m.account_id is null then t.kind <> 'charge_split'
        else t.account_id is null or t.amount <> m.amount or f.account_id is null or r.account_id is null end`,
  },
  {
    name: "M3",
    rule: "every adjustment, commission and written-off debt is in the ledger once, between the operator, or an institution that had not taken it, and its wallet, and no other money of the operator's is",
    query: (from) => sql`
      select coalesce(m.account_id, t.account_id) as account_id,
        json_build_array('transfer', coalesce(m.cause_id, t.source_id), 'movement', coalesce(m.type, 'none'),
          'amount', coalesce(m.amount, 0), 'booked', coalesce(t.amount, 0)) as found
      from (
        -- What came back of a withdrawal is an adjustment to the merchant, and W6's here.
        select * from ${from("movements")} a where a.type in ('adjustment', 'referral_commission') and not exists (
          select from ${from("withdrawal_returns")} r where r.account_id = a.account_id and r.return_id = a.cause_id)
      ) m
      full join (
        select t.*, w.kind as balance, w.owner_id, o.no = t.from_no as given
        from ${from("ledger_transfers")} t
        left join ${from("ledger_accounts")} o on o.account_id = t.account_id and o.no in (t.from_no, t.to_no)
          and (o.kind = case t.kind when 'debt_written_off' then 'write_offs' else 'operator' end
            or (t.kind = 'adjustment' and o.kind = 'psp'))
        left join ${from("ledger_accounts")} w on w.account_id = t.account_id and w.no in (t.from_no, t.to_no)
          and w.kind in ('available', 'promotional')
        where t.kind in ('adjustment', 'promotional_credit', 'commission', 'debt_written_off')
      ) t on t.account_id = m.account_id and t.source_id = m.cause_id and t.leg = m.leg
      where m.account_id is null or t.account_id is null or t.amount <> m.amount
        or t.given is distinct from (m.direction = 'in') or t.owner_id is distinct from m.wallet_id
        or (t.kind = 'commission') <> (m.type = 'referral_commission')
        or (t.kind in ('adjustment', 'debt_written_off') and t.balance <> 'available') or (t.kind = 'promotional_credit' and t.balance <> 'promotional')`,
  },
];
