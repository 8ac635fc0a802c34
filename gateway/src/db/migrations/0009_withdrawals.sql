-- Money that a wallet sends to a Pix key. The row, the hold and the Idempotency-Key are written together; what becomes of
-- it is written only as the PSP tells it.
create table withdrawals (
  account_id uuid not null,
  -- Also its transaction id.
  withdrawal_id uuid not null,
  wallet_id uuid not null,
  -- `pending`: nothing has been sent. `processing`: a request may have left.
  status text not null check (status in ('pending', 'processing', 'completed', 'failed', 'reversed')),
  -- What leaves the wallet, what the operator earns, what the receiver gets.
  amount bigint not null,
  fee_amount bigint not null check (fee_amount >= 0),
  net_amount bigint not null check (net_amount > 0),
  -- What came back after it was completed.
  returned_amount bigint not null default 0 check (returned_amount between 0 and net_amount),
  pix_key text not null,
  pix_key_type text not null check (pix_key_type in ('cpf', 'cnpj', 'email', 'phone', 'random')),
  holder_name text not null,
  holder_document text not null,
  holder_document_type text not null check (holder_document_type in ('cpf', 'cnpj')),
  project_id uuid,
  external_reference text,
  idempotency_key text,
  institution_id uuid not null,
  -- Its id at the PSP, ours. Every call about it bears this one: a PSP never makes two payouts of one id.
  psp_id text not null,
  e2e_id text,
  counterpart_name text,
  counterpart_document text,
  failure_reason text,
  failure_code text,
  -- When the PSP settled it, and when its outcome was booked.
  settled_at timestamptz,
  processed_at timestamptz,
  -- True from the claim that sends it until an answer proves that no request is on its way.
  may_have_left boolean not null default false,
  -- Since when every request was refused, and since when the PSP does not show it; null after a request that may have left.
  refused_at timestamptz,
  absent_at timestamptz,
  -- When the loop takes it up next: to send it, to ask about it, and after its end to see whether money came back.
  next_at timestamptz,
  attempts integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- What GET /transactions calls the status: a column, so that lists by status are index reads.
  transaction_status text not null generated always as (
    case status when 'failed' then 'failed' when 'completed' then 'completed' when 'reversed' then 'completed' else 'pending' end) stored,
  primary key (account_id, withdrawal_id),
  check (amount = fee_amount + net_amount),
  check (next_at is not null or status not in ('pending', 'processing')),
  check ((returned_amount = net_amount) = (status = 'reversed')),
  check (returned_amount = 0 or status in ('completed', 'reversed')),
  -- Tells the planner that no withdrawal is cancelled, so that it is not looked for here.
  check (transaction_status in ('pending', 'completed', 'failed'))
);
create index withdrawals_due on withdrawals (next_at) where next_at is not null;
create index withdrawals_of_wallet on withdrawals (account_id, wallet_id, withdrawal_id);
create index withdrawals_by_reference on withdrawals (account_id, wallet_id, external_reference, withdrawal_id) where external_reference is not null;
create index withdrawals_by_idempotency_key on withdrawals (account_id, wallet_id, idempotency_key, withdrawal_id) where idempotency_key is not null;
create index withdrawals_of_project on withdrawals (account_id, wallet_id, project_id, withdrawal_id) where project_id is not null;
create index withdrawals_by_e2e on withdrawals (account_id, e2e_id) where e2e_id is not null;
create index withdrawals_pending on withdrawals (account_id, wallet_id, withdrawal_id) where transaction_status = 'pending';
create index withdrawals_failed on withdrawals (account_id, wallet_id, withdrawal_id) where transaction_status = 'failed';
-- What a limit looks at: the last day of an account.
create index withdrawals_by_time on withdrawals (account_id, created_at);

-- What came back of a completed withdrawal: one row for each return of the network, so that none is booked twice.
create table withdrawal_returns (
  account_id uuid not null,
  rtr_id text not null,
  -- Source of its transfer in the ledger.
  return_id uuid not null,
  withdrawal_id uuid not null,
  amount bigint not null check (amount > 0),
  returned_at timestamptz not null,
  -- The transaction that shows it.
  movement_id uuid not null,
  created_at timestamptz not null,
  primary key (account_id, rtr_id)
);
create index withdrawal_returns_of_withdrawal on withdrawal_returns (account_id, withdrawal_id);
create index withdrawal_returns_by_id on withdrawal_returns (account_id, return_id);

-- A notification about a payout names our id of it.
alter table inbox add column payout_id text;

-- Withdrawals join.
create or replace view transactions as
  select * from (
    select c.account_id, c.charge_id as transaction_id, c.wallet_id, 'payment'::text as type, c.status, c.amount,
      c.description, c.external_reference, c.idempotency_key, c.customer_id, c.project_id, c.metadata, c.pix_copy_paste,
      c.expires_at, c.paid_at, c.e2e_id, c.counterpart_name, c.counterpart_document, c.failure_reason, c.blocked_reason,
      c.paid_after_expiry, c.created_at,
      greatest(c.updated_at, case when c.blocked_reason is not null then (
        select r.updated_at from pix_returns r where r.account_id = c.account_id and r.e2e_id = c.e2e_id
          and r.purpose = 'deposit') end) as updated_at,
      case when c.blocked_reason is not null then (
        select r.status from pix_returns r where r.account_id = c.account_id and r.e2e_id = c.e2e_id
          and r.purpose = 'deposit') end as return_status,
      case when c.blocked_reason is not null then (
        select r.rtr_id from pix_returns r where r.account_id = c.account_id and r.e2e_id = c.e2e_id
          and r.purpose = 'deposit') end as return_e2e_id,
      case when c.blocked_reason is not null then (
        select r.settled_at from pix_returns r where r.account_id = c.account_id and r.e2e_id = c.e2e_id
          and r.purpose = 'deposit') end as return_settled_at,
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
