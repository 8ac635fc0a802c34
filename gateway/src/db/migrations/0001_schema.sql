-- The schema, by noun: settings, accounts, institutions, the ledger, charges, received Pix and their returns, refunds,
-- balance blocks, withdrawals, movements, webhooks, calls, what banks report, operators, the auditor, views.
--
-- Every table of an account (tenant) keeps these rules, so that the database can be sharded by account:
--   its primary key and every unique key begin with account_id;
--   ids and times are parameters, never made by the database; there are no triggers, identity columns or serials;
--   a foreign key joins two tables of the same account by account_id: none leads to or from a table that all accounts share.
-- docs/data.md lists the shared tables. Amounts are bigint centavos.
--
-- The tables of the hot paths have no foreign keys: each one costs a query and a share lock on the account's row for every
-- row written. `pixgate verify` checks the same relations.

-- Settings ------------------------------------------------------------------------------------------------------------

-- Facts about this installation: fingerprint of the master key, ids of the house account, which database it lives in. Shared by all
-- accounts.
create table settings (
  name text primary key,
  value text not null
);

-- Accounts ------------------------------------------------------------------------------------------------------------

-- Numbers of accounts. The sequence makes them unique: a unique key without account_id cannot exist on a sharded table.
create sequence account_numbers;

-- A tenant. Its row is also the lock of everything that moves its money (FOR NO KEY UPDATE, ledger/lane.ts).
create table accounts (
  account_id uuid primary key,
  -- Part of txids and client ids: finds the account of a notification or a login. From account_numbers, never changed.
  number bigint not null,
  is_house boolean not null default false,
  name text not null,
  legal_name text,
  document text,
  -- Never changed: what simulated money was paid into must not pay out real money.
  environment text not null check (environment in ('sandbox', 'production')),
  status text not null check (status in ('approved', 'pending', 'suspended')),
  -- Policies.
  block_cnpj_payers boolean not null default false,
  unknown_payers text not null default 'credit' check (unknown_payers in ('credit', 'return')),
  late_payments text not null default 'credit' check (late_payments in ('credit', 'return')),
  institution_choice boolean not null default false,
  -- Payouts may leave by a bank that pays a key without comparing its owner with the holder.
  unchecked_holders boolean not null default false,
  -- Fees: fixed centavos + basis points, within optional bounds, never above the amount.
  charge_fee_fixed bigint not null default 0 check (charge_fee_fixed >= 0),
  charge_fee_bps integer not null default 0 check (charge_fee_bps between 0 and 10000),
  charge_fee_min bigint check (charge_fee_min >= 0),
  charge_fee_max bigint check (charge_fee_max >= 0),
  withdrawal_fee_fixed bigint not null default 0 check (withdrawal_fee_fixed >= 0),
  withdrawal_fee_bps integer not null default 0 check (withdrawal_fee_bps between 0 and 10000),
  withdrawal_fee_min bigint check (withdrawal_fee_min >= 0),
  withdrawal_fee_max bigint check (withdrawal_fee_max >= 0),
  refund_fee_fixed bigint not null default 0 check (refund_fee_fixed >= 0),
  refund_fee_bps integer not null default 0 check (refund_fee_bps between 0 and 10000),
  refund_fee_min bigint check (refund_fee_min >= 0),
  refund_fee_max bigint check (refund_fee_max >= 0),
  -- Withdrawal limits in centavos; null: none.
  limit_per_withdrawal bigint check (limit_per_withdrawal >= 0),
  limit_per_day bigint check (limit_per_day >= 0),
  limit_per_night bigint check (limit_per_night >= 0),
  -- Safety of payouts, centavos; null: none. Above an amount another credential approves; most withdrawals of an hour and
  -- their sum; how long a key that was never paid waits, and how much may be on its way to it.
  payout_approval_above bigint check (payout_approval_above >= 0),
  payouts_per_hour_count integer check (payouts_per_hour_count >= 0),
  payouts_per_hour_sum bigint check (payouts_per_hour_sum >= 0),
  new_key_wait_minutes integer check (new_key_wait_minutes >= 0),
  new_key_max_amount bigint check (new_key_max_amount >= 0),
  -- Set by the auditor when the books are wrong: no withdrawal leaves until the operator lifts it.
  withdrawals_frozen_at timestamptz,
  withdrawals_frozen_reason text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index accounts_by_number on accounts (number);

-- What has a balance: the main account (reference 'principal', wallet_id = account_id) or a sub-account.
create table wallets (
  account_id uuid not null references accounts,
  wallet_id uuid not null,
  reference text not null,
  name text not null,
  status text not null check (status in ('approved', 'suspended')),
  -- Who suspended it: what the operator suspended only the operator lifts. Null where it works.
  suspended_by text check (suspended_by in ('merchant', 'operator')),
  -- CPF or CNPJ of whose wallet it is, and the merchant's notes.
  document text,
  metadata jsonb,
  -- Limits of the withdrawals of a sub-account beside the account's, centavos; null: none.
  limit_per_withdrawal bigint check (limit_per_withdrawal >= 0),
  limit_per_day bigint check (limit_per_day >= 0),
  limit_per_night bigint check (limit_per_night >= 0),
  -- What they count, as withdrawal_sums does for the account: counted always, so that a new limit knows its day.
  withdrawal_hours bigint[] not null default '{}',
  withdrawal_amounts bigint[] not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, wallet_id),
  unique (account_id, reference),
  check (cardinality(withdrawal_hours) = cardinality(withdrawal_amounts))
);

-- A merchant's API credentials.
create table credentials (
  account_id uuid not null references accounts,
  credential_id uuid not null,
  client_id text not null,
  -- SHA-256 of a 256-bit random secret: it cannot be guessed, so a slow hash adds nothing.
  secret_hash bytea not null,
  name text not null,
  permissions text[] not null,
  sub_account_access boolean not null default false,
  allowed_ips text[],
  -- Id and name of the person or operator token that made it, or gave it its secret; null: the installation itself.
  made_by text,
  made_by_name text,
  -- Ids of the people and first tokens behind it: together they count as one person where two are asked for.
  owners text[] not null check (cardinality(owners) > 0),
  created_at timestamptz not null,
  revoked_at timestamptz,
  primary key (account_id, credential_id),
  unique (account_id, client_id)
);

-- Names that tag the charges and withdrawals of a wallet. Rows are never deleted.
create table projects (
  account_id uuid not null,
  project_id uuid not null,
  wallet_id uuid not null,
  name text not null,
  color text not null,
  description text,
  logo_url text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, project_id),
  -- Also lists the projects of a wallet, and finds its only one.
  unique (account_id, wallet_id, name),
  foreign key (account_id, wallet_id) references wallets
);

-- Addresses that make a charge for whoever opens them and pays. `payments` and `paid_amount` are counted by the settlements.
create table payment_links (
  account_id uuid not null,
  link_id uuid not null,
  wallet_id uuid not null,
  name text not null,
  description text,
  -- Null: the payer chooses.
  amount bigint check (amount > 0),
  min_amount bigint check (min_amount > 0),
  max_amount bigint check (max_amount > 0),
  max_payments integer check (max_payments > 0),
  expires_at timestamptz,
  fields jsonb not null,
  split jsonb,
  project_id uuid,
  external_reference text,
  metadata jsonb,
  return_url text,
  status text not null default 'active' check (status in ('active', 'disabled')),
  payments bigint not null default 0,
  paid_amount bigint not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, link_id),
  foreign key (account_id, wallet_id) references wallets
);
create index payment_links_of_wallet on payment_links (account_id, wallet_id, link_id);
-- They are counted before one more becomes active. A settlement changes neither column.
create index payment_links_active on payment_links (account_id) where status = 'active';

-- Statistics of links' pages, apart from the rows that settlements write.
create table payment_link_visits (
  account_id uuid not null,
  link_id uuid not null,
  opened bigint not null,
  started bigint not null,
  primary key (account_id, link_id),
  foreign key (account_id, link_id) references payment_links
);

-- How payers' pages of an account look, and where payers may go back to; only of accounts that have stored it.
create table checkout_settings (
  account_id uuid primary key references accounts,
  display_name text,
  color text,
  -- A PNG that was decoded and written anew, as a data URI.
  logo text,
  support_contact text,
  return_hosts jsonb not null,
  locale text check (locale in ('pt-BR', 'en', 'es')),
  sealed_secret text not null,
  -- The secret that takes over when the rotation ends; until then both sign.
  next_sealed_secret text,
  rotation_ends_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check ((next_sealed_secret is null) = (rotation_ends_at is null))
);

-- What a project has of its own of these settings; what its `look` leaves out is the account's.
create table project_checkout_settings (
  account_id uuid not null,
  project_id uuid not null,
  look jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, project_id),
  foreign key (account_id, project_id) references projects
);

-- QR codes that stay: printed once, paid often (qr-codes/qr-code.ts). The institution's key is in the code, so a code never moves
-- to another one.
create table qr_codes (
  account_id uuid not null,
  qr_code_id uuid not null,
  wallet_id uuid not null,
  institution_id uuid not null,
  kind text not null check (kind in ('static', 'till')),
  name text not null,
  -- Null: the payer decides.
  amount bigint check (amount > 0),
  description text,
  project_id uuid,
  metadata jsonb,
  -- Of a static code: its own id in the PIX network, which every Pix of it carries.
  txid text,
  -- Of a till: the institution's id of the location, on which one charge after the other is put.
  location_id text,
  pix_copy_paste text not null,
  status text not null check (status in ('active', 'disabled', 'deleted')),
  -- Since when its Pix are late; null while it is active.
  closed_at timestamptz,
  -- The earlier times in which it was disabled, [from, to] each, oldest first. They are only added to: a Pix of such a time is late
  -- whenever it is reported.
  off_periods jsonb not null default '[]',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, qr_code_id),
  unique (account_id, txid),
  foreign key (account_id, wallet_id) references wallets,
  check ((closed_at is null) = (status = 'active')),
  check ((txid is not null) = (kind = 'static')),
  check ((location_id is not null) = (kind = 'till'))
);
create index qr_codes_of_wallet on qr_codes (account_id, wallet_id, qr_code_id) where status <> 'deleted';

-- Institutions --------------------------------------------------------------------------------------------------------

-- A connection to a PSP. Shared by all accounts; its secrets are sealed under the master key.
create table institutions (
  institution_id uuid primary key,
  name text not null,
  provider text not null,
  environment text not null check (environment in ('sandbox', 'production')),
  status text not null check (status in ('active', 'inactive', 'retired')),
  priority integer not null default 100,
  -- Its part of what institutions of the same priority share; null: none.
  share integer check (share between 0 and 100),
  capacity_per_second integer check (capacity_per_second > 0),
  -- The bank's own, for its customers' invoices.
  cnpj text,
  sealed_config text not null,
  -- How often the path of its notifications was rotated: the path's secret is derived with it.
  notification_generation integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

-- How each institution answered in each five minutes that somebody watched, as all processes saw it: written when its state
-- changes, and once at the least. Shared by all accounts; 288 rows a day for each institution.
create table institution_health (
  institution_id uuid not null,
  slot_at timestamptz not null,
  -- The worst that a process saw.
  state text not null check (state in ('up', 'trying', 'down')),
  -- From the first moment to the last at which it was not up.
  ill_from timestamptz,
  ill_until timestamptz,
  -- Calls to create a charge that ended with an answer, and those that ended without a useful one.
  charges_answered integer not null default 0,
  charges_unanswered integer not null default 0,
  primary key (institution_id, slot_at),
  check ((ill_from is null) = (state = 'up') and (ill_until is null) = (state = 'up'))
);

-- Which institutions an account uses, and in which order.
create table account_institutions (
  account_id uuid not null references accounts,
  institution_id uuid not null,
  enabled boolean not null default true,
  priority integer,
  primary key (account_id, institution_id)
);

-- Ledger --------------------------------------------------------------------------------------------------------------

-- Balances are signed centavos; all ledger accounts of a tenant sum to zero.
create table ledger_accounts (
  account_id uuid not null references accounts,
  -- Counts up within the tenant: 4 bytes in every transfer instead of 16.
  no integer not null,
  kind text not null check (kind in ('available', 'held', 'promotional', 'fees', 'returns', 'suspense', 'operator', 'psp_costs', 'operator_funds', 'write_offs', 'transit', 'psp')),
  -- The wallet (available, held, promotional) or the institution (psp); null for the others.
  owner_id uuid,
  balance bigint not null default 0,
  -- The number of its last line; gapless from 1.
  seq bigint not null default 0,
  primary key (account_id, no),
  unique nulls not distinct (account_id, kind, owner_id),
  check ((owner_id is not null) = (kind in ('available', 'held', 'promotional', 'psp')))
);

-- One positive amount from one ledger account to another, with the line it makes on each: number and balance after.
-- The primary key is the cause: the same cause cannot post twice. Rows are never updated or deleted.
-- The columns stand in an order without padding; the key begins with the source, so that the transfers of one source are
-- neighbours in its index and new ones come at its end (docs/decisions/0022-leaner-rows.md).
create table ledger_transfers (
  account_id uuid not null,
  source_id uuid not null,
  amount bigint not null check (amount > 0),
  from_seq bigint not null,
  from_balance bigint not null,
  to_seq bigint not null,
  to_balance bigint not null,
  -- When it happened (at the PSP), and when we wrote it.
  occurred_at timestamptz not null,
  booked_at timestamptz not null,
  leg integer not null,
  from_no integer not null,
  to_no integer not null check (to_no <> from_no),
  kind text not null,
  primary key (account_id, source_id, kind, leg),
  unique (account_id, from_no, from_seq),
  unique (account_id, to_no, to_seq)
);
-- Rows stand in the order of booking: an entry for 128 pages finds what was booked since a moment.
create index ledger_transfers_booked on ledger_transfers using brin (booked_at) with (autosummarize = on);

-- What each transfer at an institution was booked from, by the transfer's key (ledger/evidence.ts). Kept as long as the ledger.
create table booking_evidence (
  account_id uuid not null,
  source_id uuid not null,
  leg integer not null,
  kind text not null,
  origin text not null check (origin in ('answer', 'proposal', 'decision', 'receipt')),
  -- Who answered; null where nobody did.
  institution_id uuid,
  -- End-to-end id of the Pix or our id of the payout that the answer is about; id of the proposal or of the audit log's entry.
  about text not null,
  -- The part of the answer that says it, as its institution wrote it. Erased with the person whom it names.
  body text,
  booked_at timestamptz not null,
  primary key (account_id, source_id, kind, leg),
  check ((institution_id is not null) = (origin = 'answer')),
  check (body is null or origin = 'answer')
);

-- The lines of every ledger account, for statements and auditors.
create view ledger_lines as
  select account_id, from_no as no, from_seq as seq, -amount as amount, from_balance as balance_after,
    kind, source_id, leg, to_no as counterpart_no, occurred_at, booked_at
  from ledger_transfers
  union all
  select account_id, to_no, to_seq, amount, to_balance, kind, source_id, leg, from_no, occurred_at, booked_at
  from ledger_transfers;

-- Charges -------------------------------------------------------------------------------------------------------------

-- `creating`: an intent whose PSP call has no known outcome yet. `rejected`: no PSP accepted it.
--
-- A charge is written three times: intent, outcome, settlement. The last two are heap-only updates, which write no index
-- entry and log only what differs. Three things make them so: no index has a column that they change, not even in its
-- condition; half of a page is left free for the new versions; the columns that change come last.
create table charges (
  account_id uuid not null,
  charge_id uuid not null,
  wallet_id uuid not null,
  institution_id uuid not null,
  amount bigint not null check (amount > 0),
  created_at timestamptz not null,
  expires_in integer not null,
  pinned boolean not null default false,
  description text not null,
  external_reference text,
  idempotency_key text,
  project_id uuid,
  -- The code that stays by which it was paid (qr-codes/qr-code.ts).
  qr_code_id uuid,
  customer jsonb,
  -- Terms of a charge with a due date (lib/due.ts), in centavos and hundredths of a percent; null: an immediate charge.
  due jsonb,
  -- Every edit of the terms, with the terms before and after it; the last one may wait for the institution's answer.
  due_edits jsonb,
  metadata jsonb,
  split jsonb,
  -- Where the payer's page leads back to.
  return_url text,
  -- The payment link that made it.
  payment_link_id uuid,
  -- Why this institution was chosen (charges/route.ts); null: it was the first by priority.
  routing jsonb,
  txid text not null,
  pix_copy_paste text,
  psp_payment_id text,
  expires_at timestamptz not null,
  customer_id uuid,
  status text not null check (status in ('creating', 'pending', 'completed', 'failed', 'expired', 'cancelled', 'rejected')),
  -- Set by the settlement.
  fee_amount bigint,
  net_amount bigint,
  -- Centavos that each leg of the split was given, in the order of `split`; 0: the leg was not applied.
  applied_split jsonb,
  paid_at timestamptz,
  e2e_id text,
  counterpart_name text,
  counterpart_document text,
  paid_after_expiry boolean not null default false,
  failure_reason text,
  -- Which policy blocked the deposit; set where the status is `failed`.
  blocked_reason text,
  -- Of a paid charge with a due date, whose amount is then what was paid: what was asked, and how its institution explains it.
  charged_amount bigint,
  components jsonb,
  -- When it expired or was cancelled; kept when it is paid all the same.
  closed_at timestamptz,
  -- True once anything was claimed of the payment (a refund, a block, a return): readers search for claims of these only.
  claimed boolean not null default false,
  updated_at timestamptz not null,
  primary key (account_id, charge_id),
  foreign key (account_id, payment_link_id) references payment_links,
  check ((blocked_reason is not null) = (status = 'failed')),
  check (closed_at is not null or status not in ('expired', 'cancelled')),
  check ((charged_amount is not null) = (due is not null and status = 'completed')),
  check (components is null or (components->>'original')::bigint = charged_amount and amount = charged_amount
    + (components->>'fine')::bigint + (components->>'interest')::bigint
    - (components->>'discount')::bigint - (components->>'abatement')::bigint)
) with (fillfactor = 50);
create index charges_of_wallet on charges (account_id, wallet_id, charge_id);
create index charges_by_reference on charges (account_id, wallet_id, external_reference, charge_id) where external_reference is not null;
create index charges_by_idempotency_key on charges (account_id, wallet_id, idempotency_key, charge_id) where idempotency_key is not null;
create index charges_of_project on charges (account_id, wallet_id, project_id, charge_id) where project_id is not null;
create index charges_of_qr_code on charges (account_id, wallet_id, qr_code_id, charge_id) where qr_code_id is not null;
-- Lists by status read these instead of the whole wallet, newest first. A payment changes neither column; pending charges
-- are in open_charges.
create index charges_of_link on charges (account_id, wallet_id, payment_link_id, charge_id) where payment_link_id is not null;
create index charges_with_form on charges (account_id, charge_id)
  where payment_link_id is not null and closed_at is not null and (customer is not null or metadata ? 'fields');
create index charges_closed on charges (account_id, wallet_id, charge_id) where closed_at is not null;
create index charges_blocked on charges (account_id, wallet_id, charge_id) where blocked_reason is not null;
-- For searches by a person. An index of block ranges holds a Bloom filter of hashes for each range, no document; a settlement
-- writes nothing to it, since it changes no customer and no amount. A filter is made for as many values as the range has rows: a search
-- reads an eighth of the table by filters that are overfull. 128 pages are 800 to 1,500 charges. A search reads the whole index, so each
-- column has its own: with both in one of twice as many ranges a search by document among ten million charges took three times as long.
create index charges_by_document on charges using brin (
  (customer ->> 'document') text_bloom_ops (n_distinct_per_range = 1500, false_positive_rate = 0.001)
) with (pages_per_range = 128, autosummarize = on);
create index charges_by_email on charges using brin (
  lower(customer ->> 'email') text_bloom_ops (n_distinct_per_range = 1500, false_positive_rate = 0.001)
) with (pages_per_range = 128, autosummarize = on);
-- By amount and day: of the ranges of a day, those that have the amount. A day of 100,000 charges is read in a tenth of the time.
create index charges_by_amount on charges using brin (
  created_at, amount int8_bloom_ops (n_distinct_per_range = 1500, false_positive_rate = 0.01)
) with (pages_per_range = 128, autosummarize = on);
-- Lists by time of change and of payment. A block-range index has one entry for 32 pages and keeps updates heap-only.
create index charges_by_update on charges using brin (updated_at) with (pages_per_range = 32, autosummarize = on);

-- The invoice of a payment, as the merchant records it; no row: it has none. A table of its own, so that settlements pay nothing
-- for it. One invoice may be paid by several payments.
create table invoices (
  account_id uuid not null,
  charge_id uuid not null,
  -- Of an electronic invoice; null where it has none, as most invoices of services.
  access_key text,
  number text not null,
  recorded_at timestamptz not null,
  primary key (account_id, charge_id),
  foreign key (account_id, charge_id) references charges
);

-- A row for each charge that is `creating` or `pending`: when the poller processes it next. Deleted with its end, which
-- writes no index entry. Also the list of a wallet's pending charges.
create table open_charges (
  account_id uuid not null,
  wallet_id uuid not null,
  charge_id uuid not null,
  -- A claim moves it into the future.
  check_at timestamptz not null,
  checks integer not null default 0,
  -- The till that it stands on. One open charge stands on a till, whatever process takes the call.
  qr_code_id uuid,
  primary key (account_id, wallet_id, charge_id)
);
create index open_charges_due on open_charges (check_at);
create unique index open_charges_of_till on open_charges (account_id, qr_code_id) where qr_code_id is not null;

-- Institutions that a charge was tried at and left (failover). The institution that has it stands in the charge's row.
-- `stray`: it may exist there, and is removed when the institution is back.
create table charge_attempts (
  account_id uuid not null,
  charge_id uuid not null,
  institution_id uuid not null,
  txid text not null,
  outcome text not null check (outcome in ('refused', 'stray', 'removed', 'absent', 'paid')),
  reason text not null,
  -- When a stray one is searched for next; null when there is none. A claim moves it into the future.
  next_at timestamptz,
  checks integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, charge_id, institution_id),
  check ((next_at is not null) = (outcome = 'stray'))
);
create index charge_attempts_due on charge_attempts (next_at) where next_at is not null;

-- Received Pix, and deposits that go back -----------------------------------------------------------------------------

-- Every Pix that a PSP confirmed to us for this account, once.
create table received_pix (
  account_id uuid not null,
  e2e_id text not null,
  pix_id uuid not null,
  institution_id uuid not null,
  charge_id uuid,
  wallet_id uuid,
  amount bigint not null check (amount > 0),
  -- `assigned`: given to a charge by the operator; the Pix is in the books of that charge's account as well.
  outcome text not null check (outcome in ('credited', 'blocked', 'second_payment', 'unmatched', 'assigned', 'treasury')),
  -- Why it was not credited (the values of blockedDeposit.reason, or none).
  reason text,
  -- As the institution reported it, stored when it led to no charge.
  txid text,
  payer_name text,
  payer_document text,
  -- How the institution explains the amount, stored when it led to no charge: original, fine, interest, discount, abatement.
  components jsonb,
  paid_at timestamptz not null,
  received_at timestamptz not null,
  primary key (account_id, e2e_id)
);
-- One receipt has one end-to-end id, whichever account has it: an institution may show a Pix without its txid.
create index received_pix_by_e2e on received_pix (e2e_id);
-- The Pix that settled a charge is named by it (charges.e2e_id).
create index received_pix_of_charge on received_pix (account_id, charge_id) where charge_id is not null and outcome <> 'credited';
-- Rows come in the order of their times, so an index of a hundredth of the size finds one hour: of payments for the
-- reconciliation, of bookings for the auditor.
create index received_pix_by_time on received_pix using brin (paid_at, received_at) with (pages_per_range = 32, autosummarize = on);
-- For searches by payer, and by amount and day, likewise: new rows stand in the table's last ranges, which autovacuum summarises
-- later. 64 pages are some 2,400 to 3,400 rows.
create index received_pix_by_payer on received_pix using brin (
  payer_document text_bloom_ops (n_distinct_per_range = 3000, false_positive_rate = 0.001)
) with (pages_per_range = 64, autosummarize = on);
create index received_pix_by_amount on received_pix using brin (
  paid_at, amount int8_bloom_ops (n_distinct_per_range = 3000, false_positive_rate = 0.01)
) with (pages_per_range = 64, autosummarize = on);
create index received_pix_unmatched on received_pix (account_id, pix_id) where outcome in ('unmatched', 'assigned', 'treasury');
-- The deposits that a transfer of returns is for. A credited Pix, which is nearly every one, is not in it.
create index received_pix_set_aside on received_pix (account_id, pix_id) where outcome in ('blocked', 'second_payment');
-- Of a wallet, as it lists its automatic returns.
create index received_pix_of_wallet_set_aside on received_pix (account_id, wallet_id, pix_id) where outcome in ('blocked', 'second_payment');

-- The operator's own money at the institutions; all of the house account. `awaiting_approval`: nothing is booked yet.
create table treasury_entries (
  account_id uuid not null,
  -- Source of the transfers. Of a receipt the id of the received Pix.
  entry_id uuid not null,
  kind text not null check (kind in ('top_up', 'sweep', 'tariff', 'interbank', 'loss', 'gain')),
  source text not null check (source in ('operator', 'receipt', 'sent')),
  status text not null check (status in ('awaiting_approval', 'booked', 'discarded')),
  institution_id uuid not null,
  to_institution_id uuid check (to_institution_id <> institution_id),
  amount bigint not null check (amount > 0),
  occurred_at timestamptz not null,
  -- End-to-end id of the receipt, or the institution's id of what was sent.
  about text,
  reference text,
  description text,
  created_by text not null,
  created_at timestamptz not null,
  booked_at timestamptz,
  primary key (account_id, entry_id),
  check ((status = 'booked') = (booked_at is not null)),
  check (source = 'operator' or about is not null),
  check ((to_institution_id is not null) = (kind = 'interbank' and source = 'operator'))
);

-- What an institution took for a received Pix or a withdrawal, when it has reported it.
create table bank_tariffs (
  account_id uuid not null,
  -- Source of the transfer: the received Pix or the withdrawal.
  source_id uuid not null,
  kind text not null check (kind in ('received', 'sent')),
  institution_id uuid not null,
  -- End-to-end id of the Pix, or our id of the payout.
  about text not null,
  amount bigint not null check (amount > 0),
  occurred_at timestamptz not null,
  booked_at timestamptz not null,
  primary key (account_id, source_id)
);
create index bank_tariffs_by_time on bank_tariffs (institution_id, occurred_at);
create index bank_tariffs_about on bank_tariffs (about);

-- Which account books the tariff of a received Pix, in the house's rows. Two processes may have the Pix in two accounts for
-- a while; the first one that knows its tariff claims it here, and both book it there.
create table tariff_claims (
  account_id uuid not null,
  institution_id uuid not null,
  e2e_id text not null,
  booked_in uuid not null,
  claimed_at timestamptz not null,
  primary key (account_id, institution_id, e2e_id)
);
create index treasury_entries_newest on treasury_entries (account_id, created_at, entry_id);
create unique index treasury_entries_about on treasury_entries (account_id, institution_id, about) where about is not null;

-- Receipts of the house account that the operator gave to charges: the intent, written in the transaction that takes the
-- money out of suspense. `assigning`: the charge may not be settled yet; the loop settles it.
create table pix_assignments (
  account_id uuid not null,
  e2e_id text not null,
  pix_id uuid not null,
  institution_id uuid not null,
  to_account_id uuid not null,
  charge_id uuid not null,
  -- The static code that was paid: the settlement makes the charge. Null: the charge existed before.
  qr_code_id uuid,
  status text not null check (status in ('assigning', 'assigned')),
  -- What the settlement in the charge's account came to.
  outcome text check (outcome in ('credited', 'blocked', 'second_payment')),
  -- When the loop settles it; null when it is settled. A claim moves it into the future.
  next_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, e2e_id),
  unique (account_id, pix_id),
  check ((outcome is null) = (status = 'assigning')),
  check ((next_at is not null) = (status = 'assigning'))
);
create index pix_assignments_due on pix_assignments (next_at) where next_at is not null;

-- Money that we send back to a payer: of a deposit that was blocked or came a second time (made in the transaction that set
-- the money aside), or of a refund. The request at the institution is the same for both.
create table pix_returns (
  account_id uuid not null,
  return_id uuid not null,
  e2e_id text not null,
  purpose text not null check (purpose in ('deposit', 'refund')),
  -- What the payer reads.
  description text not null,
  -- Our id of it at the PSP. Every call about it has this id: a PSP never makes two returns of one id.
  psp_id text not null,
  institution_id uuid not null,
  -- Null for a return of a receipt that belongs to no charge.
  charge_id uuid,
  amount bigint not null check (amount > 0),
  -- `sending`: a request may have left. Final: `confirmed`, and `failed` until the PSP says otherwise.
  status text not null check (status in ('pending', 'sending', 'confirmed', 'failed')),
  -- Since when a request may have left; a brake that was lifted later did not hold it.
  left_at timestamptz,
  -- The return's end-to-end id (D…), and when the PSP settled it.
  rtr_id text,
  settled_at timestamptz,
  failure_reason text,
  -- Since when every request was refused; null after any whose outcome is unknown.
  refused_at timestamptz,
  -- When the loop processes it next; null when it is final. A claim moves it into the future.
  next_at timestamptz,
  attempts integer not null default 0,
  -- A failed return of a deposit can be retried: as it is (`retried_at`), or by another return that replaces it and names it.
  retry_of uuid,
  retried_at timestamptz,
  -- Since when an open case says that it has no end.
  case_opened_at timestamptz,
  -- The decision by which a failed one's money became the operator's, and when it went back all the same.
  written_off_by uuid,
  written_off_amount bigint check (written_off_amount > 0),
  restored_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, return_id),
  check ((written_off_by is null) = (written_off_amount is null)),
  check (restored_at is null or written_off_by is not null),
  check ((next_at is null) = (status in ('confirmed', 'failed')))
);
create index pix_returns_due on pix_returns (next_at) where next_at is not null;
create index pix_returns_of_pix on pix_returns (account_id, e2e_id);
-- A deposit has one return that no other replaces. A refund that failed can be requested again, with an id of its own.
create unique index pix_returns_of_deposit on pix_returns (account_id, e2e_id) where purpose = 'deposit' and retry_of is null;
create unique index pix_returns_retries on pix_returns (account_id, retry_of) where retry_of is not null;
create index pix_returns_failed on pix_returns (return_id)
  where purpose = 'deposit' and (status = 'failed' or retried_at is not null);

-- Refunds and balance blocks ------------------------------------------------------------------------------------------
-- What is claimed of a received Pix and leaves again: refunds, balance blocks, and returns that its institution made
-- unasked. Together they never exceed the Pix.

-- A refund that a merchant requested. Its id is also that of its return at the institution and of its transaction.
create table refunds (
  account_id uuid not null,
  refund_id uuid not null,
  -- The originator of the payment; recipients of a split are never debited.
  wallet_id uuid not null,
  charge_id uuid not null,
  e2e_id text not null,
  institution_id uuid not null,
  amount bigint not null check (amount > 0),
  fee_amount bigint not null check (fee_amount >= 0),
  status text not null check (status in ('pending', 'confirmed', 'error')),
  reason text,
  idempotency_key text,
  -- Settled at the institution after we had booked it as failed: its hold was released by then, so its money came from
  -- `available`, and there is no fee.
  late boolean not null default false,
  -- End-to-end id of the return (D…).
  rtr_id text,
  refunded_at timestamptz,
  failure_reason text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, refund_id),
  check ((refunded_at is not null) = (status = 'confirmed')),
  check (status = 'confirmed' or not late)
);
create index refunds_of_wallet on refunds (account_id, wallet_id, refund_id);
create index refunds_of_pix on refunds (account_id, e2e_id);
create index refunds_of_charge on refunds (account_id, charge_id, refund_id);
create index refunds_by_return on refunds (account_id, rtr_id) where rtr_id is not null;
create index refunds_by_update on refunds using brin (updated_at) with (pages_per_range = 32, autosummarize = on);
create index refunds_by_idempotency_key on refunds (account_id, wallet_id, idempotency_key, refund_id) where idempotency_key is not null;

-- Money that is set aside for a dispute or an order: MED, judicial, administrative.
create table balance_blocks (
  account_id uuid not null,
  block_id uuid not null,
  wallet_id uuid not null,
  block_type text not null check (block_type in ('med', 'judicial', 'administrative')),
  status text not null check (status in ('awaiting_response', 'defended', 'approved', 'rejected')),
  amount bigint not null check (amount > 0),
  -- What of it the wallet still holds, and what has left for the payer. The rest was released.
  held_amount bigint not null check (held_amount >= 0),
  taken_amount bigint not null check (taken_amount >= 0),
  -- What operators booked as gone, and then gave to the wallet again: the institution had not taken it.
  given_back_amount bigint not null default 0 check (given_back_amount >= 0),
  -- What its case added to it: the return that opened it was of less than the case.
  adopted_amount bigint not null check (adopted_amount >= 0),
  -- Who pays it out when it is approved, and in which environment.
  institution_id uuid not null,
  environment text not null check (environment in ('sandbox', 'production')),
  -- The payment that it is about; null for an order about no payment in particular.
  charge_id uuid,
  e2e_id text,
  external_reference text,
  -- Id of the case at the institution; null for a block that the operator made, and until the institution lists the case.
  case_id text,
  -- The return that opened it, because its case was not listed before.
  psp_return_id uuid,
  -- What the institution last said of the case: a closed one that is open again begins another block.
  case_status text check (case_status in ('open', 'in_defence', 'accepted', 'rejected', 'cancelled', 'unrecognised')),
  reference_number text,
  reason text,
  respond_by timestamptz,
  -- The merchant's defence, and whether the institution has it: stored before it is sent.
  defence text,
  defence_status text check (defence_status in ('pending', 'sent', 'refused')),
  defence_next_at timestamptz,
  defence_attempts integer not null default 0,
  -- The refund that took over its hold.
  refund_id uuid,
  resolution_reason text check (resolution_reason in ('refunded', 'returned', 'accepted', 'defended', 'withdrawn', 'expired',
    'order_lifted', 'other')),
  -- The institution's or the operator's own words.
  resolution_text text,
  resolved_at timestamptz,
  -- When the institution is next queried for the return of an accepted case, how often it was, and since when it is overdue.
  return_next_at timestamptz,
  return_attempts integer not null default 0,
  return_missing_since timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, block_id),
  check ((charge_id is null) = (e2e_id is null)),
  check ((resolved_at is not null) = (status in ('approved', 'rejected'))),
  check ((defence is null) or status <> 'awaiting_response'),
  check (refund_id is null or status = 'rejected'),
  check (held_amount + taken_amount <= amount),
  check (given_back_amount = 0 or (status = 'approved' and held_amount = 0 and case_id is not null)),
  check (status in ('approved', 'rejected') or held_amount + taken_amount = amount),
  check (status <> 'rejected' or held_amount = 0),
  check (held_amount > 0 or (return_next_at is null and return_missing_since is null)),
  check (adopted_amount = 0 or (psp_return_id is not null and case_id is not null and adopted_amount < amount))
);
create index balance_blocks_of_wallet on balance_blocks (account_id, wallet_id, block_id);
-- Operators list the blocks of all accounts, newest first.
create index balance_blocks_newest on balance_blocks (block_id);
create index balance_blocks_of_pix on balance_blocks (account_id, e2e_id) where e2e_id is not null;
create index balance_blocks_to_defend on balance_blocks (defence_next_at) where defence_next_at is not null;
create index balance_blocks_unanswered on balance_blocks (respond_by) where status = 'awaiting_response';
create index balance_blocks_to_query on balance_blocks (return_next_at) where return_next_at is not null;
create index balance_blocks_of_case on balance_blocks (account_id, case_id) where case_id is not null;

-- Files that a merchant adds to a dispute as evidence (claims/blocks/files/row.ts). Each is encrypted under a key of its own,
-- which is sealed under the master key.
create table balance_block_files (
  account_id uuid not null,
  block_id uuid not null,
  file_id uuid not null,
  name text not null,
  media_type text not null check (media_type in ('application/pdf', 'image/png', 'image/jpeg')),
  -- Bytes and SHA-256 of the file as it came.
  size integer not null check (size > 0),
  digest bytea not null,
  sealed_key text not null,
  sealed_content bytea not null,
  created_at timestamptz not null,
  primary key (account_id, block_id, file_id),
  unique (account_id, block_id, digest),
  foreign key (account_id, block_id) references balance_blocks
);

-- Returns that an institution made unasked (MED). One of them may be covered by several sources, a row each: a block whose
-- money has left before, the hold of a block, or what holds the Pix's money otherwise.
create table psp_returns (
  account_id uuid not null,
  -- One id for all legs: the source of their transfers.
  psp_return_id uuid not null,
  leg integer not null,
  -- The institution's id of it, and the network's (D…), which may come later: both name the one return.
  psp_id text not null,
  rtr_id text,
  e2e_id text not null,
  charge_id uuid,
  wallet_id uuid,
  institution_id uuid not null,
  amount bigint not null check (amount > 0),
  source text not null check (source in ('block', 'held', 'available', 'returns', 'suspense', 'operator_funds', 'transit', 'write_offs')),
  -- Whether the institution calls it the end of a dispute; null: it shows no nature.
  med boolean,
  -- The block that it is of. Of a case that was listed after the return had been booked, it is named then.
  block_id uuid,
  -- Leg of the block's transfer that paid it; null: none did, or a transfer of the return's own.
  block_leg integer,
  settled_at timestamptz not null,
  created_at timestamptz not null,
  primary key (account_id, psp_return_id, leg),
  -- Two returns of a Pix may bear one id of the institution: the network's ids tell them apart.
  unique nulls not distinct (account_id, e2e_id, psp_id, rtr_id, leg),
  unique (account_id, block_id, block_leg),
  check (block_id is not null or source not in ('block', 'held')),
  check (block_id is null or source in ('block', 'held', 'available')),
  check (block_leg is not null or source <> 'held'),
  check (block_leg is null or (block_id is not null and source in ('held', 'available'))),
  check (block_leg is not null or block_id is null or source = 'block' or med is null),
  -- The end of a dispute is a block's.
  check (source <> 'available' or block_id is not null or med is not true)
);
create index psp_returns_of_pix on psp_returns (account_id, e2e_id);

-- Withdrawals ---------------------------------------------------------------------------------------------------------

-- Money that a wallet sends to a Pix key. The row, the hold and the Idempotency-Key are written together; its outcome is
-- written only as the PSP reports it.
create table withdrawals (
  account_id uuid not null,
  -- Also its transaction id.
  withdrawal_id uuid not null,
  wallet_id uuid not null,
  -- `pending`: nothing has been sent. `processing`: a request may have left.
  status text not null check (status in ('pending', 'processing', 'completed', 'failed', 'reversed')),
  -- What leaves the wallet, what the operator earns, what the receiver gets.
  amount bigint not null,
  fee_amount bigint not null check (fee_amount >= 0),
  net_amount bigint not null check (net_amount > 0),
  -- What came back after it was completed.
  returned_amount bigint not null default 0 check (returned_amount between 0 and net_amount),
  pix_key text not null,
  pix_key_type text not null check (pix_key_type in ('cpf', 'cnpj', 'email', 'phone', 'random')),
  holder_name text not null,
  holder_document text not null,
  holder_document_type text not null check (holder_document_type in ('cpf', 'cnpj')),
  -- Of what was asked for: a receiver or an amount that is changed afterwards does not fit it (lib/asked-digest.ts).
  asked_digest text not null,
  project_id uuid,
  external_reference text,
  idempotency_key text,
  institution_id uuid not null,
  -- Why this institution was chosen; null: it was the first by priority.
  routing jsonb,
  -- Our id of it at the PSP. Every call about it has this id: a PSP never makes two payouts of one id.
  psp_id text not null,
  -- The bank's own ids of it with the time at which each was learned, the newest last; none is ever removed.
  psp_references jsonb not null default '[]',
  e2e_id text,
  counterpart_name text,
  counterpart_document text,
  failure_reason text,
  failure_code text,
  -- When the PSP settled it, and when its outcome was booked.
  settled_at timestamptz,
  processed_at timestamptz,
  -- Credential or person that asked for it, and whoever stood behind it then (a list of ids).
  created_by uuid,
  created_by_owners jsonb,
  -- It waits for another credential's approval, and is not due before.
  awaiting_approval boolean not null default false,
  -- When it was approved; null: it was not, or needed no approval.
  approved_at timestamptz,
  -- A key that was never paid before: it leaves at this time.
  hold_until timestamptz,
  -- The time whose hour its amount counts for in the limits: when it was asked for, or when it could leave at last.
  counted_at timestamptz not null,
  -- A limit of the account or wallet would be passed if it left now: it waits until then; null: no limit holds it.
  limited_until timestamptz,
  -- Since when the institution shows that a person must approve it there; null: it does not.
  awaiting_bank_since timestamptz,
  -- Operators booked it after a restore: the institution had paid it, and the books had lost it (withdrawals/adopt.ts).
  adopted boolean not null default false,
  -- Since when it needs a decision before it is sent, because the books were restored from a backup; null: it needs none.
  unconfirmed_since timestamptz,
  -- Why nothing is known or nothing moves: the newest words of the institution, or about it.
  latest jsonb,
  -- Since when a case about it is open; null: none is.
  case_opened_at timestamptz,
  -- True from the claim that sends it until an answer proves that no request is on its way.
  may_have_left boolean not null default false,
  -- Since when a request of it may be on its way; a brake that was lifted later did not hold it.
  left_at timestamptz,
  -- How many requests have been sent to prepare it, at a bank that pays in two steps.
  preparations integer not null default 0,
  -- Since when every request was refused, and since when the PSP does not show it; null after a request that may have left.
  refused_at timestamptz,
  absent_at timestamptz,
  -- When the loop processes it next: to send it, to query the PSP, and after its end to see whether money came back.
  next_at timestamptz,
  attempts integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- What GET /transactions calls the status: a column, so that lists by status are index reads.
  transaction_status text not null generated always as (
    case status when 'failed' then 'failed' when 'completed' then 'completed' when 'reversed' then 'completed' else 'pending' end) stored,
  primary key (account_id, withdrawal_id),
  check (amount = fee_amount + net_amount),
  check (next_at is not null or status not in ('pending', 'processing') or awaiting_approval),
  check (not awaiting_approval or status in ('pending', 'failed')),
  check ((returned_amount = net_amount) = (status = 'reversed')),
  check (returned_amount = 0 or status in ('completed', 'reversed')),
  check (not awaiting_approval or approved_at is null),
  -- For the planner: no withdrawal is cancelled, so a list of cancelled transactions does not read this table.
  check (transaction_status in ('pending', 'completed', 'failed'))
);
create index withdrawals_due on withdrawals (next_at) where next_at is not null;
create index withdrawals_by_key on withdrawals (account_id, pix_key);
create index withdrawals_by_time on withdrawals (withdrawal_id);
create index withdrawals_of_wallet on withdrawals (account_id, wallet_id, withdrawal_id);
create index withdrawals_by_reference on withdrawals (account_id, wallet_id, external_reference, withdrawal_id) where external_reference is not null;
create index withdrawals_by_idempotency_key on withdrawals (account_id, wallet_id, idempotency_key, withdrawal_id) where idempotency_key is not null;
create index withdrawals_of_project on withdrawals (account_id, wallet_id, project_id, withdrawal_id) where project_id is not null;
create index withdrawals_by_e2e on withdrawals (account_id, e2e_id) where e2e_id is not null;
-- Few banks give ids of their own: the index has nothing of the others.
create index withdrawals_by_psp_reference on withdrawals using gin (psp_references jsonb_path_ops) where psp_references <> '[]';
create index withdrawals_by_holder on withdrawals using brin (
  holder_document text_bloom_ops (n_distinct_per_range = 1000, false_positive_rate = 0.001)
) with (pages_per_range = 64, autosummarize = on);
create index withdrawals_by_amount on withdrawals using brin (
  created_at, amount int8_bloom_ops (n_distinct_per_range = 1000, false_positive_rate = 0.01)
) with (pages_per_range = 64, autosummarize = on);
create index withdrawals_by_update on withdrawals using brin (updated_at) with (pages_per_range = 32, autosummarize = on);
create index withdrawals_pending on withdrawals (account_id, wallet_id, withdrawal_id) where transaction_status = 'pending';
create index withdrawals_failed on withdrawals (account_id, wallet_id, withdrawal_id) where transaction_status = 'failed';
create index withdrawals_by_settlement on withdrawals (institution_id, settled_at) where settled_at is not null;

-- Which withdrawal an id that a bank or the network gave belongs to, in the house's rows: no lock of a tenant can keep one
-- payment at a bank from completing the withdrawals of two. Claimed before the id is stored with the withdrawal.
create table payout_ids (
  account_id uuid not null,
  -- The institution whose id it is; 'network' for an end-to-end id, which is one for all institutions.
  given_by text not null,
  payout_id text not null,
  tenant_id uuid not null,
  withdrawal_id uuid not null,
  claimed_at timestamptz not null,
  primary key (account_id, given_by, payout_id)
);

-- What the limits of withdrawals count, updated with every withdrawal instead of summed up for each: a merchant's ten
-- thousandth withdrawal of a day costs what the first one does.
create table withdrawal_sums (
  account_id uuid primary key,
  -- Full hours (Unix milliseconds) of a little more than the last day, and the centavos requested in each by withdrawals
  -- that did not fail.
  hours bigint[] not null,
  amounts bigint[] not null,
  counts integer[] not null,
  check (cardinality(hours) = cardinality(amounts) and cardinality(hours) = cardinality(counts))
);

-- What came back of a completed withdrawal: one row for each return, so that none is booked twice.
create table withdrawal_returns (
  account_id uuid not null,
  -- Source of its transfer in the ledger.
  return_id uuid not null,
  withdrawal_id uuid not null,
  -- The institution's id of it, and the network's (D…). Either may be missing, and come later: both name the one return.
  psp_id text,
  rtr_id text,
  amount bigint not null check (amount > 0),
  returned_at timestamptz not null,
  -- The transaction that shows it.
  movement_id uuid not null,
  created_at timestamptz not null,
  primary key (account_id, return_id),
  unique nulls not distinct (account_id, withdrawal_id, psp_id, rtr_id),
  unique (account_id, withdrawal_id, rtr_id),
  check (psp_id is not null or rtr_id is not null)
);

-- Movements -----------------------------------------------------------------------------------------------------------

-- What changes a wallet's balance and is no charge. Rows are never updated or deleted. An internal transfer is one row with
-- two transactions: `out` at the sender, and `in` at the counterpart, under an id of its own.
create table movements (
  account_id uuid not null,
  -- Source and leg of its transfer in the ledger: the transfer, the charge of a split leg, the adjustment.
  cause_id uuid not null,
  leg integer not null,
  type text not null check (type in ('internal_transfer', 'adjustment', 'referral_commission', 'fee', 'chargeback')),
  -- Its transaction id, the wallet that sees it, and which way the money went there.
  movement_id uuid not null,
  wallet_id uuid not null,
  direction text not null check (direction in ('in', 'out')),
  amount bigint not null check (amount > 0),
  -- The receiving wallet of an internal transfer, and the id of its transaction.
  counterpart_wallet_id uuid,
  counterpart_movement_id uuid,
  description text,
  -- The sender's own words about a transfer.
  external_reference text,
  metadata jsonb,
  idempotency_key text,
  created_at timestamptz not null,
  primary key (account_id, wallet_id, movement_id),
  -- The same cause moves money once.
  unique (account_id, cause_id, leg, type),
  constraint movements_two_sides check (
    case when type = 'internal_transfer' then direction = 'out' and counterpart_wallet_id is not null
        and counterpart_movement_id is not null and counterpart_wallet_id <> wallet_id and counterpart_movement_id <> movement_id
      else counterpart_wallet_id is null and counterpart_movement_id is null end)
);
create unique index movements_of_counterpart on movements (account_id, counterpart_wallet_id, counterpart_movement_id)
  where counterpart_wallet_id is not null;
-- Split legs and transfers are many; the other types are found without reading through them.
create index movements_of_type on movements (account_id, wallet_id, type, movement_id) where type <> 'internal_transfer';
-- GET /transfers: without the split legs, which are caused by their charge; one index for each side.
create index movements_sent on movements (account_id, wallet_id, movement_id)
  where type = 'internal_transfer' and cause_id = movement_id;
create index movements_received on movements (account_id, counterpart_wallet_id, movement_id)
  where type = 'internal_transfer' and cause_id = movement_id;
create index movements_by_external_reference on movements (account_id, wallet_id, external_reference, movement_id)
  where external_reference is not null;
create index movements_by_time on movements using brin (created_at) with (pages_per_range = 32, autosummarize = on);
create index movements_by_idempotency_key on movements (account_id, wallet_id, idempotency_key, movement_id) where idempotency_key is not null;

-- Webhooks ------------------------------------------------------------------------------------------------------------

create table webhook_endpoints (
  account_id uuid not null references accounts,
  endpoint_id uuid not null,
  wallet_id uuid not null,
  url text not null,
  -- Null: all events.
  events text[],
  description text,
  enabled boolean not null default true,
  retry text not null default 'standard' check (retry in ('standard', 'extended')),
  sealed_secret text not null,
  -- The secret that takes over when the rotation ends; until then both sign.
  next_sealed_secret text,
  rotation_ends_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  primary key (account_id, endpoint_id),
  foreign key (account_id, wallet_id) references wallets,
  check ((next_sealed_secret is null) = (rotation_ends_at is null))
);

-- What happened, written once: the body is text, and every attempt sends it byte for byte.
create table events (
  account_id uuid not null,
  event_id text not null,
  wallet_id uuid not null,
  kind text not null,
  body text not null,
  -- True: of POST /webhook-endpoints/{id}/test; nothing has happened.
  test boolean not null default false,
  -- When its data was erased (erase_events). It is not sent again.
  erased_at timestamptz,
  created_at timestamptz not null,
  primary key (account_id, event_id)
);
-- Lists merge the ten kinds, each in the order of the index; a filter by kind reads one of them.
create index events_of_wallet on events (account_id, wallet_id, kind, created_at, event_id);
-- Events whose days are over (retention/purge.ts).
create index events_by_time on events using brin (created_at) with (pages_per_range = 32, autosummarize = on);

-- A queue for each endpoint: deliveries that wait for an endpoint that hangs are not read to find the work of the others.
create table deliveries (
  account_id uuid not null,
  delivery_id uuid not null,
  event_id text not null,
  endpoint_id uuid not null,
  status text not null check (status in ('pending', 'delivered', 'failed')),
  -- All attempts, and those since the event, a redelivery or a replay queued it.
  attempts integer not null default 0,
  tries integer not null default 0,
  -- When the next attempt is due.
  next_at timestamptz,
  -- Until when a process has claimed it; a crash releases it by itself. A claim leaves next_at alone: no index has this
  -- column, so the row is updated within its page and no index is written. Claimed rows stay at the head of their queue and
  -- are skipped; they are a few dozen at most.
  claimed_until timestamptz,
  created_at timestamptz not null,
  finished_at timestamptz,
  primary key (account_id, endpoint_id, delivery_id)
) with (fillfactor = 80);
-- Deduplicated, deliveries of one moment are one list, which stays until all its rows have been sent. As single entries,
-- those that have been sent are dropped by the query that meets them (docs/decisions/0021-search-from-last-position.md).
create index deliveries_due on deliveries (account_id, endpoint_id, next_at) with (deduplicate_items = off) where status = 'pending';
create unique index deliveries_of_event on deliveries (account_id, event_id, endpoint_id);
-- Failed ones are few; they are listed and replayed.
create index deliveries_failed on deliveries (account_id, endpoint_id, delivery_id) where status = 'failed';

create table delivery_attempts (
  account_id uuid not null,
  delivery_id uuid not null,
  attempt integer not null,
  -- X-Service-Webhook-ID of this attempt.
  webhook_id uuid not null,
  started_at timestamptz not null,
  latency_ms integer not null,
  status_code integer,
  error text,
  -- The first 1 KiB of the answer.
  response_excerpt text,
  primary key (account_id, delivery_id, attempt)
);

-- Requests of merchants that were answered (requests/log.ts): patterns of paths, no ids, no bodies, no addresses.
create table api_requests (
  account_id uuid not null,
  -- X-Request-Id, a UUIDv7: its time is when the request came.
  trace_id uuid not null,
  method text not null,
  route text not null,
  status integer not null,
  -- details.code of a refusal.
  code text,
  latency_ms integer not null,
  -- Null: a person, by the console.
  credential_id uuid,
  primary key (account_id, trace_id)
);
create index api_requests_refused on api_requests (account_id, trace_id) where status >= 400;

-- The gateway's role writes events and cannot change them (db/rights.ts). This function is the one exception, and it can
-- only remove: the row stays, its data goes. An event that is still to be sent stays. Its search path is this schema, and
-- temporary tables last, so that no caller can give it other tables. A cluster can plan its statement in PL/pgSQL only, and
-- in an update no function whose result depends on settings, as json_build_object.
create function erase_events(account uuid, ids text[], instant timestamptz) returns setof text
language plpgsql security definer
as $$
begin
  return query
  update events e set erased_at = instant,
    body = '{"event" : ' || (e.body::json -> 'event')::text || ', "eventId" : ' || (e.body::json -> 'eventId')::text
      || ', "timestamp" : ' || coalesce((e.body::json -> 'timestamp')::text, 'null')
      || ', "subAccount" : ' || coalesce((e.body::json -> 'subAccount')::text, 'null') || ', "data" : {"erased" : true}}'
  where e.account_id = account and e.event_id = any (ids) and e.erased_at is null
    and not exists (
      select from deliveries d
      where d.account_id = account and d.event_id = e.event_id and d.status = 'pending')
  returning e.event_id;
end
$$;
do $$
begin
  execute format('alter function erase_events(uuid, text[], timestamptz) set search_path = %I, pg_temp', current_schema());
end
$$;
revoke all on function erase_events(uuid, text[], timestamptz) from public;

-- Calls of merchants --------------------------------------------------------------------------------------------------

-- Answers stored for a repeated Idempotency-Key. Without an answer: the first call is running (or died), under a lease.
create table idempotency_keys (
  account_id uuid not null,
  wallet_id uuid not null,
  route text not null,
  key text not null,
  request_hash bytea not null,
  -- The intent that the key is bound to (a charge, a withdrawal); null for calls without an outside effect.
  object_id uuid,
  lease_until timestamptz not null,
  status_code integer,
  response text,
  created_at timestamptz not null,
  -- An answer is stored for 24 hours; a key bound to an unfinished intent until that is final.
  expires_at timestamptz not null,
  primary key (account_id, wallet_id, route, key)
);
create index idempotency_keys_to_expire on idempotency_keys (expires_at);

-- What banks report ---------------------------------------------------------------------------------------------------

-- Notifications from PSPs as they came, one row for each Pix, payout or case that they name; all of the house account.
create table inbox (
  account_id uuid not null,
  inbox_id uuid not null,
  institution_id uuid not null,
  body_hash bytea not null,
  body text not null,
  -- What it says has happened (psp/psp.ts). What nobody understands is stored and not processed.
  kind text not null check (kind in ('charge_paid', 'return_moved', 'payout_moved', 'case_opened', 'unrecognised')),
  -- The end-to-end id of a Pix, or the institution's own where it names no other; our id of a payout, or the institution's;
  -- the institution's id of a case.
  subject_id text check ((subject_id is null) = (kind = 'unrecognised')),
  txid text,
  status text not null check (status in ('pending', 'applied', 'unmatched', 'ignored', 'abandoned')),
  attempts integer not null default 0,
  last_error text,
  next_at timestamptz not null,
  received_at timestamptz not null,
  applied_at timestamptz,
  primary key (account_id, inbox_id),
  unique (account_id, institution_id, body_hash)
);
-- A poll that shows a Pix first reads what waits about it: few rows wait, so it reads the subjects of all of them.
create index inbox_to_apply on inbox (next_at) include (subject_id) where status = 'pending';

-- How far the received Pix of each institution have been listed. Shared by all accounts.
create table received_polls (
  institution_id uuid primary key,
  -- Every Pix that the PSP showed up to here has been booked.
  covered_until timestamptz not null,
  next_at timestamptz not null,
  -- Since when no listing has come any further; null: the last one has.
  stands_since timestamptz,
  -- The nightly listing of returned Pix: when it is due, when the last one began, from which window and page it goes on (null:
  -- from the first day), and how many calls the night has made.
  returns_next_at timestamptz,
  returns_began_at timestamptz,
  returns_place jsonb,
  returns_calls integer not null default 0
);

-- How far the MED cases of each institution have been listed. Shared by all accounts.
create table infraction_polls (
  institution_id uuid primary key,
  -- Every case that was opened up to here has been processed.
  covered_until timestamptz not null,
  -- When all cases of the last 90 days were listed: an institution may go by the date of the Pix.
  whole_at timestamptz,
  next_at timestamptz not null
);

-- The cases that institutions showed, as they were applied; all of the house account, since a case names a Pix and not an
-- account. A case is processed again until it is done in its present state.
create table psp_cases (
  account_id uuid not null,
  institution_id uuid not null,
  case_id text not null,
  -- Whose Pix it is about; null while that is unknown.
  tenant_id uuid,
  e2e_id text not null,
  status text not null,
  opened_at timestamptz,
  -- What it came to in the books.
  outcome text not null,
  done boolean not null,
  closed boolean not null,
  seen_at timestamptz not null,
  primary key (account_id, institution_id, case_id)
);
create index psp_cases_open on psp_cases (account_id, institution_id, opened_at) where not closed;

-- The last comparison of an institution's day with our books, and when the next one is due. Shared by all accounts.
create table reconciliations (
  institution_id uuid not null,
  -- A day of São Paulo.
  day date not null,
  -- When the loop compares it next; null when that is left to the operator. A claim moves it into the future.
  next_at timestamptz,
  checked_at timestamptz,
  report jsonb,
  -- The place of the entry that was queried last: the next comparison goes on after it.
  asked_last text,
  primary key (institution_id, day)
);
create index reconciliations_due on reconciliations (next_at) where next_at is not null;

-- Closed days of São Paulo. Shared by all accounts.
create table day_closes (
  day date primary key,
  closed_at timestamptz not null,
  -- Balance of each kind of ledger account at the day's end, centavos.
  positions jsonb not null
);
-- What a closed day came to at an institution, centavos. Shared by all accounts.
create table institution_closes (
  institution_id uuid not null,
  day date not null,
  opening bigint not null,
  closing bigint not null,
  movements jsonb not null,
  -- Its own figure at the day's end, from the balance that it reported at `sampled_at`.
  theirs bigint,
  sampled_at timestamptz,
  -- Name of the operator who entered it from its statement; null: it was reported.
  entered_by text check (entered_by is null or theirs is not null),
  -- Why it has no figure: it reports no balances, or gave none between the day's end and the close.
  theirs_missing text check (theirs_missing in ('not_reported', 'not_in_time')),
  cases jsonb not null,
  check ((theirs is null) = (theirs_missing is not null)),
  primary key (institution_id, day)
);
-- What a closed day came to in a ledger account; no row where no line was new. Signed centavos.
create table ledger_closes (
  account_id uuid not null,
  no integer not null,
  day date not null,
  opening bigint not null,
  closing bigint not null,
  -- The last line that was booked then, and the first that was left to a later day.
  through_seq bigint not null,
  open_seq bigint not null,
  primary key (account_id, no, day)
);
create table close_movements (
  account_id uuid not null,
  no integer not null,
  day date not null,
  kind text not null,
  late boolean not null,
  count_in bigint not null,
  amount_in bigint not null,
  count_out bigint not null,
  amount_out bigint not null,
  primary key (account_id, no, day, kind, late)
);
create index close_movements_of_day on close_movements (day);

-- What the lines of a wallet's ledger account come to by kind, from the first to each 250th. Centavos. Lines never
-- change, so neither do their sums.
create table line_sums (
  account_id uuid not null,
  no integer not null,
  through_seq bigint not null,
  kind text not null,
  lines bigint not null,
  came bigint not null,
  went bigint not null,
  -- The last line of the kind.
  newest_seq bigint not null,
  primary key (account_id, no, through_seq, kind)
);

-- When the balance of an institution is compared next. Shared by all accounts.
create table balance_watches (
  institution_id uuid primary key,
  -- A claim moves it into the future.
  next_at timestamptz not null,
  -- Its answer, while the books catch up with it.
  sample jsonb,
  -- The difference that the open case reports, centavos; null: none is open.
  reported bigint
);
-- Every comparison: 53,000 rows a year for each institution. Centavos.
create table balance_checks (
  institution_id uuid not null,
  -- When the institution answered.
  sampled_at timestamptz not null,
  theirs bigint not null,
  blocked bigint not null,
  -- What the books say it held at that moment.
  ours bigint not null,
  -- What moved within seconds of it, both directions; and payouts and returns that were under way.
  moving bigint not null,
  under_way bigint not null,
  verdict text not null check (verdict in ('agrees', 'moving', 'differs')),
  -- Name of the operator who entered the figure; null: the institution answered.
  entered_by text,
  primary key (institution_id, sampled_at)
);

-- Cases ---------------------------------------------------------------------------------------------------------------

-- What a person must decide: one open case for each kind and object, opened and closed by the transactions that find the
-- fact and its end. Of the house account where it concerns the installation.
create table cases (
  account_id uuid not null,
  case_id uuid not null,
  -- Counts the cases of the kind and object: the order of ids is that of the clocks of processes.
  number integer not null,
  kind text not null,
  -- Id of the object in its own table.
  object_id text not null,
  status text not null check (status in ('open', 'closed')),
  severity text not null check (severity in ('critical', 'warning', 'notice')),
  institution_id uuid,
  -- Centavos.
  amount bigint,
  deadline timestamptz,
  -- Name of the operator who works on it.
  assignee text,
  -- The newest; case_entries has each that was added.
  evidence jsonb not null,
  opened_at timestamptz not null,
  updated_at timestamptz not null,
  closed_at timestamptz,
  closed_because text check (closed_because in ('resolved', 'decided')),
  primary key (account_id, case_id),
  check ((status = 'closed') = (closed_at is not null))
);
create unique index cases_open on cases (account_id, kind, object_id) where status = 'open';
-- Whether somebody has decided about an object before.
create index cases_of_object on cases (account_id, kind, object_id, number);
-- The operator's list goes over all accounts, newest first.
create index cases_by_time on cases (case_id);

-- History of a case: what was found, noted, assigned, proposed, decided. Written once.
create table case_entries (
  account_id uuid not null,
  case_id uuid not null,
  entry_id uuid not null,
  kind text not null check (kind in ('opened', 'evidence', 'note', 'assigned', 'proposed', 'approved', 'rejected', 'executed',
    'refused', 'closed')),
  actor text not null,
  body jsonb not null,
  created_at timestamptz not null,
  primary key (account_id, case_id, entry_id)
);

-- What an operator wants done about a case. Approved, it is executed once; a loop finishes what a crash cut in two.
create table case_proposals (
  account_id uuid not null,
  proposal_id uuid not null,
  case_id uuid not null,
  -- Counts the case's proposals: the order of ids is that of the clocks of processes.
  number integer not null,
  action text not null,
  parameters jsonb not null,
  -- What it rests on: the case, its object in the books, and what the institution says. What has changed is not executed.
  basis jsonb not null,
  status text not null check (status in ('awaiting_approval', 'approved', 'executed', 'refused', 'rejected')),
  -- Name and token id of the operator: names are used again, ids are not.
  proposed_by text not null,
  proposer_id text not null,
  -- Ids of whoever stood behind the operator then: none of them approves it.
  proposer_owners jsonb not null,
  proposed_at timestamptz not null,
  -- Who approved or rejected it; where one person is enough, who proposed it.
  decided_by text,
  decided_at timestamptz,
  -- When its first effects were committed, by their own transaction.
  begun_at timestamptz,
  -- What executing it came to, or why it was refused.
  result jsonb,
  finished_at timestamptz,
  -- When the loop may execute it: later than a process that is executing it takes.
  next_at timestamptz,
  primary key (account_id, proposal_id)
);
create unique index case_proposals_of_case on case_proposals (account_id, case_id, number);
create unique index case_proposals_open on case_proposals (account_id, case_id) where status in ('awaiting_approval', 'approved');
create index case_proposals_due on case_proposals (next_at) where status = 'approved';

-- Brakes: what may not leave at present. Shared by all accounts, because one may be about everything. Claims of what is sent
-- lock the table in row share mode, and whoever sets a brake in exclusive mode (brakes/gate.ts). A lifted one is history.
create table brakes (
  brake_id uuid primary key,
  -- `restore`: this database is a restored copy (restore/watch.ts); only the end of the restore lifts it.
  scope text not null check (scope in ('all', 'institution', 'account', 'wallet', 'restore')),
  -- Id of the institution, account or wallet; null: everything.
  target_id uuid,
  reason text not null,
  -- Names of the operators who set and lifted it.
  actor text not null,
  since timestamptz not null,
  lifted_at timestamptz,
  lifted_by text,
  lift_reason text,
  check ((target_id is null) = (scope in ('all', 'restore'))),
  check ((lifted_at is null) = (lifted_by is null))
);
create unique index brakes_set on brakes (scope, target_id) nulls not distinct where lifted_at is null;

-- Operators -----------------------------------------------------------------------------------------------------------

-- Who may use the operator API. Shared by all accounts. Only the hash of a token is stored.
create table operator_tokens (
  token_id uuid primary key,
  name text not null,
  role text not null check (role in ('admin', 'finance', 'support', 'auditor')),
  kind text not null check (kind in ('person', 'machine')),
  -- Addresses and networks that it works from; null: any.
  allowed_ips text[],
  token_hash bytea not null unique,
  -- As of credentials.
  made_by text,
  made_by_name text,
  owners text[] not null check (cardinality(owners) > 0),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- To the minute.
  last_used_at timestamptz,
  revoked_at timestamptz
);
-- The audit log names the token: two that are valid never have one name.
create unique index operator_tokens_name_idx on operator_tokens (name) where revoked_at is null;

-- Who signs in to the console. A person may have a role in the installation, and one in each of several accounts.
create table people (
  person_id uuid primary key,
  name text not null,
  -- In lower case. Null only for the person of the sandbox's first link.
  email text,
  language text check (language in ('pt-BR', 'en')),
  installation_role text check (installation_role in ('admin', 'finance', 'support', 'auditor')),
  -- The person of the sandbox's first link has nothing to confirm a sign-in with, and is never asked to.
  always_fresh boolean not null default false,
  created_at timestamptz not null,
  -- argon2id with its cost and salt; null: there is no password.
  password_hash text,
  -- Since when the address counts as the person's: the company's provider or an admin vouches for it. Null: only an account's owner
  -- has named it, and may hold the sign-in as well.
  vouched_at timestamptz,
  -- Since when the person is who they are with the roles that they have: made, given a role, taken over or let in again. Who is that
  -- only since today is nobody's second person yet.
  role_since timestamptz not null,
  -- Until when the person has seen the notices about their access; null: none.
  noticed_at timestamptz,
  -- Who was removed has no role and no session, and stays for the audit log's sake.
  removed_at timestamptz
);
-- An address that counts has one person. Owners may name it too: each makes a person of their own, so that no owner learns of another.
create unique index people_email_idx on people (email) where removed_at is null and vouched_at is not null;
create index people_named_idx on people (email) where removed_at is null;

-- Shared by all accounts: a session finds its person's roles in all accounts at once.
create table memberships (
  person_id uuid not null,
  of_account uuid not null,
  role text not null check (role in ('owner', 'finance', 'developer', 'support', 'viewer')),
  created_at timestamptz not null,
  removed_at timestamptz,
  primary key (person_id, of_account)
);
create index memberships_account_idx on memberships (of_account);

-- SHA-256 of the 256-bit random value of a cookie. A rise of rights gives the session another value.
create table sessions (
  session_id uuid primary key,
  person_id uuid not null,
  token_hash bytea not null unique,
  -- The browser as it names itself, and the address of the sign-in: for its owner, who searches for a stranger.
  browser text,
  address text,
  created_at timestamptz not null,
  -- To the minute.
  seen_at timestamptz not null,
  expires_at timestamptz not null,
  -- Until when what moves money or shows a secret is allowed without another sign-in.
  fresh_until timestamptz,
  ended_at timestamptz
);
create index sessions_person_idx on sessions (person_id) where ended_at is null;

-- Tries for what a person signs in by, counted before each is checked, and kept for a window of minutes. The counter is an HMAC under
-- the master key: nobody can choose what shares a row.
create table sign_in_guesses (
  purpose text not null check (purpose in ('password', 'code', 'passkey')),
  counter bytea not null,
  tries integer not null,
  since timestamptz not null,
  primary key (purpose, counter)
);
create index sign_in_guesses_since_idx on sign_in_guesses (since);

-- A person's authenticator app (RFC 6238): the second factor of a sign-in by password.
create table authenticators (
  person_id uuid primary key,
  -- Sealed under the master key. Null: there is none, or it was not confirmed by a code yet.
  sealed_secret text,
  -- The secret that waits some minutes for its first code; the one before works until then.
  sealed_pending text,
  pending_since timestamptz,
  -- The time step of the newest code that was used: that code and older ones are refused.
  last_step bigint not null,
  confirmed_at timestamptz,
  created_at timestamptz not null
);

-- SHA-256 of the 80 random bits of each code that signs in once in place of the authenticator.
create table recovery_codes (
  code_hash bytea primary key,
  person_id uuid not null,
  created_at timestamptz not null,
  -- When it was used, or replaced by others.
  used_at timestamptz
);
create index recovery_codes_person_idx on recovery_codes (person_id) where used_at is null;

-- Public keys of people's passkeys. One that was removed stays, so that its key never counts again.
create table passkeys (
  passkey_id uuid primary key,
  person_id uuid not null,
  -- Base64url, as the authenticator chose it.
  credential_id text not null unique,
  -- COSE.
  public_key bytea not null,
  -- How often the authenticator says that it signed; most say 0 for ever. One that goes back is a copy.
  signatures bigint not null check (signatures >= 0),
  -- How the browser may reach the authenticator.
  transports text[] not null,
  -- Its owner's word for it.
  name text not null,
  -- Whether a provider keeps copies of it on the person's other devices.
  synced boolean not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  removed_at timestamptz
);
create index passkeys_person_idx on passkeys (person_id) where removed_at is null;

-- Sums that one human moved without a second person, for a day (cases/allowance.ts). Shared by all accounts.
create table moved_alone (
  -- Distinguishes the call: its repeat counts once.
  reference text primary key,
  -- Ids of whoever stands behind the operator.
  owners text[] not null check (cardinality(owners) > 0),
  amount bigint not null check (amount > 0),
  moved_at timestamptz not null
);

-- Challenges that a passkey or the company's provider has answered rightly, until they expire: none counts twice. A challenge carries
-- its own purpose and time under the master key, so that one which nobody answers needs no row.
create table used_challenges (
  challenge bytea primary key,
  expires_at timestamptz not null
);
create index used_challenges_expiry_idx on used_challenges (expires_at);

-- Who somebody is at the company's OpenID Connect provider, from the first sign-in on: an address there may be given to another.
create table provider_identities (
  issuer text not null,
  subject text not null,
  person_id uuid not null,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  removed_at timestamptz,
  primary key (issuer, subject)
);
create unique index provider_identities_person_idx on provider_identities (person_id, issuer) where removed_at is null;

-- Links that sign a person in once: the sandbox's first link, invitations, and what lets in who lost password or authenticator.
create table sign_in_links (
  link_id uuid primary key,
  token_hash bytea not null unique,
  purpose text not null check (purpose in ('first', 'invitation', 'recovery')),
  -- Of the first link and a recovery: who signs in. Of an invitation: whoever uses it becomes a person of this e-mail address.
  person_id uuid,
  email text,
  name text,
  -- An invitation's role: in an account, or in the installation where the account is null.
  of_account uuid,
  role text,
  -- Made by whoever runs the installation: the address counts as the user's from then on.
  vouches boolean not null default false,
  -- Name and id of the person or operator token that made it: it ends with them.
  invited_by text,
  made_by text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);

-- What happened to a person's access, as the person is shown it: at the next sign-in, and by mail where there is a mail server.
create table notices (
  notice_id uuid primary key,
  person_id uuid not null,
  action text not null,
  details jsonb not null,
  created_at timestamptz not null,
  -- When a mail is to be sent, or tried again; null: it was, or there is nobody to send it to.
  mail_due_at timestamptz,
  mail_tries integer not null default 0,
  mailed_at timestamptz
);
create index notices_person_idx on notices (person_id, notice_id desc);
create index notices_mail_idx on notices (mail_due_at) where mail_due_at is not null;

-- Every change an operator makes: who, what, before, after.
create table audit_log (
  account_id uuid not null references accounts,
  audit_id uuid not null,
  actor text not null,
  action text not null,
  object_id uuid,
  before jsonb,
  after jsonb,
  created_at timestamptz not null,
  -- The account's entries are a chain: number, hash of the one before (null in the first), hash of this one.
  seq bigint not null,
  previous_hash bytea,
  hash bytea not null,
  primary key (account_id, audit_id)
);
create unique index audit_log_chain on audit_log (account_id, seq);
-- Each check of what was booked since the last one finds the decision about each object.
create index audit_log_by_object on audit_log (account_id, object_id);
-- The log of all accounts together, newest first: ids are made in the order of time.
create index audit_log_by_time on audit_log (audit_id);

-- Where the chain of each account's audit log ends: number and hash of its last entry. Locked by whoever adds one.
create table audit_heads (
  account_id uuid primary key,
  seq bigint not null,
  hash bytea
);

-- Auditor -------------------------------------------------------------------------------------------------------------
-- Checks what was booked since its last check, and freezes the withdrawals of an account whose books are wrong.

-- How far each ledger account has been checked: number and balance of its last line then.
create table audit_points (
  account_id uuid not null,
  no integer not null,
  seq bigint not null,
  balance bigint not null,
  primary key (account_id, no)
);

-- `lifted`: the operator has examined it. `gone`: a full check does not find it any more.
create table audit_findings (
  account_id uuid not null,
  finding_id uuid not null,
  -- Its number in docs/money.md, and where: the same break in the same row is one finding.
  invariant text not null,
  place text not null,
  -- The object at the place, and the figures: each language makes its own sentence of them.
  data jsonb not null,
  -- The check that found it.
  mode text not null check (mode in ('fresh', 'full')),
  status text not null check (status in ('open', 'lifted', 'gone')),
  found_at timestamptz not null,
  lifted_at timestamptz,
  lifted_by text,
  lift_reason text,
  primary key (account_id, finding_id)
);
create unique index audit_findings_of_place on audit_findings (account_id, invariant, place) where status <> 'gone';
create index audit_findings_by_time on audit_findings (finding_id);
create index audit_findings_open on audit_findings (account_id) where status = 'open';

-- When each kind of check ran last, and when it runs next. Shared by all accounts.
create table audits (
  mode text primary key check (mode in ('fresh', 'full')),
  -- A claim moves it into the future.
  next_at timestamptz,
  -- The instant that was checked up to.
  checked_at timestamptz,
  lines bigint,
  violations bigint
);

-- Work of operators that takes long: started once, and joined by whoever asks for the same at any process.
create table jobs (
  -- Begins with the time.
  job_id uuid primary key,
  kind text not null check (kind in ('ledger.verify', 'ledger.audit', 'reconciliation', 'person.export')),
  subject text not null,
  state text not null check (state in ('running', 'done', 'failed')),
  actor text not null,
  started_at timestamptz not null,
  -- When its process said last that it lives.
  beat_at timestamptz not null,
  ended_at timestamptz,
  steps_done integer,
  steps integer,
  -- Of a check of the books.
  result jsonb
);
create unique index jobs_running on jobs (kind, subject) where state = 'running';

-- Views ---------------------------------------------------------------------------------------------------------------

-- The return that counts of a Pix: the one that gave it back, else the latest.
create view deposit_returns as
  select distinct on (account_id, e2e_id) * from pix_returns where purpose = 'deposit'
  order by account_id, e2e_id, (status = 'confirmed') desc, return_id desc;

-- Receipts and failed returns that the operator must decide about, with the decision.
create view unmatched as
  select p.account_id, 'receipt'::text as kind, p.pix_id as id, p.institution_id, p.e2e_id, p.amount, p.paid_at,
    p.payer_name, p.payer_document, p.txid, 'unmatched'::text as received_as, p.reason, p.received_at as created_at,
    case when t.status is not null then t.status when a.status is not null then a.status when r.status = 'confirmed' then 'returned'
      when r.status = 'failed' then 'return_failed' when r.status is not null then 'returning'
      when p.amount <= coalesce((
        select sum(s.amount) from psp_returns s where s.account_id = p.account_id and s.e2e_id = p.e2e_id), 0) then 'returned'
      else 'open' end as status,
    case when t.status is not null then 'treasury' when a.status is not null then 'assign' when r.status is not null then 'return' end
      as action,
    a.to_account_id, a.charge_id, a.outcome as assigned_as, r.return_id,
    coalesce(t.booked_at, a.created_at, f.created_at) as resolved_at
  from received_pix p
  left join treasury_entries t on t.account_id = p.account_id and t.entry_id = p.pix_id
  left join pix_assignments a on a.account_id = p.account_id and a.e2e_id = p.e2e_id
  left join pix_returns f on f.account_id = p.account_id and f.e2e_id = p.e2e_id and f.purpose = 'deposit' and f.retry_of is null
  left join lateral (
    select l.return_id, l.status from pix_returns l where l.account_id = p.account_id and l.e2e_id = p.e2e_id and l.purpose = 'deposit'
    order by (l.status = 'confirmed') desc, l.return_id desc limit 1
  ) r on true
  where p.outcome in ('unmatched', 'assigned', 'treasury')
  union all
  select r.account_id, 'return', r.return_id, r.institution_id, r.e2e_id, r.amount, p.paid_at,
    p.payer_name, p.payer_document, p.txid, p.outcome, r.failure_reason, r.created_at,
    case when r.status = 'confirmed' then 'returned' when r.status <> 'failed' then 'returning'
      when r.written_off_by is not null and r.restored_at is null then 'booked'
      when n.return_id is not null then 'retried'
      when (
        select coalesce(sum(case when d.retry_of is null then d.amount else 0 end), 0)
          - coalesce(sum(d.amount) filter (where d.status = 'confirmed'), 0)
        from pix_returns d where d.account_id = r.account_id and d.e2e_id = r.e2e_id and d.purpose = 'deposit'
      ) <= coalesce((
        select sum(s.amount) from psp_returns s
        where s.account_id = r.account_id and s.e2e_id = r.e2e_id and s.source = 'returns'), 0) then 'returned'
      else 'open' end,
    case when r.written_off_by is not null and r.restored_at is null then 'treasury' when r.retried_at is not null then 'retry' end,
    null, r.charge_id, null, n.return_id,
    case when r.written_off_by is not null and r.restored_at is null then r.updated_at else r.retried_at end
  from pix_returns r
  join received_pix p on p.account_id = r.account_id and p.e2e_id = r.e2e_id
  left join pix_returns n on n.account_id = r.account_id and n.retry_of = r.return_id
  where r.purpose = 'deposit' and (r.status = 'failed' or r.retried_at is not null);

-- What GET /transactions shows. Each branch is one table without a WHERE or a JOIN: only such branches are merged in the
-- order of their indexes, so that the newest 20 of a wallet with a million charges are 20 rows read and not a sort of all.
-- What belongs to a branch is read for each row shown; rows that are not public are hidden outside. What was claimed of a
-- payment is read where its row says that there is something.
create view transactions as
  select * from (
    select c.account_id, c.charge_id as transaction_id, c.wallet_id, 'payment'::text as type, c.status, c.amount,
      c.description, c.external_reference, c.idempotency_key, c.customer_id, c.project_id, c.metadata, c.pix_copy_paste,
      c.expires_at, c.paid_at, c.e2e_id, c.counterpart_name, c.counterpart_document, c.failure_reason, c.blocked_reason,
      c.paid_after_expiry, c.created_at, c.updated_at,
      case when c.blocked_reason is not null then (
        select jsonb_build_object('status', r.status, 'e2eId', r.rtr_id, 'settledAt', r.settled_at)
        from deposit_returns r where r.account_id = c.account_id and r.e2e_id = c.e2e_id)
        end as deposit_return,
      'in'::text as direction, null::uuid as original_id, null::text as withdrawal_status, c.closed_at,
      c.fee_amount, c.net_amount, c.txid, c.split, c.applied_split,
      -- One sub-query for all of it, as every sub-query costs a page 10 to 20 µs even where none of its rows needs it.
      case when c.claimed then (
        select jsonb_build_object('refund', f.newest, 'refunded', f.refunded, 'disputed', b.held,
          -- A refund that was settled late is among the returns; a return on account of a block is in what the block has taken.
          'returned', f.returned + b.taken + p.returned + d.returned)
        from (
          -- Ids are made before the command runs, so they do not tell the order.
          select (array_agg(jsonb_build_object('status', upper(r.status), 'refundTransactionId', r.refund_id, 'amount', r.amount)
              order by r.status = 'pending' desc, r.created_at desc, r.refund_id desc))[1] as newest,
            coalesce(sum(r.amount) filter (where r.status = 'confirmed'), 0) as refunded,
            coalesce(sum(r.amount) filter (where r.status = 'confirmed' and not r.late), 0) as returned
          from refunds r where r.account_id = c.account_id and r.charge_id = c.charge_id) f,
        (select coalesce(sum(k.held_amount), 0) as held, coalesce(sum(k.taken_amount), 0) as taken
          from balance_blocks k where k.account_id = c.account_id and k.e2e_id = c.e2e_id) b,
        (select coalesce(sum(x.amount), 0) as returned
          from psp_returns x where x.account_id = c.account_id and x.e2e_id = c.e2e_id and x.block_id is null) p,
        (select coalesce(sum(y.amount), 0) as returned
          from deposit_returns y where y.account_id = c.account_id and y.e2e_id = c.e2e_id and y.status = 'confirmed') d)
        end as claims,
      null::bigint as returned_amount,
      null::uuid as block_id, null::uuid as withdrawal_id, null::uuid as transfer_id, null::uuid as refund_id,
      (select jsonb_build_object('name', i.name, 'cnpj', i.cnpj) from institutions i
        where i.institution_id = c.institution_id) as institution,
      c.due, c.charged_amount, c.components, c.payment_link_id, c.qr_code_id, c.due_edits,
      case when c.status = 'completed' then (
        select jsonb_build_object('key', v.access_key, 'number', v.number, 'recordedAt', v.recorded_at)
        from invoices v where v.account_id = c.account_id and v.charge_id = c.charge_id)
        end as invoice,
      -- The charge of a static code is made when it is paid, so it never had time to be paid in.
      c.qr_code_id is not null and c.expires_in = 0 as is_static
    from charges c
    union all
    select m.account_id, m.movement_id, m.wallet_id, m.type, 'completed'::text, m.amount,
      m.description, m.external_reference, m.idempotency_key, null::uuid, null::uuid, m.metadata, null::text,
      null::timestamptz, null::timestamptz, null::text, null::text, null::text, null::text, null::text,
      false, m.created_at, m.created_at, null::jsonb, m.direction,
      case m.type
        -- A leg is caused by its charge, a transfer by itself.
        when 'internal_transfer' then case when m.cause_id <> m.movement_id then m.cause_id end
        when 'fee' then (select r.charge_id from refunds r where r.account_id = m.account_id and r.refund_id = m.cause_id)
        when 'chargeback' then coalesce(
          (select b.charge_id from balance_blocks b where b.account_id = m.account_id and b.block_id = m.cause_id),
          (select p.charge_id from psp_returns p
           where p.account_id = m.account_id and p.psp_return_id = m.cause_id and p.leg = m.leg)) end,
      null::text, null::timestamptz, null::bigint, null::bigint, null::text, null::jsonb, null::jsonb, null::jsonb, null::bigint,
      case when m.type = 'chargeback' then coalesce(
        (select b.block_id from balance_blocks b where b.account_id = m.account_id and b.block_id = m.cause_id),
        (select p.block_id from psp_returns p
         where p.account_id = m.account_id and p.psp_return_id = m.cause_id and p.leg = m.leg)) end,
      case when m.type = 'adjustment' then (
        select r.withdrawal_id from withdrawal_returns r where r.account_id = m.account_id and r.return_id = m.cause_id) end,
      case when m.type = 'internal_transfer' and m.cause_id = m.movement_id then m.cause_id end,
      case when m.type = 'fee' then m.cause_id end, null::jsonb, null::jsonb, null::bigint, null::jsonb, null::uuid, null::uuid, null::jsonb, null::jsonb, false
    from movements m
    union all
    -- The receiving side of internal transfers; null and so of no wallet for every other type.
    select m.account_id, m.counterpart_movement_id, m.counterpart_wallet_id, 'internal_transfer'::text, 'completed'::text, m.amount,
      m.description, null::text, null::text, null::uuid, null::uuid, null::jsonb, null::text,
      null::timestamptz, null::timestamptz, null::text, null::text, null::text, null::text, null::text,
      false, m.created_at, m.created_at, null::jsonb, 'in'::text,
      case when m.cause_id <> m.movement_id then m.cause_id end, null::text,
      null::timestamptz, null::bigint, null::bigint, null::text, null::jsonb, null::jsonb, null::jsonb, null::bigint,
      null::uuid, null::uuid, case when m.cause_id = m.movement_id then m.cause_id end, null::uuid, null::jsonb, null::jsonb, null::bigint, null::jsonb, null::uuid, null::uuid, null::jsonb, null::jsonb, false
    from movements m
    union all
    select r.account_id, r.refund_id, r.wallet_id, 'refund'::text,
      case r.status when 'confirmed' then 'completed' when 'error' then 'failed' else 'pending' end, r.amount,
      r.reason, null::text, r.idempotency_key, null::uuid, null::uuid, null::jsonb, null::text,
      null::timestamptz, null::timestamptz, r.rtr_id, null::text, null::text, r.failure_reason, null::text,
      false, r.created_at, r.updated_at, null::jsonb, 'out'::text, r.charge_id, null::text, null::timestamptz,
      case when r.status = 'confirmed' then case when r.late then 0 else r.fee_amount end end,
      case when r.status = 'confirmed' then r.amount end,
      null::text, null::jsonb, null::jsonb, null::jsonb, null::bigint, null::uuid, null::uuid, null::uuid, null::uuid, null::jsonb, null::jsonb, null::bigint, null::jsonb, null::uuid, null::uuid, null::jsonb, null::jsonb, false
    from refunds r
    union all
    select w.account_id, w.withdrawal_id, w.wallet_id, 'withdrawal'::text, w.transaction_status, w.amount,
      null::text, w.external_reference, w.idempotency_key, null::uuid, w.project_id, null::jsonb, null::text,
      null::timestamptz, w.settled_at, w.e2e_id, w.counterpart_name, w.counterpart_document,
      case when w.status = 'failed' then w.failure_reason end, null::text,
      false, w.created_at, w.updated_at, null::jsonb, 'out'::text, null::uuid, w.status, null::timestamptz,
      w.fee_amount, w.net_amount, null::text, null::jsonb, null::jsonb, null::jsonb, w.returned_amount,
      null::uuid, null::uuid, null::uuid, null::uuid, null::jsonb, null::jsonb, null::bigint, null::jsonb, null::uuid, null::uuid, null::jsonb, null::jsonb, false
    from withdrawals w
  ) t
  where status not in ('creating', 'rejected');
