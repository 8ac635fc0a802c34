/** The balance of an institution that reports none, entered by operators from its statement. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { watchBalances } from "../../src/reconciliation/watch-balances.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { operatorOf } from "../harness/operator.ts";

type Case = { id: string; status: string; amount: number; evidence: { data: Record<string, unknown> } };
type Entered = { institutionId: string; comparedAt: string; details?: { code: string; issues?: { path: string }[] } };

let gateway: TestGateway;
let silent: string;
before(async () => {
  gateway = await startGateway();
  const made = await gateway.operator.post<{ id: string }>("/institutions", {
    ...{ name: "Without balances", provider: "api-pix", environment: "sandbox", priority: 400 },
    config: {
      ...{ baseUrl: "http://127.0.0.1:9/v2", tokenUrl: "http://127.0.0.1:9/oauth/token", clientId: "id" },
      ...{ clientSecret: "secret", pixKey: "key@example.com" },
    },
  });
  assert.equal(made.status, 201, made.text);
  silent = made.body.id;
});
after(async () => {
  try {
    await gateway.verify();
  } finally {
    await gateway.stop();
  }
});

const minutesAgo = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();
const enter = (body: Record<string, unknown>, id = silent, who = gateway.operator) =>
  who.post<Entered>(`/institutions/${id}/balance`, body);
/** The case about it once the figures that were entered are compared. */
async function compared(): Promise<Case | undefined> {
  const { ctx } = gateway.running;
  const { rows } = await ctx.db.query<{ account_id: string }>(sql`select account_id from accounts where is_house`);
  await eventually("the comparison", async () => {
    await watchBalances(ctx, rows[0]!.account_id);
    const { rowCount } = await ctx.db.query(sql`
      select from balance_watches where institution_id = ${silent} and sample is not null`);
    return rowCount === 0;
  });
  const reply = await gateway.operator.get<{ items: Case[] }>("/cases?kind=balance_drift");
  return reply.body.items[0];
}

describe("the balance of an institution that reports none", () => {
  test("is compared as one that it answers: a difference is a case, which the next figure that agrees closes", async () => {
    const ana = await operatorOf(gateway, "Ana", "finance");
    const entered = await enter({ balance: 12.34, at: minutesAgo(5) }, silent, ana);
    assert.equal(entered.status, 200, entered.text);
    const found = await compared();
    assert.deepEqual([found?.status, found?.amount], ["open", 12.34]);
    assert.deepEqual([found?.evidence.data.theirs, found?.evidence.data.enteredBy], [1_234, "Ana"]);
    assert.equal((await enter({ balance: 0, at: minutesAgo(2) })).status, 200);
    assert.equal((await compared())?.status, "closed");
    const { rows } = await gateway.owner.query<{ entered_by: string; verdict: string }>(sql`
      select entered_by, verdict from balance_checks where institution_id = ${silent} order by sampled_at`);
    assert.deepEqual(
      rows.map(({ verdict }) => verdict),
      ["differs", "agrees"],
    );
    assert.equal(rows[0]!.entered_by, "Ana");
  });

  test("is refused where the institution reports it, in the future, a month ago, or before the newest one; nothing is compared", async () => {
    const [own] = (await gateway.running.ctx.psps.all()).filter(({ psp }) => psp.balance);
    const read = async () => (await gateway.owner.query(sql`select * from balance_watches where institution_id = ${silent}`)).rows;
    assert.equal((await enter({ balance: 1, at: minutesAgo(1.5) })).status, 200);
    await compared();
    const before = await read();
    for (const [path, body, id] of [
      ["at", { balance: 1, at: minutesAgo(-5) }, silent],
      ["at", { balance: 1, at: minutesAgo(32 * 1_440) }, silent],
      ["at", { balance: 1, at: minutesAgo(60) }, silent],
      ["id", { balance: 1, at: minutesAgo(1) }, own?.institutionId],
    ] as const) {
      if (id === undefined) continue;
      const reply = await enter(body, id);
      assert.equal(reply.status, 400, reply.text);
      assert.deepEqual(reply.body.details?.issues?.map((issue) => issue.path), [path]);
    }
    assert.equal((await enter({ balance: 1, at: minutesAgo(1), more: 1 })).status, 400);
    assert.deepEqual(await read(), before);
  });
}); // biome-ignore format: rows
