/** Changes that wait for one row have all connections: the one whose turn it is must need no second one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { waitingForLocks } from "../harness/database.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway } from "../harness/gateway.ts";

test("more changes of an account at once than there are connections all happen, and none waits for a connection in vain", async (t) => {
  const gateway = await startGateway({}, { connections: 3 });
  t.after(() => gateway.stop());
  const { accountId } = gateway.sandbox;
  const change = (n: number) => {
    const body = n % 2 === 0 ? { limits: { perDay: n + 1 } } : { policies: { latePayments: "credit" } };
    return gateway.operator.patch(`/accounts/${accountId}`, body);
  };
  const changes = await gateway.owner.transaction(async (tx) => {
    await tx.query(sql`select from accounts where account_id = ${accountId} for no key update`);
    const sent = Array.from({ length: 6 }, (_, n) => change(n));
    await eventually("all connections to wait", async () => (await waitingForLocks(gateway.databaseUrl)) === 3);
    // What is known of institutions is a second old.
    gateway.running.ctx.psps.forget();
    return sent;
  });
  for (const { status, text } of await Promise.all(changes)) assert.equal(status, 200, text);
});
