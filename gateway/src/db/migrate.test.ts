import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, beforeEach, describe, test } from "node:test";
import { dumpSchema } from "../../../scripts/schema/dump.ts";
import { freshDatabase } from "../../test/harness/database.ts";
import { migrate } from "./migrate.ts";
import { type Db, openDb } from "./pool.ts";
import { DatabaseRefused } from "./refused.ts";
import { sql } from "./sql.ts";

const now = () => new Date();

describe("the schema", () => {
  let db: Db;
  let drop: () => Promise<void>;
  before(async () => {
    const database = await freshDatabase();
    db = openDb({ url: database.url, max: 2, onError: () => {} });
    drop = database.drop;
  });
  after(async () => {
    await db.end();
    await drop();
  });

  test("is what schema.sql says", async () => {
    const file = readFileSync(new URL("./schema.sql", import.meta.url), "utf8");
    assert.equal(file.replace(/^--.*\n/gm, "").trim(), (await dumpSchema(db)).trim(), "run node scripts/schema.ts");
  });

  test("has nothing to apply when it is up to date", async () => {
    const { applied } = await migrate(db, now);
    assert.deepEqual(applied, []);
  });
});

describe("a database of another schema", () => {
  let db: Db;
  let drop: () => Promise<void>;
  before(async () => {
    const database = await freshDatabase();
    db = openDb({ url: database.url, max: 2, onError: () => {} });
    drop = database.drop;
  });
  after(async () => {
    await db.end();
    await drop();
  });
  beforeEach(() => db.query(sql`delete from schema_migrations where number > 1`));

  const refused = async (line: RegExp) => {
    const before = await dumpSchema(db);
    const rows = async () => (await db.query(sql`select to_jsonb(m) from schema_migrations m order by number`)).rows;
    const migrations = await rows();
    await assert.rejects(migrate(db, now), (error: Error) => {
      assert.ok(error instanceof DatabaseRefused);
      assert.match(error.message, line);
      assert.doesNotMatch(error.message, /\n/);
      return true;
    });
    assert.equal(await dumpSchema(db), before, "nothing has changed");
    assert.deepEqual(await rows(), migrations);
  };

  test("that is newer is refused", async () => {
    await db.query(sql`insert into schema_migrations values (9999, 'later', '', ${now()})`);
    await refused(/has schema 9999, this program knows up to \d+: run the newer Pixgate/);
  });

  test("that an edited migration made is refused", async () => {
    await db.query(sql`update schema_migrations set fingerprint = 'another' where number = 1`);
    await refused(/made by another 0001_schema\.sql/);
  });

  test("that is older than the first release is refused", async () => {
    await db.query(sql`alter table schema_migrations drop column fingerprint`);
    await db.query(sql`update schema_migrations set name = '0001_foundation.sql'`);
    await db.query(sql`insert into schema_migrations values (19, '0019_delivery_queue.sql', ${now()})`);
    await refused(/made by another 0001_foundation\.sql, from before the first release/);
  });
});
