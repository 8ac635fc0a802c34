/** An operator's day, clicked in a real browser: a payout nobody asked for is found, and two people decide what it was. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { type OpenConsole, openConsole } from "./open-console.ts";

let opened: OpenConsole;
let page: Page;
before(async () => {
  opened = await openConsole({ PIXGATE_TWO_PERSONS: "on" });
  page = opened.page;
});
after(() => opened?.close());

const addressOf = (path: string): string => new URL(`/console/operator${path}`, page.url()).href;
const open = async (path: string): Promise<void> => {
  await page.goto(addressOf(path));
  await page.getByRole("heading", { level: 1 }).waitFor();
};
const field = (label: RegExp | string) => page.getByRole("dialog").getByLabel(label);

describe("an operator's day", { timeout: 600_000 }, () => {
  test("finds a payout that nobody asked for: day, institution, finding, case", async () => {
    await opened.payAtBank("app0001", "1250.00");
    await open("/reconciliation");
    await page.locator(".calendar-day", { hasText: "hoje" }).click();
    await page.getByText("Enviados: falta nos livros").waitFor();
    await page.getByText("tem diferença").waitFor();
    await page.getByRole("link", { name: "Casos desta instituição" }).click();
    await page.getByRole("button", { name: /R\$\s1\.250,00/ }).click();
    await page.getByText("O que pode ser feito").waitFor();
  });

  test("proposes what it was, and cannot approve the own proposal", async () => {
    await page.getByRole("radio", { name: /^Lançar como dinheiro próprio/ }).check();
    await page.getByLabel("O que é", { exact: true }).selectOption("sweep");
    await page.getByRole("button", { name: /^Propor: / }).click();
    await page.getByText("Falta uma segunda pessoa, de finanças ou administração").waitFor();
    assert.equal(await page.getByRole("button", { name: /^Aprovar/ }).count(), 0);
  });

  test("is approved by a second person, who was invited by a link and types the amount", async () => {
    const about = page.url();
    await open("/people");
    await page.getByRole("button", { name: "Convidar" }).click();
    await field(/^E-mail/).fill("rafael@example.com");
    await field(/^Nome/).fill("Rafael Tanaka");
    await field("Papel").selectOption("finance");
    await page.getByRole("button", { name: "Criar link de convite" }).click();
    const link = await page.getByText(/#link=/).innerText();
    await page.getByRole("button", { name: "Guardei" }).click();
    const context = await page.context().browser()!.newContext({ locale: "pt-BR" });
    const second = await context.newPage();
    await second.goto(new URL(new URL(link).hash, new URL("/console/", page.url())).href);
    await second.getByRole("navigation").first().waitFor();
    await second.goto(about);
    await second.getByText("Falta uma segunda pessoa: você pode").waitFor();
    const approve = second.getByRole("button", { name: /^Aprovar: .*R\$\s1\.250,00$/ });
    assert.equal(await approve.isDisabled(), true);
    await second.getByLabel(/^Digite/).fill("1.250,00");
    await approve.click();
    await second.getByText("Aprovada e executada: Rafael Tanaka").waitFor();
    // The browser is one process, which ends with any of its contexts: it stays open.
  });

  test("sees the day agree, and the movement in the books", async () => {
    await open("/treasury");
    await page
      .getByRole("cell", { name: /R\$\s1\.250,00/ })
      .first()
      .waitFor();
    await open("/cases?status=closed");
    await page.getByRole("button", { name: /R\$\s1\.250,00/ }).waitFor();
    assert.deepEqual(opened.errors, []);
  });
});
