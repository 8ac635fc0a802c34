/** A charge with a due date by clicks in a real browser: made with a calendar of what it costs on which day, then changed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { callApi } from "./call-api.ts";
import { eventually } from "./eventually.ts";
import { brokenRules } from "./launch-browser.ts";
import { goTo, opened, page, withConsole } from "./with-console.ts";

type Shown = { due: { date: string; fine?: object; abatement?: object }; dueEdits?: { status: string }[] };
type Preview = { days: { date: string; amount: number }[]; dueDay: string };

withConsole();

/** The 10th or 20th of the month after next: days that are ahead at any time. */
const DAY = (day: number): string => {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 2, day)).toISOString().slice(0, 10);
};
const shownAs = (brl: number) => brl.toLocaleString("pt-BR", { minimumFractionDigits: 2 });
/** What the calendar shows of a day, by its number. */
const costOf = async (day: string): Promise<string> =>
  (await page
    .locator(".due-calendar td", { has: page.getByText(String(Number(day.slice(8))), { exact: true }) })
    .locator(".cost")
    .last()
    .textContent()) ?? "";
const assertSound = async () => {
  assert.deepEqual(await brokenRules(page, [], "[role=dialog]"), []);
};

test("the calendar shows what a charge would cost while it is written, and what it costs after its terms were changed", {
  timeout: 300_000,
}, async () => {
  await goTo("charges");
  await page.getByRole("button", { name: "Nova cobrança" }).click();
  const panel = page.getByRole("dialog");
  await panel.getByLabel(/^Valor/).fill("100,00");
  await panel.getByLabel(/^Descrição/).fill("Mensalidade");
  await panel.getByText("Quem paga, ou vencimento em vez do prazo").click();
  await panel.getByLabel("Nome de quem paga").fill("Maria Silva");
  await panel.getByLabel(/CPF ou CNPJ/).fill("12345678909");
  await panel.locator("input[name=dueDate]").fill(DAY(10));
  await panel.getByLabel("Multa por atraso").fill("2");
  await panel.getByLabel("Juros ao mês por atraso").fill("3");
  const { days, dueDay } = await callApi<Preview>(page, "POST", "/v2/pix/due-preview", {
    ...{ amount: 100, from: `${DAY(10).slice(0, 7)}-01`, days: 31 },
    due: { date: DAY(10), fine: { percent: 2 }, interest: { percent: 3, per: "month" } },
  });
  // 31 days reach beyond a shorter month, which is all that the calendar shows.
  const last = days.findLast(({ date }) => date.startsWith(DAY(10).slice(0, 7)))!;
  assert.ok(last.amount > 102, "it is late then");
  await eventually("the calendar to show the last day", async () => (await costOf(last.date)) === shownAs(last.amount));
  await eventually("the due day", async () => (await costOf(dueDay)) === "100,00");
  await assertSound();
  await panel.getByRole("button", { name: "Criar cobrança" }).click();
  await panel.getByRole("link", { name: /Abrir/ }).click();
  await page.waitForURL("**/console/charges/*-*");
  const id = page.url().split("/").at(-1)!;
  await eventually("the charge's own calendar", async () => (await costOf(last.date)) === shownAs(last.amount));

  await page.getByRole("button", { name: "Mudar vencimento" }).click();
  await panel.locator("input[name=dueDate]").fill(DAY(20));
  await panel.getByLabel("Multa por atraso").fill("10,5");
  await assertSound();
  await panel.getByRole("button", { name: "Mudar", exact: true }).click();
  await panel.waitFor({ state: "detached" });
  const charge = await callApi<Shown>(page, "GET", `/v2/transactions/${id}`);
  assert.deepEqual(charge.due, {
    ...{ date: DAY(20), daysAfter: 30, fine: { percent: 10.5 } },
    interest: { percent: 3, per: "month", days: "calendar" },
  });
  assert.deepEqual(
    charge.dueEdits!.map(({ status }) => status),
    ["done"],
  );
  await page.getByText("Mudanças de vencimento").waitFor();
  assert.deepEqual(opened.errors, []);
});

test("terms that the form has no fields for stay when its due date is changed", { timeout: 300_000 }, async () => {
  const made = await callApi<{ id: string }>(page, "POST", "/v2/pix", {
    ...{ amount: 100, description: "Aluguel", customer: { name: "Maria Silva", document: "12345678909" } },
    due: { date: DAY(10), fine: { fixed: 5 }, abatement: { fixed: 7 } },
  });
  await goTo(`charges/${made.id}`);
  await page.getByRole("button", { name: "Mudar vencimento" }).click();
  const panel = page.getByRole("dialog");
  await panel.getByText("As outras condições desta cobrança continuam como estão.").waitFor();
  await panel.locator("input[name=dueDate]").fill(DAY(20));
  await panel.getByRole("button", { name: "Mudar", exact: true }).click();
  await panel.waitFor({ state: "detached" });
  const { due } = await callApi<Shown>(page, "GET", `/v2/transactions/${made.id}`);
  assert.deepEqual(due, { date: DAY(20), daysAfter: 30, fine: { fixed: 5 }, abatement: { fixed: 7 } });
  await callApi(page, "POST", `/v2/sandbox/pix/${made.id}/pay`, {});
  await goTo("statement");
  const movement = page.getByRole("row").filter({ hasText: "Pix recebido" });
  await movement.getByText(/^original R\$\s100,00 · abatimento R\$\s7,00$/).waitFor();
  assert.deepEqual(opened.errors, []);
});
