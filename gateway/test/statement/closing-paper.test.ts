/** The close of a month as a paper equals the ledger. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { give, newMerchant } from "../contract/money.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { readFile } from "../harness/read-file.ts";
import { pagesOfPdf } from "../harness/read-pdf.ts";

type Summary = {
  month: string;
  openingBalance: number;
  closingBalance: number;
  items: { type: string; count: number; in: number; out: number }[];
  fees: { operation: string; count: number; amount: number }[];
};

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway.end());

const brl = (amount: number) => new Intl.NumberFormat("pt-BR", { style: "currency", currency: "BRL" }).format(amount);

test("the close of the month has the balances, each type and each fee of the ledger, in both languages", async () => {
  await give(gateway, gateway.sandbox.accountId, 1_234.56);
  const { body: summary } = await gateway.merchant.get<Summary>("/statement/summary");
  assert.ok(summary.closingBalance > 0);
  const file = (query: string) => readFile(gateway.merchant, `/statement/summary${query}`, "application/pdf");
  const { status, type, bytes } = await file("");
  assert.deepEqual([status, type], [200, "application/pdf"]);
  const text = pagesOfPdf(bytes).join("\n");
  assert.match(text, /^Fechamento de \p{L}+ de \d{4}\n/u);
  assert.ok(text.includes(`Saldo inicial\n${brl(summary.openingBalance)}\n`), text);
  assert.ok(text.includes(`Saldo final\n${brl(summary.closingBalance)}\n`), text);
  for (const item of summary.items) {
    const shown = [String(item.count), item.in === 0 ? "–" : brl(item.in), item.out === 0 ? "–" : brl(0 - item.out)];
    assert.ok(text.includes(`\n${shown.join("\n")}\n`), `${item.type}: ${text}`);
  }
  for (const { amount } of summary.fees) assert.ok(text.includes(brl(amount)), text);
  assert.match(pagesOfPdf((await file("?language=en")).bytes)[0]!, /^Close of \w+ \d{4}\n/);
});

test("a month of which there is nothing has a close of nothing, and one that is no month none", async () => {
  const empty = await readFile(gateway.merchant, "/statement/summary?month=2020-02", "application/pdf");
  assert.match(pagesOfPdf(empty.bytes)[0]!, /Saldo final\nR\$\s0,00\n/);
  const wrong = await readFile(gateway.merchant, "/statement/summary?month=2020-13", "application/pdf");
  assert.equal(wrong.status, 400);
});

test("a month of sums above what one payment may be has a close too", async () => {
  const much = await newMerchant(gateway);
  for (let times = 0; times < 3; times++) await give(gateway, much.accountId, 9_999_999_999.99);
  const { status, bytes } = await readFile(much.client, "/statement/summary", "application/pdf");
  assert.equal(status, 200);
  assert.match(pagesOfPdf(bytes)[0]!, /Saldo final\nR\$\s29\.999\.999\.999,97\n/);
});
