/** An operator adds a bank that speaks the API Pix by the guided form, in a real browser. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { type Bank, openBank } from "./bank.ts";
import { type OpenConsole, openConsole } from "./open-console.ts";

let bank: Bank;
let opened: OpenConsole;
let page: Page;
before(async () => {
  bank = await openBank();
  opened = await openConsole();
  page = opened.page;
});
after(async () => {
  await opened?.close();
  await bank?.close();
});

const addressOf = (path: string): string => new URL(`/console/operator${path}`, page.url()).href;
const open = async (path: string): Promise<void> => {
  await page.goto(addressOf(path));
  await page.getByRole("heading", { level: 1 }).waitFor();
};
const field = (label: RegExp | string) => page.getByRole("dialog").getByLabel(label);

describe("a new bank", { timeout: 300_000 }, () => {
  test("is added by the form with its addresses, and its connection is tested step by step", async () => {
    await open("/institutions");
    await page.getByRole("button", { name: "Adicionar instituição" }).first().click();
    await field("Tipo").selectOption("api-pix");
    await field("Banco").selectOption({ label: "Outro banco" });
    await field(/^Nome/).fill("Banco Aurora");
    await field(/^Endereço da API Pix/).fill(bank.baseUrl);
    await field(/^Endereço do token/).fill(bank.tokenUrl);
    await field(/^Client id/).fill(bank.clientId);
    await page
      .getByRole("dialog")
      .getByLabel(/^Client secret/)
      .first()
      .fill(bank.clientSecret);
    await field(/^Chave Pix/).fill(bank.pixKey);
    await page.getByRole("button", { name: "Adicionar", exact: true }).click();
    await page.getByRole("heading", { name: "Banco Aurora" }).waitFor();
    await page.getByRole("button", { name: "Testar a conexão" }).click();
    await page.getByText("Tudo o que foi tentado funciona.").waitFor();
    await page.getByText("Chave Pix, funciona").waitFor();
    // The API Pix has no payouts.
    await page.getByText("Saques, o banco não oferece").waitFor();
    assert.deepEqual(opened.errors, []);
  });
});
