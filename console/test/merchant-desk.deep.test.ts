/** In a real browser: notes beside a charge, the balances of all wallets, and a dispute whose amount the bank has changed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { callApi } from "./call-api.ts";
import { eventually, eventuallyReads } from "./eventually.ts";
import { brokenRules } from "./launch-browser.ts";
import { open, opened, page, withConsole } from "./with-console.ts";

withConsole();

const assertSound = async () => {
  assert.deepEqual(await brokenRules(page), []);
};

async function paid(amount: number): Promise<string> {
  const { id } = await callApi<{ id: string }>(page, "POST", "/v2/pix", { amount, description: "Cesta" });
  await callApi(page, "POST", `/v2/sandbox/pix/${id}/pay`, {});
  return id;
}

test("a note is written beside a charge, with who wrote it, stays after a reload, and is deleted once it is asked for twice", {
  timeout: 300_000,
}, async () => {
  await open(`charges/${await paid(30)}`);
  const notes = page.locator("section", { has: page.getByRole("heading", { name: "Anotações" }) });
  await notes.getByRole("textbox", { name: "Nova anotação" }).fill("Cliente ligou: entregar na portaria.");
  await notes.getByRole("button", { name: "Anotar" }).click();
  await notes.getByRole("listitem").filter({ hasText: "entregar na portaria" }).waitFor();
  assert.equal(await notes.getByRole("textbox").inputValue(), "");
  await page.reload();
  await eventuallyReads(notes.getByRole("listitem"), /Cliente ligou: entregar na portaria\..+ · \d+:\d+/s);
  await assertSound();
  await notes.getByRole("button", { name: "Apagar" }).click();
  await notes.getByRole("button", { name: "Apagar de vez" }).click();
  await notes.getByRole("listitem").waitFor({ state: "detached" });
  assert.deepEqual(opened.errors, []);
});

test("every wallet stands in the list with what is available and held, and their sum is that of the account", {
  timeout: 300_000,
}, async () => {
  await paid(40);
  await callApi(page, "POST", "/v2/sub-accounts", { reference: "loja-centro", name: "Loja Centro" });
  await callApi(page, "POST", "/v2/transfers", { subAccount: "loja-centro", amount: 12.5 });
  await open("wallets");
  const row = page.locator("tbody tr", { hasText: "Loja Centro" });
  await eventuallyReads(row, /Loja Centro.*R\$\s12,50/s);
  await eventuallyReads(
    page.locator("tbody tr", { hasText: "Carteira principal" }).first(),
    /Carteira principal.*R\$/s,
  );
  type Balances = { items: { available: number; total: number }[] };
  const { items } = await callApi<Balances>(page, "GET", "/v2/balances");
  assert.equal(items.length, 2);
  await assertSound();
  await row.click();
  await page.getByRole("dialog").getByText("R$").first().waitFor();
  await page.keyboard.press("Escape");
  await page.locator("tbody tr", { hasText: "Carteira principal" }).first().click();
  await page.getByRole("dialog").getByText("Ver esta carteira em todas as telas").waitFor();
  await page.keyboard.press("Escape");
  assert.deepEqual(opened.errors, []);
});

test("a dispute says from which amount to which the bank has changed it, and when", { timeout: 300_000 }, async () => {
  const transactionId = await paid(80);
  await callApi(page, "POST", "/v2/sandbox/balance-blocks", { transactionId, reason: "Não recebi" });
  type Blocks = { items: { id: string; amountChanges?: object[] }[] };
  const newest = async () => (await callApi<Blocks>(page, "GET", "/v2/balance-blocks")).items[0];
  await eventually("the block", newest);
  const block = (await newest())!;
  await open(`blocks/${block.id}`);
  await page.getByText("Sua defesa").first().waitFor();
  assert.equal(await page.getByText("O valor mudou").count(), 0);
  await callApi(page, "PATCH", `/v2/sandbox/balance-blocks/${block.id}`, { amount: 50 });
  // The page hears of it by the event of the change.
  await page.getByText("De R$ 80,00 para R$ 50,00: a diferença voltou ao saldo").waitFor();
  await page.getByText("Aberto com R$ 80,00").waitFor();
  await open("statement?lines=held");
  await eventually("lines of what is held alone", async () => {
    const rows = await page.locator("main tbody tr").allTextContents();
    return rows.length > 0 && rows.every((text) => text.includes("· Retido"));
  });
  await assertSound();
  assert.deepEqual(opened.errors, []);
});
