-- What the operator decides about received Pix that belong to no charge, and about returns that failed.

-- `assigned`: given to a charge; the Pix is in the books of that charge's account as well.
alter table received_pix drop constraint received_pix_outcome_check,
  add constraint received_pix_outcome_check
    check (outcome in ('credited', 'blocked', 'second_payment', 'unmatched', 'assigned')),
  -- As the institution told it, kept where it led to no charge.
  add column txid text;
create index received_pix_unmatched on received_pix (account_id, pix_id) where outcome in ('unmatched', 'assigned');

-- Receipts of the house that were given to charges: the intent, in the transaction that takes the money out of suspense.
-- `assigning`: the charge may not be settled yet, which the loop does.
create table pix_assignments (
  account_id uuid not null,
  e2e_id text not null,
  pix_id uuid not null,
  institution_id uuid not null,
  to_account_id uuid not null,
  charge_id uuid not null,
  status text not null check (status in ('assigning', 'assigned')),
  -- What the charge's account made of it.
  outcome text check (outcome in ('credited', 'blocked', 'second_payment')),
  -- When the loop settles it; null when it is settled. Claiming moves it into the future.
  next_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, e2e_id),
  unique (account_id, pix_id),
  check ((outcome is null) = (status = 'assigning')),
  check ((next_at is not null) = (status = 'assigning'))
);
create index pix_assignments_due on pix_assignments (next_at) where next_at is not null;

-- A return of a receipt has no charge. One that failed may be tried again: as it is, or by another that takes its place.
alter table pix_returns alter column charge_id drop not null,
  add column retry_of uuid,
  add column retried_at timestamptz;
drop index pix_returns_of_deposit;
create unique index pix_returns_of_deposit on pix_returns (account_id, e2e_id) where purpose = 'deposit' and retry_of is null;
create unique index pix_returns_retries on pix_returns (account_id, retry_of) where retry_of is not null;
create index pix_returns_failed on pix_returns (return_id)
  where purpose = 'deposit' and (status = 'failed' or retried_at is not null);

-- The return that counts of a Pix: the one that gave it back, else the latest.
create view deposit_returns as
  select distinct on (account_id, e2e_id) * from pix_returns where purpose = 'deposit'
  order by account_id, e2e_id, (status = 'confirmed') desc, return_id desc;

-- What waits for the operator, and what became of it.
create view unmatched as
  select p.account_id, 'receipt'::text as kind, p.pix_id as id, p.institution_id, p.e2e_id, p.amount, p.paid_at,
    p.payer_name, p.payer_document, p.txid, 'unmatched'::text as received_as, p.reason, p.received_at as created_at,
    case when a.status is not null then a.status when r.status = 'confirmed' then 'returned'
      when r.status = 'failed' then 'return_failed' when r.status is not null then 'returning'
      when p.amount <= coalesce((
        select sum(s.amount) from psp_returns s where s.account_id = p.account_id and s.e2e_id = p.e2e_id), 0) then 'returned'
      else 'open' end as status,
    case when a.status is not null then 'assign' when r.status is not null then 'return' end as action,
    a.to_account_id, a.charge_id, a.outcome as assigned_as, r.return_id, coalesce(a.created_at, f.created_at) as resolved_at
  from received_pix p
  left join pix_assignments a on a.account_id = p.account_id and a.e2e_id = p.e2e_id
  left join pix_returns f on f.account_id = p.account_id and f.e2e_id = p.e2e_id and f.purpose = 'deposit' and f.retry_of is null
  left join lateral (
    select * from pix_returns l where l.account_id = p.account_id and l.e2e_id = p.e2e_id and l.purpose = 'deposit'
    order by (l.status = 'confirmed') desc, l.return_id desc limit 1
  ) r on true
  where p.outcome in ('unmatched', 'assigned')
  union all
  select r.account_id, 'return', r.return_id, r.institution_id, r.e2e_id, r.amount, p.paid_at,
    p.payer_name, p.payer_document, p.txid, p.outcome, r.failure_reason, r.created_at,
    case when r.status = 'confirmed' then 'returned' when r.status <> 'failed' then 'returning'
      when n.return_id is not null then 'retried'
      when (
        select coalesce(sum(case when d.retry_of is null then d.amount else 0 end), 0)
          - coalesce(sum(d.amount) filter (where d.status = 'confirmed'), 0)
        from pix_returns d where d.account_id = r.account_id and d.e2e_id = r.e2e_id and d.purpose = 'deposit'
      ) <= coalesce((
        select sum(s.amount) from psp_returns s
        where s.account_id = r.account_id and s.e2e_id = r.e2e_id and s.source = 'returns'), 0) then 'returned'
      else 'open' end,
    case when r.retried_at is not null then 'retry' end,
    null, r.charge_id, null, n.return_id, r.retried_at
  from pix_returns r
  join received_pix p on p.account_id = r.account_id and p.e2e_id = r.e2e_id
  left join pix_returns n on n.account_id = r.account_id and n.retry_of = r.return_id
  where r.purpose = 'deposit' and (r.status = 'failed' or r.retried_at is not null);

-- A deposit shows the return that counts.
create or replace view transactions as
  select * from (
    select c.account_id, c.charge_id as transaction_id, c.wallet_id, 'payment'::text as type, c.status, c.amount,
      c.description, c.external_reference, c.idempotency_key, c.customer_id, c.project_id, c.metadata, c.pix_copy_paste,
      c.expires_at, c.paid_at, c.e2e_id, c.counterpart_name, c.counterpart_document, c.failure_reason, c.blocked_reason,
      c.paid_after_expiry, c.created_at,
      greatest(c.updated_at, case when c.blocked_reason is not null then (
        select r.updated_at from deposit_returns r where r.account_id = c.account_id and r.e2e_id = c.e2e_id)
        end) as updated_at,
      case when c.blocked_reason is not null then (
        select r.status from deposit_returns r where r.account_id = c.account_id and r.e2e_id = c.e2e_id)
        end as return_status,
      case when c.blocked_reason is not null then (
        select r.rtr_id from deposit_returns r where r.account_id = c.account_id and r.e2e_id = c.e2e_id)
        end as return_e2e_id,
      case when c.blocked_reason is not null then (
        select r.settled_at from deposit_returns r where r.account_id = c.account_id and r.e2e_id = c.e2e_id)
        end as return_settled_at,
      'in'::text as direction, null::uuid as original_id, null::text as withdrawal_status
    from charges c
    union all
    select m.account_id, m.movement_id, m.wallet_id, m.type, 'completed'::text, m.amount,
      m.description, null::text, m.idempotency_key, null::uuid, null::uuid, null::jsonb, null::text,
      null::timestamptz, null::timestamptz, null::text, null::text, null::text, null::text, null::text,
      false, m.created_at, m.created_at, null::text, null::text, null::timestamptz, m.direction, null::uuid, null::text
    from movements m
    union all
    select r.account_id, r.refund_id, r.wallet_id, 'refund'::text,
      case r.status when 'confirmed' then 'completed' when 'error' then 'failed' else 'pending' end, r.amount,
      r.reason, null::text, r.idempotency_key, null::uuid, null::uuid, null::jsonb, null::text,
      null::timestamptz, null::timestamptz, r.rtr_id, null::text, null::text, r.failure_reason, null::text,
      false, r.created_at, r.updated_at, null::text, null::text, null::timestamptz, 'out'::text, r.charge_id, null::text
    from refunds r
    union all
    select w.account_id, w.withdrawal_id, w.wallet_id, 'withdrawal'::text, w.transaction_status, w.amount,
      null::text, w.external_reference, w.idempotency_key, null::uuid, w.project_id, null::jsonb, null::text,
      null::timestamptz, w.settled_at, w.e2e_id, w.counterpart_name, w.counterpart_document,
      case when w.status = 'failed' then w.failure_reason end, null::text,
      false, w.created_at, w.updated_at, null::text, null::text, null::timestamptz, 'out'::text, null::uuid, w.status
    from withdrawals w
  ) t
  where status not in ('creating', 'rejected');
