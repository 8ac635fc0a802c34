-- Who may use the operator API. Shared, like institutions: small, and no tenant's. Of a token only its hash is kept.
create table operator_tokens (
  token_id uuid primary key,
  name text not null,
  role text not null check (role in ('admin', 'finance', 'support')),
  token_hash bytea not null unique,
  created_at timestamptz not null,
  -- To the minute.
  last_used_at timestamptz,
  revoked_at timestamptz
);
-- The audit log names the token: two that work never have one name.
create unique index on operator_tokens (name) where revoked_at is null;
