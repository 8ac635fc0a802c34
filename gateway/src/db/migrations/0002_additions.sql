-- What has been added since 0.1.0.

-- 0.1.0 did not claim the ids of a payout that operators forced as paid or adopted after a restore. The auditor wants the claim
-- of each (W9); of an id that two withdrawals show, one has it, and the other is found. It comes before the tables are altered,
-- which locks them until the migration ends. The claims are the house's, so a cluster joins nothing by account here.
with shown as materialized (
  select account_id, withdrawal_id, updated_at, 'network' as given_by, e2e_id as payout_id from withdrawals
  where status in ('completed', 'reversed') and e2e_id is not null
  union all
  select w.account_id, w.withdrawal_id, w.updated_at, w.institution_id::text, known ->> 'reference'
  from withdrawals w cross join lateral jsonb_array_elements(w.psp_references) known
  where w.psp_references <> '[]'
)
insert into payout_ids (account_id, given_by, payout_id, tenant_id, withdrawal_id, claimed_at)
select h.value::uuid, s.given_by, s.payout_id, s.account_id, s.withdrawal_id, s.updated_at
from shown s, settings h where h.name = 'house_account_id'
order by s.updated_at
on conflict do nothing;

-- The institution may say later that a case is of more or of less: what it last said of the whole case, and what the block's
-- amount grew (by > 0) or shrank by since it was opened, the oldest first: [{id, by, at}], centavos.
alter table balance_blocks
  add column case_amount bigint,
  add column amount_changes jsonb;
-- By itself and with its name: Citus refuses a check in the command that adds its column.
alter table balance_blocks add constraint balance_blocks_case_amount_check check (case_amount > 0);

-- The amount that was applied of a case, centavos; null: it was applied before amounts were stored.
alter table psp_cases add column amount bigint;

-- When the next check of the books is due, and `next_at` is infinity: 0.1.0 does not know what newer processes book, and would
-- freeze sound accounts beside them.
alter table audits add column due_at timestamptz;

-- Files of the console that pages of running processes load, so that a process of another version serves them too. Their names
-- depend on their content. Shared by all accounts; some 80 rows and 800 kB a version.
create table console_files (
  name text primary key,
  -- As it is sent (brotli, or as it is), sealed: whoever can write here alone cannot give the console a script.
  sealed_content bytea not null,
  seen_at timestamptz not null
);

-- How fast an institution answered in these five minutes: answers by the time within which they came. All processes add to it.
alter table institution_health
  add column answers_50ms integer not null default 0,
  add column answers_100ms integer not null default 0,
  add column answers_250ms integer not null default 0,
  add column answers_500ms integer not null default 0,
  add column answers_1000ms integer not null default 0,
  add column answers_2500ms integer not null default 0,
  add column answers_5000ms integer not null default 0,
  add column answers_slower integer not null default 0;

-- What the account needs of its institutions, for example payouts: one that lacks it is not linked (accounts/needs.ts).
alter table accounts add column needs jsonb not null default '[]';

-- What a merchant's people and programs write beside a charge for themselves: nobody who pays sees it. Only added and erased.
create table charge_notes (
  account_id uuid not null,
  note_id uuid not null,
  charge_id uuid not null,
  body text not null,
  -- The credential or the person.
  created_by uuid not null,
  created_at timestamptz not null,
  -- Without a foreign key: a cluster takes none to a table that is distributed already.
  primary key (account_id, note_id)
);
create index charge_notes_of_charge on charge_notes (account_id, charge_id, note_id);

-- A received Pix that the institution itself holds while it looks at it (precautionary block, up to 72 hours), and until when.
alter table balance_blocks drop constraint balance_blocks_block_type_check;
alter table balance_blocks add constraint balance_blocks_block_type_check
  check (block_type in ('med', 'judicial', 'administrative', 'precautionary'));
alter table balance_blocks add column held_until timestamptz;

-- What is still open, and refunds that failed, of a wallet: few of all that ever were.
create index refunds_pending on refunds (account_id, wallet_id, refund_id) where status = 'pending';
create index refunds_failed on refunds (account_id, wallet_id, refund_id) where status = 'error';
create index balance_blocks_holding on balance_blocks (account_id, wallet_id) where held_amount > 0;

-- Of a received Pix, what its institution kept back as tax, centavos; null: none. It credited only the rest.
alter table received_pix add column withheld bigint;

-- The audit log is read by who acted and by what was done, newest first. A person is found under every name of theirs by the
-- address behind it, and actions also by their kind, such as `withdrawal` (audit-log/list.ts).
create index audit_log_by_actor on audit_log ((coalesce(substring(actor from ' <[^<>]+>$'), actor)), audit_id);
create index audit_log_by_action on audit_log (action, audit_id);
create index audit_log_by_kind on audit_log ((split_part(action, '.', 1)), audit_id);

-- Of a receipt that the house account gave to a charge: centavos of its tax that the charge's account does not bear, because
-- another process had settled the charge from an answer without the tax. The operator bears it; null: none.
alter table pix_assignments add column house_tax bigint;
alter table pix_assignments add constraint pix_assignments_house_tax_check check (house_tax > 0);

-- When a credential last got an access token, to the minute; null: never since 0.1.0, which did not store it.
alter table credentials add column last_used_at timestamptz;

-- Since when the person has this role in this account; null: since the time of the person (`people.role_since`), as 0.1.0 stored it.
alter table memberships add column role_since timestamptz;

-- What an institution charged for its latest payout, where several could pay (withdrawals/choose-payer.ts).
create index bank_tariffs_of_payouts on bank_tariffs (institution_id, occurred_at) where kind = 'sent';

-- What institutions hold, of all accounts: few rows beside those of wallets.
create index ledger_accounts_psp on ledger_accounts (owner_id) where kind = 'psp';

-- Whether the bank paid a holder of another name than was asked for (lib/other-name.ts); null: not completed, the bank named
-- nobody, or it was completed by 0.1.0.
alter table withdrawals add column paid_to_other boolean;
-- Those of another name; those that 0.1.0 completed; those of which the bank named nobody. All by when that was booked.
create index withdrawals_to_other on withdrawals (processed_at) where paid_to_other and status = 'completed';
create index withdrawals_unjudged on withdrawals (processed_at)
  where paid_to_other is null and status = 'completed' and counterpart_name is not null;
create index withdrawals_unnamed on withdrawals (processed_at)
  where paid_to_other is null and status = 'completed' and counterpart_name is null;

-- What the account says about the receiver of one that was paid to another name: `ReceiverCheck`
-- (withdrawals/withdrawal.ts). Those about which nobody has said anything are read with every Home.
alter table withdrawals add column receiver_check jsonb;
create index withdrawals_unchecked on withdrawals (account_id, wallet_id, withdrawal_id)
  where paid_to_other and status = 'completed' and receiver_check is null and counterpart_name is not null;
create index withdrawals_to_approve on withdrawals (account_id, wallet_id, withdrawal_id)
  where transaction_status = 'pending' and status = 'pending' and awaiting_approval;
