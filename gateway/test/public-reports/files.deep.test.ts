/**
 * Lists, amounts, files, codes and connections: what people have reported publicly of other payment SDKs, gateways, webhook senders and importers, tried on this one. The table of
 * all of them is in docs/tests.md; here is what no other test tries.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Pixgate } from "../../../sdk/src/index.ts";
import { sql } from "../../src/db/sql.ts";
import { buildDynamic, crc16, parse } from "../../src/lib/brcode.ts";
import { csvWriter, amount as money } from "../../src/lib/csv.ts";
import { newMerchant } from "../contract/money.ts";
import { pay } from "../contract/payments.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

const BIN = fileURLToPath(new URL("../../bin/pixgate.mjs", import.meta.url));
const run = promisify(execFile);

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway.stop());

const credential = () => ({ clientId: gateway.sandbox.clientId, clientSecret: gateway.sandbox.clientSecret });
const charges = async () =>
  (await gateway.owner.query<{ n: number }>(sql`select count(*)::int as n from charges`)).rows[0]!.n;
describe("Lists", () => {
  test("show every item once where many have one moment, to the microsecond, and one changes between two pages", async () => {
    const { client, accountId } = await newMerchant(gateway);
    const ids: string[] = [];
    for (let n = 0; n < 15; n += 1) {
      ids.push((await client.post<{ id: string }>("/pix", { amount: 1, description: `n ${n}` })).body.id);
    }
    await gateway.owner.query(sql`
      update charges set created_at = date_trunc('minute', created_at) + interval '123456 microseconds'
      where account_id = ${accountId}`);
    const seen: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const path: string = `/transactions?limit=4${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`;
      type Page = { items: { id: string }[]; nextCursor: string | null };
      const { status, body, text } = await client.get<Page>(path);
      assert.equal(status, 200, text);
      seen.push(...body.items.map(({ id }) => id));
      const unread = ids.find((id) => !seen.includes(id));
      if (cursor === "" && unread) assert.equal((await client.post(`/sandbox/pix/${unread}/pay`)).status, 200);
      cursor = body.nextCursor;
    }
    assert.deepEqual(seen.sort(), ids.sort());
  });
});

describe("Amounts", () => {
  /** Those of the reports, which became a centavo or a real less by way of a float. */
  const REPORTED = [142.2, 100.07, 169.9, 139.9, 9.9, 1.1, 1.29, 4.35, 19.99, 1.15, 8.2, 1_000, 1_234.56, 110.7, 64.1];

  test("are the same centavos in the answer, in the bank's books and in the files", async () => {
    for (const amount of REPORTED) {
      const made = await gateway.merchant.post<{ id: string; txid: string }>("/pix", { amount, description: "exact" });
      const read = await gateway.merchant.get<{ amount: number; txid: string }>(`/transactions/${made.body.id}`);
      assert.equal(read.body.amount, amount);
      const bank = await gateway.simulator.get<{ amountCentavos: number }>(`/charges/${read.body.txid}`);
      assert.equal(bank.body.amountCentavos, Number(amount.toFixed(2).replace(".", "")), String(amount));
    }
    const written = (format: "en" | "pt-BR") =>
      REPORTED.map((amount) =>
        csvWriter(format)
          .line([money(Math.round(amount * 100))])
          .trim(),
      );
    for (const cell of written("en")) assert.match(cell, /^\d+\.\d\d$/);
    for (const cell of written("pt-BR")) assert.match(cell, /^\d+,\d\d$/);
  });

  test("with a comma, with thousands, or as no decimal are refused on the command line: nothing is charged", async () => {
    const was = await charges();
    const { baseUrl, clientId, clientSecret } = gateway.sandbox;
    const env = {
      PATH: process.env.PATH,
      PIXGATE_API_URL: new URL(baseUrl).origin,
      PIXGATE_CLIENT_ID: clientId,
      PIXGATE_CLIENT_SECRET: clientSecret,
    };
    for (const amount of ["9,90", "1.234,56", "1,000.00", "12,50", "1e3", "0x10", " ", "R$ 10", "10.005"]) {
      const args = [BIN, "charges", "create", "--amount", amount, "--description", "x"];
      const { code, stderr } = await run(process.execPath, args, { env }).then(
        () => assert.fail(`${amount} was taken`),
        (error: unknown) => error as { code: number; stderr: string },
      );
      assert.ok(code === 1 || code === 2, stderr);
      assert.match(stderr, /amount/, amount);
    }
    assert.equal(await charges(), was);
  });
});

describe("An OFX file", () => {
  test("names every line by itself, a payment and its fee too, and each the same way in the next file", async () => {
    await pay(gateway.merchant, 7);
    await pay(gateway.merchant, 7);
    const file = async (from: string) => {
      const answer = await fetch(`${gateway.sandbox.baseUrl}/statement?from=${from}`, {
        headers: { authorization: `Bearer ${gateway.merchant.token}`, accept: "application/x-ofx" },
      });
      assert.equal(answer.status, 200);
      const text = Buffer.from(await answer.arrayBuffer()).toString("latin1");
      assert.match(text, /<ACCTID>[^<]+/);
      const lines = [...text.matchAll(/<TRNAMT>([^<]+)<\/TRNAMT>\s*<FITID>([^<]+)/g)];
      for (const [posted] of text.matchAll(/<DTPOSTED>[^<]+/g)) assert.match(posted, /\d{14}\[-3:BRT\]$/);
      return new Map(lines.map(([, amount, id]) => [id!, amount!]));
    };
    const [long, again] = [await file("2020-01-01"), await file("2026-01-01")];
    assert.ok(long.size >= 4, String(long.size));
    const amounts = [...long.values()];
    assert.ok(amounts.filter((amount) => amount === "7.00").length >= 2 && amounts.includes("-0.50"), amounts.join());
    assert.deepEqual(again, long);
  });
});

describe("The edges", () => {
  test("a slash at the end of the SDK's address is none of its paths'", async () => {
    for (const end of ["/", "//", "/v2", "/v2/"]) {
      const pixgate = new Pixgate({ baseUrl: `${gateway.running.url}${end}`, ...credential() });
      assert.ok(await pixgate.account.get(), end);
    }
  });

  test("no header that we read or send has an underscore, which nginx drops", async () => {
    for (const side of ["merchant", "operator"] as const) {
      const { default: document } = await import(`../../../openapi/${side}.json`, { with: { type: "json" } });
      const names = new Set<string>();
      JSON.stringify(document, (_key, value) => {
        if (value?.in === "header") names.add(value.name);
        for (const name of Object.keys(value?.headers ?? {})) names.add(name);
        return value;
      });
      assert.ok(names.size > 3);
      for (const name of names) assert.match(name, /^[A-Za-z0-9-]+$/);
    }
  });

  test("a checksum that begins with zeros has four digits, and an accented name has its limit in the code", () => {
    let short = 0;
    for (let n = 0; n < 600; n += 1) {
      const location = `pix.example.com/qr/v2/${n}`;
      const code = buildDynamic({
        location,
        merchantName: "JOÃO & CIA LTDA DE ROUPAS ESPORTIVAS",
        city: "Jaraguá do Sul",
      });
      if (crc16(code!.slice(0, -4)).startsWith("0")) short += 1;
      assert.match(code!, /6304[0-9A-F]{4}$/);
      const read = parse(code!);
      assert.ok(!("error" in read));
      assert.ok(read.merchantName!.length <= 25 && read.city!.length <= 15);
      assert.match(`${read.merchantName}${read.city}`, /^[ -~]+$/);
    }
    assert.ok(short > 10);
  });

  test("idle connections to the database that somebody ends are no error of the next call", async () => {
    await gateway.merchant.get("/account");
    await gateway.owner.query(sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and state = 'idle'`);
    await eventually("the gateway to see them end", async () => (await fetch(`${gateway.running.url}/readyz`)).ok);
    for (let n = 0; n < 10; n += 1) assert.equal((await gateway.merchant.get("/account")).status, 200);
  });
});
