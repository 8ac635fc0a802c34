-- How a charge came to its institution (charges/route.ts); null: it was the first by priority.
alter table charges add column routing jsonb;

-- Institutions that a charge was tried at and left (failover). The one that it is at is in its own row. `stray`: it may
-- exist there, and is removed when the institution is back.
create table charge_attempts (
  account_id uuid not null,
  charge_id uuid not null,
  institution_id uuid not null,
  txid text not null,
  outcome text not null check (outcome in ('refused', 'stray', 'removed', 'absent', 'paid')),
  reason text not null,
  -- When the loop looks for a stray one; null when there is nothing to look for. Claiming moves it into the future.
  next_at timestamptz,
  checks integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, charge_id, institution_id),
  check ((next_at is not null) = (outcome = 'stray'))
);
create index charge_attempts_due on charge_attempts (next_at) where next_at is not null;
