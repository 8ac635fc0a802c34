/** The embedded PostgreSQL of the data directory: @pixgate/embedded-postgres with the gateway's names. */

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import {
  type EmbeddedPostgres,
  EmbeddedPostgresError,
  type OwnOptions,
  ownEmbeddedPostgres,
  startEmbeddedPostgres as startPostgres,
} from "@pixgate/embedded-postgres";
import { ConfigError } from "../lib/config-error.ts";
import { checkServer, migrate } from "./migrate.ts";
import { openDb } from "./pool.ts";
import { openRole } from "./rights.ts";

export type { EmbeddedPostgres };

const PIXGATE = { name: "pixgate", alternative: "set DATABASE_URL to a PostgreSQL of yours" };

/**
 * Starts a PostgreSQL in a folder, or attaches to one that runs, without owning it. Its `url` is that of the server's
 * owner.
 */
export const startEmbeddedPostgres = (options: Omit<OwnOptions, keyof typeof PIXGATE | "onLost">) =>
  startPostgres({ ...PIXGATE, ...options });

type OwnDatabase = {
  /** Address for the gateway's role. */
  readonly url: string;
  close(): Promise<void>;
};

type OwnDatabaseOptions = {
  /** The gateway's data directory, which contains PostgreSQL's folder. */
  readonly dataDir: string;
  readonly now: () => Date;
  readonly log: NonNullable<OwnOptions["log"]>;
  /** Called when the server is lost for good. The process should end then. */
  readonly onLost: (message: string) => void;
};

/**
 * Starts the PostgreSQL of the data directory as its only owner and brings the schema up to date. As in production, the
 * gateway uses the role with fewer rights. Throws `ConfigError` when another gateway owns the folder.
 */
export async function openOwnDatabase({ dataDir, now, log, onLost }: OwnDatabaseOptions): Promise<OwnDatabase> {
  const owned = `another Pixgate runs on the data directory ${dataDir}`;
  const server = await ownEmbeddedPostgres({
    ...PIXGATE,
    dataDir: join(dataDir, "postgres"),
    log,
    onLost: ({ reason, message }) => onLost(reason === "owned" ? owned : `${message}; start Pixgate again`),
  }).catch((error) => {
    throw error instanceof EmbeddedPostgresError && error.reason === "owned" ? new ConfigError(owned) : error;
  });
  try {
    return { url: await enterAsGateway(server.url, now), close: () => server.close() };
  } catch (error) {
    await server.close();
    throw error;
  }
}

/** Brings the schema up to date as the owner, and returns the address for the gateway's role, with a new password. */
async function enterAsGateway(ownerUrl: string, now: () => Date): Promise<string> {
  const db = openDb({ url: ownerUrl, max: 1, onError: () => {} });
  try {
    await checkServer(db, () => {});
    await migrate(db, now);
    return await openRole(db, ownerUrl, randomBytes(32).toString("hex"));
  } finally {
    await db.end();
  }
}
