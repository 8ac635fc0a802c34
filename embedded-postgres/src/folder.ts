import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { withUmask } from "./files.ts";

/** The files of one PostgreSQL: the cluster, which belongs to the server's user, and beside it what only we read. */
export type Folder = {
  /** Name of the application: superuser and database. */
  readonly name: string;
  readonly root: string;
  readonly data: string;
  readonly log: string;
  /** The superuser's password: made once, mode 0600, never on a command line. */
  readonly password: string;
};

export const folderAt = (root: string, name: string): Folder => ({
  name,
  root,
  data: join(root, "data"),
  log: join(root, "postgres.log"),
  password: join(root, "password"),
});

/** Makes the root folder, closed to everybody else. */
export function makeRoot(folder: Folder): void {
  withUmask(0o077, () => mkdirSync(folder.root, { recursive: true }));
}
