/** A call that two humans decide and its Idempotency-Key: what waits, or was carried out, is not made a second time by one human alone. */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { balancesOf, type Merchant, newMerchant } from "../contract/money.ts";
import { assertRefused } from "../contract/refusal.ts";
import type { Client, Reply } from "../harness/client.ts";
import { approveCase, rejectCase } from "../harness/decide.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { operatorOf } from "../harness/operator.ts";

type Case = { status: string; proposal: { status: string } };
type Refused = { details: { caseId: string } };

let gateway: TestGateway;
let bia: Client;
before(async () => {
  const setting = { PIXGATE_TWO_PERSONS: "on", PIXGATE_TWO_PERSONS_ABOVE: "1000.00" };
  gateway = await startGateway({ PIXGATE_ROLE: "api", ...setting });
  bia = await operatorOf(gateway, "Bia", "admin");
});
afterEach(() => gateway.verify());
after(() => gateway.stop());

let names = 0;
const human = () => operatorOf(gateway, `Ana ${++names}`, "admin");
const give = (who: Client, { accountId }: Merchant, amount: number, key: string | null, reason = "Agreed by phone") =>
  who.post<{ id: string }>(
    `/accounts/${accountId}/adjustments`,
    { amount, balance: "available", reason },
    key === null ? {} : { headers: { "idempotency-key": key } },
  );
const available = async ({ client }: Merchant) => (await balancesOf(client)).available;
const show = async (id: string) => (await bia.get<Case>(`/cases/${id}`)).body;
/** The case in which a call waits. */
function waits(reply: Reply<unknown>): string {
  assertRefused(reply as Reply, 403, "TWO_PERSONS_REQUIRED");
  return (reply.body as Refused).details.caseId;
}
/** A day goes by: what everybody has moved alone counts no more. */
const freeAllowances = () => gateway.owner.query(sql`update moved_alone set moved_at = moved_at - interval '24 hours'`);
/** Ana has moved 600.00 alone, so that a keyed call over 600.00 waits for a second human. */
async function waiting() {
  const [merchant, ana] = [await newMerchant(gateway), await human()];
  const key = `payday-${++names}`;
  assert.equal((await give(ana, merchant, 600, null, "The first")).status, 201);
  const id = waits(await give(ana, merchant, 600, key));
  return { merchant, ana, key, id };
}

test("what one human moved alone is forgotten a day later, by the call that counts next", async () => {
  const [merchant, ana] = [await newMerchant(gateway), await human()];
  assert.equal((await give(ana, merchant, 600, null, "The first")).status, 201);
  await freeAllowances();
  assert.equal((await give(ana, merchant, 600, null, "A day later")).status, 201);
  const { rows } = await gateway.owner.query<{ amount: number }>(sql`select amount from moved_alone`);
  assert.deepEqual(rows, [{ amount: 60_000 }]);
});

describe("an adjustment with a key that waits for a second human", () => {
  test("is not booked by its repeat once the allowance is free, neither while it waits nor after it was carried out", async () => {
    const { merchant, ana, key, id } = await waiting();
    await freeAllowances();
    assert.equal(waits(await give(ana, merchant, 600, key)), id);
    assert.equal(await available(merchant), 60_000);
    assert.equal((await approveCase<Case>(bia, id)).body.proposal.status, "executed");
    assert.equal(await available(merchant), 120_000);
    assert.equal(waits(await give(ana, merchant, 600, key)), id);
    assert.equal(await available(merchant), 120_000);
    // Another key, or none, is another wish.
    assert.equal((await give(ana, merchant, 600, `${key}-2`)).status, 201);
    assert.equal(await available(merchant), 180_000);
  });

  test("is not booked by another human whose allowance is free: one approval books it, and no repeat of anybody's", async () => {
    const { merchant, key, id } = await waiting();
    const rui = await human();
    assert.equal(waits(await give(rui, merchant, 600, key)), id);
    assert.equal(await available(merchant), 60_000);
    assert.equal((await show(id)).status, "open");
    assert.equal((await approveCase<Case>(rui, id)).body.proposal.status, "executed");
    assert.equal(waits(await give(rui, merchant, 600, key)), id);
    assert.equal(await available(merchant), 120_000);
  });

  test("leaves its key free when it is rejected", async () => {
    const { merchant, ana, key, id } = await waiting();
    assert.equal((await rejectCase(bia, id, "Not this month.")).status, 200);
    await freeAllowances();
    assert.equal((await give(ana, merchant, 600, key)).status, 201);
    assert.equal(await available(merchant), 120_000);
  });

  test("is booked once, or waits once, when humans with and without an allowance send it at the same moment", async () => {
    for (let round = 0; round < 3; round++) {
      const [merchant, ana, rui] = [await newMerchant(gateway), await human(), await human()];
      const key = `at-once-${++names}`;
      assert.equal((await give(ana, merchant, 600, null, "The first")).status, 201);
      const callers = [ana, rui, ana, rui];
      const replies = await Promise.all(callers.map((who) => give(who, merchant, 600, key)));
      const ids = new Set(replies.filter(({ status }) => status !== 201).map(waits));
      const isBooked = replies.some(({ status }) => status === 201);
      for (const id of ids) await approveCase(bia, id);
      assert.equal(ids.size === 0 || !isBooked, true, JSON.stringify(replies.map(({ status }) => status)));
      assert.equal(await available(merchant), 120_000);
      await freeAllowances();
    }
  });
});
