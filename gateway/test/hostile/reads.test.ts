/** Reads of history, however many of one tenant and however long they take, leave money and readiness what they need. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { verify } from "../../src/auditor/verify.ts";
import { sql } from "../../src/db/sql.ts";
import { keepSums } from "../../src/ledger/keep-sums.ts";
import { sumKinds } from "../../src/ledger/sum-kinds.ts";
import { newMerchant } from "../contract/money.ts";
import { assertRefused, nothingMoves } from "../contract/refusal.ts";
import { ROLLED_BACK } from "../harness/broken.ts";
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
after(() => gateway.end());

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

test("sums of lines are the same with and without kept ones, from and to every line of a balance", async () => {
  const { client, accountId } = await newMerchant(gateway);
  await gateway.operator.patch(`/accounts/${accountId}`, { fees: { charge: { fixed: 0.25 } } });
  for (let i = 1; i <= 5; i += 1) {
    const { body } = await client.post<{ id: string }>("/pix", { amount: 10 * i, description: "d" });
    assert.equal((await client.post(`/sandbox/pix/${body.id}/pay`, {})).status, 200);
  }
  const { rows: lines } = await gateway.owner.query<{ no: number; seq: number; kind: string; amount: number }>(sql`
    select l.no, l.seq, l.kind, l.amount from ledger_lines l join ledger_accounts a on a.account_id = l.account_id and a.no = l.no
    where l.account_id = ${accountId} and a.kind = 'available' order by l.seq`);
  assert.ok(lines.length >= 10, `${lines.length} lines`);
  const { no } = lines[0]!;
  const numbers = [...lines.keys(), lines.length].map((n) => n + 1);
  const ranges = numbers.flatMap((from) =>
    numbers.filter((below) => below >= from).map((below) => ({ no, from, below })),
  );
  const wanted = ranges.map(({ from, below }) => {
    const sums: Record<string, { lines: number; came: number; went: number; newest: number }> = {};
    for (const { kind, amount, seq } of lines.filter((line) => line.seq >= from && line.seq < below)) {
      const sum = sums[kind] ?? { lines: 0, came: 0, went: 0, newest: 0 };
      sums[kind] = {
        lines: sum.lines + 1,
        came: sum.came + Math.max(0, amount),
        went: sum.went + Math.max(0, -amount),
        newest: seq,
      };
    }
    return sums;
  });
  const { history } = gateway.running.ctx;
  // None is kept, those of every third line, and of every second of the newer ones too: half of the lines first.
  for (const [step, seq] of [
    [1, 0],
    [3, lines.length / 2],
    [3, lines.length],
    [2, lines.length],
  ] as const) {
    await keepSums(gateway.owner, [{ accountId, no, from: 0, seq: Math.floor(seq) }], step);
    for (const narrow of [1, 4, 1_000]) {
      const found = await sumKinds(history, accountId, ranges, narrow);
      assert.deepEqual(
        found.map((sums) => Object.fromEntries(sums)),
        wanted,
        `kept of every ${step} to ${seq}`,
      );
    }
    const [one] = await sumKinds(history, accountId, [{ no, from: 2, below: lines.length }], 1);
    assert.deepEqual(
      Object.fromEntries(one!),
      wanted[ranges.findIndex((range) => range.from === 2 && range.below === lines.length)],
    );
  }
  assert.equal((await gateway.operator.get<{ ok: boolean }>("/ledger/verify")).body.ok, true);
});

test("kept sums that were changed or removed are found (L6)", { skip: ROLLED_BACK }, async () => {
  const { client, accountId } = await newMerchant(gateway);
  await gateway.operator.patch(`/accounts/${accountId}`, { fees: { charge: { fixed: 0.25 } } });
  for (let i = 1; i <= 3; i += 1) {
    const { body } = await client.post<{ id: string }>("/pix", { amount: 10, description: "d" });
    assert.equal((await client.post(`/sandbox/pix/${body.id}/pay`, {})).status, 200);
  }
  const { rows } = await gateway.owner.query<{ accountId: string; no: number; from: number; seq: number }>(sql`
    select account_id as "accountId", no, 0 as "from", seq from ledger_accounts where account_id = ${accountId}`);
  await keepSums(gateway.owner, rows, 2);
  const foundAfter = async (statement: string): Promise<string[]> => {
    const undo = new Error("undo");
    let found: string[] = [];
    await gateway.owner
      .transaction(async (tx) => {
        const text = `${statement} where account_id = '${accountId}' and through_seq = 4 and kind = 'charge_paid'`;
        assert.equal((await tx.query({ text, values: [] })).rowCount, 1);
        found = (await verify(tx)).violations.map(({ invariant }) => invariant.split(":")[0]!);
        throw undo;
      })
      .catch((error: unknown) => assert.equal(error, undo));
    return [...new Set(found)];
  };
  for (const field of ["lines", "came", "went", "newest_seq"]) {
    assert.deepEqual(await foundAfter(`update line_sums set ${field} = ${field} + 1`), ["L6"], field);
  }
  for (const statement of [
    "update line_sums set through_seq = 5",
    "update line_sums set kind = 'transfer'",
    "update line_sums set no = no + 100",
    "delete from line_sums",
  ]) {
    assert.deepEqual(await foundAfter(statement), ["L6"], statement);
  }
  assert.equal((await gateway.operator.get<{ ok: boolean }>("/ledger/verify")).body.ok, true);
});

test("nothing of it changed the books", async () => {
  await nothingMoves(gateway, async () => {
    assert.equal((await gateway.merchant.get("/balance/explanation")).status, 200);
  });
});
