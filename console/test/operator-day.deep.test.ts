/** An operator's day, clicked in a real browser: a payout nobody asked for is found, and two people decide what it was. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { invitePerson } from "./invite-person.ts";
import { goTo, open, opened, page, withConsole } from "./with-console.ts";

/** On which the bank paid, YYYY-MM-DD: midnight may pass between two tests. */
let day = "";
withConsole({ PIXGATE_TWO_PERSONS: "on", PIXGATE_TWO_PERSONS_ABOVE: "off" });

describe("an operator's day", { timeout: 600_000 }, () => {
  test("finds a payout that nobody asked for: day, institution, finding, case", async () => {
    await opened.payAtBank("app0001", "1250.00");
    await open("operator/reconciliation");
    await page.locator(".calendar-day", { hasText: "hoje" }).click();
    // Seeing a day compares nothing.
    await page.getByRole("button", { name: "Conciliar agora" }).click();
    // The cell says what differs, in BRL and by a shape.
    const cell = page.locator('.calendar-day[aria-current="date"]');
    await cell.filter({ hasText: /−R\$\s1\.250,00/ }).waitFor();
    await cell.locator(".shape.needs").waitFor();
    await cell.filter({ hasText: /Tem diferença, −R\$\s1\.250,00/ }).waitFor();
    day = new URL(page.url()).searchParams.get("day")!;
    await page.getByText("1 dia tem diferença, −R$").first().waitFor();
    await page.getByRole("link", { name: /Enviados: falta nos livros.*Abrir o caso/ }).click();
    await page.waitForURL(/cases\?open=/);
    await page.getByText("O que pode ser feito").waitFor();
    // What was found and the first line of the history, both in the person's language.
    await page
      .getByText(/Saiu do banco e não está nos livros/)
      .nth(1)
      .waitFor();
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
    const second = await invitePerson(page, "rafael@example.com", "Rafael Tanaka");
    await second.goto(about);
    await second.getByText("Falta uma segunda pessoa: você pode").waitFor();
    const approve = second.getByRole("button", { name: /^Aprovar e lançar R\$\s1\.250,00$/ });
    assert.equal(await approve.isDisabled(), true);
    // A phone keeps the proposal in sight: the field comes once somebody means to approve.
    await second.setViewportSize({ width: 360, height: 800 });
    await second.getByLabel(/^Digite/).waitFor({ state: "detached" });
    await second.getByRole("button", { name: /^Aprovar e lançar R\$\s1\.250,00…$/ }).click();
    await second
      .locator("input:focus")
      .and(second.getByLabel(/^Digite/))
      .waitFor();
    assert.equal(await approve.isDisabled(), true);
    await second.setViewportSize({ width: 1440, height: 900 });
    await second.getByLabel(/^Digite/).fill("1.250,00");
    await approve.click();
    await second.getByText("Aprovada e executada: Rafael Tanaka").waitFor();
    // What the role may not see says who can give the right; an account's screen is of no use without an account.
    await goTo("operator/tokens", second);
    await second.getByText("Quem administra a instalação pode dar esse direito em Pessoas").waitFor();
    await goTo("charges", second);
    await second.waitForURL(/\/console\/operator$/);
  });

  test("sees the day agree, and the movement in the books", async () => {
    await open("operator/treasury");
    await page
      .getByRole("cell", { name: /R\$\s1\.250,00/ })
      .first()
      .waitFor();
    await open("operator/cases?status=closed");
    await page.getByRole("button", { name: /R\$\s1\.250,00/ }).waitFor();
    await open(`operator/reconciliation?day=${day}`);
    await page.getByRole("button", { name: "Conciliar agora" }).click();
    await page.getByText(/bate centavo por centavo, /).waitFor();
    // The month is read again after its day.
    const cell = page.locator('.calendar-day[aria-current="date"]');
    await cell.locator(".shape:not(.needs)").waitFor();
  });

  test("shows no sum of a day whose list the bank did not give whole", async () => {
    const sums = page.locator(".day-institution .row-line", { hasText: /^Entradas menos saídas, no banco/ });
    await sums.waitFor();
    await opened.failAtBank("listPix");
    await page.getByRole("button", { name: "Conciliar agora" }).click();
    await page.getByText(/^Este dia só foi conferido até /).waitFor();
    assert.equal(await sums.count(), 0);
    await opened.failAtBank(null);
    await page.getByRole("button", { name: "Conciliar agora" }).click();
    await sums.waitFor();
    assert.deepEqual(opened.errors, []);
  });
});
