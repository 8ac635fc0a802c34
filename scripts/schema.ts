/**
 * Writes `gateway/src/db/schema.sql`: the schema that the migrations make, read from the catalogue of a PostgreSQL that
 * it starts. `node scripts/schema.ts`; with `--check` it writes nothing and fails when the file differs. Starting
 * PostgreSQL takes 2 to 4 s, so a test compares the file (gateway/src/db/migrate.test.ts) and not the check.
 */

import "./help.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedPostgres } from "../gateway/src/db/embedded.ts";
import { migrate } from "../gateway/src/db/migrate.ts";
import { openDb } from "../gateway/src/db/pool.ts";
import { writeGenerated } from "./generated-file.ts";
import { dumpSchema } from "./schema/dump.ts";

const HEAD = `-- What migrations/ makes, as PostgreSQL's catalogue says it, in alphabetical order. The reasons stand in migrations/.
-- Written by scripts/schema.ts; a test fails when it differs.
`;

const text = `${HEAD}\n${await dumpMigrated()}\n`;
writeGenerated("gateway/src/db/schema.sql", text, "the migrations", "node scripts/schema.ts");

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
