import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { freshDatabase } from "../../../test/harness/database.ts";
import { openDb } from "../../db/pool.ts";
import { sql } from "../../db/sql.ts";
import { createIds } from "../../lib/ids.ts";
import { readConfig } from "../../settings/config.ts";
import { prepareInstallation } from "./prepare.ts";

test("the house account becomes production's at the first start in production, and stays so", async () => {
  const database = await freshDatabase();
  const db = openDb({ url: database.url, max: 1, onError: () => {} });
  try {
    const key = randomBytes(32);
    const ids = createIds({ now: Date.now, random: (n) => randomBytes(n) });
    const clock = { now: Date.now, date: () => new Date() };
    const prepared = async (environment: string) => {
      const config = readConfig({ PIXGATE_ENV: environment });
      const accountId = await prepareInstallation({ config, db, ids, clock }, key, null);
      const { rows } = await db.query<{ environment: string }>(
        sql`select environment from accounts where account_id = ${accountId}`,
      );
      return rows[0]!.environment;
    };
    assert.equal(await prepared("sandbox"), "sandbox");
    assert.equal(await prepared("production"), "production");
    assert.equal(await prepared("sandbox"), "production");
  } finally {
    await db.end();
    await database.drop();
  }
});
