import { EmbeddedPostgresError } from "./error.ts";

export type LogLevel = "info" | "warn" | "error";

export type Options = {
  /**
   * Name of the application: lower-case letters, digits and `_`. The superuser and the database bear it. As root, the
   * server runs as the system's user of this name if there is one.
   */
  readonly name: string;
  /** Folder of this server, made when it is missing. */
  readonly dataDir: string;
  /** Settings of the server (`postgresql.conf`) that are added to the package's own, or replace them. */
  readonly settings?: Readonly<Record<string, string>>;
  /** What the operator can do where PostgreSQL cannot run, appended to such errors: "set DATABASE_URL to …". */
  readonly alternative?: string;
  /** Receives one line for each thing worth knowing. */
  readonly log?: (level: LogLevel, message: string, error?: unknown) => void;
};

/** The name becomes part of addresses, statements and paths without being quoted. */
export function checkName(name: string): void {
  if (/^[a-z][a-z0-9_]{0,62}$/.test(name) && !name.startsWith("pg_")) return;
  throw new EmbeddedPostgresError(
    `"${name}" cannot name a database: use up to 63 lower-case letters, digits and "_", not beginning with "pg_"`,
  );
}
