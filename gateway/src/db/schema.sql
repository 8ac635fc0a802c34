-- What migrations/ makes, as PostgreSQL's catalogue says it, in alphabetical order. The reasons stand in migrations/.
-- Written by scripts/schema.ts; a test fails when it differs.

create sequence account_numbers as bigint;

create table account_institutions (
  account_id uuid not null,
  institution_id uuid not null,
  enabled boolean default true not null,
  priority integer,
  constraint account_institutions_pkey PRIMARY KEY (account_id, institution_id),
  constraint account_institutions_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(account_id)
);

create table accounts (
  account_id uuid not null,
  number bigint not null,
  is_house boolean default false not null,
  name text not null,
  legal_name text,
  document text,
  environment text not null,
  status text not null,
  block_cnpj_payers boolean default false not null,
  unknown_payers text default 'credit'::text not null,
  late_payments text default 'credit'::text not null,
  institution_choice boolean default false not null,
  unchecked_holders boolean default false not null,
  charge_fee_fixed bigint default 0 not null,
  charge_fee_bps integer default 0 not null,
  charge_fee_min bigint,
  charge_fee_max bigint,
  withdrawal_fee_fixed bigint default 0 not null,
  withdrawal_fee_bps integer default 0 not null,
  withdrawal_fee_min bigint,
  withdrawal_fee_max bigint,
  refund_fee_fixed bigint default 0 not null,
  refund_fee_bps integer default 0 not null,
  refund_fee_min bigint,
  refund_fee_max bigint,
  limit_per_withdrawal bigint,
  limit_per_day bigint,
  limit_per_night bigint,
  payout_approval_above bigint,
  payouts_per_hour_count integer,
  payouts_per_hour_sum bigint,
  new_key_wait_minutes integer,
  new_key_max_amount bigint,
  withdrawals_frozen_at timestamp with time zone,
  withdrawals_frozen_reason text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  needs jsonb default '[]'::jsonb not null,
  constraint accounts_pkey PRIMARY KEY (account_id),
  constraint accounts_charge_fee_bps_check CHECK (charge_fee_bps >= 0 AND charge_fee_bps <= 10000),
  constraint accounts_charge_fee_fixed_check CHECK (charge_fee_fixed >= 0),
  constraint accounts_charge_fee_max_check CHECK (charge_fee_max >= 0),
  constraint accounts_charge_fee_min_check CHECK (charge_fee_min >= 0),
  constraint accounts_environment_check CHECK (environment = ANY (ARRAY['sandbox'::text, 'production'::text])),
  constraint accounts_late_payments_check CHECK (late_payments = ANY (ARRAY['credit'::text, 'return'::text])),
  constraint accounts_limit_per_day_check CHECK (limit_per_day >= 0),
  constraint accounts_limit_per_night_check CHECK (limit_per_night >= 0),
  constraint accounts_limit_per_withdrawal_check CHECK (limit_per_withdrawal >= 0),
  constraint accounts_new_key_max_amount_check CHECK (new_key_max_amount >= 0),
  constraint accounts_new_key_wait_minutes_check CHECK (new_key_wait_minutes >= 0),
  constraint accounts_payout_approval_above_check CHECK (payout_approval_above >= 0),
  constraint accounts_payouts_per_hour_count_check CHECK (payouts_per_hour_count >= 0),
  constraint accounts_payouts_per_hour_sum_check CHECK (payouts_per_hour_sum >= 0),
  constraint accounts_refund_fee_bps_check CHECK (refund_fee_bps >= 0 AND refund_fee_bps <= 10000),
  constraint accounts_refund_fee_fixed_check CHECK (refund_fee_fixed >= 0),
  constraint accounts_refund_fee_max_check CHECK (refund_fee_max >= 0),
  constraint accounts_refund_fee_min_check CHECK (refund_fee_min >= 0),
  constraint accounts_status_check CHECK (status = ANY (ARRAY['approved'::text, 'pending'::text, 'suspended'::text])),
  constraint accounts_unknown_payers_check CHECK (unknown_payers = ANY (ARRAY['credit'::text, 'return'::text])),
  constraint accounts_withdrawal_fee_bps_check CHECK (withdrawal_fee_bps >= 0 AND withdrawal_fee_bps <= 10000),
  constraint accounts_withdrawal_fee_fixed_check CHECK (withdrawal_fee_fixed >= 0),
  constraint accounts_withdrawal_fee_max_check CHECK (withdrawal_fee_max >= 0),
  constraint accounts_withdrawal_fee_min_check CHECK (withdrawal_fee_min >= 0)
);
CREATE INDEX accounts_by_number ON accounts USING btree (number);

create table api_requests (
  account_id uuid not null,
  trace_id uuid not null,
  method text not null,
  route text not null,
  status integer not null,
  code text,
  latency_ms integer not null,
  credential_id uuid,
  constraint api_requests_pkey PRIMARY KEY (account_id, trace_id)
);
CREATE INDEX api_requests_refused ON api_requests USING btree (account_id, trace_id) WHERE status >= 400;

create table audit_findings (
  account_id uuid not null,
  finding_id uuid not null,
  invariant text not null,
  place text not null,
  data jsonb not null,
  mode text not null,
  status text not null,
  found_at timestamp with time zone not null,
  lifted_at timestamp with time zone,
  lifted_by text,
  lift_reason text,
  constraint audit_findings_pkey PRIMARY KEY (account_id, finding_id),
  constraint audit_findings_mode_check CHECK (mode = ANY (ARRAY['fresh'::text, 'full'::text])),
  constraint audit_findings_status_check CHECK (status = ANY (ARRAY['open'::text, 'lifted'::text, 'gone'::text]))
);
CREATE INDEX audit_findings_by_time ON audit_findings USING btree (finding_id);
CREATE UNIQUE INDEX audit_findings_of_place ON audit_findings USING btree (account_id, invariant, place) WHERE status <> 'gone'::text;
CREATE INDEX audit_findings_open ON audit_findings USING btree (account_id) WHERE status = 'open'::text;

create table audit_heads (
  account_id uuid not null,
  seq bigint not null,
  hash bytea,
  constraint audit_heads_pkey PRIMARY KEY (account_id)
);

create table audit_log (
  account_id uuid not null,
  audit_id uuid not null,
  actor text not null,
  action text not null,
  object_id uuid,
  before jsonb,
  after jsonb,
  created_at timestamp with time zone not null,
  seq bigint not null,
  previous_hash bytea,
  hash bytea not null,
  constraint audit_log_pkey PRIMARY KEY (account_id, audit_id),
  constraint audit_log_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(account_id)
);
CREATE INDEX audit_log_by_action ON audit_log USING btree (action, audit_id);
CREATE INDEX audit_log_by_actor ON audit_log USING btree (COALESCE("substring"(actor, ' <[^<>]+>$'::text), actor), audit_id);
CREATE INDEX audit_log_by_kind ON audit_log USING btree (split_part(action, '.'::text, 1), audit_id);
CREATE INDEX audit_log_by_object ON audit_log USING btree (account_id, object_id);
CREATE INDEX audit_log_by_time ON audit_log USING btree (audit_id);
CREATE UNIQUE INDEX audit_log_chain ON audit_log USING btree (account_id, seq);

create table audit_points (
  account_id uuid not null,
  no integer not null,
  seq bigint not null,
  balance bigint not null,
  constraint audit_points_pkey PRIMARY KEY (account_id, no)
);

create table audits (
  mode text not null,
  next_at timestamp with time zone,
  checked_at timestamp with time zone,
  lines bigint,
  violations bigint,
  due_at timestamp with time zone,
  constraint audits_pkey PRIMARY KEY (mode),
  constraint audits_mode_check CHECK (mode = ANY (ARRAY['fresh'::text, 'full'::text]))
);

create table authenticators (
  person_id uuid not null,
  sealed_secret text,
  sealed_pending text,
  pending_since timestamp with time zone,
  last_step bigint not null,
  confirmed_at timestamp with time zone,
  created_at timestamp with time zone not null,
  constraint authenticators_pkey PRIMARY KEY (person_id)
);

create table balance_block_files (
  account_id uuid not null,
  block_id uuid not null,
  file_id uuid not null,
  name text not null,
  media_type text not null,
  size integer not null,
  digest bytea not null,
  sealed_key text not null,
  sealed_content bytea not null,
  created_at timestamp with time zone not null,
  constraint balance_block_files_pkey PRIMARY KEY (account_id, block_id, file_id),
  constraint balance_block_files_account_id_block_id_digest_key UNIQUE (account_id, block_id, digest),
  constraint balance_block_files_media_type_check CHECK (media_type = ANY (ARRAY['application/pdf'::text, 'image/png'::text, 'image/jpeg'::text])),
  constraint balance_block_files_size_check CHECK (size > 0),
  constraint balance_block_files_account_id_block_id_fkey FOREIGN KEY (account_id, block_id) REFERENCES balance_blocks(account_id, block_id)
);

create table balance_blocks (
  account_id uuid not null,
  block_id uuid not null,
  wallet_id uuid not null,
  block_type text not null,
  status text not null,
  amount bigint not null,
  held_amount bigint not null,
  taken_amount bigint not null,
  given_back_amount bigint default 0 not null,
  adopted_amount bigint not null,
  institution_id uuid not null,
  environment text not null,
  charge_id uuid,
  e2e_id text,
  external_reference text,
  case_id text,
  psp_return_id uuid,
  case_status text,
  reference_number text,
  reason text,
  respond_by timestamp with time zone,
  defence text,
  defence_status text,
  defence_next_at timestamp with time zone,
  defence_attempts integer default 0 not null,
  refund_id uuid,
  resolution_reason text,
  resolution_text text,
  resolved_at timestamp with time zone,
  return_next_at timestamp with time zone,
  return_attempts integer default 0 not null,
  return_missing_since timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  case_amount bigint,
  amount_changes jsonb,
  held_until timestamp with time zone,
  constraint balance_blocks_pkey PRIMARY KEY (account_id, block_id),
  constraint balance_blocks_adopted_amount_check CHECK (adopted_amount >= 0),
  constraint balance_blocks_amount_check CHECK (amount > 0),
  constraint balance_blocks_block_type_check CHECK (block_type = ANY (ARRAY['med'::text, 'judicial'::text, 'administrative'::text, 'precautionary'::text])),
  constraint balance_blocks_case_amount_check CHECK (case_amount > 0),
  constraint balance_blocks_case_status_check CHECK (case_status = ANY (ARRAY['open'::text, 'in_defence'::text, 'accepted'::text, 'rejected'::text, 'cancelled'::text, 'unrecognised'::text])),
  constraint balance_blocks_check CHECK ((charge_id IS NULL) = (e2e_id IS NULL)),
  constraint balance_blocks_check1 CHECK ((resolved_at IS NOT NULL) = (status = ANY (ARRAY['approved'::text, 'rejected'::text]))),
  constraint balance_blocks_check2 CHECK (defence IS NULL OR status <> 'awaiting_response'::text),
  constraint balance_blocks_check3 CHECK (refund_id IS NULL OR status = 'rejected'::text),
  constraint balance_blocks_check4 CHECK ((held_amount + taken_amount) <= amount),
  constraint balance_blocks_check5 CHECK (given_back_amount = 0 OR status = 'approved'::text AND held_amount = 0 AND case_id IS NOT NULL),
  constraint balance_blocks_check6 CHECK ((status = ANY (ARRAY['approved'::text, 'rejected'::text])) OR (held_amount + taken_amount) = amount),
  constraint balance_blocks_check7 CHECK (status <> 'rejected'::text OR held_amount = 0),
  constraint balance_blocks_check8 CHECK (held_amount > 0 OR return_next_at IS NULL AND return_missing_since IS NULL),
  constraint balance_blocks_check9 CHECK (adopted_amount = 0 OR psp_return_id IS NOT NULL AND case_id IS NOT NULL AND adopted_amount < amount),
  constraint balance_blocks_defence_status_check CHECK (defence_status = ANY (ARRAY['pending'::text, 'sent'::text, 'refused'::text])),
  constraint balance_blocks_environment_check CHECK (environment = ANY (ARRAY['sandbox'::text, 'production'::text])),
  constraint balance_blocks_given_back_amount_check CHECK (given_back_amount >= 0),
  constraint balance_blocks_held_amount_check CHECK (held_amount >= 0),
  constraint balance_blocks_resolution_reason_check CHECK (resolution_reason = ANY (ARRAY['refunded'::text, 'returned'::text, 'accepted'::text, 'defended'::text, 'withdrawn'::text, 'expired'::text, 'order_lifted'::text, 'other'::text])),
  constraint balance_blocks_status_check CHECK (status = ANY (ARRAY['awaiting_response'::text, 'defended'::text, 'approved'::text, 'rejected'::text])),
  constraint balance_blocks_taken_amount_check CHECK (taken_amount >= 0)
);
CREATE INDEX balance_blocks_holding ON balance_blocks USING btree (account_id, wallet_id) WHERE held_amount > 0;
CREATE INDEX balance_blocks_newest ON balance_blocks USING btree (block_id);
CREATE INDEX balance_blocks_of_case ON balance_blocks USING btree (account_id, case_id) WHERE case_id IS NOT NULL;
CREATE INDEX balance_blocks_of_pix ON balance_blocks USING btree (account_id, e2e_id) WHERE e2e_id IS NOT NULL;
CREATE INDEX balance_blocks_of_wallet ON balance_blocks USING btree (account_id, wallet_id, block_id);
CREATE INDEX balance_blocks_to_defend ON balance_blocks USING btree (defence_next_at) WHERE defence_next_at IS NOT NULL;
CREATE INDEX balance_blocks_to_query ON balance_blocks USING btree (return_next_at) WHERE return_next_at IS NOT NULL;
CREATE INDEX balance_blocks_unanswered ON balance_blocks USING btree (respond_by) WHERE status = 'awaiting_response'::text;

create table balance_checks (
  institution_id uuid not null,
  sampled_at timestamp with time zone not null,
  theirs bigint not null,
  blocked bigint not null,
  ours bigint not null,
  moving bigint not null,
  under_way bigint not null,
  verdict text not null,
  entered_by text,
  constraint balance_checks_pkey PRIMARY KEY (institution_id, sampled_at),
  constraint balance_checks_verdict_check CHECK (verdict = ANY (ARRAY['agrees'::text, 'moving'::text, 'differs'::text]))
);

create table balance_watches (
  institution_id uuid not null,
  next_at timestamp with time zone not null,
  sample jsonb,
  reported bigint,
  constraint balance_watches_pkey PRIMARY KEY (institution_id)
);

create table bank_tariffs (
  account_id uuid not null,
  source_id uuid not null,
  kind text not null,
  institution_id uuid not null,
  about text not null,
  amount bigint not null,
  occurred_at timestamp with time zone not null,
  booked_at timestamp with time zone not null,
  constraint bank_tariffs_pkey PRIMARY KEY (account_id, source_id),
  constraint bank_tariffs_amount_check CHECK (amount > 0),
  constraint bank_tariffs_kind_check CHECK (kind = ANY (ARRAY['received'::text, 'sent'::text]))
);
CREATE INDEX bank_tariffs_about ON bank_tariffs USING btree (about);
CREATE INDEX bank_tariffs_by_time ON bank_tariffs USING btree (institution_id, occurred_at);
CREATE INDEX bank_tariffs_of_payouts ON bank_tariffs USING btree (institution_id, occurred_at) WHERE kind = 'sent'::text;

create table booking_evidence (
  account_id uuid not null,
  source_id uuid not null,
  leg integer not null,
  kind text not null,
  origin text not null,
  institution_id uuid,
  about text not null,
  body text,
  booked_at timestamp with time zone not null,
  constraint booking_evidence_pkey PRIMARY KEY (account_id, source_id, kind, leg),
  constraint booking_evidence_check CHECK ((institution_id IS NOT NULL) = (origin = 'answer'::text)),
  constraint booking_evidence_check1 CHECK (body IS NULL OR origin = 'answer'::text),
  constraint booking_evidence_origin_check CHECK (origin = ANY (ARRAY['answer'::text, 'proposal'::text, 'decision'::text, 'receipt'::text]))
);

create table brakes (
  brake_id uuid not null,
  scope text not null,
  target_id uuid,
  reason text not null,
  actor text not null,
  since timestamp with time zone not null,
  lifted_at timestamp with time zone,
  lifted_by text,
  lift_reason text,
  constraint brakes_pkey PRIMARY KEY (brake_id),
  constraint brakes_check CHECK ((target_id IS NULL) = (scope = ANY (ARRAY['all'::text, 'restore'::text]))),
  constraint brakes_check1 CHECK ((lifted_at IS NULL) = (lifted_by IS NULL)),
  constraint brakes_scope_check CHECK (scope = ANY (ARRAY['all'::text, 'institution'::text, 'account'::text, 'wallet'::text, 'restore'::text]))
);
CREATE UNIQUE INDEX brakes_set ON brakes USING btree (scope, target_id) NULLS NOT DISTINCT WHERE lifted_at IS NULL;

create table case_entries (
  account_id uuid not null,
  case_id uuid not null,
  entry_id uuid not null,
  kind text not null,
  actor text not null,
  body jsonb not null,
  created_at timestamp with time zone not null,
  constraint case_entries_pkey PRIMARY KEY (account_id, case_id, entry_id),
  constraint case_entries_kind_check CHECK (kind = ANY (ARRAY['opened'::text, 'evidence'::text, 'note'::text, 'assigned'::text, 'proposed'::text, 'approved'::text, 'rejected'::text, 'executed'::text, 'refused'::text, 'closed'::text]))
);

create table case_proposals (
  account_id uuid not null,
  proposal_id uuid not null,
  case_id uuid not null,
  number integer not null,
  action text not null,
  parameters jsonb not null,
  basis jsonb not null,
  status text not null,
  proposed_by text not null,
  proposer_id text not null,
  proposer_owners jsonb not null,
  proposed_at timestamp with time zone not null,
  decided_by text,
  decided_at timestamp with time zone,
  begun_at timestamp with time zone,
  result jsonb,
  finished_at timestamp with time zone,
  next_at timestamp with time zone,
  constraint case_proposals_pkey PRIMARY KEY (account_id, proposal_id),
  constraint case_proposals_status_check CHECK (status = ANY (ARRAY['awaiting_approval'::text, 'approved'::text, 'executed'::text, 'refused'::text, 'rejected'::text]))
);
CREATE INDEX case_proposals_due ON case_proposals USING btree (next_at) WHERE status = 'approved'::text;
CREATE UNIQUE INDEX case_proposals_of_case ON case_proposals USING btree (account_id, case_id, number);
CREATE UNIQUE INDEX case_proposals_open ON case_proposals USING btree (account_id, case_id) WHERE status = ANY (ARRAY['awaiting_approval'::text, 'approved'::text]);

create table cases (
  account_id uuid not null,
  case_id uuid not null,
  number integer not null,
  kind text not null,
  object_id text not null,
  status text not null,
  severity text not null,
  institution_id uuid,
  amount bigint,
  deadline timestamp with time zone,
  assignee text,
  evidence jsonb not null,
  opened_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  closed_at timestamp with time zone,
  closed_because text,
  constraint cases_pkey PRIMARY KEY (account_id, case_id),
  constraint cases_check CHECK ((status = 'closed'::text) = (closed_at IS NOT NULL)),
  constraint cases_closed_because_check CHECK (closed_because = ANY (ARRAY['resolved'::text, 'decided'::text])),
  constraint cases_severity_check CHECK (severity = ANY (ARRAY['critical'::text, 'warning'::text, 'notice'::text])),
  constraint cases_status_check CHECK (status = ANY (ARRAY['open'::text, 'closed'::text]))
);
CREATE INDEX cases_by_time ON cases USING btree (case_id);
CREATE INDEX cases_of_object ON cases USING btree (account_id, kind, object_id, number);
CREATE UNIQUE INDEX cases_open ON cases USING btree (account_id, kind, object_id) WHERE status = 'open'::text;

create table charge_attempts (
  account_id uuid not null,
  charge_id uuid not null,
  institution_id uuid not null,
  txid text not null,
  outcome text not null,
  reason text not null,
  next_at timestamp with time zone,
  checks integer default 0 not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint charge_attempts_pkey PRIMARY KEY (account_id, charge_id, institution_id),
  constraint charge_attempts_check CHECK ((next_at IS NOT NULL) = (outcome = 'stray'::text)),
  constraint charge_attempts_outcome_check CHECK (outcome = ANY (ARRAY['refused'::text, 'stray'::text, 'removed'::text, 'absent'::text, 'paid'::text]))
);
CREATE INDEX charge_attempts_due ON charge_attempts USING btree (next_at) WHERE next_at IS NOT NULL;

create table charge_notes (
  account_id uuid not null,
  note_id uuid not null,
  charge_id uuid not null,
  body text not null,
  created_by uuid not null,
  created_at timestamp with time zone not null,
  constraint charge_notes_pkey PRIMARY KEY (account_id, note_id)
);
CREATE INDEX charge_notes_of_charge ON charge_notes USING btree (account_id, charge_id, note_id);

create table charges (
  account_id uuid not null,
  charge_id uuid not null,
  wallet_id uuid not null,
  institution_id uuid not null,
  amount bigint not null,
  created_at timestamp with time zone not null,
  expires_in integer not null,
  pinned boolean default false not null,
  description text not null,
  external_reference text,
  idempotency_key text,
  project_id uuid,
  qr_code_id uuid,
  customer jsonb,
  due jsonb,
  due_edits jsonb,
  metadata jsonb,
  split jsonb,
  return_url text,
  payment_link_id uuid,
  routing jsonb,
  txid text not null,
  pix_copy_paste text,
  psp_payment_id text,
  expires_at timestamp with time zone not null,
  customer_id uuid,
  status text not null,
  fee_amount bigint,
  net_amount bigint,
  applied_split jsonb,
  paid_at timestamp with time zone,
  e2e_id text,
  counterpart_name text,
  counterpart_document text,
  paid_after_expiry boolean default false not null,
  failure_reason text,
  blocked_reason text,
  charged_amount bigint,
  components jsonb,
  closed_at timestamp with time zone,
  claimed boolean default false not null,
  updated_at timestamp with time zone not null,
  constraint charges_pkey PRIMARY KEY (account_id, charge_id),
  constraint charges_amount_check CHECK (amount > 0),
  constraint charges_check CHECK ((blocked_reason IS NOT NULL) = (status = 'failed'::text)),
  constraint charges_check1 CHECK (closed_at IS NOT NULL OR (status <> ALL (ARRAY['expired'::text, 'cancelled'::text]))),
  constraint charges_check2 CHECK ((charged_amount IS NOT NULL) = (due IS NOT NULL AND status = 'completed'::text)),
  constraint charges_check3 CHECK (components IS NULL OR ((components ->> 'original'::text)::bigint) = charged_amount AND amount = (charged_amount + ((components ->> 'fine'::text)::bigint) + ((components ->> 'interest'::text)::bigint) - ((components ->> 'discount'::text)::bigint) - ((components ->> 'abatement'::text)::bigint))),
  constraint charges_status_check CHECK (status = ANY (ARRAY['creating'::text, 'pending'::text, 'completed'::text, 'failed'::text, 'expired'::text, 'cancelled'::text, 'rejected'::text])),
  constraint charges_account_id_payment_link_id_fkey FOREIGN KEY (account_id, payment_link_id) REFERENCES payment_links(account_id, link_id)
) with (fillfactor=50);
CREATE INDEX charges_blocked ON charges USING btree (account_id, wallet_id, charge_id) WHERE blocked_reason IS NOT NULL;
CREATE INDEX charges_by_amount ON charges USING brin (created_at, amount int8_bloom_ops (n_distinct_per_range='1500', false_positive_rate='0.01')) WITH (pages_per_range='128', autosummarize='on');
CREATE INDEX charges_by_document ON charges USING brin ((customer ->> 'document'::text) text_bloom_ops (n_distinct_per_range='1500', false_positive_rate='0.001')) WITH (pages_per_range='128', autosummarize='on');
CREATE INDEX charges_by_email ON charges USING brin (lower(customer ->> 'email'::text) text_bloom_ops (n_distinct_per_range='1500', false_positive_rate='0.001')) WITH (pages_per_range='128', autosummarize='on');
CREATE INDEX charges_by_idempotency_key ON charges USING btree (account_id, wallet_id, idempotency_key, charge_id) WHERE idempotency_key IS NOT NULL;
CREATE INDEX charges_by_reference ON charges USING btree (account_id, wallet_id, external_reference, charge_id) WHERE external_reference IS NOT NULL;
CREATE INDEX charges_by_update ON charges USING brin (updated_at) WITH (pages_per_range='32', autosummarize='on');
CREATE INDEX charges_closed ON charges USING btree (account_id, wallet_id, charge_id) WHERE closed_at IS NOT NULL;
CREATE INDEX charges_of_link ON charges USING btree (account_id, wallet_id, payment_link_id, charge_id) WHERE payment_link_id IS NOT NULL;
CREATE INDEX charges_of_project ON charges USING btree (account_id, wallet_id, project_id, charge_id) WHERE project_id IS NOT NULL;
CREATE INDEX charges_of_qr_code ON charges USING btree (account_id, wallet_id, qr_code_id, charge_id) WHERE qr_code_id IS NOT NULL;
CREATE INDEX charges_of_wallet ON charges USING btree (account_id, wallet_id, charge_id);
CREATE INDEX charges_with_form ON charges USING btree (account_id, charge_id) WHERE payment_link_id IS NOT NULL AND closed_at IS NOT NULL AND (customer IS NOT NULL OR metadata ? 'fields'::text);

create table checkout_settings (
  account_id uuid not null,
  display_name text,
  color text,
  logo text,
  support_contact text,
  return_hosts jsonb not null,
  locale text,
  sealed_secret text not null,
  next_sealed_secret text,
  rotation_ends_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint checkout_settings_pkey PRIMARY KEY (account_id),
  constraint checkout_settings_check CHECK ((next_sealed_secret IS NULL) = (rotation_ends_at IS NULL)),
  constraint checkout_settings_locale_check CHECK (locale = ANY (ARRAY['pt-BR'::text, 'en'::text, 'es'::text])),
  constraint checkout_settings_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(account_id)
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
  constraint close_movements_pkey PRIMARY KEY (account_id, no, day, kind, late)
);
CREATE INDEX close_movements_of_day ON close_movements USING btree (day);

create table console_files (
  name text not null,
  sealed_content bytea not null,
  seen_at timestamp with time zone not null,
  constraint console_files_pkey PRIMARY KEY (name)
);

create table credentials (
  account_id uuid not null,
  credential_id uuid not null,
  client_id text not null,
  secret_hash bytea not null,
  name text not null,
  permissions text[] not null,
  sub_account_access boolean default false not null,
  allowed_ips text[],
  made_by text,
  made_by_name text,
  owners text[] not null,
  created_at timestamp with time zone not null,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  constraint credentials_pkey PRIMARY KEY (account_id, credential_id),
  constraint credentials_account_id_client_id_key UNIQUE (account_id, client_id),
  constraint credentials_owners_check CHECK (cardinality(owners) > 0),
  constraint credentials_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(account_id)
);

create table day_closes (
  day date not null,
  closed_at timestamp with time zone not null,
  positions jsonb not null,
  constraint day_closes_pkey PRIMARY KEY (day)
);

create table deliveries (
  account_id uuid not null,
  delivery_id uuid not null,
  event_id text not null,
  endpoint_id uuid not null,
  status text not null,
  attempts integer default 0 not null,
  tries integer default 0 not null,
  next_at timestamp with time zone,
  claimed_until timestamp with time zone,
  created_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  constraint deliveries_pkey PRIMARY KEY (account_id, endpoint_id, delivery_id),
  constraint deliveries_status_check CHECK (status = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text]))
) with (fillfactor=80);
CREATE INDEX deliveries_due ON deliveries USING btree (account_id, endpoint_id, next_at) WITH (deduplicate_items=off) WHERE status = 'pending'::text;
CREATE INDEX deliveries_failed ON deliveries USING btree (account_id, endpoint_id, delivery_id) WHERE status = 'failed'::text;
CREATE UNIQUE INDEX deliveries_of_event ON deliveries USING btree (account_id, event_id, endpoint_id);

create table delivery_attempts (
  account_id uuid not null,
  delivery_id uuid not null,
  attempt integer not null,
  webhook_id uuid not null,
  started_at timestamp with time zone not null,
  latency_ms integer not null,
  status_code integer,
  error text,
  response_excerpt text,
  constraint delivery_attempts_pkey PRIMARY KEY (account_id, delivery_id, attempt)
);

create table events (
  account_id uuid not null,
  event_id text not null,
  wallet_id uuid not null,
  kind text not null,
  body text not null,
  test boolean default false not null,
  erased_at timestamp with time zone,
  created_at timestamp with time zone not null,
  constraint events_pkey PRIMARY KEY (account_id, event_id)
);
CREATE INDEX events_by_time ON events USING brin (created_at) WITH (pages_per_range='32', autosummarize='on');
CREATE INDEX events_of_wallet ON events USING btree (account_id, wallet_id, kind, created_at, event_id);

create table idempotency_keys (
  account_id uuid not null,
  wallet_id uuid not null,
  route text not null,
  key text not null,
  request_hash bytea not null,
  object_id uuid,
  lease_until timestamp with time zone not null,
  status_code integer,
  response text,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint idempotency_keys_pkey PRIMARY KEY (account_id, wallet_id, route, key)
);
CREATE INDEX idempotency_keys_to_expire ON idempotency_keys USING btree (expires_at);

create table inbox (
  account_id uuid not null,
  inbox_id uuid not null,
  institution_id uuid not null,
  body_hash bytea not null,
  body text not null,
  kind text not null,
  subject_id text,
  txid text,
  status text not null,
  attempts integer default 0 not null,
  last_error text,
  next_at timestamp with time zone not null,
  received_at timestamp with time zone not null,
  applied_at timestamp with time zone,
  constraint inbox_pkey PRIMARY KEY (account_id, inbox_id),
  constraint inbox_account_id_institution_id_body_hash_key UNIQUE (account_id, institution_id, body_hash),
  constraint inbox_check CHECK ((subject_id IS NULL) = (kind = 'unrecognised'::text)),
  constraint inbox_kind_check CHECK (kind = ANY (ARRAY['charge_paid'::text, 'return_moved'::text, 'payout_moved'::text, 'case_opened'::text, 'unrecognised'::text])),
  constraint inbox_status_check CHECK (status = ANY (ARRAY['pending'::text, 'applied'::text, 'unmatched'::text, 'ignored'::text, 'abandoned'::text]))
);
CREATE INDEX inbox_to_apply ON inbox USING btree (next_at) INCLUDE (subject_id) WHERE status = 'pending'::text;

create table infraction_polls (
  institution_id uuid not null,
  covered_until timestamp with time zone not null,
  whole_at timestamp with time zone,
  next_at timestamp with time zone not null,
  constraint infraction_polls_pkey PRIMARY KEY (institution_id)
);

create table institution_closes (
  institution_id uuid not null,
  day date not null,
  opening bigint not null,
  closing bigint not null,
  movements jsonb not null,
  theirs bigint,
  sampled_at timestamp with time zone,
  entered_by text,
  theirs_missing text,
  cases jsonb not null,
  constraint institution_closes_pkey PRIMARY KEY (institution_id, day),
  constraint institution_closes_check CHECK (entered_by IS NULL OR theirs IS NOT NULL),
  constraint institution_closes_check1 CHECK ((theirs IS NULL) = (theirs_missing IS NOT NULL)),
  constraint institution_closes_theirs_missing_check CHECK (theirs_missing = ANY (ARRAY['not_reported'::text, 'not_in_time'::text]))
);

create table institution_health (
  institution_id uuid not null,
  slot_at timestamp with time zone not null,
  state text not null,
  ill_from timestamp with time zone,
  ill_until timestamp with time zone,
  charges_answered integer default 0 not null,
  charges_unanswered integer default 0 not null,
  answers_50ms integer default 0 not null,
  answers_100ms integer default 0 not null,
  answers_250ms integer default 0 not null,
  answers_500ms integer default 0 not null,
  answers_1000ms integer default 0 not null,
  answers_2500ms integer default 0 not null,
  answers_5000ms integer default 0 not null,
  answers_slower integer default 0 not null,
  constraint institution_health_pkey PRIMARY KEY (institution_id, slot_at),
  constraint institution_health_check CHECK ((ill_from IS NULL) = (state = 'up'::text) AND (ill_until IS NULL) = (state = 'up'::text)),
  constraint institution_health_state_check CHECK (state = ANY (ARRAY['up'::text, 'trying'::text, 'down'::text]))
);

create table institutions (
  institution_id uuid not null,
  name text not null,
  provider text not null,
  environment text not null,
  status text not null,
  priority integer default 100 not null,
  share integer,
  capacity_per_second integer,
  cnpj text,
  sealed_config text not null,
  notification_generation integer default 0 not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint institutions_pkey PRIMARY KEY (institution_id),
  constraint institutions_capacity_per_second_check CHECK (capacity_per_second > 0),
  constraint institutions_environment_check CHECK (environment = ANY (ARRAY['sandbox'::text, 'production'::text])),
  constraint institutions_share_check CHECK (share >= 0 AND share <= 100),
  constraint institutions_status_check CHECK (status = ANY (ARRAY['active'::text, 'inactive'::text, 'retired'::text]))
);

create table invoices (
  account_id uuid not null,
  charge_id uuid not null,
  access_key text,
  number text not null,
  recorded_at timestamp with time zone not null,
  constraint invoices_pkey PRIMARY KEY (account_id, charge_id),
  constraint invoices_account_id_charge_id_fkey FOREIGN KEY (account_id, charge_id) REFERENCES charges(account_id, charge_id)
);

create table jobs (
  job_id uuid not null,
  kind text not null,
  subject text not null,
  state text not null,
  actor text not null,
  started_at timestamp with time zone not null,
  beat_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  steps_done integer,
  steps integer,
  result jsonb,
  constraint jobs_pkey PRIMARY KEY (job_id),
  constraint jobs_kind_check CHECK (kind = ANY (ARRAY['ledger.verify'::text, 'ledger.audit'::text, 'reconciliation'::text, 'person.export'::text])),
  constraint jobs_state_check CHECK (state = ANY (ARRAY['running'::text, 'done'::text, 'failed'::text]))
);
CREATE UNIQUE INDEX jobs_running ON jobs USING btree (kind, subject) WHERE state = 'running'::text;

create table ledger_accounts (
  account_id uuid not null,
  no integer not null,
  kind text not null,
  owner_id uuid,
  balance bigint default 0 not null,
  seq bigint default 0 not null,
  constraint ledger_accounts_pkey PRIMARY KEY (account_id, no),
  constraint ledger_accounts_account_id_kind_owner_id_key UNIQUE NULLS NOT DISTINCT (account_id, kind, owner_id),
  constraint ledger_accounts_check CHECK ((owner_id IS NOT NULL) = (kind = ANY (ARRAY['available'::text, 'held'::text, 'promotional'::text, 'psp'::text]))),
  constraint ledger_accounts_kind_check CHECK (kind = ANY (ARRAY['available'::text, 'held'::text, 'promotional'::text, 'fees'::text, 'returns'::text, 'suspense'::text, 'operator'::text, 'psp_costs'::text, 'operator_funds'::text, 'write_offs'::text, 'transit'::text, 'psp'::text])),
  constraint ledger_accounts_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(account_id)
);
CREATE INDEX ledger_accounts_psp ON ledger_accounts USING btree (owner_id) WHERE kind = 'psp'::text;

create table ledger_closes (
  account_id uuid not null,
  no integer not null,
  day date not null,
  opening bigint not null,
  closing bigint not null,
  through_seq bigint not null,
  open_seq bigint not null,
  constraint ledger_closes_pkey PRIMARY KEY (account_id, no, day)
);

create table ledger_transfers (
  account_id uuid not null,
  source_id uuid not null,
  amount bigint not null,
  from_seq bigint not null,
  from_balance bigint not null,
  to_seq bigint not null,
  to_balance bigint not null,
  occurred_at timestamp with time zone not null,
  booked_at timestamp with time zone not null,
  leg integer not null,
  from_no integer not null,
  to_no integer not null,
  kind text not null,
  constraint ledger_transfers_pkey PRIMARY KEY (account_id, source_id, kind, leg),
  constraint ledger_transfers_account_id_from_no_from_seq_key UNIQUE (account_id, from_no, from_seq),
  constraint ledger_transfers_account_id_to_no_to_seq_key UNIQUE (account_id, to_no, to_seq),
  constraint ledger_transfers_amount_check CHECK (amount > 0),
  constraint ledger_transfers_check CHECK (to_no <> from_no)
);
CREATE INDEX ledger_transfers_booked ON ledger_transfers USING brin (booked_at) WITH (autosummarize='on');

create table line_sums (
  account_id uuid not null,
  no integer not null,
  through_seq bigint not null,
  kind text not null,
  lines bigint not null,
  came bigint not null,
  went bigint not null,
  newest_seq bigint not null,
  constraint line_sums_pkey PRIMARY KEY (account_id, no, through_seq, kind)
);

create table memberships (
  person_id uuid not null,
  of_account uuid not null,
  role text not null,
  created_at timestamp with time zone not null,
  removed_at timestamp with time zone,
  role_since timestamp with time zone,
  constraint memberships_pkey PRIMARY KEY (person_id, of_account),
  constraint memberships_role_check CHECK (role = ANY (ARRAY['owner'::text, 'finance'::text, 'developer'::text, 'support'::text, 'viewer'::text]))
);
CREATE INDEX memberships_account_idx ON memberships USING btree (of_account);

create table moved_alone (
  reference text not null,
  owners text[] not null,
  amount bigint not null,
  moved_at timestamp with time zone not null,
  constraint moved_alone_pkey PRIMARY KEY (reference),
  constraint moved_alone_amount_check CHECK (amount > 0),
  constraint moved_alone_owners_check CHECK (cardinality(owners) > 0)
);

create table movements (
  account_id uuid not null,
  cause_id uuid not null,
  leg integer not null,
  type text not null,
  movement_id uuid not null,
  wallet_id uuid not null,
  direction text not null,
  amount bigint not null,
  counterpart_wallet_id uuid,
  counterpart_movement_id uuid,
  description text,
  external_reference text,
  metadata jsonb,
  idempotency_key text,
  created_at timestamp with time zone not null,
  constraint movements_pkey PRIMARY KEY (account_id, wallet_id, movement_id),
  constraint movements_account_id_cause_id_leg_type_key UNIQUE (account_id, cause_id, leg, type),
  constraint movements_amount_check CHECK (amount > 0),
  constraint movements_direction_check CHECK (direction = ANY (ARRAY['in'::text, 'out'::text])),
  constraint movements_two_sides CHECK (
CASE
    WHEN type = 'internal_transfer'::text THEN direction = 'out'::text AND counterpart_wallet_id IS NOT NULL AND counterpart_movement_id IS NOT NULL AND counterpart_wallet_id <> wallet_id AND counterpart_movement_id <> movement_id
    ELSE counterpart_wallet_id IS NULL AND counterpart_movement_id IS NULL
END),
  constraint movements_type_check CHECK (type = ANY (ARRAY['internal_transfer'::text, 'adjustment'::text, 'referral_commission'::text, 'fee'::text, 'chargeback'::text]))
);
CREATE INDEX movements_by_external_reference ON movements USING btree (account_id, wallet_id, external_reference, movement_id) WHERE external_reference IS NOT NULL;
CREATE INDEX movements_by_idempotency_key ON movements USING btree (account_id, wallet_id, idempotency_key, movement_id) WHERE idempotency_key IS NOT NULL;
CREATE INDEX movements_by_time ON movements USING brin (created_at) WITH (pages_per_range='32', autosummarize='on');
CREATE UNIQUE INDEX movements_of_counterpart ON movements USING btree (account_id, counterpart_wallet_id, counterpart_movement_id) WHERE counterpart_wallet_id IS NOT NULL;
CREATE INDEX movements_of_type ON movements USING btree (account_id, wallet_id, type, movement_id) WHERE type <> 'internal_transfer'::text;
CREATE INDEX movements_received ON movements USING btree (account_id, counterpart_wallet_id, movement_id) WHERE type = 'internal_transfer'::text AND cause_id = movement_id;
CREATE INDEX movements_sent ON movements USING btree (account_id, wallet_id, movement_id) WHERE type = 'internal_transfer'::text AND cause_id = movement_id;

create table notices (
  notice_id uuid not null,
  person_id uuid not null,
  action text not null,
  details jsonb not null,
  created_at timestamp with time zone not null,
  mail_due_at timestamp with time zone,
  mail_tries integer default 0 not null,
  mailed_at timestamp with time zone,
  constraint notices_pkey PRIMARY KEY (notice_id)
);
CREATE INDEX notices_mail_idx ON notices USING btree (mail_due_at) WHERE mail_due_at IS NOT NULL;
CREATE INDEX notices_person_idx ON notices USING btree (person_id, notice_id DESC);

create table open_charges (
  account_id uuid not null,
  wallet_id uuid not null,
  charge_id uuid not null,
  check_at timestamp with time zone not null,
  checks integer default 0 not null,
  qr_code_id uuid,
  constraint open_charges_pkey PRIMARY KEY (account_id, wallet_id, charge_id)
);
CREATE INDEX open_charges_due ON open_charges USING btree (check_at);
CREATE UNIQUE INDEX open_charges_of_till ON open_charges USING btree (account_id, qr_code_id) WHERE qr_code_id IS NOT NULL;

create table operator_tokens (
  token_id uuid not null,
  name text not null,
  role text not null,
  kind text not null,
  allowed_ips text[],
  token_hash bytea not null,
  made_by text,
  made_by_name text,
  owners text[] not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  last_used_at timestamp with time zone,
  revoked_at timestamp with time zone,
  constraint operator_tokens_pkey PRIMARY KEY (token_id),
  constraint operator_tokens_token_hash_key UNIQUE (token_hash),
  constraint operator_tokens_kind_check CHECK (kind = ANY (ARRAY['person'::text, 'machine'::text])),
  constraint operator_tokens_owners_check CHECK (cardinality(owners) > 0),
  constraint operator_tokens_role_check CHECK (role = ANY (ARRAY['admin'::text, 'finance'::text, 'support'::text, 'auditor'::text]))
);
CREATE UNIQUE INDEX operator_tokens_name_idx ON operator_tokens USING btree (name) WHERE revoked_at IS NULL;

create table passkeys (
  passkey_id uuid not null,
  person_id uuid not null,
  credential_id text not null,
  public_key bytea not null,
  signatures bigint not null,
  transports text[] not null,
  name text not null,
  synced boolean not null,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone,
  removed_at timestamp with time zone,
  constraint passkeys_pkey PRIMARY KEY (passkey_id),
  constraint passkeys_credential_id_key UNIQUE (credential_id),
  constraint passkeys_signatures_check CHECK (signatures >= 0)
);
CREATE INDEX passkeys_person_idx ON passkeys USING btree (person_id) WHERE removed_at IS NULL;

create table payment_link_visits (
  account_id uuid not null,
  link_id uuid not null,
  opened bigint not null,
  started bigint not null,
  constraint payment_link_visits_pkey PRIMARY KEY (account_id, link_id),
  constraint payment_link_visits_account_id_link_id_fkey FOREIGN KEY (account_id, link_id) REFERENCES payment_links(account_id, link_id)
);

create table payment_links (
  account_id uuid not null,
  link_id uuid not null,
  wallet_id uuid not null,
  name text not null,
  description text,
  amount bigint,
  min_amount bigint,
  max_amount bigint,
  max_payments integer,
  expires_at timestamp with time zone,
  fields jsonb not null,
  split jsonb,
  project_id uuid,
  external_reference text,
  metadata jsonb,
  return_url text,
  status text default 'active'::text not null,
  payments bigint default 0 not null,
  paid_amount bigint default 0 not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint payment_links_pkey PRIMARY KEY (account_id, link_id),
  constraint payment_links_amount_check CHECK (amount > 0),
  constraint payment_links_max_amount_check CHECK (max_amount > 0),
  constraint payment_links_max_payments_check CHECK (max_payments > 0),
  constraint payment_links_min_amount_check CHECK (min_amount > 0),
  constraint payment_links_status_check CHECK (status = ANY (ARRAY['active'::text, 'disabled'::text])),
  constraint payment_links_account_id_wallet_id_fkey FOREIGN KEY (account_id, wallet_id) REFERENCES wallets(account_id, wallet_id)
);
CREATE INDEX payment_links_active ON payment_links USING btree (account_id) WHERE status = 'active'::text;
CREATE INDEX payment_links_of_wallet ON payment_links USING btree (account_id, wallet_id, link_id);

create table payout_ids (
  account_id uuid not null,
  given_by text not null,
  payout_id text not null,
  tenant_id uuid not null,
  withdrawal_id uuid not null,
  claimed_at timestamp with time zone not null,
  constraint payout_ids_pkey PRIMARY KEY (account_id, given_by, payout_id)
);

create table people (
  person_id uuid not null,
  name text not null,
  email text,
  language text,
  installation_role text,
  always_fresh boolean default false not null,
  created_at timestamp with time zone not null,
  password_hash text,
  vouched_at timestamp with time zone,
  role_since timestamp with time zone not null,
  noticed_at timestamp with time zone,
  removed_at timestamp with time zone,
  constraint people_pkey PRIMARY KEY (person_id),
  constraint people_installation_role_check CHECK (installation_role = ANY (ARRAY['admin'::text, 'finance'::text, 'support'::text, 'auditor'::text])),
  constraint people_language_check CHECK (language = ANY (ARRAY['pt-BR'::text, 'en'::text]))
);
CREATE UNIQUE INDEX people_email_idx ON people USING btree (email) WHERE removed_at IS NULL AND vouched_at IS NOT NULL;
CREATE INDEX people_named_idx ON people USING btree (email) WHERE removed_at IS NULL;

create table pix_assignments (
  account_id uuid not null,
  e2e_id text not null,
  pix_id uuid not null,
  institution_id uuid not null,
  to_account_id uuid not null,
  charge_id uuid not null,
  qr_code_id uuid,
  status text not null,
  outcome text,
  next_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  house_tax bigint,
  constraint pix_assignments_pkey PRIMARY KEY (account_id, e2e_id),
  constraint pix_assignments_account_id_pix_id_key UNIQUE (account_id, pix_id),
  constraint pix_assignments_check CHECK ((outcome IS NULL) = (status = 'assigning'::text)),
  constraint pix_assignments_check1 CHECK ((next_at IS NOT NULL) = (status = 'assigning'::text)),
  constraint pix_assignments_house_tax_check CHECK (house_tax > 0),
  constraint pix_assignments_outcome_check CHECK (outcome = ANY (ARRAY['credited'::text, 'blocked'::text, 'second_payment'::text])),
  constraint pix_assignments_status_check CHECK (status = ANY (ARRAY['assigning'::text, 'assigned'::text]))
);
CREATE INDEX pix_assignments_due ON pix_assignments USING btree (next_at) WHERE next_at IS NOT NULL;

create table pix_returns (
  account_id uuid not null,
  return_id uuid not null,
  e2e_id text not null,
  purpose text not null,
  description text not null,
  psp_id text not null,
  institution_id uuid not null,
  charge_id uuid,
  amount bigint not null,
  status text not null,
  left_at timestamp with time zone,
  rtr_id text,
  settled_at timestamp with time zone,
  failure_reason text,
  refused_at timestamp with time zone,
  next_at timestamp with time zone,
  attempts integer default 0 not null,
  retry_of uuid,
  retried_at timestamp with time zone,
  case_opened_at timestamp with time zone,
  written_off_by uuid,
  written_off_amount bigint,
  restored_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint pix_returns_pkey PRIMARY KEY (account_id, return_id),
  constraint pix_returns_amount_check CHECK (amount > 0),
  constraint pix_returns_check CHECK ((written_off_by IS NULL) = (written_off_amount IS NULL)),
  constraint pix_returns_check1 CHECK (restored_at IS NULL OR written_off_by IS NOT NULL),
  constraint pix_returns_check2 CHECK ((next_at IS NULL) = (status = ANY (ARRAY['confirmed'::text, 'failed'::text]))),
  constraint pix_returns_purpose_check CHECK (purpose = ANY (ARRAY['deposit'::text, 'refund'::text])),
  constraint pix_returns_status_check CHECK (status = ANY (ARRAY['pending'::text, 'sending'::text, 'confirmed'::text, 'failed'::text])),
  constraint pix_returns_written_off_amount_check CHECK (written_off_amount > 0)
);
CREATE INDEX pix_returns_due ON pix_returns USING btree (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX pix_returns_failed ON pix_returns USING btree (return_id) WHERE purpose = 'deposit'::text AND (status = 'failed'::text OR retried_at IS NOT NULL);
CREATE UNIQUE INDEX pix_returns_of_deposit ON pix_returns USING btree (account_id, e2e_id) WHERE purpose = 'deposit'::text AND retry_of IS NULL;
CREATE INDEX pix_returns_of_pix ON pix_returns USING btree (account_id, e2e_id);
CREATE UNIQUE INDEX pix_returns_retries ON pix_returns USING btree (account_id, retry_of) WHERE retry_of IS NOT NULL;

create table project_checkout_settings (
  account_id uuid not null,
  project_id uuid not null,
  look jsonb not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint project_checkout_settings_pkey PRIMARY KEY (account_id, project_id),
  constraint project_checkout_settings_account_id_project_id_fkey FOREIGN KEY (account_id, project_id) REFERENCES projects(account_id, project_id)
);

create table projects (
  account_id uuid not null,
  project_id uuid not null,
  wallet_id uuid not null,
  name text not null,
  color text not null,
  description text,
  logo_url text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint projects_pkey PRIMARY KEY (account_id, project_id),
  constraint projects_account_id_wallet_id_name_key UNIQUE (account_id, wallet_id, name),
  constraint projects_account_id_wallet_id_fkey FOREIGN KEY (account_id, wallet_id) REFERENCES wallets(account_id, wallet_id)
);

create table provider_identities (
  issuer text not null,
  subject text not null,
  person_id uuid not null,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone not null,
  removed_at timestamp with time zone,
  constraint provider_identities_pkey PRIMARY KEY (issuer, subject)
);
CREATE UNIQUE INDEX provider_identities_person_idx ON provider_identities USING btree (person_id, issuer) WHERE removed_at IS NULL;

create table psp_cases (
  account_id uuid not null,
  institution_id uuid not null,
  case_id text not null,
  tenant_id uuid,
  e2e_id text not null,
  status text not null,
  opened_at timestamp with time zone,
  outcome text not null,
  done boolean not null,
  closed boolean not null,
  seen_at timestamp with time zone not null,
  amount bigint,
  constraint psp_cases_pkey PRIMARY KEY (account_id, institution_id, case_id)
);
CREATE INDEX psp_cases_open ON psp_cases USING btree (account_id, institution_id, opened_at) WHERE NOT closed;

create table psp_returns (
  account_id uuid not null,
  psp_return_id uuid not null,
  leg integer not null,
  psp_id text not null,
  rtr_id text,
  e2e_id text not null,
  charge_id uuid,
  wallet_id uuid,
  institution_id uuid not null,
  amount bigint not null,
  source text not null,
  med boolean,
  block_id uuid,
  block_leg integer,
  settled_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  constraint psp_returns_pkey PRIMARY KEY (account_id, psp_return_id, leg),
  constraint psp_returns_account_id_block_id_block_leg_key UNIQUE (account_id, block_id, block_leg),
  constraint psp_returns_account_id_e2e_id_psp_id_rtr_id_leg_key UNIQUE NULLS NOT DISTINCT (account_id, e2e_id, psp_id, rtr_id, leg),
  constraint psp_returns_amount_check CHECK (amount > 0),
  constraint psp_returns_check CHECK (block_id IS NOT NULL OR (source <> ALL (ARRAY['block'::text, 'held'::text]))),
  constraint psp_returns_check1 CHECK (block_id IS NULL OR (source = ANY (ARRAY['block'::text, 'held'::text, 'available'::text]))),
  constraint psp_returns_check2 CHECK (block_leg IS NOT NULL OR source <> 'held'::text),
  constraint psp_returns_check3 CHECK (block_leg IS NULL OR block_id IS NOT NULL AND (source = ANY (ARRAY['held'::text, 'available'::text]))),
  constraint psp_returns_check4 CHECK (block_leg IS NOT NULL OR block_id IS NULL OR source = 'block'::text OR med IS NULL),
  constraint psp_returns_check5 CHECK (source <> 'available'::text OR block_id IS NOT NULL OR med IS NOT TRUE),
  constraint psp_returns_source_check CHECK (source = ANY (ARRAY['block'::text, 'held'::text, 'available'::text, 'returns'::text, 'suspense'::text, 'operator_funds'::text, 'transit'::text, 'write_offs'::text]))
);
CREATE INDEX psp_returns_of_pix ON psp_returns USING btree (account_id, e2e_id);

create table qr_codes (
  account_id uuid not null,
  qr_code_id uuid not null,
  wallet_id uuid not null,
  institution_id uuid not null,
  kind text not null,
  name text not null,
  amount bigint,
  description text,
  project_id uuid,
  metadata jsonb,
  txid text,
  location_id text,
  pix_copy_paste text not null,
  status text not null,
  closed_at timestamp with time zone,
  off_periods jsonb default '[]'::jsonb not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint qr_codes_pkey PRIMARY KEY (account_id, qr_code_id),
  constraint qr_codes_account_id_txid_key UNIQUE (account_id, txid),
  constraint qr_codes_amount_check CHECK (amount > 0),
  constraint qr_codes_check CHECK ((closed_at IS NULL) = (status = 'active'::text)),
  constraint qr_codes_check1 CHECK ((txid IS NOT NULL) = (kind = 'static'::text)),
  constraint qr_codes_check2 CHECK ((location_id IS NOT NULL) = (kind = 'till'::text)),
  constraint qr_codes_kind_check CHECK (kind = ANY (ARRAY['static'::text, 'till'::text])),
  constraint qr_codes_status_check CHECK (status = ANY (ARRAY['active'::text, 'disabled'::text, 'deleted'::text])),
  constraint qr_codes_account_id_wallet_id_fkey FOREIGN KEY (account_id, wallet_id) REFERENCES wallets(account_id, wallet_id)
);
CREATE INDEX qr_codes_of_wallet ON qr_codes USING btree (account_id, wallet_id, qr_code_id) WHERE status <> 'deleted'::text;

create table received_pix (
  account_id uuid not null,
  e2e_id text not null,
  pix_id uuid not null,
  institution_id uuid not null,
  charge_id uuid,
  wallet_id uuid,
  amount bigint not null,
  outcome text not null,
  reason text,
  txid text,
  payer_name text,
  payer_document text,
  components jsonb,
  paid_at timestamp with time zone not null,
  received_at timestamp with time zone not null,
  withheld bigint,
  constraint received_pix_pkey PRIMARY KEY (account_id, e2e_id),
  constraint received_pix_amount_check CHECK (amount > 0),
  constraint received_pix_outcome_check CHECK (outcome = ANY (ARRAY['credited'::text, 'blocked'::text, 'second_payment'::text, 'unmatched'::text, 'assigned'::text, 'treasury'::text]))
);
CREATE INDEX received_pix_by_amount ON received_pix USING brin (paid_at, amount int8_bloom_ops (n_distinct_per_range='3000', false_positive_rate='0.01')) WITH (pages_per_range='64', autosummarize='on');
CREATE INDEX received_pix_by_e2e ON received_pix USING btree (e2e_id);
CREATE INDEX received_pix_by_payer ON received_pix USING brin (payer_document text_bloom_ops (n_distinct_per_range='3000', false_positive_rate='0.001')) WITH (pages_per_range='64', autosummarize='on');
CREATE INDEX received_pix_by_time ON received_pix USING brin (paid_at, received_at) WITH (pages_per_range='32', autosummarize='on');
CREATE INDEX received_pix_of_charge ON received_pix USING btree (account_id, charge_id) WHERE charge_id IS NOT NULL AND outcome <> 'credited'::text;
CREATE INDEX received_pix_of_wallet_set_aside ON received_pix USING btree (account_id, wallet_id, pix_id) WHERE outcome = ANY (ARRAY['blocked'::text, 'second_payment'::text]);
CREATE INDEX received_pix_set_aside ON received_pix USING btree (account_id, pix_id) WHERE outcome = ANY (ARRAY['blocked'::text, 'second_payment'::text]);
CREATE INDEX received_pix_unmatched ON received_pix USING btree (account_id, pix_id) WHERE outcome = ANY (ARRAY['unmatched'::text, 'assigned'::text, 'treasury'::text]);

create table received_polls (
  institution_id uuid not null,
  covered_until timestamp with time zone not null,
  next_at timestamp with time zone not null,
  stands_since timestamp with time zone,
  returns_next_at timestamp with time zone,
  returns_began_at timestamp with time zone,
  returns_place jsonb,
  returns_calls integer default 0 not null,
  constraint received_polls_pkey PRIMARY KEY (institution_id)
);

create table reconciliations (
  institution_id uuid not null,
  day date not null,
  next_at timestamp with time zone,
  checked_at timestamp with time zone,
  report jsonb,
  asked_last text,
  constraint reconciliations_pkey PRIMARY KEY (institution_id, day)
);
CREATE INDEX reconciliations_due ON reconciliations USING btree (next_at) WHERE next_at IS NOT NULL;

create table recovery_codes (
  code_hash bytea not null,
  person_id uuid not null,
  created_at timestamp with time zone not null,
  used_at timestamp with time zone,
  constraint recovery_codes_pkey PRIMARY KEY (code_hash)
);
CREATE INDEX recovery_codes_person_idx ON recovery_codes USING btree (person_id) WHERE used_at IS NULL;

create table refunds (
  account_id uuid not null,
  refund_id uuid not null,
  wallet_id uuid not null,
  charge_id uuid not null,
  e2e_id text not null,
  institution_id uuid not null,
  amount bigint not null,
  fee_amount bigint not null,
  status text not null,
  reason text,
  idempotency_key text,
  late boolean default false not null,
  rtr_id text,
  refunded_at timestamp with time zone,
  failure_reason text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint refunds_pkey PRIMARY KEY (account_id, refund_id),
  constraint refunds_amount_check CHECK (amount > 0),
  constraint refunds_check CHECK ((refunded_at IS NOT NULL) = (status = 'confirmed'::text)),
  constraint refunds_check1 CHECK (status = 'confirmed'::text OR NOT late),
  constraint refunds_fee_amount_check CHECK (fee_amount >= 0),
  constraint refunds_status_check CHECK (status = ANY (ARRAY['pending'::text, 'confirmed'::text, 'error'::text]))
);
CREATE INDEX refunds_by_idempotency_key ON refunds USING btree (account_id, wallet_id, idempotency_key, refund_id) WHERE idempotency_key IS NOT NULL;
CREATE INDEX refunds_by_return ON refunds USING btree (account_id, rtr_id) WHERE rtr_id IS NOT NULL;
CREATE INDEX refunds_by_update ON refunds USING brin (updated_at) WITH (pages_per_range='32', autosummarize='on');
CREATE INDEX refunds_failed ON refunds USING btree (account_id, wallet_id, refund_id) WHERE status = 'error'::text;
CREATE INDEX refunds_of_charge ON refunds USING btree (account_id, charge_id, refund_id);
CREATE INDEX refunds_of_pix ON refunds USING btree (account_id, e2e_id);
CREATE INDEX refunds_of_wallet ON refunds USING btree (account_id, wallet_id, refund_id);
CREATE INDEX refunds_pending ON refunds USING btree (account_id, wallet_id, refund_id) WHERE status = 'pending'::text;

create table schema_migrations (
  number integer not null,
  name text not null,
  fingerprint text not null,
  applied_at timestamp with time zone not null,
  constraint schema_migrations_pkey PRIMARY KEY (number)
);

create table sessions (
  session_id uuid not null,
  person_id uuid not null,
  token_hash bytea not null,
  browser text,
  address text,
  created_at timestamp with time zone not null,
  seen_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  fresh_until timestamp with time zone,
  ended_at timestamp with time zone,
  constraint sessions_pkey PRIMARY KEY (session_id),
  constraint sessions_token_hash_key UNIQUE (token_hash)
);
CREATE INDEX sessions_person_idx ON sessions USING btree (person_id) WHERE ended_at IS NULL;

create table settings (
  name text not null,
  value text not null,
  constraint settings_pkey PRIMARY KEY (name)
);

create table sign_in_guesses (
  purpose text not null,
  counter bytea not null,
  tries integer not null,
  since timestamp with time zone not null,
  constraint sign_in_guesses_pkey PRIMARY KEY (purpose, counter),
  constraint sign_in_guesses_purpose_check CHECK (purpose = ANY (ARRAY['password'::text, 'code'::text, 'passkey'::text]))
);
CREATE INDEX sign_in_guesses_since_idx ON sign_in_guesses USING btree (since);

create table sign_in_links (
  link_id uuid not null,
  token_hash bytea not null,
  purpose text not null,
  person_id uuid,
  email text,
  name text,
  of_account uuid,
  role text,
  vouches boolean default false not null,
  invited_by text,
  made_by text,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  constraint sign_in_links_pkey PRIMARY KEY (link_id),
  constraint sign_in_links_token_hash_key UNIQUE (token_hash),
  constraint sign_in_links_purpose_check CHECK (purpose = ANY (ARRAY['first'::text, 'invitation'::text, 'recovery'::text]))
);

create table tariff_claims (
  account_id uuid not null,
  institution_id uuid not null,
  e2e_id text not null,
  booked_in uuid not null,
  claimed_at timestamp with time zone not null,
  constraint tariff_claims_pkey PRIMARY KEY (account_id, institution_id, e2e_id)
);

create table treasury_entries (
  account_id uuid not null,
  entry_id uuid not null,
  kind text not null,
  source text not null,
  status text not null,
  institution_id uuid not null,
  to_institution_id uuid,
  amount bigint not null,
  occurred_at timestamp with time zone not null,
  about text,
  reference text,
  description text,
  created_by text not null,
  created_at timestamp with time zone not null,
  booked_at timestamp with time zone,
  constraint treasury_entries_pkey PRIMARY KEY (account_id, entry_id),
  constraint treasury_entries_amount_check CHECK (amount > 0),
  constraint treasury_entries_check CHECK (to_institution_id <> institution_id),
  constraint treasury_entries_check1 CHECK ((status = 'booked'::text) = (booked_at IS NOT NULL)),
  constraint treasury_entries_check2 CHECK (source = 'operator'::text OR about IS NOT NULL),
  constraint treasury_entries_check3 CHECK ((to_institution_id IS NOT NULL) = (kind = 'interbank'::text AND source = 'operator'::text)),
  constraint treasury_entries_kind_check CHECK (kind = ANY (ARRAY['top_up'::text, 'sweep'::text, 'tariff'::text, 'interbank'::text, 'loss'::text, 'gain'::text])),
  constraint treasury_entries_source_check CHECK (source = ANY (ARRAY['operator'::text, 'receipt'::text, 'sent'::text])),
  constraint treasury_entries_status_check CHECK (status = ANY (ARRAY['awaiting_approval'::text, 'booked'::text, 'discarded'::text]))
);
CREATE UNIQUE INDEX treasury_entries_about ON treasury_entries USING btree (account_id, institution_id, about) WHERE about IS NOT NULL;
CREATE INDEX treasury_entries_newest ON treasury_entries USING btree (account_id, created_at, entry_id);

create table used_challenges (
  challenge bytea not null,
  expires_at timestamp with time zone not null,
  constraint used_challenges_pkey PRIMARY KEY (challenge)
);
CREATE INDEX used_challenges_expiry_idx ON used_challenges USING btree (expires_at);

create table wallets (
  account_id uuid not null,
  wallet_id uuid not null,
  reference text not null,
  name text not null,
  status text not null,
  suspended_by text,
  document text,
  metadata jsonb,
  limit_per_withdrawal bigint,
  limit_per_day bigint,
  limit_per_night bigint,
  withdrawal_hours bigint[] default '{}'::bigint[] not null,
  withdrawal_amounts bigint[] default '{}'::bigint[] not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint wallets_pkey PRIMARY KEY (account_id, wallet_id),
  constraint wallets_account_id_reference_key UNIQUE (account_id, reference),
  constraint wallets_check CHECK (cardinality(withdrawal_hours) = cardinality(withdrawal_amounts)),
  constraint wallets_limit_per_day_check CHECK (limit_per_day >= 0),
  constraint wallets_limit_per_night_check CHECK (limit_per_night >= 0),
  constraint wallets_limit_per_withdrawal_check CHECK (limit_per_withdrawal >= 0),
  constraint wallets_status_check CHECK (status = ANY (ARRAY['approved'::text, 'suspended'::text])),
  constraint wallets_suspended_by_check CHECK (suspended_by = ANY (ARRAY['merchant'::text, 'operator'::text])),
  constraint wallets_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(account_id)
);

create table webhook_endpoints (
  account_id uuid not null,
  endpoint_id uuid not null,
  wallet_id uuid not null,
  url text not null,
  events text[],
  description text,
  enabled boolean default true not null,
  retry text default 'standard'::text not null,
  sealed_secret text not null,
  next_sealed_secret text,
  rotation_ends_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  deleted_at timestamp with time zone,
  constraint webhook_endpoints_pkey PRIMARY KEY (account_id, endpoint_id),
  constraint webhook_endpoints_check CHECK ((next_sealed_secret IS NULL) = (rotation_ends_at IS NULL)),
  constraint webhook_endpoints_retry_check CHECK (retry = ANY (ARRAY['standard'::text, 'extended'::text])),
  constraint webhook_endpoints_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(account_id),
  constraint webhook_endpoints_account_id_wallet_id_fkey FOREIGN KEY (account_id, wallet_id) REFERENCES wallets(account_id, wallet_id)
);

create table withdrawal_returns (
  account_id uuid not null,
  return_id uuid not null,
  withdrawal_id uuid not null,
  psp_id text,
  rtr_id text,
  amount bigint not null,
  returned_at timestamp with time zone not null,
  movement_id uuid not null,
  created_at timestamp with time zone not null,
  constraint withdrawal_returns_pkey PRIMARY KEY (account_id, return_id),
  constraint withdrawal_returns_account_id_withdrawal_id_psp_id_rtr_id_key UNIQUE NULLS NOT DISTINCT (account_id, withdrawal_id, psp_id, rtr_id),
  constraint withdrawal_returns_account_id_withdrawal_id_rtr_id_key UNIQUE (account_id, withdrawal_id, rtr_id),
  constraint withdrawal_returns_amount_check CHECK (amount > 0),
  constraint withdrawal_returns_check CHECK (psp_id IS NOT NULL OR rtr_id IS NOT NULL)
);

create table withdrawal_sums (
  account_id uuid not null,
  hours bigint[] not null,
  amounts bigint[] not null,
  counts integer[] not null,
  constraint withdrawal_sums_pkey PRIMARY KEY (account_id),
  constraint withdrawal_sums_check CHECK (cardinality(hours) = cardinality(amounts) AND cardinality(hours) = cardinality(counts))
);

create table withdrawals (
  account_id uuid not null,
  withdrawal_id uuid not null,
  wallet_id uuid not null,
  status text not null,
  amount bigint not null,
  fee_amount bigint not null,
  net_amount bigint not null,
  returned_amount bigint default 0 not null,
  pix_key text not null,
  pix_key_type text not null,
  holder_name text not null,
  holder_document text not null,
  holder_document_type text not null,
  asked_digest text not null,
  project_id uuid,
  external_reference text,
  idempotency_key text,
  institution_id uuid not null,
  routing jsonb,
  psp_id text not null,
  psp_references jsonb default '[]'::jsonb not null,
  e2e_id text,
  counterpart_name text,
  counterpart_document text,
  failure_reason text,
  failure_code text,
  settled_at timestamp with time zone,
  processed_at timestamp with time zone,
  created_by uuid,
  created_by_owners jsonb,
  awaiting_approval boolean default false not null,
  approved_at timestamp with time zone,
  hold_until timestamp with time zone,
  counted_at timestamp with time zone not null,
  limited_until timestamp with time zone,
  awaiting_bank_since timestamp with time zone,
  adopted boolean default false not null,
  unconfirmed_since timestamp with time zone,
  latest jsonb,
  case_opened_at timestamp with time zone,
  may_have_left boolean default false not null,
  left_at timestamp with time zone,
  preparations integer default 0 not null,
  refused_at timestamp with time zone,
  absent_at timestamp with time zone,
  next_at timestamp with time zone,
  attempts integer default 0 not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  transaction_status text generated always as (
CASE status
    WHEN 'failed'::text THEN 'failed'::text
    WHEN 'completed'::text THEN 'completed'::text
    WHEN 'reversed'::text THEN 'completed'::text
    ELSE 'pending'::text
END) stored not null,
  paid_to_other boolean,
  receiver_check jsonb,
  constraint withdrawals_pkey PRIMARY KEY (account_id, withdrawal_id),
  constraint withdrawals_check CHECK (returned_amount >= 0 AND returned_amount <= net_amount),
  constraint withdrawals_check1 CHECK (amount = (fee_amount + net_amount)),
  constraint withdrawals_check2 CHECK (next_at IS NOT NULL OR (status <> ALL (ARRAY['pending'::text, 'processing'::text])) OR awaiting_approval),
  constraint withdrawals_check3 CHECK (NOT awaiting_approval OR (status = ANY (ARRAY['pending'::text, 'failed'::text]))),
  constraint withdrawals_check4 CHECK ((returned_amount = net_amount) = (status = 'reversed'::text)),
  constraint withdrawals_check5 CHECK (returned_amount = 0 OR (status = ANY (ARRAY['completed'::text, 'reversed'::text]))),
  constraint withdrawals_check6 CHECK (NOT awaiting_approval OR approved_at IS NULL),
  constraint withdrawals_fee_amount_check CHECK (fee_amount >= 0),
  constraint withdrawals_holder_document_type_check CHECK (holder_document_type = ANY (ARRAY['cpf'::text, 'cnpj'::text])),
  constraint withdrawals_net_amount_check CHECK (net_amount > 0),
  constraint withdrawals_pix_key_type_check CHECK (pix_key_type = ANY (ARRAY['cpf'::text, 'cnpj'::text, 'email'::text, 'phone'::text, 'random'::text])),
  constraint withdrawals_status_check CHECK (status = ANY (ARRAY['pending'::text, 'processing'::text, 'completed'::text, 'failed'::text, 'reversed'::text])),
  constraint withdrawals_transaction_status_check CHECK (transaction_status = ANY (ARRAY['pending'::text, 'completed'::text, 'failed'::text]))
);
CREATE INDEX withdrawals_by_amount ON withdrawals USING brin (created_at, amount int8_bloom_ops (n_distinct_per_range='1000', false_positive_rate='0.01')) WITH (pages_per_range='64', autosummarize='on');
CREATE INDEX withdrawals_by_e2e ON withdrawals USING btree (account_id, e2e_id) WHERE e2e_id IS NOT NULL;
CREATE INDEX withdrawals_by_holder ON withdrawals USING brin (holder_document text_bloom_ops (n_distinct_per_range='1000', false_positive_rate='0.001')) WITH (pages_per_range='64', autosummarize='on');
CREATE INDEX withdrawals_by_idempotency_key ON withdrawals USING btree (account_id, wallet_id, idempotency_key, withdrawal_id) WHERE idempotency_key IS NOT NULL;
CREATE INDEX withdrawals_by_key ON withdrawals USING btree (account_id, pix_key);
CREATE INDEX withdrawals_by_psp_reference ON withdrawals USING gin (psp_references jsonb_path_ops) WHERE psp_references <> '[]'::jsonb;
CREATE INDEX withdrawals_by_reference ON withdrawals USING btree (account_id, wallet_id, external_reference, withdrawal_id) WHERE external_reference IS NOT NULL;
CREATE INDEX withdrawals_by_settlement ON withdrawals USING btree (institution_id, settled_at) WHERE settled_at IS NOT NULL;
CREATE INDEX withdrawals_by_time ON withdrawals USING btree (withdrawal_id);
CREATE INDEX withdrawals_by_update ON withdrawals USING brin (updated_at) WITH (pages_per_range='32', autosummarize='on');
CREATE INDEX withdrawals_due ON withdrawals USING btree (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX withdrawals_failed ON withdrawals USING btree (account_id, wallet_id, withdrawal_id) WHERE transaction_status = 'failed'::text;
CREATE INDEX withdrawals_of_project ON withdrawals USING btree (account_id, wallet_id, project_id, withdrawal_id) WHERE project_id IS NOT NULL;
CREATE INDEX withdrawals_of_wallet ON withdrawals USING btree (account_id, wallet_id, withdrawal_id);
CREATE INDEX withdrawals_pending ON withdrawals USING btree (account_id, wallet_id, withdrawal_id) WHERE transaction_status = 'pending'::text;
CREATE INDEX withdrawals_to_approve ON withdrawals USING btree (account_id, wallet_id, withdrawal_id) WHERE transaction_status = 'pending'::text AND status = 'pending'::text AND awaiting_approval;
CREATE INDEX withdrawals_to_other ON withdrawals USING btree (processed_at) WHERE paid_to_other AND status = 'completed'::text;
CREATE INDEX withdrawals_unchecked ON withdrawals USING btree (account_id, wallet_id, withdrawal_id) WHERE paid_to_other AND status = 'completed'::text AND receiver_check IS NULL AND counterpart_name IS NOT NULL;
CREATE INDEX withdrawals_unjudged ON withdrawals USING btree (processed_at) WHERE paid_to_other IS NULL AND status = 'completed'::text AND counterpart_name IS NOT NULL;
CREATE INDEX withdrawals_unnamed ON withdrawals USING btree (processed_at) WHERE paid_to_other IS NULL AND status = 'completed'::text AND counterpart_name IS NULL;

create view deposit_returns as
 SELECT DISTINCT ON (account_id, e2e_id) account_id,
    return_id,
    e2e_id,
    purpose,
    description,
    psp_id,
    institution_id,
    charge_id,
    amount,
    status,
    left_at,
    rtr_id,
    settled_at,
    failure_reason,
    refused_at,
    next_at,
    attempts,
    retry_of,
    retried_at,
    case_opened_at,
    written_off_by,
    written_off_amount,
    restored_at,
    created_at,
    updated_at
   FROM pix_returns
  WHERE purpose = 'deposit'::text
  ORDER BY account_id, e2e_id, (status = 'confirmed'::text) DESC, return_id DESC;

create view ledger_lines as
 SELECT ledger_transfers.account_id,
    ledger_transfers.from_no AS no,
    ledger_transfers.from_seq AS seq,
    - ledger_transfers.amount AS amount,
    ledger_transfers.from_balance AS balance_after,
    ledger_transfers.kind,
    ledger_transfers.source_id,
    ledger_transfers.leg,
    ledger_transfers.to_no AS counterpart_no,
    ledger_transfers.occurred_at,
    ledger_transfers.booked_at
   FROM ledger_transfers
UNION ALL
 SELECT ledger_transfers.account_id,
    ledger_transfers.to_no AS no,
    ledger_transfers.to_seq AS seq,
    ledger_transfers.amount,
    ledger_transfers.to_balance AS balance_after,
    ledger_transfers.kind,
    ledger_transfers.source_id,
    ledger_transfers.leg,
    ledger_transfers.from_no AS counterpart_no,
    ledger_transfers.occurred_at,
    ledger_transfers.booked_at
   FROM ledger_transfers;

create view transactions as
 SELECT account_id,
    transaction_id,
    wallet_id,
    type,
    status,
    amount,
    description,
    external_reference,
    idempotency_key,
    customer_id,
    project_id,
    metadata,
    pix_copy_paste,
    expires_at,
    paid_at,
    e2e_id,
    counterpart_name,
    counterpart_document,
    failure_reason,
    blocked_reason,
    paid_after_expiry,
    created_at,
    updated_at,
    deposit_return,
    direction,
    original_id,
    withdrawal_status,
    closed_at,
    fee_amount,
    net_amount,
    txid,
    split,
    applied_split,
    claims,
    returned_amount,
    block_id,
    withdrawal_id,
    transfer_id,
    refund_id,
    institution,
    due,
    charged_amount,
    components,
    payment_link_id,
    qr_code_id,
    due_edits,
    invoice,
    is_static
   FROM ( SELECT c.account_id,
            c.charge_id AS transaction_id,
            c.wallet_id,
            'payment'::text AS type,
            c.status,
            c.amount,
            c.description,
            c.external_reference,
            c.idempotency_key,
            c.customer_id,
            c.project_id,
            c.metadata,
            c.pix_copy_paste,
            c.expires_at,
            c.paid_at,
            c.e2e_id,
            c.counterpart_name,
            c.counterpart_document,
            c.failure_reason,
            c.blocked_reason,
            c.paid_after_expiry,
            c.created_at,
            c.updated_at,
                CASE
                    WHEN c.blocked_reason IS NOT NULL THEN ( SELECT jsonb_build_object('status', r.status, 'e2eId', r.rtr_id, 'settledAt', r.settled_at) AS jsonb_build_object
                       FROM deposit_returns r
                      WHERE r.account_id = c.account_id AND r.e2e_id = c.e2e_id)
                    ELSE NULL::jsonb
                END AS deposit_return,
            'in'::text AS direction,
            NULL::uuid AS original_id,
            NULL::text AS withdrawal_status,
            c.closed_at,
            c.fee_amount,
            c.net_amount,
            c.txid,
            c.split,
            c.applied_split,
                CASE
                    WHEN c.claimed THEN ( SELECT jsonb_build_object('refund', f.newest, 'refunded', f.refunded, 'disputed', b.held, 'returned', f.returned + b.taken + p.returned + d.returned) AS jsonb_build_object
                       FROM ( SELECT (array_agg(jsonb_build_object('status', upper(r.status), 'refundTransactionId', r.refund_id, 'amount', r.amount) ORDER BY (r.status = 'pending'::text) DESC, r.created_at DESC, r.refund_id DESC))[1] AS newest,
                                COALESCE(sum(r.amount) FILTER (WHERE r.status = 'confirmed'::text), 0::numeric) AS refunded,
                                COALESCE(sum(r.amount) FILTER (WHERE r.status = 'confirmed'::text AND NOT r.late), 0::numeric) AS returned
                               FROM refunds r
                              WHERE r.account_id = c.account_id AND r.charge_id = c.charge_id) f,
                        ( SELECT COALESCE(sum(k.held_amount), 0::numeric) AS held,
                                COALESCE(sum(k.taken_amount), 0::numeric) AS taken
                               FROM balance_blocks k
                              WHERE k.account_id = c.account_id AND k.e2e_id = c.e2e_id) b,
                        ( SELECT COALESCE(sum(x.amount), 0::numeric) AS returned
                               FROM psp_returns x
                              WHERE x.account_id = c.account_id AND x.e2e_id = c.e2e_id AND x.block_id IS NULL) p,
                        ( SELECT COALESCE(sum(y.amount), 0::numeric) AS returned
                               FROM deposit_returns y
                              WHERE y.account_id = c.account_id AND y.e2e_id = c.e2e_id AND y.status = 'confirmed'::text) d)
                    ELSE NULL::jsonb
                END AS claims,
            NULL::bigint AS returned_amount,
            NULL::uuid AS block_id,
            NULL::uuid AS withdrawal_id,
            NULL::uuid AS transfer_id,
            NULL::uuid AS refund_id,
            ( SELECT jsonb_build_object('name', i.name, 'cnpj', i.cnpj) AS jsonb_build_object
                   FROM institutions i
                  WHERE i.institution_id = c.institution_id) AS institution,
            c.due,
            c.charged_amount,
            c.components,
            c.payment_link_id,
            c.qr_code_id,
            c.due_edits,
                CASE
                    WHEN c.status = 'completed'::text THEN ( SELECT jsonb_build_object('key', v.access_key, 'number', v.number, 'recordedAt', v.recorded_at) AS jsonb_build_object
                       FROM invoices v
                      WHERE v.account_id = c.account_id AND v.charge_id = c.charge_id)
                    ELSE NULL::jsonb
                END AS invoice,
            c.qr_code_id IS NOT NULL AND c.expires_in = 0 AS is_static
           FROM charges c
        UNION ALL
         SELECT m.account_id,
            m.movement_id,
            m.wallet_id,
            m.type,
            'completed'::text AS text,
            m.amount,
            m.description,
            m.external_reference,
            m.idempotency_key,
            NULL::uuid AS uuid,
            NULL::uuid AS uuid,
            m.metadata,
            NULL::text AS text,
            NULL::timestamp with time zone AS timestamptz,
            NULL::timestamp with time zone AS timestamptz,
            NULL::text AS text,
            NULL::text AS text,
            NULL::text AS text,
            NULL::text AS text,
            NULL::text AS text,
            false,
            m.created_at,
            m.created_at,
            NULL::jsonb AS jsonb,
            m.direction,
                CASE m.type
                    WHEN 'internal_transfer'::text THEN
                    CASE
                        WHEN m.cause_id <> m.movement_id THEN m.cause_id
                        ELSE NULL::uuid
                    END
                    WHEN 'fee'::text THEN ( SELECT r.charge_id
                       FROM refunds r
                      WHERE r.account_id = m.account_id AND r.refund_id = m.cause_id)
                    WHEN 'chargeback'::text THEN COALESCE(( SELECT b.charge_id
                       FROM balance_blocks b
                      WHERE b.account_id = m.account_id AND b.block_id = m.cause_id), ( SELECT p.charge_id
                       FROM psp_returns p
                      WHERE p.account_id = m.account_id AND p.psp_return_id = m.cause_id AND p.leg = m.leg))
                    ELSE NULL::uuid
                END AS "case",
            NULL::text AS text,
            NULL::timestamp with time zone AS timestamptz,
            NULL::bigint AS int8,
            NULL::bigint AS int8,
            NULL::text AS text,
            NULL::jsonb AS jsonb,
            NULL::jsonb AS jsonb,
            NULL::jsonb AS jsonb,
            NULL::bigint AS int8,
                CASE
                    WHEN m.type = 'chargeback'::text THEN COALESCE(( SELECT b.block_id
                       FROM balance_blocks b
                      WHERE b.account_id = m.account_id AND b.block_id = m.cause_id), ( SELECT p.block_id
                       FROM psp_returns p
                      WHERE p.account_id = m.account_id AND p.psp_return_id = m.cause_id AND p.leg = m.leg))
                    ELSE NULL::uuid
                END AS "case",
                CASE
                    WHEN m.type = 'adjustment'::text THEN ( SELECT r.withdrawal_id
                       FROM withdrawal_returns r
                      WHERE r.account_id = m.account_id AND r.return_id = m.cause_id)
                    ELSE NULL::uuid
                END AS "case",
                CASE
                    WHEN m.type = 'internal_transfer'::text AND m.cause_id = m.movement_id THEN m.cause_id
                    ELSE NULL::uuid
                END AS "case",
                CASE
                    WHEN m.type = 'fee'::text THEN m.cause_id
                    ELSE NULL::uuid
                END AS "case",
            NULL::jsonb AS jsonb,
            NULL::jsonb AS jsonb,
            NULL::bigint AS int8,
            NULL::jsonb AS jsonb,
            NULL::uuid AS uuid,
            NULL::uuid AS uuid,
            NULL::jsonb AS jsonb,
            NULL::jsonb AS jsonb,
            false
           FROM movements m
        UNION ALL
         SELECT m.account_id,
            m.counterpart_movement_id,
            m.counterpart_wallet_id,
            'internal_transfer'::text AS text,
            'completed'::text AS text,
            m.amount,
            m.description,
            NULL::text AS text,
            NULL::text AS text,
            NULL::uuid AS uuid,
            NULL::uuid AS uuid,
            NULL::jsonb AS jsonb,
            NULL::text AS text,
            NULL::timestamp with time zone AS timestamptz,
            NULL::timestamp with time zone AS timestamptz,
            NULL::text AS text,
            NULL::text AS text,
            NULL::text AS text,
            NULL::text AS text,
            NULL::text AS text,
            false,
            m.created_at,
            m.created_at,
            NULL::jsonb AS jsonb,
            'in'::text AS text,
                CASE
                    WHEN m.cause_id <> m.movement_id THEN m.cause_id
                    ELSE NULL::uuid
                END AS "case",
            NULL::text AS text,
            NULL::timestamp with time zone AS timestamptz,
            NULL::bigint AS int8,
            NULL::bigint AS int8,
            NULL::text AS text,
            NULL::jsonb AS jsonb,
            NULL::jsonb AS jsonb,
            NULL::jsonb AS jsonb,
            NULL::bigint AS int8,
            NULL::uuid AS uuid,
            NULL::uuid AS uuid,
                CASE
                    WHEN m.cause_id = m.movement_id THEN m.cause_id
                    ELSE NULL::uuid
                END AS "case",
            NULL::uuid AS uuid,
            NULL::jsonb AS jsonb,
            NULL::jsonb AS jsonb,
            NULL::bigint AS int8,
            NULL::jsonb AS jsonb,
            NULL::uuid AS uuid,
            NULL::uuid AS uuid,
            NULL::jsonb AS jsonb,
            NULL::jsonb AS jsonb,
            false
           FROM movements m
        UNION ALL
         SELECT r.account_id,
            r.refund_id,
            r.wallet_id,
            'refund'::text AS text,
                CASE r.status
                    WHEN 'confirmed'::text THEN 'completed'::text
                    WHEN 'error'::text THEN 'failed'::text
                    ELSE 'pending'::text
                END AS "case",
            r.amount,
            r.reason,
            NULL::text AS text,
            r.idempotency_key,
            NULL::uuid AS uuid,
            NULL::uuid AS uuid,
            NULL::jsonb AS jsonb,
            NULL::text AS text,
            NULL::timestamp with time zone AS timestamptz,
            NULL::timestamp with time zone AS timestamptz,
            r.rtr_id,
            NULL::text AS text,
            NULL::text AS text,
            r.failure_reason,
            NULL::text AS text,
            false,
            r.created_at,
            r.updated_at,
            NULL::jsonb AS jsonb,
            'out'::text AS text,
            r.charge_id,
            NULL::text AS text,
            NULL::timestamp with time zone AS timestamptz,
                CASE
                    WHEN r.status = 'confirmed'::text THEN
                    CASE
                        WHEN r.late THEN 0::bigint
                        ELSE r.fee_amount
                    END
                    ELSE NULL::bigint
                END AS "case",
                CASE
                    WHEN r.status = 'confirmed'::text THEN r.amount
                    ELSE NULL::bigint
                END AS "case",
            NULL::text AS text,
            NULL::jsonb AS jsonb,
            NULL::jsonb AS jsonb,
            NULL::jsonb AS jsonb,
            NULL::bigint AS int8,
            NULL::uuid AS uuid,
            NULL::uuid AS uuid,
            NULL::uuid AS uuid,
            NULL::uuid AS uuid,
            NULL::jsonb AS jsonb,
            NULL::jsonb AS jsonb,
            NULL::bigint AS int8,
            NULL::jsonb AS jsonb,
            NULL::uuid AS uuid,
            NULL::uuid AS uuid,
            NULL::jsonb AS jsonb,
            NULL::jsonb AS jsonb,
            false
           FROM refunds r
        UNION ALL
         SELECT w.account_id,
            w.withdrawal_id,
            w.wallet_id,
            'withdrawal'::text AS text,
            w.transaction_status,
            w.amount,
            NULL::text AS text,
            w.external_reference,
            w.idempotency_key,
            NULL::uuid AS uuid,
            w.project_id,
            NULL::jsonb AS jsonb,
            NULL::text AS text,
            NULL::timestamp with time zone AS timestamptz,
            w.settled_at,
            w.e2e_id,
            w.counterpart_name,
            w.counterpart_document,
                CASE
                    WHEN w.status = 'failed'::text THEN w.failure_reason
                    ELSE NULL::text
                END AS "case",
            NULL::text AS text,
            false,
            w.created_at,
            w.updated_at,
            NULL::jsonb AS jsonb,
            'out'::text AS text,
            NULL::uuid AS uuid,
            w.status,
            NULL::timestamp with time zone AS timestamptz,
            w.fee_amount,
            w.net_amount,
            NULL::text AS text,
            NULL::jsonb AS jsonb,
            NULL::jsonb AS jsonb,
            NULL::jsonb AS jsonb,
            w.returned_amount,
            NULL::uuid AS uuid,
            NULL::uuid AS uuid,
            NULL::uuid AS uuid,
            NULL::uuid AS uuid,
            NULL::jsonb AS jsonb,
            NULL::jsonb AS jsonb,
            NULL::bigint AS int8,
            NULL::jsonb AS jsonb,
            NULL::uuid AS uuid,
            NULL::uuid AS uuid,
            NULL::jsonb AS jsonb,
            NULL::jsonb AS jsonb,
            false
           FROM withdrawals w) t
  WHERE status <> ALL (ARRAY['creating'::text, 'rejected'::text]);

create view unmatched as
 SELECT p.account_id,
    'receipt'::text AS kind,
    p.pix_id AS id,
    p.institution_id,
    p.e2e_id,
    p.amount,
    p.paid_at,
    p.payer_name,
    p.payer_document,
    p.txid,
    'unmatched'::text AS received_as,
    p.reason,
    p.received_at AS created_at,
        CASE
            WHEN t.status IS NOT NULL THEN t.status
            WHEN a.status IS NOT NULL THEN a.status
            WHEN r.status = 'confirmed'::text THEN 'returned'::text
            WHEN r.status = 'failed'::text THEN 'return_failed'::text
            WHEN r.status IS NOT NULL THEN 'returning'::text
            WHEN p.amount::numeric <= COALESCE(( SELECT sum(s.amount) AS sum
               FROM psp_returns s
              WHERE s.account_id = p.account_id AND s.e2e_id = p.e2e_id), 0::numeric) THEN 'returned'::text
            ELSE 'open'::text
        END AS status,
        CASE
            WHEN t.status IS NOT NULL THEN 'treasury'::text
            WHEN a.status IS NOT NULL THEN 'assign'::text
            WHEN r.status IS NOT NULL THEN 'return'::text
            ELSE NULL::text
        END AS action,
    a.to_account_id,
    a.charge_id,
    a.outcome AS assigned_as,
    r.return_id,
    COALESCE(t.booked_at, a.created_at, f.created_at) AS resolved_at
   FROM received_pix p
     LEFT JOIN treasury_entries t ON t.account_id = p.account_id AND t.entry_id = p.pix_id
     LEFT JOIN pix_assignments a ON a.account_id = p.account_id AND a.e2e_id = p.e2e_id
     LEFT JOIN pix_returns f ON f.account_id = p.account_id AND f.e2e_id = p.e2e_id AND f.purpose = 'deposit'::text AND f.retry_of IS NULL
     LEFT JOIN LATERAL ( SELECT l.return_id,
            l.status
           FROM pix_returns l
          WHERE l.account_id = p.account_id AND l.e2e_id = p.e2e_id AND l.purpose = 'deposit'::text
          ORDER BY (l.status = 'confirmed'::text) DESC, l.return_id DESC
         LIMIT 1) r ON true
  WHERE p.outcome = ANY (ARRAY['unmatched'::text, 'assigned'::text, 'treasury'::text])
UNION ALL
 SELECT r.account_id,
    'return'::text AS kind,
    r.return_id AS id,
    r.institution_id,
    r.e2e_id,
    r.amount,
    p.paid_at,
    p.payer_name,
    p.payer_document,
    p.txid,
    p.outcome AS received_as,
    r.failure_reason AS reason,
    r.created_at,
        CASE
            WHEN r.status = 'confirmed'::text THEN 'returned'::text
            WHEN r.status <> 'failed'::text THEN 'returning'::text
            WHEN r.written_off_by IS NOT NULL AND r.restored_at IS NULL THEN 'booked'::text
            WHEN n.return_id IS NOT NULL THEN 'retried'::text
            WHEN (( SELECT COALESCE(sum(
                    CASE
                        WHEN d.retry_of IS NULL THEN d.amount
                        ELSE 0::bigint
                    END), 0::numeric) - COALESCE(sum(d.amount) FILTER (WHERE d.status = 'confirmed'::text), 0::numeric)
               FROM pix_returns d
              WHERE d.account_id = r.account_id AND d.e2e_id = r.e2e_id AND d.purpose = 'deposit'::text)) <= COALESCE(( SELECT sum(s.amount) AS sum
               FROM psp_returns s
              WHERE s.account_id = r.account_id AND s.e2e_id = r.e2e_id AND s.source = 'returns'::text), 0::numeric) THEN 'returned'::text
            ELSE 'open'::text
        END AS status,
        CASE
            WHEN r.written_off_by IS NOT NULL AND r.restored_at IS NULL THEN 'treasury'::text
            WHEN r.retried_at IS NOT NULL THEN 'retry'::text
            ELSE NULL::text
        END AS action,
    NULL::uuid AS to_account_id,
    r.charge_id,
    NULL::text AS assigned_as,
    n.return_id,
        CASE
            WHEN r.written_off_by IS NOT NULL AND r.restored_at IS NULL THEN r.updated_at
            ELSE r.retried_at
        END AS resolved_at
   FROM pix_returns r
     JOIN received_pix p ON p.account_id = r.account_id AND p.e2e_id = r.e2e_id
     LEFT JOIN pix_returns n ON n.account_id = r.account_id AND n.retry_of = r.return_id
  WHERE r.purpose = 'deposit'::text AND (r.status = 'failed'::text OR r.retried_at IS NOT NULL);

CREATE OR REPLACE FUNCTION public.erase_events(account uuid, ids text[], instant timestamp with time zone)
 RETURNS SETOF text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
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
$function$;
