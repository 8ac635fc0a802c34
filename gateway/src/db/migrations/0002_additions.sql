-- The institution may say later that a case is of more or of less: what it last said of the whole case, and what the block's
-- amount grew (by > 0) or shrank by since it was opened, the oldest first: [{id, by, at}], centavos.
alter table balance_blocks
  add column case_amount bigint check (case_amount > 0),
  add column amount_changes jsonb;

-- The amount that was applied of a case, centavos; null: it was applied before amounts were stored.
alter table psp_cases add column amount bigint;
