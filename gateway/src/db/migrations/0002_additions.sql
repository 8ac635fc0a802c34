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

-- 0.1.0 did not claim the ids of a payout that operators forced as paid or adopted after a restore. The auditor wants the claim
-- of each (W9); of an id that two withdrawals show, one has it, and the other is found.
insert into payout_ids (account_id, given_by, payout_id, tenant_id, withdrawal_id, claimed_at)
select h.house_id, p.given_by, p.payout_id, p.account_id, p.withdrawal_id, p.updated_at
from (select value::uuid as house_id from settings where name = 'house_account_id') h, (
  select account_id, withdrawal_id, updated_at, 'network' as given_by, e2e_id as payout_id from withdrawals
  where status in ('completed', 'reversed') and e2e_id is not null
  union all
  select w.account_id, w.withdrawal_id, w.updated_at, w.institution_id::text, known ->> 'reference'
  from withdrawals w cross join lateral jsonb_array_elements(w.psp_references) known
  where w.psp_references <> '[]'
) p
where not exists (
  select from payout_ids c where c.account_id = h.house_id and c.given_by = p.given_by and c.payout_id = p.payout_id)
order by p.updated_at
on conflict do nothing;
