import type { Queries, Tx } from "../../db/pool.ts";
import { sql } from "../../db/sql.ts";

/**
 * What distinguishes this database from a copy of it. A restored backup has another id of the database or of its tables; on
 * another server also another system identifier; a replica that took over, or a server that was set back in time, has
 * another timeline. Null: the gateway's role may not read it.
 */
export type Identity = {
  readonly systemId: string | null;
  readonly timeline: number | null;
  readonly database: number;
  readonly table: number;
};

/** An identity that an operator, or the first start, has declared to be the live database. */
export type Epoch = { readonly epoch: number; readonly identity: Identity };

const IDENTITY = "identity ";
const EXPECTED = "failover expected ";

/**
 * Errors of values that are not permitted or not available: managed servers hide some. Anything else is an error of the
 * connection.
 */
const HIDDEN = new Set(["42501", "42883", "0A000", "55000"]);

async function unlessHidden<T>(read: Promise<{ readonly rows: readonly { readonly value: T }[] }>): Promise<T | null> {
  try {
    return (await read).rows[0]?.value ?? null;
  } catch (error) {
    if (HIDDEN.has((error as { code?: string }).code ?? "")) return null;
    throw error;
  }
}

/** Reads the database's present identity. Not in a transaction, which a hidden value would end. */
export async function readIdentity(db: Queries): Promise<Identity> {
  const { rows } = await db.query<{ database: number; table: number }>(sql`
    select (select oid from pg_database where datname = current_database())::bigint as database,
      'settings'::regclass::oid::bigint as table`);
  const systemId = await unlessHidden(
    db.query<{ value: string }>(sql`select system_identifier::text as value from pg_control_system()`),
  );
  // From the segment that is being written: the control file names a new timeline only after its first checkpoint.
  const timeline = await unlessHidden(
    db.query<{ value: number }>(sql`
      select ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::int as value`),
  );
  return { systemId, timeline, ...rows[0]! };
}

/** The newest epoch; null: this database was never started on. */
export async function readEpoch(queries: Queries): Promise<Epoch | null> {
  const { rows } = await queries.query<{ name: string; value: string }>(sql`
    select name, value from settings where starts_with(name, ${IDENTITY}) order by name desc limit 1`);
  if (!rows[0]) return null;
  return { epoch: Number(rows[0].name.slice(IDENTITY.length)), identity: JSON.parse(rows[0].value) as Identity };
}

/** Declares an identity to be the live database. */
export const writeEpoch = (tx: Tx, { epoch, identity }: Epoch): Promise<unknown> =>
  tx.query(sql`
    insert into settings (name, value) values (${IDENTITY + String(epoch).padStart(9, "0")}, ${JSON.stringify(identity)})`);

/** Announces that a replica will take over: until then another timeline of this database is not a restore. */
export const expectFailover = (tx: Tx, until: Date): Promise<unknown> =>
  tx.query(sql`
    insert into settings (name, value) values (${EXPECTED + until.toISOString()}, 'announced') on conflict do nothing`);

/** Until when a failover is expected; null: none is. */
export async function readExpected(queries: Queries, now: Date): Promise<Date | null> {
  const { rows } = await queries.query<{ until: string }>(sql`
    select substr(name, ${EXPECTED.length + 1}) as until from settings where starts_with(name, ${EXPECTED})
    order by name desc limit 1`);
  const until = rows[0] && new Date(rows[0].until);
  return until && until > now ? until : null;
}

const NAMES = ["systemId", "timeline", "database", "table"] as const;

/**
 * The differences, one word each; empty: it is the same database. A value that could not be read, now or then, does not
 * count.
 */
export const differences = (stored: Identity, current: Identity): (keyof Identity)[] =>
  NAMES.filter((name) => stored[name] !== null && current[name] !== null && stored[name] !== current[name]);

/** Whether the gateway's role can now read more of the identity than before. */
export const isLearnt = (stored: Identity, current: Identity): boolean =>
  NAMES.some((name) => stored[name] === null && current[name] !== null);
