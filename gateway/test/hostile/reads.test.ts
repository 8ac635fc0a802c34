/** Reads of history, however many of one tenant and however long they take, leave money and readiness what they need. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { sumKinds } from "../../src/statement/sum-kinds.ts";
import { newMerchant } from "../contract/money.ts";
import { assertRefused, nothingMoves } from "../contract/refusal.ts";
import type { Client } from "../harness/client.ts";
import { waitingForLocks } from "../harness/database.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

let gateway: TestGateway;
let neighbour: Client;
before(async () => {
  gateway = await startGateway();
  neighbour = (await newMerchant(gateway)).client;
});
after(async () => {
  await gateway.verify();
  await gateway.stop();
});

/** While `work` runs nobody reads a line: every read of history takes as long. */
const withLinesLocked = <T>(work: () => Promise<T>): Promise<T> =>
  gateway.owner.transaction(async (tx) => {
    await tx.query(sql`lock table ledger_lines in access exclusive mode`);
    return work();
  });
const ready = async () => (await fetch(`${gateway.running.url}/readyz`)).status;

describe("A tenant that reads its history on forty sockets", () => {
  test("keeps nobody waiting, and its ninth call is refused after five seconds", async () => {
    const reading = await withLinesLocked(async () => {
      const reads = Array.from({ length: 40 }, (_, i) =>
        gateway.merchant.get(
          ["/balance/explanation", "/statement?limit=50", "/statement/summary", "/account/summary"][i % 4]!,
        ),
      );
      await eventually("the reads to wait", async () => (await waitingForLocks(gateway.databaseUrl)) > 0);
      assert.equal((await neighbour.get("/projects")).status, 200);
      assert.equal((await neighbour.post("/pix", { amount: 10, description: "d" })).status, 201);
      assert.equal((await gateway.merchant.get("/projects")).status, 200);
      assert.equal(await ready(), 200);
      assert.ok((await waitingForLocks(gateway.databaseUrl)) <= 2, "two connections read history");
      const first = await Promise.race(reads);
      const { details } = assertRefused(first, 429, "TOO_MANY_READS");
      assert.equal(details.retryable, true);
      assert.equal(first.headers.get("retry-after"), "5");
      return reads;
    });
    const statuses = (await Promise.all(reading)).map(({ status }) => status);
    assert.deepEqual([...new Set(statuses)].sort(), [200, 429]);
    assert.ok(statuses.filter((status) => status === 200).length >= 8, String(statuses));
    assert.equal((await gateway.merchant.get("/balance/explanation")).status, 200);
  });

  test("gets all of them answered where they end in time", async () => {
    const reads = Array.from({ length: 40 }, () => gateway.merchant.get("/balance/explanation"));
    for (const { status } of await Promise.all(reads)) assert.equal(status, 200);
  });
});

test("all who ask for a check of the books while one runs get its result, and money waits for none of them", async () => {
  const checks = await withLinesLocked(async () => {
    const asked = Array.from({ length: 14 }, () => gateway.operator.get<{ ok: boolean }>("/ledger/verify"));
    await eventually("the check to wait", async () => (await waitingForLocks(gateway.databaseUrl)) === 1);
    assert.equal((await neighbour.get("/projects")).status, 200);
    assert.equal(await ready(), 200);
    assert.equal(await waitingForLocks(gateway.databaseUrl), 1);
    return asked;
  });
  for (const { status, body } of await Promise.all(checks)) assert.deepEqual([status, body.ok], [200, true]);
});

test("an explanation is the same by sums that are kept, at every line of a balance", async () => {
  const { client, accountId } = await newMerchant(gateway);
  for (let i = 1; i <= 5; i += 1) {
    const { body } = await client.post<{ id: string }>("/pix", { amount: 10 * i, description: "d" });
    assert.equal((await client.post(`/sandbox/pix/${body.id}/pay`, {})).status, 200);
  }
  const { history } = gateway.running.ctx;
  const { rows: lines } = await gateway.owner.query<{ no: number; seq: number; kind: string; amount: number }>(sql`
    select l.no, l.seq, l.kind, l.amount from ledger_lines l join ledger_accounts a on a.account_id = l.account_id and a.no = l.no
    where l.account_id = ${accountId} and a.kind = 'available' order by l.seq`);
  assert.ok(lines.length >= 5, `${lines.length} lines`);
  const { no } = lines[0]!;
  // Backwards too: what is kept reaches further than what is asked for.
  const ends = [...lines.keys(), lines.length].map((n) => n + 1);
  for (const below of [...ends, ...ends.toReversed()]) {
    const wanted = new Map<string, { lines: number; came: number; went: number; newest: number }>();
    for (const { kind, amount, seq } of lines.filter((line) => line.seq < below)) {
      const sum = wanted.get(kind) ?? { lines: 0, came: 0, went: 0, newest: 0 };
      wanted.set(kind, {
        lines: sum.lines + 1,
        came: sum.came + Math.max(0, amount),
        went: sum.went + Math.max(0, -amount),
        newest: seq,
      });
    }
    const several = await Promise.all(
      [3, 3, 1, 20_000].map((step) => sumKinds(history, { accountId, no, from: 1, below }, step)),
    );
    for (const found of several) assert.deepEqual(Object.fromEntries(found), Object.fromEntries(wanted), String(below));
  }
});

test("a sum that is kept is read with the lines after it alone", async () => {
  const { client, accountId } = await newMerchant(gateway);
  for (let i = 0; i < 4; i += 1) {
    const { body } = await client.post<{ id: string }>("/pix", { amount: 10, description: "d" });
    await client.post(`/sandbox/pix/${body.id}/pay`, {});
  }
  const { rows } = await gateway.owner.query<{ no: number; seq: number }>(sql`
    select no, seq from ledger_accounts where account_id = ${accountId} and kind = 'available'`);
  const { no, seq } = rows[0]!;
  const read: unknown[][] = [];
  const counting: Pick<typeof gateway.running.ctx.history, "query"> = {
    query: (statement) => {
      read.push(statement.values.slice(-2));
      return gateway.running.ctx.history.query(statement);
    },
  };
  await sumKinds(counting, { accountId, no, from: 1, below: seq + 1 }, 2);
  assert.ok(read.length >= seq / 2, "the first call reads every piece");
  read.length = 0;
  await sumKinds(counting, { accountId, no, from: 1, below: seq + 1 }, 2);
  assert.ok(read.length <= 1, JSON.stringify(read));
});

test("nothing of it changed the books", async () => {
  await nothingMoves(gateway, async () => {
    assert.equal((await gateway.merchant.get("/balance/explanation")).status, 200);
  });
});
