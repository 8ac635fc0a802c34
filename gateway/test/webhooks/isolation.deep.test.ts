/** An endpoint that hangs, fails or has a million waiting does not slow the others: counted in slots, not in time. */
import assert from "node:assert/strict";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { part, type Sql, sql } from "../../src/db/sql.ts";
import { claim, findQueues } from "../../src/webhooks/deliveries/claim.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { enqueue } from "./enqueue.ts";

/** Attempts that a process has under way at once for one account (deliver.ts). */
const SLOTS = 512;
const GOOD = 98;

describe("Among a hundred endpoints", () => {
  let gateway: TestGateway;
  /** Answers of good endpoints that are held back, and whether they are. */
  const held: ServerResponse[] = [];
  let holding = false;
  const hanging = new Set<ServerResponse>();
  let failures = 0;
  let delivered = 0;
  const sink = createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      if (request.url === "/hang") {
        hanging.add(response);
        response.once("close", () => hanging.delete(response));
      } else if (request.url === "/fail") {
        failures += 1;
        response.writeHead(500).end();
      } else if (holding) held.push(response);
      else answer(response);
    });
  });
  const answer = (response: ServerResponse) => {
    delivered += 1;
    response.writeHead(204).end();
  };
  const release = () => {
    holding = false;
    for (const response of held.splice(0)) answer(response);
  };

  let good: string[];
  let hang: string;
  let fail: string;
  before(async () => {
    gateway = await startGateway();
    await new Promise<void>((resolve) => sink.listen(0, "127.0.0.1", resolve));
    const base = `http://127.0.0.1:${(sink.address() as AddressInfo).port}`;
    let count = 0;
    const make = async (path: string) => {
      // A wallet has at most 20.
      const headers = { "x-sub-account": `shop-${Math.floor(count++ / 20)}` };
      const made = await gateway.merchant.post<{ id: string }>("/webhook-endpoints", { url: base + path }, { headers });
      assert.equal(made.status, 201, made.text);
      return made.body.id;
    };
    for (let i = 0; i * 20 < GOOD + 2; i += 1) {
      const made = await gateway.merchant.post("/sub-accounts", { reference: `shop-${i}`, name: `Shop ${i}` });
      assert.equal(made.status, 201, made.text);
    }
    good = await Promise.all(Array.from({ length: GOOD }, (_, i) => make(`/good/${i}`)));
    [hang, fail] = [await make("/hang"), await make("/fail")];
  });
  after(async () => {
    sink.close();
    sink.closeAllConnections();
    await gateway.stop();
  });
  const wait = (endpoints: readonly string[], many: number) =>
    enqueue(gateway.running.ctx.db, gateway.sandbox.accountId, endpoints, many);

  test("one that hangs and one that fails, each with thousands waiting, leave the others 95 % of the slots", async () => {
    await wait(good, GOOD * 10);
    await eventually("all of the first round", () => delivered === GOOD * 10, 60_000);

    holding = true;
    await wait(good, GOOD * 20);
    await eventually("every slot to be busy", () => held.length === SLOTS, 60_000);
    release();
    await eventually("all of the second round", () => delivered === GOOD * 30, 60_000);

    await wait([hang], 5_000);
    await wait([fail], 5_000);
    await eventually("the one that hangs to hang", () => hanging.size > 0);
    await eventually("the one that fails to fail", () => failures > 50, 60_000);
    assert.ok(hanging.size <= 8);
    holding = true;
    await wait(good, GOOD * 20);
    await eventually("95 % of the slots", () => held.length >= 0.95 * SLOTS, 60_000);
    release();
    await eventually("all of the third round", () => delivered === GOOD * 50, 60_000);
    assert.ok(hanging.size > 0 && hanging.size <= 8, `${hanging.size} hang`);
  });

  test("what waits for one endpoint is not read to find and claim the work of another", async () => {
    const { db } = gateway.running.ctx;
    await db.query(sql`update webhook_endpoints set enabled = false where endpoint_id = any(${[hang, fail]}::uuid[])`);
    await wait([hang], 20_000);
    await db.query(sql`update webhook_endpoints set enabled = true where endpoint_id = ${hang}`);
    const { accountId } = gateway.sandbox;
    const now = new Date(Date.now() + 60_000);
    const undone = new Error("undone");
    await db
      .transaction(async (tx) => {
        await wait([good[0]!], 100);
        const nothing = "00000000-0000-0000-0000-000000000000";
        const from = new Date(0);
        const plans: Plan[] = [];
        const explaining = {
          ...db,
          async query(statement: { text: string; values: readonly unknown[] }) {
            if (statement.text.startsWith("set ")) return { rows: [], rowCount: 0 };
            const text = `explain (analyze, format json) ${statement.text}`;
            const { rows } = await tx.query<{ "QUERY PLAN": { Plan: Plan }[] }>({ text, values: statement.values });
            plans.push(rows[0]!["QUERY PLAN"][0]!.Plan);
            return { rows: [], rowCount: 0 };
          },
          async atOnce<R>(statements: readonly { text: string; values: readonly unknown[] }[]) {
            for (const statement of statements) await explaining.query(statement);
            return statements.map(() => ({ rows: [] as R[], rowCount: 0 }));
          },
        };
        await findQueues({ db: explaining }, now, { accountId: nothing, endpointId: nothing, from }, 1_000);
        await claim({ db: explaining }, now, [
          [{ accountId, endpointId: good[0]!, from }, 10],
          [{ accountId, endpointId: hang, from }, 10],
        ]);
        assert.deepEqual(
          plans.map((plan) => rowsOf("deliveries", plan) <= 250),
          [true, true],
          JSON.stringify(plans),
        );
        throw undone;
      })
      .catch((error: unknown) => {
        if (error !== undone) throw error;
      });
    await db.query(sql`update webhook_endpoints set enabled = false where endpoint_id = ${hang}`);
  });

  test("a poll does not read the deliveries that left a queue before it, though all were due at one moment", async () => {
    const { db } = gateway.running.ctx;
    const { accountId } = gateway.sandbox;
    await db.query(sql`update webhook_endpoints set enabled = false`);
    const one = good[1]!;
    /** The oldest of a queue, as a claim reads them. */
    const head = (many: number) => part`
      select d.delivery_id from deliveries d
      where d.account_id = ${accountId} and d.endpoint_id = ${one} and d.status = 'pending' and d.next_at <= ${new Date()}
      order by d.next_at limit ${many}`;
    const byIndex = (statement: Sql) =>
      db.transaction(async (tx) => {
        await tx.query(sql`set local enable_seqscan = off`);
        await tx.query(sql`set local enable_sort = off`);
        return tx.query<{ "QUERY PLAN": { Plan: Plan }[] }>(statement);
      });
    // Those of others lie between them, so that each stands on a page of its own.
    await wait(good, 160 * GOOD);
    // What is kept together is, then, whatever the order in which it came.
    await gateway.owner.query(sql`reindex index deliveries_due`);
    for (let left = 0; left < 100; left += 10) {
      await byIndex(sql`
        update deliveries set status = 'delivered', next_at = null
        where account_id = ${accountId} and endpoint_id = ${one} and delivery_id in (${head(10)})`);
    }
    await eventually("a poll that reads a few pages", async () => {
      const { rows } = await byIndex(sql`explain (analyze, buffers, format json) ${head(1)}`);
      const { Plan: plan } = rows[0]!["QUERY PLAN"][0]!;
      return plan["Shared Hit Blocks"]! + plan["Shared Read Blocks"]! < 40;
    });
  });
});

type Plan = {
  Plans?: Plan[];
  "Relation Name"?: string;
  "Node Type": string;
  "Actual Rows"?: number;
  "Actual Loops"?: number;
  "Rows Removed by Filter"?: number;
  "Shared Hit Blocks"?: number;
  "Shared Read Blocks"?: number;
};

/** Rows of a table that a plan read. */
function rowsOf(table: string, plan: Plan): number {
  const own =
    plan["Relation Name"] === table && plan["Node Type"].includes("Scan")
      ? ((plan["Actual Rows"] ?? 0) + (plan["Rows Removed by Filter"] ?? 0)) * (plan["Actual Loops"] ?? 1)
      : 0;
  return own + (plan.Plans ?? []).reduce((sum, child) => sum + rowsOf(table, child), 0);
}
