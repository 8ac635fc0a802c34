-- Deliveries of one moment were one list in the index, which stays until all its rows have left; alone, what has been sent
-- is dropped by the look that meets it (docs/decisions/0021-where-a-delivery-goes.md).
alter index deliveries_due set (deduplicate_items = off);
