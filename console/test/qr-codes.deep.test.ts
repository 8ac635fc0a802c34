/** A code that stays, from the button to the wall: made, printed, paid and switched off by clicks in a real browser. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import AxeBuilder from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { callApi } from "./call-api.ts";
import { eventually } from "./eventually.ts";
import { type OpenConsole, openConsole, SETUP } from "./open-console.ts";

let opened: OpenConsole;
let page: Page;
before(async () => {
  opened = await openConsole();
  page = opened.page;
  await page.addInitScript("window.prints = 0; window.print = () => { window.prints++; };");
}, SETUP);
after(() => opened?.close());

test("a static code is made, printed as a poster and nothing else, paid, disabled and deleted", {
  timeout: 300_000,
}, async () => {
  await page.goto(new URL("/console/qr-codes", page.url()).href);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.getByText("Nenhum QR code para imprimir ainda.").waitFor();
  await page.getByRole("button", { name: "Novo QR code" }).click();
  const panel = page.getByRole("dialog");
  await panel.getByLabel(/^Nome/).fill("Gorjetas do balcão");
  await panel.getByLabel(/^Valor/).fill("7,50");
  await panel.getByRole("button", { name: "Criar QR code" }).click();
  await panel.getByRole("img", { name: "QR do Pix" }).waitFor();
  const { violations } = await new AxeBuilder({ page }).include("[role=dialog]").analyze();
  assert.deepEqual(
    violations.map(({ id }) => id),
    [],
  );

  await panel.getByRole("button", { name: "Imprimir cartaz" }).click();
  assert.equal(await page.evaluate("window.prints"), 1);
  const poster = page.locator(".poster");
  assert.equal(await poster.isVisible(), false);
  await page.emulateMedia({ media: "print" });
  assert.equal(await poster.isVisible(), true);
  assert.match(await poster.innerText(), /Pague com Pix[\s\S]*7,50[\s\S]*Gorjetas do balcão[\s\S]*Confira o nome/);
  assert.equal(await panel.getByRole("button", { name: "Desativar" }).isVisible(), false);
  // The picture is drawn, and large enough to be read from an arm's length.
  const size = await poster.locator("img").evaluate((image) => {
    const { naturalWidth, clientWidth } = image as unknown as { naturalWidth: number; clientWidth: number };
    return { naturalWidth, clientWidth };
  });
  assert.ok(size.naturalWidth > 0 && size.clientWidth > 200, JSON.stringify(size));
  await page.emulateMedia({ media: "screen" });

  const { items } = await callApi<{ items: { id: string }[] }>(page, "GET", "/v2/qr-codes");
  const code = items[0]!.id;
  const paid = await callApi<{ status: string; amount: number }>(page, "POST", `/v2/sandbox/qr-codes/${code}/pay`, {});
  assert.deepEqual([paid.status, paid.amount], ["completed", 7.5]);

  await panel.getByRole("link", { name: "Os pagamentos dele" }).click();
  await page.waitForURL(`**/console/charges?code=${code}`);
  await page.getByRole("button", { name: /QR code Gorjetas do balcão/ }).waitFor();
  assert.equal(await page.locator("tbody tr").count(), 1);
  await page.goBack();

  await panel.getByRole("button", { name: "Desativar" }).click();
  await panel.getByText("desativado", { exact: true }).waitFor();
  await panel.getByRole("button", { name: "Apagar" }).click();
  await page.getByText("Nenhum QR code para imprimir ainda.").waitFor();
  await eventually("the code to be gone", async () => {
    const list = await callApi<{ items: unknown[] }>(page, "GET", "/v2/qr-codes");
    return list.items.length === 0;
  });
  assert.deepEqual(opened.errors, []);
});
