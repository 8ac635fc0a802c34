/** A database, or a role, whose settings others have chosen: whatever we rely on is set for each connection. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import pino from "pino";
import { PINNED } from "../../src/db/settings.ts";
import { sql } from "../../src/db/sql.ts";
import { type Running, serve } from "../../src/program/serve.ts";
import { readConfig } from "../../src/settings/config.ts";
import { pay } from "../contract/payments.ts";
import { Client } from "../harness/client.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { pgBouncerVersion, startPgBouncer } from "../harness/pgbouncer.ts";

/** The worst that somebody may have set, each on the database or on our role in it. */
const WORST: Readonly<Record<string, string>> = {
  datestyle: "SQL, DMY", intervalstyle: "sql_standard", bytea_output: "escape", extra_float_digits: "-15", timezone: "Asia/Kathmandu",
  search_path: "nowhere", standard_conforming_strings: "off", backslash_quote: "on", array_nulls: "off", transform_null_equals: "on",
  synchronous_commit: "off", default_transaction_isolation: "serializable", default_transaction_read_only: "on",
  default_transaction_deferrable: "on", statement_timeout: "250ms", lock_timeout: "250ms", idle_in_transaction_session_timeout: "250ms",
  idle_session_timeout: "250ms", quote_all_identifiers: "on", client_encoding: "LATIN1", lc_monetary: "POSIX", lc_numeric: "POSIX",
  lc_time: "POSIX", default_tablespace: "nowhere", row_security: "off", transaction_timeout: "250ms",
}; // biome-ignore format: a list

const hasPgBouncer = pgBouncerVersion() !== null;

describe("A gateway on a database with settings of others", () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway({ PIXGATE_ROLE: "api" });
  });
  after(() => gateway.end());

  test("has the worst of each setting that it pins tried here", () => {
    const pinned = [...PINNED.matchAll(/\('(\w+)', /g)].map(([, name]) => name!);
    assert.deepEqual(Object.keys(WORST).sort(), pinned.sort());
  });

  for (const [place, how, skip] of [
    ["database", "", false],
    ["role", "", false],
    ["role", ", through a pooler", hasPgBouncer ? false : "needs the program pgbouncer"],
  ] as const)
    test(`takes payments and reads them back as ever, whatever the ${place} has${how}`, {
      timeout: 120_000,
      skip,
    }, async () => {
      const { db } = gateway.running.ctx;
      const { rows } = await db.query<{ role: string; name: string }>(
        sql`select quote_ident(current_user) as role, quote_ident(current_database()) as name`,
      );
      const { role, name } = rows[0]!;
      const whose = place === "database" ? `database ${name}` : `role ${role} in database ${name}`;
      const by = place === "database" ? gateway.owner : db;
      for (const { name: setting } of (
        await by.query<{ name: string }>(sql`
          select lower(name) as name from pg_settings where lower(name) = any(${Object.keys(WORST)})`)
      ).rows)
        await by.query({ text: `alter ${whose} set ${setting} = '${WORST[setting]}'`, values: [] });
      const pooler = how === "" ? null : await startPgBouncer(gateway.databaseUrl, "session");
      let other: Running | null = null;
      try {
        other = await serve(
          readConfig({
            ...{ PIXGATE_PORT: "0", PIXGATE_SIMULATOR_PORT: "off", PIXGATE_DATA_DIR: gateway.dataDir },
            DATABASE_URL: pooler?.through(gateway.databaseUrl) ?? gateway.databaseUrl,
          }),
          pino({ level: "silent" }),
        );
        const { clientId, clientSecret } = gateway.sandbox;
        const client = await new Client(new URL("/v2", other.url).href).login(clientId, clientSecret);
        const before = Date.now();
        const paid = await pay(client, 12.34, { description: "back\\slash 'quote' – São Paulo", metadata: { n: 0.1 } });
        const read = await client.get<{ createdAt: string; description: string; amount: number }>(
          `/transactions/${paid.id}`,
        );
        assert.equal(read.status, 200, read.text);
        assert.ok(Date.parse(read.body.createdAt) >= before - 60_000, read.body.createdAt);
        assert.deepEqual([read.body.amount, read.body.description], [12.34, "back\\slash 'quote' – São Paulo"]);
        const statement = await client.get<{ items: { bookedAt: string }[] }>("/statement?from=2020-01-01");
        assert.ok(
          statement.body.items.every(({ bookedAt }) => Date.parse(bookedAt) >= before - 60_000),
          statement.text,
        );
        // Longer than the database lets a statement take.
        await other.ctx.db.query(sql`select pg_sleep(0.4)`);
        const { rows: set } = await other.ctx.db.query<{ name: string; value: string }>(
          sql`select lower(name) as name, setting as value from pg_settings where lower(name) = any(${Object.keys(WORST)})`,
        );
        for (const { name: setting, value } of set) assert.notEqual(value, WORST[setting], setting);
      } finally {
        await other?.stop();
        await pooler?.stop();
        await gateway.owner.query({ text: `alter ${whose} reset all`, values: [] });
      }
    });
});
