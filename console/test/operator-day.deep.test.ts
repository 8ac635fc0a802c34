/** An operator's day, clicked in a real browser: a payout nobody asked for is found. */
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

const addressOf = (path: string): string => new URL(`/console/operator${path}`, page.url()).href;
const open = async (path: string): Promise<void> => {
  await page.goto(addressOf(path));
  await page.getByRole("heading", { level: 1 }).waitFor();
};

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
    assert.deepEqual(opened.errors, []);
  });
});
