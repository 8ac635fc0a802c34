-- What has been added since 0.1.0.

-- Files of the console that pages of running processes load, so that a process of another version serves them too. Their names
-- depend on their content. Shared by all accounts; some 80 rows and 800 kB a version.
create table console_files (
  name text primary key,
  -- As it is sent (brotli, or as it is), sealed: whoever can write here alone cannot give the console a script.
  sealed_content bytea not null,
  seen_at timestamptz not null
);
