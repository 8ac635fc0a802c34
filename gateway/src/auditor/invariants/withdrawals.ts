import { Fragment, sql } from "../../db/sql.ts";
import { DIGEST_OF_ASKED } from "../../lib/asked-digest.ts";
import { ERASED } from "../../lib/erased.ts";
import type { Invariant } from "./invariant.ts";

const NOT_ASKED = new Fragment([`holder_document <> '${ERASED}' and asked_digest <> ${DIGEST_OF_ASKED}`], []);

/** Rules of outgoing money (docs/money.md). */
export const WITHDRAWAL_INVARIANTS: readonly Invariant[] = [
  {
    name: "W1",
    rule: "the whole amount of every withdrawal was held once, from its wallet, and nothing else was held as a withdrawal",
    query: (from) => sql`
      select coalesce(w.account_id, t.account_id) as account_id,
        json_build_array('withdrawal', coalesce(w.withdrawal_id, t.source_id), 'amount', coalesce(w.amount, 0),
          'held', coalesce(t.amount, 0)) as found
      from ${from("withdrawals")} w
      full join (select * from ${from("ledger_transfers")} where kind = 'withdrawal_held') t
        on t.account_id = w.account_id and t.source_id = w.withdrawal_id
      left join ${from("ledger_accounts")} f on f.account_id = t.account_id and f.no = t.from_no and f.kind = 'available'
        and f.owner_id = w.wallet_id
      left join ${from("ledger_accounts")} h on h.account_id = t.account_id and h.no = t.to_no and h.kind = 'held'
        and h.owner_id = w.wallet_id
      where w.account_id is null or t.account_id is null or t.amount <> w.amount or t.leg <> 0
        or f.account_id is null or h.account_id is null`,
  },
  {
    name: "W2",
    rule: "the money of a completed or reversed withdrawal left the hold once: the receiver's amount to the institution, the fee to the operator; no other withdrawal's money left the hold in this way",
    query: (from) => sql`
      select coalesce(w.account_id, t.account_id) as account_id,
        json_build_array('withdrawal', coalesce(w.withdrawal_id, t.source_id), 'movement', coalesce(w.kind, t.kind),
          'due', coalesce(w.amount, 0), 'booked', coalesce(t.amount, 0)) as found
      from (
        select account_id, withdrawal_id, wallet_id, institution_id, 'withdrawal_sent' as kind, net_amount as amount, settled_at
        from ${from("withdrawals")} where status in ('completed', 'reversed')
        union all
        select account_id, withdrawal_id, wallet_id, null, 'withdrawal_fee', fee_amount, settled_at
        from ${from("withdrawals")} where status in ('completed', 'reversed') and fee_amount > 0
      ) w
      full join (select * from ${from("ledger_transfers")} where kind in ('withdrawal_sent', 'withdrawal_fee')) t
        on t.account_id = w.account_id and t.source_id = w.withdrawal_id and t.kind = w.kind
      left join ${from("ledger_accounts")} h on h.account_id = t.account_id and h.no = t.from_no and h.kind = 'held'
        and h.owner_id = w.wallet_id
      left join ${from("ledger_accounts")} r on r.account_id = t.account_id and r.no = t.to_no
        and r.kind = case w.kind when 'withdrawal_sent' then 'psp' else 'fees' end
        and r.owner_id is not distinct from w.institution_id
      where w.account_id is null or t.account_id is null or t.amount <> w.amount or t.leg <> 0
        or h.account_id is null or r.account_id is null or t.occurred_at is distinct from w.settled_at`,
  },
  {
    name: "W3",
    rule: "the whole amount that a failed withdrawal held is available again; it is reclaimed only if the payment was made after all",
    query: (from) => sql`
      select coalesce(w.account_id, t.account_id) as account_id,
        json_build_array('withdrawal', coalesce(w.withdrawal_id, t.source_id),
          'status', coalesce(w.status, 'none'), 'released', coalesce(t.released, 0),
          'takenBack', coalesce(t.reclaimed, 0)) as found
      from ${from("withdrawals")} w
      full join (
        select l.account_id, l.source_id,
          coalesce(sum(l.amount) filter (where l.kind = 'withdrawal_released'), 0) as released,
          coalesce(sum(l.amount) filter (where l.kind = 'withdrawal_reclaimed'), 0) as reclaimed,
          bool_or(l.leg <> 0) as more, array_agg(distinct a.owner_id) as available_of, array_agg(distinct h.owner_id) as held_of
        from ${from("ledger_transfers")} l
        left join ${from("ledger_accounts")} a on a.account_id = l.account_id and a.kind = 'available'
          and a.no = case l.kind when 'withdrawal_released' then l.to_no else l.from_no end
        left join ${from("ledger_accounts")} h on h.account_id = l.account_id and h.kind = 'held'
          and h.no = case l.kind when 'withdrawal_released' then l.from_no else l.to_no end
        where l.kind in ('withdrawal_released', 'withdrawal_reclaimed') group by l.account_id, l.source_id
      ) t on t.account_id = w.account_id and t.source_id = w.withdrawal_id
      where w.account_id is null
        or coalesce(t.released, 0) - coalesce(t.reclaimed, 0) <> case w.status when 'failed' then w.amount else 0 end
        or (t.account_id is not null and (t.more or t.released <> w.amount or t.reclaimed not in (0, w.amount)
          or (t.reclaimed > 0 and w.status not in ('completed', 'reversed'))
          or t.available_of <> array[w.wallet_id] or t.held_of <> array[w.wallet_id]))`,
  },
  {
    name: "W4",
    rule: "every return of a withdrawal is in the ledger once, with its value, from the institution to the wallet, and no other is",
    query: (from) => sql`
      select coalesce(r.account_id, t.account_id) as account_id,
        json_build_array('return', coalesce(r.rtr_id, t.source_id::text), 'amount', coalesce(r.amount, 0),
          'booked', coalesce(t.amount, 0)) as found
      from (
        select r.*, w.wallet_id, w.institution_id from ${from("withdrawal_returns")} r
        left join ${from("withdrawals")} w on w.account_id = r.account_id and w.withdrawal_id = r.withdrawal_id
      ) r
      full join (select * from ${from("ledger_transfers")} where kind = 'withdrawal_returned') t
        on t.account_id = r.account_id and t.source_id = r.return_id
      left join ${from("ledger_accounts")} p on p.account_id = t.account_id and p.no = t.from_no and p.kind = 'psp'
        and p.owner_id = r.institution_id
      left join ${from("ledger_accounts")} a on a.account_id = t.account_id and a.no = t.to_no and a.kind = 'available'
        and a.owner_id = r.wallet_id
      where r.account_id is null or t.account_id is null or t.amount <> r.amount or t.leg <> 0
        or p.account_id is null or a.account_id is null or t.occurred_at <> r.returned_at`,
  },
  {
    name: "W5",
    rule: "the returned amount of a withdrawal is the sum of its returns; if it is the whole amount, and only then, the withdrawal is reversed and its fee returned",
    query: (from) => sql`
      select coalesce(w.account_id, t.account_id) as account_id,
        json_build_array('withdrawal', coalesce(w.withdrawal_id, t.source_id),
          'status', coalesce(w.status, 'none'), 'returned', coalesce(w.returned_amount, 0),
          'returns', coalesce(w.total, 0), 'feeBack', coalesce(t.amount, 0)) as found
      from (
        select w.*, (select coalesce(sum(r.amount), 0) from ${from("withdrawal_returns")} r
          where r.account_id = w.account_id and r.withdrawal_id = w.withdrawal_id) as total
        from ${from("withdrawals")} w
      ) w
      full join (select * from ${from("ledger_transfers")} where kind = 'withdrawal_fee_returned') t
        on t.account_id = w.account_id and t.source_id = w.withdrawal_id
      left join ${from("ledger_accounts")} f on f.account_id = t.account_id and f.no = t.from_no and f.kind = 'fees'
      left join ${from("ledger_accounts")} a on a.account_id = t.account_id and a.no = t.to_no and a.kind = 'available'
        and a.owner_id = w.wallet_id
      where w.account_id is null or w.total <> w.returned_amount
        or (w.status = 'reversed') <> (w.returned_amount = w.net_amount)
        or coalesce(t.amount, 0) <> case w.status when 'reversed' then w.fee_amount else 0 end
        or (t.account_id is not null and (t.leg <> 0 or f.account_id is null or a.account_id is null))`,
  },
  {
    name: "W6",
    rule: "every return of a withdrawal is shown by one transaction of its wallet; the return that completes the amount shows the fee too",
    query: (from) => sql`
      select w.account_id, json_build_array('withdrawal', w.withdrawal_id, 'shown', coalesce(s.shown, 0),
        'returned', w.returned_amount) as found
      from ${from("withdrawals")} w
      left join (
        select r.account_id, r.withdrawal_id, sum(m.amount) as shown, count(*) as returns, count(m.movement_id) as movements,
          count(distinct m.wallet_id) as wallets, min(m.wallet_id::text)::uuid as wallet_id
        from ${from("withdrawal_returns")} r
        left join ${from("movements")} m on m.account_id = r.account_id and m.movement_id = r.movement_id and m.type = 'adjustment'
          and m.direction = 'in' and m.cause_id = r.return_id and m.amount >= r.amount
        group by r.account_id, r.withdrawal_id
      ) s on s.account_id = w.account_id and s.withdrawal_id = w.withdrawal_id
      where coalesce(s.shown, 0) <> w.returned_amount + case w.status when 'reversed' then w.fee_amount else 0 end
        or s.returns <> s.movements or s.wallets <> 1 or s.wallet_id <> w.wallet_id`,
  },
  {
    name: "W8",
    rule: "the receiver, the amount, the wallet and the id at its institution of a withdrawal are those that were asked for",
    query: (from) => sql`
      select account_id, json_build_array('withdrawal', withdrawal_id, 'status', 'not_asked') as found
      from ${from("withdrawals")} where ${NOT_ASKED}`,
  },
  {
    name: "W7",
    rule: "a withdrawal has one event for each final status that it reached, and none for another; if it needed approval, the event that asks for it; and one for each partial return, except the return that makes it reversed",
    query: (from) => sql`
      select w.account_id, json_build_array('withdrawal', w.withdrawal_id, 'status', w.status, 'event', n.kind) as found
      from ${from("withdrawals")} w
      cross join lateral (values
        ('withdrawal_awaiting_approval', 'withdrawal_awaiting_approval_' || w.withdrawal_id,
          w.awaiting_approval or w.approved_at is not null),
        ('withdrawal_completed', w.withdrawal_id::text, w.status in ('completed', 'reversed')),
        ('withdrawal_failed', 'withdrawal_failed_' || w.withdrawal_id, exists (select from ${from("ledger_transfers")} t
          where t.account_id = w.account_id and t.kind = 'withdrawal_released' and t.source_id = w.withdrawal_id)),
        ('withdrawal_reversed', 'withdrawal_reversed_' || w.withdrawal_id, w.status = 'reversed')
      ) n (kind, event_id, due)
      left join ${from("events")} e on e.account_id = w.account_id and e.event_id = n.event_id and e.kind = n.kind
      where n.due <> (e.event_id is not null)
      union all
      select w.account_id, json_build_array('withdrawal', w.withdrawal_id, 'status', w.status, 'withoutEvent', count(*))
      from ${from("withdrawals")} w
      join ${from("withdrawal_returns")} r on r.account_id = w.account_id and r.withdrawal_id = w.withdrawal_id
      left join ${from("events")} e on e.account_id = r.account_id and e.event_id = 'withdrawal_partially_returned_' || r.movement_id
      where e.event_id is null
      group by w.account_id, w.withdrawal_id, w.status having count(*) > case w.status when 'reversed' then 1 else 0 end`,
  },
  {
    name: "W9",
    across: true,
    rule: "one payment at a bank completes one withdrawal: the end-to-end id of a paid withdrawal, and each id that its bank gave one, is claimed by this withdrawal",
    query: (from) => sql`
      select w.account_id, json_build_array('withdrawal', w.withdrawal_id, 'claimedBy', coalesce(p.withdrawal_id::text, 'none')) as found
      from (
        select account_id, withdrawal_id, 'network' as given_by, e2e_id as payout_id from ${from("withdrawals")}
        where status in ('completed', 'reversed') and e2e_id is not null
        union all
        select w.account_id, w.withdrawal_id, w.institution_id::text, known ->> 'reference'
        from ${from("withdrawals")} w cross join lateral jsonb_array_elements(w.psp_references) known
        where w.psp_references <> '[]'
      ) w
      left join ${from("payout_ids")} p on p.account_id in (select account_id from ${from("accounts")} where is_house)
        and p.given_by = w.given_by and p.payout_id = w.payout_id
      where (p.tenant_id, p.withdrawal_id) is distinct from (w.account_id, w.withdrawal_id)`,
  },
];
