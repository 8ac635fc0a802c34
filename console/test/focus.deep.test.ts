/** The focus is never lost to the page: after making, opening and paying, the keyboard goes on where the reader is. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventuallyEqual } from "./eventually.ts";
import { goTo, opened, page, withConsole } from "./with-console.ts";

withConsole();

const isLost = () =>
  page.evaluate<boolean>("document.activeElement === null || document.activeElement === document.body");

test("the focus stays in the screen after a charge was made, opened and paid by the keyboard alone", {
  timeout: 300_000,
}, async () => {
  await goTo("charges");
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.getByRole("button", { name: "Nova cobrança" }).first().press("Enter");
  await page.getByLabel("Valor", { exact: false }).fill("32,50");
  await page.getByLabel("Descrição", { exact: false }).fill("Cesta");
  await page.getByRole("button", { name: "Criar cobrança" }).press("Enter");
  await page.getByAltText("QR do Pix").waitFor();
  await eventuallyEqual(isLost, false);
  await page.getByText("Abrir a cobrança").press("Enter");
  await page.getByRole("heading", { name: "O que aconteceu" }).waitFor();
  await eventuallyEqual(isLost, false);
  await page.getByRole("button", { name: /^Pagar R\$/ }).press("Enter");
  await page.getByText("Creditada no saldo").waitFor();
  await eventuallyEqual(isLost, false);
  assert.deepEqual(opened.errors, []);
});
