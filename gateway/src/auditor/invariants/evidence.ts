import { part, sql } from "../../db/sql.ts";
import type { Source } from "../source.ts";
import type { Invariant } from "./invariant.ts";

/** For each kind of transfer that is booked only from an answer: the object of that answer, by the transfer's source. */
const about = (from: Source) => part`
  select account_id, charge_id as source_id, 'charge_paid' as kind, e2e_id as about from ${from("charges")} where e2e_id is not null
  union all select account_id, charge_id, 'tax_withheld', e2e_id from ${from("charges")} where e2e_id is not null
  union all select account_id, pix_id, k.kind, e2e_id from ${from("received_pix")}
    cross join (values ('deposit_blocked'), ('unmatched_received'), ('tax_withheld')) k (kind)
  union all select account_id, return_id, 'deposit_returned', e2e_id from ${from("pix_returns")}
  union all select account_id, refund_id, k.kind, e2e_id from ${from("refunds")} cross join (values ('refund_sent'), ('psp_return')) k (kind)
  union all select distinct account_id, psp_return_id, 'psp_return', e2e_id from ${from("psp_returns")}
  union all select account_id, block_id, 'block_taken', e2e_id from ${from("balance_blocks")} where e2e_id is not null
  union all select account_id, withdrawal_id, 'withdrawal_sent', psp_id from ${from("withdrawals")}
  union all select r.account_id, r.return_id, 'withdrawal_returned', w.psp_id from ${from("withdrawal_returns")} r
    join ${from("withdrawals")} w on w.account_id = r.account_id and w.withdrawal_id = r.withdrawal_id
  union all select account_id, source_id, 'bank_tariff', about from ${from("bank_tariffs")}`;

/** The form of ids; other text is not one. */
const UUID = "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$";

/** Rules of the answers and decisions from which movements at institutions were booked. */
export const EVIDENCE_INVARIANTS: readonly Invariant[] = [
  {
    name: "V1",
    rule: "each transfer at an institution has its evidence, and each evidence its transfer; what an institution answered moves its own money alone",
    query: (from) => sql`
      select coalesce(t.account_id, e.account_id) as account_id,
        json_build_array('transfer', coalesce(t.source_id, e.source_id), 'movement', coalesce(t.kind, e.kind),
          'leg', coalesce(t.leg, e.leg),
          'evidence', case when e.account_id is null then 'no_evidence' when t.account_id is null then 'evidence_of_nothing' when t.booked_at <> e.booked_at then 'evidence_of_another_time' else 'evidence_of_another_institution' end) as found
      from (
        select t.account_id, t.kind, t.source_id, t.leg, t.booked_at, a.owner_id
        from ${from("ledger_transfers")} t join ${from("ledger_accounts")} a on a.account_id = t.account_id and a.no = t.from_no where a.kind = 'psp'
        union all
        select t.account_id, t.kind, t.source_id, t.leg, t.booked_at, a.owner_id
        from ${from("ledger_transfers")} t join ${from("ledger_accounts")} a on a.account_id = t.account_id and a.no = t.to_no where a.kind = 'psp'
      ) t full join ${from("booking_evidence")} e
        on e.account_id = t.account_id and e.source_id = t.source_id and e.kind = t.kind and e.leg = t.leg
      where e.account_id is null or t.account_id is null or t.booked_at <> e.booked_at or e.institution_id <> t.owner_id`,
  },
  {
    name: "V2",
    rule: "an answer is about the Pix or payout whose money it moved, and names it",
    query: (from) => sql`
      select e.account_id, json_build_array('transfer', e.source_id, 'movement', e.kind, 'about', e.about) as found
      from ${from("booking_evidence")} e left join (${about(from)}) s
        on s.account_id = e.account_id and s.source_id = e.source_id and s.kind = e.kind
      left join ${from("withdrawals")} w on e.kind = 'withdrawal_sent' and w.account_id = e.account_id and w.withdrawal_id = e.source_id
      where e.origin = 'answer' and (s.about is distinct from e.about
        or (e.kind in ('charge_paid', 'deposit_blocked', 'unmatched_received', 'tax_withheld', 'withdrawal_sent') and position(e.about in e.body) = 0
          -- Some banks name it by an id of their own alone.
          and not exists (select from jsonb_array_elements(w.psp_references) r where position(r ->> 'reference' in e.body) > 0)))`,
  },
  {
    name: "V3",
    rule: "a decision is one that operators made: a proposal that was executed, the entry of the audit log about this very decision, an assignment of a receipt",
    query: (from) => sql`
      select e.account_id, json_build_array('transfer', e.source_id, 'movement', e.kind, 'origin', e.origin,
        'about', e.about) as found
      from (
        -- By key: each is one row of tables that grow for ever.
        select f.*, case when f.about ~ ${UUID} then f.about::uuid end as id from ${from("booking_evidence")} f where f.origin <> 'answer'
      ) e
      left join case_proposals p on e.origin = 'proposal' and p.account_id = e.account_id and p.proposal_id = e.id
        and p.begun_at <= e.booked_at
      left join audit_log a on e.origin = 'decision' and a.account_id = e.account_id and a.audit_id = e.id
        and a.object_id = e.source_id and a.created_at = e.booked_at
        and a.action = any(case e.kind when 'unmatched_resolved' then array['unmatched.assign']
          when 'tax_withheld' then array['unmatched.assign']
          when 'block_taken' then array['balance_block.resolve', 'balance_block.end_hold'] else array['treasury.book'] end)
      left join ${from("received_pix")} r on e.origin = 'receipt' and r.account_id = e.account_id and r.e2e_id = e.about
      where p.account_id is null and a.account_id is null and r.account_id is null`,
  },
];
