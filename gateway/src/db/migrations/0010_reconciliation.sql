-- The last result of holding an institution's day against our books, and when it is done again. Shared, not a tenant's.
create table reconciliations (
  institution_id uuid not null,
  -- A day of São Paulo.
  day date not null,
  -- When the loop does it next; null when it is left to the operator. Claiming moves it into the future.
  next_at timestamptz,
  checked_at timestamptz,
  report jsonb,
  primary key (institution_id, day)
);
create index reconciliations_due on reconciliations (next_at) where next_at is not null;

-- Rows come in the order of their times, so that a hundredth of an index finds an hour of them.
create index received_pix_by_time on received_pix using brin (paid_at) with (pages_per_range = 32, autosummarize = on);
create index withdrawals_by_settlement on withdrawals (institution_id, settled_at) where settled_at is not null;
