-- Queues whose rows come many at once with the same due time. PostgreSQL keeps entries of equal keys together as one, and
-- forgets a dead one only when all of them are dead: each look at the head of a queue then visits every row that has left
-- it (137 pages instead of 8 after 120 deliveries of one moment). Kept apart, dead entries are dropped by the look that
-- finds them. The indexes stay small: what they hold is waiting.
alter index deliveries_due set (deduplicate_items = off);
alter index inbox_to_apply set (deduplicate_items = off);
alter index charges_to_check set (deduplicate_items = off);
alter index withdrawals_due set (deduplicate_items = off);
alter index pix_returns_due set (deduplicate_items = off);
