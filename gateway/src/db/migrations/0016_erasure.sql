-- What a person may ask to have erased. An event stays, as a row that something was told; its body goes.

-- When the body was erased; it is empty from then on.
alter table events add column erased_at timestamptz,
  add check ((erased_at is not null) = (body = ''));

-- The gateway's role writes events and cannot change them (db/rights.ts). This is the one thing that it may do to them,
-- and it can only take away. Names are bound when it is made, so that no search path can give it other tables.
create function erase_events(account uuid, ids text[], instant timestamptz) returns void
language sql security definer
begin atomic
  update events set body = '', erased_at = instant
  where account_id = account and event_id = any (ids) and erased_at is null;
end;
revoke all on function erase_events(uuid, text[], timestamptz) from public;
