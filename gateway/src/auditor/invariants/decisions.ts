import { part, sql } from "../../db/sql.ts";
import { SLICE } from "../slice.ts";
import type { Source } from "../source.ts";
import type { Invariant } from "./invariant.ts";

/** Write-offs of failed returns, and their ends, without a decision. One also ends when money of its Pix goes back. */
const undecidedReturns = (from: Source) => part`
  select r.account_id, json_build_array('return', r.return_id, 'writtenOff', r.written_off_amount, 'decided', 0) as found
  from ${from("pix_returns")} r
  where r.written_off_by is not null and not exists (
    select from audit_log a
    where a.account_id = r.account_id and a.object_id = r.return_id and a.action = 'return.write_off'
      and (a.after ->> 'amount')::bigint = r.written_off_amount)
  union all
  select r.account_id, json_build_array('return', r.return_id, 'takenBack', r.written_off_amount, 'decided', 0)
  from ${from("pix_returns")} r
  where r.restored_at is not null
    and not exists (
      select from audit_log a
      where a.account_id = r.account_id and a.object_id = r.return_id and a.action = 'return.take_back'
        and (a.after ->> 'amount')::bigint = r.written_off_amount)
    -- Or it ended because money went back, which was booked in the same transaction, so at the same time.
    and not exists (
      select from ${from("pix_returns")} d join ${from("ledger_transfers")} t
        on t.account_id = d.account_id and t.source_id = d.return_id and t.kind = 'deposit_returned' and t.booked_at = r.restored_at
      where d.account_id = r.account_id and d.e2e_id = r.e2e_id)
    and not exists (
      select from ${from("psp_returns")} s where s.account_id = r.account_id and s.e2e_id = r.e2e_id and s.created_at = r.restored_at)`;

/**
 * Decisions of operators about money must be in the audit log, which is a chain, so that no movement lacks its decision.
 */
export const DECISION_INVARIANTS: readonly Invariant[] = [
  {
    name: "N1",
    rule: "every adjustment, commission and written-off debt has its entry in the audit log with the same amount, and each such entry has its movement",
    fresh: sql`
      select t.account_id, json_build_array('transfer', t.source_id, 'movement', t.kind, 'booked', t.amount,
        'decided', 0) as found
      from (
        -- A written-off debt is decided about its wallet, all else about itself: the log is read by its index.
        select l.account_id, l.kind, l.source_id, case when f.kind in ('available', 'promotional') then -l.amount else l.amount end as amount,
          case when l.kind <> 'debt_written_off' then case l.leg when 0 then 'adjustment.create' end
            else case l.leg when 0 then 'debt.write_off' when 1 then 'debt.take_back' end end as action,
          case when l.kind = 'debt_written_off' and l.leg = 0 then w.owner_id else l.source_id end as object_id
        from slice_ledger_transfers l
        left join slice_ledger_accounts f on f.account_id = l.account_id and f.no = l.from_no
        left join slice_ledger_accounts w on w.account_id = l.account_id and w.no = l.to_no
        where l.kind in ('adjustment', 'promotional_credit', 'commission', 'debt_written_off')
      ) t
      where not exists (
        select from audit_log a
        where a.account_id = t.account_id and a.object_id = t.object_id and a.action = t.action
          and t.amount = round(100 * case a.action when 'debt.write_off' then (a.before ->> 'owed')::numeric - (a.after ->> 'owed')::numeric
            else (a.after ->> 'amount')::numeric end)
          and (a.action <> 'debt.write_off' or a.after ->> 'transactionId' = t.source_id::text))`,
    query: (from) => sql`
      select coalesce(t.account_id, a.account_id) as account_id,
        json_build_array('transfer', coalesce(t.source_id, a.id), 'movement', coalesce(t.kind, a.kind),
          'booked', coalesce(t.amount, 0), 'decided', coalesce(a.amount, 0)) as found
      from (
        select l.account_id, l.kind, l.source_id, l.leg, case f.kind when 'available' then -l.amount when 'promotional' then -l.amount else l.amount end as amount
        from ${from("ledger_transfers")} l left join ${from("ledger_accounts")} f on f.account_id = l.account_id and f.no = l.from_no
        where l.kind in ('adjustment', 'promotional_credit', 'commission', 'debt_written_off')
      ) t
      full join (
        select account_id, 'adjustment' as kind, object_id as id, 0 as leg, round(100 * (after ->> 'amount')::numeric) as amount
        from audit_log where action = 'adjustment.create'
        union all
        select account_id, 'debt_written_off', object_id, 1, round(100 * (after ->> 'amount')::numeric)
        from audit_log where action = 'debt.take_back'
        union all
        select account_id, 'debt_written_off', (after ->> 'transactionId')::uuid, 0, round(100 * ((before ->> 'owed')::numeric - (after ->> 'owed')::numeric))
        from audit_log where action = 'debt.write_off'
      ) a on a.account_id = t.account_id and a.id = t.source_id and a.leg = t.leg
        and a.kind = case t.kind when 'debt_written_off' then t.kind else 'adjustment' end
      where t.account_id is null or a.account_id is null or t.amount <> a.amount`,
  },
  {
    name: "N2",
    rule: "every booked treasury entry has its entry in the audit log with the same amount and institution, and each such entry has its treasury entry",
    fresh: sql`
      select t.account_id, json_build_array('treasury', t.entry_id, 'booked', t.amount, 'decided', 0) as found
      from slice_treasury_entries t
      where t.status = 'booked' and not exists (
        select from audit_log a
        where a.account_id = t.account_id and a.action = 'treasury.book' and a.object_id = t.entry_id
          and (a.after ->> 'amount')::bigint = t.amount and a.after ->> 'institutionId' = t.institution_id::text)`,
    query: (from) => sql`
      select coalesce(t.account_id, a.account_id) as account_id,
        json_build_array('treasury', coalesce(t.entry_id, a.object_id), 'booked', coalesce(t.amount, 0),
          'decided', coalesce((a.after ->> 'amount')::bigint, 0)) as found
      from (select * from ${from("treasury_entries")} where status = 'booked') t
      full join (select * from audit_log where action = 'treasury.book' and after ->> 'status' = 'booked') a
        on a.account_id = t.account_id and a.object_id = t.entry_id
      where t.account_id is null or a.account_id is null or (a.after ->> 'amount')::bigint <> t.amount
        or a.after ->> 'institutionId' is distinct from t.institution_id::text`,
  },
  {
    name: "N8",
    rule: "every write-off of a failed return has its entry in the audit log with the same amount; it is taken back by another one, or because money went back; and each such entry has its return",
    fresh: sql`${undecidedReturns(SLICE)}`,
    query: (from) => sql`${undecidedReturns(from)}
        union all
        select a.account_id, json_build_array('return', a.object_id, 'action', a.action, 'booked', 0,
          'decided', (a.after ->> 'amount')::bigint)
        from audit_log a
        where a.action in ('return.write_off', 'return.take_back') and not exists (
          select from ${from("pix_returns")} r
          where r.account_id = a.account_id and r.return_id = a.object_id and r.written_off_amount = (a.after ->> 'amount')::bigint
            and (a.action = 'return.write_off' or r.restored_at is not null))`,
  },
  {
    name: "N3",
    rule: "a payout that operators booked after a restore has its entry in the audit log with the same amount and wallet",
    query: (from) => sql`
      select w.account_id, json_build_array('withdrawal', w.withdrawal_id, 'booked', w.amount, 'decided', 0) as found
      from ${from("withdrawals")} w
      where w.adopted and not exists (
        select from audit_log a
        where a.account_id = w.account_id and a.action = 'withdrawal.adopt' and a.object_id = w.withdrawal_id
          and (a.after ->> 'amount')::bigint = w.amount and a.after ->> 'walletId' = w.wallet_id::text)`,
  },
];
