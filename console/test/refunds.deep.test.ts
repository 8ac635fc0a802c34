/** Refunds are a list of their own in a real browser: by state and by charge, each leading to its charge and its ledger lines. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { callApi } from "./call-api.ts";
import { eventually, eventuallyEqual, eventuallyReads } from "./eventually.ts";
import { brokenRules } from "./launch-browser.ts";
import { goTo, opened, page, withConsole } from "./with-console.ts";

withConsole();

type Listed = { readonly items: { readonly refundTransactionId: string; readonly status: string }[] };
const statuses = async () =>
  (await callApi<Listed>(page, "GET", "/v2/refunds")).items.map(({ status }) => status).sort();

async function paid(amount: number, externalReference: string): Promise<string> {
  const { id } = await callApi<{ id: string }>(page, "POST", "/v2/pix", {
    ...{ amount, description: "Cesta", externalReference },
  });
  await callApi(page, "POST", `/v2/sandbox/pix/${id}/pay`, {});
  return id;
}

test("the list shows refunds under way, settled and not made, and its panel leads to the charge and to the money's lines", {
  timeout: 300_000,
}, async () => {
  const [whole, waiting, refused] = [
    await paid(60, "pedido-1"),
    await paid(80, "pedido-2"),
    await paid(90, "pedido-3"),
  ];
  await callApi(page, "POST", `/v2/transactions/${whole}/refund`, { amount: 25, reason: "Veio amassado" });
  // The simulator waits with a refund of this reason.
  await callApi(page, "POST", `/v2/transactions/${waiting}/refund`, { reason: "manual" });
  await callApi(page, "POST", `/v2/transactions/${refused}/refund`, { reason: "manual" });
  await callApi(page, "POST", `/v2/sandbox/refunds/${refused}/settle`, { outcome: "fail" });
  await eventuallyEqual(async () => (await statuses()).join(), "CONFIRMED,ERROR,PENDING");

  await goTo("");
  await page.getByRole("link", { name: "Devoluções" }).click();
  const rows = page.locator("tbody tr");
  await eventuallyEqual(() => rows.count(), 3);
  // By the ledger, where a refund is once it is made.
  await page.getByRole("link", { name: /^R\$\s25,00 em 1 devolução$/ }).waitFor();
  // What was not made is no part of a sum.
  await page.getByText(/^3 devoluções · devolvidos R\$\s25,00 · a caminho R\$\s80,00 · tarifas R\$\s0,25$/).waitFor();
  assert.match(await rows.filter({ hasText: "pedido-1" }).innerText(), /R\$\s0,25\s+R\$\s25,00$/);
  assert.deepEqual(await brokenRules(page), []);
  for (const [tab, reference] of [
    ["A caminho", "pedido-2"],
    ["Feitas", "pedido-1"],
    ["Não feitas", "pedido-3"],
  ] as const) {
    await page.getByRole("navigation", { name: "Estados" }).getByRole("link", { name: tab, exact: true }).click();
    await eventually(`only ${reference}`, async () => {
      const texts = await rows.allTextContents();
      return texts.length === 1 && texts[0]!.includes(reference);
    });
  }

  await goTo(`refunds?charge=${whole}`);
  await rows.filter({ hasText: "pedido-1" }).click();
  const panel = page.getByRole("dialog");
  await panel.getByText("Veio amassado").waitFor();
  await panel.getByText("Devolução a quem pagou").waitFor();
  await eventuallyReads(
    panel.locator(".sums"),
    /^Devolução a quem pagou −R\$ 25,00 Tarifa de devolução −R\$ 0,25 Efeito no seu saldo −R\$ 25,25$/,
  );
  await panel.getByRole("link", { name: "Abrir a cobrança" }).click();
  await page.waitForURL(new RegExp(`/charges/${whole}`));
  assert.deepEqual(opened.errors, []);
});

test("a charge is listed, and counted below the list, by the state that its row says", {
  timeout: 120_000,
}, async () => {
  await goTo("charges");
  // Of the first payment a part went back; the second goes back.
  await page.getByText(/^3 cobranças · pagas R\$\s125,00 · devolvendo R\$\s80,00 · devolvidas R\$\s25,00$/).waitFor();
  const rows = page.locator("main tbody tr");
  for (const [tab, references] of [
    ["Pagas", ["pedido-3"]],
    ["Devolvidas", ["pedido-2", "pedido-1"]],
    ["Contestadas", []],
  ] as const) {
    await page.getByRole("navigation", { name: "Estados" }).getByRole("link", { name: tab }).click();
    await eventuallyEqual(
      async () => (await rows.allInnerTexts()).map((text) => /pedido-\d/.exec(text)?.[0]),
      [...references],
    );
  }
  assert.deepEqual(opened.errors, []);
});

test("the statement leads from a payment to what came back of it later, and from that to the payment", {
  timeout: 120_000,
}, async () => {
  await goTo("statement");
  const rows = page.locator("main tbody tr");
  const rowOf = (...texts: readonly string[]) => texts.reduce((some, hasText) => some.filter({ hasText }), rows);
  const payment = rowOf("Pix recebido", "pedido-1");
  await payment.getByText(/Depois\s+−R\$\s25,25/).waitFor();
  assert.match(await rowOf("Devolução", "do pagamento", "pedido-1").innerText(), /−R\$\s25,25/);
  // What was held of it is back: nothing of it has left.
  assert.doesNotMatch(await rowOf("Pix recebido", "pedido-3").innerText(), /Depois/);
  assert.doesNotMatch(await payment.innerText(), /do pagamento/);
  // Three payments of two lines each; three refunds, one of which was given back.
  await page.getByText("7 movimentos, 10 lançamentos", { exact: true }).waitFor();
  await payment.getByRole("link", { name: /^Depois/ }).click();
  await page.getByRole("button", { name: "De um pagamento" }).waitFor();
  await rowOf("Devolução a quem pagou").getByRole("link", { name: "pedido-1" }).click();
  await page.waitForURL(/\/charges\/[0-9a-f-]{36}$/);
  await page.getByText("devolvidos a quem pagou").first().waitFor();
  assert.deepEqual(opened.errors, []);
});

test("the file has exactly the rows of the filters", { timeout: 120_000 }, async () => {
  await goTo("refunds?state=CONFIRMED");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "CSV" }).click(),
  ]);
  const lines = readFileSync(await download.path(), "utf8")
    .trim()
    .split("\r\n");
  assert.equal(lines.length, 2, lines.join("\n"));
  assert.match(lines[1]!, /;pedido-1;CONFIRMED;.*;25,00;/);
});

test("on a phone a row has who gets the money, the state and the amount", { timeout: 120_000 }, async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await goTo("refunds");
  await page.getByText("Não feita; o dinheiro voltou ao saldo").locator("visible=true").first().waitFor();
  const wide = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
  assert.ok(wide <= 0, `${wide} px wider than the phone`);
});
