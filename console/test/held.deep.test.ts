/** What is held is explained from the ledger: for whom, why, until when, and the rows add up to the balance. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { callApi } from "./call-api.ts";
import { eventuallyEqual } from "./eventually.ts";
import { goTo, opened, page, withConsole } from "./with-console.ts";

withConsole();

type Balance = { readonly balance: { readonly held: { readonly amountFormatted: number } } };
const held = async () => (await callApi<Balance>(page, "GET", "/v2/account")).balance.held.amountFormatted;
const centavos = (text: string): number => Number(text.replace(/\D/g, "")) * (text.includes("−") ? -1 : 1);

async function pay(amount: number): Promise<string> {
  const { id } = await callApi<{ id: string }>(page, "POST", "/v2/pix", { amount, description: "Cesta" });
  await callApi(page, "POST", `/v2/sandbox/pix/${id}/pay`, {});
  return id;
}

test("each withdrawal, refund and dispute that holds money is a row that leads to it, on a desk and on a phone", {
  timeout: 300_000,
}, async () => {
  const contested = await pay(80);
  const refunded = await pay(60);
  await pay(500);
  await callApi(page, "POST", "/v2/sandbox/balance-blocks", { transactionId: contested, reason: "Não reconheço" });
  // The simulator waits with a refund of this reason.
  await callApi(page, "POST", `/v2/transactions/${refunded}/refund`, { reason: "manual" });
  const holder = { holderName: "Rosana Figueiredo", holderDocument: "52998224725", holderDocumentType: "cpf" };
  await callApi(page, "PUT", "/operator/v1/brakes", { scope: "all", paused: true, reason: "Conferência" });
  await callApi(page, "POST", "/v2/withdrawals", {
    ...{ amount: 40, pixKey: "52998224725", pixKeyType: "cpf", externalReference: "s-1" },
    ...holder,
  });
  await eventuallyEqual(async () => (await held()) >= 180, true);
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await goTo("statement?balance=held");
    await page.getByText("O que está retido agora").waitFor();
    const rows = page.locator(".held-rows > li");
    await rows.nth(2).waitFor();
    const texts = await rows.allTextContents();
    assert.equal(texts.length, 3, texts.join("\n"));
    assert.match(texts[0]!, /MED.*restam/s);
    assert.match(texts[1]!, /Saque para\s*Rosana Figueiredo/);
    assert.match(texts[2]!, /Devolução para.*até o banco confirmar/s);
    const amounts = await rows.locator(".money, .num").allTextContents();
    const sum = amounts.filter((text) => text.includes("R$")).reduce((all, text) => all + centavos(text), 0);
    assert.equal(sum, Math.round((await held()) * 100), amounts.join());
  }
  await page.locator(".held-rows").getByRole("link").first().click();
  await page.waitForURL(/\/blocks\//);
  assert.deepEqual(opened.errors, []);
});
