/** PgBouncer before PostgreSQL: session mode serves a whole gateway; transaction mode is refused at the start. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { pay } from "../contract/payments.ts";
import { becomes, MARIA, withdraw } from "../contract/payouts.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { pgBouncerVersion, startPgBouncer } from "../harness/pgbouncer.ts";
import { launchProcess, startProcess } from "../harness/process.ts";

const skip = pgBouncerVersion() === null ? "needs the program pgbouncer" : false;

describe("with PgBouncer before PostgreSQL", { skip }, () => {
  let gateway: TestGateway;
  before(async () => {
    // The loops are the other process's, so that what completes here was done through the pooler.
    gateway = await startGateway({ PIXGATE_ROLE: "api" });
  });
  after(() => gateway.stop());

  const environment = (url: string) => ({
    DATABASE_URL: url,
    PIXGATE_DATA_DIR: gateway.dataDir,
    PIXGATE_SIMULATOR_PORT: "off",
  });

  test("a gateway in session mode takes payments and pays withdrawals", { timeout: 120_000 }, async () => {
    const pooler = await startPgBouncer(gateway.databaseUrl, "session");
    try {
      const other = await startProcess(environment(pooler.through(gateway.databaseUrl)));
      try {
        const client = await other.client(gateway.sandbox);
        for (let n = 0; n < 3; n += 1) await pay(client, 20);
        const made = await withdraw(client, { amount: 5, ...MARIA });
        await becomes(client, made.id, "completed");
        const { rows } = await gateway.owner.query<{ count: number }>(sql`
          select count(*) as count from ledger_transfers where kind in ('charge_paid', 'withdrawal_sent')`);
        assert.equal(rows[0]!.count, 4);
        await gateway.verify();
      } finally {
        assert.equal(await other.stop(), 0);
      }
    } finally {
      await pooler.stop();
    }
  });

  test("a gateway refuses transaction mode in one line, and nothing listens", { timeout: 60_000 }, async () => {
    const pooler = await startPgBouncer(gateway.databaseUrl, "transaction");
    try {
      const refused = launchProcess(environment(pooler.through(gateway.databaseUrl)));
      assert.equal(await refused.exited, 1);
      assert.match(refused.stderr(), /works in transaction mode: Pixgate needs session mode/);
      assert.doesNotMatch(refused.stdout(), /ready/);
    } finally {
      await pooler.stop();
    }
  });
});
