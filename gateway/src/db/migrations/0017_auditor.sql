-- The auditor checks what was booked since it last looked, and freezes the withdrawals of an account whose books are wrong.

-- Nothing new leaves as a withdrawal until the operator lifts it; everything else goes on.
alter table accounts
  add column withdrawals_frozen_at timestamptz,
  add column withdrawals_frozen_reason text;

-- How far each ledger account has been checked: number and balance of its last line then.
create table audit_points (
  account_id uuid not null,
  no integer not null,
  seq bigint not null,
  balance bigint not null,
  primary key (account_id, no)
);

-- What the auditor found. `lifted`: the operator has looked at it. `gone`: a full check does not find it any more.
create table audit_findings (
  account_id uuid not null,
  finding_id uuid not null,
  -- Its number in docs/money.md, and where: the same break at the same place is one finding.
  invariant text not null,
  place text not null,
  says text not null,
  detail text not null,
  -- The check that found it.
  mode text not null check (mode in ('fresh', 'full')),
  status text not null check (status in ('open', 'lifted', 'gone')),
  found_at timestamptz not null,
  lifted_at timestamptz,
  lifted_by text,
  lift_reason text,
  primary key (account_id, finding_id)
);
create unique index audit_findings_of_place on audit_findings (account_id, invariant, place) where status <> 'gone';
create index audit_findings_by_time on audit_findings (finding_id);
create index audit_findings_open on audit_findings (account_id) where status = 'open';

-- When each kind of check was last done, and when the loop does it next. Shared, not a tenant's.
create table audits (
  mode text primary key check (mode in ('fresh', 'full')),
  -- Claiming moves it into the future.
  next_at timestamptz,
  -- The instant that was checked up to.
  checked_at timestamptz,
  lines bigint,
  violations bigint
);

-- The deposits that a transfer of returns is for. A credited Pix, which is nearly every one, is not in it.
create index received_pix_set_aside on received_pix (account_id, pix_id) where outcome in ('blocked', 'second_payment');
