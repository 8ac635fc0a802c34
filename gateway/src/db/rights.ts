import { texts } from "./arrays.ts";
import type { Db, Queries, Tx } from "./pool.ts";
import { sql } from "./sql.ts";

/**
 * The role that the gateway uses. It does not own its tables, so it cannot change the schema, and it cannot change or
 * delete what it wrote into the ledger, the events and the audit log.
 */
export const GATEWAY_ROLE = "pixgate_gateway";

const READ = "select";
/** Rows that are written once. */
const GROW = "select, insert";
const CHANGE = "select, insert, update";

/** Every table with the role's rights. A table that is missing here is one that it may not even read. */
export const RIGHTS: Readonly<Record<string, string>> = {
  schema_migrations: READ,
  settings: GROW,

  ledger_transfers: GROW,
  // For erasing the person whom an answer names.
  booking_evidence: "select, insert, update (body)",
  // The line of a transfer contains the balance after it, so a balance alone cannot be forged unnoticed.
  ledger_accounts: "select, insert, update (balance, seq)",
  // For erasing the description of a share of a split or of a chargeback.
  movements: "select, insert, update (description)",
  // Only ids are added: an institution may report another one later, or the case to which the return belongs.
  psp_returns: "select, insert, update (rtr_id, block_id)",
  withdrawal_returns: "select, insert, update (psp_id, rtr_id)",
  // For its outcome, and for erasing its payer. The Pix itself never changes.
  received_pix: "select, insert, update (outcome, payer_name, payer_document)",
  // Only erase_events() erases their bodies.
  events: GROW,
  audit_log: GROW,
  audit_heads: "select, insert, update (seq, hash)",
  projects: GROW,
  qr_codes: "select, insert, update (name, description, metadata, status, closed_at, off_periods, updated_at)",
  case_entries: GROW,
  bank_tariffs: GROW,
  tariff_claims: GROW,
  payout_ids: GROW,

  accounts: CHANGE,
  wallets: CHANGE,
  credentials: CHANGE,
  institutions: CHANGE,
  account_institutions: CHANGE,
  operator_tokens: CHANGE,
  people: CHANGE,
  memberships: CHANGE,
  authenticators: CHANGE,
  recovery_codes: CHANGE,
  passkeys: CHANGE,
  provider_identities: CHANGE,
  charges: CHANGE,
  charge_attempts: CHANGE,
  withdrawals: CHANGE,
  withdrawal_sums: CHANGE,
  refunds: CHANGE,
  pix_returns: CHANGE,
  pix_assignments: CHANGE,
  treasury_entries: "select, insert, update (status, booked_at, about)",
  balance_blocks: CHANGE,
  // Only the key that opens a file changes; files are deleted by their merchant before the defence, or after their years.
  balance_block_files: `${GROW}, update (sealed_key), delete`,
  psp_cases: CHANGE,
  cases: CHANGE,
  case_proposals: CHANGE,
  // Locking the table needs the right to update.
  brakes: CHANGE,
  webhook_endpoints: CHANGE,
  checkout_settings: CHANGE,
  project_checkout_settings: CHANGE,
  payment_links: CHANGE,
  payment_link_visits: CHANGE,
  received_polls: CHANGE,
  infraction_polls: CHANGE,
  reconciliations: CHANGE,
  balance_watches: CHANGE,
  // A closed day never changes.
  day_closes: GROW,
  institution_closes: GROW,
  ledger_closes: GROW,
  close_movements: GROW,
  line_sums: GROW,
  audit_points: CHANGE,
  audit_findings: CHANGE,
  audits: CHANGE,
  // Rescheduled while the charge is open.
  open_charges: `${CHANGE}, delete`,
  // Taken away where it was recorded at the wrong payment; the audit log keeps it.
  invoices: `${CHANGE}, delete`,
  // Erased with the person whom their charge is about.
  charge_notes: `${GROW}, delete`,
  // Answers are deleted after 24 hours.
  idempotency_keys: `${CHANGE}, delete`,
  // Deleted after a day (cases/allowance.ts).
  moved_alone: `${GROW}, delete`,
  // Deleted after their minutes (retention/purge.ts).
  used_challenges: `${CHANGE}, delete`,
  sign_in_guesses: `${CHANGE}, delete`,
  // Deleted after their days (retention/purge.ts).
  sessions: `${CHANGE}, delete`,
  sign_in_links: `${CHANGE}, delete`,
  notices: `${CHANGE}, delete`,
  jobs: `${CHANGE}, delete`,
  inbox: `${CHANGE}, delete`,
  deliveries: `${CHANGE}, delete`,
  delivery_attempts: "select, insert, update (response_excerpt), delete",
  balance_checks: `${GROW}, delete`,
  institution_health: `${CHANGE}, delete`,
  // Deleted 90 days after the last process that has them (http/console/kept-files.ts).
  console_files: `${GROW}, update (sealed_content, seen_at), delete`,
  api_requests: `${GROW}, delete`,

  ledger_lines: READ,
  transactions: READ,
  deposit_returns: READ,
  unmatched: READ,
};

/** Sequences that the role may use and, for a backup, read. */
const SEQUENCES = ["account_numbers"];

/** The owner's functions that the role may call: each does one thing that the role may not do itself. */
const FUNCTIONS = ["erase_events(uuid, text[], timestamptz)"];

/** The result of `grantRights`. `missing`: the role does not exist, and this user may not create it. */
export type Granted = "granted" | "unchanged" | "missing";

/**
 * Creates the role if possible, and gives it exactly the rights of the list; other grants are revoked. For the owner of the
 * tables, one at a time under the advisory `lock`; running it again has no effect.
 */
export async function grantRights(db: Db, lock: number): Promise<Granted> {
  if (!(await hasRole(db)) && !(await createRole(db))) return "missing";
  return db.transaction(async (tx) => {
    await tx.query(sql`select pg_advisory_xact_lock(${lock})`);
    const { rows } = await tx.query<{ schema: string }>(sql`select quote_ident(current_schema()) as schema`);
    const { schema } = rows[0]!;
    const there = (await readTables(tx)).filter((table) => table in RIGHTS);
    if ((await readRights(tx)) === wanted(there)) return "unchanged";
    for (const text of [
      `revoke all on all tables in schema ${schema} from ${GATEWAY_ROLE}`,
      `grant usage on schema ${schema} to ${GATEWAY_ROLE}`,
      ...there.map((table) => `grant ${RIGHTS[table]} on ${table} to ${GATEWAY_ROLE}`),
      `revoke all on all sequences in schema ${schema} from ${GATEWAY_ROLE}`,
      ...SEQUENCES.map((name) => `grant usage, select on sequence ${name} to ${GATEWAY_ROLE}`),
      ...FUNCTIONS.flatMap((name) => [
        `revoke all on function ${name} from public`,
        `grant execute on function ${name} to ${GATEWAY_ROLE}`,
      ]),
    ]) {
      await tx.query({ text, values: [] });
    }
    return "granted";
  });
}

async function hasRole(db: Queries): Promise<boolean> {
  const { rows } = await db.query(sql`select from pg_roles where rolname = ${GATEWAY_ROLE}`);
  return rows.length > 0;
}

async function createRole(db: Queries): Promise<boolean> {
  try {
    await db.query({ text: `create role ${GATEWAY_ROLE} nologin`, values: [] });
    return true;
  } catch (error) {
    const { code } = error as { code?: string };
    // Another process was faster: roles belong to the whole server.
    if (code === "42710" || code === "23505") return true;
    if (code === "42501") return false;
    throw error;
  }
}

async function readTables(tx: Tx): Promise<string[]> {
  const { rows } = await tx.query<{ name: string }>(sql`
    select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v') order by 1`);
  return rows.map((row) => row.name);
}

/** The role's present rights, in the form of `wanted`. */
async function readRights(tx: Tx): Promise<string> {
  const { rows } = await tx.query<{ entry: string }>(sql`
    with mine as (
      select c.relname::text as name, lower(a.privilege_type) as privilege, null::text as field
      from pg_class c cross join lateral aclexplode(c.relacl) a
      where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p', 'v', 'S')
        and a.grantee = (select oid from pg_roles where rolname = ${GATEWAY_ROLE})
      union all
      select c.relname, lower(a.privilege_type), f.attname
      from pg_class c join pg_attribute f on f.attrelid = c.oid cross join lateral aclexplode(f.attacl) a
      where c.relnamespace = current_schema()::regnamespace and a.grantee = (select oid from pg_roles where rolname = ${GATEWAY_ROLE})
    )
    select name || ' ' || privilege || coalesce(' ' || field, '') as entry from mine
    union all
    select 'function ' || f from unnest(${texts(FUNCTIONS)}::text[]) f
    where to_regprocedure(f) is not null
      and has_function_privilege(${GATEWAY_ROLE}, to_regprocedure(f), 'execute')`);
  return rows
    .map((row) => row.entry)
    .sort()
    .join("\n");
}

function wanted(tables: readonly string[]): string {
  const entries = tables.flatMap((table) =>
    [...RIGHTS[table]!.matchAll(/(\w+)(?: \(([^)]*)\))?/g)].flatMap(([, privilege, fields]) =>
      fields === undefined
        ? [`${table} ${privilege}`]
        : fields.split(", ").map((field) => `${table} ${privilege} ${field}`),
    ),
  );
  const sequences = SEQUENCES.flatMap((name) => [`${name} usage`, `${name} select`]);
  const others = [...sequences, ...FUNCTIONS.map((name) => `function ${name}`)];
  return [...entries, ...others].sort().join("\n");
}

/** Whether this connection may do what the gateway's role must not: change the schema, or lines of the ledger. */
export async function mayTooMuch(db: Queries): Promise<boolean> {
  const { rows } = await db.query<{ much: boolean }>(sql`
    select has_schema_privilege(current_schema(), 'create')
      or coalesce(has_table_privilege(to_regclass('ledger_transfers'), 'update, delete, truncate'), false) as much`);
  return rows[0]!.much;
}

/** Lets the role log in with a password. @returns its address on the owner's server. */
export async function openRole(db: Queries, ownerUrl: string, password: string): Promise<string> {
  const { rows } = await db.query<{ text: string }>(
    sql`select format('alter role %I login password %L', ${GATEWAY_ROLE}::text, ${password}::text) as text`,
  );
  await db.query({ text: rows[0]!.text, values: [] });
  const url = new URL(ownerUrl);
  [url.username, url.password] = [GATEWAY_ROLE, password];
  return url.href;
}
