-- Webhooks that integrators can manage: secrets that are replaced while both sign, tests, redelivery, replay, and a queue
-- for each endpoint.

alter table webhook_endpoints
  -- The secret that takes over when the rotation ends; until then both sign.
  add column next_sealed_secret text,
  add column rotation_ends_at timestamptz,
  add check ((next_sealed_secret is null) = (rotation_ends_at is null));

-- True: of POST /webhook-endpoints/{id}/test; nothing has happened.
alter table events add column test boolean not null default false;
-- Lists merge the ten kinds, each in the order of the index; a filter by kind reads one of them.
drop index events_of_wallet;
create index events_of_wallet on events (account_id, wallet_id, kind, created_at, event_id);

alter table deliveries
  -- Attempts since it was put in the queue, by the event, a redelivery or a replay. `attempts` counts all of them.
  add column tries integer not null default 0,
  -- An attempt is being made; next_at is when another process may make it instead.
  add column under_way boolean not null default false;
update deliveries set tries = attempts;
-- A queue for each endpoint: what waits for one that hangs is not read to find the work of the others.
alter table deliveries drop constraint deliveries_pkey, add primary key (account_id, endpoint_id, delivery_id);
drop index deliveries_due;
create index deliveries_due on deliveries (account_id, endpoint_id, next_at) where status = 'pending';
drop index deliveries_of_event;
create unique index deliveries_of_event on deliveries (account_id, event_id, endpoint_id);
-- Failed ones are few, looked for, and replayed.
create index deliveries_failed on deliveries (account_id, endpoint_id, delivery_id) where status = 'failed';
