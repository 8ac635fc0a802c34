-- Projects: names that tag the charges and withdrawals of a wallet. They are never deleted.
create table projects (
  account_id uuid not null,
  project_id uuid not null,
  wallet_id uuid not null,
  name text not null,
  color text not null,
  description text,
  logo_url text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, project_id),
  -- Also how the projects of a wallet are found, and whether there is only one.
  unique (account_id, wallet_id, name),
  foreign key (account_id, wallet_id) references wallets
);
