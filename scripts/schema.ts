/**
 * Writes `gateway/src/db/schema.sql`: the schema that the migrations make, read from the catalogue of a PostgreSQL that
 * it starts. `node scripts/schema.ts`; with `--check` it writes nothing and fails when the file differs. Starting
 * PostgreSQL takes 2 to 4 s, so a test compares the file (gateway/src/db/migrate.test.ts) and not the check.
 */

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedPostgres } from "../gateway/src/db/embedded.ts";
import { migrate } from "../gateway/src/db/migrate.ts";
import { openDb } from "../gateway/src/db/pool.ts";
import { dumpSchema } from "./schema/dump.ts";

const HEAD = `-- What migrations/ makes, as PostgreSQL's catalogue says it, in alphabetical order. The reasons stand in migrations/.
-- Written by scripts/schema.ts; a test fails when it differs.
`;

const file = new URL("../gateway/src/db/schema.sql", import.meta.url);
const text = `${HEAD}\n${await dumpMigrated()}\n`;
const before = existsSync(file) ? readFileSync(file, "utf8") : "";

if (!process.argv.includes("--check")) {
  writeFileSync(file, text);
} else if (before !== text) {
  const [is, be] = [before.split("\n"), text.split("\n")];
  const line = be.findIndex((content, i) => content !== is[i]);
  console.error(`gateway/src/db/schema.sql:${line + 1} is not what the migrations make:`);
  console.error(`  file:       ${is[line]?.trim() ?? "(nothing)"}\n  migrations: ${be[line]?.trim() ?? "(nothing)"}`);
  process.exitCode = 1;
}

async function dumpMigrated(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "pixgate-schema-"));
  try {
    const server = await startEmbeddedPostgres({ dataDir: join(folder, "postgres"), log: () => {} });
    const db = openDb({ url: server.url, max: 1, onError: () => {} });
    try {
      await migrate(db, () => new Date());
      return await dumpSchema(db);
    } finally {
      await db.end();
      await server.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
