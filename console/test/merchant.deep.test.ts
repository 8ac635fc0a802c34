/** A merchant's further tasks, clicked in a real browser on a sandbox that comes to life by itself. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { type OpenConsole, openConsole } from "./open-console.ts";

let opened: OpenConsole;
let page: Page;
before(async () => {
  opened = await openConsole();
  page = opened.page;
});
after(() => opened?.close());

const open = async (path: string): Promise<void> => {
  await page.goto(new URL(`/console/${path}`, page.url()).href);
  await page.getByRole("heading", { level: 1 }).waitFor();
};
const field = (label: RegExp | string) => page.getByRole("dialog").getByLabel(label);

describe("a merchant", { timeout: 300_000 }, () => {
  test("makes some traffic in an empty sandbox, and sees it end by itself", async () => {
    await page.getByText("Nenhuma cobrança ainda.").waitFor();
    await page.getByRole("button", { name: "Gerar movimento" }).click();
    await field("Por quanto tempo").selectOption("1");
    await field("Quantos pagam").selectOption("60");
    await page.getByRole("button", { name: "Começar" }).click();
    await page.getByText(/^Gerando movimento, 60 por minuto/).waitFor();
    // It lives: what was contested asks for an answer, and payments come in.
    await page.getByRole("link", { name: /^Contestação de/ }).waitFor();
    await page.getByRole("link", { name: /^Um endereço não responde/ }).waitFor({ timeout: 60_000 });
    await page
      .getByText(/^Gerando movimento/)
      .first()
      .waitFor({ state: "detached", timeout: 90_000 });
    await page.getByRole("button", { name: "Gerar movimento" }).waitFor();
    await open("withdrawals");
    await page
      .getByRole("cell", { name: /Rosana Figueiredo/ })
      .first()
      .waitFor();
  });

  test("ends traffic before its time", async () => {
    await open("");
    await page.getByRole("button", { name: "Gerar movimento" }).click();
    await page.getByRole("button", { name: "Começar" }).click();
    await page.getByRole("button", { name: "Parar" }).click();
    await page
      .getByText(/^Gerando movimento/)
      .first()
      .waitFor({ state: "detached" });
  });

  test("makes a credential whose secret is shown once, replaces the secret, and ends it", async () => {
    await open("developers/credentials");
    await page.getByRole("button", { name: "Nova credencial" }).click();
    await field(/^Nome/).fill("Loja da esquina");
    await field(/^Sacar/).check();
    await field("Saques só destes endereços").fill("192.0.2.0/24");
    await page.getByRole("button", { name: "Criar credencial" }).click();
    await page.getByText(/client_secret=pgs_/).waitFor();
    await page.getByRole("button", { name: "Guardei" }).click();
    await page.getByRole("button", { name: "Loja da esquina" }).first().click();
    await page.getByRole("button", { name: "Trocar segredo" }).click();
    await page.getByText(/client_secret=pgs_/).waitFor();
    await page.getByRole("button", { name: "Guardei" }).click();
    await page.getByRole("button", { name: "Encerrar Loja da esquina" }).click();
    await page
      .getByRole("row", { name: /Loja da esquina/ })
      .getByText("Encerrada")
      .waitFor();
    assert.deepEqual(opened.errors, []);
  });
});
