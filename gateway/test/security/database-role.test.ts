/** What the gateway's role may do in the database: what it needs, and nothing to what has been written for good. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { verifyBooks } from "../../src/auditor/verify-books.ts";
import { texts } from "../../src/db/arrays.ts";
import { migrate } from "../../src/db/migrate.ts";
import { type Db, openDb } from "../../src/db/pool.ts";
import { GATEWAY_ROLE, grantRights, mayTooMuch, RIGHTS } from "../../src/db/rights.ts";
import { sql } from "../../src/db/sql.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

const LOCK = 7;

describe("the gateway's role", () => {
  let gateway: TestGateway;
  /** As the gateway is connected. */
  let role: Db;
  before(async () => {
    gateway = await startGateway();
    role = openDb({ url: gateway.databaseUrl, max: 1, onError: () => {} });
    const { body } = await gateway.merchant.post<{ id: string }>("/pix", { amount: 10, description: "d" });
    assert.equal((await gateway.merchant.post(`/sandbox/pix/${body.id}/pay`)).status, 200);
    assert.equal((await gateway.operator.post("/accounts", { name: "Audited" })).status, 201);
  });
  after(async () => {
    await role.end();
    await gateway.end();
  });

  const run = (text: string) => role.query({ text, values: [] });
  const refused = async (text: string) => {
    await assert.rejects(run(text), (error: { code?: string }) => error.code === "42501", text);
  };
  const count = async (table: string) =>
    (await gateway.owner.query<{ n: number }>({ text: `select count(*) as n from ${table}`, values: [] })).rows[0]!.n;

  test("is that of every gateway of the tests, so that its rights suffice", async () => {
    const { rows } = await gateway.running.ctx.db.query(sql`select current_user as name`);
    assert.deepEqual(rows, [{ name: GATEWAY_ROLE }]);
    assert.equal(await mayTooMuch(role), false);
    assert.equal(await mayTooMuch(gateway.owner), true);
  });

  test("cannot change or delete lines of the ledger, events, audit entries and whatever else is written once", async () => {
    const tables = ["ledger_transfers", "movements", "events", "audit_log", "psp_returns", "withdrawal_returns"];
    for (const table of tables) {
      const before = await count(table);
      await refused(`update ${table} set account_id = account_id`);
      await refused(`delete from ${table}`);
      await refused(`truncate ${table}`);
      assert.equal(await count(table), before);
    }
    for (const table of ["ledger_transfers", "events", "audit_log"]) assert.ok((await count(table)) > 0, table);
    await refused("update ledger_transfers set amount = amount + 1");
    await refused("update events set body = '{}'");
    await refused("update audit_log set actor = 'somebody else'");
    // Of other rows only what may change.
    await refused("update received_pix set amount = 1");
    await refused("update movements set amount = 1");
    await refused("update ledger_accounts set kind = 'fees'");
    await refused("update delivery_attempts set status_code = 200");
    await refused("update settings set value = 'another key'");
  });

  test("deletes nothing but stored answers, used challenges and counted guesses, the schedule of charges that have ended, invoices and notes that a merchant takes away and what is kept for some days", async () => {
    const { rows } = await role.query<{ name: string; may: boolean }>(sql`
      select name, has_table_privilege(name, 'delete, truncate') as may from unnest(${texts(Object.keys(RIGHTS))}::text[]) name`);
    const may = rows.filter((row) => row.may).map((row) => row.name);
    assert.deepEqual(may, [
      "balance_block_files",
      "open_charges",
      "invoices",
      "charge_notes",
      "idempotency_keys",
      "moved_alone",
      "used_challenges",
      "sign_in_guesses",
      "sessions",
      "sign_in_links",
      "notices",
      "jobs",
      "inbox",
      "deliveries",
      "delivery_attempts",
      "balance_checks",
      "institution_health",
      "console_files",
      "api_requests",
    ]);
    await run("delete from idempotency_keys where false");
  });

  test("cannot change the schema, switch checks off, take other roles or read files", async () => {
    for (const text of [
      "create table mine (id int)",
      "create function mine() returns int language sql as 'select 1'",
      "create schema mine",
      "create index mine on charges (amount)",
      "create or replace view ledger_lines as select * from ledger_transfers",
      "alter table charges add column mine int",
      "alter table ledger_transfers disable trigger all",
      "alter table ledger_transfers drop constraint ledger_transfers_pkey",
      "drop table events",
      "set session_replication_role = replica",
      "create role mine",
      "copy settings to program 'cat'",
      "copy settings from '/etc/passwd'",
      "select pg_read_file('/etc/passwd')",
    ]) {
      await assert.rejects(run(text), (error: { code?: string }) => ["42501", "42809"].includes(error.code!), text);
    }
    // A grant without the right to make it is only warned of.
    await run("grant update on ledger_transfers to public");
    await refused("update ledger_transfers set amount = amount + 1");
    const { rows: owners } = await gateway.owner.query<{ name: string }>(sql`select current_user as name`);
    await refused(`set role ${owners[0]!.name}`);
    const { rows } = await role.query<{ super: boolean; may: boolean }>(sql`
      select rolsuper as super, rolcreaterole or rolcreatedb or rolreplication or rolbypassrls as may
      from pg_roles where rolname = current_user`);
    assert.deepEqual(rows, [{ super: false, may: false }]);
  });

  test("erases what an event reported, and can give it nothing else to report", async () => {
    const { rows } = await role.query<{ account_id: string; event_id: string }>(
      sql`select account_id, event_id from events limit 1`,
    );
    const { account_id: account, event_id: id } = rows[0]!;
    const erase = () =>
      role.query<{ id: string }>(sql`select erase_events(${account}, ${texts([id])}::text[], ${new Date()}) as id`);
    assert.deepEqual((await erase()).rows, [{ id }]);
    assert.deepEqual((await erase()).rows, [], "once");
    const { rows: erased } = await role.query<{ body: string }>(sql`
      select body from events where account_id = ${account} and event_id = ${id} and erased_at is not null`);
    const body = JSON.parse(erased[0]!.body) as Record<string, unknown>;
    assert.deepEqual(Object.keys(body), ["event", "eventId", "timestamp", "subAccount", "data"]);
    assert.deepEqual([body.eventId, body.data], [id, { erased: true }]);
  });

  test("has a line in the list for every table and view, so that none is forgotten and none is open by accident", async () => {
    const { rows } = await gateway.owner.query<{ name: string }>(sql`
      select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v')`);
    assert.deepEqual(rows.map((row) => row.name).sort(), Object.keys(RIGHTS).sort());
  });

  test("gets exactly the rights of the list back, whatever was granted meanwhile", async () => {
    assert.equal(await grantRights(gateway.owner, LOCK), "unchanged");
    for (const text of [`grant delete on events to ${GATEWAY_ROLE}`, `revoke select on audits from ${GATEWAY_ROLE}`]) {
      await gateway.owner.query({ text, values: [] });
      assert.equal(await grantRights(gateway.owner, LOCK), "granted", text);
      assert.equal(await grantRights(gateway.owner, LOCK), "unchanged", text);
    }
    await refused("delete from events");
    await run("select from audits");
  });

  test("starts on a schema that is up to date, and says who must migrate one that is not", async () => {
    assert.deepEqual(await migrate(role, () => new Date()), { applied: [], role: null, spread: null });
    const { rows } = await gateway.owner.query<{
      number: number;
      name: string;
      fingerprint: string;
      applied_at: Date;
    }>(sql`
      delete from schema_migrations where number = (select max(number) from schema_migrations) returning *`);
    const last = rows[0]!;
    await assert.rejects(
      migrate(role, () => new Date()),
      new RegExp(`lacks ${last.name}, and this role may not.*run pixgate migrate with the owner's DATABASE_URL`),
    );
    await gateway.owner.query(sql`
      insert into schema_migrations (number, name, fingerprint, applied_at)
      values (${last.number}, ${last.name}, ${last.fingerprint}, ${last.applied_at})`);
  });

  test("can ask every invariant of the books", async () => {
    const { ok, lines } = await verifyBooks(role);
    assert.deepEqual([ok, lines > 0], [true, true]);
  });
});
