import pg from "pg";
import { settleCharge } from "../../gateway/src/charges/settle.ts";
import type { SettleCharge } from "../../gateway/src/charges/settlement.ts";
import { openDb } from "../../gateway/src/db/pool.ts";
import type { Lanes } from "../../gateway/src/ledger/lane.ts";

/** Rows that a settlement inserts, by table, and how they hang on its charge. */
const INSERTED: readonly { readonly table: string; readonly of: string }[] = [
  { table: "ledger_transfers", of: "source_id = any($2)" },
  { table: "booking_evidence", of: "source_id = any($2)" },
  { table: "received_pix", of: "charge_id = any($2)" },
  { table: "movements", of: "cause_id = any($2)" },
  { table: "events", of: "event_id = any($2::text[])" },
  { table: "deliveries", of: "event_id = any($2::text[])" },
];
/** Rows that it changes: the key, and the columns. */
const CHANGED = [
  {
    table: "charges",
    of: "charge_id = any($2)",
    key: ["account_id", "charge_id"],
    set: ["status", "customer_id", "applied_split", "fee_amount", "net_amount", "paid_at", "e2e_id", "counterpart_name", "counterpart_document", "updated_at"],
  },
  { table: "ledger_accounts", of: "$2::uuid[] is not null", key: ["account_id", "no"], set: ["balance", "seq"] },
] as const; // biome-ignore format: one list each

/** One statement that writes all rows of so many settlements, its parameters made beforehand. */
export type Recorded = { readonly text: string; readonly values: readonly unknown[]; readonly settlements: number };

/**
 * What the lane writes for these settlements of one tenant, batch by batch, as one multi-row statement each. It is
 * found out by settling them through the lane on a copy of the database, and reading the rows back.
 */
export async function record(options: {
  readonly url: string;
  readonly settlements: readonly SettleCharge[];
  readonly batch: number;
  readonly lanes: (db: ReturnType<typeof openDb>) => Lanes;
}): Promise<Recorded[]> {
  const { url, settlements, batch } = options;
  const db = openDb({ url, max: 4, onError: () => {} });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const lanes = options.lanes(db);
  const columns = await columnsOf(client);
  const recorded: Recorded[] = [];
  // The first settlement opens the tenant's ledger accounts, as the lane does before it is measured.
  for (let i = 0; i < settlements.length; i += batch) {
    const part = settlements.slice(i, i + batch);
    await Promise.all(part.map((command) => lanes.run(settleCharge, command)));
    recorded.push(await readBack(client, columns, part));
  }
  await client.end();
  await db.end();
  return recorded;
}

type Columns = ReadonlyMap<string, readonly { readonly name: string; readonly type: string }[]>;

async function columnsOf(client: pg.Client): Promise<Columns> {
  const tables = [...INSERTED, ...CHANGED].map(({ table }) => table);
  const { rows } = await client.query<{ table: string; name: string; type: string }>(
    `select c.relname as table, a.attname as name, format_type(a.atttypid, a.atttypmod) as type
     from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relname = any($1) and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped order by a.attnum`,
    [tables],
  );
  return Map.groupBy(rows, (row) => row.table);
}

async function readBack(client: pg.Client, columns: Columns, part: readonly SettleCharge[]): Promise<Recorded> {
  const values: unknown[] = [];
  const parts: string[] = [];
  const read = async (table: string, of: string, names: readonly string[]) => {
    const types = new Map(columns.get(table)!.map(({ name, type }) => [name, type]));
    const { rows } = await client.query<Record<string, string>>(
      `select ${names.map((name) => `array_agg(${name})::text as "${name}"`).join(", ")}
       from ${table} where account_id = $1 and ${of}`,
      [part[0]!.accountId, part.map((command) => command.chargeId)],
    );
    return names.map((name) => {
      values.push(rows[0]![name]);
      return `$${values.length}::${types.get(name)}[]`;
    });
  };
  for (const { table, of } of INSERTED) {
    const names = columns.get(table)!.map(({ name }) => name);
    const arrays = await read(table, of, names);
    parts.push(
      `${table}_in as (insert into ${table} (${names.join(", ")}) select * from unnest(${arrays.join(", ")}))`,
    );
  }
  for (const { table, of, key, set } of CHANGED) {
    const names = [...key, ...set];
    const arrays = await read(table, of, names);
    parts.push(`${table}_up as (update ${table} t set ${set.map((name) => `${name} = u.${name}`).join(", ")}
      from unnest(${arrays.join(", ")}) as u (${names.join(", ")})
      where ${key.map((name) => `t.${name} = u.${name}`).join(" and ")})`);
  }
  values.push(part.map((command) => command.chargeId));
  parts.push(`open_charges_out as (delete from open_charges where account_id = '${part[0]!.accountId}'
    and wallet_id = '${part[0]!.accountId}' and charge_id = any($${values.length}::uuid[]))`);
  return { text: `with ${parts.join(",\n")} select 1`, values, settlements: part.length };
}

/** Writes recorded statements one after the other, each a transaction; gives settlements a second. */
export async function writeRecorded(url: string, recorded: readonly Recorded[]): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const started = performance.now();
  let settled = 0;
  for (const { text, values, settlements } of recorded) {
    await client.query(text, values as unknown[]);
    settled += settlements;
  }
  const seconds = (performance.now() - started) / 1_000;
  await client.end();
  return settled / seconds;
}
