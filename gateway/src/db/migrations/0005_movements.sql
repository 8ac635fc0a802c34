-- Movements: what changes a wallet's balance and is no charge. One row for each wallet concerned, so that an internal
-- transfer has two: `out` at the sender, `in` at the recipient. Rows are never updated or deleted.
create table movements (
  account_id uuid not null,
  -- Its transaction id.
  movement_id uuid not null,
  wallet_id uuid not null,
  type text not null check (type in ('internal_transfer', 'adjustment', 'referral_commission', 'fee', 'chargeback')),
  direction text not null check (direction in ('in', 'out')),
  amount bigint not null check (amount > 0),
  -- The wallet on the other side of an internal transfer.
  counterpart_wallet_id uuid,
  -- Source and leg of its transfer in the ledger: the transfer, the charge of a split leg, the adjustment.
  cause_id uuid not null,
  leg integer not null,
  description text,
  idempotency_key text,
  created_at timestamptz not null,
  primary key (account_id, movement_id),
  -- The same cause moves a wallet's money once in each direction.
  unique (account_id, cause_id, type, leg, direction),
  check ((counterpart_wallet_id is not null) = (type = 'internal_transfer')),
  check (counterpart_wallet_id <> wallet_id)
);
create index movements_of_wallet on movements (account_id, wallet_id, movement_id);
-- Split legs and transfers are many; the other types are found without reading through them.
create index movements_of_type on movements (account_id, wallet_id, type, movement_id) where type <> 'internal_transfer';
create index movements_by_idempotency_key on movements (account_id, wallet_id, idempotency_key, movement_id) where idempotency_key is not null;

-- Lists by status and project read these instead of the whole wallet, newest first. A completed charge is in none of
-- the first three, so that settling writes no more than before.
create index charges_pending on charges (account_id, wallet_id, charge_id) where status = 'pending';
create index charges_cancelled on charges (account_id, wallet_id, charge_id) where status in ('expired', 'cancelled');
create index charges_failed on charges (account_id, wallet_id, charge_id) where status = 'failed';
create index charges_of_project on charges (account_id, wallet_id, project_id, charge_id) where project_id is not null;

-- Each branch is one table without a WHERE or a JOIN: only such branches are merged in the order of their indexes, so
-- that the newest 20 of a wallet with a million charges are 20 rows read and not a sort of all. What belongs to a
-- branch is looked up for each row shown; what is hidden is hidden outside.
create or replace view transactions as
  select * from (
    select c.account_id, c.charge_id as transaction_id, c.wallet_id, 'payment'::text as type, c.status, c.amount,
      c.description, c.external_reference, c.idempotency_key, c.customer_id, c.project_id, c.metadata, c.pix_copy_paste,
      c.expires_at, c.paid_at, c.e2e_id, c.counterpart_name, c.counterpart_document, c.failure_reason, c.blocked_reason,
      c.paid_after_expiry, c.created_at,
      greatest(c.updated_at, case when c.blocked_reason is not null then (
        select r.updated_at from pix_returns r where r.account_id = c.account_id and r.e2e_id = c.e2e_id) end) as updated_at,
      case when c.blocked_reason is not null then (
        select r.status from pix_returns r where r.account_id = c.account_id and r.e2e_id = c.e2e_id) end as return_status,
      case when c.blocked_reason is not null then (
        select r.rtr_id from pix_returns r where r.account_id = c.account_id and r.e2e_id = c.e2e_id) end as return_e2e_id,
      case when c.blocked_reason is not null then (
        select r.settled_at from pix_returns r where r.account_id = c.account_id and r.e2e_id = c.e2e_id) end as return_settled_at,
      'in'::text as direction
    from charges c
    union all
    select m.account_id, m.movement_id, m.wallet_id, m.type, 'completed'::text, m.amount,
      m.description, null::text, m.idempotency_key, null::uuid, null::uuid, null::jsonb, null::text,
      null::timestamptz, null::timestamptz, null::text, null::text, null::text, null::text, null::text,
      false, m.created_at, m.created_at, null::text, null::text, null::timestamptz, m.direction
    from movements m
  ) t
  where status not in ('creating', 'rejected');
