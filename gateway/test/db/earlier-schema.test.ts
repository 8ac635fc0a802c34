/** Commands on a database that another version has made: each says so in one line, and changes nothing. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { sql } from "../../src/db/sql.ts";
import { ownDatabase } from "../harness/own-database.ts";

const BIN = fileURLToPath(new URL("../../bin/pixgate.mjs", import.meta.url));
const key = (byte: number): string => Buffer.alloc(32, byte).toString("base64");
const KEYS = { PIXGATE_SECRET_KEY: key(1), PIXGATE_SECRET_KEY_OTHER: key(2) };
const COMMANDS = [
  ["verify"],
  ["master-key", "rotate"],
  ["tokens", "create", "--name", "me", "--role", "admin", "--on-this-machine"],
  ["people", "invite", "--email", "ana@pixgate.test", "--role", "admin", "--on-this-machine"],
  ["migrate"],
] as const;

const database = ownDatabase();

test("an earlier schema, which has every table and not every column, is named by each command, and stays as it is", async () => {
  await database.db.query(sql`update schema_migrations set fingerprint = 'earlier'`);
  await database.db.query(sql`alter table ledger_lines rename column booked_at to written_at`);
  const columns = async () =>
    (
      await database.db.query(sql`
        select table_name, column_name from information_schema.columns where table_schema = current_schema() order by 1, 2`)
    ).rows;
  const before = await columns();
  for (const args of COMMANDS) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], {
      env: { PATH: process.env.PATH, DATABASE_URL: database.url, PIXGATE_PUBLIC_URL: "https://pix.test", ...KEYS },
      encoding: "utf8",
    });
    assert.deepEqual([status, stdout], [1, ""], `${args.join(" ")}: ${stderr}`);
    assert.match(
      stderr,
      /^pixgate: the database was made by another 0001_\S+, .* use an empty database .*\n$/,
      args.join(" "),
    );
  }
  assert.deepEqual(await columns(), before);
});
