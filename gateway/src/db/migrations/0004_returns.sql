-- Money that goes back by itself: one return for each Pix that was blocked or came a second time, born in the
-- transaction that set the money aside.
create table pix_returns (
  account_id uuid not null,
  return_id uuid not null,
  e2e_id text not null,
  -- Its id at the PSP, ours. Every call about it bears this one: a PSP never makes two returns of one id.
  psp_id text not null,
  institution_id uuid not null,
  charge_id uuid not null,
  amount bigint not null check (amount > 0),
  -- `sending`: a request may have left. Final: `confirmed`, and `failed` until the PSP says otherwise.
  status text not null check (status in ('pending', 'sending', 'confirmed', 'failed')),
  -- The return's end-to-end id (D…), and when the PSP settled it.
  rtr_id text,
  settled_at timestamptz,
  failure_reason text,
  -- Since when every request was refused; null after any whose outcome is not known.
  refused_at timestamptz,
  -- When the loop takes it up next; null when it is over. Claiming moves it into the future.
  next_at timestamptz,
  attempts integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, return_id),
  unique (account_id, e2e_id),
  check ((next_at is null) = (status in ('confirmed', 'failed')))
);
create index pix_returns_due on pix_returns (next_at) where next_at is not null;

-- A blocked deposit shows its return. Second payments have returns too, but are no transaction.
create or replace view transactions as
  select c.account_id, c.charge_id as transaction_id, c.wallet_id, 'payment'::text as type, c.status, c.amount,
    c.description, c.external_reference, c.idempotency_key, c.customer_id, c.project_id, c.metadata, c.pix_copy_paste,
    c.expires_at, c.paid_at, c.e2e_id, c.counterpart_name, c.counterpart_document, c.failure_reason, c.blocked_reason,
    c.paid_after_expiry, c.created_at, greatest(c.updated_at, r.updated_at) as updated_at,
    r.status as return_status, r.rtr_id as return_e2e_id, r.settled_at as return_settled_at
  from charges c
  left join pix_returns r on r.account_id = c.account_id and r.e2e_id = c.e2e_id and c.blocked_reason is not null
  where c.status not in ('creating', 'rejected');
