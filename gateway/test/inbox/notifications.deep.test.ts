import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { startGateway } from "../harness/gateway.ts";
import { sendNotifications, silentInstitution } from "../hostile/notifications.ts";

const seed = Number(process.env.FC_SEED ?? randomInt(2 ** 31));

test(`3,000 malformed notifications are each answered, and none of them breaks anything (seed ${seed})`, async () => {
  const gateway = await startGateway();
  const { path } = await silentInstitution(gateway);
  const problems = await sendNotifications(gateway.running.url + path, { seed, runs: 3_000 });
  assert.deepEqual(problems, []);
  const { rows } = await gateway.running.ctx.db.query<{ n: number }>(
    sql`select count(*)::int as n from ledger_transfers`,
  );
  assert.equal(rows[0]!.n, 0);
  await gateway.end();
});
