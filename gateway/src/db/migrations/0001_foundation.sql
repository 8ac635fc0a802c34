-- The first schema: accounts and credentials, the ledger, charges and received Pix, idempotency, inbox, events, deliveries.
--
-- Rules that every table of a tenant keeps, so that the database can later be sharded by account:
-- the primary key and every unique key begin with account_id; ids and times are parameters, never made by the
-- database; no triggers; no serial ids but the account's number. Amounts are bigint centavos.
-- The tables of the hot paths have no foreign keys: each check is a second look-up and a share lock on the tenant's row,
-- for every row written; `pixgate verify` asks the same questions.

-- Small facts about this installation: fingerprint of the master key, ids of the house account. Shared, not a tenant's.
create table settings (
  name text primary key,
  value text not null
);

-- A tenant. Its row is also the lock of everything that moves its money (FOR NO KEY UPDATE, see ledger/lane.ts).
create table accounts (
  account_id uuid primary key,
  -- Carried by txids and client ids, so that a notification or a login finds its tenant without a global index.
  number bigint generated always as identity unique,
  is_house boolean not null default false,
  name text not null,
  legal_name text,
  document text,
  status text not null check (status in ('approved', 'pending', 'suspended')),
  -- Policies.
  block_cnpj_payers boolean not null default false,
  unknown_payers text not null default 'credit' check (unknown_payers in ('credit', 'return')),
  late_payments text not null default 'credit' check (late_payments in ('credit', 'return')),
  institution_choice boolean not null default false,
  -- Fees: fixed centavos + basis points, within optional bounds, never above the amount.
  charge_fee_fixed bigint not null default 0 check (charge_fee_fixed >= 0),
  charge_fee_bps integer not null default 0 check (charge_fee_bps between 0 and 10000),
  charge_fee_min bigint check (charge_fee_min >= 0),
  charge_fee_max bigint check (charge_fee_max >= 0),
  withdrawal_fee_fixed bigint not null default 0 check (withdrawal_fee_fixed >= 0),
  withdrawal_fee_bps integer not null default 0 check (withdrawal_fee_bps between 0 and 10000),
  withdrawal_fee_min bigint check (withdrawal_fee_min >= 0),
  withdrawal_fee_max bigint check (withdrawal_fee_max >= 0),
  refund_fee_fixed bigint not null default 0 check (refund_fee_fixed >= 0),
  refund_fee_bps integer not null default 0 check (refund_fee_bps between 0 and 10000),
  refund_fee_min bigint check (refund_fee_min >= 0),
  refund_fee_max bigint check (refund_fee_max >= 0),
  -- Withdrawal limits in centavos; null: none.
  limit_per_withdrawal bigint check (limit_per_withdrawal >= 0),
  limit_per_day bigint check (limit_per_day >= 0),
  limit_per_night bigint check (limit_per_night >= 0),
  created_at timestamptz not null,
  updated_at timestamptz not null
);

-- A place with a balance: the main account (reference 'principal', wallet_id = account_id) or a sub-account.
create table wallets (
  account_id uuid not null references accounts,
  wallet_id uuid not null,
  reference text not null,
  name text not null,
  status text not null check (status in ('approved', 'suspended')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, wallet_id),
  unique (account_id, reference)
);

create table credentials (
  account_id uuid not null references accounts,
  credential_id uuid not null,
  client_id text not null,
  -- SHA-256 of a 256-bit random secret: nothing to guess, so no slow hash is needed.
  secret_hash bytea not null,
  name text not null,
  permissions text[] not null,
  sub_account_access boolean not null default false,
  allowed_ips text[],
  created_at timestamptz not null,
  revoked_at timestamptz,
  primary key (account_id, credential_id),
  unique (account_id, client_id)
);

-- A way to a PSP. Shared by accounts, not a tenant's; what is secret in it is sealed under the master key.
create table institutions (
  institution_id uuid primary key,
  name text not null,
  provider text not null,
  environment text not null check (environment in ('sandbox', 'production')),
  status text not null check (status in ('active', 'inactive')),
  priority integer not null default 100,
  capacity_per_second integer check (capacity_per_second > 0),
  sealed_config text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create table account_institutions (
  account_id uuid not null references accounts,
  institution_id uuid not null references institutions,
  enabled boolean not null default true,
  priority integer,
  primary key (account_id, institution_id)
);

-- Ledger. Balances are signed centavos; all accounts of a tenant sum to zero.
create table ledger_accounts (
  account_id uuid not null references accounts,
  -- Counts up within the tenant: 4 bytes in every transfer instead of 16.
  no integer not null,
  kind text not null check (kind in ('available', 'held', 'promotional', 'fees', 'returns', 'suspense', 'operator', 'psp_costs', 'psp')),
  -- The wallet (available, held, promotional) or the institution (psp); null for the others.
  owner_id uuid,
  balance bigint not null default 0,
  -- The number of its last line; gapless from 1.
  seq bigint not null default 0,
  primary key (account_id, no),
  unique nulls not distinct (account_id, kind, owner_id),
  check ((owner_id is not null) = (kind in ('available', 'held', 'promotional', 'psp')))
);

-- One positive amount from one ledger account to another, with the line it makes on each: number and balance after.
-- The primary key is the cause: the same cause cannot post twice. Rows are never updated or deleted.
create table ledger_transfers (
  account_id uuid not null,
  kind text not null,
  source_id uuid not null,
  leg integer not null,
  amount bigint not null check (amount > 0),
  from_no integer not null,
  from_seq bigint not null,
  from_balance bigint not null,
  to_no integer not null check (to_no <> from_no),
  to_seq bigint not null,
  to_balance bigint not null,
  -- When it happened (at the PSP), and when we wrote it.
  occurred_at timestamptz not null,
  booked_at timestamptz not null,
  primary key (account_id, kind, source_id, leg),
  unique (account_id, from_no, from_seq),
  unique (account_id, to_no, to_seq)
);

-- The lines of every ledger account, for statements and auditors.
create view ledger_lines as
  select account_id, from_no as no, from_seq as seq, -amount as amount, from_balance as balance_after,
    kind, source_id, leg, to_no as counterpart_no, occurred_at, booked_at
  from ledger_transfers
  union all
  select account_id, to_no, to_seq, amount, to_balance, kind, source_id, leg, from_no, occurred_at, booked_at
  from ledger_transfers;

-- Charges. `creating` is an intent whose PSP call has no known outcome yet; `rejected` one that no PSP took.
create table charges (
  account_id uuid not null,
  charge_id uuid not null,
  wallet_id uuid not null,
  status text not null check (status in ('creating', 'pending', 'completed', 'failed', 'expired', 'cancelled', 'rejected')),
  amount bigint not null check (amount > 0),
  description text not null,
  external_reference text,
  idempotency_key text,
  project_id uuid,
  customer_id uuid,
  customer jsonb,
  metadata jsonb,
  split jsonb,
  institution_id uuid not null,
  pinned boolean not null default false,
  txid text not null,
  expires_in integer not null,
  expires_at timestamptz not null,
  pix_copy_paste text,
  psp_payment_id text,
  -- Set by the settlement.
  fee_amount bigint,
  net_amount bigint,
  applied_split jsonb,
  paid_at timestamptz,
  e2e_id text,
  counterpart_name text,
  counterpart_document text,
  paid_after_expiry boolean not null default false,
  failure_reason text,
  blocked_reason text,
  -- When the loops look at it next; null when nothing is open. Claiming moves it into the future.
  check_at timestamptz,
  checks integer not null default 0,
  -- When it expired or was cancelled.
  closed_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, charge_id)
);
create index charges_of_wallet on charges (account_id, wallet_id, charge_id);
create index charges_by_reference on charges (account_id, wallet_id, external_reference, charge_id) where external_reference is not null;
create index charges_by_idempotency_key on charges (account_id, wallet_id, idempotency_key, charge_id) where idempotency_key is not null;
create index charges_to_check on charges (check_at) where check_at is not null;

-- The public face of everything that GET /transactions shows. Later kinds join by UNION ALL.
create view transactions as
  select account_id, charge_id as transaction_id, wallet_id, 'payment'::text as type, status, amount, description,
    external_reference, idempotency_key, customer_id, project_id, metadata, pix_copy_paste, expires_at, paid_at, e2e_id,
    counterpart_name, counterpart_document, failure_reason, blocked_reason, paid_after_expiry, created_at, updated_at
  from charges
  where status not in ('creating', 'rejected');

-- Every Pix that a PSP confirmed to us for this tenant, once.
create table received_pix (
  account_id uuid not null,
  e2e_id text not null,
  pix_id uuid not null,
  institution_id uuid not null,
  charge_id uuid,
  wallet_id uuid,
  amount bigint not null check (amount > 0),
  outcome text not null check (outcome in ('credited', 'blocked', 'second_payment', 'unmatched')),
  -- Why it was not credited (the values of blockedDeposit.reason, or none).
  reason text,
  payer_name text,
  payer_document text,
  paid_at timestamptz not null,
  received_at timestamptz not null,
  primary key (account_id, e2e_id)
);
create index received_pix_of_charge on received_pix (account_id, charge_id) where charge_id is not null;

-- Answers kept for a repeated Idempotency-Key. Without an answer: the first call is running (or died), under a lease.
create table idempotency_keys (
  account_id uuid not null,
  wallet_id uuid not null,
  route text not null,
  key text not null,
  request_hash bytea not null,
  -- The intent that the key is bound to (a charge, a withdrawal); null for calls without an outside effect.
  object_id uuid,
  lease_until timestamptz not null,
  status_code integer,
  response text,
  created_at timestamptz not null,
  -- Answers are kept 24 hours; a key bound to an unfinished intent until it is final.
  expires_at timestamptz not null,
  primary key (account_id, wallet_id, route, key)
);
create index idempotency_keys_to_expire on idempotency_keys (expires_at);

-- Notifications from PSPs as they came, one row for each Pix; all of the house account.
create table inbox (
  account_id uuid not null,
  inbox_id uuid not null,
  institution_id uuid not null,
  body_hash bytea not null,
  body text not null,
  e2e_id text,
  txid text,
  status text not null check (status in ('pending', 'applied', 'unmatched', 'ignored', 'abandoned')),
  attempts integer not null default 0,
  last_error text,
  next_at timestamptz not null,
  received_at timestamptz not null,
  applied_at timestamptz,
  primary key (account_id, inbox_id),
  unique (account_id, institution_id, body_hash)
);
create index inbox_to_apply on inbox (next_at) where status = 'pending';

create table webhook_endpoints (
  account_id uuid not null references accounts,
  endpoint_id uuid not null,
  wallet_id uuid not null,
  url text not null,
  -- Null: all events.
  events text[],
  description text,
  enabled boolean not null default true,
  retry text not null default 'standard' check (retry in ('standard', 'extended')),
  sealed_secret text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  primary key (account_id, endpoint_id),
  foreign key (account_id, wallet_id) references wallets
);

-- What happened, told once: the body is text and sent byte for byte in every attempt, for ever.
create table events (
  account_id uuid not null,
  event_id text not null,
  wallet_id uuid not null,
  kind text not null,
  body text not null,
  created_at timestamptz not null,
  primary key (account_id, event_id)
);
create index events_of_wallet on events (account_id, wallet_id, created_at);

create table deliveries (
  account_id uuid not null,
  delivery_id uuid not null,
  event_id text not null,
  endpoint_id uuid not null,
  status text not null check (status in ('pending', 'delivered', 'failed')),
  attempts integer not null default 0,
  -- When the next attempt is due; claiming it moves this into the future, so that a crash frees it by itself.
  next_at timestamptz,
  created_at timestamptz not null,
  finished_at timestamptz,
  primary key (account_id, delivery_id)
);
create index deliveries_due on deliveries (next_at) where status = 'pending';
create index deliveries_of_event on deliveries (account_id, event_id);

create table delivery_attempts (
  account_id uuid not null,
  delivery_id uuid not null,
  attempt integer not null,
  -- X-Service-Webhook-ID of this attempt.
  webhook_id uuid not null,
  started_at timestamptz not null,
  latency_ms integer not null,
  status_code integer,
  error text,
  -- The first 1 KiB of the answer.
  response_excerpt text,
  primary key (account_id, delivery_id, attempt)
);

-- Every change an operator makes: who, what, before, after.
create table audit_log (
  account_id uuid not null references accounts,
  audit_id uuid not null,
  actor text not null,
  action text not null,
  object_id uuid,
  before jsonb,
  after jsonb,
  created_at timestamptz not null,
  primary key (account_id, audit_id)
);
