/**
 * Every column of the database, read from PostgreSQL's catalogue, by what it carries. A column is classed by its type where
 * that decides, and else by its name here: a new one that is not classed fails columns.deep.test.ts.
 */
import type { Queries } from "../../src/db/pool.ts";
import { sql } from "../../src/db/sql.ts";

type ColumnClass = "money" | "time" | "state" | "link" | "content";
export type Column = {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly nullable: boolean;
  /** The values that a check of the table allows. */
  readonly values: readonly string[];
};

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

const BY_NAME: Readonly<Record<ColumnClass, ReadonlySet<string>>> = {
  money: words(`
    amounts amount_changes applied_split charge_fee_bps components due due_edits movements positions refund_fee_bps report max_payments sample split withdrawal_amounts
    withdrawal_fee_bps`),
  time: words("expires_in hours new_key_wait_minutes off_periods withdrawal_hours"),
  state: words(`
    action basis counts events kind needs outcome parameters payouts_per_hour_count permissions provider result role status`),
  link: words(`
    about actor asked_digest asked_last block_leg case_id client_id created_by created_by_owners credential_id decided_by e2e_id event_id
    from_no given_by holder_document leg location_id made_by no number object_id owners payout_id pix_key proposed_by proposer_id proposer_owners psp_id
    psp_payment_id reference rtr_id subject subject_id to_no txid`),
  // Words, secrets, addresses, banks' own ids and counters of attempts: nothing of the books follows from them.
  content: words(`
    psp_references address after allowed_ips state steps_done steps attempt attempts before blocked_reason body body_hash browser capacity_per_second cases challenge
    checks code code_hash color counter counterpart_document counterpart_name customer data defence defence_attempts description display_name
    detail details document email entered_by error evidence external_reference failure_code failure_reason fields fingerprint hash holder_name
    access_key cnpj idempotency_key invariant invited_by issuer key last_error latency_ms latest legal_name lift_reason lifted_by logo logo_url look mail_tries
    made_by_name metadata method name next_sealed_secret notification_generation password_hash payer_document payer_name
    pix_copy_paste place preparations previous_hash priority public_key reason receiver_check reference_number request_hash resolution_text response
    response_excerpt return_attempts return_hosts return_url returns_calls returns_place route routing says sealed_config sealed_content sealed_key
    sealed_pending sealed_secret share size digest charges_answered charges_unanswered answers_50ms answers_100ms answers_250ms answers_500ms answers_1000ms
    answers_2500ms answers_5000ms answers_slower
    secret_hash severity status_code support_contact token_hash transports tries url value assignee withdrawals_frozen_reason`),
};
const BY_TYPE: Readonly<Record<string, ColumnClass>> = {
  uuid: "link",
  "timestamp with time zone": "time",
  date: "time",
  bigint: "money",
  boolean: "state",
};

/** What a column carries; null: nobody has said. */
export function classOf({ name, type, values }: Column): ColumnClass | null {
  const byType = BY_TYPE[type] ?? (values.length > 0 ? "state" : null);
  if (byType !== null) return byType;
  return (Object.keys(BY_NAME) as ColumnClass[]).find((one) => BY_NAME[one].has(name)) ?? null;
}

/** Every column that somebody writes; PostgreSQL computes the others. */
export async function readColumns(queries: Queries): Promise<readonly Column[]> {
  const { rows } = await queries.query<Omit<Column, "values"> & { checks: string | null }>(sql`
    select c.relname as "table", a.attname as name, format_type(a.atttypid, null) as type, not a.attnotnull as nullable,
      (select string_agg(pg_get_constraintdef(k.oid), ' ') from pg_constraint k
        where k.conrelid = c.oid and k.contype = 'c' and k.conkey = array[a.attnum]) as checks
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped
      and a.attgenerated = ''
    order by c.relname, a.attnum`);
  return rows.map(({ checks, ...column }) => ({
    ...column,
    values: [...(checks ?? "").matchAll(/'([^']*)'::text/g)].map(([, value]) => value!),
  }));
}
