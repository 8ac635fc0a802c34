/** `GET /statement` (contract, section 5): every ledger line of a wallet with its cause and the balance after. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { prefersCsv } from "../../src/http/csv.ts";
import { as, credentialOf } from "../contract/merchant.ts";
import { balancesOf, everyPage, give, newMerchant, type Page } from "../contract/money.ts";
import { assertInvalid, assertRefused } from "../contract/refusal.ts";
import { BANK } from "../harness/bank.ts";
import type { Client } from "../harness/client.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

type Line = {
  balance: "available" | "held" | "promotional";
  line: number;
  kind: string;
  sourceId: string;
  transactionId?: string;
  leg: number;
  amount: number;
  balanceAfter: number;
  currency: string;
  occurredAt: string;
  bookedAt: string;
};

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway.end());

const statement = (client: Client, query = "", wallet: string | null = null) =>
  client.get<Page<Line>>(`/statement${query}`, as(wallet));
const csv = (client: Client, wallet: string | null = null, accept = "text/csv") =>
  client.get("/statement", as(wallet, { accept }));
const centavos = (brl: number) => Math.round(brl * 100);

/** Asserts that lines account for the wallet's balances: each follows the one before, and the newest is the balance. */
async function assertComplete(client: Client, wallet: string | null, lines: readonly Line[]): Promise<void> {
  const balances = await balancesOf(client, wallet);
  for (const balance of ["available", "promotional", "held"] as const) {
    const own = lines.filter((line) => line.balance === balance);
    assert.deepEqual(
      own.map((line) => line.line),
      Array.from({ length: own.length }, (_, i) => own.length - i),
    );
    let running = 0;
    for (const line of own.toReversed()) {
      running += centavos(line.amount);
      assert.equal(centavos(line.balanceAfter), running);
    }
    assert.equal(running, balances[balance], balance);
  }
}

const COLUMNS =
  "time,type,description,amount,balanceAfter,transactionId,e2eId,externalReference,counterpart,balance,line,kind,occurredAt,date,original,fine,interest,discount,abatement";

/** The lines of a statement in CSV. No cell of ours needs quotes. */
function linesOf(csvText: string): Line[] {
  const [header, ...rows] = csvText.trimEnd().split("\r\n");
  assert.equal(header, COLUMNS);
  return rows.map((row) => {
    const [bookedAt, , , amount, balanceAfter, transactionId, , , , balance, line, kind, occurredAt] = row.split(",");
    for (const number of [amount!, balanceAfter!]) assert.match(number, /^-?\d+\.\d\d$/);
    const numbers = {
      line: Number(line),
      amount: Number(amount),
      balanceAfter: Number(balanceAfter),
    };
    // São Paulo's time: the same moment as in JSON.
    for (const at of [bookedAt!, occurredAt!]) assert.match(at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}-03:00$/);
    const at = (time: string) => new Date(time).toISOString();
    return { balance, kind, transactionId, occurredAt: at(occurredAt!), bookedAt: at(bookedAt!), ...numbers } as Line;
  });
}

describe("GET /statement", () => {
  test("of a new wallet is empty, in JSON and in CSV", async () => {
    const { client } = await newMerchant(gateway, ["loja"]);
    const empty = await statement(client);
    assert.deepEqual([empty.status, empty.body], [200, { items: [], nextCursor: null }]);
    assert.deepEqual(linesOf((await csv(client, "loja")).text), []);
  });

  test("has every line with its cause, sign and the balance after it, and its sums are the balances", async () => {
    const { accountId, client } = await newMerchant(gateway, ["loja"]);
    await gateway.operator.patch(`/accounts/${accountId}`, { fees: { charge: { fixed: 0.5 } } });
    const body = { amount: 100, description: "d", split: [{ subAccount: "loja", amount: 30 }] };
    const { id } = (await client.post<{ id: string }>("/pix", body)).body;
    assert.equal((await client.post(`/sandbox/pix/${id}/pay`)).status, 200);
    const given = await give(gateway, accountId, 5.55);
    const credit = await give(gateway, accountId, 9, { balance: "promotional" });
    const sent = (await client.post<{ id: string }>("/transfers", { subAccount: "loja", amount: 0.01 })).body.id;

    const { items } = (await statement(client)).body;
    assert.deepEqual(
      items.map(({ balance, kind, sourceId, amount, balanceAfter }) => [balance, kind, sourceId, amount, balanceAfter]),
      [
        ["available", "transfer", sent, -0.01, 75.04],
        ["promotional", "promotional_credit", credit, 9, 9],
        ["available", "adjustment", given, 5.55, 75.05],
        ["available", "charge_split", id, -30, 69.5],
        ["available", "charge_fee", id, -0.5, 99.5],
        ["available", "charge_paid", id, 100, 100],
      ],
    );
    for (const item of items) {
      assert.equal(item.currency, "BRL");
      assert.equal(new Date(item.bookedAt).toISOString(), item.bookedAt);
      assert.equal(new Date(item.occurredAt).toISOString(), item.occurredAt);
    }
    await assertComplete(client, null, items);
    const shop = (await statement(client, "", "loja")).body.items;
    assert.deepEqual(
      shop.map(({ kind, amount }) => [kind, amount]),
      [
        ["transfer", 0.01],
        ["charge_split", 30],
      ],
    );
    await assertComplete(client, "loja", shop);

    for (const wallet of [null, "loja"]) {
      const reply = await csv(client, wallet);
      assert.equal(reply.status, 200);
      assert.equal(reply.headers.get("content-type"), "text/csv; charset=utf-8");
      assert.match(reply.headers.get("content-disposition")!, /^attachment; filename="statement\.csv"$/);
      assert.ok(reply.text.endsWith("\r\n"));
      const shown = (await statement(client, "", wallet)).body.items.map(
        ({ balance, kind, transactionId, occurredAt, bookedAt, line, amount, balanceAfter }) => ({
          balance, kind, transactionId, occurredAt, bookedAt, line, amount, balanceAfter,
        }), // biome-ignore format: as the cells
      );
      assert.deepEqual(linesOf(reply.text), shown);
    }
  });

  test("of 2,500 lines is paged and streamed whole, each line once, while new ones are booked", async () => {
    const { accountId, client } = await newMerchant(gateway, ["loja"]);
    for (let i = 0; i < 25; i += 1) {
      await Promise.all(
        Array.from({ length: 100 }, (_, n) =>
          give(gateway, accountId, n % 7 === 0 && i > 0 ? -0.01 : 0.02, {
            balance: n % 5 === 0 ? "promotional" : "available",
          }),
        ),
      );
    }
    const grow = () =>
      Promise.all([
        give(gateway, accountId, 1),
        give(gateway, accountId, 1, { balance: "promotional" }),
        client.post("/transfers", { subAccount: "loja", amount: 0.01 }),
      ]);
    const lines = await everyPage<Line>(client, "/statement?limit=100", { between: grow });
    assert.equal(lines.length, 2_500);
    assert.equal(new Set(lines.map((line) => `${line.balance} ${line.line}`)).size, 2_500);
    assert.deepEqual(
      lines.map((line) => line.bookedAt),
      lines
        .map((line) => line.bookedAt)
        .sort()
        .reverse(),
    );
    const few = await everyPage<Line>(client, "/statement?limit=99");
    await assertComplete(client, null, few);

    const streaming = csv(client);
    await grow();
    const streamed = linesOf((await streaming).text);
    assert.ok(streamed.length >= few.length);
    assert.equal(new Set(streamed.map((line) => `${line.balance} ${line.line}`)).size, streamed.length);
    const { rows } = await gateway.running.ctx.db.query<{ lines: number }>(sql`
      select count(*) as lines from ledger_lines l join ledger_accounts a on a.account_id = l.account_id and a.no = l.no
      where a.account_id = ${accountId} and a.owner_id = ${accountId}`);
    const all = linesOf((await csv(client)).text);
    assert.equal(all.length, rows[0]!.lines);
    await assertComplete(client, null, all);
  });

  test("a reader that goes away while it is streamed leaves nothing behind", async () => {
    const { accountId, client } = await newMerchant(gateway);
    await give(gateway, accountId, 1);
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        const stop = new AbortController();
        const response = await fetch(`${client.base}/statement`, {
          headers: { authorization: `Bearer ${client.token}`, accept: "text/csv" },
          signal: stop.signal,
        });
        stop.abort();
        await assert.rejects(response.text());
      }),
    );
    assert.equal((await statement(client)).status, 200);
  });

  test("reads its pages from the indexes of the lines", async () => {
    const { accountId, client } = await newMerchant(gateway);
    await give(gateway, accountId, 1);
    assert.equal((await statement(client)).body.items.length, 1);
    const { rows } = await gateway.running.ctx.db.transaction(async (tx) => {
      await tx.query(sql`set local enable_seqscan = off`);
      return tx.query<{ "QUERY PLAN": string }>(sql`
        explain select * from ledger_lines x where x.account_id = ${accountId} and x.no = 1 and x.seq < 5
        order by x.seq desc limit 21`);
    });
    const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
    assert.match(plan, /Merge Append[\s\S]*ledger_transfers_account_id_(from|to)_no_\w+_seq_key/);
    assert.doesNotMatch(plan, /Sort {2}\(/);
  });

  test("answers JSON unless CSV is asked for", async () => {
    const { client } = await newMerchant(gateway);
    for (const accept of [
      "application/json",
      "*/*",
      "text/*",
      "image/png",
      "text/csv;q=0",
      "application/json, text/csv",
    ]) {
      const reply = await csv(client, null, accept);
      assert.equal(reply.headers.get("content-type"), "application/json; charset=utf-8", accept);
      assert.equal(reply.headers.get("vary"), "accept");
    }
    for (const accept of [
      "text/csv",
      "TEXT/CSV",
      "text/csv;q=0.1, */*;q=0.9",
      "text/csv, application/json",
      "application/json;q=0.5,text/csv",
    ]) {
      const reply = await csv(client, null, accept);
      assert.equal(reply.headers.get("content-type"), "text/csv; charset=utf-8", accept);
      assert.equal(reply.headers.get("vary"), "accept");
    }
    assert.equal(prefersCsv(undefined), false);
    assert.equal(prefersCsv("text/csv;q=x"), false);
  });

  test("of one balance has its lines alone, in pages, of a time and as CSV; where all belong together it is refused", async (t) => {
    if (BANK === "api-pix") return t.skip("it lists no MED cases");
    const { accountId, client } = await newMerchant(gateway, ["loja"]);
    await give(gateway, accountId, 50);
    const charge = await client.post<{ id: string }>("/pix", { amount: 20, description: "d" });
    assert.equal((await client.post(`/sandbox/pix/${charge.body.id}/pay`)).status, 200);
    const contest = { transactionId: charge.body.id, amount: 12 };
    assert.equal((await client.post("/sandbox/balance-blocks", contest)).status, 201);
    const all = await everyPage<Line>(client, "/statement");
    assert.ok(all.some(({ balance }) => balance === "held") && all.some(({ balance }) => balance === "available"));
    for (const balance of ["available", "held", "promotional"]) {
      const own = all.filter((line) => line.balance === balance);
      for (const query of ["limit=1", "from=2020-01-01&limit=1", "to=2999-12-31"])
        assert.deepEqual(await everyPage<Line>(client, `/statement?balance=${balance}&${query}`), own, query);
      const file = await client.get(`/statement?balance=${balance}`, as(null, { accept: "text/csv" }));
      assert.deepEqual(linesOf(file.text).map(({ line }) => line), own.map(({ line }) => line)); // biome-ignore format: one line
    }
    const timed = await client.get<{ closingBalance?: number }>("/statement?balance=held&from=2020-01-01");
    assert.equal("closingBalance" in timed.body, false, "the total is of all balances");
    for (const query of ["subAccount=*", `transactionId=${charge.body.id}`, `originalTransactionId=${charge.body.id}`])
      assertInvalid(await statement(client, `?balance=held&${query}`), ["balance"]);
    const ofx = as(null, { accept: "application/x-ofx" });
    assertInvalid(await client.get("/statement?balance=held", ofx), ["balance"]);
    assertInvalid(await statement(client, "?balance=psp"), ["balance"]);
  });

  test("refuses limits and cursors that are none, and a credential without ACCOUNT:READ", async () => {
    const { accountId, client } = await newMerchant(gateway);
    for (const limit of ["0", "101", "x", "1.5"]) {
      assertInvalid(await statement(client, `?limit=${limit}`), ["limit"]);
    }
    const cursor = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
    for (const bad of [
      "x",
      "",
      cursor(["statement", 1, 1]),
      cursor(["statement", 1, 1, 0]),
      cursor(["statement", 1, 1, "1"]),
      cursor(["statement", 1, 1, 1.5]),
      cursor(["transactions", 1, 1, 1]),
      cursor(null),
    ]) {
      assertInvalid(await statement(client, `?cursor=${bad}`), ["cursor"]);
    }
    // Nobody's, but harmless: there is nothing below.
    assert.deepEqual((await statement(client, `?cursor=${cursor(["statement", 1, 1, 1])}`)).body.items, []);
    const weak = await credentialOf(gateway, accountId, { permissions: ["TRANSACTION:READ"] });
    assertRefused(await statement(weak), 403, "PERMISSION_DENIED");
    assertRefused(await csv(weak), 403, "PERMISSION_DENIED");
    assertRefused(await csv(client, "nowhere"), 404, "SUB_ACCOUNT_NOT_FOUND");
  });
});
