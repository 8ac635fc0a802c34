import pg from "pg";
import { CODE, institutionId as OF_BENCHMARKS, type Payee } from "./tenants.ts";

/** Tables that hold history. */
const TABLES = [
  "charges",
  "ledger_transfers",
  "booking_evidence",
  "received_pix",
  "events",
  "deliveries",
  "delivery_attempts",
];
/** Between two charges, milliseconds; the newest is a minute old. */
const STEP = 1_000;
const AMOUNT = 10_000;
const FEE = 149;

/** A settled charge of history has two transfers, so four ledger lines. */
export const LINES = 4;

type Past = {
  readonly payee: Pick<Payee, "accountId" | "walletId">;
  readonly charges: number;
  /** Got the event of each, with a delivery and its attempt; null: nobody was notified. */
  readonly endpointId: string | null;
  /** Where the charges were paid; left out: at the institution of all benchmarks, which nobody queries. */
  readonly institutionId?: string;
};

/**
 * Writes settled charges with all their rows into wallets that have none yet: by the database itself, without indexes
 * and without waiting for the disk, or ten million lines would take an hour.
 */
export async function writeHistory(url: string, pasts: readonly Past[]): Promise<void> {
  await writeInBulk(url, TABLES, async (client) => {
    for (const past of pasts) await write(client, past);
  });
}

/** Runs `work` on tables without indexes, which are made anew when the rows are there: that is several times faster. */
export async function writeInBulk(
  url: string,
  tables: readonly string[],
  work: (client: pg.Client) => Promise<unknown>,
): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("set synchronous_commit = off; set maintenance_work_mem = '512MB'; set work_mem = '64MB'");
    const rebuild = await dropIndexes(client, tables);
    await work(client);
    for (const statement of rebuild) await client.query(statement);
    await client.query(`vacuum (analyze) ${tables.join(", ")}, ledger_accounts, webhook_endpoints`);
    await client.query("checkpoint");
  } finally {
    // A connection left open would be cut when the database is dropped, and that error would hide the one that came before.
    await client.end();
  }
}

/** The id of the i-th charge: a UUIDv7 of its time. The same in SQL below. */
export function historyId(base: number, i: number): string {
  const hex = [(base + i * STEP).toString(16).padStart(12, "0"), "7000", "8", i.toString(16).padStart(15, "0")].join(
    "",
  );
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** When the first of so many charges was made, milliseconds. */
export const historyBase = (charges: number, now = HISTORY_END): number => now - charges * STEP;
const HISTORY_END = Math.floor(Date.now() / STEP) * STEP - 60_000;

/** Drops the tables' indexes and the foreign keys that need them; the statements that make them anew, in their order. */
async function dropIndexes(client: pg.Client, tables: readonly string[]): Promise<string[]> {
  const references = await client.query<{ table: string; constraint: string; says: string }>(
    `select conrelid::regclass::text as table, conname as constraint, pg_get_constraintdef(oid) as says
     from pg_constraint where contype = 'f' and confrelid = any($1::regclass[])`,
    [tables],
  );
  for (const { table, constraint } of references.rows) {
    await client.query(`alter table ${table} drop constraint ${constraint}`);
  }
  const { rows } = await client.query<{
    table: string;
    index: string;
    definition: string;
    constraint: string | null;
    says: string | null;
  }>(
    `select x.indrelid::regclass::text as table, x.indexrelid::regclass::text as index, pg_get_indexdef(x.indexrelid) as definition,
       c.conname as constraint, pg_get_constraintdef(c.oid) as says
     from pg_index x left join pg_constraint c on c.conindid = x.indexrelid
     where x.indrelid = any($1::regclass[])`,
    [tables],
  );
  for (const { table, index, constraint } of rows) {
    await client.query(constraint ? `alter table ${table} drop constraint ${constraint}` : `drop index ${index}`);
  }
  const add = (table: string, constraint: string, says: string | null) =>
    `alter table ${table} add constraint ${constraint} ${says}`;
  return [
    ...rows.map(({ table, definition, constraint, says }) => (constraint ? add(table, constraint, says) : definition)),
    ...references.rows.map(({ table, constraint, says }) => add(table, constraint, says)),
  ];
}

async function write(
  client: pg.Client,
  { payee, charges, endpointId, institutionId = OF_BENCHMARKS }: Past,
): Promise<void> {
  const { accountId, walletId } = payee;
  const base = historyBase(charges);
  const id = `(lpad(to_hex(${base} + i * ${STEP}::bigint), 12, '0') || '70008' || lpad(to_hex(i), 15, '0'))::uuid`;
  const other = (mark: string) =>
    `(lpad(to_hex(${base} + i * ${STEP}::bigint), 12, '0') || '7${mark}8' || lpad(to_hex(i), 15, '0'))::uuid`;
  const at = `to_timestamp((${base} + i * ${STEP}::bigint) / 1000.0)`;
  // An end-to-end id is one receipt at an institution (invariant U4), so it names the account too.
  const e2e = `'E${accountId.slice(-11)}' || lpad(i::text, 20, '0')`;
  const each = `from generate_series(1, ${charges}) i`;
  const account = `'${accountId}'::uuid`;
  const run = (text: string) => client.query(text);
  await run(`insert into charges (account_id, charge_id, wallet_id, status, amount, description, external_reference, institution_id,
      txid, expires_in, expires_at, pix_copy_paste, fee_amount, net_amount, paid_at, e2e_id, counterpart_name,
      counterpart_document, created_at, updated_at)
    select ${account}, ${id}, '${walletId}', 'completed', ${AMOUNT}, 'Pedido ' || i, 'pedido-' || i, '${institutionId}',
      lpad(to_hex(i), 32, '0'), 86400, ${at} + interval '1 day', '${CODE}', ${FEE}, ${AMOUNT - FEE}, ${at}, ${e2e}, 'Maria Teste',
      '12345678909', ${at}, ${at} ${each}`);
  const { rows } = await client.query<{ no: number }>(
    "select coalesce(max(no), 0) as no from ledger_accounts where account_id = $1",
    [accountId],
  );
  const [psp, available, fees] = [rows[0]!.no + 1, rows[0]!.no + 2, rows[0]!.no + 3];
  await run(`insert into ledger_transfers (account_id, kind, source_id, leg, amount, from_no, from_seq, from_balance, to_no, to_seq,
      to_balance, occurred_at, booked_at)
    select ${account}, t.kind, ${id}, 0, t.amount,
      case t.leg when 0 then ${psp} else ${available} end, case t.leg when 0 then i else 2 * i end,
      case t.leg when 0 then -${AMOUNT}::bigint * i else ${AMOUNT - FEE}::bigint * i end,
      case t.leg when 0 then ${available} else ${fees} end, case t.leg when 0 then 2 * i - 1 else i end,
      case t.leg when 0 then ${AMOUNT - FEE}::bigint * (i - 1) + ${AMOUNT} else ${FEE}::bigint * i end, ${at}, ${at}
    ${each}, (values (0, 'charge_paid', ${AMOUNT}), (1, 'charge_fee', ${FEE})) as t (leg, kind, amount)`);
  await run(`insert into booking_evidence (account_id, source_id, leg, kind, origin, institution_id, about, body, booked_at)
    select ${account}, ${id}, 0, 'charge_paid', 'answer', '${institutionId}', ${e2e}, '{"endToEndId":"' || ${e2e} || '"}', ${at} ${each}`);
  await run(`insert into ledger_accounts (account_id, no, kind, owner_id, balance, seq) values
    (${account}, ${psp}, 'psp', '${institutionId}', ${-AMOUNT * charges}, ${charges}),
    (${account}, ${available}, 'available', '${walletId}', ${(AMOUNT - FEE) * charges}, ${2 * charges}),
    (${account}, ${fees}, 'fees', null, ${FEE * charges}, ${charges})`);
  await run(`insert into received_pix (account_id, e2e_id, pix_id, institution_id, charge_id, wallet_id, amount, outcome, payer_name,
      payer_document, paid_at, received_at)
    select ${account}, ${e2e}, ${other("001")}, '${institutionId}', ${id}, '${walletId}', ${AMOUNT}, 'credited', 'Maria Teste',
      '12345678909', ${at}, ${at} ${each}`);
  await run(`insert into events (account_id, event_id, wallet_id, kind, body, created_at)
    select ${account}, ${id}::text, '${walletId}', 'payment_completed', '{"event":"payment_completed"}', ${at} ${each}`);
  if (endpointId === null) return;
  await run(`insert into deliveries (account_id, delivery_id, event_id, endpoint_id, status, attempts, tries, created_at, finished_at)
    select ${account}, ${other("002")}, ${id}::text, '${endpointId}', 'delivered', 1, 1, ${at}, ${at} ${each}`);
  await run(`insert into delivery_attempts (account_id, delivery_id, attempt, webhook_id, started_at, latency_ms, status_code)
    select ${account}, ${other("002")}, 1, ${other("003")}, ${at}, 5, 204 ${each}`);
}
