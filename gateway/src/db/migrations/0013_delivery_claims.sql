-- A claim leaves next_at alone: no index has the column that it writes, so the row is updated within its page and no
-- index is touched. What is claimed stays at the head of its queue and is passed over; a few dozen rows at most.
alter table deliveries
  add column claimed_until timestamptz,
  drop column under_way;
alter table deliveries set (fillfactor = 80);
