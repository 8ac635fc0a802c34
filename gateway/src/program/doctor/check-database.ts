import { createClockCheck } from "../../db/clock-check.ts";
import { readSetting } from "../../db/installation-settings.ts";
import { checkSchema, checkServer } from "../../db/migrate.ts";
import { openDb, type Queries } from "../../db/pool.ts";
import { checkPooler } from "../../db/pooler.ts";
import { DatabaseRefused } from "../../db/refused.ts";
import { sql } from "../../db/sql.ts";
import type { Clock } from "../../lib/clock.ts";
import { LIMITS } from "../../lib/limits.ts";
import type { Config } from "../../settings/config.ts";
import { isKeyOf, keyFile, readKeyFile } from "../installation/master-key.ts";
import { checkProductionData, checkProductionRole } from "../installation/production.ts";
import { type Check, ok, warning, wrong } from "./check.ts";
import { checkCluster } from "./check-cluster.ts";

type Parts = {
  readonly config: Config;
  readonly url: string;
  readonly clock: Clock;
  /** The meaning of a connection's error; null: it is not the database's. */
  readonly explain: (error: unknown) => string | null;
};

/** Checks the database of DATABASE_URL: what a start would refuse, and what it would not notice. Writes nothing. */
export async function checkDatabase({ config, url, clock, explain }: Parts): Promise<Check[]> {
  const db = openDb({ url, max: 1, onError: () => {} });
  const checks: Check[] = [];
  /** `good`: what a check says that finds nothing; null: it does not apply. */
  const check = async (name: string, good: string | null, work: () => Promise<Check | null>) => {
    try {
      const found = (await work()) ?? (good === null ? null : ok(name, good));
      if (found !== null) checks.push(found);
    } catch (error) {
      const reason = error instanceof DatabaseRefused ? error.message : explain(error);
      if (reason === null) throw error;
      checks.push(wrong(name, reason));
    }
  };
  try {
    const server = await db
      .query<{ version: string }>(sql`select current_setting('server_version') as version`)
      .catch((error: unknown) => {
        const reason = explain(error);
        if (reason === null) throw error;
        return reason;
      });
    if (typeof server === "string") return [wrong("database", `DATABASE_URL cannot be worked with: ${server}`)];
    const { version } = server.rows[0]!;
    await check("database", `PostgreSQL ${version}`, async () => {
      let risk: string | null = null;
      await checkServer(db, (message) => {
        risk = message;
      });
      return risk === null ? null : warning("database", risk);
    });
    await check("clock", null, () => checkClock(db, clock));
    await check("pooler", "each connection has a server's process of its own", () => passed(checkPooler(db, url)));
    await check("connections", null, () => checkConnections(db));
    await check("role", "it may do what the gateway does", () => passed(checkProductionRole(config, db)));
    await check("schema", "it is this version's", () => passed(checkSchema(db)));
    if (checks.some(({ name, state }) => name === "schema" && state === "wrong")) return checks;
    await check("cluster", null, () => checkCluster(db, explain));
    await check("data", "they fit the environment", () => passed(checkProductionData(config, db)));
    await check("master key", null, () => checkKey(db, config));
    return checks;
  } finally {
    await db.end();
  }
}

const passed = (check: Promise<void>): Promise<null> => check.then(() => null);

async function checkClock(db: Queries, clock: Clock): Promise<Check> {
  const log = { info: () => {}, error: () => {} };
  const check = createClockCheck({ db, clock, log, metrics: { gauge: () => {} }, steady: () => performance.now() });
  await check.compare();
  const apart = Math.round(Math.abs(check.offset) / 1_000);
  return check.isRight()
    ? ok("clock", "it agrees with the database's")
    : wrong("clock", `it is ${apart} s from the database's: the gateway serves nobody until they agree (NTP)`);
}

/** Most connections of the processes: one that answers, a worker, and one more while one of them is replaced. */
const CONNECTIONS_WANTED =
  3 * (LIMITS.dbConnections + LIMITS.dbHistoryConnections + LIMITS.dbWholeConnections + /* readiness */ 1);

async function checkConnections(db: Queries): Promise<Check> {
  const { rows } = await db.query<{ most: number }>(sql`select current_setting('max_connections')::int as most`);
  const { most } = rows[0]!;
  return most < CONNECTIONS_WANTED
    ? warning("connections", `max_connections is ${most}: three processes take up to ${CONNECTIONS_WANTED}`)
    : ok("connections", `max_connections is ${most}`);
}

async function checkKey(db: Queries, config: Config): Promise<Check> {
  const known = await readSetting(db, "key_fingerprint");
  if (known === null) return ok("master key", "the first start binds the database to it");
  const master = readKey(config);
  if (typeof master === "string") return wrong("master key", master);
  return isKeyOf(known, master, config.otherSecretKey)
    ? ok("master key", "it is the database's")
    : wrong("master key", "this database was set up with another one: nothing in it could be opened");
}

/** The master key, or why it cannot be read. */
function readKey(config: Config): Buffer | string {
  try {
    return config.secretKey ?? readKeyFile(config);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return "PIXGATE_SECRET_KEY is not set, and the data directory has no secret.key";
    return code === undefined ? message : `${keyFile(config)} cannot be read (${code}): it is another user's`;
  }
}
