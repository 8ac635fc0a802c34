/** Inter reports its balance where the application may read the account: the books are held against it. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { addProfileBank } from "../harness/profile-bank.ts";

const SCOPE = "cob.read cob.write pix.read pix.write webhook.read webhook.write extrato.read";

let gateway: TestGateway;
const closers: (() => unknown)[] = [];
before(async () => {
  gateway = await startGateway();
});
after(async () => {
  await gateway.end();
  for (const close of closers.reverse()) await close();
});

test("a Pix that Inter received is in its balance and in the books: both agree", async () => {
  const { bank, id } = await addProfileBank(gateway, "inter", (end) => closers.push(end), { scope: SCOPE });
  await bank.control("PATCH", "/behaviour", { openingBalanceCentavos: 0 });
  // Not before the Pix is booked: the first difference would be taken over as what was there before.
  await gateway.owner.query(sql`
    insert into balance_watches (institution_id, next_at) values (${id}, ${new Date(Date.now() + 3_600_000)})
    on conflict (institution_id) do update set next_at = excluded.next_at, sample = null`);
  await bank.control("POST", "/pix", { amountCentavos: 700 });
  await eventually(
    "the Pix to be booked",
    async () => {
      gateway.running.ctx.hints.wake("received");
      const { rowCount } = await gateway.owner.query(sql`select from received_pix where institution_id = ${id}`);
      return rowCount === 1;
    },
    180_000,
  );
  const compared = await eventually(
    "the balance to agree",
    async () => {
      await gateway.owner.query(sql`
        update balance_watches set next_at = ${new Date(0)} where institution_id = ${id}`);
      gateway.running.ctx.hints.wake("balances");
      const { rows } = await gateway.owner.query<{ theirs: number; ours: number; verdict: string }>(sql`
        select theirs, ours, verdict from balance_checks where institution_id = ${id} and theirs = 700
        order by sampled_at desc limit 1`);
      return rows[0];
    },
    180_000,
  );
  assert.deepEqual(compared, { theirs: 700, ours: 700, verdict: "agrees" });
  const banks = await gateway.operator.get<{ items: { id: string }[] }>("/cases?kind=balance_drift&status=open");
  assert.deepEqual(banks.body.items, []);
});
