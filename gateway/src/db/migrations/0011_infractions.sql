-- How far the MED cases of each institution have been listed. Shared, like institutions.
create table infraction_polls (
  institution_id uuid primary key references institutions,
  -- Every case that was opened up to here has been seen.
  covered_until timestamptz not null,
  -- When all cases of the last 90 days were listed: an institution may go by the date of the Pix.
  whole_at timestamptz,
  next_at timestamptz not null
);

-- The cases that institutions showed, as they were applied: all of the house account, since a case names a Pix and not a
-- tenant. A case is looked at again while it is not done with in its present state.
create table psp_cases (
  account_id uuid not null,
  institution_id uuid not null,
  case_id text not null,
  -- Whose Pix it is about; null while that is not known.
  tenant_id uuid,
  e2e_id text not null,
  status text not null,
  opened_at timestamptz,
  -- What became of it in the books.
  outcome text not null,
  done boolean not null,
  closed boolean not null,
  seen_at timestamptz not null,
  primary key (account_id, institution_id, case_id)
);
create index psp_cases_open on psp_cases (account_id, institution_id, opened_at) where not closed;
create index balance_blocks_of_case on balance_blocks (account_id, case_id) where case_id is not null;
