-- What has been added since 0.1.0.

-- The institution may say later that a case is of more or of less: what it last said of the whole case, and what the block's
-- amount grew (by > 0) or shrank by since it was opened, the oldest first: [{id, by, at}], centavos.
alter table balance_blocks
  add column case_amount bigint check (case_amount > 0),
  add column amount_changes jsonb;

-- The amount that was applied of a case, centavos; null: it was applied before amounts were stored.
alter table psp_cases add column amount bigint;

-- Files of the console that pages of running processes load, so that a process of another version serves them too. Their names
-- depend on their content. Shared by all accounts; some 80 rows and 800 kB a version.
create table console_files (
  name text primary key,
  -- As it is sent (brotli, or as it is), sealed: whoever can write here alone cannot give the console a script.
  sealed_content bytea not null,
  seen_at timestamptz not null
);
