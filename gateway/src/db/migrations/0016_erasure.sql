-- What a person may ask to have erased. An event stays, as a row that something was told; what it told goes.

-- When its data was erased. It is sent no more.
alter table events add column erased_at timestamptz;

-- The gateway's role writes events and cannot change them (db/rights.ts). This is the one thing that it may do to them,
-- and it can only take away. What is still to be sent stays. Names are bound when it is made, so that no search path can
-- give it other tables.
create function erase_events(account uuid, ids text[], instant timestamptz) returns setof text
language sql security definer
begin atomic
  update events e set erased_at = instant,
    body = json_build_object('event', kind, 'eventId', event_id, 'timestamp', e.body::json -> 'timestamp',
      'subAccount', e.body::json -> 'subAccount', 'data', json_build_object('erased', true))::text
  where e.account_id = account and e.event_id = any (ids) and e.erased_at is null
    and not exists (
      select from deliveries d
      where d.account_id = account and d.event_id = e.event_id and d.status = 'pending')
  returning e.event_id;
end;
revoke all on function erase_events(uuid, text[], timestamptz) from public;
