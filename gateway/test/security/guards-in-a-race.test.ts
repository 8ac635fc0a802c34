/** A guard that somebody sets between two steps of a call that would lift it. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, afterEach, before, test } from "node:test";
import type { Tx } from "../../src/db/pool.ts";
import { stopSending } from "../../src/db/sending-lock.ts";
import { sql } from "../../src/db/sql.ts";
import { newMerchant } from "../contract/money.ts";
import { assertRefused } from "../contract/refusal.ts";
import type { Client, Reply } from "../harness/client.ts";
import { waitingForLocks } from "../harness/database.ts";
import { approveCase } from "../harness/decide.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { operatorOf } from "../harness/operator.ts";

type Case = { proposal: { status: string } };
type Refused = { details: { caseId: string } };

let gateway: TestGateway;
let bia: Client;
before(async () => {
  gateway = await startGateway({ PIXGATE_ROLE: "api", PIXGATE_TWO_PERSONS: "on", PIXGATE_TWO_PERSONS_ABOVE: "100.00" });
  bia = await operatorOf(gateway, "Bia", "admin");
});
afterEach(() => gateway.verify());
after(() => gateway.stop());

/** The case in which a call waits. */
function waits(reply: Reply<unknown>): string {
  assertRefused(reply as Reply, 403, "TWO_PERSONS_REQUIRED");
  return (reply.body as Refused).details.caseId;
}

test("a guard that is set while a lift of nothing waits for its lock is lifted by two, too", async () => {
  const merchant = await newMerchant(gateway);
  const { accountId } = merchant;
  const path = `/accounts/${accountId}`;
  const ana = await operatorOf(gateway, "Ana", "admin");
  /** A call that waits until what sets the guard commits. */
  const meanwhile = async (call: () => Promise<Reply<unknown>>, set: (tx: Tx) => Promise<unknown>) => {
    const reply = await gateway.owner.transaction(async (tx) => {
      await set(tx);
      const called = call();
      await eventually("the call to wait", async () => (await waitingForLocks(gateway.databaseUrl)) === 1);
      return { called };
    });
    return waits(await reply.called);
  };
  const put = (to: string, body: object) => ana.send("PUT", to, JSON.stringify(body));
  const id = await meanwhile(
    () => put("/brakes", { scope: "account", id: accountId, paused: false, reason: "nothing" }),
    async (tx) => {
      await stopSending(tx);
      await tx.query(sql`
        insert into brakes (brake_id, scope, target_id, reason, actor, since)
        values (${randomUUID()}, 'account', ${accountId}, 'theft', 'Bia', ${new Date()})`);
    },
  );
  const set = (await bia.get<{ items: { targetId?: string }[] }>("/brakes")).body.items;
  assert.equal(set.filter(({ targetId }) => targetId === accountId).length, 1);
  assert.equal((await approveCase<Case>(bia, id)).body.proposal.status, "executed");

  await meanwhile(
    () => ana.post(`${path}/lift-freeze`, { reason: "Checked." }),
    (tx) =>
      tx.query(sql`
        update accounts set withdrawals_frozen_at = ${new Date()}, withdrawals_frozen_reason = 'S1'
        where account_id = ${accountId}`),
  );
  assert.ok("withdrawalsFrozen" in (await bia.get<object>(path)).body);

  const { rows } = await gateway.owner.query<{ institution_id: string }>(sql`
    select institution_id from institutions order by institution_id limit 1`);
  const institutionId = rows[0]!.institution_id;
  const allow = (tx: Pick<Tx, "query">, enabled: boolean) =>
    tx.query(sql`
      insert into account_institutions (account_id, institution_id, enabled) values (${accountId}, ${institutionId}, ${enabled})
      on conflict (account_id, institution_id) do update set enabled = excluded.enabled`);
  await allow(gateway.owner, true);
  await meanwhile(
    () => put(`${path}/institutions/${institutionId}`, { enabled: true }),
    async (tx) => {
      await tx.query(sql`select from accounts where account_id = ${accountId} for no key update`);
      await allow(tx, false);
    },
  );
  const links = await gateway.owner.query<{ enabled: boolean }>(sql`
    select enabled from account_institutions where account_id = ${accountId} and institution_id = ${institutionId}`);
  assert.deepEqual(links.rows, [{ enabled: false }]);
  await gateway.owner.query(sql`
    update accounts set withdrawals_frozen_at = null, withdrawals_frozen_reason = null where account_id = ${accountId}`);
});
