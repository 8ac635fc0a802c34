-- What is claimed of a received Pix, and so leaves again: refunds, balance blocks, and returns that its institution made
-- by itself. Together they never pass the Pix.

-- Our returns serve refunds too: the request at the institution is the same, under the same discipline. A deposit has
-- one for ever; after a refund that failed another one may be asked for, which has an id of its own.
alter table pix_returns
  add column purpose text not null default 'deposit' check (purpose in ('deposit', 'refund')),
  -- What the payer reads.
  add column description text not null default 'Devolução automática: o pagamento não pôde ser aceito';
alter table pix_returns alter column purpose drop default, alter column description drop default,
  drop constraint pix_returns_account_id_e2e_id_key;
create unique index pix_returns_of_deposit on pix_returns (account_id, e2e_id) where purpose = 'deposit';
create index pix_returns_of_pix on pix_returns (account_id, e2e_id);

-- Refunds that merchants ask for. The id is that of its return at the institution and of its transaction as well.
create table refunds (
  account_id uuid not null,
  refund_id uuid not null,
  -- The originator of the payment; recipients of a split are never debited.
  wallet_id uuid not null,
  charge_id uuid not null,
  e2e_id text not null,
  institution_id uuid not null,
  amount bigint not null check (amount > 0),
  fee_amount bigint not null check (fee_amount >= 0),
  status text not null check (status in ('pending', 'confirmed', 'error')),
  reason text,
  idempotency_key text,
  -- Settled at the institution after it had been taken for failed: its hold had been released, so its money came from
  -- `available`, and there is no fee.
  late boolean not null default false,
  -- End-to-end id of the return (D…).
  rtr_id text,
  refunded_at timestamptz,
  failure_reason text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, refund_id),
  check ((refunded_at is not null) = (status = 'confirmed')),
  check (status = 'confirmed' or not late)
);
create index refunds_of_wallet on refunds (account_id, wallet_id, refund_id);
create index refunds_of_pix on refunds (account_id, e2e_id);
create index refunds_of_charge on refunds (account_id, charge_id, refund_id);
create index refunds_by_idempotency_key on refunds (account_id, wallet_id, idempotency_key, refund_id) where idempotency_key is not null;

-- Money that is set aside for a dispute or an order: MED, judicial, administrative.
create table balance_blocks (
  account_id uuid not null,
  block_id uuid not null,
  wallet_id uuid not null,
  block_type text not null check (block_type in ('med', 'judicial', 'administrative')),
  status text not null check (status in ('awaiting_response', 'defended', 'approved', 'rejected')),
  amount bigint not null check (amount > 0),
  -- Who pays it out when it is approved, and where that is.
  institution_id uuid not null,
  environment text not null check (environment in ('sandbox', 'production')),
  -- The payment that it is about; null for an order about no payment in particular.
  charge_id uuid,
  e2e_id text,
  external_reference text,
  -- Id of the case at the institution; null for a block that the operator made.
  case_id text,
  reference_number text,
  reason text,
  respond_by timestamptz,
  -- What the merchant says against it, and whether the institution has it: stored before it is told.
  defence text,
  defence_status text check (defence_status in ('pending', 'sent', 'refused')),
  defence_next_at timestamptz,
  defence_attempts integer not null default 0,
  -- The refund that took over its hold.
  refund_id uuid,
  resolution_reason text,
  resolved_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, block_id),
  check ((charge_id is null) = (e2e_id is null)),
  check ((resolved_at is not null) = (status in ('approved', 'rejected'))),
  check ((defence is null) or status <> 'awaiting_response'),
  check (refund_id is null or status = 'rejected')
);
create index balance_blocks_of_wallet on balance_blocks (account_id, wallet_id, block_id);
create index balance_blocks_of_pix on balance_blocks (account_id, e2e_id) where e2e_id is not null;
create index balance_blocks_to_defend on balance_blocks (defence_next_at) where defence_next_at is not null;

-- Returns that an institution made without being asked (MED). One of them may be covered by several sources, a row each:
-- an approved block (its money has left before), the hold of an open block, or what holds the Pix's money otherwise.
create table psp_returns (
  account_id uuid not null,
  -- Return id in the network (D…): the same return is booked once.
  rtr_id text not null,
  leg integer not null,
  -- One id for all legs: the source of their transfers.
  psp_return_id uuid not null,
  e2e_id text not null,
  charge_id uuid,
  wallet_id uuid,
  institution_id uuid not null,
  amount bigint not null check (amount > 0),
  source text not null check (source in ('block', 'held', 'available', 'returns', 'suspense')),
  block_id uuid,
  settled_at timestamptz not null,
  created_at timestamptz not null,
  primary key (account_id, rtr_id, leg),
  unique (account_id, psp_return_id, leg),
  check ((block_id is not null) = (source in ('block', 'held')))
);
create index psp_returns_of_pix on psp_returns (account_id, e2e_id);

-- Refunds join. `original_id` names the payment that a refund gives back.
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
      'in'::text as direction, null::uuid as original_id
    from charges c
    union all
    select m.account_id, m.movement_id, m.wallet_id, m.type, 'completed'::text, m.amount,
      m.description, null::text, m.idempotency_key, null::uuid, null::uuid, null::jsonb, null::text,
      null::timestamptz, null::timestamptz, null::text, null::text, null::text, null::text, null::text,
      false, m.created_at, m.created_at, null::text, null::text, null::timestamptz, m.direction, null::uuid
    from movements m
    union all
    select r.account_id, r.refund_id, r.wallet_id, 'refund'::text,
      case r.status when 'confirmed' then 'completed' when 'error' then 'failed' else 'pending' end, r.amount,
      r.reason, null::text, r.idempotency_key, null::uuid, null::uuid, null::jsonb, null::text,
      null::timestamptz, null::timestamptz, r.rtr_id, null::text, null::text, r.failure_reason, null::text,
      false, r.created_at, r.updated_at, null::text, null::text, null::timestamptz, 'out'::text, r.charge_id
    from refunds r
  ) t
  where status not in ('creating', 'rejected');
